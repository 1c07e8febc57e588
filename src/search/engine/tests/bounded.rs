//! Bounded model checking: blocks that double find shortest violations, and the forward condition proves systems with few states.

use super::*;
use kernel::cfa::LocKind;
use testgen::automata::examples::{Builder, saturating, wrapping};

fn bmc(example: &Example, given: &[(&str, &str)]) -> Result<Verdict, Stop> {
    run(example, "bmc", given, &solvers())
}

#[test]
fn blocks_that_double_find_a_shortest_violation() {
    for bad in [1, 2, 3, 4, 7, 8, 9, 20, 31] {
        for example in [saturating(40, bad), wrapping(40, bad)] {
            let shortest = Some(example.answer);
            for step in ["one", "double"] {
                let answer = bmc(&example, &[("step", step)]);
                assert_eq!(certified(&example, answer), shortest, "{} {bad} {step}", example.name);
            }
            // A bound is a bound, wherever it cuts a block.
            let given = [("step", "double"), ("k", &*(bad - 1).max(1).to_string()), ("forward", "off")];
            let answer = bmc(&example, &given);
            assert!(bad == 1 || matches!(answer, Ok(Verdict::Unknown(Reason::Bound))), "{} {bad}: {answer:?}", example.name);
        }
    }
}

/// Returns an example: `c` counts to 3, and the program stops where it is 3; in cycle 3 an input of 1 is a violation.
fn stops(violated: bool) -> Example {
    let mut b = Builder::new();
    let (press, c) = (b.var("press", Value::Bool(false)), b.var("c", Value::int(16, 0)));
    let l = b.then(b.cfa.head, Op::Havoc(press));
    let (low, more) = (b.less(c, 3), b.plus(c, 1));
    let end = b.when(l, low, Op::Assign(c, more));
    let (pressed, at_three) = (b.v(press), b.is(c, if violated { 3 } else { 4 }));
    let bad = b.pool.and(pressed, at_three);
    b.close(end, bad);
    Example { name: "stops", pool: b.pool, cfa: b.cfa, answer: if violated { Answer::Unsafe(3) } else { Answer::Safe } }
}

#[test]
fn a_violation_in_the_last_cycle_that_is_possible_is_found_in_every_block() {
    let example = stops(true);
    for step in ["one", "double"] {
        let answer = bmc(&example, &[("step", step)]);
        assert_eq!(certified(&example, answer), Some(Answer::Unsafe(3)), "{step}");
    }
    // If no run goes on, all states were seen.
    for step in ["one", "double"] {
        let answer = bmc(&stops(false), &[("step", step)]);
        assert_eq!(certified(&stops(false), answer), Some(Answer::Safe), "{step}");
    }
}

#[test]
fn the_forward_condition_proves_what_has_few_states_and_gives_up_where_there_are_many() {
    for step in ["one", "double"] {
        let forward = |example: &Example, mode| bmc(example, &[("step", step), ("forward", mode), ("k", "400")]);
        for top in [5, 100] {
            let example = saturating(top, top + 1);
            let answer = forward(&example, "on");
            let Ok(Verdict::Safe(proof)) = &answer else { unreachable!("{answer:?}") };
            assert!(matches!(proof.argument, Argument::Inductive(_)));
            assert_eq!(certified(&example, answer), Some(Answer::Safe), "{step} {top}");
        }
        assert!(matches!(forward(&saturating(5, 6), "off"), Ok(Verdict::Unknown(Reason::Bound))), "{step}");
        // 301 states are too many.
        assert!(matches!(forward(&saturating(300, 301), "on"), Ok(Verdict::Unknown(Reason::Bound))), "{step}");
    }
}

#[test]
fn bmc_goes_on_where_it_was_stopped() {
    let example = saturating(30, 31);
    for step in ["one", "double"] {
        let mut engine = configure(ENGINES, "bmc", &options(&[("step", step)]), &solvers()).unwrap();
        let reduced = reduce(&example.pool, &example.cfa, Encoding::Lbe);
        let mut cx = Ctx::new(reduced.pool, Interrupt::default(), &|_| {});
        let mut n_stops = 0;
        let answer = loop {
            // The deadline moves, so that the run is stopped in many places.
            cx.interrupt.deadline = Some(Instant::now() + Duration::from_micros(200 * n_stops));
            match engine.run(&mut cx, &reduced.cfa) {
                Err(Stop::Reason(Reason::Cancelled)) => n_stops += 1,
                answer @ (Ok(_) | Err(_)) => break answer,
            }
        };
        let Ok(Verdict::Safe(proof)) = answer else { unreachable!("{answer:?}") };
        let lifted = lift_proof(&reduced.lift, proof);
        assert!(0 < n_stops && check_proof(&example.pool, &example.cfa, &lifted, &within(60)).is_ok());
    }
}

