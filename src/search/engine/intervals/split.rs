//! Copies of each location by the value of a flag: "past the middle, the step is at least 150".
//!
//! Source: Mauborgne, Rival, "Trace partitioning in abstract interpretation based static analyzers", ESOP 2005,
//! doi:10.1007/978-3-540-31987-0_2 (§4.2: partitions by the value of a variable).

use std::collections::{BTreeMap, BTreeSet};

use kernel::cfa::{Cfa, Edge, Loc, LocId, LocKind, Op};
use kernel::expr::{ExprPool, Sort, Subst, VarId};
use plc_frontend::ids::IndexVec;

use super::fixpoint::stops_of;

/// Most edges of an automaton that is split.
const MOST_EDGES: usize = 40_000;
/// Most flags that are tried, one after the other.
const MOST_FLAGS: usize = 4;

/// An automaton with copies of its locations.
pub(super) struct Split {
    pub(super) cfa: Cfa,
    /// Copies of each location of the original.
    pub(super) copies: IndexVec<LocId, Vec<LocId>>,
}

/// Returns flags of the state that decide whether a run comes to the error location; none of a program that is too large.
///
/// Cost: the assignments of the automaton once.
pub(super) fn flags(pool: &ExprPool, cfa: &Cfa) -> Vec<VarId> {
    if MOST_EDGES < cfa.edges.len() {
        return Vec::new();
    }
    let mut assigned: BTreeMap<VarId, BTreeSet<VarId>> = BTreeMap::new();
    let mut open = BTreeSet::new();
    for edge in cfa.edges.iter() {
        match &edge.op {
            Op::Assign(var, value) if is_flag(pool, cfa, *var) => {
                assigned.entry(*var).or_default().extend(pool.vars_of(&[*value]))
            }
            Op::Assume(guard) if edge.target == cfa.error => open.extend(pool.vars_of(&[*guard])),
            Op::Assign(..) | Op::Assume(_) | Op::Skip | Op::Havoc(_) | Op::Block(_) => {}
        }
    }
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    while let Some(var) = open.pop_first() {
        if found.len() == MOST_FLAGS {
            break;
        }
        if !is_flag(pool, cfa, var) || !seen.insert(var) {
            continue;
        }
        // Flags of the model keep parts of a condition for a moment: what they are assigned counts.
        if pool.var_decl(var).name.starts_with('#') {
            open.extend(assigned.get(&var).into_iter().flatten().copied());
        } else {
            found.push(var);
        }
    }
    found
}

fn is_flag(pool: &ExprPool, cfa: &Cfa, var: VarId) -> bool {
    pool.var_decl(var).sort == Sort::Bool && cfa.vars.binary_search(&var).is_ok()
}

/// Returns the automaton with guards that say what a flag in them was computed from, where it was computed just before.
///
/// A short circuit computes a flag and branches by it. Bounds know what its condition says, and nothing of the flag.
///
/// Cost:      the automaton once.
/// Soundness: the runs are those of the automaton.
pub(super) fn sharpened(pool: &mut ExprPool, cfa: &Cfa) -> Cfa {
    let predecessors = cfa.predecessors();
    let mut sharpened = cfa.clone();
    for edge in sharpened.edges.iter_mut() {
        let [before] = predecessors[edge.source].as_slice() else { continue };
        let (Op::Assume(guard), Op::Assign(flag, value)) = (&mut edge.op, &cfa.edges[*before].op) else { continue };
        let is_flag = pool.var_decl(*flag).sort == Sort::Bool && !pool.vars_of(&[*value]).contains(flag);
        if is_flag && pool.vars_of(&[*guard]).contains(flag) {
            let computed = Subst::new([(*flag, *value)].into()).apply(pool, *guard);
            *guard = pool.and(*guard, computed);
        }
    }
    sharpened
}

/// Returns the constants of the conditions behind which the flag is written or the error location comes, with their neighbours,
/// ascending. With all constants as stops, a state machine climbs a step at a time past the one that sets the flag.
pub(super) fn stops(pool: &ExprPool, cfa: &Cfa, flag: VarId) -> Vec<i128> {
    /// Conditions before one edge that are looked at.
    const MOST: usize = 16;
    let (predecessors, mut conditions) = (cfa.predecessors(), Vec::new());
    for edge in cfa.edges.iter().filter(|edge| edge.target == cfa.error || writes(&edge.op, flag)) {
        let mut at = edge;
        for _ in 0..MOST {
            match &at.op {
                Op::Assume(e) | Op::Assign(_, e) => conditions.push(*e),
                Op::Block(block) => conditions.push(block.guard),
                Op::Skip | Op::Havoc(_) => {}
            }
            let [before] = predecessors[at.source].as_slice() else { break };
            at = &cfa.edges[*before];
        }
    }
    stops_of(pool, &conditions)
}

