//! Tasks that run in some cycles only, beside a stated time between cycles.
//!
//! Such a task counts cycles. So the key `cycle` changes the time between two of its runs, unless it is the tick of the tasks.

use plc_frontend::Loaded;
use plc_frontend::ledger::{Gap, Treatment};

use super::spec::Specification;

/// Returns words for the cycles in which slow tasks run: `` `Slow` runs in 1 of 5 cycles ``.
pub fn rates(loaded: &Loaded) -> Option<String> {
    let tasks = loaded.project.task.slow.iter().enumerate();
    let of_task = |(at, task): (usize, &plc_frontend::hir::SlowTask)| {
        let verb = if at == 0 { " runs" } else { "" };
        format!("`{}`{verb} in 1 of {} cycles", task.name, task.cycles)
    };
    let all: Vec<String> = tasks.map(of_task).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// Adds the condition of all answers that slow tasks run as often as the stated cycle says.
///
/// Soundness: timers and the order of runs are those of other intervals than the project declares.
pub fn note(specification: &Specification, loaded: &mut Loaded) {
    let (Some(stated), Some(tick), Some(rates)) = (specification.cycle, loaded.interval_ns, rates(loaded)) else { return };
    let tick_ms = tick / 1_000_000;
    let ends = [stated.min_ms, stated.max_ms].map(i128::from);
    if ends.iter().all(|ms| *ms == tick_ms) {
        return;
    }
    let Some(run) = loaded.project.task.runs.first() else { return };
    let span = loaded.project.pous[loaded.project.instances[*run].pou].span;
    let times = |n: i128| {
        if ends[0] == ends[1] { format!("{} ms", ends[0] * n) } else { format!("{} to {} ms", ends[0] * n, ends[1] * n) }
    };
    let of_task = |task: &plc_frontend::hir::SlowTask| {
        let n = i128::from(task.cycles);
        format!("`{}` runs every {}, and the project says {} ms", task.name, times(n), tick_ms * n)
    };
    let all: Vec<String> = loaded.project.task.slow.iter().map(of_task).collect();
    let effect =
        format!("tasks count cycles, and the requirements state {} for one, not {tick_ms} ms: {}", times(1), all.join("; "));
    loaded.ledger.gaps.push(Gap { span, construct: rates, treatment: Treatment::Assumed, effect });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::property::spec::CycleTime;
    use plc_frontend::source::SourceSet;
    use plc_frontend::{LoadOptions, load};

    /// A stated cycle other than the tick is a condition where tasks have several intervals.
    #[test]
    fn a_stated_cycle_beside_slow_tasks_is_a_condition() {
        let check = |slow: &str, cycle: Option<(u32, u32)>, expected: &[&str]| {
            let text = format!(
                "PROGRAM P\nEND_PROGRAM\nCONFIGURATION C\nRESOURCE R ON cpu\nTASK Fast (INTERVAL := T#10ms);\n\
                 TASK Slow (INTERVAL := {slow});\nPROGRAM p1 WITH Fast : P;\nPROGRAM p2 WITH Slow : P;\nEND_RESOURCE\nEND_CONFIGURATION"
            );
            let mut sources = SourceSet::default();
            sources.add("p.st", text);
            let mut loaded = load(&sources, &LoadOptions::default()).value;
            let cycle = cycle.map(|(min_ms, max_ms)| CycleTime { min_ms, max_ms });
            note(&Specification { cycle, ..Specification::default() }, &mut loaded);
            let found = loaded.ledger.gaps.iter().filter(|gap| gap.construct.contains(" cycles"));
            let found: Vec<String> = found.map(|gap| format!("{}: {}", gap.construct, gap.effect)).collect();
            assert_eq!(found, expected, "{slow} {cycle:?}");
        };
        check("T#50ms", None, &[]);
        check("T#50ms", Some((10, 10)), &[]);
        check("T#10ms", Some((100, 100)), &[]);
        check(
            "T#50ms",
            Some((100, 100)),
            &[
                "`Slow` runs in 1 of 5 cycles: tasks count cycles, and the requirements state 100 ms for one, not 10 ms: `Slow` runs \
               every 500 ms, and the project says 50 ms",
            ],
        );
        check(
            "T#50ms",
            Some((10, 20)),
            &[
                "`Slow` runs in 1 of 5 cycles: tasks count cycles, and the requirements state 10 to 20 ms for one, not 10 ms: `Slow` \
               runs every 50 to 100 ms, and the project says 50 ms",
            ],
        );
    }
}
