//! The configurable transfer function T_k: native evaluation first, then a solver for up to k successors.
//!
//! Source: Hajdu, Micskei, JAR 2020, §3.1.1, Algorithm 4.

use std::collections::{BTreeMap, BTreeSet};

use super::learn::learn;
use super::{Expl, ExplPrec, ExplState, MaxEnum};
use crate::domain::{Step, step_solver};
use kernel::context::{Ctx, Stop};
use kernel::expr::{Evaluator, Expr, ExprId, ExprPool, Value, VarId};
use kernel::smt::{Sat, Solver};

/// Limit of [`MaxEnum::Auto`]. With unknown values the run may still decide. If not, it ends early with `NoProgress`, not late
/// without time or memory.
const MANY: usize = 1 << 10;

/// Values of the open variables.
type Row = Vec<(VarId, Value)>;

/// Result of native evaluation (sp').
struct Native {
    /// Tracked variables with a known value after the step.
    known: Vec<(VarId, Value)>,
    /// Tracked variables whose value after the step depends on an unknown one, with its expression.
    open: Vec<(VarId, ExprId)>,
    /// Tracked variables that were unknown before and are not assigned, but on which the guard or an open value depends.
    related: Vec<(VarId, ExprId)>,
    /// TRUE if the step is surely feasible.
    feasible: bool,
}

impl Expl {
    /// Returns the successors of `state`. There is more than one only if a solver found them to be all.
    pub(super) fn successors(
        &mut self,
        cx: &mut Ctx<'_>,
        state: &ExplState,
        step: Step<'_>,
        prec: &ExplPrec,
        under: ExprId,
    ) -> Result<Vec<ExplState>, Stop> {
        let Some(native) = evaluate(&mut cx.pool, &mut self.evaluator, state, step, prec) else {
            return Ok(Vec::new());
        };
        let decided = native.feasible && native.open.is_empty();
        let attempts: &[Vec<(VarId, ExprId)>] = match self.max_enum {
            MaxEnum::NoSolver => &[],
            MaxEnum::Auto | MaxEnum::Unlimited | MaxEnum::UpTo(_) if decided => &[],
            MaxEnum::Unlimited => {
                let open = used(cx, step, under, &native.open);
                if native.feasible && open.is_empty() { &[] } else { &[[open.as_slice(), &native.related].concat()] }
            }
            MaxEnum::UpTo(_) => &[[native.open.as_slice(), &native.related].concat()],
            MaxEnum::Auto if native.related.is_empty() => &[native.open],
            // A wide variable that is not assigned yet may have too many values to list. Leaving it unknown is sound; if its
            // value matters, refinement tracks it from its assignment on.
            MaxEnum::Auto => &[[native.open.as_slice(), &native.related].concat(), native.open],
        };
        for open in attempts {
            let enumerated = self.enumerate(cx, state, step, under, open);
            if enumerated.is_err() {
                self.solvers.forget(step.id);
            }
            if let Some(all) = enumerated? {
                let with_known = |mut values: Row| {
                    values.extend_from_slice(&native.known);
                    values.sort_unstable_by_key(|(var, _)| *var);
                    ExplState::new(values)
                };
                return Ok(all.into_iter().map(with_known).collect());
            }
        }
        // More than the limit, or the solver gave up: sp, in which the open variables are unknown.
        Ok(vec![ExplState::new(native.known)])
    }
    /// Returns all values of `open` after the step; `None` if there are more than the limit or the solver gave up.
    ///
    /// Stops: cancelled, also between two values of many; or the time is over.
    fn enumerate(
        &mut self,
        cx: &mut Ctx<'_>,
        state: &ExplState,
        step: Step<'_>,
        under: ExprId,
        open: &[(VarId, ExprId)],
    ) -> Result<Option<Vec<Row>>, Stop> {
        let limit = match self.max_enum {
            MaxEnum::Auto => MANY,
            MaxEnum::Unlimited => usize::MAX,
            MaxEnum::NoSolver => 0,
            MaxEnum::UpTo(k) => k.get() as usize,
        };
        let solver = self.solvers.get(cx, step)?;
        solver.push()?;
        solver.assert(&cx.pool, under, 0)?;
        for &(var, value) in state.values() {
            let holds = equals(&mut cx.pool, var, value);
            solver.assert(&cx.pool, holds, 0)?;
        }
        let found = models(cx, solver, open, limit)?;
        solver.pop()?;
        Ok(found)
    }
}