/// Returns the automaton with a copy of each location for FALSE and for TRUE. Where the flag is written, the new value decides which
/// copy the run comes to. Copies have the origin of their location.
///
/// Cost:      the automaton twice, and up to three edges more for each one that writes the flag.
/// Soundness: the runs are those of the automaton, but for a location more behind each write.
pub(super) fn split(pool: &mut ExprPool, cfa: &Cfa, flag: VarId) -> Split {
    let is = pool.var(flag);
    let is_not = pool.not(is);
    let mut locs = cfa.locs.clone();
    let is_single = |loc: LocId| loc == cfa.init || loc == cfa.error;
    let copies: IndexVec<LocId, Vec<LocId>> = cfa
        .locs
        .iter_enumerated()
        .map(|(id, loc)| if is_single(id) { vec![id] } else { vec![id, locs.push(loc.clone())] })
        .collect();
    let mut edges = IndexVec::new();
    for edge in cfa.edges.iter() {
        let targets = &copies[edge.target];
        let is_decided = !is_single(edge.source) && !writes(&edge.op, flag);
        for (n, source) in copies[edge.source].iter().copied().enumerate() {
            let mut add = |source: LocId, target: LocId, op: Op| _ = edges.push(Edge { source, target, op, span: edge.span });
            match targets.as_slice() {
                [only] => add(source, *only, edge.op.clone()),
                [] => {}
                [of_false, of_true, ..] if is_decided => add(source, if n == 0 { *of_false } else { *of_true }, edge.op.clone()),
                [of_false, of_true, ..] => {
                    let mut between = || locs.push(Loc { kind: LocKind::Inner, origin: cfa.locs[edge.target].origin });
                    if let Op::Assign(var, value) = &edge.op
                        && *var == flag
                    {
                        // What decides the value is known about the other variables, too.
                        for (target, decides, value) in [(of_false, pool.not(*value), false), (of_true, *value, true)] {
                            let (decided, value) = (between(), pool.bool(value));
                            add(source, decided, Op::Assume(decides));
                            add(decided, *target, Op::Assign(flag, value));
                        }
                    } else {
                        let written = between();
                        add(source, written, edge.op.clone());
                        add(written, *of_false, Op::Assume(is_not));
                        add(written, *of_true, Op::Assume(is));
                    }
                }
            }
        }
    }
    Split { cfa: Cfa { locs, edges, ..cfa.clone() }, copies }
}

fn writes(op: &Op, flag: VarId) -> bool {
    match op {
        Op::Skip | Op::Assume(_) => false,
        Op::Assign(var, _) | Op::Havoc(var) => *var == flag,
        Op::Block(block) => block.updates.iter().any(|(var, _)| *var == flag),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::expr::Value;
    use testgen::automata::examples::Builder;

    /// An operation before the first cycle leads to both copies, and is none of the flag.
    #[test]
    fn assignments_before_the_first_cycle_stay() {
        let mut b = Builder::new();
        let (count, flag) = (b.var("c", Value::int(16, 0)), b.var("f", Value::Bool(false)));
        let (value, bad) = (b.n(16, 3), b.is(count, 9));
        let l = b.then(b.cfa.head, Op::Havoc(flag));
        b.close(l, bad);
        let (mut pool, mut cfa) = (b.pool, b.cfa);
        let first = Op::Assign(count, value);
        let init = cfa.init;
        cfa.edges.iter_mut().filter(|edge| edge.source == init).for_each(|edge| edge.op = first.clone());
        let split = split(&mut pool, &cfa, flag).cfa;
        let first_ops: Vec<&Op> = split.edges.iter().filter(|edge| edge.source == init).map(|edge| &edge.op).collect();
        assert!(!first_ops.is_empty() && first_ops.iter().all(|op| **op == first), "{first_ops:?}");
    }
}
