//! A process as a control-flow automaton, with a variable for each arbitrary choice.
//!
//! Theta's automata have no scan cycle. The head of the first outermost loop takes the place of the cycle's head; the heads of
//! other loops are loop heads. So every loop goes through one of them. A `havoc` writes to a variable of its place before it is
//! assigned, and a variable selects among several possible edges. The values of these variables, cycle by cycle, determine a run,
//! and [`super::replay`] can follow it in the model.

use std::collections::BTreeMap;

use plc_frontend::diagnostic::Diagnostic;
use plc_frontend::ids::{Id, IndexVec};

use super::ast::{Process, Stmt, StmtKind};
use super::lower::Lowering;
use crate::cfa::model::mentioned;
use crate::cfa::{Cfa, Edge, Loc, LocId, LocKind, Op};
use crate::expr::{ExprId, ExprPool, Sort, Value, VarId};

/// A process ready for engines.
#[derive(Clone, Debug)]
pub struct Model {
    /// The written process.
    pub process: Process,
    /// Expressions and variables.
    pub pool: ExprPool,
    /// The automaton.
    pub cfa: Cfa,
    /// The variable of each variable of the process.
    pub vars: Vec<VarId>,
    /// The values of each `havoc`: by edge and statement.
    pub havocs: BTreeMap<(usize, usize), VarId>,
    /// Variables that choose an edge, by location, where conditions do not choose. The number of an edge counts those that
    /// leave it.
    pub choices: BTreeMap<usize, VarId>,
    /// Location whose visits count as cycles.
    pub head: usize,
    /// Location of the process for locations of the automaton, if they have one.
    pub places: BTreeMap<LocId, usize>,
}

/// A statement whose expressions are lowered.
enum Lowered {
    Assume(ExprId),
    Assign(VarId, ExprId),
    Havoc(VarId),
}

/// Returns the automaton of a process; `None` if there is an error among the findings.
pub(super) fn build(process: Process, findings: &mut Vec<Diagnostic>) -> Option<Model> {
    let mut pool = ExprPool::new();
    let vars: Vec<VarId> = process.vars.iter().map(|var| pool.new_var(var.name.clone(), var.sort)).collect();
    let before = findings.len();
    let mut edges: Vec<Vec<Lowered>> = Vec::with_capacity(process.edges.len());
    for edge in &process.edges {
        let mut lowering = Lowering { pool: &mut pool, process: &process, vars: &vars, findings };
        edges.push(edge.stmts.iter().filter_map(|stmt| lowering.stmt(stmt)).collect());
        if MOST_FINDINGS < findings.len() {
            break;
        }
    }
    if before < findings.len() {
        return None;
    }
    let mut outgoing: Vec<Vec<usize>> = vec![Vec::new(); process.locs.len()];
    for (i, edge) in process.edges.iter().enumerate().filter(|(_, edge)| edge.source != process.error) {
        outgoing[edge.source].push(i);
    }
    let (heads, order) = loop_heads(&process, &outgoing);
    let (initial, begin) = prefix(&mut pool, &process, &vars, &edges, &outgoing, &heads);
    let head = heads.iter().copied().min_by_key(|loc| order[*loc]).unwrap_or(begin);
    let mut builder = Builder {
        locs: IndexVec::new(),
        edges: Vec::new(),
        havocs: BTreeMap::new(),
        choices: BTreeMap::new(),
        places: BTreeMap::new(),
    };
    let init = builder.loc(LocKind::Init);
    let places: Vec<LocId> = (0..process.locs.len())
        .map(|i| {
            let kind = match () {
                () if i == process.error => LocKind::Error,
                () if i == head => LocKind::Head,
                () if heads.contains(&i) => LocKind::LoopHead,
                () => LocKind::Inner,
            };
            let loc = builder.loc(kind);
            builder.places.insert(loc, i);
            loc
        })
        .collect();
    let mut here = init;
    for var in vars.iter().filter(|var| !initial.contains_key(var)) {
        here = builder.step(here, Op::Havoc(*var));
    }
    let begins_at = builder.locs[places[begin]].kind;
    if begins_at == LocKind::Error {
        // Runs start at the error location: they are in their first cycle there.
        let head = builder.loc(LocKind::Head);
        builder.edges.push(Edge { source: here, target: head, op: Op::Skip, span: None });
        here = head;
    }
    let head_loc = if begins_at == LocKind::Error { here } else { places[head] };
    builder.edges.push(Edge { source: here, target: places[begin], op: Op::Skip, span: None });
    let reached = reached_from(&process, &outgoing, begin);
    for (i, leaving) in outgoing.iter().enumerate().filter(|(i, _)| reached[*i]) {
        let guards: Vec<Option<ExprId>> = leaving.iter().map(|edge| first_guard(&edges[*edge])).collect();
        let from = if leaving.len() < 2 || exclusive(&mut pool, &guards) {
            vec![places[i]; leaving.len()]
        } else {
            builder.choose(&mut pool, &process, i, places[i], leaving.len())
        };
        for (edge, from) in leaving.iter().zip(from) {
            builder.follow(&mut pool, &process, &edges[*edge], *edge, from, places[process.edges[*edge].target]);
        }
    }
    let zeros = pool.vars().map(|(var, decl)| (var, Value::zero(decl.sort)));
    let initial = zeros.map(|(var, zero)| (var, initial.get(&var).copied().unwrap_or(zero))).collect();
    let Builder { locs, edges, havocs, choices, places: origins } = builder;
    let mut cfa = Cfa {
        locs,
        edges: edges.into_iter().collect(),
        init,
        head: head_loc,
        error: places[process.error],
        vars: Vec::new(),
        initial,
        calls: Vec::new(),
        recursion: None,
    };
    cfa.vars = mentioned(&pool, &cfa).into_iter().collect();
    cfa.initial.retain(|var, _| cfa.vars.binary_search(var).is_ok());
    Some(Model { process, pool, cfa, vars, havocs, choices, head, places: origins })
}

