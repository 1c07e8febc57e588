//! Certificates of answers, written and checked at once: each by workers that have seen nothing of the run that found them.

use std::path::Path;

use tokio_util::sync::CancellationToken;

use super::job::{CertificateText, Job, Strategy, Task};
use super::model::{Written, model};
use crate::report::format::{WantedCertificate, WantedReport};
use crate::report::outcome::RequirementResult;
use answer::VerdictWord;
use answer::certificate::Answer;

/// Results of checks of certificates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rechecked {
    /// Those that were certified.
    pub n_accepted: usize,
    /// Answers whose certificate does not show them: id and reason.
    pub refused: Vec<String>,
    /// Answers whose check stayed open, or that have no certificate.
    pub open: Vec<String>,
}

impl Rechecked {
    /// Adds the results of other checks.
    pub fn add(&mut self, other: Rechecked) {
        self.n_accepted += other.n_accepted;
        self.refused.extend(other.refused);
        self.open.extend(other.open);
    }
    /// Puts the name of the answers' subject before each line.
    pub fn of(self, name: &str) -> Rechecked {
        let named = |lines: Vec<String>| lines.into_iter().map(|line| format!("{name}: {line}")).collect();
        Rechecked { refused: named(self.refused), open: named(self.open), ..self }
    }
    /// Returns whether every answer has a certificate that was accepted.
    pub fn is_complete(&self) -> bool {
        self.refused.is_empty() && self.open.is_empty()
    }
    /// Returns `certificates: 3 of 3 accepted`
    pub fn summary(&self) -> String {
        let n = self.n_accepted + self.refused.len() + self.open.len();
        let refused = if self.refused.is_empty() { String::new() } else { format!(", {} REFUSED", self.refused.len()) };
        format!("certificates: {} of {n} accepted{refused}", self.n_accepted)
    }
}

/// Writes the certificate of each answer of a job, and checks it against the sources. `solver`: a command that reads SMT-LIB from
/// its standard input; `None`: the cvc5 of this program.
///
/// Cost:      two workers for each answer.
/// Soundness: only the answer of [`answer::certificate`] to the text counts.
pub async fn recheck(
    program: &Path,
    job: &Job,
    results: &[RequirementResult],
    solver: Option<&str>,
    cancel: &CancellationToken,
) -> Rechecked {
    let mut all = Rechecked::default();
    for result in results.iter().filter(|r| matches!(r.verdict, VerdictWord::Holds | VerdictWord::Violated)) {
        if cancel.is_cancelled() {
            break;
        }
        match one(program, job, result, solver, cancel).await {
            Answer::Certified(_) | Answer::Conditional { .. } => all.n_accepted += 1,
            Answer::Refuted(lines) => all.refused.push(format!("{}: {}", result.id, lines.join("; "))),
            Answer::Unfit(why) => all.refused.push(format!("{}: {why}", result.id)),
            Answer::Open(why) => all.open.push(format!("{}: {why}", result.id)),
        }
    }
    all
}

async fn one(program: &Path, job: &Job, result: &RequirementResult, solver: Option<&str>, cancel: &CancellationToken) -> Answer {
    let Some(evidence) = result.certificate.clone() else { return Answer::Open("the answer has no certificate".to_owned()) };
    let ask = async |task: Task| {
        let job = Job { task, strategy: Strategy::default(), earlier: Vec::new(), ..job.clone() };
        match model(program, &job, cancel.clone()).await {
            Written::Text(text) => Ok(text),
            Written::Refused(why) => Err(Answer::Unfit(why)),
            Written::NotUnderstood(_) => Err(Answer::Unfit("the program was not understood again".to_owned())),
            // Out of memory, stack or time: nothing was shown.
            Written::Failed(why) => Err(Answer::Open(why)),
            Written::Cancelled => Err(Answer::Open("it was stopped".to_owned())),
        }
    };
    let text = match ask(Task::Report(WantedReport::Certificate(WantedCertificate::new(result, evidence)))).await {
        Ok(text) => text,
        Err(answer) => return answer,
    };
    match ask(Task::Check(CertificateText { text, solver: solver.map(str::to_owned) })).await {
        Ok(json) => serde_json::from_str(&json).unwrap_or_else(|e| Answer::Open(e.to_string())),
        Err(answer) => answer,
    }
}
