//! From a refutation to precisions: the interface of a domain to refinement.

use std::collections::BTreeSet;

use super::Domain;
use super::skeleton::{Skeleton, TooBig};
use kernel::expr::{ExprId, ExprPool, Sort, VarId};

/// Refutation of an infeasible path, frame by frame.
#[derive(Clone, Debug)]
pub struct Refutation {
    /// `I_0 = TRUE`, …, `I_n = FALSE`, one for each frame; `None` if elimination gave up.
    pub itps: Option<Vec<ExprId>>,
    /// Variables through which earlier causes act on later ones, for each frame.
    pub vars: Vec<BTreeSet<VarId>>,
}

/// Domain that turns a refutation into a precision.
pub trait RefutationToPrec: Domain {
    /// Returns the additions to the precision at each frame of the path; `None` if the domain cannot use this refutation.
    ///
    /// Source: Hajdu, Micskei, JAR 2020, §2.2.2 "Precision adjustment".
    fn to_prec(&self, pool: &mut ExprPool, refutation: &Refutation) -> Option<Vec<Self::Prec>>;
    /// Returns larger additions, for a refutation whose [`RefutationToPrec::to_prec`] is tracked already.
    fn to_more_prec(&self, pool: &mut ExprPool, refutation: &Refutation) -> Option<Vec<Self::Prec>>;
}

/// Returns the atoms of a formula: canonical ones where its skeleton is small, otherwise as they are written.
pub(crate) fn atoms(pool: &mut ExprPool, e: ExprId) -> Vec<ExprId> {
    let mut skeleton = Skeleton::new();
    match skeleton.formula(pool, e) {
        Ok(bdd) => skeleton.support(&bdd).into_values().collect(),
        Err(TooBig) => {
            let mut atoms = Vec::new();
            pool.visit(&[e], |e| {
                let mut operands = pool.expr(e).children().peekable();
                let is_connective = operands.peek().is_some() && operands.all(|child| pool.sort(child) == Sort::Bool);
                if !is_connective && pool.as_const(e).is_none() {
                    atoms.push(e);
                }
                is_connective
            });
            atoms
        }
    }
}
