//! Summaries of recursive procedures: an open automaton is closed by them, and the proof is checked on the closed one.
//!
//! The invariant at the entry of a procedure is its precondition, over the state that it shares with callers. The invariant at
//! its exit relates that state with its values at entry. In the closed automaton a call may have any results of the relation. A
//! call outside of the precondition is an error, and so is a return outside of the relation. No proof rests on a depth of calls.
//!
//! Soundness: take a run of the program up to the first error, call outside of a precondition or return outside of a relation.
//! All calls that returned before satisfy their relations. Take its part since the entry of the innermost open call, or since the
//! start. This part is a run of the closed automaton, and it reaches the error location there.
//!
//! Source: papers/block-abstraction-memoization, §2.5.2 (Hoare's rule of recursion) and §3.4.1.

use std::collections::{BTreeMap, BTreeSet};

use super::Flaw;
use kernel::cfa::{Block, Cfa, Edge, EdgeId, LocId, Op, Recursion, RecursiveCall, RecursiveProcedure};
use kernel::expr::{Expr, ExprId, ExprPool, VarId};
use kernel::verdict::{Argument, Proof};

/// Precondition and relation of a procedure.
#[derive(Clone, Copy)]
struct Summary {
    entry: ExprId,
    exit: ExprId,
}

/// Closes an automaton by the summaries in a proof. Returns it with the rest of the proof; `None` if it has no recursive calls.
///
/// Cost:  linear in the automaton and the summaries.
/// Stops: [`Flaw`]: the argument is not inductive, a summary names other variables, or a part of the automaton shares variables
///        that calls do not pass.
pub(crate) fn closed(pool: &ExprPool, cfa: &Cfa, proof: &Proof) -> Result<Option<(Cfa, Proof)>, Flaw> {
    let Some(recursion) = &cfa.recursion else { return Ok(None) };
    let Argument::Inductive(invariants) = &proof.argument else {
        return Err(Flaw("a proof about recursive calls has to be inductive".to_owned()));
    };
    let mut pool = pool.clone();
    let mut translated = BTreeMap::new();
    for (loc, e) in invariants {
        translated.insert(*loc, translate(&mut pool, &proof.pool, *e, cfa)?);
    }
    let yes = pool.bool(true);
    let mut summaries = Vec::new();
    for procedure in &recursion.procedures {
        let mut take = |loc| translated.remove(&loc).unwrap_or(yes);
        let summary = Summary { entry: take(procedure.entry), exit: take(procedure.exit) };
        let shared: BTreeSet<VarId> = procedure.state.iter().copied().collect();
        let both: BTreeSet<VarId> = procedure.old.iter().chain(&procedure.state).copied().collect();
        for (e, allowed) in [(summary.entry, &shared), (summary.exit, &both)] {
            if !pool.vars_of(&[e]).is_subset(allowed) {
                return Err(Flaw(format!("a summary of `{}` names a variable that its callers do not share", procedure.name)));
            }
        }
        summaries.push(summary);
    }
    fits(&pool, cfa, recursion)?;
    let closed = close(&mut pool, cfa, recursion, &summaries);
    Ok(Some((closed, Proof { pool, argument: Argument::Inductive(translated) })))
}

/// Returns the symbol of a summary's part: `|precondition Fib|` at the entry of a procedure, `|relation Fib|` at its exit.
///
/// Of procedures with the same name, all but the first get a number.
pub(super) fn name_of(cfa: &Cfa, loc: LocId) -> Option<String> {
    let procedures = &cfa.recursion.as_ref()?.procedures;
    let at = procedures.iter().position(|procedure| [procedure.entry, procedure.exit].contains(&loc))?;
    let part = if procedures[at].entry == loc { "precondition" } else { "relation" };
    let name = super::smtlib::clean(&procedures[at].name);
    let n_before = procedures[..at].iter().filter(|other| super::smtlib::clean(&other.name) == name).count();
    let number = if n_before == 0 { String::new() } else { format!(" {}", n_before + 1) };
    Some(format!("|{part} {name}{number}|"))
}

/// Returns the place of a summary's part by its symbol, without bars.
pub(crate) fn place(cfa: &Cfa, symbol: &str) -> Option<LocId> {
    let is_named = |loc: &LocId| name_of(cfa, *loc).is_some_and(|name| name.trim_matches('|') == symbol);
    cfa.recursion.as_ref()?.places().find(is_named)
}

/// Returns an expression over the variables of the automaton in another pool.
fn translate(pool: &mut ExprPool, from: &ExprPool, e: ExprId, cfa: &Cfa) -> Result<ExprId, Flaw> {
    let mut done: BTreeMap<ExprId, ExprId> = BTreeMap::new();
    for node in from.uses(e).into_keys() {
        let expr = from.expr(node);
        let new = if let Expr::Var(var) = expr {
            cfa.vars.binary_search(&var).map_err(|_| super::smtlib::foreign(from, var))?;
            pool.var(var)
        } else {
            pool.rebuild(expr.map_children(|child| done[&child]))
        };
        done.insert(node, new);
    }
    Ok(done[&e])
}

