//! Small questions about sequences of cycles have the answers of one question about all.

use super::super::check_proof;
use super::super::random_cases::{bytes, case, n_cases, undivided};
use kernel::smt::Interrupt;
use kernel::verdict::{Argument, Paths, Proof, Support};
use testgen::automata::execute::reachable;

#[test]
fn divided_and_undivided_proofs_by_k_cycles_agree() {
    let (mut n_certified, mut n_refuted) = (0, 0);
    for seed in (0..n_cases() / 2).map(|seed| seed + (2 << 32)) {
        let (pool, cfa, Proof { pool: of_proof, argument }) = case(seed);
        let Argument::Inductive(mut invariants) = argument else { unreachable!() };
        invariants.retain(|loc, _| *loc == cfa.head);
        let choice = bytes(seed ^ 0xff_0000, 2);
        let paths = if choice[0].is_multiple_of(4) { Paths::Simple } else { Paths::Any };
        let k = 1 + u32::from(choice[1] % 3);
        let proof = Proof { pool: of_proof, argument: Argument::KInductive { k, invariants, support: Support::Alone, paths } };
        let Some(holds) = undivided(&pool, &cfa, &proof) else { continue };
        let said = check_proof(&pool, &cfa, &proof, &Interrupt::default());
        assert_eq!(said.is_ok(), holds, "seed {seed}, k = {k}, {paths:?}: {said:?}\n{cfa:?}");
        if holds {
            n_certified += 1;
            assert!(reachable(&pool, &cfa).iter().all(|(loc, _)| *loc != cfa.error), "seed {seed}");
        } else {
            n_refuted += 1;
        }
    }
    assert!(n_cases() / 24 < n_certified && n_cases() / 24 < n_refuted, "{n_certified} and {n_refuted}");
}
