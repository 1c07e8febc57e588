//! Yesterday's evidence, tried on today's program.
//!
//! Nothing here decides whether two programs are alike: evidence that is certified for this one is evidence, whatever was
//! changed; what is not is dropped, and the search begins from nothing.

use std::time::{Duration, Instant};

use super::{Decision, Request, lanes};
use crate::certificate::stored::Today;
use kernel::property::instrument::Instrumented;

/// How long the evidence may be looked at. A search may take longer, but then so would have the certification of its answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// The answer, if the earlier evidence shows it.
pub(super) fn again(request: &Request<'_>, instrumented: &Instrumented) -> Option<Decision> {
    let earlier = request.earlier?;
    let now = Instant::now();
    let share = request.interrupt.deadline.map_or(PATIENCE, |end| end.saturating_duration_since(now) / 4);
    let interrupt = lanes::soon(request.interrupt, share.min(PATIENCE));
    let case = request.case(request.claim);
    // A proof has to show as well that nothing is reached behind which nothing is known.
    let cfa = instrumented.strict_cfa();
    let options = &request.model.options;
    let dt_ms = options.dt_min_ms..=options.dt_max_ms;
    let today = Today { pool: &instrumented.pool, cfa: &cfa, case: &case, dt_ms };
    let certified = earlier.check(&today, &interrupt)?;
    Some(Decision { reused: true, ..Decision::certified(certified) })
}

#[cfg(test)]
mod tests;
