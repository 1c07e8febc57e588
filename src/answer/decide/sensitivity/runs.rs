//! Simulated runs of the program as it is. The requirement holds in all of them; one that violates it in a changed program
//! shows that the change would be noticed, without a search.

use plc_frontend::interp::{Limits, Machine, Recorder};
use plc_frontend::source::Span;

use super::Request;
use crate::replay::CycleInputs;
use kernel::property::arbitrary::Arbitrary;
use kernel::property::spec::CycleTime;

const RUNS: usize = 24;
const CYCLES: usize = 40;
/// Statements of all runs together, with the fixed cost of cycles: each change may cost as much.
const STATEMENTS: u64 = 30_000;

/// Runs, and the statements of their longest cycle.
pub(super) struct Simulated {
    pub(super) runs: Vec<Vec<CycleInputs>>,
    pub(super) longest: u64,
}

struct Count(u64);

impl Recorder for Count {
    fn executed(&mut self, _: Span) {
        self.0 += 1;
    }
}

/// Returns some runs that keep the assumptions; the same ones each time.
///
/// Cost: bounded by the number of statements, whatever the program.
pub(super) fn simulated(request: &Request<'_>) -> Simulated {
    let project = &request.loaded.project;
    let options = &request.model.options;
    let mut arbitrary = Arbitrary::new(project, CycleTime { min_ms: options.dt_min_ms, max_ms: options.dt_max_ms });
    let mut found = Simulated { runs: Vec::new(), longest: 0 };
    let (per_run, per_cycle) = (project.leaves().len() as u64, 1 + arbitrary.n_inputs() as u64);
    let mut spent = 0;
    while found.runs.len() < RUNS && spent < STATEMENTS {
        spent += per_run;
        arbitrary.next_run();
        let mut machine = Machine::new(project, Limits { steps: STATEMENTS, ..Limits::default() });
        let mut run = Vec::new();
        while run.len() < CYCLES && spent < STATEMENTS {
            let Some((inputs, dt_ns)) = arbitrary.begin(&mut machine, request.assumptions) else { break };
            run.push(CycleInputs { inputs, dt_ns });
            let mut count = Count(0);
            let ended = machine.run(&mut count).is_err();
            spent += per_cycle + count.0;
            found.longest = found.longest.max(count.0);
            if ended {
                break;
            }
        }
        found.runs.push(run);
    }
    found
}
