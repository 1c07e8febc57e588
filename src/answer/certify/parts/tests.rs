//! Useless parts of a proof are left out, and the rest is a proof.

use std::collections::BTreeMap;

use super::super::proof::{Rejected, check_needed, check_proof};
use super::super::random_cases::{bytes, case, n_cases, undivided};
use super::super::solver::Asked;
use kernel::cfa::Op;
use kernel::expr::{ExprId, Value, VarId};
use kernel::smt::Interrupt;
use kernel::verdict::{Argument, Paths, Proof, Support};
use testgen::automata::examples::Builder;
use testgen::automata::execute::proves;

/// Counters up to a limit in a variable. A cycle shows the first one before it counts; 6 is never shown.
struct Counters {
    b: Builder,
    limit: VarId,
    first: VarId,
    others: Vec<VarId>,
}

fn counters(n_others: usize) -> Counters {
    let mut b = Builder::new();
    let (limit, first) = (b.var("limit", Value::int(8, 5)), b.var("first", Value::int(8, 0)));
    let others: Vec<VarId> = (0..n_others).map(|i| b.var(&format!("other {i}"), Value::int(8, 0))).collect();
    let (shown, before) = (b.var("shown", Value::int(8, 0)), b.v(first));
    let mut end = b.then(b.cfa.head, Op::Assign(shown, before));
    for &counter in others.iter().chain([&first]) {
        let (e, top, next) = (b.v(counter), b.v(limit), b.plus(counter, 1));
        let is_low = b.pool.bv_cmp(kernel::expr::BvCmp::Slt, e, top);
        end = b.when(end, is_low, Op::Assign(counter, next));
    }
    let good = b.less(shown, 6);
    let bad = b.pool.not(good);
    b.close(end, bad);
    Counters { b, limit, first, others }
}

/// Returns the parts that are left of a proof, inductive or by `k` cycles; or the name of the obligation that fails.
fn left(counters: &Counters, k: Option<u32>, parts: &[ExprId]) -> Result<Vec<ExprId>, &'static str> {
    let mut pool = counters.b.pool.clone();
    let yes = pool.bool(true);
    let all = parts.iter().fold(yes, |all, part| pool.and(all, *part));
    let cfa = &counters.b.cfa;
    let invariants = BTreeMap::from([(cfa.head, all)]);
    let argument = match k {
        None => Argument::Inductive(invariants),
        Some(k) => Argument::KInductive { k, invariants, support: Support::Alone, paths: Paths::Any },
    };
    let proof = Proof { pool, argument };
    match check_needed(&counters.b.pool, cfa, proof, Asked::Cvc5, &Interrupt::default()) {
        Ok((small, _)) => {
            let invariant = *small.argument.invariants().next().unwrap().1;
            assert!(check_proof(&counters.b.pool, cfa, &small, &Interrupt::default()).is_ok());
            let mut parts = small.pool.conjuncts(invariant);
            parts.sort();
            Ok(parts)
        }
        Err(Rejected::Refuted(obligation)) => Err(obligation.name),
        Err(other) => unreachable!("{other:?}"),
    }
}

#[test]
fn ten_useless_parts_are_left_out() {
    let mut counters = counters(10);
    let useless: Vec<ExprId> = counters.others.clone().into_iter().map(|var| counters.b.less(var, 6)).collect();
    let (below, limited) = (counters.b.less(counters.first, 6), counters.b.is(counters.limit, 5));
    // Safety needs the counter only, and the counter needs the limit.
    let all: Vec<ExprId> = useless.iter().copied().chain([below, limited]).collect();
    assert_eq!(left(&counters, None, &all), Ok(vec![below, limited]));
    assert_eq!(left(&counters, Some(1), &all), Ok(vec![below, limited]));
    // Parts that nothing needs may be wrong: they are no part of the proof that is certified.
    let wrong = counters.b.less(counters.others[0], 3);
    assert_eq!(left(&counters, None, &[wrong, below, limited]), Ok(vec![below, limited]));
}

