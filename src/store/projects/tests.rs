//! Projects in the database; see the module above.

use std::collections::BTreeMap;

use rusqlite::Connection;
use rusqlite_migration::Migrations;

use super::versions::StoredVerdict;
use super::*;
use crate::store::jobs::{JobEnd, JobState, NewJob};
use crate::store::programs::Source;
use crate::store::queue::testing::add;
use crate::store::{DATABASE, MIGRATIONS, backup};

struct Data {
    dir: tempfile::TempDir,
    store: Store,
}

fn data() -> Data {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    Data { dir, store }
}

impl Data {
    async fn program(&self, text: &str) -> String {
        let sources = vec![Source { name: "a.st".into(), text: text.into(), note: None }];
        self.store.add_program("a.st".into(), sources).await.unwrap().0.id
    }

    /// Returns a run of this program that has ended.
    async fn ended(&self, program: &str) -> String {
        let job = self.queued(program).await;
        self.store.claim_job(u32::MAX, u32::MAX).await.unwrap().unwrap();
        let (reason, tally, outcome) = (None, None, Some("{}".to_owned()));
        let end = JobEnd {
            state: JobState::Succeeded,
            reason,
            outcome,
            tally,
            verdicts: Vec::new(),
            events: Vec::new(),
            worked_ms: None,
        };
        assert!(self.store.finish_job(&job, end).await.unwrap());
        job
    }

    async fn queued(&self, program: &str) -> String {
        let specification = self.store.add_specification("{}".into()).await.unwrap();
        let [strategy, planned] = ["{}".to_owned(), "[]".to_owned()];
        let new = NewJob {
            owner: String::new(),
            program: program.into(),
            specification,
            strategy,
            wall_s: 60,
            memory_mb: 512,
            planned,
            project: None,
        };
        add(&self.store, new).await
    }

    async fn project(&self, name: &str, version: Option<NewVersion>) -> String {
        let [name, note] = [name.to_owned(), String::new()];
        let [requirements, environment] = ["requirements: []\n".to_owned(), "cycle: 10ms\n".to_owned()];
        let new = NewProject { name, note, requirements, environment, version, changed_by: "anna".into() };
        self.store.add_project(new).await.unwrap()
    }
}

fn version_of(program: &str, job: Option<(String, bool)>) -> NewVersion {
    NewVersion { program: program.into(), label: "a.st".into(), job }
}

#[tokio::test]
async fn statements_keep_every_change() {
    let data = data();
    let id = data.project("Pump", None).await;
    let part = Part::Requirements;
    let first = data.store.statement(&id, part).await.unwrap().unwrap();
    assert_eq!((first.revision, first.before.as_str(), first.after.as_str()), (1, "", "requirements: []\n"));
    assert!(data.store.state(&id, (part, 1), "new".into(), "ben".into()).await.unwrap());
    // Another one was faster: nothing is overwritten.
    assert!(!data.store.state(&id, (part, 1), "lost".into(), "carl".into()).await.unwrap());
    // The same text is no change.
    assert!(data.store.state(&id, (part, 2), "new".into(), "carl".into()).await.unwrap());
    let changes = data.store.statements(&id, part, None, 10).await.unwrap();
    let told: Vec<_> = changes.iter().map(|s| (s.revision, s.changed_by.as_str(), s.before.as_str(), s.after.as_str())).collect();
    assert_eq!(told, [(2, "ben", "requirements: []\n", "new"), (1, "anna", "", "requirements: []\n")]);
    assert_eq!(data.store.statements(&id, part, Some(2), 10).await.unwrap().len(), 1);
    assert_eq!(data.store.statement(&id, Part::Environment).await.unwrap().unwrap().after, "cycle: 10ms\n");
    assert!(!data.store.state("none", (part, 0), "x".into(), String::new()).await.unwrap());
}

#[tokio::test]
async fn lists_show_the_last_version_with_its_newest_run() {
    let data = data();
    let program = data.program("one").await;
    let id = data.project("Pump 50%", Some(version_of(&program, None))).await;
    let empty = data.project("Silo", None).await;
    let number = data.store.add_version(&id, version_of(&data.program("two").await, None), "ben".into()).await.unwrap();
    assert_eq!(number, Some(2));
    assert_eq!(data.store.add_version("none", version_of(&program, None), String::new()).await.unwrap(), None);
    let (older, newer) = (data.ended(&program).await, data.queued(&program).await);
    data.store.add_version_job(&id, 2, &older).await.unwrap();
    data.store.add_version_job(&id, 2, &newer).await.unwrap();
    let listed = data.store.projects("", None, 10).await.unwrap();
    assert_eq!(listed.iter().map(|l| l.project.id.as_str()).collect::<Vec<_>>(), [empty.as_str(), id.as_str()]);
    assert_eq!(listed[0].last, None);
    let last = listed[1].last.as_ref().unwrap();
    assert_eq!((last.number, last.job.as_ref().map(|j| (j.id.as_str(), j.state))), (2, Some((newer.as_str(), JobState::Queued))));
    let found = |search: &'static str| data.store.projects(search, None, 10);
    assert_eq!(found("pUMP").await.unwrap().len(), 1);
    assert_eq!(found("%").await.unwrap().len(), 1);
    assert_eq!(found("_").await.unwrap().len(), 0);
    assert_eq!(data.store.projects("", Some(empty.clone()), 10).await.unwrap().len(), 1);
    assert_eq!(data.store.version(&id, 1).await.unwrap().unwrap().job, None);
    assert_eq!(data.store.version(&id, 3).await.unwrap(), None);
    assert_eq!(data.store.version(&id, i64::MAX).await.unwrap(), None);
    let project = data.store.project(&id).await.unwrap().unwrap();
    assert!(data.store.rename_project(&project, ("Pump 2".into(), "note".into()), "ben".into()).await.unwrap());
    assert!(!data.store.rename_project(&project, ("Pump 3".into(), "note".into()), "ben".into()).await.unwrap());
}