/// Most reported findings about types.
const MOST_FINDINGS: usize = 50;

impl Lowering<'_> {
    fn stmt(&mut self, stmt: &Stmt) -> Option<Lowered> {
        Some(match stmt.kind {
            StmtKind::Assume(e) => Lowered::Assume(self.of_sort(e, Sort::Bool)?),
            StmtKind::Assign(var, e) => Lowered::Assign(self.vars[var], self.of_sort(e, self.process.vars[var].sort)?),
            StmtKind::Havoc(var) => Lowered::Havoc(self.vars[var]),
        })
    }
}

struct Builder {
    locs: IndexVec<LocId, Loc>,
    edges: Vec<Edge>,
    havocs: BTreeMap<(usize, usize), VarId>,
    choices: BTreeMap<usize, VarId>,
    places: BTreeMap<LocId, usize>,
}

impl Builder {
    fn loc(&mut self, kind: LocKind) -> LocId {
        let origin = LocId::new(self.locs.len());
        self.locs.push(Loc { kind, origin })
    }
    fn step(&mut self, source: LocId, op: Op) -> LocId {
        let target = self.loc(LocKind::Inner);
        self.edges.push(Edge { source, target, op, span: None });
        target
    }
    /// Returns a location for each of `n` edges that leave `loc`; an arbitrary variable selects one of them.
    fn choose(&mut self, pool: &mut ExprPool, process: &Process, i: usize, loc: LocId, n: usize) -> Vec<LocId> {
        let width = (usize::BITS - (n - 1).leading_zeros()) as u16;
        let choice = pool.new_var(format!("edge from {}", process.locs[i].name), Sort::BitVec(width));
        self.choices.insert(i, choice);
        let mut here = self.step(loc, Op::Havoc(choice));
        let chosen = pool.var(choice);
        let mut targets = Vec::with_capacity(n);
        for k in 0..n - 1 {
            let k = pool.constant(Value::bv(width, k as u128));
            let this = pool.eq(chosen, k);
            let other = pool.not(this);
            targets.push(self.step(here, Op::Assume(this)));
            here = self.step(here, Op::Assume(other));
        }
        targets.push(here);
        targets
    }
    fn follow(&mut self, pool: &mut ExprPool, process: &Process, stmts: &[Lowered], edge: usize, from: LocId, to: LocId) {
        let mut ops = Vec::new();
        for (i, stmt) in stmts.iter().enumerate() {
            match stmt {
                Lowered::Assume(e) => ops.push(Op::Assume(*e)),
                Lowered::Assign(var, e) => ops.push(Op::Assign(*var, *e)),
                Lowered::Havoc(var) => {
                    let decl = pool.var_decl(*var).clone();
                    let any = pool
                        .new_var(format!("{} from edge {}", decl.name, process.locs[process.edges[edge].source].name), decl.sort);
                    self.havocs.insert((edge, i), any);
                    ops.push(Op::Havoc(any));
                    let any = pool.var(any);
                    ops.push(Op::Assign(*var, any));
                }
            }
        }
        let span = Some(process.edges[edge].span);
        let last = ops.pop().unwrap_or(Op::Skip);
        let mut here = from;
        for op in ops {
            here = self.step(here, op);
        }
        self.edges.push(Edge { source: here, target: to, op: last, span });
    }
}

