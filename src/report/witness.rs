//! The run that puts a requirement to the test, as the outcome tells it.

use plc_frontend::hir::Project;
use plc_frontend::source::SourceSet;

use super::counterexample::{Violation, tell};
use super::outcome::Counterexample;
use answer::replay::CycleInputs;

/// Last cycles of a long run that are told.
const KEPT: usize = 50;
/// Most values of variables over all cycles; a longer run is told in one sentence.
const MOST_VALUES: usize = 2_000_000;

/// Tells a run whose last cycle puts the requirement to the test; `test` is the event there.
pub fn witness(project: &Project, sources: &SourceSet, cycles: &[CycleInputs], test: &Violation<'_>) -> Counterexample {
    let n = cycles.len();
    if MOST_VALUES < n.saturating_mul(project.leaves().len()) {
        let ms: i64 = cycles.iter().map(|cycle| cycle.dt_ns / 1_000_000).sum();
        let explanation = vec![format!("After {n} scan cycles (about {ms} ms). The run is too long to show it.")];
        return Counterexample { explanation, ..Counterexample::default() };
    }
    let mut told = tell(project, sources, cycles, test);
    if KEPT < n {
        told.cycles.drain(..n - KEPT);
        // Cycles that are left out need no sentence.
        told.explanation.retain(|sentence| !sentence.starts_with("Of cycles "));
        told.explanation.push(format!("Of the {n} cycles the last {KEPT} are shown."));
    }
    told
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use plc_frontend::hir::Value;

    use super::*;
    use testgen::stated::Stated;

    #[test]
    fn a_long_run_keeps_its_end_and_the_numbers_of_its_cycles() {
        let program = "PROGRAM P\nVAR_INPUT a : BOOL; END_VAR\nVAR n : INT; END_VAR\nIF a THEN n := n + 1; END_IF;\nEND_PROGRAM";
        let stated = Stated::new(program, "");
        let check = |n: usize, first: u32, sentences: &[&str]| {
            let cycle = CycleInputs { inputs: BTreeMap::from([("P.a".to_owned(), Value::Bool(true))]), dt_ns: 100_000_000 };
            let goal = BTreeSet::from(["P.n".to_owned()]);
            let test = Violation { goal: &goal, place: None, what: String::new(), n_back: 0 };
            let told = witness(&stated.loaded.project, &stated.loaded.sources, &vec![cycle; n], &test);
            assert_eq!(told.cycles.first().map(|c| c.number), Some(first), "{n}");
            assert_eq!(told.cycles.last().map(|c| c.number), Some(n as u32), "{n}");
            for sentence in sentences {
                assert!(told.explanation.iter().any(|s| s.contains(sentence)), "{:?}", told.explanation);
            }
        };
        check(3, 1, &["In 3 scan cycles (about 300 ms), at the end of cycle 3, n is 3."]);
        check(80, 31, &["at the end of cycle 80, n is 80.", "Of the 80 cycles the last 50 are shown."]);
    }
}
