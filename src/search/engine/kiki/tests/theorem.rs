//! Theorem 2.1: each restriction of kIkI is the algorithm that it stands for, and kIkI gives every answer of each of them.
//!
//! Source: Brain, Joshi, Kroening, Schrammel, SAS 2015, doi:10.1007/978-3-662-48288-9_9 (§2.3).

use super::*;
use crate::engine::houdini::conjunction;
use crate::engine::kiki::row::{Bound, Row};
use crate::engine::simulate::State;
use kernel::cfa::LocKind;
use kernel::rng::Rng;
use testgen::automata::examples::saturating;
use testgen::automata::random::automaton;

/// Returns random automata; their answers are not known. Every loop has a head.
fn random(n: usize) -> impl Iterator<Item = Example> {
    let mut rng = Rng(0x1b03);
    (0..n).map(move |_| {
        let bytes: Vec<u8> = (0..160).map(|_| rng.below(256) as u8).collect();
        let (pool, mut cfa) = automaton(&bytes);
        let back = cfa.edges.iter().filter(|e| e.target <= e.source && e.target != cfa.head && e.target != cfa.error);
        for loc in back.map(|e| e.target).collect::<Vec<_>>() {
            cfa.locs[loc].kind = LocKind::LoopHead;
        }
        Example { name: "random", pool, cfa, answer: Known::Safe }
    })
}

#[test]
fn claim_1_every_answer_has_evidence() {
    for example in examples() {
        for mode in ["ibmc", "kinduction", "ai", "kiki"] {
            // `say` certifies proofs; a length is that of the shortest violation.
            match (say(&example, &[("mode", mode), K]), example.answer) {
                (Said::Safe(_), Known::Safe) | (Said::Unknown, _) => {}
                (Said::Unsafe(found), Known::Unsafe(shortest)) => assert_eq!(found, shortest, "{} {mode}", example.name),
                (said @ (Said::Safe(_) | Said::Unsafe(_)), _) => unreachable!("{} {mode}: {said:?}", example.name),
            }
        }
    }
}

#[test]
fn mode_ibmc_is_incremental_bounded_model_checking() {
    let bmc = |example: &Example| tell(example, "bmc", &[("forward", "off"), ("k", "7")]);
    let ibmc = |example: &Example| say(example, &[("mode", "ibmc"), ("k", "6")]);
    let mut n_unsafe = 0;
    for example in examples().into_iter().chain(random(40)) {
        let said = ibmc(&example);
        assert_eq!(said, bmc(&example), "{}", example.name);
        assert!(!matches!(said, Said::Safe(_)), "{}", example.name);
        n_unsafe += usize::from(matches!(said, Said::Unsafe(_)));
    }
    assert!(5 < n_unsafe, "{n_unsafe}");
    // Abstract interpretation finds no violation after the first cycle.
    let late = saturating(9, 6);
    assert_eq!((ibmc(&late), say(&late, &[("mode", "ai")])), (Said::Unsafe(6), Said::Unknown));
}

#[test]
fn mode_kinduction_is_k_induction() {
    let alone = [("auxiliary", "off"), ("forward", "off"), ("k", "6")];
    let induction = |example: &Example| tell(example, "k-induction", &alone);
    let restricted = |example: &Example| say(example, &[("mode", "kinduction"), ("k", "6")]);
    let mut ks = std::collections::BTreeSet::new();
    for example in examples().into_iter().chain(random(60)) {
        let said = restricted(&example);
        assert_eq!(said, induction(&example), "{}", example.name);
        if let Said::Safe(k) = said {
            ks.insert(k);
        }
    }
    assert!(3 <= ks.len(), "{ks:?}");
    // Proved by induction over several cycles; a template of intervals does not suffice, and bounded model checking proves nothing.
    let relay = relay();
    let intervals = ("domain", "intervals");
    let neighbours = ["ibmc", "ai"].map(|mode| say(&relay, &[("mode", mode), intervals, ("guards", "places"), K]));
    assert!(matches!(restricted(&relay), Said::Safe(2..)), "{:?}", restricted(&relay));
    assert_eq!(neighbours, [Said::Unknown; 2]);
}

