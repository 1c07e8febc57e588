//! Tree interpolants for calls that are not recursive: summaries over values at entry, certified proofs, violations.

use std::collections::BTreeMap;

use super::super::options::{INFO, options};
use super::instances::question;
use super::run;
use crate::engine::Settings;
use answer::certify::check_proof;
use kernel::smt::Interrupt;
use kernel::verdict::{Verdict, lift_proof};

/// A function and a function block, each called twice; the block calls the function.
const CALLS: &str = "
    FUNCTION Next : INT VAR_INPUT n : INT; END_VAR IF n < 100 THEN Next := n + 1; ELSE Next := n; END_IF; END_FUNCTION
    FUNCTION_BLOCK Gauge VAR_INPUT n : INT; END_VAR VAR_OUTPUT most : INT; END_VAR
        IF Next(n) > most THEN most := Next(n); END_IF;
    END_FUNCTION_BLOCK
    PROGRAM Main VAR_INPUT a, b : INT; END_VAR VAR low, high : Gauge; one, two : INT; END_VAR
        one := Next(LIMIT(0, a, 50)); two := Next(one);
        low(n := LIMIT(0, a, 50)); high(n := LIMIT(60, b, 70));
    END_PROGRAM";

#[test]
fn calls_are_proved_by_their_summaries() {
    let rows = [
        ("two = one + 1", true),
        ("two >= 2 AND two <= 52", true),
        ("low.most <= 51", true),
        ("low.most < high.most", true),
        ("two <= 51", false),
        ("low.most <= 50", false),
        ("high.most < 71", false),
    ];
    for (always, holds) in rows {
        let (instrumented, reduced) = question(CALLS, &format!("{{ always: {always} }}"));
        let (answer, ..) = run(&[("itp", "tree"), ("domain", "PRED_CART")], &reduced.pool, &reduced.cfa);
        match answer {
            Ok(Verdict::Safe(proof)) => {
                assert!(holds, "{always}");
                let proof = lift_proof(&reduced.lift, proof);
                let checked = check_proof(&instrumented.pool, &instrumented.cfa, &proof, &Interrupt::default());
                assert!(checked.is_ok(), "{always}: {checked:?}");
            }
            Ok(Verdict::Unsafe(_)) => assert!(!holds, "{always}"),
            other => panic!("{always}: {other:?}"),
        }
    }
}

#[test]
fn options_without_a_meaning_for_trees_are_refused_by_name() {
    for (option, value) in [("cache", "off"), ("reduce", "identity"), ("blocks", "loops")] {
        let given: BTreeMap<String, String> = [("itp", "tree"), (option, value)].map(|(k, v)| (k.into(), v.into())).into();
        let refused = options(&Settings::new(&INFO, &given).unwrap());
        assert!(refused.is_err_and(|why| why.contains(&format!("`{option}`"))), "{option}");
    }
}
