//! Predicates over the state: their sources, and the meaning of cubes' literals.

use std::collections::{BTreeMap, BTreeSet};

use super::super::frames::Cube;
use crate::domain::atoms;
use crate::engine::simulate::constants;
use kernel::cfa::pass::System;
use kernel::expr::{BvCmp, Expr, ExprId, ExprPool, FastMap, FpCmp, FpTest, IntCmp, Sort, Subst, Value, VarId};
use kernel::smt::bitblast::StateLit;

/// One predicate.
#[derive(Clone, Copy, Debug)]
struct Predicate {
    /// Before the step.
    now: ExprId,
    /// After the step: the same over the next values.
    after: ExprId,
    /// Its value in all initial states, if it is visibly the same in all.
    at_start: Option<bool>,
}

/// Predicates of a system; they are only added. Literals are their positions.
pub(super) struct Predicates {
    all: Vec<Predicate>,
    index: FastMap<ExprId, usize>,
    vars: BTreeSet<VarId>,
    next: Subst,
    start: Subst,
}

/// Time of a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Time {
    Now,
    After,
}

impl Predicates {
    pub(super) fn new(pool: &mut ExprPool, system: &System) -> Predicates {
        let start = system.initial.iter().map(|(var, value)| (*var, pool.constant(*value))).collect();
        Predicates {
            all: Vec::new(),
            index: FastMap::default(),
            vars: system.vars.iter().copied().collect(),
            next: Subst::new(system.next.iter().copied().collect()),
            start: Subst::new(start),
        }
    }
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }
    /// Adds a predicate or its negation. Returns whether it was new. Constants and formulas with inputs are no predicates.
    pub(super) fn add(&mut self, pool: &mut ExprPool, e: ExprId) -> bool {
        let now = if let Expr::Not(inner) = pool.expr(e) { inner } else { e };
        if pool.as_const(now).is_some() || self.index.contains_key(&now) || !pool.vars_of(&[now]).is_subset(&self.vars) {
            return false;
        }
        let after = self.next.apply(pool, now);
        let initially = self.start.apply(pool, now);
        let at_start = match pool.as_const(initially) {
            Some(Value::Bool(b)) => Some(b),
            Some(_) | None => None,
        };
        self.index.insert(now, self.all.len());
        self.all.push(Predicate { now, after, at_start });
        true
    }
    /// Returns the formula of a literal.
    pub(super) fn literal(&self, pool: &mut ExprPool, l: StateLit, time: Time) -> ExprId {
        let predicate = &self.all[l.latch()];
        let e = match time {
            Time::Now => predicate.now,
            Time::After => predicate.after,
        };
        if l.value() { e } else { pool.not(e) }
    }
    /// Returns the formula of a cube.
    pub(super) fn cube(&self, pool: &mut ExprPool, cube: &[StateLit], time: Time) -> ExprId {
        let literals: Vec<ExprId> = cube.iter().map(|l| self.literal(pool, *l, time)).collect();
        pool.and_all(literals)
    }
    /// Returns the value of the literal in the initial states, if it is known.
    pub(super) fn at_start(&self, l: StateLit) -> Option<bool> {
        self.all[l.latch()].at_start.map(|b| b == l.value())
    }
    /// Returns all predicates, before the step.
    pub(super) fn now(&self) -> impl Iterator<Item = ExprId> {
        self.all.iter().map(|predicate| predicate.now)
    }
    /// Returns the cube of all predicates with these values.
    pub(super) fn full(values: &[bool]) -> Cube {
        values.iter().enumerate().map(|(i, value)| StateLit::new(i, *value)).collect()
    }
}

