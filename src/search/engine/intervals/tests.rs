//! Laws of ranges, and programs that bounds and orders decide.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::super::Engine;
use super::assume::assume;
use super::evaluate::evaluate;
use super::*;
use answer::certify::{Rejected, check_proof};
use kernel::cfa::pass::reduce;
use kernel::cfa::{ModelOptions, build};
use kernel::expr::Sort;
use kernel::expr::random::{Flavour, Random};
use kernel::property::check::{CheckKind, Event};
use kernel::property::instrument::instrument;
use kernel::property::requirements::requirements;
use kernel::property::spec::Specification;
use kernel::smt::Interrupt;
use kernel::verdict::lift_proof;
use plc_frontend::hir::FaultKind;
use testgen::automata::examples::{Answer, all};
use testgen::automata::random::automaton;
use testgen::stated::Stated;

fn is_in(value: Value, range: Range) -> bool {
    match (value, range, Range::of(value)) {
        (Value::Bool(b), Range::Truth(truth), _) => b == truth,
        (_, Range::Words(words), Some(Range::Words(own))) => words.meet(own) == Some(own),
        (_, _, _) => false,
    }
}

/// Returns a state that contains the assignment, with ranges that the numbers widen, and orders that it has.
fn around(pool: &ExprPool, table: &mut Table, env: &BTreeMap<VarId, Value>, numbers: &[u8]) -> State {
    let mut state = table.any();
    let mut next = numbers.iter().copied().chain(std::iter::repeat(0));
    for (var, value) in env {
        let range = Range::of(*value).and_then(|range| match range {
            Range::Truth(_) => (next.next()? % 2 == 0).then_some(range),
            Range::Words(words) => {
                let other = i128::from(next.next()?) * if next.next()? % 2 == 0 { 1 } else { -1 };
                let other = Range::of(Value::int(words.width, words.unsigned.0 + other))?;
                range.join(other)
            }
        });
        table.set(&mut state, *var, range);
    }
    for (a, value) in env {
        for (b, other) in env {
            let (Some(Range::Words(low)), Some(Range::Words(high))) = (Range::of(*value), Range::of(*other)) else { continue };
            if pool.var_decl(*a).sort == pool.var_decl(*b).sort
                && low.signed.0 <= high.signed.0
                && a != b
                && next.next() == Some(1)
            {
                state.orders.add(Reading::Signed, *a, *b);
            }
        }
    }
    state
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn ranges_contain_the_values_of_expressions(
        tape in prop::collection::vec(any::<u32>(), 0..120),
        values in prop::collection::vec(any::<u32>(), 0..60),
        numbers in prop::collection::vec(0_u8..40, 0..40),
        narrow in any::<bool>(),
    ) {
        let mut pool = ExprPool::new();
        let new = |pool| if narrow { Random::new(pool, &tape, Flavour::Floats).narrow() } else { Random::new(pool, &tape, Flavour::Floats) };
        let mut random = new(&mut pool);
        let sort = random.sort();
        let e = random.expr(sort, 5);
        let env = Random::new(&mut pool, &values, Flavour::Floats).assignment();
        let vars: Vec<VarId> = env.keys().copied().collect();
        let mut table = Table::new(&vars);
        let state = around(&pool, &mut table, &env, &numbers);
        for (var, range) in table.known(&state) {
            prop_assert!(is_in(env[&var], range));
        }
        let Some(value) = pool.eval(e, &|var| env.get(&var).copied()) else { return Ok(()) };
        let range = evaluate(&pool, &mut table, &state, e);
        prop_assert!(range.is_none_or(|range| is_in(value, range)), "{} is {value:?}, not in {range:?}", pool.show(e));
        if let (Sort::Bool, Value::Bool(truth)) = (sort, value) {
            let Some(after) = assume(&pool, &mut table, &state, e, truth) else {
                return Err(TestCaseError::fail(format!("{} cannot be {truth}", pool.show(e))));
            };
            for (var, range) in table.known(&after) {
                prop_assert!(is_in(env[&var], range), "{} is {truth}: {var:?} in {range:?}", pool.show(e));
            }
            for (reading, low, high) in after.orders.iter() {
                let number = |var: VarId| Range::of(env[&var]).and_then(Range::words).map(|words| words.of(reading).0);
                prop_assert!(number(low) <= number(high), "{} is {truth}: {low:?} above {high:?}", pool.show(e));
            }
        }
    }

    #[test]
    fn proofs_about_random_automata_are_certified(bytes in prop::collection::vec(any::<u8>(), 0..160)) {
        let (pool, cfa) = automaton(&bytes);
        let proved = certified(&pool, &cfa);
        prop_assert!(proved.is_ok(), "{proved:?}");
    }
}

