//! Small questions have the answers of an explicit search, on random automata with random invariants.

use std::collections::BTreeMap;

use super::super::random_cases::{bytes, case, n_cases, undivided};
use super::super::{Rejected, check_proof};
use kernel::smt::Interrupt;
use kernel::verdict::{Argument, Proof};
use testgen::automata::execute::{proves, reachable};

#[test]
fn proof_is_certified_if_and_only_if_an_explicit_search_accepts_it() {
    let mut n: BTreeMap<&str, u64> = BTreeMap::new();
    for seed in 0..n_cases() {
        let (pool, cfa, proof) = case(seed);
        let expected = proves(&pool, &cfa, &proof);
        let said = match check_proof(&pool, &cfa, &proof, &Interrupt::default()) {
            Ok(_) => Ok(()),
            Err(Rejected::Refuted(obligation)) => Err(obligation.name),
            Err(other) => panic!("seed {seed}: {other:?}"),
        };
        assert_eq!(said.is_ok(), expected.is_ok(), "seed {seed}: {said:?}, {expected:?}\n{cfa:?}");
        *n.entry(said.err().unwrap_or("holds")).or_default() += 1;
    }
    // No kind of answer is rare.
    for said in ["holds", "initiation", "consecution", "safety"] {
        assert!(n_cases() / 20 < n.get(said).copied().unwrap_or_default(), "{said} in {n:?}");
    }
}

#[test]
fn divided_and_undivided_obligations_agree_where_loops_have_no_place() {
    let (mut n_certified, mut n_refuted) = (0, 0);
    for seed in (0..n_cases() / 2).map(|seed| seed + (1 << 32)) {
        let (pool, cfa, Proof { pool: of_proof, argument }) = case(seed);
        let Argument::Inductive(mut invariants) = argument else { unreachable!() };
        let mut keep = bytes(seed ^ 0xff_0000, 20).into_iter();
        invariants.retain(|loc, _| *loc == cfa.head || keep.next().is_some_and(|byte| byte % 2 == 0));
        let proof = Proof { pool: of_proof, argument: Argument::Inductive(invariants) };
        let Some(holds) = undivided(&pool, &cfa, &proof) else { continue };
        let said = check_proof(&pool, &cfa, &proof, &Interrupt::default());
        assert_eq!(said.is_ok(), holds, "seed {seed}: {said:?}\n{cfa:?}");
        if holds {
            n_certified += 1;
            assert!(reachable(&pool, &cfa).iter().all(|(loc, _)| *loc != cfa.error), "seed {seed}");
        } else {
            n_refuted += 1;
        }
    }
    assert!(n_cases() / 24 < n_certified && n_cases() / 24 < n_refuted, "{n_certified} and {n_refuted}");
}
