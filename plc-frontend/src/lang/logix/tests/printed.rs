//! Exports printed as Structured Text, and what the text means.

use super::*;
use crate::dialect::DialectId;
use crate::format::format;

/// Samples whose programs have a form in Structured Text.
const SAMPLES: &[&str] = &[
    "batch.L5X",
    "coils_double.L5X",
    "conveyor.L5X",
    "exchange.L5X",
    "fifo.L5X",
    "latch.L5X",
    "lights.L5X",
    "motor.L5X",
    "motor.L5K",
    "motor_unstoppable.L5X",
    "station.L5X",
    "tank.L5X",
    "traffic_sfc.L5X",
];

fn loaded(name: &str, text: &str) -> (SourceSet, crate::Loaded) {
    let mut sources = SourceSet::default();
    sources.add(name, text);
    let options = LoadOptions { dialect: Some(DialectId::Logix), ..LoadOptions::default() };
    let loaded = load(&sources, &options).value;
    (sources, loaded)
}

/// Runs a program with random inputs; returns the values of its variables after each cycle.
fn run(project: &Project, inputs: &[String]) -> Vec<BTreeMap<String, String>> {
    let mut machine = Machine::new(project, Limits::default());
    let mut state = 7_u64;
    let mut cycles = Vec::new();
    for _ in 0..40 {
        let mut values = BTreeMap::new();
        for name in inputs {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let is_bit = matches!(machine.leaf(name), Some(Value::Bool(_)));
            let value = if is_bit { Value::Bool(state >> 60 < 8) } else { Value::Int(i128::from(state >> 56)) };
            values.insert(name.clone(), value);
        }
        if machine.begin(&values, 100_000_000).is_err() || machine.run(&mut Silent).is_err() {
            break;
        }
        let leaves = project.leaves().into_iter().filter(|leaf| !leaf.name.contains("__"));
        cycles.push(leaves.map(|leaf| (leaf.name.clone(), format!("{:?}", machine.leaf(&leaf.name)))).collect());
    }
    cycles
}

#[test]
fn samples_are_printed_and_mean_the_same() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/logix");
    let mut refused = Vec::new();
    for name in SAMPLES {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        let (sources, before) = loaded(name, &text);
        let printed = match format(&sources, &LoadOptions::default(), &before) {
            Ok(printed) => printed,
            Err(why) => {
                refused.push(format!("{name}: {} at {:?}", why.what, why.span.map(|s| sources.line_col(s).line)));
                continue;
            }
        };
        let (_, after) = loaded("printed.st", &printed.text);
        let inputs = |project: &Project| {
            let given = project.leaves().into_iter().filter(|leaf| leaf.is_given(1));
            given.map(|leaf| leaf.name.clone()).collect::<Vec<_>>()
        };
        let (first, second) = (run(&before.project, &inputs(&before.project)), run(&after.project, &inputs(&before.project)));
        assert!(!first.is_empty(), "{name}");
        if first != second {
            let cycle = first.iter().zip(&second).position(|(a, b)| a != b);
            let differs =
                cycle.map(|at| first[at].iter().filter(|(name, value)| second[at].get(*name) != Some(value)).collect::<Vec<_>>());
            refused.push(format!("{name}: {} and {} cycles, {cycle:?}: {differs:?}", first.len(), second.len()));
        }
    }
    assert!(refused.is_empty(), "{refused:#?}");
}

#[test]
fn a_statement_without_a_model_is_printed_as_such() {
    let (sources, before) = loaded("test.L5X", &export("XIC(a)SRT(l[0],0,g);XIC(c)MSG(x);XIC(b)OTE(p);", ""));
    let printed = format(&sources, &LoadOptions::default(), &before).unwrap();
    assert!(printed.text.contains("__NOT_MODELLED('MSG: operand `x`"), "{}", printed.text);
    let (_, after) = loaded("printed.st", &printed.text);
    assert!(after.ledger.gaps.iter().any(|gap| gap.construct.starts_with("MSG: operand")), "{:?}", after.ledger);
    // What an instruction without a model writes has any value; that it does no more is a comment.
    assert!(printed.text.contains("l[0] := NOT_MODELLED__DINT();"), "{}", printed.text);
    assert!(printed.text.contains("(* Taken for granted: instruction SRT: it writes only"), "{}", printed.text);
    // A condition stays readable; a tag that is not read has no form.
    assert!(printed.text.contains("(* Taken for granted: inputs that change within a scan"), "{}", printed.text);
}

#[test]
fn what_is_printed_is_printed_the_same_a_second_time() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/logix");
    for name in SAMPLES {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        let (sources, before) = loaded(name, &text);
        let first = format(&sources, &LoadOptions::default(), &before).unwrap();
        assert!(first.text.contains("(* Taken for granted: "), "{}", first.text);
        let (sources, again) = loaded("printed.st", &first.text);
        let second = format(&sources, &LoadOptions { dialect: first.dialect, ..LoadOptions::default() }, &again).unwrap();
        assert_eq!(first.text, second.text, "{name}");
    }
}

#[test]
fn division_is_printed() {
    for rung in ["DIV(x,y,z);", "MOD(x,y,z);", "CPT(z,x/y+1);", "DIV(x,2,z);"] {
        let (sources, before) = loaded("test.L5X", &export(rung, ""));
        let printed = format(&sources, &LoadOptions::default(), &before).map_err(|why| (rung, why)).unwrap();
        let (_, after) = loaded("printed.st", &printed.text);
        assert_eq!(run(&before.project, &[]), run(&after.project, &[]), "{}", printed.text);
    }
    let text = export("JSR(Other,0);", &structured("Other", &["z := x / y; IF a THEN z := z MOD y; END_IF;"]));
    let (sources, before) = loaded("test.L5X", &text);
    format(&sources, &LoadOptions::default(), &before).unwrap();
}

#[test]
fn tags_with_names_that_are_keywords_are_printed() {
    for name in ["AT", "Program", "Function", "Struct", "Constant", "Retain", "Type", "Var"] {
        let tags = number(name, 4);
        let text = export(&format!("ADD({name},1,x);"), &structured("Other", &[&format!("{name} := {name} + 1;")]));
        let text = text.replace("<Tags>", &format!("<Tags>{tags}"));
        let (sources, before) = loaded("test.L5X", &text);
        let printed = format(&sources, &LoadOptions::default(), &before).map_err(|why| (name, why)).unwrap();
        let (_, after) = loaded("printed.st", &printed.text);
        assert_eq!(run(&before.project, &[]), run(&after.project, &[]), "{}", printed.text);
    }
}