/// Returns an example: three rounds of a loop add an arbitrary word, then never `i = bad`. One word of 16 bits has 65,536 values.
fn three_rounds(bad: i128) -> Example {
    let mut b = Builder::new();
    let (i, word, sum) = (b.var("i", Value::int(8, 0)), b.var("word", Value::int(16, 0)), b.var("sum", Value::int(16, 0)));
    let (zero, none) = (b.n(8, 0), b.n(16, 0));
    let head = b.loc(LocKind::LoopHead);
    let l = b.then(b.cfa.head, Op::Havoc(word));
    let l = b.then(l, Op::Assign(sum, none));
    b.edge(l, head, Op::Assign(i, zero));
    let (low, more) = (b.less(i, 3), b.plus(i, 1));
    let (sum_e, word_e, over) = (b.v(sum), b.v(word), b.pool.not(low));
    let all = b.pool.bv(kernel::expr::BvBin::Add, sum_e, word_e);
    let body = b.then(head, Op::Assume(low));
    let body = b.then(body, Op::Assign(sum, all));
    b.edge(body, head, Op::Assign(i, more));
    let end = b.then(head, Op::Assume(over));
    // The sum is a multiple of the word.
    let (is_bad, is_odd) = (b.is(word, 0), b.is(sum, 0));
    let not_zero = b.pool.not(is_odd);
    let wrong_sum = b.pool.and(is_bad, not_zero);
    let wrong_rounds = b.is(i, bad);
    let wrong = b.pool.or(wrong_sum, wrong_rounds);
    b.close(end, wrong);
    Example { name: "three rounds", pool: b.pool, cfa: b.cfa, answer: if bad == 3 { Answer::Unsafe(1) } else { Answer::Safe } }
}

#[test]
fn three_rounds_over_any_word_are_proved_without_a_list_of_states() {
    for step in ["one", "double"] {
        let with = |bad: i128, forward: &str| bmc(&three_rounds(bad), &[("step", step), ("forward", forward), ("k", "16")]);
        for forward in ["simple", "on"] {
            let answer = with(4, forward);
            let Ok(Verdict::Safe(proof)) = &answer else { unreachable!("{forward} {step}: {answer:?}") };
            // Into the loop, three rounds, and back to the head: a state without a past. Blocks that double end at 7.
            let expected = if step == "one" { 5 } else { 7 };
            assert!(matches!(proof.argument, Argument::Exhaustive { k, .. } if k == expected), "{:?}", proof.argument);
            assert_eq!(certified(&three_rounds(4), answer), Some(Answer::Safe));
            assert_eq!(certified(&three_rounds(3), with(3, forward)), Some(Answer::Unsafe(1)));
        }
        // The list of states is too long, and runs of a cycle never end.
        for forward in ["states", "end", "off"] {
            assert!(matches!(with(4, forward), Ok(Verdict::Unknown(Reason::Bound))), "{forward} {step}");
        }
    }
}

/// Returns an example whose runs end after three visits of the head, each with any word.
fn ends_after(n: i128, bad: i128) -> Example {
    let mut b = Builder::new();
    let (c, word) = (b.var("c", Value::int(8, 0)), b.var("word", Value::int(16, 0)));
    let (low, more) = (b.less(c, n), b.plus(c, 1));
    let l = b.then(b.cfa.head, Op::Assume(low));
    let l = b.then(l, Op::Havoc(word));
    let end = b.then(l, Op::Assign(c, more));
    let wrong = b.is(c, bad);
    b.close(end, wrong);
    let answer = if bad <= n { Answer::Unsafe(bad as usize) } else { Answer::Safe };
    Example { name: "ends", pool: b.pool, cfa: b.cfa, answer }
}

#[test]
fn the_plain_condition_decides_runs_that_end() {
    let with = |example: &Example, engine: &str, forward: &str| {
        let off: &[(&str, &str)] = if engine == "bmc" { &[] } else { &[("auxiliary", "off")] };
        let given: Vec<(&str, &str)> = off.iter().copied().chain([("forward", forward), ("k", "12")]).collect();
        run(example, engine, &given, &solvers())
    };
    for engine in ["bmc", "k-induction"] {
        let (good, broken) = (ends_after(6, 9), ends_after(6, 6));
        let answer = with(&good, engine, "end");
        let Ok(Verdict::Safe(proof)) = &answer else { unreachable!("{engine}: {answer:?}") };
        // Six cycles are completed; the seventh never is.
        assert!(engine != "bmc" || matches!(proof.argument, Argument::Exhaustive { k: 7, paths: Paths::Any, .. }));
        assert_eq!(certified(&good, answer), Some(Answer::Safe), "{engine}");
        assert_eq!(certified(&broken, with(&broken, engine, "end")), Some(Answer::Unsafe(6)), "{engine}");
    }
    assert!(matches!(with(&ends_after(6, 9), "bmc", "off"), Ok(Verdict::Unknown(Reason::Bound))));
}