/// Checks that the parts of an open automaton share no variables but those that calls pass. Otherwise no proof about it is certified.
pub(crate) fn fits(pool: &ExprPool, cfa: &Cfa, recursion: &Recursion) -> Result<(), Flaw> {
    let parts = parts(pool, cfa, recursion)?;
    let mentions: Vec<BTreeSet<VarId>> = parts.iter().map(|part| mentioned(pool, cfa, part)).collect();
    for (at, procedure) in recursion.procedures.iter().enumerate() {
        let part = at + 1;
        let name = &procedure.name;
        let state: BTreeSet<VarId> = procedure.state.iter().copied().collect();
        let is_old = |var: &VarId| procedure.old.contains(var);
        for (other, vars) in mentions.iter().enumerate().filter(|(other, _)| *other != part) {
            if let Some(var) = mentions[part].intersection(vars).find(|var| !state.contains(var)) {
                let var = &pool.var_decl(*var).name;
                return Err(Flaw(format!("`{name}` and part {other} share the variable `{var}`, which no call passes")));
            }
        }
        if mentions[part].iter().any(|var| cfa.initial.contains_key(var) && !state.contains(var)) {
            return Err(Flaw(format!("`{name}` reads a variable with an initial value that no call passes")));
        }
        let writes: BTreeSet<VarId> = parts[part].iter().flat_map(|edge| cfa.edges[*edge].op.written()).collect();
        if writes.iter().any(is_old) {
            return Err(Flaw(format!("`{name}` writes a value that it keeps from its entry")));
        }
        for call in recursion.calls.iter().filter(|call| call.procedure == at) {
            let keeps = |(i, var): (usize, &VarId)| writes.contains(var) && call.results[i] == call.arguments[i];
            if procedure.state.iter().enumerate().any(keeps) {
                return Err(Flaw(format!("a call of `{name}` keeps a variable that it writes")));
            }
        }
    }
    Ok(())
}

/// Returns the edges of the cycle, then those of each procedure, without the steps to entries. Checks their form.
fn parts(pool: &ExprPool, cfa: &Cfa, recursion: &Recursion) -> Result<Vec<BTreeSet<EdgeId>>, Flaw> {
    let successors = cfa.successors();
    let entries: BTreeSet<LocId> = recursion.procedures.iter().map(|procedure| procedure.entry).collect();
    let starts = std::iter::once(cfa.init).chain(recursion.procedures.iter().map(|procedure| procedure.entry));
    let (mut parts, mut owner) = (Vec::new(), BTreeMap::new());
    for (at, start) in starts.enumerate() {
        let (mut edges, mut todo) = (BTreeSet::new(), vec![start]);
        while let Some(loc) = todo.pop() {
            if owner.insert(loc, at).is_some_and(|other| other != at) {
                return Err(Flaw(format!("{loc} belongs to two procedures")));
            }
            for &edge in &successors[loc] {
                let target = cfa.edges[edge].target;
                let begins = loc == cfa.init && entries.contains(&target);
                if !begins && edges.insert(edge) && target != cfa.error {
                    todo.push(target);
                }
            }
        }
        parts.push(edges);
    }
    for procedure in &recursion.procedures {
        let begins = |edge: &&Edge| edge.source == cfa.init && edge.target == procedure.entry;
        let returns = |edge: &&Edge| edge.source == procedure.exit;
        let begin: Vec<&Edge> = cfa.edges.iter().filter(begins).collect();
        let end: Vec<&Edge> = cfa.edges.iter().filter(returns).collect();
        match (begin.as_slice(), end.as_slice()) {
            ([begin], [end]) if end.target == cfa.error && is_start(pool, procedure, &begin.op) => {}
            ([..], [..]) => return Err(Flaw(format!("`{}` has no entry or no exit of its own", procedure.name))),
        }
    }
    for call in &recursion.calls {
        // A call that no run reaches may be gone.
        let leaving: Vec<&Edge> = successors[call.entry].iter().map(|edge| &cfa.edges[*edge]).collect();
        let procedure = &recursion.procedures[call.procedure];
        let returns = |edge: &&&Edge| edge.target == call.exit && is_call(pool, procedure, call, &edge.op);
        let fails = |edge: &&&Edge| edge.target == cfa.error && gives(pool, &edge.op, [].into_iter(), call.arguments.iter());
        let (n_returns, n_fails) = (leaving.iter().filter(returns).count(), leaving.iter().filter(fails).count());
        if !leaving.is_empty() && (leaving.len(), n_returns, n_fails) != (2, 1, 1) {
            return Err(Flaw(format!("{} is no call", call.entry)));
        }
    }
    Ok(parts)
}

