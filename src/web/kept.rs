//! Kept counterexamples in outcomes: every page and report says "broken, kept", and no verdict changes.

use super::error::WebError;
use super::pages::when;
use super::project::digest;
use super::state::AppState;
use crate::report::comparison::is_broken;
use crate::report::outcome::{KeptReason, Outcome, RequirementResult};
use crate::report::verdict_class::VerdictClass;
use crate::store::projects::findings::KeptFinding;

/// Adds to the answers of a run the reasons with which its projects keep them.
pub(super) async fn annotate(state: &AppState, job: &str, outcome: &mut Outcome) -> Result<(), WebError> {
    let findings = state.store.findings_for(job).await?;
    if findings.is_empty() {
        return Ok(());
    }
    for result in &mut outcome.results {
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