/// Returns the first predicates: the location, flags, the atoms of violations and guards, and the equality of their variables
/// with initial values.
pub(super) fn first(pool: &mut ExprPool, system: &System) -> Vec<ExprId> {
    /// Most flags and comparisons; further ones are left to refinement.
    const FLAGS: usize = 60;
    const COMPARISONS: usize = 40;
    const INITIAL: usize = 16;
    /// Largest number of nodes of a guard that a program states.
    const SMALL: usize = 12;
    let mut found = Vec::new();
    if let Some(pc) = system.pc {
        for (_, place) in &system.cuts {
            let (at, place) = (pool.var(pc), pool.constant(*place));
            found.push(pool.eq(at, place));
        }
    }
    let is_state = |var: &VarId| system.vars.binary_search(var).is_ok();
    let mut asked: Vec<ExprId> = Vec::new();
    let of_bad = atoms(pool, system.bad);
    asked.extend(of_bad.into_iter().take(COMPARISONS));
    let roots: Vec<ExprId> = system.next.iter().map(|(_, e)| *e).chain([system.guard, system.bad]).collect();
    let mut guards: Vec<ExprId> = Vec::new();
    pool.visit(&roots, |e| {
        let is_comparison = pool.sort(e) == Sort::Bool
            && pool.expr(e).children().any(|child| pool.sort(child) != Sort::Bool)
            && !matches!(pool.expr(e), Expr::Ite(..));
        if is_comparison && pool.size(&[e], SMALL) < SMALL && pool.vars_of(&[e]).iter().all(is_state) {
            guards.push(e);
        }
        true
    });
    guards.sort_unstable();
    for guard in guards.into_iter().take(COMPARISONS) {
        asked.extend(atoms(pool, guard));
    }
    asked.retain(|e| pool.vars_of(&[*e]).iter().all(is_state));
    let mentioned: BTreeSet<VarId> = pool.vars_of(&asked);
    found.extend(asked.into_iter().take(2 * COMPARISONS));
    let flags = system.vars.iter().filter(|var| pool.var_decl(**var).sort == Sort::Bool);
    let flags: Vec<VarId> = flags.copied().take(FLAGS).collect();
    found.extend(flags.into_iter().map(|var| pool.var(var)));
    let initial = system.initial.iter().filter(|(var, _)| mentioned.contains(var) && system.pc != Some(**var));
    for (var, value) in initial.take(INITIAL) {
        let (x, value) = (pool.var(*var), pool.constant(*value));
        found.push(pool.eq(x, value));
    }
    found
}

/// Returns the floats of the state.
pub(super) fn floats(pool: &ExprPool, system: &System) -> BTreeSet<VarId> {
    let is_float = |var: &VarId| matches!(pool.var_decl(*var).sort, Sort::Float(_));
    system.vars.iter().copied().filter(is_float).collect()
}

/// Returns comparisons of variables with the constants of the program: the last attempt where there are no interpolants, mostly
/// with floats.
pub(super) fn thresholds(pool: &mut ExprPool, system: &System, vars: &BTreeSet<VarId>) -> Vec<ExprId> {
    /// Constants of each sort.
    const MANY: usize = 24;
    let known: BTreeMap<Sort, BTreeSet<Value>> = constants(pool, system);
    let mut found = Vec::new();
    for var in vars {
        let x = pool.var(*var);
        let sort = pool.sort(x);
        if let Sort::Float(_) = sort {
            found.push(pool.fp_test(FpTest::IsNan, x));
        }
        for value in known.get(&sort).into_iter().flatten().take(MANY) {
            let c = pool.constant(*value);
            match sort {
                Sort::Bool | Sort::Array(..) => {}
                Sort::BitVec(_) => found.extend([pool.bv_cmp(BvCmp::Slt, x, c), pool.bv_cmp(BvCmp::Slt, c, x)]),
                Sort::Int => found.extend([pool.int_cmp(IntCmp::Lt, x, c), pool.int_cmp(IntCmp::Lt, c, x)]),
                Sort::Float(_) => found.extend([pool.fp_cmp(FpCmp::Le, x, c), pool.fp_cmp(FpCmp::Le, c, x)]),
            }
        }
    }
    found
}
