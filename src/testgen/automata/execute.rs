//! Explicit search on concrete values, for comparison with the engines' answers.

use std::collections::{BTreeMap, BTreeSet};

use kernel::cfa::{Cfa, Edge, LocId, LocKind, Op};
use kernel::expr::{ExprId, ExprPool, Sort, Value, VarId};
use kernel::verdict::{Argument, Proof, Trace};

pub type State = BTreeMap<VarId, Value>;

/// Returns all values of a small sort.
fn values(sort: Sort) -> Vec<Value> {
    match sort {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::BitVec(width) => (0..1 << width).map(|v| Value::bv(width, v)).collect(),
        Sort::Float(_) | Sort::Int | Sort::Array(..) => unreachable!("too many values"),
    }
}

/// Returns all assignments to `vars` on top of `base`.
pub fn assignments(pool: &ExprPool, base: &State, vars: &[VarId]) -> Vec<State> {
    vars.iter().fold(vec![base.clone()], |states, &var| {
        let all = values(pool.var_decl(var).sort);
        states
            .iter()
            .flat_map(|s| {
                all.iter().map(|&v| {
                    let mut s = s.clone();
                    s.insert(var, v);
                    s
                })
            })
            .collect()
    })
}

pub fn eval(pool: &ExprPool, e: ExprId, state: &State) -> Value {
    pool.eval(e, &|var| state.get(&var).copied()).unwrap()
}

/// Returns the states behind `edge`; `choose` gives the values that a havocked variable may take.
fn successors(pool: &ExprPool, edge: &Edge, state: &State, choose: &dyn Fn(VarId) -> Vec<Value>) -> Vec<State> {
    match &edge.op {
        Op::Skip => vec![state.clone()],
        Op::Assume(e) => {
            if eval(pool, *e, state) == Value::Bool(true) {
                vec![state.clone()]
            } else {
                vec![]
            }
        }
        Op::Assign(var, e) => {
            let mut next = state.clone();
            next.insert(*var, eval(pool, *e, state));
            vec![next]
        }
        Op::Havoc(var) => choose(*var)
            .into_iter()
            .map(|v| {
                let mut s = state.clone();
                s.insert(*var, v);
                s
            })
            .collect(),
        Op::Block(block) => {
            let inputs: Vec<VarId> = block.inputs.iter().map(|input| input.var).collect();
            let mut all = Vec::new();
            for env in assignments(pool, state, &inputs) {
                if eval(pool, block.guard, &env) == Value::Bool(true) {
                    let mut next = state.clone();
                    for &(var, e) in &block.updates {
                        next.insert(var, eval(pool, e, &env));
                    }
                    all.push(next);
                }
            }
            all
        }
    }
}

pub(super) fn initial(pool: &ExprPool, cfa: &Cfa) -> Vec<State> {
    let free: Vec<VarId> = cfa.vars.iter().copied().filter(|var| !cfa.initial.contains_key(var)).collect();
    assignments(pool, &cfa.initial.clone().into_iter().collect(), &free)
}

/// Returns all reachable (location, state) pairs.
pub fn reachable(pool: &ExprPool, cfa: &Cfa) -> BTreeSet<(LocId, State)> {
    let any = |var: VarId| values(pool.var_decl(var).sort);
    let mut todo: Vec<(LocId, State)> = initial(pool, cfa).into_iter().map(|s| (cfa.init, s)).collect();
    let mut seen: BTreeSet<(LocId, State)> = todo.iter().cloned().collect();
    while let Some((loc, state)) = todo.pop() {
        for (_, edge) in cfa.outgoing(loc) {
            for next in successors(pool, edge, &state, &any) {
                if seen.insert((edge.target, next.clone())) {
                    todo.push((edge.target, next));
                }
            }
        }
    }
    seen
}

