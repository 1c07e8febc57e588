//! Parts of a run that several machines do, and the confirmation of their claims.
//!
//! Each part goes through all requirements, in an order of its own, and leaves out those that were answered elsewhere. So the
//! loss of a part costs no answer.

use std::collections::BTreeSet;

use tokio::sync::watch;

use super::job::{Fact, Job};
use super::supervisor::Ended;
use crate::report::outcome::RequirementResult;
use answer::decide::part::place;

/// Part of a run.
#[derive(Debug)]
pub struct Part {
    /// Its number; part 0 has the usual order.
    pub number: u32,
    /// Answers of others.
    pub answered: watch::Receiver<Answered>,
}

/// Answers of other parts, certified by the service.
#[derive(Clone, Debug, Default)]
pub struct Answered {
    /// Requirements with an answer.
    pub requirements: BTreeSet<String>,
    /// Their evidence, as far as it is here.
    pub facts: Vec<Fact>,
}

impl Part {
    /// Returns the requirements that were answered elsewhere.
    pub(super) fn answered(&self) -> Vec<String> {
        self.answered.borrow().requirements.iter().cloned().collect()
    }

    /// Adds the evidence of others to a job.
    pub(super) fn inform(&self, job: &mut Job) {
        job.facts.clone_from(&self.answered.borrow().facts);
    }

    /// Waits until a requirement is answered elsewhere; for ever if there is no other part, or no requirement.
    pub(super) async fn answers(part: &mut Option<Part>, requirement: Option<&str>) {
        if let (Some(part), Some(id)) = (part, requirement)
            && part.answered.wait_for(|answered| answered.requirements.contains(id)).await.is_ok()
        {
            return;
        }
        std::future::pending().await
    }
}

/// End of a confirmation.
#[derive(Debug)]
pub struct Confirmed {
    /// As the supervisor tells it. What was not to be decided has no answer in its outcome.
    pub ended: Ended,
    /// Requirements whose claims are not shown by their evidence.
    pub refuted: Vec<String>,
    /// Results with an answer, those of before included, without conditions that other results decide.
    pub shown: Vec<RequirementResult>,
    /// No requirement is left without a result.
    pub is_whole: bool,
}

/// Requirement that is to be decided: its number, and the part whose order its engines have.
pub(super) type Todo = (usize, u32);

/// Returns requirements in the order of a part.
///
/// Engines have the usual order where this part comes first; else that of the part, because others are there already.
pub(super) fn order(mut todo: Vec<usize>, part: u32) -> Vec<Todo> {
    let n = todo.len();
    let begin = place(part, n);
    todo.rotate_left(begin);
    let is_alone = |nth: usize| part == 0 || ((part as usize) < n && nth < n - begin);
    todo.into_iter().enumerate().map(|(nth, i)| (i, if is_alone(nth) { 0 } else { part })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_have_another_order_where_another_part_was_first() {
        assert_eq!(order(vec![3, 4, 5], 0), [(3, 0), (4, 0), (5, 0)]);
        assert_eq!(order(vec![3, 4, 5, 6], 1), [(5, 0), (6, 0), (3, 1), (4, 1)]);
        assert_eq!(order(vec![3, 4], 1), [(4, 0), (3, 1)]);
        assert_eq!(order(vec![3, 4], 2), [(3, 2), (4, 2)]);
        assert_eq!(order(vec![3], 1), [(3, 1)]);
        assert_eq!(order(Vec::new(), 5), []);
    }
}
