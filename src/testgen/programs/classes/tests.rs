//! The law of classes: resolver and interpreter give a text the meaning of its plan.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{Classes, classes};
use crate::programs::rng::Rng;
use plc_frontend::hir::{FaultKind, Value};
use plc_frontend::interp::{FaultEnd, Limits, Machine, Silent};
use plc_frontend::ledger::{Gap, Treatment};
use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, Loaded, load};

fn loaded(text: &str) -> Loaded {
    let mut sources = SourceSet::default();
    sources.add("classes.st", text);
    let parsed = load(&sources, &LoadOptions::default());
    assert!(!parsed.has_errors(), "{:#?}\n{text}", parsed.diagnostics);
    // Controller-dependent behaviour is named, and read in one way.
    let is_gap = |gap: &&Gap| gap.treatment != Treatment::Assumed;
    let gaps: Vec<&Gap> = parsed.value.ledger.gaps.iter().filter(is_gap).collect();
    assert!(gaps.is_empty(), "{gaps:#?}\n{text}");
    parsed.value
}

/// Returns the number of cycles until a reference has no target, at most 20.
fn agree(one: &Classes, loaded: &Loaded, seed: u64) -> usize {
    let (mut run, mut rng) = (one.run(), Rng::new(seed));
    let mut machine = Machine::new(&loaded.project, Limits::default());
    let inputs = one.inputs();
    for cycle in 0..20 {
        let given: Vec<i64> =
            inputs.iter().map(|(_, is_bool)| if *is_bool { rng.below(2) as i64 } else { rng.below(9) as i64 - 3 }).collect();
        let named = |((name, is_bool), value): (&(String, bool), &i64)| {
            (name.clone(), if *is_bool { Value::Bool(*value == 1) } else { Value::Int(i128::from(*value)) })
        };
        let named: BTreeMap<String, Value> = inputs.iter().zip(&given).map(named).collect();
        machine.begin(&named, 100_000_000).unwrap();
        let (ended, expected) = (machine.run(&mut Silent), run.cycle(&given));
        match (ended, expected) {
            (Ok(()), Ok(())) => {}
            (Err(fault), Err(_)) if fault.kind == FaultEnd::Check(FaultKind::NullReference) => return cycle,
            other => panic!("cycle {cycle}: {other:?}\n{}", one.text),
        }
        for (name, expected) in run.leaves() {
            let found = match machine.leaf(&name) {
                Some(Value::Bool(b)) => i64::from(b),
                Some(Value::Int(i)) if expected <= 1 && is_reference(loaded, &name) => i64::from(i != 0),
                Some(Value::Int(i)) => i as i64,
                other => panic!("{name} is {other:?}\n{}", one.text),
            };
            assert_eq!(found, expected, "cycle {cycle}: {name}\n{}", one.text);
        }
    }
    20
}

fn is_reference(loaded: &Loaded, name: &str) -> bool {
    let leaves = loaded.project.leaves();
    leaves.iter().any(|leaf| leaf.name == name && loaded.project.references.contains_key(&leaf.ty))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.div_ceil(4), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn programs_with_classes_do_what_their_plans_say(seed: u64) {
        let one = classes(seed);
        agree(&one, &loaded(&one.text), seed);
    }

    /// The text of `fmt` and the text of the resolved program behave like the original.
    #[test]
    fn programs_with_classes_are_written_again(seed: u64) {
        let one = classes(seed);
        let mut sources = SourceSet::default();
        sources.add("classes.st", one.text.as_str());
        let options = LoadOptions::default();
        let first = load(&sources, &options).value;
        let formatted = plc_frontend::format::format(&sources, &options, &first).unwrap_or_else(|e| panic!("{e:?}\n{}", one.text));
        let second = loaded(&formatted.text);
        prop_assert_eq!(first.project.erase_spans(), second.project.clone().erase_spans(), "{}\n{}", one.text, formatted.text);
        agree(&one, &second, seed);
    }
}

/// Seeds of programs that were once read wrongly.
#[test]
fn programs_with_classes_that_were_read_wrongly_do_what_their_plans_say() {
    // A FOR whose last value depends on its control variable.
    let seed = 6_941_088_658_820_499_364;
    let one = classes(seed);
    agree(&one, &loaded(&one.text), seed);
}

#[test]
fn programs_with_classes_are_the_same_each_time_and_mostly_run_to_the_end() {
    assert_eq!(classes(7).text, classes(7).text);
    let whole = (0..100).filter(|seed| agree(&classes(*seed), &loaded(&classes(*seed).text), *seed) == 20).count();
    assert!((60..100).contains(&whole), "{whole} of 100");
}
