//! Random automata with random invariants, for tests of the checker.

use super::obligations::obligations;
use super::solver::SolverAnswer;
use super::stated::Stated;
use super::{Asked, Rejected};
use kernel::cfa::Cfa;
use kernel::expr::ExprPool;
use kernel::smt::Interrupt;
use kernel::verdict::Proof;
use testgen::automata::structured::{cycle, invariants};

/// Returns pseudorandom bytes.
pub(super) fn bytes(seed: u64, n: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u8
    };
    std::iter::repeat_with(next).take(n).collect()
}

/// Number of cases; `CASES=20000` for more.
pub(super) fn n_cases() -> u64 {
    std::env::var("CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(240)
}

/// Returns a random automaton with a proof of its safety, which may be wrong.
pub(super) fn case(seed: u64) -> (ExprPool, Cfa, Proof) {
    let (pool, cfa) = cycle(&bytes(seed, 120));
    let proof = invariants(&bytes(seed ^ 0xffff, 60), &pool, &cfa);
    (pool, cfa, proof)
}

/// Returns whether a solver shows the obligations that are not divided; `None` where the proof does not fit.
pub(super) fn undivided(pool: &ExprPool, cfa: &Cfa, proof: &Proof) -> Option<bool> {
    let stated = Stated::of(pool, cfa, proof).unwrap();
    let all = match obligations(pool, cfa, &stated, &Interrupt::default()) {
        Err(Rejected::Malformed(_)) => return None,
        other => other.unwrap(),
    };
    let holds = all.drafts.iter().all(|draft| {
        let script = all.script(draft, Asked::Cvc5);
        matches!(Asked::Cvc5.decide(&script, all.sorts, &Interrupt::default()), SolverAnswer::Holds)
    });
    Some(holds)
}
