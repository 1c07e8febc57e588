//! Tasks that run in some cycles only, beside a stated time between cycles.
//!
//! Such a task counts cycles. So the key `cycle` changes the time between two of its runs, unless it is the tick of the tasks.

use plc_frontend::Loaded;
use plc_frontend::dialect::DialectId;
use plc_frontend::hir::PouKind;
use plc_frontend::ledger::{Gap, Treatment, UNSTATED_CYCLE};

use super::spec::{Requirement, Specification};

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

/// Adds the condition of all answers that slow tasks run as often as the stated cycle says. Where nothing states the time, adds the
/// condition of answers which depend on it.
///
/// Soundness: timers and the order of runs are those of other intervals than the project declares.
pub fn note(specification: &Specification, loaded: &mut Loaded) {
    let is_open = specification.cycle.is_none() && loaded.interval_ns.is_none();
    if is_open && is_called_by_system(loaded) && depends_on_time(specification, loaded) {
        note_unstated(loaded);
    }
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

/// Returns whether the files say what calls the program, and not how often: a task without an interval, or an organization block.
///
/// A program text alone says nothing about its call. There the time is an assumption that each answer names.
fn is_called_by_system(loaded: &Loaded) -> bool {
    let is_siemens = matches!(loaded.dialect, DialectId::SiemensTia | DialectId::SiemensClassic);
    let mut runs = loaded.project.task.runs.iter().map(|run| &loaded.project.pous[loaded.project.instances[*run].pou]);
    let has_classes = || loaded.sources.files.iter().any(|file| file.name.to_ascii_lowercase().ends_with(".sw"));
    loaded.ledger.modelled.contains_key("configuration")
        || (is_siemens && runs.any(|pou| pou.kind == PouKind::Program))
        || has_classes()
}

/// Returns whether the time between two cycles can decide an answer: a timer of the program, or of a requirement.
///
/// Soundness: the operator HELD is looked for in texts, so more than it may be found.
fn depends_on_time(specification: &Specification, loaded: &Loaded) -> bool {
    let is_named = |text: &str| text.to_ascii_uppercase().contains("HELD");
    let is_timed = |requirement: &Requirement| {
        let mut texts = requirement.keys().into_iter().filter_map(|(_, text)| text.as_deref());
        requirement.for_.is_some() || requirement.pattern.is_some() || texts.any(is_named)
    };
    let has_timer = || loaded.project.leaves().iter().any(|leaf| leaf.stopwatch);
    let is_asserted = || loaded.sources.files.iter().any(|file| is_named(&file.text) && file.text.contains("#ASSERT"));
    specification.requirements.iter().any(is_timed) || has_timer() || is_asserted()
}

/// Adds the condition that the time between two cycles is the one that is taken where no file states it.
///
/// Soundness: a timer takes another number of cycles on the controller.
fn note_unstated(loaded: &mut Loaded) {
    let Some(run) = loaded.project.task.runs.first() else { return };
    let span = loaded.project.pous[loaded.project.instances[*run].pou].span;
    let effect = "no file states an interval of its task; state the key `cycle` among the requirements: `cycle: 10ms`".to_owned();
    loaded.ledger.gaps.push(Gap { span, construct: UNSTATED_CYCLE.to_owned(), treatment: Treatment::Assumed, effect });
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

    /// The default is a condition, a stated cycle is none.
    #[test]
    fn a_cycle_that_nothing_states_is_a_condition() {
        let of = |body: &str, requirement: Requirement, task: &str, cycle: Option<(u32, u32)>, is_told: bool| {
            let text = format!(
                "PROGRAM P\nVAR x : BOOL; END_VAR\n{body}\nEND_PROGRAM\nCONFIGURATION C\nRESOURCE R ON cpu\nTASK T ({task});\nPROGRAM p1 WITH T : P;\n\
                 END_RESOURCE\nEND_CONFIGURATION"
            );
            let mut sources = SourceSet::default();
            sources.add("p.st", text);
            let mut loaded = load(&sources, &LoadOptions::default()).value;
            let cycle = cycle.map(|(min_ms, max_ms)| CycleTime { min_ms, max_ms });
            let requirements = vec![requirement];
            note(&Specification { cycle, requirements, ..Specification::default() }, &mut loaded);
            assert_eq!(loaded.ledger.gaps.iter().any(|gap| gap.construct == UNSTATED_CYCLE), is_told, "{body} {task} {cycle:?}");
        };
        let check = |task, cycle, is_told| {
            of("VAR t : TON; END_VAR\nt(IN := x, PT := T#1s);", Requirement::default(), task, cycle, is_told)
        };
        let default = CycleTime::default();
        assert!(UNSTATED_CYCLE.contains(&format!(" {} ms", default.min_ms)) && default.min_ms == default.max_ms);
        check("PRIORITY := 1", None, true);
        check("PRIORITY := 1", Some((100, 100)), false);
        check("INTERVAL := T#10ms", None, false);
        check("INTERVAL := T#10ms", Some((20, 20)), false);
        let untimed = |body, requirement, is_told| of(body, requirement, "PRIORITY := 1", None, is_told);
        let of_text = |text: &str| Requirement { never: Some(text.to_owned()), ..Requirement::default() };
        untimed("x := TRUE;", of_text("x"), false);
        untimed("x := TRUE;", of_text("held(x, T#5s)"), true);
        untimed("x := TRUE; //#ASSERT HELD(x, T#1s) : a;", of_text("x"), true);
        untimed("x := TRUE;", Requirement { for_: Some("5s".to_owned()), ..Requirement::default() }, true);
    }
}
