//! Difficulties of a requirement, told while the search for an answer still runs: a worker that is stopped leaves them behind.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use plc_frontend::hir::Expr;

use super::understand::Program;
use crate::report::advice::{Advice, advice};
use crate::report::effort::{LineEncoding, largest};
use kernel::cfa::Op;
use kernel::cfa::pass::Dependencies;
use kernel::property::claim::Claim;
use kernel::smt::bitblast::gates;
use search::engine::portfolio::stack_bytes;

/// Difficulties of one requirement.
#[derive(Clone, Debug, Default)]
pub(super) struct Difficulty {
    /// Steps to take.
    pub(super) advice: Vec<Advice>,
    /// Lines with the largest encodings.
    pub(super) encodings: Vec<LineEncoding>,
}

/// A search that takes longer is worth a look at its difficulties.
const PATIENCE: Duration = Duration::from_millis(500);

/// Returns the difficulties in a cone of influence.
pub(super) fn difficulty(program: &Program, depends: &Dependencies, assumptions: &[Expr]) -> Difficulty {
    let conditions: Vec<&Expr> = assumptions.iter().collect();
    let assumed = kernel::property::mentions::leaves(&conditions, &program.loaded.project);
    Difficulty {
        advice: advice(&program.loaded, &program.model, depends, &assumed),
        encodings: encodings(program, depends).unwrap_or_default(),
    }
}

/// Returns the lines with the largest encodings; `None` where the program computes with more than bits.
fn encodings(program: &Program, depends: &Dependencies) -> Option<Vec<LineEncoding>> {
    let formula = |op: &Op| match op {
        Op::Assume(e) => Some(*e),
        Op::Assign(var, e) => depends.vars.contains(var).then_some(*e),
        Op::Skip | Op::Havoc(_) | Op::Block(_) => None,
    };
    let edges = program.model.cfa.edges.iter().filter_map(|edge| Some((edge.span?, formula(&edge.op)?)));
    let (spans, formulas): (Vec<_>, Vec<_>) = edges.filter(|(span, _)| depends.spans.contains(span)).unzip();
    let sizes = gates(&program.model.pool, &formulas)?;
    Some(largest(&program.loaded, spans.into_iter().zip(sizes)))
}

/// Runs `search`. If it takes long, its difficulties are told from another thread meanwhile.
///
/// Cost:      a second monitor of the requirement, on a thread of its own.
pub(super) fn told_meanwhile<T>(
    program: &Program,
    (claim, assumptions): (&Claim, &[Expr]),
    tell: &(dyn Fn(Difficulty) + Sync),
    search: impl FnOnce() -> T,
) -> T {
    std::thread::scope(|scope| {
        let (done, wait) = channel::<()>();
        let look = move || {
            if wait.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout)
                && let Some(depends) = answer::decide::cone(&program.loaded, &program.model, claim, assumptions)
            {
                tell(difficulty(program, &depends, assumptions));
            }
        };
        // Without room for another stack nothing is told.
        let _ = std::thread::Builder::new().name("difficulty".into()).stack_size(stack_bytes()).spawn_scoped(scope, look);
        let result = search();
        drop(done);
        result
    })
}

#[cfg(test)]
mod tests;
