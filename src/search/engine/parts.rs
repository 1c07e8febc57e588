//! Parts of a system that no other part influences: a timer among thirty, an interlock of one machine.
//!
//! An invariant of a part alone is one of the whole. The whole only adds inputs that the part does not read and conditions on
//! when a step is possible. So invariants of many small parts are guessed and proved one after the other. Guesses about all parts
//! at once would be too many.

use std::collections::{BTreeMap, BTreeSet};

use kernel::cfa::pass::System;
use kernel::context::{Ctx, Stop};
use kernel::expr::{ExprId, ExprPool, VarId};

/// Variables of the largest part: with as many, all pairs of variables are related to each other.
pub(crate) const MOST_VARS: usize = 40;

/// Small parts are taken together up to so many variables: each part costs a simulation and some solvers.
const AT_LEAST: usize = 10;

/// Most parts; further ones get no guesses.
const MOST_PARTS: usize = 200;

/// Returns the parts of a system that are not too large; no part contains another one. A system that is small itself, or has
/// loops inside the cycle, has none.
///
/// Cost: one visit of each right-hand side, and for each variable one step per variable of its part.
pub(crate) fn parts(cx: &mut Ctx<'_>, system: &System) -> Result<Vec<System>, Stop> {
    if system.pc.is_some() || system.vars.len() <= MOST_VARS {
        return Ok(Vec::new());
    }
    let mut reads: BTreeMap<VarId, Vec<VarId>> = BTreeMap::new();
    for (var, next) in &system.next {
        cx.tick()?;
        let all = cx.pool.vars_of(&[*next]);
        reads.insert(*var, all.into_iter().filter(|v| system.vars.binary_search(v).is_ok()).collect());
    }
    let mut cones: Vec<BTreeSet<VarId>> = Vec::new();
    for var in &system.vars {
        cones.extend(cone(&reads, *var));
    }
    // A cone contains the cones of its variables, so a cone inside a larger one is skipped.
    cones.sort_by_key(|cone| std::cmp::Reverse(cone.len()));
    let mut covered = BTreeSet::new();
    let mut taken: Vec<BTreeSet<VarId>> = Vec::new();
    for cone in cones {
        if cone.iter().all(|var| covered.contains(var)) {
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
    let guards = cx.pool.conjuncts_up_to(system.guard, MANY);
    Ok(taken.into_iter().map(|vars| part(&mut cx.pool, system, &guards, &vars)).collect())
}

/// Returns all variables that the next values of `var` depend on, if they are few.
fn cone(reads: &BTreeMap<VarId, Vec<VarId>>, var: VarId) -> Option<BTreeSet<VarId>> {
    let (mut found, mut open) = (BTreeSet::from([var]), vec![var]);
    while let Some(var) = open.pop() {
        for read in reads.get(&var).into_iter().flatten() {
            if found.insert(*read) {
                if MOST_VARS < found.len() {
                    return None;
                }
                open.push(*read);
            }
        }
    }
    Some(found)
}

fn part(pool: &mut ExprPool, system: &System, guards: &[ExprId], vars: &BTreeSet<VarId>) -> System {
    // Fewer conditions allow more steps, so the steps of the whole keep every invariant of the part.
    let is_inside = |pool: &ExprPool, e: ExprId| {
        let all = pool.vars_of(&[e]);
        all.iter().all(|var| vars.contains(var) || system.vars.binary_search(var).is_err())
    };
    let own: Vec<ExprId> = guards.iter().copied().filter(|e| is_inside(pool, *e)).collect();
    let guard = pool.and_all(own);
    let next: Vec<(VarId, ExprId)> = system.next.iter().filter(|(var, _)| vars.contains(var)).copied().collect();
    let read: Vec<ExprId> = next.iter().map(|(_, e)| *e).chain([guard]).collect();
    let read = pool.vars_of(&read);
    System {
        vars: vars.iter().copied().collect(),
        initial: system.initial.iter().filter(|(var, _)| vars.contains(var)).map(|(var, value)| (*var, *value)).collect(),
        inputs: system.inputs.iter().filter(|input| read.contains(&input.var)).cloned().collect(),
        next,
        guard,
        bad: pool.bool(false),
        pc: None,
        start: None,
        ways: system.ways.clone(),
        cuts: system.cuts.clone(),
    }
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
