//! Interpolant sequences from an unsat core; by default by weakest preconditions.
//!
//! Backward along the path: the weakest precondition of each step with only the guards and assignments of the core. Other guards
//! are skipped; other assignments give arbitrary values. Inputs and arbitrary values are eliminated exactly, so each formula is
//! over the variables of the state alone.
//!
//! Source: sequence interpolants: Hajdu, Micskei, JAR 2020, Def. 5; from cores by wp: Dietsch, Heizmann, Musa, Nutz,
//! Podelski, "Craig vs. Newton in software model checking", ESEC/FSE 2017.

use std::collections::{BTreeMap, BTreeSet};

use super::core::Core;
use super::eliminate::forall;
use super::path::{Tools, TraceChecker};
use super::reduce::reduce;
use kernel::context::{Ctx, Stop};
use kernel::expr::{ExprId, VarId};

/// `interpolants`: source of interpolants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ItpSource {
    /// Weakest preconditions over an unsat core, from the end of the path.
    #[default]
    Wp,
    /// Strongest postconditions over an unsat core, from its start.
    Sp,
    /// The solver cvc5, by synthesis below the weakest preconditions. These stay where it finds nothing or there are floats.
    Cvc5,
}

impl ItpSource {
    /// Words of the option.
    pub const NAMED: [(&str, ItpSource); 3] = [("WP", ItpSource::Wp), ("SP", ItpSource::Sp), ("CVC5", ItpSource::Cvc5)];
}

/// Formulas of a sequence that are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// All.
    All,
    /// The one of this frame; the others need not be right.
    Only(usize),
}

/// Returns the sequence for the infeasible path of `checker`; `None` if none was found within the caps.
pub(super) fn sequence(
    cx: &mut Ctx<'_>,
    tools: &mut Tools,
    checker: &mut TraceChecker<'_, '_>,
    core: Core,
    source: ItpSource,
    wanted: Wanted,
) -> Result<Option<Vec<ExprId>>, Stop> {
    match source {
        ItpSource::Wp => preconditions(cx, tools, checker, core, wanted),
        ItpSource::Sp => match super::post::postconditions(cx, tools, checker.path, &core, wanted)? {
            Some(itps) => Ok(Some(itps)),
            None => preconditions(cx, tools, checker, core, wanted),
        },
        ItpSource::Cvc5 => match preconditions(cx, tools, checker, core, Wanted::All)? {
            Some(weakest) => Ok(Some(super::synthesis::synthesised(cx, tools, checker.path, &weakest)?)),
            None => Ok(None),
        },
    }
}

/// Returns the sequence of weakest preconditions.
///
/// Soundness: I_i ∧ step_i ⇒ I_{i+1}, because each I_i implies the weakest precondition of I_{i+1}; and I_0 = TRUE, because no
/// causes remain before frame 0.
fn preconditions(
    cx: &mut Ctx<'_>,
    tools: &mut Tools,
    checker: &mut TraceChecker<'_, '_>,
    mut core: Core,
    wanted: Wanted,
) -> Result<Option<Vec<ExprId>>, Stop> {
    let n = checker.path.steps.len();
    let mut itps = vec![cx.pool.bool(false)];
    for i in (1..n).rev() {
        let after = itps[itps.len() - 1];
        if matches!(wanted, Wanted::Only(frame) if i < frame) {
            itps.push(after);
            continue;
        }
        let before = if cx.pool.is_true(after) {
            Some(after)
        } else {
            match precondition(cx, tools, checker, &core, i, after, Missing::Arbitrary)? {
                Some(before) => Some(before),
                None => precondition(cx, tools, checker, &core, i, after, Missing::Kept)?,
            }
        };
        let Some(before) = before else { return Ok(None) };
        if before == after {
            itps.push(after);
            continue;
        }
        // Conjuncts of the formula behind the step that the step leaves alone were made small there: what a longer prefix does not
        // imply, a shorter one does not imply either.
        let behind: BTreeSet<ExprId> = BTreeSet::from_iter(cx.pool.conjuncts(after));
        let (kept, new): (Vec<ExprId>, Vec<ExprId>) =
            cx.pool.conjuncts(before).into_iter().partition(|part| behind.contains(part));
        let (kept, new) = (cx.pool.and_all(kept), cx.pool.and_all(new));
        let (new, causes) = reduce(cx, checker, i, new, kept)?;
        let before = cx.pool.and(kept, new);
        if let Some(causes) = causes {
            core.replace_prefix(i, causes);
        }
        itps.push(before);
    }
    if n != 0 {
        itps.push(cx.pool.bool(true));
    }
    itps.reverse();
    Ok(Some(itps))
}

/// Treatment of assignments outside of the core.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    /// They give an arbitrary value: more general, but one more thing to eliminate.
    Arbitrary,
    /// They are executed all the same.
    Kept,
}

/// Returns the weakest precondition of `after` for step `i` as far as `core` needs it.
pub(super) fn precondition(
    cx: &mut Ctx<'_>,
    tools: &mut Tools,
    checker: &TraceChecker<'_, '_>,
    core: &Core,
    i: usize,
    after: ExprId,
    missing: Missing,
) -> Result<Option<ExprId>, Stop> {
    let block = checker.path.steps[i].block;
    let mut eliminated: BTreeSet<VarId> = block.inputs.iter().map(|input| input.var).collect();
    let mut by = BTreeMap::new();
    for var in cx.pool.vars_of(&[after]) {
        if let Ok(at) = block.updates.binary_search_by_key(&var, |(v, _)| *v) {
            let value = if core.keeps(i, var) || missing == Missing::Kept {
                block.updates[at].1
            } else {
                let any = tools.selectors.of(&mut cx.pool, var).any;
                eliminated.insert(any);
                cx.pool.var(any)
            };
            by.insert(var, value);
        }
    }
    let guard = cx.pool.and_all(core.guards(i));
    if by.is_empty() && cx.pool.is_true(guard) {
        return Ok(Some(after));
    }
    let after = cx.pool.subst(after, &by);
    let wp = cx.pool.implies(guard, after);
    forall(cx, &tools.make, wp, &eliminated)
}
