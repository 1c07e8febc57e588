//! Alike variables: groups that a part uses in the same way, such as those of calls with equal statements around them.
//!
//! A predicate about one group is tracked for all of its class, so one refutation serves all. A larger precision is sound.
//!
//! Source: papers/block-abstraction-memoization has a precision for each block; the groups are ours, for statements between calls.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::ids::{Id, IndexVec};

use super::super::form::Numbered;
use super::super::names::Groups;
use super::program::Program;
use crate::domain::{SharedPrecision, StepId};
use kernel::cfa::Block;
use kernel::expr::{Expr, ExprId, ExprPool, FastSet, Sort, Subst, VarId};

/// Groups of variables of a part, in classes of alike ones.
#[derive(Default)]
pub(super) struct Alike {
    /// Variables of each group, in the order of their uses.
    groups: Vec<Vec<VarId>>,
    of_var: BTreeMap<VarId, usize>,
    /// First group of the class of each group.
    first: Vec<usize>,
    /// Groups of each class, by its first one.
    classes: BTreeMap<usize, Vec<usize>>,
}

/// Place where a variable is used: kind, whether it is what is written, and the expression with the variable as number 0.
type Use = (u32, bool, ExprId);

/// Largest group that is compared with others.
const MOST_VARIABLES: usize = 8;

/// A constraint of a part: kind, variable that it writes, expression.
struct Constraint(u32, Option<VarId>, ExprId);

const GUARD: u32 = 0;
const UPDATE: u32 = 1;
const START: u32 = 2;
/// Kind of the first argument of the first procedure.
const ARGUMENT: u32 = 3;

impl Alike {
    /// Returns the groups of a part. `blocks` has the step of each edge; `initial` sets the initial values.
    ///
    /// Cost: the size of the part's steps.
    pub(super) fn new(
        pool: &mut ExprPool,
        numbered: &mut Numbered,
        program: &Program,
        part: usize,
        (blocks, initial): (&IndexVec<StepId, Block>, StepId),
    ) -> Alike {
        let yes = pool.bool(true);
        let (constraints, fixed) = constraints(pool, program, part, (blocks, initial), yes);
        let vars = |pool: &ExprPool, Constraint(_, var, e): &Constraint| -> BTreeSet<VarId> {
            pool.vars_of(&[*e]).into_iter().chain(*var).filter(|var| !fixed.contains(var)).collect()
        };
        let mut uses: BTreeMap<VarId, Vec<Use>> = BTreeMap::new();
        for constraint in &constraints {
            let vars = vars(pool, constraint);
            if vars.len() <= MOST_VARIABLES {
                let Constraint(kind, target, e) = constraint;
                for var in &vars {
                    let order = std::iter::once(*var).chain(vars.iter().copied().filter(|other| other != var));
                    let form = canonical(pool, numbered, order, *e);
                    uses.entry(*var).or_default().push((*kind, *target == Some(*var), form));
                }
            }
        }
        let of_constraint = |constraint: &Constraint| (vars(pool, constraint), ());
        let mut alike = Alike::default();
        let mut by_uses: BTreeMap<Vec<(Sort, Vec<Use>)>, usize> = BTreeMap::new();
        for (vars, _) in Groups::of(constraints.iter().map(of_constraint)).into_all() {
            if vars.is_empty() || MOST_VARIABLES < vars.len() {
                continue;
            }
            let mut rows: Vec<((Sort, Vec<Use>), VarId)> = Vec::with_capacity(vars.len());
            for var in vars {
                let mut uses = uses.remove(&var).unwrap_or_default();
                uses.sort_unstable();
                rows.push(((pool.var_decl(var).sort, uses), var));
            }
            rows.sort();
            let (key, vars): (Vec<(Sort, Vec<Use>)>, Vec<VarId>) = rows.into_iter().unzip();
            let group = alike.groups.len();
            // Two variables of equal uses in one group could be exchanged: then nothing says which is which in another one.
            let is_clear = key.windows(2).all(|pair| pair[0] != pair[1]);
            let first = if is_clear { *by_uses.entry(key).or_insert(group) } else { group };
            alike.of_var.extend(vars.iter().map(|var| (*var, group)));
            alike.groups.push(vars);
            alike.first.push(first);
            alike.classes.entry(first).or_default().push(group);
        }
        alike
    }
    /// Returns the group that has all variables that belong to one.
    pub(super) fn group(&self, vars: &BTreeSet<VarId>) -> Option<usize> {
        let mut groups = vars.iter().filter_map(|var| self.of_var.get(var).copied());
        let first = groups.next()?;
        groups.all(|group| group == first).then_some(first)
    }
    /// Returns a thing about a group in the names of the first one that is alike.
    pub(super) fn first<P: SharedPrecision>(&self, pool: &mut ExprPool, group: usize, item: &P) -> P {
        self.named(pool, (group, self.first[group]), item)
    }
    /// Returns a thing about a group in the names of each one that is alike.
    pub(super) fn all<P: SharedPrecision>(&self, pool: &mut ExprPool, group: usize, item: &P) -> Vec<P> {
        self.classes[&self.first[group]].iter().map(|to| self.named(pool, (group, *to), item)).collect()
    }
    fn named<P: SharedPrecision>(&self, pool: &mut ExprPool, (from, to): (usize, usize), item: &P) -> P {
        let pairs = self.groups[from].iter().zip(&self.groups[to]);
        let by = pairs.map(|(from, to)| (*from, pool.var(*to))).collect();
        item.renamed(pool, &mut Subst::new(by))
    }
}

