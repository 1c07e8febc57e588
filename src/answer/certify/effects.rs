//! Reads and writes of the edges of an automaton, with the parts of its guards.
//!
//! A guard that is a variable stands for the value that was assigned to it on the only way to the guard ([`Origins`]). So a
//! requirement of many conditions, which a monitor computes into a variable first, has many parts.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use plc_frontend::ids::IndexVec;

use super::automaton::Automaton;
use kernel::cfa::{EdgeId, LocId, Op};
use kernel::expr::{Expr, ExprId, ExprPool, VarId};

/// A condition, or its negation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    pub(super) expr: ExprId,
    /// FALSE for the negation.
    pub(super) holds: bool,
    /// Variables of the state that it reads.
    pub(super) reads: Vec<VarId>,
    /// Variables that these are computed from, through variables with one assignment.
    pub(super) roots: BTreeSet<VarId>,
    /// Its link with the rest of the edge; `None` if it mentions no input of the edge.
    pub(super) link: Option<Rc<Link>>,
}

/// Parts and writes of an edge that are about the same inputs, directly or by way of each other.
///
/// The relation of a recursive call and the names of its arguments are such parts, and its results such writes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Link {
    /// Variables of the state that the parts read.
    pub(super) reads: BTreeSet<VarId>,
    /// Variables that get values from these inputs.
    pub(super) writes: BTreeSet<VarId>,
}

/// Write of one variable.
#[derive(Clone, Debug)]
pub(super) struct Write {
    pub(super) var: VarId,
    /// The new value; `None` for any value.
    pub(super) value: Option<ExprId>,
    /// Variables of the state that it reads.
    pub(super) reads: Vec<VarId>,
}

/// Effect of an edge: it is taken only where all parts of its guard hold, and then all writes happen at once.
#[derive(Clone, Debug, Default)]
pub(super) struct Effect {
    pub(super) guard: Vec<Part>,
    pub(super) writes: Vec<Write>,
    /// Variables of the edge itself, with any value.
    pub(super) inputs: Vec<VarId>,
}

/// Returns the effects of all edges.
///
/// Cost: linear in the nodes of all guards and values, and in the ways that lead to guards which are variables.
pub(super) fn effects(automaton: &Automaton<'_>) -> IndexVec<EdgeId, Effect> {
    let (pool, cfa) = (automaton.pool, automaton.cfa);
    let mut effects: IndexVec<EdgeId, Effect> = cfa.edges.iter().map(|edge| effect(pool, &edge.op)).collect();
    let origins = Origins { automaton, into: cfa.predecessors() };
    let guards: Vec<(EdgeId, Vec<Part>)> = effects
        .iter_enumerated()
        .filter_map(|(edge, effect)| Some((edge, origins.parts(edge, &effect.guard, &effects)?)))
        .collect();
    for (edge, guard) in guards {
        effects[edge].guard = guard;
    }
    let defined = defined(&effects);
    let mut known = BTreeMap::new();
    for part in effects.iter_mut().flat_map(|effect| &mut effect.guard) {
        part.roots = part.reads.iter().flat_map(|var| roots(*var, &defined, &mut known)).collect();
    }
    effects
}

/// Returns the variables with one assignment, with the variables that it reads.
fn defined(effects: &IndexVec<EdgeId, Effect>) -> BTreeMap<VarId, Vec<VarId>> {
    let mut writes: BTreeMap<VarId, Vec<&Write>> = BTreeMap::new();
    effects.iter().flat_map(|effect| &effect.writes).for_each(|write| writes.entry(write.var).or_default().push(write));
    let only = |(var, writes): (VarId, Vec<&Write>)| match writes.as_slice() {
        [only] if only.value.is_some() && !only.reads.contains(&var) => Some((var, only.reads.clone())),
        [..] => None,
    };
    writes.into_iter().filter_map(only).collect()
}

