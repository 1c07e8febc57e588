//! Bounded model checking: blocks that double find shortest violations, and the forward condition proves systems with few states.

use super::*;
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
