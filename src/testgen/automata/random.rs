//! Random small automata.

use std::collections::BTreeMap;

use plc_frontend::ids::IndexVec;

use kernel::cfa::{Block, BlockInput, Cfa, Edge, Loc, LocId, LocKind, Op};
use kernel::expr::{BvBin, BvCmp, ExprId, ExprPool, Sort, Value, VarId};

/// A stream of choices.
pub(super) struct Choices<'a> {
    pub(super) left: &'a [u8],
}

impl Choices<'_> {
    pub(super) fn below(&mut self, n: usize) -> usize {
        let Some((&first, rest)) = self.left.split_first() else { return 0 };
        self.left = rest;
        usize::from(first) % n
    }
}

pub(super) struct Vars {
    pub(super) bools: Vec<VarId>,
    pub(super) words: Vec<VarId>,
}

pub(super) fn flag(pool: &mut ExprPool, c: &mut Choices<'_>, vars: &Vars, depth: usize) -> ExprId {
    if depth == 0 || c.below(3) == 0 {
        return match c.below(3) {
            0 | 1 => {
                let var = vars.bools[c.below(vars.bools.len())];
                pool.var(var)
            }
            _ => {
                let (a, b) = (word(pool, c, vars, depth.saturating_sub(1)), word(pool, c, vars, depth.saturating_sub(1)));
                match c.below(5) {
                    0 => pool.eq(a, b),
                    1 => pool.bv_cmp(BvCmp::Ult, a, b),
                    2 => pool.bv_cmp(BvCmp::Ule, a, b),
                    3 => pool.bv_cmp(BvCmp::Slt, a, b),
                    _ => pool.bv_cmp(BvCmp::Sle, a, b),
                }
            }
        };
    }
    let a = flag(pool, c, vars, depth - 1);
    match c.below(5) {
        0 => pool.not(a),
        1 => {
            let b = flag(pool, c, vars, depth - 1);
            pool.and(a, b)
        }
        2 => {
            let b = flag(pool, c, vars, depth - 1);
            pool.or(a, b)
        }
        3 => {
            let b = flag(pool, c, vars, depth - 1);
            pool.eq(a, b)
        }
        _ => {
            let (b, d) = (flag(pool, c, vars, depth - 1), flag(pool, c, vars, depth - 1));
            pool.ite(a, b, d)
        }
    }
}

pub(super) fn word(pool: &mut ExprPool, c: &mut Choices<'_>, vars: &Vars, depth: usize) -> ExprId {
    if depth == 0 || c.below(3) == 0 {
        return if c.below(2) == 0 {
            pool.constant(Value::bv(3, c.below(8) as u128))
        } else {
            let var = vars.words[c.below(vars.words.len())];
            pool.var(var)
        };
    }
    let (a, b) = (word(pool, c, vars, depth - 1), word(pool, c, vars, depth - 1));
    match c.below(5) {
        0 | 1 => pool.bv(BvBin::Add, a, b),
        2 => pool.bv(BvBin::Sub, a, b),
        3 => pool.bv([BvBin::Mul, BvBin::Udiv, BvBin::And, BvBin::Xor][c.below(4)], a, b),
        _ => {
            let f = flag(pool, c, vars, depth - 1);
            pool.ite(f, a, b)
        }
    }
}

pub(super) fn op(pool: &mut ExprPool, c: &mut Choices<'_>, state: &Vars) -> Op {
    match c.below(8) {
        0 => Op::Skip,
        1 | 2 => Op::Assume(flag(pool, c, state, 2)),
        3 => Op::Assign(state.bools[c.below(2)], flag(pool, c, state, 2)),
        4 | 5 => Op::Assign(state.words[0], word(pool, c, state, 2)),
        6 => Op::Havoc([state.bools[0], state.bools[1], state.words[0]][c.below(3)]),
        _ => {
            let (b, w) = (pool.new_var("i", Sort::Bool), pool.new_var("j", Sort::BitVec(3)));
            let with = Vars { bools: [state.bools.as_slice(), &[b]].concat(), words: [state.words.as_slice(), &[w]].concat() };
            let guard = flag(pool, c, &with, 2);
            let mut updates = Vec::new();
            if c.below(2) == 0 {
                updates.push((state.bools[0], flag(pool, c, &with, 2)));
            }
            if c.below(2) == 0 {
                updates.push((state.bools[1], flag(pool, c, &with, 2)));
            }
            updates.push((state.words[0], word(pool, c, &with, 2)));
            let inputs = vec![BlockInput { var: b, origin: None }, BlockInput { var: w, origin: Some(state.words[0]) }];
            Op::Block(Box::new(Block { guard, updates, inputs }))
        }
    }
}

/// Returns two flags and a word of three bits; at most six locations.
pub fn automaton(bytes: &[u8]) -> (ExprPool, Cfa) {
    let mut c = Choices { left: bytes };
    let mut pool = ExprPool::new();
    let vars = vec![pool.new_var("a", Sort::Bool), pool.new_var("b", Sort::Bool), pool.new_var("x", Sort::BitVec(3))];
    let state = Vars { bools: vars[..2].to_vec(), words: vars[2..].to_vec() };
    let mut initial = BTreeMap::new();
    for &var in &vars {
        match c.below(4) {
            0 => {}
            k => {
                let value = match pool.var_decl(var).sort {
                    Sort::Bool => Value::Bool(k == 1),
                    Sort::BitVec(_) | Sort::Float(_) | Sort::Int | Sort::Array(..) => Value::bv(3, k as u128),
                };
                initial.insert(var, value);
            }
        }
    }
    let mut locs = IndexVec::new();
    for (i, kind) in [LocKind::Init, LocKind::Head, LocKind::Error].into_iter().enumerate() {
        locs.push(Loc { kind, origin: LocId(i as u32) });
    }
    for i in 0..c.below(4) {
        let kind = if c.below(3) == 0 { LocKind::LoopHead } else { LocKind::Inner };
        locs.push(Loc { kind, origin: LocId(i as u32 + 3) });
    }
    let n = locs.len();
    let mut edges = IndexVec::new();
    edges.push(Edge { source: LocId(0), target: LocId(1), op: Op::Skip, span: None });
    for _ in 0..n + c.below(4) {
        // Not from the error location, not to the initial one.
        let source = [1, 3, 4, 5][c.below(n - 2)];
        let target = 1 + c.below(n - 1);
        let op = op(&mut pool, &mut c, &state);
        edges.push(Edge { source: LocId(source as u32), target: LocId(target as u32), op, span: None });
    }
    let cfa =
        Cfa { locs, edges, init: LocId(0), head: LocId(1), error: LocId(2), vars, initial, calls: Vec::new(), recursion: None };
    (pool, cfa)
}
