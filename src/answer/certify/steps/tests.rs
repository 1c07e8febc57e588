//! Small questions about sequences of steps have the answers of one question about all.

use std::collections::BTreeMap;

use super::super::random_cases::{bytes, case, n_cases, undivided};
use super::super::stated::Stated;
use super::super::{Asked, Scope, check_divided};
use kernel::smt::Interrupt;
use kernel::verdict::{Argument, Paths, Proof, Support};
use testgen::automata::execute::reachable;

/// Kinds of proofs.
const KINDS: [&str; 4] = ["alone", "simple", "steps", "exhaustive"];

#[test]
fn divided_and_undivided_proofs_by_steps_agree() {
    let mut n: BTreeMap<(&str, bool), u64> = BTreeMap::new();
    let mut n_with_loops = 0;
    for seed in (0..n_cases() / 2).map(|seed| seed + (2 << 32)) {
        let (pool, cfa, Proof { pool: of_proof, argument }) = case(seed);
        let Argument::Inductive(mut invariants) = argument else { unreachable!() };
        let mut choice = bytes(seed ^ 0xff_0000, 20).into_iter();
        let mut below = |n: u8| choice.next().unwrap_or_default() % n;
        let (kind, k) = (KINDS[below(4) as usize], 1 + u32::from(below(3)));
        invariants.retain(|loc, _| *loc == cfa.head || below(2) == 0);
        let places = invariants.keys().copied().collect();
        let by_steps = |support, paths| Argument::KInductive { k, invariants: invariants.clone(), support, paths };
        let argument = match kind {
            "alone" => by_steps(Support::Alone, Paths::Any),
            "simple" => by_steps(Support::Alone, Paths::Simple),
            "steps" => by_steps(Support::Steps, Paths::Any),
            _ => Argument::Exhaustive { k, places, paths: Paths::Any },
        };
        let proof = Proof { pool: of_proof, argument };
        let Some(holds) = undivided(&pool, &cfa, &proof) else { continue };
        assert!(!holds || reachable(&pool, &cfa).iter().all(|(loc, _)| *loc != cfa.error), "seed {seed}");
        let stated = Stated::of(&pool, &cfa, &proof).unwrap();
        match check_divided(&pool, &cfa, &stated, Scope::All, Asked::Cvc5, &Interrupt::default()) {
            Some(said) => {
                let said = said.map(|_| ());
                assert_eq!(said.is_ok(), holds, "seed {seed}, k = {k}, {kind}: {said:?}\n{cfa:?}");
                n_with_loops += usize::from(holds && 1 < invariants.len());
                *n.entry((kind, holds)).or_default() += 1;
            }
            // Not all is shown by small questions about all paths.
            None => *n.entry((kind, false)).or_default() += 1,
        }
    }
    println!("{n:?}, {n_with_loops} with loops");
    let is_common =
        |kind| [true, false].iter().all(|holds| n_cases() / 120 < n.get(&(kind, *holds)).copied().unwrap_or_default());
    assert!(KINDS.into_iter().all(is_common) && 2 < n_with_loops, "{n:?}, {n_with_loops} with loops");
}
