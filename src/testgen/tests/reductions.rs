//! Reductions keep the answer: every example, every encoding, all inputs, cycle by cycle.

use std::collections::{BTreeMap, BTreeSet};

use kernel::cfa::pass::{Encoding, System, blocks, monolithic, reduce};
use kernel::cfa::{BlockInput, Cfa, LocId, LocKind, Op};
use kernel::expr::{ExprPool, Sort, Value, VarId};
use testgen::automata::examples::{self, Answer, Builder};

type State = BTreeMap<VarId, Value>;

/// Returns values that stand for all of a sort: the examples distinguish no others.
fn candidates(sort: Sort) -> Vec<Value> {
    match sort {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::BitVec(width) => [0, 7, 200].into_iter().map(|n| Value::int(width, n)).collect(),
        Sort::Float(_) | Sort::Int | Sort::Array(..) => vec![Value::zero(sort)],
    }
}

/// Returns all ways to give values to some variables.
fn assignments(pool: &ExprPool, vars: &[VarId]) -> Vec<State> {
    let mut all = vec![State::new()];
    for var in vars {
        let values = candidates(pool.var_decl(*var).sort);
        all = all.iter().flat_map(|s| values.iter().map(|v| with(s, *var, *v)).collect::<Vec<_>>()).collect();
    }
    all
}

fn with(state: &State, var: VarId, value: Value) -> State {
    let mut state = state.clone();
    state.insert(var, value);
    state
}

fn starts(pool: &ExprPool, vars: &[VarId], initial: &State) -> Vec<State> {
    let open: Vec<VarId> = vars.iter().copied().filter(|v| !initial.contains_key(v)).collect();
    let complete = |mut s: State| {
        s.extend(initial.iter().map(|(v, x)| (*v, *x)));
        s
    };
    assignments(pool, &open).into_iter().map(complete).collect()
}

/// Returns the first cycle in which a run is at the error location.
fn first_error(pool: &ExprPool, cfa: &Cfa, cycles: usize) -> Option<usize> {
    let mut heads: BTreeSet<(LocId, State)> = starts(pool, &cfa.vars, &cfa.initial).into_iter().map(|s| (cfa.init, s)).collect();
    for cycle in 0..=cycles {
        let mut next = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut todo: Vec<(LocId, State)> = heads.into_iter().collect();
        while let Some((loc, state)) = todo.pop() {
            if loc == cfa.error {
                return Some(cycle);
            }
            for (_, edge) in cfa.outgoing(loc) {
                for after in post(pool, &state, &edge.op) {
                    if edge.target == cfa.head {
                        next.insert((cfa.head, after));
                    } else if seen.insert((edge.target, after.clone())) {
                        todo.push((edge.target, after));
                    }
                }
            }
        }
        heads = next;
    }
    None
}

fn post(pool: &ExprPool, state: &State, op: &Op) -> Vec<State> {
    let value = |e| pool.eval(e, &|v| state.get(&v).copied()).unwrap();
    match op {
        Op::Skip => vec![state.clone()],
        Op::Assume(e) if value(*e) == Value::Bool(true) => vec![state.clone()],
        Op::Assume(_) => Vec::new(),
        Op::Assign(var, e) => vec![with(state, *var, value(*e))],
        Op::Havoc(var) => candidates(pool.var_decl(*var).sort).into_iter().map(|x| with(state, *var, x)).collect(),
        Op::Block(block) => chosen(pool, &block.inputs)
            .into_iter()
            .filter_map(|inputs| {
                let value = |e| pool.eval(e, &|v| inputs.get(&v).or(state.get(&v)).copied()).unwrap();
                let feasible = value(block.guard) == Value::Bool(true);
                let mut after = state.clone();
                after.extend(block.updates.iter().map(|(var, e)| (*var, value(*e))));
                feasible.then_some(after)
            })
            .collect(),
    }
}

fn chosen(pool: &ExprPool, inputs: &[BlockInput]) -> Vec<State> {
    assignments(pool, &inputs.iter().map(|i| i.var).collect::<Vec<_>>())
}

/// Returns the cycle as [`first_error`] does; without `pc` a step is a cycle.
fn first_bad(pool: &ExprPool, system: &System, head: Option<Value>, steps: usize) -> Option<usize> {
    let open: Vec<VarId> = system.vars.clone();
    let mut states: BTreeSet<(usize, State)> = starts(pool, &open, &system.initial).into_iter().map(|s| (0, s)).collect();
    let mut found: Option<usize> = None;
    for _ in 0..steps {
        let mut next = BTreeSet::new();
        for (cycle, state) in states {
            let at_head = system.pc.is_none_or(|pc| Some(state[&pc]) == head);
            let cycle = cycle + usize::from(at_head);
            for inputs in chosen(pool, &system.inputs) {
                let value = |e| pool.eval(e, &|v| inputs.get(&v).or(state.get(&v)).copied()).unwrap();
                if value(system.bad) == Value::Bool(true) {
                    found = Some(found.map_or(cycle, |f: usize| f.min(cycle)));
                }
                if value(system.guard) == Value::Bool(true) {
                    next.insert((cycle, system.next.iter().map(|(v, e)| (*v, value(*e))).collect()));
                }
            }
        }
        states = next;
    }
    found
}

