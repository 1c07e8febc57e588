//! Random automata with the structure of a program: branches that meet again, loops, checks, assumptions, ends of runs.

use std::collections::BTreeMap;

use plc_frontend::ids::IndexVec;

use super::execute::{State, eval, reachable};
use super::random::{Choices, Vars, flag, op};
use kernel::cfa::{Cfa, Edge, Loc, LocId, LocKind, Op};
use kernel::expr::{ExprId, ExprPool, Sort, Value};
use kernel::verdict::{Argument, Proof};

/// Statements of a cycle at most.
const MOST: usize = 9;

struct Writer<'a> {
    pool: ExprPool,
    choices: Choices<'a>,
    state: Vars,
    locs: IndexVec<LocId, Loc>,
    edges: IndexVec<kernel::cfa::EdgeId, Edge>,
    left: usize,
}

impl Writer<'_> {
    fn loc(&mut self, kind: LocKind) -> LocId {
        let origin = LocId(self.locs.len() as u32);
        self.locs.push(Loc { kind, origin })
    }
    fn edge(&mut self, source: LocId, target: LocId, op: Op) {
        self.edges.push(Edge { source, target, op, span: None });
    }
    fn condition(&mut self) -> (ExprId, ExprId) {
        let condition = flag(&mut self.pool, &mut self.choices, &self.state, 2);
        (condition, self.pool.not(condition))
    }
    /// Writes statements from a location on; returns the location after them.
    fn statements(&mut self, mut at: LocId, n: usize) -> LocId {
        for _ in 0..n {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            at = self.statement(at);
        }
        at
    }
    fn statement(&mut self, at: LocId) -> LocId {
        match self.choices.below(12) {
            0..=3 => {
                let (branch, other, after) = (self.loc(LocKind::Inner), self.loc(LocKind::Inner), self.loc(LocKind::Inner));
                let (yes, no) = self.condition();
                self.edge(at, branch, Op::Assume(yes));
                self.edge(at, other, Op::Assume(no));
                let n = 1 + self.choices.below(2);
                let (end, n_other) = (self.statements(branch, n), self.choices.below(2));
                let other_end = self.statements(other, n_other);
                self.edge(end, after, Op::Skip);
                self.edge(other_end, after, Op::Skip);
                after
            }
            4 | 5 => {
                // A check: the run ends in an error, or at a dead end, or goes on.
                let after = self.loc(LocKind::Inner);
                let (yes, no) = self.condition();
                let target = if self.choices.below(3) == 0 { self.loc(LocKind::Inner) } else { LocId(2) };
                self.edge(at, target, Op::Assume(yes));
                self.edge(at, after, Op::Assume(no));
                after
            }
            6 => {
                let (head, body, after) = (self.loc(LocKind::LoopHead), self.loc(LocKind::Inner), self.loc(LocKind::Inner));
                let (yes, no) = self.condition();
                self.edge(at, head, Op::Skip);
                self.edge(head, body, Op::Assume(yes));
                self.edge(head, after, Op::Assume(no));
                let end = self.statements(body, 1);
                self.edge(end, head, Op::Skip);
                after
            }
            7 => {
                // A place without a loop.
                let place = self.loc(LocKind::LoopHead);
                self.edge(at, place, Op::Skip);
                place
            }
            _ => {
                let after = self.loc(LocKind::Inner);
                let op = op(&mut self.pool, &mut self.choices, &self.state);
                self.edge(at, after, op);
                after
            }
        }
    }
}

/// Returns an automaton over three flags and a word of three bits. Invariants belong at its head and at heads of loops.
pub fn cycle(bytes: &[u8]) -> (ExprPool, Cfa) {
    let (mut pool, mut initial) = (ExprPool::new(), BTreeMap::new());
    let bools: Vec<_> = ["a", "b", "c"].map(|name| pool.new_var(name, Sort::Bool)).to_vec();
    let words = vec![pool.new_var("x", Sort::BitVec(3))];
    let mut choices = Choices { left: bytes };
    for var in &bools {
        if 0 < choices.below(4) {
            initial.insert(*var, Value::Bool(false));
        }
    }
    if 0 < choices.below(4) {
        initial.insert(words[0], Value::bv(3, choices.below(3) as u128));
    }
    let vars = [bools.as_slice(), &words].concat();
    let state = Vars { bools, words };
    let mut writer = Writer { pool, choices, state, locs: IndexVec::new(), edges: IndexVec::new(), left: MOST };
    let (init, head, error) = (writer.loc(LocKind::Init), writer.loc(LocKind::Head), writer.loc(LocKind::Error));
    let starts_at_head = 0 < writer.choices.below(4);
    let mut begin = init;
    if !starts_at_head {
        begin = writer.statements(init, 1);
    }
    writer.edge(begin, head, Op::Skip);
    let end = writer.statements(head, MOST);
    writer.edge(end, head, Op::Skip);
    let Writer { pool, locs, edges, .. } = writer;
    (pool, Cfa { locs, edges, init, head, error, vars, initial, calls: Vec::new(), recursion: None })
}

/// Returns invariants for the head and the heads of loops: random parts. Of those that some run breaks a few stay.
pub fn invariants(bytes: &[u8], pool: &ExprPool, cfa: &Cfa) -> Proof {
    let (mut pool, mut choices) = (pool.clone(), Choices { left: bytes });
    let of_sort = |sort: Sort| cfa.vars.iter().copied().filter(|var| pool.var_decl(*var).sort == sort).collect();
    let state = Vars { bools: of_sort(Sort::Bool), words: of_sort(Sort::BitVec(3)) };
    let runs = reachable(&pool, cfa);
    let mut invariants = BTreeMap::new();
    for (loc, _) in cfa.locs.iter_enumerated().filter(|(_, loc)| matches!(loc.kind, LocKind::Head | LocKind::LoopHead)) {
        let states: Vec<&State> = runs.iter().filter(|(at, _)| *at == loc).map(|(_, state)| state).collect();
        let mut parts = Vec::new();
        for _ in 0..1 + choices.below(5) {
            let part = flag(&mut pool, &mut choices, &state, 1);
            let holds = states.iter().all(|state| eval(&pool, part, state) == Value::Bool(true));
            if holds || choices.below(16) == 1 {
                parts.push(part);
            }
        }
        invariants.insert(loc, pool.and_all(parts));
    }
    Proof { pool, argument: Argument::Inductive(invariants) }
}
