//! From a refutation to precisions: the only part of refinement that knows the domain.

use super::interpolate::Refutation;
use super::skeleton::{Skeleton, TooBig};
use crate::domain::{Domain, Expl, ExplPrec, PredBool, PredPrec};
use crate::expr::{ExprId, ExprPool, Sort};

/// What a domain must track to see a refutation.
pub trait RefutationToPrec: Domain {
    /// For each frame of the path what must be tracked there; empty where nothing must. `None` if the domain cannot
    /// make anything of this refutation.
    ///
    /// Source: Hajdu, Micskei, JAR 2020, §2.2.2 "Precision adjustment".
    fn to_prec(pool: &mut ExprPool, refutation: &Refutation) -> Option<Vec<Self::Prec>>;
    /// More to track, if what [`RefutationToPrec::to_prec`] gives is tracked already and did not suffice.
    fn to_more_prec(pool: &mut ExprPool, refutation: &Refutation) -> Option<Vec<Self::Prec>>;
}

impl RefutationToPrec for Expl {
    /// The variables of the interpolants; without interpolants those through which the causes act.
    fn to_prec(pool: &mut ExprPool, refutation: &Refutation) -> Option<Vec<ExplPrec>> {
        Some(match &refutation.itps {
            Some(itps) => itps.iter().map(|&itp| ExplPrec { vars: pool.vars_of(&[itp]) }).collect(),
            None => return Expl::to_more_prec(pool, refutation),
        })
    }
    /// All variables through which the causes act: a relation between variables can be lost where only one of them is
    /// tracked, so both are tracked from where they are assigned.
    fn to_more_prec(_: &mut ExprPool, refutation: &Refutation) -> Option<Vec<ExplPrec>> {
        Some(refutation.vars.iter().map(|vars| ExplPrec { vars: vars.clone() }).collect())
    }
}

impl RefutationToPrec for PredBool {
    /// The atoms of the interpolants (`pred-split` ATOMS, §3.1.3).
    fn to_prec(pool: &mut ExprPool, refutation: &Refutation) -> Option<Vec<PredPrec>> {
        let itps = refutation.itps.as_ref()?;
        Some(itps.iter().map(|&itp| PredPrec { preds: atoms(pool, itp).into_iter().collect() }).collect())
    }
    fn to_more_prec(_: &mut ExprPool, _: &Refutation) -> Option<Vec<PredPrec>> {
        None
    }
}

/// The atoms of a formula: canonical ones where its skeleton is small, otherwise as they are written.
pub(crate) fn atoms(pool: &mut ExprPool, e: ExprId) -> Vec<ExprId> {
    let mut skeleton = Skeleton::new();
    match skeleton.formula(pool, e) {
        Ok(bdd) => skeleton.support(&bdd).into_values().collect(),
        Err(TooBig) => {
            let mut atoms = Vec::new();
            let mut seen = std::collections::BTreeSet::new();
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
