//! Pointers to bytes: a third reading of random programs, the interpreter and the model agree.

use std::collections::BTreeMap;

use kernel::agree::{Answer, Options, compare};
use plc_frontend::dialect::DialectId;
use plc_frontend::hir::{FaultKind, Value};
use plc_frontend::interp::{Fault, FaultEnd, Limits, Machine, Silent};
use plc_frontend::ledger::Treatment;
use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, load};
use proptest::prelude::*;
use testgen::programs::{Memory, Stop, bytes};

use super::config;

proptest! {
    #![proptest_config(config())]

    #[test]
    fn pointers_to_bytes_agree_with_a_reading_of_bytes(seed in any::<u64>()) {
        let program = bytes(seed);
        let text = &program.text;
        let mut sources = SourceSet::default();
        sources.add("main.st", text.clone());
        let parsed = load(&sources, &LoadOptions { dialect: Some(DialectId::Codesys), ..LoadOptions::default() });
        prop_assert!(!parsed.has_errors(), "{:#?}\n{text}", parsed.diagnostics);
        let project = &parsed.value.project;
        let gaps = &parsed.value.ledger.gaps;
        prop_assert!(gaps.iter().all(|gap| gap.treatment != Treatment::Unsupported), "{gaps:#?}\n{text}");

        let mut machine = Machine::new(project, Limits::default());
        let mut memory = Memory::default();
        for cycle in 0..6 {
            let v = [0, 1, -1, 5, -7, 100][(seed.wrapping_add(cycle) % 6) as usize];
            let inputs = BTreeMap::from([("Main.v".to_owned(), Value::Int(i128::from(v)))]);
            machine.begin(&inputs, 1_000_000).unwrap();
            let found = machine.run(&mut Silent).map_err(|Fault { kind, .. }| match kind {
                FaultEnd::Check(FaultKind::NullReference) => Stop::Null,
                FaultEnd::Check(FaultKind::IndexOutOfBounds) => Stop::Outside,
                FaultEnd::Unsupported(_) => Stop::Order,
                other @ (FaultEnd::Check(_) | FaultEnd::Exhausted | FaultEnd::Excluded) => panic!("{other:?}\n{text}"),
            });
            let expected = program.cycle(&mut memory, v);
            prop_assert_eq!(found, expected, "cycle {}\n{}", cycle, text);
            if expected.is_err() {
                break;
            }
            let leaves: BTreeMap<String, Value> = machine.leaves().into_iter().collect();
            let number = |name: String| leaves.get(&name).and_then(|value| value.as_int()).map(|n| n as i64);
            prop_assert_eq!(number("Main.x".to_owned()), Some(memory.x), "cycle {}\n{}", cycle, text);
            for (name, low, row) in [("s", 1, 0), ("t", 1, 1), ("b", -1, 2)] {
                for (at, byte) in memory.bytes[row].iter().enumerate().filter(|_| program.persists()) {
                    let found = number(format!("Main.{name}[{}]", at as i64 + low));
                    prop_assert_eq!(found, Some(i64::from(*byte)), "{}[{}] in cycle {}\n{}", name, at, cycle, text);
                }
            }
        }

        let options = Options { cycles: 40, seed, time: std::time::Duration::from_secs(60) };
        let answer = compare(project, &options);
        let agrees = matches!(answer, Answer::Equal(_) | Answer::EqualWithGaps(_) | Answer::StopsAtGap(..));
        prop_assert!(agrees, "{answer:?}\n{text}");
    }
}
