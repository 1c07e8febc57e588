//! The chain of the audit log, and every way to break it.

use rusqlite::Connection;

use super::chain::{Act, ActResult, Link};
use super::{AuditFilter, verify};
use crate::store::{DATABASE, Store};

const NOW: i64 = 1_800_000_000_000;

fn act(n: i64) -> Act {
    Act {
        who: if n % 2 == 0 { "anna".into() } else { "bert".into() },
        via: "session".into(),
        address: "10.0.0.1".into(),
        action: "run started".into(),
        object: format!("/runs/{n}"),
        result: if n % 3 == 0 { ActResult::Refused } else { ActResult::Done },
    }
}

async fn log(rows: i64) -> (tempfile::TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    for n in 1..=rows {
        store.record(act(n), NOW + n).await.unwrap();
    }
    (dir, store)
}

#[tokio::test]
async fn rows_follow_each_other_and_are_filtered() {
    let (dir, store) = log(20).await;
    let (last, answer) = verify(dir.path(), None).unwrap();
    assert_eq!((last.number, answer), (20, Ok(20)));
    let numbers = async |filter: AuditFilter, limit: u32| {
        store.audit(filter, limit).await.unwrap().iter().map(|row| row.number).collect::<Vec<_>>()
    };
    assert_eq!(numbers(AuditFilter::default(), 3).await, [20, 19, 18]);
    assert_eq!(numbers(AuditFilter { before: Some(3), ..AuditFilter::default() }, 9).await, [2, 1]);
    assert_eq!(numbers(AuditFilter { who: Some("ANNA".into()), ..AuditFilter::default() }, 2).await, [20, 18]);
    assert_eq!(
        numbers(AuditFilter { result: Some(ActResult::Refused), ..AuditFilter::default() }, 9).await,
        [18, 15, 12, 9, 6, 3]
    );
    assert_eq!(numbers(AuditFilter { search: Some("RUNS/17".into()), ..AuditFilter::default() }, 9).await, [17]);
    assert!(numbers(AuditFilter { search: Some("' OR 1 --".into()), ..AuditFilter::default() }, 9).await.is_empty());
}

#[tokio::test]
async fn every_change_of_a_row_is_found() {
    let changes = [
        ("UPDATE audit SET who = 'eve' WHERE number = 5", "row 5 was changed"),
        ("UPDATE audit SET at_ms = at_ms + 1 WHERE number = 1", "row 1 was changed"),
        ("UPDATE audit SET result = 'done' WHERE number = 3", "row 3 was changed"),
        ("UPDATE audit SET object = '' WHERE number = 20", "row 20 was changed"),
        // A character moves from one field to the next.
        ("UPDATE audit SET who = 'ann', via = 'asession' WHERE number = 4", "row 4 was changed"),
        ("DELETE FROM audit WHERE number = 7", "row 7 is missing"),
        ("DELETE FROM audit WHERE number = 1", "row 1 is missing"),
        ("DELETE FROM audit WHERE number = 20", "rows after row 19 are missing"),
        ("DELETE FROM audit", "rows after row 0 are missing"),
        (
            "UPDATE audit SET number = 0 - number WHERE number IN (8, 9); UPDATE audit SET number = 17 + number WHERE number < 0",
            "row 8",
        ),
        (
            "INSERT INTO audit SELECT 21, at_ms, who, via, address, action, object, result, hash FROM audit WHERE number = 20",
            "row 21",
        ),
    ];
    for (change, expected) in changes {
        let (dir, store) = log(20).await;
        store.call(move |c| Ok(c.execute_batch(change)?)).await.unwrap();
        let (_, answer) = verify(dir.path(), None).unwrap();
        let defect = answer.expect_err(change);
        assert!(defect.contains(expected), "{change}: {defect}");
    }
}

#[tokio::test]
async fn a_beginning_that_was_removed_needs_a_row_that_says_so() {
    let (dir, store) = log(20).await;
    let cut = "UPDATE audit_ends SET start_number = 3, start_hash = (SELECT hash FROM audit WHERE number = 3);
        DELETE FROM audit WHERE number < 4";
    store.call(move |c| Ok(c.execute_batch(cut)?)).await.unwrap();
    let (_, answer) = verify(dir.path(), None).unwrap();
    assert_eq!(answer.unwrap_err(), "rows up to 3 were removed, and no row says so");
}

#[tokio::test]
async fn retention_keeps_the_chain_checkable() {
    let (dir, store) = log(20).await;
    assert_eq!(store.shorten_audit(NOW, NOW + 100).await.unwrap(), 0);
    assert_eq!(store.shorten_audit(NOW + 6, NOW + 100).await.unwrap(), 5);
    let (last, answer) = verify(dir.path(), None).unwrap();
    assert_eq!((last.number, answer), (21, Ok(16)));
    // Once more, until the row about the first time goes itself.
    assert_eq!(store.shorten_audit(NOW + 101, NOW + 200).await.unwrap(), 16);
    let (last, answer) = verify(dir.path(), None).unwrap();
    assert_eq!((last.number, answer), (22, Ok(1)));
    store.record(act(1), NOW + 300).await.unwrap();
    assert_eq!(verify(dir.path(), None).unwrap().1, Ok(2));
}

#[tokio::test]
async fn a_row_that_was_noted_shows_that_the_whole_chain_was_written_anew() {
    let (dir, store) = log(20).await;
    let noted = store.audit(AuditFilter { before: Some(13), ..AuditFilter::default() }, 1).await.unwrap().remove(0);
    let known = Link { number: noted.number, hash: noted.hash };
    assert_eq!(verify(dir.path(), Some(known.clone())).unwrap().1, Ok(20));
    // A forger with the database writes another log, with a chain that is right in itself.
    let wipe = "DELETE FROM audit; UPDATE audit_ends SET start_number = 0, start_hash = '', last_number = 0, last_hash = ''";
    store.call(move |c| Ok(c.execute_batch(wipe)?)).await.unwrap();
    for n in 2..=21 {
        store.record(act(n), NOW + n).await.unwrap();
    }
    assert_eq!(verify(dir.path(), None).unwrap().1, Ok(20));
    assert_eq!(verify(dir.path(), Some(known.clone())).unwrap().1.unwrap_err(), "row 12 is not the one that was noted");
    store.call(move |c| Ok(c.execute_batch(wipe)?)).await.unwrap();
    assert_eq!(verify(dir.path(), Some(known)).unwrap().1.unwrap_err(), "row 12 was noted, but is missing");
}

#[tokio::test]
async fn a_database_without_a_log_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    assert!(verify(dir.path(), None).is_err());
    Connection::open(dir.path().join(DATABASE)).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
    assert!(verify(dir.path(), None).is_err());
}