/// Returns the condition at the beginning of an edge.
fn first_guard(stmts: &[Lowered]) -> Option<ExprId> {
    match stmts.first() {
        Some(Lowered::Assume(e)) => Some(*e),
        Some(Lowered::Assign(..) | Lowered::Havoc(_)) | None => None,
    }
}

/// Returns whether at most one of these conditions can hold, by their form: two that are each other's negation.
fn exclusive(pool: &mut ExprPool, guards: &[Option<ExprId>]) -> bool {
    match guards {
        [Some(a), Some(b)] => pool.not(*a) == *b || pool.not(*b) == *a,
        _ => false,
    }
}

/// Returns the locations that close loops, and the order in which locations are found. Every reachable loop has one.
fn loop_heads(process: &Process, outgoing: &[Vec<usize>]) -> (Vec<usize>, Vec<usize>) {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; process.locs.len()];
    let mut order = vec![usize::MAX; process.locs.len()];
    let mut heads = vec![false; process.locs.len()];
    let mut met = 1;
    marks[process.init] = Mark::Open;
    order[process.init] = 0;
    let mut stack = vec![(process.init, 0)];
    while let Some((loc, i)) = stack.pop() {
        let Some(edge) = outgoing[loc].get(i) else {
            marks[loc] = Mark::Done;
            continue;
        };
        stack.push((loc, i + 1));
        let target = process.edges[*edge].target;
        match marks[target] {
            Mark::Open => heads[target] = true,
            Mark::New => {
                marks[target] = Mark::Open;
                order[target] = met;
                met += 1;
                stack.push((target, 0));
            }
            Mark::Done => {}
        }
    }
    ((0..heads.len()).filter(|loc| heads[*loc]).collect(), order)
}

/// Returns the locations to which edges lead from one.
fn reached_from(process: &Process, outgoing: &[Vec<usize>], from: usize) -> Vec<bool> {
    let mut reached = vec![false; process.locs.len()];
    let mut todo = vec![from];
    while let Some(loc) = todo.pop() {
        if !std::mem::replace(&mut reached[loc], true) {
            todo.extend(outgoing[loc].iter().map(|edge| process.edges[*edge].target));
        }
    }
    reached
}

/// Returns the constants that are assigned first, as initial values, and the location after these assignments.
fn prefix(
    pool: &mut ExprPool,
    process: &Process,
    vars: &[VarId],
    edges: &[Vec<Lowered>],
    outgoing: &[Vec<usize>],
    heads: &[usize],
) -> (BTreeMap<VarId, Value>, usize) {
    let mut values: BTreeMap<VarId, Value> = BTreeMap::new();
    let mut here = process.init;
    // The first locations are no loop heads, so this ends.
    while let [edge] = outgoing[here].as_slice()
        && !heads.contains(&here)
        && process.edges[*edge].target != process.error
    {
        let mut after = values.clone();
        for stmt in &edges[*edge] {
            let Lowered::Assign(var, e) = stmt else { return (values, here) };
            let Some(value) = pool.eval(*e, &|var| after.get(&var).copied()) else { return (values, here) };
            debug_assert!(vars.contains(var));
            after.insert(*var, value);
        }
        values = after;
        here = process.edges[*edge].target;
    }
    (values, here)
}