#[tokio::test]
async fn a_break_lasts_until_another_verdict_or_statement() {
    let data = data();
    let program = data.program("one").await;
    let id = data.project("Pump", None).await;
    let verdict = |requirement: &str, statement: &str, class: &str| StoredVerdict {
        requirement: requirement.into(),
        statement: statement.into(),
        class: class.into(),
        number: None,
        reused: false,
        cone: None,
    };
    let rows = [
        [verdict("R1", "s", "holds"), verdict("R2", "s", "violated"), verdict("R3", "old", "violated")],
        [verdict("R1", "s", "violated"), verdict("R2", "s", "unknown"), verdict("R3", "new", "violated")],
        [verdict("R1", "s", "violated"), verdict("R2", "s", "violated"), verdict("R3", "new", "violated")],
    ];
    for row in &rows {
        let job = data.ended(&program).await;
        data.store.add_version(&id, version_of(&program, Some((job.clone(), true))), String::new()).await.unwrap();
        assert_eq!(data.store.unlisted(&id).await.unwrap(), std::slice::from_ref(&job));
        data.store.list_verdicts(&job, row.to_vec()).await.unwrap();
        assert_eq!(data.store.verdicts(&job).await.unwrap(), row);
    }
    assert!(data.store.unlisted(&id).await.unwrap().is_empty());
    let since = data.store.since(&id, 3, rows[2].to_vec(), vec!["violated".into()]).await.unwrap();
    assert_eq!(since, BTreeMap::from([("R1".into(), 2), ("R2".into(), 3), ("R3".into(), 2)]));
    // A run that has not ended says nothing: the break is known only behind it.
    let queued = data.queued(&program).await;
    data.store.add_version_job(&id, 2, &queued).await.unwrap();
    let since = data.store.since(&id, 3, rows[2].to_vec(), vec!["violated".into()]).await.unwrap();
    assert_eq!(since.get("R1"), Some(&3));
}

#[tokio::test]
async fn deletion_spares_runs_that_others_refer_to() {
    let data = data();
    let program = data.program("one").await;
    let [own, single, shared] = [data.ended(&program).await, data.ended(&program).await, data.ended(&program).await];
    let id = data.project("Pump", Some(version_of(&program, Some((own.clone(), true))))).await;
    data.store.add_version(&id, version_of(&program, Some((single.clone(), false))), String::new()).await.unwrap();
    data.store.add_version(&id, version_of(&program, Some((shared.clone(), true))), String::new()).await.unwrap();
    let waiting = data.queued(&program).await;
    data.store.add_version(&id, version_of(&program, Some((waiting.clone(), true))), String::new()).await.unwrap();
    data.project("Other", Some(version_of(&program, Some((shared.clone(), false))))).await;
    data.store
        .list_verdicts(
            &own,
            vec![StoredVerdict {
                requirement: "R1".into(),
                statement: "s".into(),
                class: "holds".into(),
                number: Some(1),
                reused: false,
                cone: None,
            }],
        )
        .await
        .unwrap();
    let delete = async |owner: Option<&str>| data.store.delete_project(&id, owner.map(str::to_owned)).await.unwrap();
    assert_eq!(delete(Some("another user")).await, Deletion::NotYours);
    assert_eq!(delete(None).await, Deletion::Done);
    assert_eq!(delete(None).await, Deletion::Missing);
    assert_eq!(data.store.job(&own).await.unwrap(), None);
    assert_eq!(data.store.outcome(&own).await.unwrap(), None);
    for kept in [single, shared, waiting] {
        assert!(data.store.job(&kept).await.unwrap().is_some(), "{kept}");
    }
    assert!(data.store.program(&program).await.unwrap().is_some());
    assert_eq!(data.store.statement(&id, Part::Requirements).await.unwrap(), None);
    assert!(data.store.versions(&id, None, 9).await.unwrap().is_empty());
}

/// The schema of the version before projects, with a program and a run: both stay, and a project can be made of them.
#[tokio::test]
async fn a_database_without_projects_is_brought_to_this_schema() {
    let dir = tempfile::tempdir().unwrap();
    let mut old = Connection::open(dir.path().join(DATABASE)).unwrap();
    let at = MIGRATIONS.iter().position(|m| format!("{m:?}").contains("CREATE TABLE projects")).unwrap();
    Migrations::from_slice(&MIGRATIONS[..at]).to_latest(&mut old).unwrap();
    old.execute_batch(
        "INSERT INTO programs VALUES ('p', 'a.st', 3, 1);
         INSERT INTO sources VALUES ('p', 0, 'a.st', 'one', NULL);
         INSERT INTO specifications VALUES ('s', '{}');
         INSERT INTO jobs (id, program, specification, strategy, wall_s, memory_mb, planned, state, created_ms)
             VALUES ('j', 'p', 's', '{}', 60, 512, '[]', 'succeeded', 2);",
    )
    .unwrap();
    assert!(backup::schema(&old).unwrap() == backup::Schema::Older);
    drop(old);
    let store = Store::open(dir.path()).unwrap();
    let data = Data { dir, store };
    let id = data.project("Pump", Some(version_of("p", Some(("j".into(), false))))).await;
    let version = data.store.version(&id, 1).await.unwrap().unwrap();
    assert_eq!((version.program.as_str(), version.job.unwrap().id.as_str()), ("p", "j"));
    assert_eq!(data.store.job("j").await.unwrap().unwrap().label, "a.st");
    assert!(data.dir.path().exists());
}
