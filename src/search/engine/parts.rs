//! Parts of a system that no other part influences: a timer among thirty, an interlock of one machine.
//!
//! An invariant of a part alone is one of the whole. The whole only adds inputs that the part does not read and conditions on
//! when a step is possible. So invariants of many small parts are guessed and proved one after the other. Guesses about all parts
//! at once would be too many.

use std::collections::{BTreeMap, BTreeSet};

use super::claims;
use kernel::cfa::pass::System;
use kernel::context::{Ctx, Stop};
use kernel::expr::{ExprId, ExprPool, FewVars, VarId};

/// Variables of the largest part: with as many, all pairs of variables are related to each other.
pub(crate) const MOST_VARS: usize = 40;

/// Small parts are taken together up to so many variables: each part costs a simulation and some solvers.
const AT_LEAST: usize = 10;

/// Most parts; further ones get no guesses.
const MOST_PARTS: usize = 200;

/// Returns the parts of a system that are not too large; no part contains another one. A system that is small itself, or has
/// loops inside the cycle, has none.
///
/// The parts of claims come first: a counter and a timer that share inputs only are related by the claim about both.
///
/// Cost: one visit of each node of the right-hand sides, and for each variable one step per variable of its part.
pub(crate) fn parts(cx: &mut Ctx<'_>, system: &System) -> Result<Vec<System>, Stop> {
    if system.pc.is_some() || system.vars.len() <= MOST_VARS {
        return Ok(Vec::new());
    }
    let reads = reads(cx, system)?;
    let goals = claims::goals(&mut cx.pool, system);
    let of_claims: BTreeSet<BTreeSet<VarId>> = goals.iter().filter_map(|goal| reads.cone(cx.pool.vars_of(&[*goal]))).collect();
    let mut cones: Vec<BTreeSet<VarId>> = system.vars.iter().filter_map(|var| reads.cone([*var])).collect();
    // A cone contains the cones of its variables, so a cone inside a larger one is skipped.
    cones.sort_by_key(|cone| std::cmp::Reverse(cone.len()));
    let mut covered = BTreeSet::new();
    let mut taken: Vec<BTreeSet<VarId>> = Vec::new();
    let is_claim = of_claims.iter().map(|_| true).chain(std::iter::repeat(false));
    for (cone, is_claim) in of_claims.iter().cloned().chain(cones).zip(is_claim) {
        let is_known =
            if is_claim { taken.iter().any(|other| cone.is_subset(other)) } else { cone.iter().all(|var| covered.contains(var)) };
        if is_known {
            continue;
        }
        covered.extend(cone.iter().copied());
        let n_taken = taken.len();
        match taken.last_mut().filter(|last| last.len() + cone.len() <= AT_LEAST) {
            Some(last) => last.extend(cone),
            None if n_taken == MOST_PARTS => break,
            None => taken.push(cone),
        }
    }
    /// Parts of a guard; a longer one is not divided further.
    const MANY: usize = 200;
    let guards = Guards::new(&cx.pool, cx.pool.conjuncts_up_to(system.guard, MANY));
    let pool = &mut cx.pool;
    let no_bad = pool.bool(false);
    let of_vars = |vars: BTreeSet<VarId>| {
        let guard = guards.about(pool, |var| vars.contains(var) || system.vars.binary_search(var).is_err());
        part(pool, system, &vars, guard, no_bad)
    };
    Ok(taken.into_iter().map(of_vars).collect())
}

/// Variables of the state that the next value of each one reads; `None` if they are many.
pub(super) struct Reads<'a> {
    system: &'a System,
    reads: BTreeMap<VarId, Option<BTreeSet<VarId>>>,
}

/// Returns the variables that the next values read.
///
/// Cost: one visit of each node of the right-hand sides.
pub(super) fn reads<'a>(cx: &Ctx<'_>, system: &'a System) -> Result<Reads<'a>, Stop> {
    let (mut reads, mut few) = (BTreeMap::new(), FewVars::new(MOST_VARS, |var| system.vars.binary_search(&var).is_ok()));
    for (var, next) in &system.next {
        cx.tick()?;
        reads.insert(*var, few.of(&cx.pool, *next).cloned());
    }
    Ok(Reads { system, reads })
}

impl Reads<'_> {
    /// Returns those of `vars` that are in the state, and all that their next values depend on, if they are few.
    pub(super) fn cone(&self, vars: impl IntoIterator<Item = VarId>) -> Option<BTreeSet<VarId>> {
        let in_state = |var: &VarId| self.system.vars.binary_search(var).is_ok();
        let mut found: BTreeSet<VarId> = vars.into_iter().filter(in_state).collect();
        let mut open: Vec<VarId> = found.iter().copied().collect();
        while let Some(var) = open.pop() {
            if MOST_VARS < found.len() {
                return None;
            }
            let Some(read) = self.reads.get(&var) else { continue };
            open.extend(read.as_ref()?.iter().filter(|read| found.insert(**read)));
        }
        Some(found)
    }
}