#[test]
fn proof_without_a_needed_part_is_refused() {
    let mut counters = counters(10);
    let useless: Vec<ExprId> = counters.others.clone().into_iter().map(|var| counters.b.less(var, 6)).collect();
    let (below, limited) = (counters.b.less(counters.first, 6), counters.b.is(counters.limit, 5));
    let with = |part: ExprId| useless.iter().copied().chain([part]).collect::<Vec<_>>();
    assert_eq!(left(&counters, None, &with(below)), Err("consecution"));
    assert_eq!(left(&counters, None, &with(limited)), Err("safety"));
    assert_eq!(left(&counters, Some(1), &with(below)), Err("consecution"));
    // After a cycle that showed less than 6 the limit is enough.
    assert_eq!(left(&counters, Some(1), &with(limited)), Ok(vec![limited]));
    assert_eq!(left(&counters, Some(1), &useless), Err("step"));
    assert_eq!(left(&counters, None, &[]), Err("safety"));
    // A needed part that is wrong.
    let wrong = counters.b.is(counters.limit, 4);
    assert_eq!(left(&counters, None, &[below, wrong]), Err("initiation"));
}

#[test]
fn what_is_left_of_a_random_proof_is_a_proof() {
    let (mut n_smaller, mut n_without_wrong_parts, mut n_refused) = (0, 0, 0);
    for seed in (0..n_cases()).map(|seed| seed + (3 << 32)) {
        let (pool, cfa, proof) = case(seed);
        let is_right = proves(&pool, &cfa, &proof).is_ok();
        let n_parts = |proof: &Proof| -> usize { proof.argument.invariants().map(|(_, e)| proof.pool.conjuncts(*e).len()).sum() };
        let n_before = n_parts(&proof);
        match check_needed(&pool, &cfa, proof, Asked::Cvc5, &Interrupt::default()) {
            Ok((small, _)) => {
                assert_eq!(proves(&pool, &cfa, &small), Ok(()), "seed {seed}\n{cfa:?}");
                n_smaller += usize::from(n_parts(&small) < n_before);
                n_without_wrong_parts += usize::from(!is_right);
            }
            Err(why) => {
                assert!(!is_right, "seed {seed}: {why:?}\n{cfa:?}");
                n_refused += 1;
            }
        }
    }
    let counts = (n_smaller, n_without_wrong_parts, n_refused);
    assert!([counts.0, counts.1, counts.2].iter().all(|n| n_cases() / 48 < *n as u64), "{counts:?}");
}

#[test]
fn what_is_left_of_a_random_proof_by_cycles_is_a_proof() {
    let (mut n_certified, mut n_refused) = (0, 0);
    for seed in (0..n_cases() / 2).map(|seed| seed + (4 << 32)) {
        let (pool, cfa, Proof { pool: of_proof, argument }) = case(seed);
        let Argument::Inductive(mut invariants) = argument else { unreachable!() };
        invariants.retain(|loc, _| *loc == cfa.head);
        let k = 1 + u32::from(bytes(seed, 1)[0] % 3);
        let argument = Argument::KInductive { k, invariants, support: Support::Alone, paths: Paths::Any };
        let proof = Proof { pool: of_proof, argument };
        let Some(is_right) = undivided(&pool, &cfa, &proof) else { continue };
        match check_needed(&pool, &cfa, proof, Asked::Cvc5, &Interrupt::default()) {
            Ok((small, _)) => {
                assert_eq!(undivided(&pool, &cfa, &small), Some(true), "seed {seed}\n{cfa:?}");
                n_certified += 1;
            }
            Err(why) => {
                assert!(!is_right, "seed {seed}: {why:?}\n{cfa:?}");
                n_refused += 1;
            }
        }
    }
    assert!(n_cases() / 24 < n_certified && n_cases() / 24 < n_refused, "{n_certified} and {n_refused}");
}