/// Returns the variables that a variable is computed from; itself if it has no or several assignments, or too many roots.
fn roots(var: VarId, defined: &BTreeMap<VarId, Vec<VarId>>, known: &mut BTreeMap<VarId, Vec<VarId>>) -> Vec<VarId> {
    /// Most roots that are followed.
    const MOST: usize = 64;
    let (mut roots, mut seen, mut todo) = (Vec::new(), BTreeSet::from([var]), vec![var]);
    if let Some(known) = known.get(&var) {
        return known.clone();
    }
    while let Some(next) = todo.pop() {
        match defined.get(&next) {
            Some(reads) => todo.extend(reads.iter().filter(|read| seen.insert(**read))),
            None => roots.push(next),
        }
        if MOST < seen.len() {
            roots = vec![var];
            break;
        }
    }
    known.insert(var, roots.clone());
    roots
}

/// Assignments on the only way to a location.
///
/// Soundness: paths of a region begin at a place. So if a location is no place and has one edge that leads to it, each path that
/// comes to the location took this edge. Up to the guard nothing writes the variable again, nor what its value is computed from.
struct Origins<'m> {
    automaton: &'m Automaton<'m>,
    /// Edges that lead to each location.
    into: IndexVec<LocId, Vec<EdgeId>>,
}

impl Origins<'_> {
    /// Returns the parts of an edge's guard with values in place of variables; `None` where no part changes.
    fn parts(&self, edge: EdgeId, guard: &[Part], effects: &IndexVec<EdgeId, Effect>) -> Option<Vec<Part>> {
        let pool = self.automaton.pool;
        let value = |part: &Part| {
            let Expr::Var(var) = pool.expr(part.expr) else { return None };
            // A variable of the edge itself is none of the state.
            (part.reads == [var]).then(|| self.value(self.automaton.cfa.edges[edge].source, var, effects))?
        };
        let values: Vec<Option<ExprId>> = guard.iter().map(value).collect();
        values.iter().any(Option::is_some).then_some(())?;
        let with_values = guard.iter().zip(values).flat_map(|(part, value)| match value {
            Some(value) => conjuncts(pool, value, part.holds, &BTreeSet::new()),
            None => vec![part.clone()],
        });
        Some(with_values.collect())
    }

    /// Returns the expression that has the value of a variable at a location; `None` where there is none.
    fn value(&self, at: LocId, var: VarId, effects: &IndexVec<EdgeId, Effect>) -> Option<ExprId> {
        /// Most edges that are looked at.
        const MOST: usize = 64;
        let (mut at, mut written) = (at, BTreeSet::new());
        for _ in 0..MOST {
            let begins = self.automaton.places.contains(&at) || at == self.automaton.cfa.init;
            let [only] = self.into[at].as_slice() else { return None };
            if begins || self.automaton.passed(at).is_some() {
                return None;
            }
            let effect = &effects[*only];
            let write = effect.writes.iter().find(|write| write.var == var);
            written.extend(effect.writes.iter().map(|write| write.var));
            if let Some(write) = write {
                let value = write.value.filter(|_| effect.inputs.is_empty())?;
                return write.reads.iter().all(|read| !written.contains(read)).then_some(value);
            }
            at = self.automaton.cfa.edges[*only].source;
        }
        None
    }
}

fn effect(pool: &ExprPool, op: &Op) -> Effect {
    let none = BTreeSet::new();
    let write = |var: VarId, value: Option<ExprId>, inputs: &BTreeSet<VarId>| {
        let reads = value.map(|value| reads(pool, value, inputs)).unwrap_or_default();
        Write { var, value, reads }
    };
    match op {
        Op::Skip => Effect::default(),
        Op::Assume(guard) => Effect { guard: conjuncts(pool, *guard, true, &none), ..Effect::default() },
        Op::Assign(var, value) => Effect { writes: vec![write(*var, Some(*value), &none)], ..Effect::default() },
        Op::Havoc(var) => Effect { writes: vec![write(*var, None, &none)], ..Effect::default() },
        Op::Block(block) => {
            let inputs: BTreeSet<VarId> = block.inputs.iter().map(|input| input.var).collect();
            let mut guard = conjuncts(pool, block.guard, true, &inputs);
            link(pool, &mut guard, &block.updates, &inputs);
            Effect {
                guard,
                writes: block.updates.iter().map(|(var, value)| write(*var, Some(*value), &inputs)).collect(),
                inputs: inputs.into_iter().collect(),
            }
        }
    }
}