/// Conditions of a step, with the variables of each.
pub(super) struct Guards(Vec<(ExprId, BTreeSet<VarId>)>);

impl Guards {
    pub(super) fn new(pool: &ExprPool, guards: impl IntoIterator<Item = ExprId>) -> Guards {
        Guards(guards.into_iter().map(|e| (e, pool.vars_of(&[e]))).collect())
    }
    /// Returns the conjunction of the conditions about such variables only.
    pub(super) fn about(&self, pool: &mut ExprPool, is_inside: impl Fn(&VarId) -> bool) -> ExprId {
        pool.and_all(self.0.iter().filter(|(_, all)| all.iter().all(&is_inside)).map(|(e, _)| *e))
    }
}

/// Returns the part of a system with these variables, which contain all that their next values depend on.
///
/// Soundness: `guard` must follow from the guard of the whole. Then a step of the whole keeps every invariant of the part.
pub(super) fn part(pool: &ExprPool, system: &System, vars: &BTreeSet<VarId>, guard: ExprId, bad: ExprId) -> System {
    let next = next_values(system, vars);
    let read: Vec<ExprId> = next.iter().map(|(_, e)| *e).chain([guard, bad]).collect();
    let read = pool.vars_of(&read);
    System {
        vars: vars.iter().copied().collect(),
        initial: vars.iter().filter_map(|var| Some((*var, *system.initial.get(var)?))).collect(),
        inputs: system.inputs.iter().filter(|input| read.contains(&input.var)).cloned().collect(),
        blocks: Vec::new(),
        next,
        guard,
        bad,
        pc: None,
        start: None,
        ways: system.ways.clone(),
        cuts: system.cuts.clone(),
    }
}

/// Returns the next values of variables.
pub(super) fn next_values(system: &System, vars: &BTreeSet<VarId>) -> Vec<(VarId, ExprId)> {
    let of_var = |var: &VarId| system.next.binary_search_by_key(var, |(v, _)| *v).ok().map(|i| system.next[i]);
    vars.iter().filter_map(of_var).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::cfa::Op;
    use kernel::cfa::pass::{Encoding, monolithic, reduce};
    use kernel::expr::Value;
    use kernel::smt::Interrupt;
    use testgen::automata::examples::Builder;

    /// Returns `n` counters to 5 that do not depend on each other, and one that counts how often the first two are equal.
    fn counters(n: usize) -> (ExprPool, System, Vec<VarId>) {
        let mut b = Builder::new();
        let counts: Vec<VarId> = (0..n).map(|i| b.var(&format!("c{i}"), Value::int(16, 0))).collect();
        let both = b.var("both", Value::int(16, 0));
        let mut l = b.cfa.head;
        let (first, second) = (b.v(counts[0]), b.v(counts[1]));
        let (same, more) = (b.pool.eq(first, second), b.plus(both, 1));
        let was = b.v(both);
        let next = b.pool.ite(same, more, was);
        l = b.then(l, Op::Assign(both, next));
        for c in &counts {
            let (low, more, zero) = (b.less(*c, 5), b.plus(*c, 1), b.n(16, 0));
            let next = b.pool.ite(low, more, zero);
            l = b.then(l, Op::Assign(*c, next));
        }
        // All of them matter.
        let mut any = Vec::new();
        for var in counts.iter().chain([&both]) {
            any.push(b.is(*var, 9));
        }
        let bad = b.pool.or_all(any);
        b.close(l, bad);
        let reduced = reduce(&b.pool, &b.cfa, Encoding::Lbe);
        let mut pool = reduced.pool;
        let system = monolithic(&mut pool, &reduced.cfa);
        (pool, system, counts.into_iter().chain([both]).collect())
    }

    #[test]
    fn every_part_is_closed_and_none_contains_another() {
        let (pool, system, vars) = counters(60);
        let mut cx = Ctx::new(pool, Interrupt::default(), &|_| {});
        let parts = parts(&mut cx, &system).unwrap();
        assert!(5 < parts.len() && parts.iter().all(|part| part.vars.len() <= AT_LEAST));
        let mut seen = BTreeSet::new();
        for part in &parts {
            assert_eq!(part.vars.len(), part.next.len());
            let read = cx.pool.vars_of(&part.next.iter().map(|(_, e)| *e).collect::<Vec<_>>());
            assert!(read.iter().all(|var| part.vars.binary_search(var).is_ok()));
            seen.extend(part.vars.iter().copied());
        }
        assert!(vars.iter().all(|var| seen.contains(var)));
        // The counter that reads two others is in their part.
        let both = vars.last().unwrap();
        let with = parts.iter().find(|part| part.vars.contains(both)).unwrap();
        assert!(with.vars.contains(&vars[0]) && with.vars.contains(&vars[1]));
    }

    #[test]
    fn small_systems_have_no_parts() {
        let (pool, system, _) = counters(20);
        let mut cx = Ctx::new(pool, Interrupt::default(), &|_| {});
        assert!(parts(&mut cx, &system).unwrap().is_empty());
    }
}
