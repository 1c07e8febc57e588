//! From a refutation to precisions: the only part of refinement that knows the domain.

use std::collections::BTreeSet;

use super::interpolate::Refutation;
use super::skeleton::{Skeleton, TooBig};
use crate::domain::{Domain, Expl, ExplPrec, Pair, PairPrec, Pred, PredPrec, Split};
use kernel::expr::{Expr, ExprId, ExprPool, Sort, VarId};

/// Domain that turns a refutation into a precision.
pub trait RefutationToPrec: Domain {
    /// For each frame of the path what must be tracked there; empty where nothing must. `None` if the domain cannot
    /// make anything of this refutation.
    ///
    /// Source: Hajdu, Micskei, JAR 2020, §2.2.2 "Precision adjustment".
    fn to_prec(&self, pool: &mut ExprPool, refutation: &Refutation) -> Option<Vec<Self::Prec>>;
    /// More to track, if what [`RefutationToPrec::to_prec`] gives is tracked already and did not suffice.
    fn to_more_prec(&self, pool: &mut ExprPool, refutation: &Refutation) -> Option<Vec<Self::Prec>>;
}

impl RefutationToPrec for Expl {
    /// Returns the variables of the interpolants; without interpolants those through which the causes act.
    fn to_prec(&self, pool: &mut ExprPool, refutation: &Refutation) -> Option<Vec<ExplPrec>> {
        Some(match &refutation.itps {
            Some(itps) => itps.iter().map(|&itp| ExplPrec { vars: pool.vars_of(&[itp]) }).collect(),
            None => return self.to_more_prec(pool, refutation),
        })
    }
    /// Returns all variables through which the causes act: a relation between variables can be lost where only one of them is
    /// tracked, so both are tracked from where they are assigned.
    fn to_more_prec(&self, _: &mut ExprPool, refutation: &Refutation) -> Option<Vec<ExplPrec>> {
        Some(refutation.vars.iter().map(|vars| ExplPrec { vars: vars.clone() }).collect())
    }
}

impl RefutationToPrec for Pred {
    /// Returns the interpolants, split as `pred-split` says (§3.1.3).
    fn to_prec(&self, pool: &mut ExprPool, refutation: &Refutation) -> Option<Vec<PredPrec>> {
        let itps = refutation.itps.as_ref()?;
        Some(itps.iter().map(|&itp| PredPrec { preds: split(pool, self.split, itp) }).collect())
    }
    fn to_more_prec(&self, _: &mut ExprPool, _: &Refutation) -> Option<Vec<PredPrec>> {
        None
    }
}

/// Values and predicates.
impl RefutationToPrec for Pair<Expl, Pred> {
    /// Returns a variable of which the interpolants only ask which constant it is becomes explicit; what is left of them, with
    /// variables that are compared otherwise, becomes predicates.
    fn to_prec(&self, pool: &mut ExprPool, refutation: &Refutation) -> Option<Vec<Self::Prec>> {
        let Some(itps) = &refutation.itps else { return self.to_more_prec(pool, refutation) };
        let by_value = valued(pool, itps);
        let mut precs = Vec::with_capacity(itps.len());
        for &itp in itps {
            let vars = pool.vars_of(&[itp]).intersection(&by_value).copied().collect();
            let preds = split(pool, self.second.split, itp);
            let preds = preds.into_iter().filter(|&pred| !pool.vars_of(&[pred]).is_subset(&by_value)).collect();
            precs.push(PairPrec { first: ExplPrec { vars }, second: PredPrec { preds } });
        }
        Some(precs)
    }
    /// Returns the precisions of both domains; each gets the whole refutation.
    fn to_more_prec(&self, pool: &mut ExprPool, refutation: &Refutation) -> Option<Vec<Self::Prec>> {
        let first = self.first.to_more_prec(pool, refutation)?;
        let second = self.second.to_prec(pool, refutation).unwrap_or_else(|| vec![PredPrec::default(); first.len()]);
        Some(first.into_iter().zip(second).map(|(first, second)| PairPrec { first, second }).collect())
    }
}

