//! The law about the two definitions of the semantics: random programs behave alike in the interpreter and in the CFA, and every
//! reduction of a CFA reaches its error location in the same cycle.
//!
//! More cases: `PROPTEST_CASES=20000 cargo test --release -p testgen --test laws`.

use kernel::cfa::{Marks, ModelOptions, build};
use plc_frontend::dialect::DialectId;
use plc_frontend::hir::{AnomalyKind, Project};
use proptest::prelude::*;
use testgen::programs::{Plant, Size, classes, plant, program, recursive};
use testgen::readings::{Numbers, behave_alike, error_cycle, inputs, read, read_as, reductions_agree, surround, with_question};

use crate::{config, fewer};

fn case(seed: u64, floats: bool) {
    let mut numbers = Numbers(seed);
    let size = Size {
        statements: 4 + numbers.below(8) as usize,
        depth: 2 + numbers.below(2) as usize,
        floats,
        faults: numbers.below(4) == 0,
        objects: numbers.below(3) == 0,
        memory: numbers.below(3) == 0,
    };
    let mut text = program(seed, size);
    // Read as MATIEC does: detected, since a chosen dialect refuses objects and jumps.
    if numbers.below(4) == 0 {
        text.push_str("\n(*DBG:*)\n");
    }
    behaves(&text, &read(&text).project, &mut numbers);
}

/// Checks the law as [`case`] does, for programs in tasks with charts, timers and edges.
fn plant_case(seed: u64) {
    let mut numbers = Numbers(seed);
    let size = Size {
        statements: 2 + numbers.below(5) as usize,
        depth: 2,
        floats: numbers.below(6) == 0,
        faults: numbers.below(4) == 0,
        ..Size::default()
    };
    let Plant { text, dialect } = plant(seed, size);
    behaves(&text, &read_as(&text, dialect).project, &mut numbers);
}

/// Checks a program with random marks, cycle times and environments.
fn behaves(text: &str, project: &Project, numbers: &mut Numbers) {
    let mut surrounded = project.clone();
    surround(&mut surrounded, numbers);
    let project = &surrounded;
    let (dt_min_ms, dt_max_ms) = if numbers.below(2) == 0 { (100, 100) } else { (10, 90) };
    let anomalies = [AnomalyKind::Overflow, AnomalyKind::ConversionLoss].map(Marks::Anomalies);
    let marks = [&[Marks::None, Marks::Statements, Marks::Coils][..], &anomalies].concat()[numbers.below(5) as usize];
    let model = match build(project, &ModelOptions { dt_min_ms, dt_max_ms, marks, ..ModelOptions::default() }) {
        Ok(model) => model,
        Err(e) => panic!("{e}\n{text}"),
    };
    let inputs = inputs(project, &model, numbers);
    let cycles = behave_alike(project, &model, &inputs, text);
    for _ in 0..2 {
        let (pool, cfa) = with_question(&model, &inputs, numbers, cycles);
        let expected = error_cycle(&pool, &cfa, &inputs);
        reductions_agree(&pool, &cfa, &inputs, expected, text);
    }
}

proptest! {
    #![proptest_config(config())]
    #[test]
    fn programs_behave_alike_in_the_interpreter_and_in_the_cfa(seed in any::<u64>()) {
        case(seed, false);
    }
    #[test]
    fn programs_with_reals_behave_alike_in_the_interpreter_and_in_the_cfa(seed in any::<u64>()) {
        case(seed, true);
    }
}

proptest! {
    #![proptest_config(fewer())]
    #[test]
    fn functions_that_call_themselves_behave_alike_in_the_interpreter_and_in_the_cfa(seed in any::<u64>()) {
        let text = recursive(seed);
        let project = read_as(&text, Some(DialectId::Codesys)).project;
        let model = build(&project, &ModelOptions::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
        for run in 0..3 {
            behave_alike(&project, &model, &inputs(&project, &model, &mut Numbers(seed ^ run)), &text);
        }
    }
    #[test]
    fn plants_behave_alike_in_the_interpreter_and_in_the_cfa(seed in any::<u64>()) {
        plant_case(seed);
    }
    #[test]
    fn programs_with_classes_behave_alike_in_the_interpreter_and_in_the_cfa(seed in any::<u64>()) {
        let text = classes(seed).text;
        behaves(&text, &read(&text).project, &mut Numbers(seed));
    }
}
