//! Stored evidence of an earlier version, tried on the present program.
//!
//! Programs are not compared. Evidence that is certified for this program counts, whatever was changed. Other evidence is
//! dropped, and the search begins anew.

use std::time::{Duration, Instant};

use super::{Decision, Request, schedule};
use crate::certificate::Question;
use kernel::property::instrument::Instrumented;

/// Longest time for the evidence. A search may take longer, but then so would have the certification of its answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// Returns the answer, if the earlier evidence shows it.
pub(super) fn reuse(request: &Request<'_>, instrumented: &Instrumented) -> Option<Decision> {
    let earlier = request.earlier?;
    let now = Instant::now();
    let share = request.search.interrupt.deadline.map_or(PATIENCE, |end| end.saturating_duration_since(now) / 4);
    let interrupt = if request.search.is_patient {
        request.search.interrupt.clone()
    } else {
        schedule::soon(request.search.interrupt, share.min(PATIENCE))
    };
    let case = request.case(request.claim);
    // A proof must also show that no statement without a model is reached.
    let cfa = instrumented.strict_cfa();
    let question = Question { pool: &instrumented.pool, cfa: &cfa, case: &case, dt_ns: request.dt_ns() };
    let certified = earlier.check(&question, &interrupt)?;
    Some(Decision { reused: true, ..Decision::certified(certified) })
}

#[cfg(test)]
mod tests;