/// Returns the constraints of a part, and the variables that keep their names: inputs, and what is shared with procedures.
fn constraints(
    pool: &ExprPool,
    program: &Program,
    part: usize,
    (blocks, initial): (&IndexVec<StepId, Block>, StepId),
    yes: ExprId,
) -> (Vec<Constraint>, BTreeSet<VarId>) {
    let own = &program.parts[part];
    let mut fixed: BTreeSet<VarId> =
        program.parts.iter().flat_map(|part| part.state.iter().flat_map(|(var, old)| [*var, *old])).collect();
    let mut all = Vec::new();
    let mut add = |kind: u32, block: &Block| {
        fixed.extend(block.inputs.iter().map(|input| input.var));
        all.extend(atoms(pool, block.guard).into_iter().map(|e| Constraint(kind, None, e)));
        for &(var, value) in &block.updates {
            if pool.sort(value) == Sort::Bool {
                all.extend(atoms(pool, value).into_iter().map(|e| Constraint(kind, None, e)));
                all.push(Constraint(kind, Some(var), yes));
            } else {
                all.push(Constraint(kind, Some(var), value));
            }
        }
    };
    for step in own.moves.values().flatten().filter(|step| step.call.is_none()) {
        add(UPDATE, &blocks[StepId::new(step.edge.index())]);
    }
    if part == 0 {
        add(START, &blocks[initial]);
    }
    if let Some((_, block)) = &own.exit {
        add(GUARD, block);
    }
    let calls = own.moves.values().flatten().filter_map(|step| step.call);
    for call in calls.map(|call| &program.calls[call]) {
        for (i, argument) in call.arguments.iter().enumerate() {
            let kind = ARGUMENT + (call.callee * program.parts.len() + i) as u32;
            all.push(Constraint(kind, None, *argument));
        }
    }
    (all, fixed)
}

/// Returns the parts of a formula that are no formulas of others.
fn atoms(pool: &ExprPool, e: ExprId) -> Vec<ExprId> {
    let (mut atoms, mut todo, mut seen) = (Vec::new(), vec![e], FastSet::default());
    while let Some(e) = todo.pop() {
        if !seen.insert(e) {
            continue;
        }
        let expr = pool.expr(e);
        if let Expr::Not(a) = expr {
            todo.push(a);
        } else if let Expr::And(a, b) | Expr::Or(a, b) = expr {
            todo.extend([a, b]);
        } else if let Expr::Ite(a, b, c) = expr {
            todo.extend([a, b, c]);
        } else if let Expr::Eq(a, b) = expr
            && pool.sort(a) == Sort::Bool
        {
            todo.extend([a, b]);
        } else {
            atoms.push(e);
        }
    }
    atoms
}

/// Returns an expression with its variables numbered in this order.
fn canonical(pool: &mut ExprPool, numbered: &mut Numbered, vars: impl Iterator<Item = VarId>, e: ExprId) -> ExprId {
    let mut by = BTreeMap::new();
    for (number, var) in vars.enumerate() {
        let sort = pool.var_decl(var).sort;
        let name = numbered.var(pool, number as u32, sort);
        by.insert(var, pool.var(name));
    }
    pool.subst(e, &by)
}
