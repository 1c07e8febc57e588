//! Recursive calls that stay calls: procedures of an automaton, and the places that call them.
//!
//! An automaton with recursive calls is *open*. Each recursive procedure is a part of its own, entered from the start of runs
//! with any state. A call is one step: its results may be any values, and its guard names its arguments. Each call and each
//! return may lead to the error location. A *summary* of each procedure closes the automaton: a condition at entry, and a relation between entry
//! and return. Then a call has only results of the relation. It leads to the error location only outside of the condition.
//! A return leads there only outside of the relation.
//!
//! A run of the open automaton with arbitrary results is no run of the program. So an open automaton has no counterexamples of
//! its own, and only engines that know calls decide it.

use std::collections::BTreeSet;

use plc_frontend::ids::IndexVec;
use plc_frontend::source::{FileId, Span};

use super::automaton::{LocId, LocKind, Op};
use super::block::{Block, BlockInput};
use super::inline::{Copied, Flat};
use super::model::ModelError;
use super::network::{Network, ProcId};
use crate::expr::{ExprPool, VarId};

/// Recursive procedures of an open automaton.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recursion {
    /// Procedures that call themselves, also by way of others.
    pub procedures: Vec<RecursiveProcedure>,
    /// Their calls, from anywhere.
    pub calls: Vec<RecursiveCall>,
}

/// Part of an open automaton that calls may execute. Locations are those of the unreduced automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecursiveProcedure {
    /// Its name.
    pub name: String,
    /// Variables of callers that it may read or write, directly or by its calls.
    pub state: Vec<VarId>,
    /// For each of them, the variable that keeps its value at entry.
    pub old: Vec<VarId>,
    /// First location.
    pub entry: LocId,
    /// Last location. Its only edge leads to the error location.
    pub exit: LocId,
    /// Inputs of the step to the entry: the values at entry.
    pub starts: Vec<VarId>,
    /// Inputs that the guard at the return names: the values at entry.
    pub before: Vec<VarId>,
    /// Inputs that the guard at the return names: the values at the return.
    pub after: Vec<VarId>,
}

/// Call of a recursive procedure: the only edge between two locations of the unreduced automaton. One more edge leads from the first
/// one to the error location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecursiveCall {
    /// Position of the procedure in [`Recursion::procedures`].
    pub procedure: usize,
    /// Location before the call.
    pub entry: LocId,
    /// Location after it.
    pub exit: LocId,
    /// Inputs that the guard names: the values of the procedure's state before the call.
    pub arguments: Vec<VarId>,
    /// Its values after the call: an input, or the argument where the procedure does not write the variable.
    pub results: Vec<VarId>,
}

/// Recursive calls of an automaton that is being put together.
#[derive(Default)]
pub(crate) struct OpenCalls {
    /// Procedures in the order of their first calls.
    found: Vec<ProcId>,
    /// Procedure of each call, and its edge, which has no operation yet.
    calls: Vec<(usize, usize)>,
}

impl OpenCalls {
    /// Adds a call, which is this edge. Its operation follows.
    pub(super) fn add(&mut self, proc: ProcId, edge: usize) {
        let position = self.found.iter().position(|known| *known == proc).unwrap_or_else(|| {
            self.found.push(proc);
            self.found.len() - 1
        });
        self.calls.push((position, edge));
    }
}

/// A procedure whose part of the automaton is complete, except for the operations of calls.
struct Part {
    entry: LocId,
    exit: LocId,
    edges: std::ops::Range<usize>,
    state: BTreeSet<VarId>,
    written: BTreeSet<VarId>,
}