/// Checks that a run with as many cycles as the trace reaches the error location: with the trace's havocked values if `exact`,
/// otherwise with any values.
pub fn replays(pool: &ExprPool, cfa: &Cfa, trace: &Trace, exact: bool) -> bool {
    let start = initial(
        pool,
        &Cfa {
            initial: cfa
                .vars
                .iter()
                .filter_map(|var| {
                    let told = trace.cycles.first().and_then(|c| c.get(var)).copied();
                    cfa.initial.get(var).copied().or(if exact { told } else { None }).map(|v| (*var, v))
                })
                .collect(),
            ..cfa.clone()
        },
    );
    // Visits of the head so far, location, state.
    let mut todo: Vec<(usize, LocId, State)> = start.into_iter().map(|s| (0, cfa.init, s)).collect();
    let mut seen: BTreeSet<(usize, LocId, State)> = BTreeSet::new();
    while let Some((cycle, loc, state)) = todo.pop() {
        if loc == cfa.error && (cycle == trace.cycles.len() || (cycle == 0 && trace.cycles.len() == 1)) {
            return true;
        }
        let choose = |var: VarId| {
            let told = trace.cycles.get(cycle.saturating_sub(1)).and_then(|c| c.get(&var)).copied();
            match told {
                Some(value) if exact => vec![value],
                Some(_) | None if exact => vec![Value::zero(pool.var_decl(var).sort)],
                Some(_) | None => values(pool.var_decl(var).sort),
            }
        };
        for (_, edge) in cfa.outgoing(loc) {
            let cycle = cycle + usize::from(edge.target == cfa.head);
            if trace.cycles.len() < cycle {
                continue;
            }
            for next in successors(pool, edge, &state, &choose) {
                let item = (cycle, edge.target, next);
                if seen.insert(item.clone()) {
                    todo.push(item);
                }
            }
        }
    }
    false
}

/// Checks that an invariant holds at the start, is kept from cut point to cut point, and excludes the error.
pub fn proves(pool: &ExprPool, cfa: &Cfa, proof: &Proof) -> Result<(), String> {
    let Argument::Inductive(invariants) = &proof.argument else { return Err("not an invariant".into()) };
    let holds = |loc: LocId, state: &State| {
        invariants.get(&cfa.locs[loc].origin).is_none_or(|&e| eval(&proof.pool, e, state) == Value::Bool(true))
    };
    let is_cut = |loc: LocId| matches!(cfa.locs[loc].kind, LocKind::Head | LocKind::LoopHead);
    let any = |var: VarId| values(pool.var_decl(var).sort);
    let mut todo: Vec<(LocId, State)> = initial(pool, cfa).into_iter().map(|s| (cfa.init, s)).collect();
    for loc in cfa.locs.ids().filter(|&loc| is_cut(loc)) {
        let all = assignments(pool, &State::new(), &cfa.vars);
        todo.extend(all.into_iter().filter(|state| holds(loc, state)).map(|state| (loc, state)));
    }
    let mut seen: BTreeSet<(LocId, State)> = todo.iter().cloned().collect();
    while let Some((loc, state)) = todo.pop() {
        for (_, edge) in cfa.outgoing(loc) {
            for next in successors(pool, edge, &state, &any) {
                if edge.target == cfa.error {
                    return Err(format!("error from {loc} {state:?}"));
                }
                if is_cut(edge.target) && !holds(edge.target, &next) {
                    return Err(format!("from {loc} {state:?} to {} {next:?}", edge.target));
                }
                if seen.insert((edge.target, next.clone())) {
                    todo.push((edge.target, next));
                }
            }
        }
    }
    Ok(())
}

/// Returns the least number of places that each state at a place comes to before the error location, from all values of the
/// state. States without an entry have no way there.
pub fn distances(pool: &ExprPool, cfa: &Cfa, places: &BTreeSet<LocId>) -> BTreeMap<(LocId, State), usize> {
    let any = |var: VarId| values(pool.var_decl(var).sort);
    let all = assignments(pool, &State::new(), &cfa.vars);
    let mut todo: Vec<(LocId, State)> =
        places.iter().flat_map(|place| all.iter().map(move |state| (*place, state.clone()))).collect();
    let mut seen: BTreeSet<(LocId, State)> = todo.iter().cloned().collect();
    let mut before: BTreeMap<(LocId, State), Vec<(LocId, State)>> = BTreeMap::new();
    while let Some((loc, state)) = todo.pop() {
        for (_, edge) in cfa.outgoing(loc) {
            for next in successors(pool, edge, &state, &any) {
                let next = (edge.target, next);
                before.entry(next.clone()).or_default().push((loc, state.clone()));
                if seen.insert(next.clone()) {
                    todo.push(next);
                }
            }
        }
    }
    let mut found: BTreeMap<(LocId, State), usize> = BTreeMap::new();
    let mut near: Vec<(LocId, State)> = seen.into_iter().filter(|(loc, _)| *loc == cfa.error).collect();
    for distance in 0.. {
        let mut far = Vec::new();
        while let Some(node) = near.pop() {
            if found.contains_key(&node) {
                continue;
            }
            let next = if places.contains(&node.0) { &mut far } else { &mut near };
            next.extend(before.get(&node).into_iter().flatten().cloned());
            found.insert(node, distance);
        }
        if far.is_empty() {
            break;
        }
        near = far;
    }
    found.retain(|(loc, _), _| places.contains(loc));
    found
}