#[test]
fn reductions_keep_the_answer() {
    const CYCLES: usize = 9;
    for example in examples::all() {
        let expected = match example.answer {
            Answer::Safe => None,
            Answer::Unsafe(cycles) => Some(cycles),
        };
        // The count of cycles before the error: a run that never gets to the head is in cycle 0.
        let check = |what: &str, found: Option<usize>| assert_eq!(found, expected, "{}: {what}", example.name);
        check("as built", first_error(&example.pool, &example.cfa, CYCLES));
        for encoding in [Encoding::Sbe, Encoding::SbeWithCalls, Encoding::Lbe, Encoding::LbeWithCalls] {
            let reduced = reduce(&example.pool, &example.cfa, encoding);
            check(&format!("{encoding:?}"), first_error(&reduced.pool, &reduced.cfa, CYCLES));
            if encoding == Encoding::Lbe {
                let mut pool = reduced.pool;
                let system = monolithic(&mut pool, &reduced.cfa);
                let head = reduced.cfa.locs[reduced.cfa.head].origin;
                let head = system.cuts.iter().find(|(loc, _)| *loc == head).map(|(_, at)| *at);
                check("system", first_bad(&pool, &system, head, 5 * CYCLES));
            }
        }
    }
}

#[test]
fn large_blocks_leave_cut_points_only() {
    for example in examples::all() {
        let reduced = reduce(&example.pool, &example.cfa, Encoding::Lbe);
        let n_loops = example.cfa.locs.iter().filter(|l| l.kind == kernel::cfa::LocKind::LoopHead).count();
        assert!(reduced.cfa.locs.len() <= 3 + n_loops, "{}", example.name);
        let mut pairs: Vec<(LocId, LocId)> = reduced.cfa.edges.iter().map(|e| (e.source, e.target)).collect();
        pairs.sort_unstable();
        let n = pairs.len();
        pairs.dedup();
        assert_eq!(pairs.len(), n, "{}: one edge per pair of cut points", example.name);
    }
}

/// Large-block encoding, FMCAD 2009, Fig. 2: `while (i > 0) { if (x == 1) z = 0; else z = 1; i = i - 1; }`.
#[test]
fn fig_2_becomes_a_loop_and_an_exit() {
    let mut b = Builder::new();
    let (i, x, z) = (b.var("i", Value::int(8, 3)), b.input("x", Sort::BitVec(8)), b.var("z", Value::int(8, 5)));
    let (low, one, zero, fewer) = (b.less(i, 1), b.n(8, 1), b.n(8, 0), b.plus(i, -1));
    let (more, is_one) = (b.pool.not(low), b.is(x, 1));
    let not_one = b.pool.not(is_one);
    let at_if = b.then(b.cfa.head, Op::Assume(more));
    let (yes, no) = (b.then(at_if, Op::Assume(is_one)), b.then(at_if, Op::Assume(not_one)));
    let join = b.then(yes, Op::Assign(z, zero));
    b.edge(no, join, Op::Assign(z, one));
    b.edge(join, b.cfa.head, Op::Assign(i, fewer));
    // The exit stays, because a cut point ends blocks; what follows reads z, so that it stays too.
    let exit = b.loc(LocKind::Cut);
    b.edge(b.cfa.head, exit, Op::Assume(low));
    let reads = b.is(z, 7);
    b.edge(exit, b.cfa.error, Op::Assume(reads));
    let large = blocks(&mut b.pool, &b.cfa);
    let from_head: Vec<_> = large.edges.iter().filter(|edge| edge.source == large.head).collect();
    assert_eq!((large.locs.len(), large.edges.len(), from_head.len()), (4, 4, 2));
    for edge in from_head {
        let block = edge.op.to_block(&mut b.pool);
        for (i_before, x_before) in [(-1, 1), (0, 2), (1, 1), (3, 2)] {
            let before = State::from([(i, i_before), (x, x_before), (z, 5)].map(|(var, value)| (var, Value::int(8, value))));
            let value = |e| b.pool.eval(e, &|var| before.get(&var).copied()).unwrap();
            let is_loop = edge.target == large.head;
            assert_eq!(value(block.guard), Value::Bool(is_loop == (0 < i_before)), "{i_before}");
            let after = |var| block.updates.iter().find(|(v, _)| *v == var).map_or_else(|| before[&var], |(_, e)| value(*e));
            let expected = if is_loop { (i_before - 1, i128::from(x_before != 1)) } else { (i_before, 5) };
            assert_eq!((after(i), after(z)), (Value::int(8, expected.0), Value::int(8, expected.1)));
        }
    }
}