/// Adds the parts of all recursive procedures that `flat` calls, and the operations of their calls. Returns what was added.
///
/// Cost:      linear in the bodies, with other calls in them written out.
/// Stops:     [`ModelError`]: too large, or a recursive procedure with VAR_IN_OUT or an instance.
/// Soundness: closed by summaries, no error location is reachable only if no run of the program reaches one at any depth of
///            calls: papers/block-abstraction-memoization, §2.5.2 (rule of recursion).
pub(crate) fn complete(
    pool: &mut ExprPool,
    network: &Network,
    flat: &mut Flat,
    init: LocId,
    error: LocId,
    max_edges: usize,
) -> Result<Recursion, ModelError> {
    let mut parts: Vec<Part> = Vec::new();
    while let Some(&proc) = flat.open.as_ref().and_then(|open| open.found.get(parts.len())) {
        let procedure = &network.procedures[proc];
        if !procedure.formals.is_empty() {
            let what = format!(
                "`{}`, which calls itself and has an instance or VAR_IN_OUT, without writing out its calls",
                procedure.name
            );
            let span = procedure.graph.edges.iter().find_map(|edge| edge.span);
            return Err(ModelError::unsupported(what, span.unwrap_or_else(|| Span::new(FileId(0), 0, 0))));
        }
        let (entry, exit) = (flat.loc(LocKind::Call), flat.loc(LocKind::Call));
        let first = flat.edges.len();
        flat.splice(pool, network, Copied::graph(&procedure.graph, entry, exit), max_edges)?;
        parts.push(Part { entry, exit, edges: first..flat.edges.len(), state: BTreeSet::new(), written: BTreeSet::new() });
    }
    let Some(OpenCalls { found, calls }) = flat.open.take() else { return Ok(Recursion::default()) };
    for (part, proc) in parts.iter_mut().zip(&found) {
        let own: BTreeSet<VarId> = network.procedures[*proc].locals.iter().copied().collect();
        let edges = &flat.edges[part.edges.clone()];
        part.state = super::model::mentioned_by(pool, edges).difference(&own).copied().collect();
        part.written = edges.iter().flat_map(|edge| edge.op.written()).filter(|var| !own.contains(var)).collect();
    }
    close_over_calls(&mut parts, &calls);
    let mut recursion = Recursion::default();
    for (part, proc) in parts.iter().zip(&found) {
        recursion.procedures.push(procedure(pool, flat, &network.procedures[*proc].name, part, init, error));
    }
    for (callee, edge) in calls {
        recursion.calls.push(call(pool, flat, &recursion.procedures[callee], callee, &parts[callee].written, edge, error));
    }
    Ok(recursion)
}

/// Adds to each part what its calls read and write.
fn close_over_calls(parts: &mut [Part], calls: &[(usize, usize)]) {
    loop {
        let mut grew = false;
        for (callee, edge) in calls {
            let Some(caller) = parts.iter().position(|part| part.edges.contains(edge)) else { continue };
            let (state, written) = (parts[*callee].state.clone(), parts[*callee].written.clone());
            let (n_state, n_written) = (parts[caller].state.len(), parts[caller].written.len());
            parts[caller].state.extend(state);
            parts[caller].written.extend(written);
            grew |= n_state < parts[caller].state.len() || n_written < parts[caller].written.len();
        }
        if !grew {
            return;
        }
    }
}

/// Adds the step to the entry of a procedure, and the step from its exit to the error location.
fn procedure(pool: &mut ExprPool, flat: &mut Flat, name: &str, part: &Part, init: LocId, error: LocId) -> RecursiveProcedure {
    let state: Vec<VarId> = part.state.iter().copied().collect();
    let old = copies(pool, &state, "at entry");
    let [starts, before, after] = ["before the call", "at entry (named)", "at return"].map(|what| copies(pool, &state, what));
    let updates = state.iter().zip(&starts).chain(old.iter().zip(&starts));
    let mut updates: Vec<_> = updates.map(|(var, start)| (*var, pool.var(*start))).collect();
    updates.sort_unstable_by_key(|(var, _)| *var);
    let yes = pool.bool(true);
    let begin = Block { guard: yes, updates, inputs: starts.iter().copied().map(any).collect() };
    flat.edge(init, part.entry, Op::Block(Box::new(begin)), None);
    let named = names(pool, &state, &after);
    let named_old = names(pool, &old, &before);
    let guard = pool.and(named, named_old);
    let end = Block { guard, updates: Vec::new(), inputs: before.iter().chain(&after).copied().map(any).collect() };
    flat.edge(part.exit, error, Op::Block(Box::new(end)), None);
    RecursiveProcedure { name: name.to_owned(), state, old, entry: part.entry, exit: part.exit, starts, before, after }
}

