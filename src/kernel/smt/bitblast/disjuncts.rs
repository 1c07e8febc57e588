//! Disjunctions among the assumptions, asked about disjunct by disjunct.
//!
//! "Some of a thousand claims is broken" is one disjunction. A SAT solver that refutes it as a whole decides on all variables
//! again after each conflict, so its time is quadratic. Most disjuncts are refuted by propagation alone.
//!
//! Knows gates and the SAT solver. **Soundness:** if each disjunct is impossible under the other assumptions, so is the disjunction.

use super::aig::{Aig, Gate, Lit};
use super::cnf::Cnf;
use super::sat::{Answer, SatLit, SatSolver};

/// Fewest disjuncts that are asked about one by one.
const MANY: usize = 16;

/// Most disjuncts.
const MOST: usize = 50_000;

/// Decisions for one disjunct.
const DECISIONS: u32 = 100;

/// Disjuncts that are not refuted, after which the rest is not tried.
const PATIENCE: usize = 8;

/// Returns the operands of a disjunction; none if there are few of them, or too many.
pub(super) fn disjuncts(aig: &Aig, l: Lit) -> Vec<Lit> {
    let (mut stack, mut found) = (vec![l], Vec::new());
    while let Some(l) = stack.pop() {
        match aig.gate(l.node()) {
            Gate::And(a, b) if l.negated() => stack.extend([!a, !b]),
            Gate::And(..) | Gate::False | Gate::Input | Gate::Xor(..) | Gate::Mux(..) | Gate::Maj(..) => found.push(l),
        }
        if MOST < stack.len() + found.len() {
            return Vec::new();
        }
    }
    if found.len() < MANY { Vec::new() } else { found }
}

/// Returns the assumptions under which all disjuncts are impossible; `None` if one of them is not refuted soon.
///
/// Cost: for most disjuncts one propagation. Disjuncts that are refuted without assumptions are refuted for good.
pub(super) fn refute_each<S: SatSolver>(
    cnf: &mut Cnf<S>,
    aig: &Aig,
    disjuncts: &[Lit],
    assumed: &[SatLit],
) -> Option<Vec<SatLit>> {
    let (mut core, mut n_open) = (Vec::new(), 0);
    let mut all = assumed.to_vec();
    for &disjunct in disjuncts {
        let literal = cnf.literal(aig, disjunct);
        all.truncate(assumed.len());
        all.push(literal);
        if cnf.sat.solve_soon(&all, DECISIONS) == Answer::Unsat {
            let needed = cnf.sat.core();
            // What the solver has learned on its way may be forgotten.
            let clause: Vec<SatLit> = needed.iter().map(|l| !*l).collect();
            cnf.sat.add(&clause);
            core.extend(needed.into_iter().filter(|l| *l != literal));
        } else {
            n_open += 1;
            if PATIENCE <= n_open {
                return None;
            }
        }
    }
    (n_open == 0).then_some(core)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::expr::random::{Flavour, Random};
    use crate::expr::{Expr, ExprId, ExprPool, Sort};
    use crate::smt::bitblast::BitBlaster;
    use crate::smt::{Interrupt, Sat, Solver};

    proptest! {
        #[test]
        fn a_disjunction_is_possible_where_one_of_its_disjuncts_is(
            tape in proptest::collection::vec(any::<u32>(), 0..300),
            is_scoped in any::<bool>(),
        ) {
            let mut pool = ExprPool::new();
            let mut random = Random::new(&mut pool, &tape, Flavour::Bits).narrow();
            let parts: Vec<ExprId> = (0..20).map(|_| random.expr(Sort::Bool, 2)).collect();
            let [fact, other]: [ExprId; 2] = std::array::from_fn(|_| random.expr(Sort::Bool, 2));
            let fact = parts.iter().take(15).fold(fact, |so_far, part| {
                let not = pool.raw(Expr::Not(*part));
                pool.or(so_far, not)
            });
            let any = parts.iter().fold(pool.bool(false), |so_far, part| pool.raw(Expr::Or(so_far, *part)));
            let fresh = || {
                let mut solver = BitBlaster::new(&Interrupt::default());
                if is_scoped {
                    solver.push().unwrap();
                }
                solver
            };
            let mut expected = Sat::Unsat;
            for part in &parts {
                let mut solver = fresh();
                solver.assert(&pool, fact, 0).unwrap();
                if solver.check(&pool, &[(*part, 0), (other, 0)]).unwrap() == Sat::Sat {
                    expected = Sat::Sat;
                }
            }
            let mut solver = fresh();
            solver.assert(&pool, fact, 0).unwrap();
            // Twice: nothing false has been learned.
            for question in [[(any, 0), (other, 0)], [(other, 0), (any, 0)]] {
                prop_assert_eq!(solver.check(&pool, &question).unwrap(), expected.clone());
                if expected == Sat::Unsat {
                    let core: Vec<_> = solver.core().into_iter().map(|i| question[i]).collect();
                    let mut alone = fresh();
                    alone.assert(&pool, fact, 0).unwrap();
                    prop_assert_eq!(alone.check(&pool, &core).unwrap(), Sat::Unsat);
                }
            }
            for part in &parts {
                let mut alone = fresh();
                alone.assert(&pool, fact, 0).unwrap();
                let alone = alone.check(&pool, &[(*part, 0)]).unwrap();
                prop_assert_eq!(solver.check(&pool, &[(*part, 0)]).unwrap(), alone);
            }
        }
    }
}
