//! Requirements that are conjunctions, claim by claim.

use super::*;
use kernel::cfa::{ModelOptions, build};
use kernel::property::instrument::instrument;
use testgen::stated::Stated;

/// Returns `n` on-delays of ten seconds with counts of the cycles in which each input was on. "Q only after IN was held".
fn held(n: usize, claim: impl Fn(usize) -> String) -> Example {
    let each = |line: &dyn Fn(usize) -> String| (1..=n).map(line).collect::<Vec<_>>().join("\n");
    let inputs = each(&|i| format!("In{i} : BOOL;"));
    let timers = each(&|i| format!("Delay{i} : TON; Held{i} : INT;"));
    let body = each(&|i| {
        format!(
            "Delay{i}(IN := In{i}, PT := T#10s);
             IF NOT In{i} THEN Held{i} := 0; ELSIF Held{i} < 200 THEN Held{i} := Held{i} + 1; END_IF;"
        )
    });
    let program = format!("PROGRAM Delays VAR_INPUT {inputs} END_VAR VAR {timers} END_VAR {body} END_PROGRAM");
    let all = (1..=n).map(claim).collect::<Vec<_>>().join(" AND ");
    let stated = Stated::new(&program, &format!("cycle: 100ms\nrequirements: [{{id: held, always: '{all}'}}]"));
    let model = build(&stated.loaded.project, &ModelOptions::default()).unwrap();
    let question = instrument(&stated.loaded.project, &model, &stated.claims[0], &stated.assumptions).unwrap();
    Example { name: "held", pool: question.pool, cfa: question.cfa, answer: Answer::Safe }
}

#[test]
fn ten_timers_are_ten_equal_claims() {
    let example = held(10, |i| format!("(NOT Delay{i}.Q OR Held{i} > 100)"));
    for given in [&[][..], &[("claims", "only")]] {
        let verdict = run_within(&example, "k-induction", given, &solvers(), Duration::from_secs(30));
        let Ok(Verdict::Safe(proof)) = verdict else { panic!("{given:?}: {verdict:?}") };
        check_proof(&example.pool, &example.cfa, &proof, &within(60)).unwrap();
    }
}

#[test]
fn one_wrong_claim_is_not_proved_with_the_others() {
    // Time 0 is the cycle in which the input rises, so the output comes when 101 cycles are counted.
    let claim = |i: usize| format!("(NOT Delay{i}.Q OR Held{i} > {})", if i == 3 { 101 } else { 100 });
    let verdict = run(&held(5, claim), "k-induction", &[("claims", "only")], &solvers());
    assert!(matches!(verdict, Ok(Verdict::Unknown(_))), "{verdict:?}");
}
