//! Exact elimination of universally quantified variables, such as inputs in weakest preconditions.
//!
//! Boolean inputs vanish in the decision diagram; inputs with finitely many test points ([`super::points`]) are
//! instantiated with them; what remains is instantiated with values from models until a solver confirms that the
//! instances suffice. All three are exact; where the caps are hit, there is no result.

use std::collections::{BTreeMap, BTreeSet};

use biodivine_lib_bdd::{Bdd, BddVariable};

use super::equalities::resolved;
use super::points::points;
use crate::domain::check;
use crate::domain::{Skeleton, TooBig};
use kernel::context::{Ctx, MakeSolver, Stop};
use kernel::expr::{Expr, ExprId, ExprPool, Sort, Subst, VarId};
use kernel::smt::Sat;

/// Returns an expression without `vars` that is equivalent to ∀ `vars`. `e`; `None` if none was found within the caps.
///
/// Stops:     cancelled, or a solver failed.
/// Soundness: equivalent, not merely implied; the boolean structure is simplified on the way.
pub(super) fn forall(cx: &mut Ctx<'_>, make: &MakeSolver, e: ExprId, vars: &BTreeSet<VarId>) -> Result<Option<ExprId>, Stop> {
    // A conjunct without any of the variables is left alone.
    let (touched, free): (Vec<ExprId>, Vec<ExprId>) =
        cx.pool.conjuncts(e).into_iter().partition(|part| !cx.pool.vars_of(&[*part]).is_disjoint(vars));
    if touched.is_empty() || free.is_empty() {
        return forall_in(cx, make, e, vars);
    }
    let e = cx.pool.and_all(touched);
    let eliminated = forall_in(cx, make, e, vars)?;
    Ok(eliminated.map(|e| cx.pool.and_all(free.into_iter().chain([e]))))
}

/// Eliminates the variables from a formula as a whole.
fn forall_in(cx: &mut Ctx<'_>, make: &MakeSolver, e: ExprId, vars: &BTreeSet<VarId>) -> Result<Option<ExprId>, Stop> {
    let mut vars: BTreeSet<VarId> = cx.pool.vars_of(&[e]).intersection(vars).copied().collect();
    let e = slices(&mut cx.pool, e, &mut vars);
    let mut skeleton = Skeleton::new();
    let rest = match skeleton.formula(&mut cx.pool, e) {
        Ok(bdd) => {
            let bdd = resolved(&mut cx.pool, &mut skeleton, bdd.clone(), &vars).unwrap_or(bdd);
            let bdd = by_points(cx, &mut skeleton, bdd, &vars)?;
            skeleton.to_expr(&mut cx.pool, &bdd)
        }
        Err(TooBig) => e,
    };
    let left: BTreeSet<VarId> = cx.pool.vars_of(&[rest]).intersection(&vars).copied().collect();
    if left.is_empty() { Ok(Some(rest)) } else { by_models(cx, make, rest, &left) }
}

/// Replaces each variable that occurs only in disjoint slices by one variable per slice.
fn slices(pool: &mut ExprPool, e: ExprId, vars: &mut BTreeSet<VarId>) -> ExprId {
    let mut cuts: BTreeMap<VarId, BTreeSet<(u16, u16)>> = BTreeMap::new();
    let mut whole: BTreeSet<VarId> = BTreeSet::new();
    pool.visit(&[e], |node| {
        let expr = pool.expr(node);
        for child in expr.children() {
            let Expr::Var(var) = pool.expr(child) else { continue };
            if let Expr::Extract { high, low, .. } = expr {
                cuts.entry(var).or_default().insert((low, high));
            } else {
                whole.insert(var);
            }
        }
        true
    });
    let mut by = BTreeMap::new();
    for (var, ranges) in cuts {
        let ranges: Vec<(u16, u16)> = ranges.into_iter().collect();
        if !vars.contains(&var) || whole.contains(&var) || ranges.windows(2).any(|pair| pair[1].0 <= pair[0].1) {
            continue;
        }
        // All bits, from the lowest: slices and the gaps between them.
        let decl = pool.var_decl(var).clone();
        let Sort::BitVec(width) = decl.sort else { continue };
        let mut parts = Vec::new();
        let mut next = 0;
        for (low, high) in ranges.into_iter().chain([(width, width)]) {
            if next < low {
                parts.push((next, low - 1));
            }
            if low < width {
                parts.push((low, high));
            }
            next = high + 1;
        }
        vars.remove(&var);
        let mut value: Option<ExprId> = None;
        for (low, high) in parts {
            let part = pool.new_var(format!("{}#{high}:{low}", decl.name), Sort::BitVec(high - low + 1));
            vars.insert(part);
            let part = pool.var(part);
            value = Some(match value {
                Some(lower) => pool.concat(part, lower),
                None => part,
            });
        }
        if let Some(value) = value {
            by.insert(var, value);
        }
    }
    Subst::new(by).apply(pool, e)
}