/// Runs the engine; returns whether it has a proof, and an error if that is not certified.
fn certified(pool: &ExprPool, cfa: &Cfa) -> Result<bool, String> {
    let reduced = reduce(pool, cfa, Encoding::Plain);
    let mut cx = Ctx::new(reduced.pool, Interrupt::default(), &|_| {});
    let Ok(Verdict::Safe(proof)) = Resumable::new(Intervals).run(&mut cx, &reduced.cfa) else { return Ok(false) };
    let proof = lift_proof(&reduced.lift, proof);
    match check_proof(pool, cfa, &proof, &Interrupt::default()) {
        Ok(_) => Ok(true),
        // Random automata have loops without a head, of which the part that leads to no error is not in the reduced one.
        Err(Rejected::Malformed(_)) => Ok(false),
        Err(why) => Err(format!("{why:?}")),
    }
}

#[test]
fn examples_have_their_answers() {
    let mut proved = Vec::new();
    for example in all() {
        if certified(&example.pool, &example.cfa).unwrap_or_else(|why| panic!("{}: {why}", example.name)) {
            assert_eq!(example.answer, Answer::Safe, "{}", example.name);
            proved.push(example.name);
        }
    }
    assert!(proved.contains(&"saturating"), "{proved:?}");
}

#[track_caller]
fn check(program: &str, requirement: &str, is_proved: bool) {
    let stated = Stated::new(program, &format!("requirements: [{{id: r, always: '{requirement}'}}]"));
    let model = build(&stated.loaded.project, &ModelOptions::default()).unwrap();
    let question = instrument(&stated.loaded.project, &model, &stated.claims[0], &stated.assumptions).unwrap();
    assert_eq!(certified(&question.pool, &question.cfa), Ok(is_proved), "{requirement}\n{program}");
}

#[test]
fn goes_on_where_it_was_stopped() {
    let stated = Stated::new(
        "PROGRAM Main VAR_INPUT v : ARRAY [1..60] OF INT; END_VAR VAR total : DINT; i : INT; END_VAR
         total := 0; FOR i := 1 TO 60 DO total := total + INT_TO_DINT(LIMIT(0, v[i], 100)); END_FOR; END_PROGRAM",
        "requirements: [{always: 'total >= 0 AND total <= 6000'}]",
    );
    let model = build(&stated.loaded.project, &ModelOptions::default()).unwrap();
    let question = instrument(&stated.loaded.project, &model, &stated.claims[0], &stated.assumptions).unwrap();
    let reduced = reduce(&question.pool, &question.cfa, Encoding::Plain);
    let mut cx = Ctx::new(reduced.pool, Interrupt::default(), &|_| {});
    let (mut engine, mut n_stops) = (Resumable::new(Intervals), 0);
    loop {
        // A run that began anew would never end.
        cx.interrupt.deadline = Some(Instant::now() + Duration::from_micros(100));
        match engine.run(&mut cx, &reduced.cfa) {
            Ok(Verdict::Safe(_)) => break,
            Err(Stop::Reason(Reason::Cancelled)) => n_stops += 1,
            other @ (Ok(_) | Err(_)) => unreachable!("{other:?}"),
        }
        assert!(n_stops < 100_000);
    }
    assert!(1 < n_stops);
}