/// Gives the edge of a call its operation.
fn call(
    pool: &mut ExprPool,
    flat: &mut Flat,
    callee: &RecursiveProcedure,
    position: usize,
    written: &BTreeSet<VarId>,
    edge: usize,
    error: LocId,
) -> RecursiveCall {
    let arguments = copies(pool, &callee.state, "as argument");
    let mut results = arguments.clone();
    let mut updates = Vec::new();
    for (at, var) in callee.state.iter().enumerate().filter(|(_, var)| written.contains(var)) {
        results[at] = copies(pool, &[*var], "as result")[0];
        updates.push((*var, pool.var(results[at])));
    }
    let guard = names(pool, &callee.state, &arguments);
    let inputs: BTreeSet<VarId> = arguments.iter().chain(&results).copied().collect();
    let (source, target, span) = (flat.edges[edge].source, flat.edges[edge].target, flat.edges[edge].span);
    let inputs: Vec<BlockInput> = inputs.into_iter().map(any).collect();
    let wrong = Block { guard, updates: Vec::new(), inputs: inputs.clone() };
    flat.edge(source, error, Op::Block(Box::new(wrong)), span);
    flat.edges[edge].op = Op::Block(Box::new(Block { guard, updates, inputs }));
    RecursiveCall { procedure: position, entry: source, exit: target, arguments, results }
}

/// Returns a new variable for each of `vars`.
fn copies(pool: &mut ExprPool, vars: &[VarId], what: &str) -> Vec<VarId> {
    let copy = |var: &VarId| {
        let decl = pool.var_decl(*var).clone();
        pool.new_var(format!("{} {what}", decl.name), decl.sort)
    };
    vars.iter().map(copy).collect()
}

/// Returns the condition that gives the values of `vars` names. It restricts nothing where the names are free inputs.
fn names(pool: &mut ExprPool, vars: &[VarId], named: &[VarId]) -> crate::expr::ExprId {
    let mut all = Vec::with_capacity(vars.len());
    for (var, name) in vars.iter().zip(named) {
        let (var, name) = (pool.var(*var), pool.var(*name));
        all.push(pool.eq(var, name));
    }
    pool.and_all(all)
}

fn any(var: VarId) -> BlockInput {
    BlockInput { var, origin: None }
}

impl Recursion {
    /// Returns it with other numbers of locations. All its locations are kept.
    pub(super) fn renumbered(&self, renamed: &IndexVec<LocId, Option<LocId>>) -> Recursion {
        let mut new = self.clone();
        let to = |loc: &mut LocId| *loc = renamed[*loc].unwrap_or(*loc);
        for procedure in &mut new.procedures {
            to(&mut procedure.entry);
            to(&mut procedure.exit);
        }
        new.calls.retain(|call| renamed[call.entry].is_some());
        for call in &mut new.calls {
            to(&mut call.entry);
            to(&mut call.exit);
        }
        new
    }
    /// Returns the locations that have summaries.
    pub fn places(&self) -> impl Iterator<Item = LocId> + '_ {
        self.procedures.iter().flat_map(|procedure| [procedure.entry, procedure.exit])
    }
}

impl Op {
    /// Returns the variables of the state that the operation writes.
    pub fn written(&self) -> Vec<VarId> {
        match self {
            Op::Skip | Op::Assume(_) => Vec::new(),
            Op::Assign(var, _) | Op::Havoc(var) => vec![*var],
            Op::Block(block) => block.updates.iter().map(|(var, _)| *var).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
