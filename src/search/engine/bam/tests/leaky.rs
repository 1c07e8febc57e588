//! A reduction that leaves out a variable that the block uses: its answer is wrong, and certification rejects it.

use std::collections::BTreeSet;

use super::instances::counters;
use super::{Bam, engine, solvers};
use crate::domain::{Domain, Expl, ExplPrec, ExplState, MaxEnum, Reduce, Refutation, RefutationToPrec, Step};
use answer::certify::check_proof;
use kernel::context::{Ctx, Stop};
use kernel::expr::{ExprId, ExprPool, Sort, Subst, VarId};
use kernel::smt::Interrupt;
use kernel::verdict::{Verdict, lift_proof};

/// Values, with a reduction that leaves the block's number outside.
struct Leaky(Expl);

impl Domain for Leaky {
    type State = ExplState;
    type Prec = ExplPrec;
    type Shelf = <Expl as Domain>::Shelf;

    fn top(&self) -> ExplState {
        self.0.top()
    }
    fn post_under(
        &mut self,
        cx: &mut Ctx<'_>,
        state: &ExplState,
        step: Step<'_>,
        prec: &ExplPrec,
        under: ExprId,
    ) -> Result<Vec<ExplState>, Stop> {
        self.0.post_under(cx, state, step, prec, under)
    }
    fn leq(&self, a: &ExplState, b: &ExplState) -> bool {
        self.0.leq(a, b)
    }
    fn shelve(&self, shelf: &mut Self::Shelf, state: &ExplState, key: u32) {
        self.0.shelve(shelf, state, key);
    }
    fn candidates(&self, shelf: &Self::Shelf, state: &ExplState) -> Vec<u32> {
        self.0.candidates(shelf, state)
    }
    fn to_expr(&self, pool: &mut ExprPool, states: &[&ExplState]) -> ExprId {
        self.0.to_expr(pool, states)
    }
    fn describe(&self, pool: &ExprPool, state: &ExplState) -> String {
        self.0.describe(pool, state)
    }
}

impl RefutationToPrec for Leaky {
    fn to_prec(&self, pool: &mut ExprPool, refutation: &Refutation) -> Option<Vec<ExplPrec>> {
        self.0.to_prec(pool, refutation)
    }
    fn to_more_prec(&self, pool: &mut ExprPool, refutation: &Refutation) -> Option<Vec<ExplPrec>> {
        self.0.to_more_prec(pool, refutation)
    }
}

impl Reduce for Leaky {
    fn divide(&self, pool: &ExprPool, state: &ExplState, inside: &BTreeSet<VarId>) -> (ExplState, ExplState) {
        // The requirement is about the number only, and the block needs its input, too.
        let sort = |var: &VarId| pool.var_decl(*var).sort;
        let is_block = inside.iter().any(|var| sort(var) == Sort::Bool);
        let (mut part, mut rest) = self.0.divide(pool, state, inside);
        if is_block {
            let (left_out, others) =
                self.0.divide(pool, &part, &inside.iter().filter(|v| sort(v) != Sort::Bool).copied().collect());
            (part, rest) = (others, self.0.combine(&rest, &left_out));
        }
        (part, rest)
    }
    /// The value that was left out wins.
    fn combine(&self, a: &ExplState, b: &ExplState) -> ExplState {
        let kept: BTreeSet<VarId> = b.values().iter().map(|(var, _)| *var).collect();
        let a = a.values().iter().filter(|(var, _)| !kept.contains(var)).copied().collect();
        self.0.combine(&ExplState::new(a), b)
    }
    fn renamed(&mut self, pool: &mut ExprPool, state: &ExplState, by: &mut Subst) -> Result<ExplState, Stop> {
        self.0.renamed(pool, state, by)
    }
    fn keep(&self, pool: &ExprPool, state: &ExplState, is_kept: &dyn Fn(VarId) -> bool) -> ExplState {
        self.0.keep(pool, state, is_kept)
    }
    fn tracked(&self, state: &ExplState) -> ExplPrec {
        self.0.tracked(state)
    }
}

#[test]
fn a_reduction_that_leaves_out_a_used_variable_is_rejected() {
    let (instrumented, reduced) = counters(2);
    let run = |leaky: bool| {
        let mut cx = Ctx::new(reduced.pool.clone(), Interrupt::default(), &|_| {});
        let mut bam: Bam = engine(&[("domain", "EXPL"), ("maxenum", "8")]).algorithm;
        let values = Expl::new(MaxEnum::UpTo(8.try_into().unwrap()), solvers());
        let analysis = match leaky {
            true => bam.analysis(&mut cx, &reduced.cfa, Leaky(values)),
            false => bam.analysis(&mut cx, &reduced.cfa, values),
        };
        analysis.unwrap().run(&mut cx, &mut bam)
    };
    assert!(matches!(run(false), Ok(Verdict::Unsafe(_))));
    let Ok(Verdict::Safe(proof)) = run(true) else { panic!("the reduction does not matter") };
    let proof = lift_proof(&reduced.lift, proof);
    assert!(check_proof(&instrumented.pool, &instrumented.cfa, &proof, &Interrupt::default()).is_err());
}