fn reads(pool: &ExprPool, e: ExprId, inputs: &BTreeSet<VarId>) -> Vec<VarId> {
    pool.vars_of(&[e]).into_iter().filter(|var| !inputs.contains(var)).collect()
}

/// Sets the links of the parts of a guard.
///
/// Cost: `n log n` in the inputs that parts and updates mention.
fn link(pool: &ExprPool, guard: &mut [Part], updates: &[(VarId, ExprId)], inputs: &BTreeSet<VarId>) {
    let mentioned = |e: ExprId| -> Vec<VarId> { pool.vars_of(&[e]).intersection(inputs).copied().collect() };
    // Group of each input: the inputs of a part are in one.
    let mut groups: BTreeMap<VarId, usize> = BTreeMap::new();
    let mut members: Vec<(Vec<VarId>, Link)> = Vec::new();
    let of_parts: Vec<Vec<VarId>> = guard.iter().map(|part| mentioned(part.expr)).collect();
    let of_updates: Vec<Vec<VarId>> = updates.iter().map(|(_, value)| mentioned(*value)).collect();
    for own in of_parts.iter().chain(&of_updates).filter(|own| !own.is_empty()) {
        let (mut all, mut known) = (own.clone(), BTreeSet::new());
        known.extend(own.iter().filter_map(|input| groups.get(input)).copied());
        known.iter().for_each(|group| all.append(&mut members[*group].0));
        all.iter().for_each(|input| _ = groups.insert(*input, members.len()));
        members.push((all, Link::default()));
    }
    let group = |own: &[VarId]| own.first().map(|input| groups[input]);
    for (part, own) in guard.iter().zip(&of_parts) {
        group(own).into_iter().for_each(|group| members[group].1.reads.extend(&part.reads));
    }
    for ((var, _), own) in updates.iter().zip(&of_updates) {
        group(own).into_iter().for_each(|group| _ = members[group].1.writes.insert(*var));
    }
    let links: Vec<Rc<Link>> = members.into_iter().map(|(_, link)| Rc::new(link)).collect();
    for (part, own) in guard.iter_mut().zip(&of_parts) {
        part.link = group(own).map(|group| links[group].clone());
    }
}

/// Returns parts whose conjunction is `e`, or the negation of `e` if `holds` is FALSE.
fn conjuncts(pool: &ExprPool, e: ExprId, holds: bool, inputs: &BTreeSet<VarId>) -> Vec<Part> {
    let (mut parts, mut todo, mut seen) = (Vec::new(), vec![(e, holds)], BTreeSet::new());
    while let Some((e, holds)) = todo.pop() {
        if !seen.insert((e, holds)) {
            continue;
        }
        match (pool.expr(e), holds) {
            (Expr::Not(of), _) => todo.push((of, !holds)),
            (Expr::And(a, b), true) | (Expr::Or(a, b), false) => todo.extend([(b, holds), (a, holds)]),
            (_, _) => parts.push(Part { expr: e, holds, reads: reads(pool, e, inputs), roots: BTreeSet::new(), link: None }),
        }
    }
    parts
}

impl Effect {
    /// Returns conditions of which at least one holds iff the guard holds, as the parts of each.
    ///
    /// A guard that is one disjunction has its operands; any other guard has itself.
    pub(super) fn alternatives(&self, pool: &ExprPool) -> Vec<Vec<Part>> {
        let [only] = self.guard.as_slice() else { return vec![self.guard.clone()] };
        let inputs = self.inputs.iter().copied().collect();
        // The parts of the negation, each negated.
        let parts = conjuncts(pool, only.expr, !only.holds, &inputs);
        parts.into_iter().map(|part| vec![Part { holds: !part.holds, ..part }]).collect()
    }
}