/// Returns the variables that occur in atoms of formulas only as flags or in equations with a constant.
fn valued(pool: &mut ExprPool, formulas: &[ExprId]) -> BTreeSet<VarId> {
    let (mut valued, mut compared) = (BTreeSet::new(), BTreeSet::new());
    for &e in formulas {
        for atom in atoms(pool, e) {
            let expr = pool.expr(atom);
            let is_constant = |e| pool.as_const(e).is_some();
            let is_value = matches!(expr, Expr::Var(_)) || matches!(expr, Expr::Eq(a, b) if is_constant(a) || is_constant(b));
            let vars = pool.vars_of(&[atom]);
            if is_value && vars.len() == 1 { valued.extend(vars) } else { compared.extend(vars) }
        }
    }
    valued.difference(&compared).copied().collect()
}

/// Returns the predicates that an interpolant becomes; none of TRUE and FALSE.
///
/// Source: Hajdu, Micskei, JAR 2020, §3.1.3: atoms, conjuncts, whole.
fn split(pool: &mut ExprPool, split: Split, itp: ExprId) -> BTreeSet<ExprId> {
    if pool.as_const(itp).is_some() {
        return BTreeSet::new();
    }
    match split {
        Split::Atoms => atoms(pool, itp).into_iter().collect(),
        Split::Conjuncts => {
            let (mut todo, mut found) = (vec![itp], BTreeSet::new());
            while let Some(e) = todo.pop() {
                if let Expr::And(a, b) = pool.expr(e) {
                    todo.extend([a, b]);
                } else {
                    found.insert(positive(pool, e));
                }
            }
            found
        }
        Split::Whole => BTreeSet::from([positive(pool, itp)]),
    }
}

/// Returns the atom of a predicate; a predicate and its negation are one.
fn positive(pool: &ExprPool, e: ExprId) -> ExprId {
    if let Expr::Not(inner) = pool.expr(e) { inner } else { e }
}

/// Returns the atoms of a formula: canonical ones where its skeleton is small, otherwise as they are written.
pub(crate) fn atoms(pool: &mut ExprPool, e: ExprId) -> Vec<ExprId> {
    let mut skeleton = Skeleton::new();
    match skeleton.formula(pool, e) {
        Ok(bdd) => skeleton.support(&bdd).into_values().collect(),
        Err(TooBig) => {
            let mut atoms = Vec::new();
            let mut seen = BTreeSet::new();
            let mut todo = vec![e];
            while let Some(e) = todo.pop() {
                if !seen.insert(e) {
                    continue;
                }
                let expr = pool.expr(e);
                if expr.children().all(|child| pool.sort(child) == Sort::Bool) && expr.children().next().is_some() {
                    todo.extend(expr.children());
                } else if pool.as_const(e).is_none() {
                    atoms.push(e);
                }
            }
            atoms
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::expr::{BvCmp, Value};

    #[test]
    fn an_interpolant_is_split_as_the_paper_says() {
        // p1 ∧ (p2 ∨ ¬p3)
        let mut pool = ExprPool::new();
        let p: Vec<ExprId> = ["p1", "p2", "p3"]
            .iter()
            .map(|name| {
                let var = pool.new_var(*name, Sort::Bool);
                pool.var(var)
            })
            .collect();
        let not_p3 = pool.not(p[2]);
        let either = pool.or(p[1], not_p3);
        let whole = pool.and(p[0], either);
        let mut check = |how, expected: &[ExprId]| {
            assert_eq!(split(&mut pool, how, whole), expected.iter().copied().collect(), "{how:?}");
        };
        check(Split::Atoms, &p);
        check(Split::Conjuncts, &[p[0], either]);
        check(Split::Whole, &[whole]);
    }

    #[test]
    fn variables_that_are_only_asked_for_values_become_explicit() {
        let mut pool = ExprPool::new();
        let (x, y, z) = (pool.new_var("x", Sort::BitVec(8)), pool.new_var("y", Sort::BitVec(8)), pool.new_var("z", Sort::Bool));
        let (ex, ey, ez) = (pool.var(x), pool.var(y), pool.var(z));
        let three = pool.constant(Value::bv(8, 3));
        let x_is = pool.eq(ex, three);
        let y_is = pool.eq(ey, three);
        let y_below = pool.bv_cmp(BvCmp::Ult, ey, three);
        let both = pool.and_all([x_is, ez, y_is]);
        assert_eq!(valued(&mut pool, &[both]), BTreeSet::from([x, y, z]));
        assert_eq!(valued(&mut pool, &[both, y_below]), BTreeSet::from([x, z]));
    }
}
