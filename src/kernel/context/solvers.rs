//! Choice of the solver for an automaton.

use std::sync::Arc;

use crate::cfa::{Cfa, Op};
use crate::expr::{ExprPool, Sort};
use crate::smt::{BitBlaster, Cvc5, Interrupt, Solver, SolverError, bitblast};

/// Makes solvers that stop with the interrupt; each thread makes its own.
pub type MakeSolver = Arc<dyn Fn(&ExprPool, &Interrupt) -> Result<Box<dyn Solver>, SolverError> + Send + Sync>;

/// Choice of the solvers for an automaton.
pub type ChooseSolvers = Arc<dyn Fn(&ExprPool, &Cfa) -> MakeSolver + Send + Sync>;

/// Returns the bit-blaster, or cvc5 for automata with more than Bool and bit vectors.
pub fn default_solvers() -> ChooseSolvers {
    Arc::new(|pool, cfa| {
        let mut exprs = Vec::new();
        for edge in cfa.edges.iter() {
            match &edge.op {
                Op::Skip | Op::Havoc(_) => {}
                Op::Assume(e) | Op::Assign(_, e) => exprs.push(*e),
                Op::Block(block) => exprs.extend(block.updates.iter().map(|(_, e)| *e).chain([block.guard])),
            }
        }
        let sorts = cfa.vars.iter().map(|var| pool.var_decl(*var).sort);
        let only_bits = sorts.into_iter().all(Sort::is_bits);
        if only_bits && bitblast::supports(pool, &exprs) {
            Arc::new(|_, interrupt| Ok(Box::new(BitBlaster::new(interrupt)) as Box<dyn Solver>))
        } else {
            Arc::new(|_, interrupt| Ok(Box::new(Cvc5::new(interrupt)?) as Box<dyn Solver>))
        }
    })
}