/// Instantiates variables with their test points as far as possible.
fn by_points(cx: &mut Ctx<'_>, skeleton: &mut Skeleton, mut bdd: Bdd, vars: &BTreeSet<VarId>) -> Result<Bdd, Stop> {
    let mut given_up: BTreeSet<VarId> = BTreeSet::new();
    loop {
        cx.tick()?;
        let support = skeleton.support(&bdd);
        let mut users: BTreeMap<VarId, Vec<(BddVariable, ExprId)>> = BTreeMap::new();
        for (&atom_var, &atom) in &support {
            for var in cx.pool.vars_of(&[atom]) {
                if vars.contains(&var) && !given_up.contains(&var) {
                    users.entry(var).or_default().push((atom_var, atom));
                }
            }
        }
        // The variable with the fewest instances first; a Bool that is an atom itself needs none.
        let mut best: Option<(usize, VarId, BTreeSet<ExprId>)> = None;
        for (&var, atoms) in &users {
            let exprs: Vec<ExprId> = atoms.iter().map(|(_, atom)| *atom).collect();
            match points(&mut cx.pool, var, &exprs) {
                Some(points) => {
                    let cost = points.len() * atoms.len();
                    if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
                        best = Some((cost, var, points));
                    }
                }
                None => {
                    given_up.insert(var);
                }
            }
        }
        let Some((_, var, points)) = best else { return Ok(bdd) };
        match instantiate(&mut cx.pool, skeleton, &bdd, var, &points, &users[&var]) {
            Ok(smaller) => bdd = smaller,
            Err(TooBig) => {
                given_up.insert(var);
            }
        }
    }
}

/// Returns ⋀ over `points` of the diagram with `var` replaced.
fn instantiate(
    pool: &mut ExprPool,
    skeleton: &mut Skeleton,
    bdd: &Bdd,
    var: VarId,
    points: &BTreeSet<ExprId>,
    atoms: &[(BddVariable, ExprId)],
) -> Result<Bdd, TooBig> {
    let mut all = skeleton.yes();
    for &point in points {
        let by = BTreeMap::from([(var, point)]);
        let mut replaced = BTreeMap::new();
        for &(atom_var, atom) in atoms {
            let instance = pool.subst(atom, &by);
            replaced.insert(atom_var, skeleton.formula(pool, instance)?);
        }
        all = skeleton.conjoin(&all, &skeleton.compose(bdd, &replaced)?)?;
    }
    Ok(all)
}

/// Instantiates with values from models. ∀ `vars`. `e` implies the conjunction of instances; once the conjunction implies `e`,
/// both are equivalent.
fn by_models(cx: &mut Ctx<'_>, make: &MakeSolver, e: ExprId, vars: &BTreeSet<VarId>) -> Result<Option<ExprId>, Stop> {
    /// A formula of more instances is too long to be useful.
    const INSTANCES: usize = 24;
    let mut solver = cx.solver(make)?;
    let not_e = cx.pool.not(e);
    solver.assert(&cx.pool, not_e, 0)?;
    let mut all = cx.pool.bool(true);
    for _ in 0..INSTANCES {
        match check(cx, &mut *solver, &[])? {
            Sat::Unsat => return Ok(Some(tidy(&mut cx.pool, all))),
            Sat::Unknown(_) => return Ok(None),
            Sat::Sat => {}
        }
        let mut by = BTreeMap::new();
        for &var in vars {
            let e = cx.pool.var(var);
            let value = solver.value(&cx.pool, e, 0)?;
            by.insert(var, cx.pool.constant(value));
        }
        let instance = cx.pool.subst(e, &by);
        solver.assert(&cx.pool, instance, 0)?;
        all = cx.pool.and(all, instance);
    }
    Ok(None)
}

/// Returns an equivalent expression without Boolean redundancy, where that is cheap.
pub(super) fn tidy(pool: &mut ExprPool, e: ExprId) -> ExprId {
    let mut skeleton = Skeleton::new();
    match skeleton.formula(pool, e) {
        Ok(bdd) => skeleton.to_expr(pool, &bdd),
        Err(TooBig) => e,
    }
}