/// Returns the bounds of classical abstract interpretation: models of the step are joined one by one until there is none (§3.4,
/// model enumeration), from the bottom.
fn kleene(cx: &mut Ctx<'_>, system: &System, rows: &[Row]) -> Vec<Bound> {
    let mut at: Vec<Bound> = vec![None; rows.len()];
    let solvers = solvers();
    let mut frames = Frames::new(cx, system, &solvers, Vec::new()).unwrap();
    let join = |cx: &Ctx<'_>, at: &mut Vec<Bound>, state: &State| {
        let env = |var| system.vars.binary_search(&var).ok().map(|i| state[i]);
        for (row, at) in rows.iter().zip(at) {
            if row.guard.is_none_or(|guard| cx.pool.eval(guard, &env) == Some(Value::Bool(true))) {
                *at = (*at).max(Some(row.height(|e| cx.pool.eval(e, &env))));
            }
        }
    };
    for frame in [0, 1] {
        if frame == 1 {
            frames.step(&mut cx.pool, system).unwrap();
        }
        loop {
            let says: Vec<ExprId> = rows.iter().zip(&at).map(|(row, at)| row.says(&mut cx.pool, *at)).collect();
            let template = conjunction(&mut cx.pool, &says);
            let context = if frame == 0 { frames.start() } else { (template, 0) };
            let broken = cx.pool.not(template);
            match frames.check(cx, &[context, (broken, frame)]).unwrap() {
                Answer::No => break,
                Answer::Yes => {
                    let state = frames.state(&mut cx.pool, system, frame).unwrap();
                    join(cx, &mut at, &state);
                }
            }
        }
    }
    at
}

/// Runs classical abstract interpretation over intervals: is a violation possible after one more cycle within its invariant?
fn interpret(example: &Example) -> bool {
    let reduced = reduce(&example.pool, &example.cfa, Encoding::Lbe);
    let mut cx = Ctx::new(reduced.pool, Interrupt::default(), &|_| {});
    let system = monolithic(&mut cx.pool, &reduced.cfa);
    let domain = (Domain::Intervals, Guards::Places);
    let rows = template::template(&mut cx.pool, &system, &[], domain, &Matrix::default()).unwrap();
    let at = kleene(&mut cx, &system, &rows);
    let facts: Vec<ExprId> = rows.iter().zip(at).map(|(row, at)| row.says(&mut cx.pool, at)).collect();
    let mut frames = Frames::new(&mut cx, &system, &solvers(), Vec::new()).unwrap();
    for fact in facts {
        frames.learn(&cx.pool, fact).unwrap();
    }
    // No violation in the first cycles either.
    let start = frames.start();
    let first = frames.check(&cx, &[start, (system.bad, 0)]).unwrap();
    frames.step(&mut cx.pool, &system).unwrap();
    let later = frames.check(&cx, &[(system.bad, 1)]).unwrap();
    (first, later) == (Answer::No, Answer::No)
}

#[test]
fn mode_ai_is_abstract_interpretation() {
    let ai = |example: &Example| {
        let said = say(example, &[("mode", "ai"), ("domain", "intervals"), ("guards", "places")]);
        assert!(!matches!(said, Said::Safe(2..)), "{} {said:?}", example.name);
        matches!(said, Said::Safe(_))
    };
    let mut n_proved = 0;
    for example in [wrapping(4, 7), saturating(9, 12), relay(), modes()].into_iter().chain(random(60)) {
        let proved = ai(&example);
        assert_eq!(proved, interpret(&example), "{}", example.name);
        n_proved += usize::from(proved);
    }
    assert!(5 < n_proved, "{n_proved}");
    // A counter that returns to 0 at 20: after k good cycles from anywhere it can still be beyond.
    let example = wrapping(20, 200);
    let neighbours = ["ibmc", "kinduction"].map(|mode| say(&example, &[("mode", mode), K]));
    assert!(ai(&example));
    assert_eq!(neighbours, [Said::Unknown; 2]);
}

#[test]
fn claims_2_to_4_kiki_gives_every_answer_of_its_restrictions() {
    for example in examples().into_iter().chain(random(20)) {
        let with = |mode, domain| say(&example, &[("mode", mode), ("domain", domain), ("k", "8")]);
        // The template does not matter to these two.
        let (ibmc, induction) = (with("ibmc", "all"), with("kinduction", "all"));
        for domain in ["intervals", "all"] {
            let (kiki, ai) = (with("kiki", domain), with("ai", domain));
            // 2. Counterexamples have the same length.
            for said in [ibmc, induction] {
                if let Said::Unsafe(length) = said {
                    assert_eq!(kiki, Said::Unsafe(length), "{} {domain}", example.name);
                }
            }
            // 3. A proof by k-induction is one of kIkI, with no larger k.
            if let Said::Safe(k) = induction {
                assert!(matches!(kiki, Said::Safe(own) if own <= k), "{} {domain}: {kiki:?}, k = {k}", example.name);
            }
            // 4. A proof by abstract interpretation is one with k = 1.
            if let Said::Safe(k) = ai {
                assert!(k <= 1, "{} {domain}: {k}", example.name);
                assert_eq!(kiki, ai, "{} {domain}", example.name);
            }
        }
    }
}