#[test]
fn bounds_of_sums_of_many_values() {
    let sum = |n: usize| {
        format!(
            "PROGRAM Main VAR_INPUT v : ARRAY [1..{n}] OF INT; END_VAR VAR total : DINT; i : INT; END_VAR
             total := 0; FOR i := 1 TO {n} DO total := total + INT_TO_DINT(LIMIT(0, v[i], 100)); END_FOR; END_PROGRAM"
        )
    };
    check(&sum(60), "total >= 0 AND total <= 6000", true);
    check(&sum(60), "total < 6000", false);
}

#[test]
fn orders_of_maxima_and_swaps() {
    let all = |n: usize, one: &str| (1..=n).map(|i| format!("{one}[{i}]")).collect::<Vec<_>>().join(" AND ");
    let greatest = "PROGRAM Main VAR_INPUT v : ARRAY [1..30] OF INT; END_VAR VAR most : INT; i : INT; END_VAR
         most := v[1]; FOR i := 1 TO 30 DO IF v[i] > most THEN most := v[i]; END_IF; END_FOR; END_PROGRAM";
    check(greatest, &all(30, "most >= v"), true);
    check(&greatest.replace("1 TO 30", "1 TO 29"), "most >= v[29]", true);
    check(&greatest.replace("1 TO 30", "1 TO 29"), "most >= v[30]", false);
    let with_max = "PROGRAM Main VAR_INPUT a, b : INT; END_VAR VAR most : INT; END_VAR most := MAX(a, b); END_PROGRAM";
    check(with_max, "most >= a AND most >= b", true);
    let pass = "PROGRAM Main VAR_INPUT v : ARRAY [1..10] OF INT; END_VAR VAR s : ARRAY [1..10] OF INT; i, x : INT; END_VAR
         s := v; FOR i := 1 TO 9 DO IF s[i] > s[i + 1] THEN x := s[i]; s[i] := s[i + 1]; s[i + 1] := x; END_IF; END_FOR; END_PROGRAM";
    check(pass, &all(9, "s[10] >= s"), true);
    check(pass, "s[9] >= s[1]", false);
}

#[test]
fn counters_and_loops() {
    let count = "PROGRAM Main VAR_INPUT go, back : BOOL; END_VAR VAR n : INT; END_VAR
         IF go AND n < 30000 THEN n := n + 1; ELSIF back AND n > -5 THEN n := n - 1; END_IF; END_PROGRAM";
    check(count, "n >= -5 AND n <= 30000", true);
    check(count, "n < 30000", false);
    let inner = "PROGRAM Main VAR_INPUT k : INT; END_VAR VAR n : INT; END_VAR
         n := 0; WHILE n < k AND n < 50 DO n := n + 2; END_WHILE; END_PROGRAM";
    check(inner, "n >= 0 AND n <= 51", true);
    check(inner, "n < 50", false);
}

#[test]
fn rounds_of_loops_with_a_variable_bound() {
    let table = "PROGRAM Main VAR_INPUT day, month : INT; END_VAR VAR CONSTANT days : ARRAY [1..12] OF INT :=
         [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]; END_VAR VAR i, last, n : INT; END_VAR
         last := LIMIT(1, month, 12); n := LIMIT(1, day, days[last]); FOR i := 1 TO last - 1 DO n := n + days[i]; END_FOR; END_PROGRAM";
    check(table, "n >= 1 AND n <= 365", true);
    check(table, "n <= 364", false);
    let both = "PROGRAM Main VAR n, i, j : INT; END_VAR n := 0; i := 0;
         WHILE i < 5 DO j := 0; WHILE j < 4 DO n := n + 1; j := j + 1; END_WHILE; i := i + 1; END_WHILE; END_PROGRAM";
    check(both, "i = 5 AND j >= 0", true);
}

