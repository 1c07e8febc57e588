//! No proof about an automaton with a violation is certified, whatever it claims: random automata, random proofs.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use kernel::cfa::{LocId, LocKind, Op};
use kernel::expr::{BvCmp, ExprId, Value};
use kernel::verdict::{Argument, Paths, Support};
use testgen::automata::execute::reachable;
use testgen::automata::random::automaton;

/// A stream of numbers (xorshift).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 8) % n
    }
}

/// Returns an automaton; its start may be a cut point of its own, as an operation stands before the head.
fn random_automaton(numbers: &mut Numbers) -> (ExprPool, Cfa) {
    let bytes: Vec<u8> = (0..160).map(|_| numbers.below(256) as u8).collect();
    let (mut pool, mut cfa) = automaton(&bytes);
    if numbers.below(3) == 0 {
        let first = cfa.edges.iter_enumerated().map(|(id, _)| id).next().unwrap();
        let (x, one) = (pool.var(cfa.vars[2]), pool.constant(Value::bv(3, 1)));
        let more = pool.bv(kernel::expr::BvBin::Add, x, one);
        cfa.edges[first].op = if numbers.below(2) == 0 { Op::Assign(cfa.vars[2], more) } else { Op::Havoc(cfa.vars[0]) };
    }
    (pool, cfa)
}

/// Returns a clause of literals over the variables; often TRUE.
fn random_invariant(numbers: &mut Numbers, pool: &mut ExprPool, cfa: &Cfa) -> ExprId {
    let mut all = pool.bool(true);
    for _ in 0..numbers.below(3) {
        let mut clause = pool.bool(false);
        for _ in 0..1 + numbers.below(2) {
            let (flag, word) = (pool.var(cfa.vars[numbers.below(2) as usize]), pool.var(cfa.vars[2]));
            let c = pool.constant(Value::bv(3, u128::from(numbers.below(8))));
            let atom = match numbers.below(3) {
                0 => flag,
                1 => pool.eq(word, c),
                _ => pool.bv_cmp(BvCmp::Ule, word, c),
            };
            let literal = if numbers.below(2) == 0 { pool.not(atom) } else { atom };
            clause = pool.or(clause, literal);
        }
        all = pool.and(all, clause);
    }
    all
}

fn random_proof(numbers: &mut Numbers, pool: &ExprPool, cfa: &Cfa) -> Proof {
    let mut pool = pool.clone();
    let loops: Vec<LocId> =
        cfa.locs.iter_enumerated().filter(|(_, loc)| loc.kind == LocKind::LoopHead).map(|(id, _)| id).collect();
    let places: BTreeSet<LocId> = loops.into_iter().filter(|_| numbers.below(2) == 0).chain([cfa.head]).collect();
    let invariants: BTreeMap<LocId, ExprId> =
        places.iter().map(|place| (*place, random_invariant(numbers, &mut pool, cfa))).collect();
    let k = 1 + numbers.below(4) as u32;
    let argument = match numbers.below(6) {
        0 => Argument::Inductive(invariants),
        1 => Argument::KInductive { k, invariants, support: Support::Steps, paths: Paths::Any },
        2 => Argument::KInductive { k, invariants, support: Support::Alone, paths: Paths::Simple },
        3 => Argument::KInductive { k, invariants, support: Support::Alone, paths: Paths::Any },
        4 => Argument::Exhaustive { k, places, paths: Paths::Any },
        _ => Argument::Exhaustive { k: 3 * k, places, paths: Paths::Simple },
    };
    Proof { pool, argument }
}

#[test]
fn no_random_proof_of_a_false_claim_is_certified() {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    // Certified proofs of each kind: inductive, k-inductive, exhaustive; and those among them with places at loops.
    let (mut certified, mut with_loops, mut refuted, mut malformed) = ([0; 3], 0, 0, 0);
    for _ in 0..400 {
        let (pool, cfa) = random_automaton(&mut numbers);
        let is_safe = !reachable(&pool, &cfa).iter().any(|(loc, _)| *loc == cfa.error);
        for _ in 0..2 {
            let proof = random_proof(&mut numbers, &pool, &cfa);
            let (kind, n_places) = match &proof.argument {
                Argument::Inductive(invariants) => (0, invariants.len()),
                Argument::KInductive { invariants, .. } => (1, invariants.len()),
                Argument::Exhaustive { places, .. } => (2, places.len()),
            };
            match check_proof(&pool, &cfa, &proof, &Interrupt::default()) {
                Ok(_) => {
                    assert!(is_safe, "{:?} of\n{cfa:?}", proof.argument);
                    certified[kind] += 1;
                    with_loops += usize::from(1 < n_places);
                }
                Err(Rejected::Refuted(_)) => refuted += usize::from(!is_safe),
                Err(Rejected::Malformed(_)) => malformed += 1,
                Err(other @ (Rejected::Undecided(..) | Rejected::Stopped(_))) => unreachable!("{other:?}"),
            }
        }
    }
    let shares = format!("{certified:?} certified, {with_loops} with loops, {refuted} refuted, {malformed} malformed");
    println!("{shares}");
    assert!(certified.iter().all(|n| 10 < *n) && 20 < with_loops && 100 < refuted, "{shares}");
}
