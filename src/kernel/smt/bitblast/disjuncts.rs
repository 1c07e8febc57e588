//! Disjunctions among the assumptions, asked about disjunct by disjunct.
//!
//! "Some of a thousand claims is broken" is one disjunction. A SAT solver that refutes it as a whole decides on all variables
//! again after each conflict, so its time is quadratic. Most disjuncts are refuted by propagation alone.
//!
//! Knows gates and the SAT solver. **Soundness:** if each disjunct is impossible under the other assumptions, so is the disjunction.

use std::time::Instant;

use super::aig::{Aig, Gate, Lit};
use super::cnf::Cnf;
use super::sat::{Answer, SatLit, SatSolver};

/// Fewest disjuncts that are asked about one by one: more than a comparison of two words has.
const MANY: usize = 100;

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

/// Returns the assumptions under which all disjuncts are impossible; `None` if one of them is not refuted soon, or `until` is over.
///
/// Cost: for most disjuncts one propagation. Disjuncts that are refuted without assumptions are refuted for good.
pub(super) fn refute_each<S: SatSolver>(
    cnf: &mut Cnf<S>,
    aig: &Aig,
    disjuncts: &[Lit],
    assumed: &[SatLit],
    until: Option<Instant>,
) -> Option<Vec<SatLit>> {
    let (mut core, mut n_open) = (Vec::new(), 0);
    let mut all = assumed.to_vec();
    for &disjunct in disjuncts {
        let literal = cnf.literal(aig, disjunct);
        all.truncate(assumed.len());
        all.push(literal);
        if cnf.sat.solve_soon(&all, DECISIONS, until) == Answer::Unsat {
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

    use super::*;
    use crate::expr::{Expr, ExprId, ExprPool, Sort};
    use crate::smt::bitblast::BitBlaster;
    use crate::smt::bitblast::sat::Batsat;
    use crate::smt::{Interrupt, Sat, Solver};

    const INPUTS: usize = 6;

    /// A literal of an input: its number, and whether it is negated.
    type Chosen = (usize, bool);

    fn chosen(most: usize) -> impl Strategy<Value = Vec<Chosen>> {
        proptest::collection::vec((0..INPUTS, any::<bool>()), 1..=most)
    }

    fn is_true(values: usize, (input, negated): Chosen) -> bool {
        (values >> input & 1 == 1) != negated
    }

    proptest! {
        #[test]
        fn disjuncts_are_refuted_where_no_value_allows_one(
            facts in proptest::collection::vec(chosen(3), 0..14),
            parts in proptest::collection::vec(chosen(3), 1..7),
            others in chosen(3),
        ) {
            let mut aig = Aig::new();
            let inputs: Vec<Lit> = (0..INPUTS).map(|_| aig.input()).collect();
            let of = |(input, negated): Chosen| if negated { !inputs[input] } else { inputs[input] };
            let mut cnf = Cnf::new(Batsat::new(&Interrupt::default()));
            for fact in &facts {
                let clause = fact.iter().fold(Lit::FALSE, |so_far, one| aig.or(so_far, of(*one)));
                cnf.assert(&aig, clause, None);
            }
            let gates: Vec<Lit> =
                parts.iter().map(|part| part.iter().fold(Lit::TRUE, |so_far, one| aig.and(so_far, of(*one)))).collect();
            let assumed: Vec<SatLit> = others.iter().map(|one| cnf.literal(&aig, of(*one))).collect();
            let holds = |values: usize| facts.iter().all(|fact| fact.iter().any(|one| is_true(values, *one)));
            let is_possible = |assumed: &[Chosen]| {
                (0..1 << INPUTS).any(|values| {
                    holds(values)
                        && assumed.iter().all(|one| is_true(values, *one))
                        && parts.iter().any(|part| part.iter().all(|one| is_true(values, *one)))
                })
            };
            let core = refute_each(&mut cnf, &aig, &gates, &assumed, None);
            prop_assert_eq!(core.is_none(), is_possible(&others));
            if let Some(core) = core {
                let needed: Vec<Chosen> =
                    others.iter().zip(&assumed).filter(|(_, literal)| core.contains(literal)).map(|(one, _)| *one).collect();
                prop_assert!(core.iter().all(|literal| assumed.contains(literal)) && !is_possible(&needed));
            }
            // Nothing false has been learned.
            for values in 0..1 << INPUTS {
                let all: Vec<SatLit> =
                    (0..INPUTS).map(|input| cnf.literal(&aig, of((input, values >> input & 1 == 0)))).collect();
                prop_assert_eq!(cnf.sat.solve(&all, None) == Answer::Sat, holds(values));
            }
        }
    }

    #[test]
    fn a_long_disjunction_needs_the_other_assumption() {
        let mut pool = ExprPool::new();
        let mut solver = BitBlaster::new(&Interrupt::default());
        let flag = |pool: &mut ExprPool, name: String| {
            let var = pool.new_var(name, Sort::Bool);
            pool.var(var)
        };
        let go = flag(&mut pool, "go".to_owned());
        let parts: Vec<ExprId> = (0..=MANY).map(|n| flag(&mut pool, format!("p{n}"))).collect();
        let any = parts.iter().fold(pool.bool(false), |so_far, part| pool.raw(Expr::Or(so_far, *part)));
        for part in &parts {
            let both = pool.and(go, *part);
            let not_both = pool.not(both);
            solver.assert(&pool, not_both, 0).unwrap();
        }
        for _ in 0..2 {
            assert_eq!(solver.check(&pool, &[(any, 0), (go, 0)]).unwrap(), Sat::Unsat);
            let mut core = solver.core();
            core.sort_unstable();
            assert_eq!(core, [0, 1]);
            assert_eq!(solver.check(&pool, &[(any, 0)]).unwrap(), Sat::Sat);
            assert_eq!(solver.check(&pool, &[(go, 0)]).unwrap(), Sat::Sat);
        }
    }
}
