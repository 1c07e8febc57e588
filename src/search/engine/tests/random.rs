//! Engines over the step relation on random automata with loops inside of the cycle and starts of their own: no answer contradicts
//! explicit search, and most proofs are certified.

use super::*;
use kernel::cfa::{Cfa, LocKind};
use kernel::expr::{BvBin, ExprPool};
use kernel::rng::Rng;
use testgen::automata::execute::{reachable, replays};
use testgen::automata::random::automaton;

const ASKED: &[Configuration] = &[
    ("bmc", &[("k", "30"), ("forward", "simple")]),
    ("bmc", &[("k", "30"), ("step", "double"), ("forward", "on")]),
    ("k-induction", &[("k", "12")]),
    ("k-induction", &[("claims", "only")]),
    ("k-induction", &[("k", "12"), ("auxiliary", "off"), ("paths", "simple")]),
    ("kiki", &[("k", "8")]),
    ("kiki", &[("k", "8"), ("mode", "kinduction")]),
];

/// Returns an automaton each of whose loops has a head, often with an operation before the first cycle.
fn with_loops(rng: &mut Rng) -> (ExprPool, Cfa) {
    let bytes: Vec<u8> = (0..160).map(|_| rng.below(256) as u8).collect();
    let (mut pool, mut cfa) = automaton(&bytes);
    let back: Vec<LocId> = cfa.edges.iter().filter(|e| e.target <= e.source && e.target != cfa.head).map(|e| e.target).collect();
    for loc in back.into_iter().filter(|loc| *loc != cfa.error) {
        cfa.locs[loc].kind = LocKind::LoopHead;
    }
    let first = cfa.edges.iter_enumerated().map(|(id, _)| id).next().unwrap();
    let (x, one) = (pool.var(cfa.vars[2]), pool.constant(Value::bv(3, 1)));
    cfa.edges[first].op = match rng.below(3) {
        0 => Op::Assign(cfa.vars[2], pool.bv(BvBin::Add, x, one)),
        1 => Op::Havoc(cfa.vars[0]),
        _ => Op::Skip,
    };
    (pool, cfa)
}

#[test]
fn no_answer_contradicts_explicit_search() {
    let mut rng = Rng(0x51ca_1ab1e);
    let (mut n_safe, mut n_unsafe, mut n_certified, mut by_steps) = (0, 0, 0, 0);
    for round in 0..400 {
        let (pool, cfa) = with_loops(&mut rng);
        let is_safe = !reachable(&pool, &cfa).iter().any(|(loc, _)| *loc == cfa.error);
        let example = Example { name: "random", pool, cfa, answer: if is_safe { Answer::Safe } else { Answer::Unsafe(0) } };
        for (engine, given) in ASKED {
            match run_within(&example, engine, given, &solvers(), Duration::from_secs(3)) {
                Ok(Verdict::Safe(proof)) => {
                    assert!(is_safe, "{round}: {engine} {given:?} says safe of {:?}", example.cfa);
                    n_safe += 1;
                    let counts = !matches!(proof.argument, Argument::Inductive(_));
                    let checked = check_proof(&example.pool, &example.cfa, &proof, &within(60));
                    n_certified += usize::from(checked.is_ok());
                    by_steps += usize::from(checked.is_ok() && counts);
                    // Another reading of what decides the future makes proofs too weak; nothing else does.
                    let weak = matches!(
                        &proof.argument,
                        Argument::Exhaustive { .. } | Argument::KInductive { paths: Paths::Simple, .. }
                    );
                    assert!(checked.is_ok() || weak, "{round}: {engine} {given:?}: {checked:?} of {:?}", example.cfa);
                }
                Ok(Verdict::Unsafe(trace)) => {
                    assert!(!is_safe, "{round}: {engine} {given:?} says unsafe of {:?}", example.cfa);
                    // A start of its own has a map of its own.
                    let later = Trace::of(trace.cycles.iter().skip(1).cloned().collect());
                    let replayed = [&trace, &later].iter().any(|trace| replays(&example.pool, &example.cfa, trace, false));
                    assert!(replayed, "{round}: {engine} {given:?}: {trace:?}");
                    n_unsafe += 1;
                }
                Ok(Verdict::Unknown(_)) | Err(Stop::Reason(_)) => {}
                Err(stop @ Stop::Solver(_)) => unreachable!("{round}: {engine} {given:?}: {stop:?}"),
            }
        }
    }
    let shares = format!("{n_safe} safe, {n_certified} of them certified, {by_steps} by steps; {n_unsafe} unsafe");
    println!("{shares}");
    assert!(100 < n_unsafe && 100 < n_certified && 4 < by_steps && n_safe < n_certified * 2, "{shares}");
}
