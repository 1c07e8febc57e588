//! Kept counterexamples in outcomes: every page and report says "broken, kept", and no verdict changes.

use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use plc_frontend::text::unseen::is_unseen;

use super::actor;
use super::error::WebError;
use super::pages::{When, when};
use super::project::{self, digest};
use super::state::AppState;
use crate::report::comparison::is_broken;
use crate::report::outcome::{KeptReason, Outcome, RequirementResult};
use crate::report::verdict_class::VerdictClass;
use crate::store::projects::findings::{KeptFinding, NewFinding};
use crate::store::projects::versions::Version;

/// Longest reason.
const MAX_REASON_CHARS: usize = 1000;

/// Meaning of a kept counterexample for the last version of its project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum KeptState {
    /// The requirement is broken, by the same code: it counts.
    Counts,
    /// Code that decides the requirement has changed: it no longer counts.
    Expired,
    /// The requirement is not broken in the last version.
    NotBroken,
    /// The last version has no verdict about the same statement.
    NoVerdict,
    /// A user took it back.
    TakenBack,
}

impl KeptState {
    /// Returns the state in words.
    pub(super) fn words(self) -> &'static str {
        match self {
            KeptState::Counts => "counts: broken, kept",
            KeptState::Expired => "expired: the code that decides it has changed",
            KeptState::NotBroken => "not broken in the last version",
            KeptState::NoVerdict => "no verdict in the last version",
            KeptState::TakenBack => "taken back",
        }
    }
}

/// A kept counterexample, with its meaning for the last version.
#[derive(Clone, Debug)]
pub(super) struct KeptRow {
    pub(super) finding: KeptFinding,
    pub(super) when: When,
    pub(super) state: KeptState,
}

/// Returns the kept counterexamples of a project, newest first.
pub(super) async fn rows(state: &AppState, id: &str, last: Option<&Version>) -> Result<Vec<KeptRow>, WebError> {
    let verdicts = match last.and_then(|version| version.job.as_ref()) {
        Some(job) => state.store.verdicts(&job.id).await?,
        None => Vec::new(),
    };
    let broken = project::broken_classes();
    let row = |finding: KeptFinding| {
        let same = verdicts.iter().find(|verdict| verdict.statement == finding.statement);
        let state = match same {
            _ if finding.ended_ms.is_some() => KeptState::TakenBack,
            Some(verdict) if !broken.contains(&verdict.class) => KeptState::NotBroken,
            Some(verdict) if verdict.cone.as_ref() != Some(&finding.cone) => KeptState::Expired,
            Some(_) => KeptState::Counts,
            None => KeptState::NoVerdict,
        };
        KeptRow { when: when(finding.at_ms), finding, state }
    };
    Ok(state.store.findings(id).await?.into_iter().map(row).collect())
}

fn mistake(message: &str) -> WebError {
    WebError::NotKept(message.to_owned())
}

/// Keeps the counterexample of an answer in a run of a project, with a reason.
pub(super) async fn keep(
    state: &AppState,
    project: &str,
    job: &str,
    (result, reason): (&RequirementResult, &str),
) -> Result<(), WebError> {
    let projects = state.store.projects_of(job).await?;
    if !projects.iter().any(|(id, _)| id == project) {
        return Err(WebError::NotFound("project with this run".into()));
    }
    let reason: String = reason.trim().chars().map(|c| if is_unseen(c) { ' ' } else { c }).take(MAX_REASON_CHARS).collect();
    if reason.is_empty() {
        return Err(mistake("A counterexample is kept only with a reason."));
    }
    if !is_broken(VerdictClass::of(result)) {
        return Err(mistake("Only a broken requirement can be kept."));
    }
    let Some(cone) = result.cone.clone() else {
        return Err(mistake("This run does not know which code decides the requirement: check the version again first."));
    };
    let (statement, requirement) = (digest(result), result.id.clone());
    let new = NewFinding { statement, requirement, cone, job: job.to_owned(), reason, changed_by: actor::name() };
    state.store.keep_finding(project, new).await?;
    Ok(())
}

/// Takes a kept counterexample back.
pub(super) async fn end(state: &AppState, project: &str, finding: i64) -> Result<(), WebError> {
    let is_ended = state.store.end_finding(project, finding).await?;
    if is_ended { Ok(()) } else { Err(WebError::NotFound("kept finding of this project that counts".into())) }
}

/// Adds to the answers of a run the reasons with which its projects keep them.
pub(super) async fn annotate(state: &AppState, job: &str, outcome: &mut Arc<Outcome>) -> Result<(), WebError> {
    let findings = state.store.findings_for(job).await?;
    if findings.is_empty() {
        return Ok(());
    }
    for result in &mut Arc::make_mut(outcome).results {
        if let Some(finding) = findings.iter().find(|finding| counts(finding, result)) {
            let at = when(finding.at_ms);
            let by = if finding.changed_by.is_empty() { String::new() } else { format!(" by {}", finding.changed_by) };
            result.headline = format!("{} — kept{by} on {}: {}", result.headline, at.words, finding.reason);
            result.kept = Some(KeptReason {
                reason: finding.reason.clone(),
                by: finding.changed_by.clone(),
                at: at.machine,
                project: finding.project.clone(),
            });
        }
    }
    Ok(())
}

/// Returns whether a finding is about this answer: broken, the same statement, and the same code that can decide it.
///
/// Soundness: a requirement that is not broken is never "kept", and changed code ends the finding.
pub(super) fn counts(finding: &KeptFinding, result: &RequirementResult) -> bool {
    is_broken(VerdictClass::of(result))
        && result.cone.as_ref() == Some(&finding.cone)
        && finding.statement == digest(result)
        && finding.ended_ms.is_none()
}