/// Returns whether a step gives a procedure any state, and keeps it.
fn is_start(pool: &ExprPool, procedure: &RecursiveProcedure, op: &Op) -> bool {
    let RecursiveProcedure { state, old, starts, .. } = procedure;
    gives(pool, op, state.iter().zip(starts).chain(old.iter().zip(starts)), starts.iter())
}

/// Returns whether a step gives a variable of the procedure's state its result, or keeps it, and writes nothing else.
fn is_call(pool: &ExprPool, procedure: &RecursiveProcedure, call: &RecursiveCall, op: &Op) -> bool {
    let changed = (0..procedure.state.len()).filter(|i| call.results[*i] != call.arguments[*i]);
    let pairs = changed.map(|i| (&procedure.state[i], &call.results[i]));
    gives(pool, op, pairs, call.arguments.iter().chain(&call.results))
}

/// Returns whether a step gives variables these inputs, has these inputs, and writes nothing else.
fn gives<'v>(
    pool: &ExprPool,
    op: &Op,
    pairs: impl Iterator<Item = (&'v VarId, &'v VarId)>,
    mut wanted: impl Iterator<Item = &'v VarId>,
) -> bool {
    let Op::Block(block) = op else { return false };
    let inputs: BTreeSet<VarId> = block.inputs.iter().map(|input| input.var).collect();
    let pairs: BTreeMap<VarId, Expr> = pairs.map(|(var, input)| (*var, Expr::Var(*input))).collect();
    let updates: BTreeMap<VarId, Expr> = block.updates.iter().map(|(var, e)| (*var, pool.expr(*e))).collect();
    pairs == updates && wanted.all(|var| inputs.contains(var))
}

/// Returns the variables of the state that some of the edges mention.
fn mentioned(pool: &ExprPool, cfa: &Cfa, edges: &BTreeSet<EdgeId>) -> BTreeSet<VarId> {
    let mut all = BTreeSet::new();
    for edge in edges {
        let op = &cfa.edges[*edge].op;
        all.extend(op.written());
        match op {
            Op::Skip | Op::Havoc(_) => {}
            Op::Assume(e) | Op::Assign(_, e) => all.extend(pool.vars_of(&[*e])),
            Op::Block(block) => {
                let roots: Vec<ExprId> = block.updates.iter().map(|(_, e)| *e).chain([block.guard]).collect();
                let inputs: BTreeSet<VarId> = block.inputs.iter().map(|input| input.var).collect();
                all.extend(pool.vars_of(&roots).difference(&inputs));
            }
        }
    }
    all
}

/// Returns the automaton with its calls and returns restricted by summaries.
fn close(pool: &mut ExprPool, cfa: &Cfa, recursion: &Recursion, summaries: &[Summary]) -> Cfa {
    let mut closed = Cfa { recursion: None, ..cfa.clone() };
    for (procedure, summary) in recursion.procedures.iter().zip(summaries) {
        for edge in closed.edges.iter_mut() {
            if edge.source == cfa.init && edge.target == procedure.entry {
                let by = procedure.state.iter().zip(&procedure.starts);
                let begins = renamed(pool, summary.entry, by);
                restrict(pool, edge, begins);
            } else if edge.source == procedure.exit {
                let breaks = pool.not(summary.exit);
                restrict(pool, edge, breaks);
            }
        }
    }
    for call in &recursion.calls {
        let (procedure, summary) = (&recursion.procedures[call.procedure], summaries[call.procedure]);
        let by = procedure.state.iter().zip(&call.arguments);
        let entered = renamed(pool, summary.entry, by.clone());
        let returned = renamed(
            pool,
            summary.exit,
            procedure.old.iter().zip(&call.arguments).chain(procedure.state.iter().zip(&call.results)),
        );
        let outside = pool.not(entered);
        for edge in closed.edges.iter_mut().filter(|edge| edge.source == call.entry) {
            restrict(pool, edge, if edge.target == cfa.error { outside } else { returned });
        }
    }
    closed
}

/// Adds a condition to the guard of a block.
fn restrict(pool: &mut ExprPool, edge: &mut Edge, condition: ExprId) {
    if let Op::Block(block) = &edge.op {
        let guard = pool.and(block.guard, condition);
        edge.op = Op::Block(Box::new(Block { guard, ..(**block).clone() }));
    }
}

fn renamed<'v>(pool: &mut ExprPool, e: ExprId, by: impl Iterator<Item = (&'v VarId, &'v VarId)>) -> ExprId {
    let by = by.map(|(from, to)| (*from, pool.var(*to))).collect();
    pool.subst(e, &by)
}

#[cfg(test)]
pub(crate) mod case;
#[cfg(test)]
mod tests;