#[test]
fn bounds_of_state_machines() {
    let machine = |n: usize| {
        let steps: String = (0..n).map(|i| format!("{i}: IF go THEN Next := {}; END_IF; ", i + 1)).collect();
        format!(
            "PROGRAM Main VAR_INPUT go, reset : BOOL; END_VAR VAR Step, Next : INT; END_VAR
             CASE Step OF {steps} END_CASE; IF reset THEN Next := 0; END_IF; Step := Next; END_PROGRAM"
        )
    };
    check(&machine(40), "Step >= 0 AND Step <= 40", true);
    check(&machine(40), "Step < 40", false);
}

#[test]
fn bounds_for_each_value_of_a_flag() {
    let steps: String = (0..40).map(|i| format!("{i}: IF go THEN Step := {}; END_IF; ", i + 1)).collect();
    let machine = |latch: &str| {
        format!(
            "PROGRAM Main VAR_INPUT go, reset : BOOL; END_VAR VAR Step : INT; Middle, Other : BOOL; END_VAR
             CASE Step OF {steps} END_CASE; IF reset THEN Step := 0; END_IF; {latch} END_PROGRAM"
        )
    };
    let latch = machine("IF Step = 0 THEN Middle := FALSE; ELSIF Step = 20 THEN Middle := TRUE; END_IF;");
    check(&latch, "NOT (Step = 40) OR Middle", true);
    check(&latch, "NOT (Step = 19) OR Middle", false);
    let compared = machine("Middle := Step > 20;");
    check(&compared, "NOT (Middle AND Step <= 20)", true);
    check(&compared, "NOT (Middle AND Step <= 21)", false);
    check(&compared, "(NOT Middle OR Step > 20) AND NOT Other", true);
    // Any value at the start, and none that the program writes.
    check(&machine("Middle := Middle OR go;"), "NOT (Middle AND Step > 40)", true);
}

/// A counter in steps of 2: of odd numbers of the counter the proof knew nothing.
#[test]
fn rounds_of_loops_in_steps() {
    let program = "PROGRAM Main VAR n, i, x, y : INT; END_VAR
         IF n < 30 THEN n := n + 1; END_IF; FOR i := 0 TO n BY 2 DO x := i; END_FOR; y := n; WHILE y > 3 DO y := y - 3; END_WHILE; END_PROGRAM";
    let Stated { mut loaded, assumptions, .. } = Stated::new(program, "{}");
    // The check of the loop needs the rounds apart.
    let watched = [CheckKind::Event(Event::Fault(FaultKind::LoopWrap))];
    let stated = requirements(&Specification::default(), &[], &mut loaded, &watched);
    let [check] = stated.requirements.as_slice() else { panic!("{stated:?}") };
    let model = build(&loaded.project, &ModelOptions::default()).unwrap();
    let question = instrument(&loaded.project, &model, &check.claim, &assumptions).unwrap();
    assert_eq!(certified(&question.pool, &question.cfa), Ok(true));
}

#[test]
fn nested_choices_and_long_sums_take_no_time() {
    let (names, n) = (|separator: &str| (0..40).map(|i| format!("v{i}")).collect::<Vec<_>>().join(separator), 40);
    let program = |body: &str| {
        format!("PROGRAM Main VAR_INPUT {} : INT; END_VAR VAR m : INT; b : BOOL; END_VAR {body} END_PROGRAM", names(", "))
    };
    check(&program(&format!("m := LIMIT(0, MAX({}), 100);", names(", "))), "m >= 0 AND m <= 100", true);
    let sum = format!("IF {} > 10 AND {} < 20 THEN m := 1; ELSE m := 2; END_IF;", names(" + "), names(" + "));
    check(&program(&sum), "m >= 0 AND m <= 2", true);
    let ways: String = (0..n).map(|i| format!("b := SEL(v{i} > 0, b AND v{i} < 9, b OR v{i} < -9); ")).collect();
    check(&program(&format!("b := v0 > 1; {ways} m := SEL(b, 0, 1);")), "m >= 0 AND m <= 1", true);
}
