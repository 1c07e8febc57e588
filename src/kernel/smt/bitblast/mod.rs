//! Our own incremental decision procedure for Bool and bit vectors: expressions become gates
//! ([`aig`]), gates become clauses ([`cnf`]), and a SAT solver ([`sat`]) decides.
//!
//! Knows expressions and gates. Refuses floats, integers and arrays; those are cvc5's.

mod aig;
mod blast;
mod circuit;
mod cnf;
mod disjuncts;
mod justify;
mod sat;
mod simulate;
mod size;
mod solver;
mod step_solver;
mod word;

pub use circuit::{Circuit, Fact, Parts, StateLit};
pub use justify::{Goal, Justifier};
pub use simulate::Simulation;
pub use size::gates;
pub use solver::BitBlaster;
pub use step_solver::{Bits, Step, StepSolver};

use crate::expr::{ExprId, ExprPool};

/// Returns whether the bit-blaster can decide formulas over `exprs`: they contain only Bool and bit vectors.
pub fn supports(pool: &ExprPool, exprs: &[ExprId]) -> bool {
    let mut only_bits = true;
    pool.visit(exprs, |e| {
        only_bits &= pool.sort(e).is_bits();
        only_bits
    });
    only_bits
}
