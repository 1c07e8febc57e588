//! Partial claims that differ by names only.
//!
//! Each system of a claim is written down as its nodes in a fixed order, where variables have numbers by their first visit. Equal
//! descriptions give a renaming of one system to the other: a bijection of variables of equal sorts, kinds and initial values
//! that maps error condition, guard and next values. A variable of both systems, such as the time of a cycle, keeps its name.

use std::collections::BTreeMap;

use kernel::cfa::pass::System;
use kernel::expr::{Expr, ExprId, ExprPool, FastMap, Sort, Value, VarId};

/// Partial claims that differ by names only.
pub(super) struct Class {
    pub(super) claim: System,
    /// Variables of the system of `claim`, in the order of the description.
    leaves: Vec<VarId>,
    /// For each other claim the names of these variables in its system.
    pub(super) names: Vec<BTreeMap<VarId, VarId>>,
}

/// Description of a system without names.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
struct Shape {
    /// Operands are positions in this list, variables positions in `leaves`.
    nodes: Vec<Expr>,
    leaves: Vec<Leaf>,
    /// Positions of the error condition, then of next values in the order of their variables, then of the guard.
    roots: Vec<u32>,
}

/// Variable without its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Leaf {
    sort: Sort,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    /// Of the state, with its initial value if it has one.
    State(Option<Value>),
    /// Arbitrary in each step: TRUE for an input, FALSE for a choice between paths.
    Input(bool),
    /// Neither.
    Other,
}

/// Divides claims into classes of those that differ by names only.
///
/// Cost: one visit of each system.
pub(super) fn classes(pool: &ExprPool, claims: Vec<System>) -> Vec<Class> {
    let mut classes: Vec<Class> = Vec::new();
    let mut by_shape: FastMap<Shape, Vec<usize>> = FastMap::default();
    for claim in claims {
        let (shape, leaves) = described(pool, &claim);
        let alike = by_shape.entry(shape).or_default();
        let renamed = alike.iter().find_map(|i| Some((*i, renaming(&classes[*i].leaves, &leaves)?)));
        if let Some((i, names)) = renamed {
            classes[i].names.push(names);
        } else {
            alike.push(classes.len());
            classes.push(Class { claim, leaves, names: Vec::new() });
        }
    }
    classes
}

/// Returns the renaming between two systems of one shape; `None` if a variable of both would get another name.
fn renaming(from: &[VarId], to: &[VarId]) -> Option<BTreeMap<VarId, VarId>> {
    let names: BTreeMap<VarId, VarId> = from.iter().copied().zip(to.iter().copied()).collect();
    let keeps_shared = to.iter().all(|var| names.get(var).is_none_or(|renamed| renamed == var));
    keeps_shared.then_some(names)
}

/// Returns the description of a system, and its variables in the order of their first visit.
fn described(pool: &ExprPool, system: &System) -> (Shape, Vec<VarId>) {
    let mut description = Description { pool, system, shape: Shape::default(), leaves: Vec::new(), done: FastMap::default() };
    description.root(system.bad);
    // All variables of the state are found from the error condition on.
    let mut i = 0;
    while let Some(var) = description.leaves.get(i) {
        if let Ok(next) = system.next.binary_search_by_key(var, |(v, _)| *v) {
            description.root(system.next[next].1);
        }
        i += 1;
    }
    description.root(system.guard);
    (description.shape, description.leaves)
}

struct Description<'a> {
    pool: &'a ExprPool,
    system: &'a System,
    shape: Shape,
    leaves: Vec<VarId>,
    /// Positions of nodes.
    done: FastMap<ExprId, u32>,
}

impl Description<'_> {
    /// Adds an expression with all nodes below it, operands first.
    fn root(&mut self, root: ExprId) {
        let mut stack = vec![root];
        while let Some(&e) = stack.last() {
            if self.done.contains_key(&e) {
                stack.pop();
                continue;
            }
            let node = self.pool.expr(e);
            let before = stack.len();
            stack.extend(node.children().rev().filter(|c| !self.done.contains_key(c)));
            if before == stack.len() {
                stack.pop();
                let node = self.without_names(node);
                self.done.insert(e, self.shape.nodes.len() as u32);
                self.shape.nodes.push(node);
            }
        }
        self.shape.roots.push(self.done[&root]);
    }

    fn without_names(&mut self, node: Expr) -> Expr {
        let Expr::Var(var) = node else { return node.map_children(|c| ExprId(self.done[&c])) };
        let number = self.leaves.len() as u32;
        self.leaves.push(var);
        self.shape.leaves.push(self.leaf(var));
        Expr::Var(VarId(number))
    }

    fn leaf(&self, var: VarId) -> Leaf {
        let sort = self.pool.var_decl(var).sort;
        let input = self.system.inputs.iter().find(|input| input.var == var);
        let kind = if self.system.vars.binary_search(&var).is_ok() {
            Kind::State(self.system.initial.get(&var).copied())
        } else if let Some(input) = input {
            Kind::Input(input.origin.is_some())
        } else {
            Kind::Other
        };
        Leaf { sort, kind }
    }
}