/// Returns all values of `open`, at most `limit`; `None` if there are more or the solver gave up.
fn models(cx: &mut Ctx<'_>, solver: &mut dyn Solver, open: &[(VarId, ExprId)], limit: usize) -> Result<Option<Vec<Row>>, Stop> {
    let mut found = Vec::new();
    loop {
        match step_solver::check(cx, solver, &[])? {
            Sat::Unsat => return Ok(Some(found)),
            Sat::Unknown(_) => return Ok(None),
            Sat::Sat if limit <= found.len() => return Ok(None),
            Sat::Sat => {}
        }
        let mut values = Vec::with_capacity(open.len());
        let mut others = Vec::with_capacity(open.len());
        for &(var, e) in open {
            let value = solver.value(&cx.pool, e, 0)?;
            values.push((var, value));
            let constant = cx.pool.constant(value);
            others.push(cx.pool.ne(e, constant));
        }
        found.push(values);
        if open.is_empty() {
            return Ok(Some(found));
        }
        let other = cx.pool.or_all(others);
        solver.assert(&cx.pool, other, 0)?;
    }
}

/// Returns the open variables without those that get an arbitrary value on which nothing else depends. These stay unknown: their
/// values are enumerated where an expression uses them.
///
/// Source: Hajdu, Micskei, JAR 2020, §4.2.1: configurations without a limit "represent non-deterministic variables with the top
/// value initially".
fn used(cx: &Ctx<'_>, step: Step<'_>, under: ExprId, open: &[(VarId, ExprId)]) -> Vec<(VarId, ExprId)> {
    let is_input = |var: VarId| step.block.inputs.iter().any(|input| input.var == var);
    let mut n_uses: BTreeMap<VarId, usize> = BTreeMap::new();
    for e in [step.block.guard, under].into_iter().chain(open.iter().map(|(_, e)| *e)) {
        cx.pool.vars_of(&[e]).into_iter().for_each(|var| *n_uses.entry(var).or_default() += 1);
    }
    let is_arbitrary = |e| matches!(cx.pool.expr(e), Expr::Var(var) if is_input(var) && n_uses.get(&var) == Some(&1));
    open.iter().copied().filter(|(_, e)| !is_arbitrary(*e)).collect()
}

/// Returns `var = value`; a Bool is its own literal.
fn equals(pool: &mut ExprPool, var: VarId, value: Value) -> ExprId {
    let (e, value) = (pool.var(var), pool.constant(value));
    pool.eq(e, value)
}

/// Evaluates the step natively (sp'); `None` if it is surely infeasible.
fn evaluate(
    pool: &mut ExprPool,
    evaluator: &mut Evaluator,
    state: &ExplState,
    step: Step<'_>,
    prec: &ExplPrec,
) -> Option<Native> {
    let guard = step.block.guard;
    evaluator.clear();
    let mut learnt = BTreeMap::new();
    let feasible = match evaluator.eval(pool, guard, &|var| state.get(var)) {
        Some(value) => {
            if value == Value::Bool(false) {
                return None;
            }
            true
        }
        None => {
            learnt = learn(pool, evaluator, guard, &|var| state.get(var))?;
            false
        }
    };
    let env = |var| state.get(var).or_else(|| learnt.get(&var).copied());
    let mut native = Native { known: Vec::new(), open: Vec::new(), related: Vec::new(), feasible };
    let mut unknown = Vec::new();
    for &var in &prec.vars {
        match step.block.updates.binary_search_by_key(&var, |(v, _)| *v) {
            Ok(at) => {
                let e = step.block.updates[at].1;
                match evaluator.eval(pool, e, &env) {
                    Some(value) => native.known.push((var, value)),
                    None => native.open.push((var, e)),
                }
            }
            Err(_) => match env(var) {
                Some(value) => native.known.push((var, value)),
                None => unknown.push(var),
            },
        }
    }
    if !unknown.is_empty() {
        let mut open: Vec<ExprId> = native.open.iter().map(|(_, e)| *e).collect();
        if !feasible {
            open.push(guard);
        }
        let related = undecided(pool, evaluator, &open, &env);
        for var in unknown {
            if related.contains(&var) {
                let e = pool.var(var);
                native.related.push((var, e));
            }
        }
    }
    Some(native)
}

/// Returns the unknown variables on which the values of `roots` may still depend.
fn undecided(
    pool: &ExprPool,
    evaluator: &mut Evaluator,
    roots: &[ExprId],
    env: &dyn Fn(VarId) -> Option<Value>,
) -> BTreeSet<VarId> {
    let mut vars = BTreeSet::new();
    pool.visit(roots, |e| {
        let is_open = evaluator.eval(pool, e, env).is_none();
        if is_open && let Expr::Var(var) = pool.expr(e) {
            vars.insert(var);
        }
        is_open
    });
    vars
}
