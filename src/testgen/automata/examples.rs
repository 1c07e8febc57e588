//! Small automata of known answer, built by hand, for tests of engines and certification.

use std::collections::BTreeMap;

use plc_frontend::ids::IndexVec;

use kernel::cfa::{Cfa, Edge, Loc, LocId, LocKind, Op};
use kernel::expr::{BvBin, BvCmp, ExprId, ExprPool, Sort, Value, VarId};

/// Builds a CFA edge by edge; `init → head` is there from the start.
pub struct Builder {
    pub pool: ExprPool,
    pub cfa: Cfa,
}

impl Builder {
    pub fn new() -> Builder {
        let mut locs = IndexVec::new();
        for (i, kind) in [LocKind::Init, LocKind::Head, LocKind::Error].into_iter().enumerate() {
            locs.push(Loc { kind, origin: LocId(i as u32) });
        }
        let (init, head, error) = (LocId(0), LocId(1), LocId(2));
        let cfa = Cfa {
            locs,
            edges: IndexVec::new(),
            init,
            head,
            error,
            vars: Vec::new(),
            initial: BTreeMap::new(),
            calls: Vec::new(),
            recursion: None,
        };
        let mut builder = Builder { pool: ExprPool::new(), cfa };
        builder.edge(init, head, Op::Skip);
        builder
    }
    /// Returns a variable with an initial value.
    pub fn var(&mut self, name: &str, initial: Value) -> VarId {
        let var = self.input(name, initial.sort());
        self.cfa.initial.insert(var, initial);
        var
    }
    /// Returns a variable that starts arbitrary.
    pub fn input(&mut self, name: &str, sort: Sort) -> VarId {
        let var = self.pool.new_var(name, sort);
        self.cfa.vars.push(var);
        var
    }
    pub fn loc(&mut self, kind: LocKind) -> LocId {
        let origin = LocId(self.cfa.locs.len() as u32);
        self.cfa.locs.push(Loc { kind, origin })
    }
    pub fn edge(&mut self, source: LocId, target: LocId, op: Op) {
        self.cfa.edges.push(Edge { source, target, op, span: None });
    }
    /// Returns a new location behind `source`.
    pub fn then(&mut self, source: LocId, op: Op) -> LocId {
        let target = self.loc(LocKind::Inner);
        self.edge(source, target, op);
        target
    }
    /// Returns `IF cond THEN op`, joined again.
    pub fn when(&mut self, source: LocId, cond: ExprId, op: Op) -> LocId {
        let yes = self.then(source, Op::Assume(cond));
        let join = self.then(yes, op);
        let not = self.pool.not(cond);
        self.edge(source, join, Op::Assume(not));
        join
    }
    /// Adds edges to the error location if `bad`, else to the next cycle.
    pub fn close(&mut self, source: LocId, bad: ExprId) {
        let good = self.pool.not(bad);
        self.edge(source, self.cfa.error, Op::Assume(bad));
        self.edge(source, self.cfa.head, Op::Assume(good));
    }
    pub fn v(&mut self, var: VarId) -> ExprId {
        self.pool.var(var)
    }
    pub fn n(&mut self, width: u16, value: i128) -> ExprId {
        self.pool.constant(Value::int(width, value))
    }
    pub fn less(&mut self, var: VarId, value: i128) -> ExprId {
        let x = self.v(var);
        let c = self.like(var, value);
        self.pool.bv_cmp(BvCmp::Slt, x, c)
    }
    pub fn is(&mut self, var: VarId, value: i128) -> ExprId {
        let x = self.v(var);
        let c = self.like(var, value);
        self.pool.eq(x, c)
    }
    pub fn plus(&mut self, var: VarId, value: i128) -> ExprId {
        let x = self.v(var);
        let c = self.like(var, value);
        self.pool.bv(BvBin::Add, x, c)
    }
    fn like(&mut self, var: VarId, value: i128) -> ExprId {
        match self.pool.var_decl(var).sort {
            Sort::BitVec(width) => self.n(width, value),
            Sort::Bool | Sort::Float(_) | Sort::Int | Sort::Array(..) => unreachable!("examples compare integers"),
        }
    }
}

/// Known answer of an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Safe,
    /// Shortest counterexample in cycles.
    Unsafe(usize),
}

/// An automaton of known answer.
pub struct Example {
    pub name: &'static str,
    pub pool: ExprPool,
    pub cfa: Cfa,
    pub answer: Answer,
}

/// Returns all examples.
pub fn all() -> Vec<Example> {
    vec![
        saturating(5, 5),
        saturating(5, 6),
        wrapping(4, 7),
        wrapping(4, 3),
        interlock(true),
        interlock(false),
        latch(),
        timer(true),
        timer(false),
        inner_loop(3),
        inner_loop(4),
        dead_loop(),
        choice(),
        toggles(),
        never_ends(),
        at_once(),
    ]
}

/// Returns the first example of this name that is safe, or not.
pub fn by_name(name: &str, safe: bool) -> Example {
    all().into_iter().find(|e| e.name == name && (e.answer == Answer::Safe) == safe).unwrap()
}

fn example(name: &'static str, b: Builder, answer: Answer) -> Example {
    Example { name, pool: b.pool, cfa: b.cfa, answer }
}

/// Returns `IF c < top THEN c := c + 1`, `c < bad` always: inductive on its own.
pub fn saturating(top: i128, bad: i128) -> Example {
    let mut b = Builder::new();
    let c = b.var("c", Value::int(16, 0));
    let (low, next) = (b.less(c, top), b.plus(c, 1));
    let end = b.when(b.cfa.head, low, Op::Assign(c, next));
    let below = b.less(c, bad);
    let bad_expr = b.pool.not(below);
    b.close(end, bad_expr);
    example("saturating", b, if top < bad { Answer::Safe } else { Answer::Unsafe(bad as usize) })
}

/// Returns `IF c = top THEN c := 0 ELSE c := c + 1`, never `c = bad`: needs `c <= top`, or a k of the whole gap.
pub fn wrapping(top: i128, bad: i128) -> Example {
    let mut b = Builder::new();
    let c = b.var("c", Value::int(16, 0));
    let (at_top, next, zero) = (b.is(c, top), b.plus(c, 1), b.n(16, 0));
    let below = b.pool.not(at_top);
    let yes = b.then(b.cfa.head, Op::Assume(at_top));
    let no = b.then(b.cfa.head, Op::Assume(below));
    let end = b.then(yes, Op::Assign(c, zero));
    b.edge(no, end, Op::Assign(c, next));
    let is_bad = b.is(c, bad);
    b.close(end, is_bad);
    example("wrapping", b, if top < bad { Answer::Safe } else { Answer::Unsafe(bad as usize) })
}

/// Returns an example with two motors and two buttons; exclusive only if the second motor reads the first one.
pub fn interlock(looks: bool) -> Example {
    let mut b = Builder::new();
    let f = Value::Bool(false);
    let (in1, in2, m1, m2) = (b.var("in1", f), b.var("in2", f), b.var("m1", f), b.var("m2", f));
    let l = b.then(b.cfa.head, Op::Havoc(in1));
    let l = b.then(l, Op::Havoc(in2));
    let (e1, e2, not_m1) = (b.v(in1), b.v(in2), b.v(m1));
    let not_m1 = b.pool.not(not_m1);
    let both = b.pool.and(e2, not_m1);
    let l = b.then(l, Op::Assign(m1, e1));
    let l = b.then(l, Op::Assign(m2, if looks { both } else { e2 }));
    let (e1, e2) = (b.v(m1), b.v(m2));
    let bad = b.pool.and(e1, e2);
    b.close(l, bad);
    example("interlock", b, if looks { Answer::Safe } else { Answer::Unsafe(1) })
}

/// Returns a latch set by an input; the lamp follows one cycle later and so implies the latch: 1-inductive only with help.
fn latch() -> Example {
    let mut b = Builder::new();
    let f = Value::Bool(false);
    let (set, latch, lamp, echo) = (b.var("set", f), b.var("latch", f), b.var("lamp", f), b.var("echo", f));
    let l = b.then(b.cfa.head, Op::Havoc(set));
    let (lamp_e, latch_e) = (b.v(lamp), b.v(latch));
    let l = b.then(l, Op::Assign(echo, lamp_e));
    let l = b.then(l, Op::Assign(lamp, latch_e));
    let set_e = b.v(set);
    let yes = b.pool.bool(true);
    let l = b.when(l, set_e, Op::Assign(latch, yes));
    let (echo_e, latch_e) = (b.v(echo), b.v(latch));
    let off = b.pool.not(latch_e);
    let bad = b.pool.and(echo_e, off);
    b.close(l, bad);
    example("latch", b, Answer::Safe)
}

/// Returns an on-delay of 300 ms at 100 ms per cycle: `q` implies that the time is over, or (unsafe) never comes.
fn timer(safe: bool) -> Example {
    let mut b = Builder::new();
    let (input, et, q) = (b.var("in", Value::Bool(false)), b.var("et", Value::int(32, 0)), b.var("q", Value::Bool(false)));
    let l = b.then(b.cfa.head, Op::Havoc(input));
    let (in_e, zero, more, low) = (b.v(input), b.n(32, 0), b.plus(et, 100), b.less(et, 300));
    let l = b.when(l, low, Op::Assign(et, more));
    let off = b.pool.not(in_e);
    let l = b.when(l, off, Op::Assign(et, zero));
    let below = b.less(et, 300);
    let over = b.pool.not(below);
    let l = b.then(l, Op::Assign(q, over));
    let (q_e, exactly) = (b.v(q), b.is(et, 300));
    let other = b.pool.not(exactly);
    let bad = if safe { b.pool.and(q_e, other) } else { q_e };
    b.close(l, bad);
    example("timer", b, if safe { Answer::Safe } else { Answer::Unsafe(3) })
}

/// Returns `WHILE i < 3 DO i := i + 1`, then never `i = bad`.
fn inner_loop(bad: i128) -> Example {
    let mut b = Builder::new();
    let i = b.var("i", Value::int(8, 0));
    let zero = b.n(8, 0);
    let head = b.loc(LocKind::LoopHead);
    b.edge(b.cfa.head, head, Op::Assign(i, zero));
    let (low, more) = (b.less(i, 3), b.plus(i, 1));
    let over = b.pool.not(low);
    let body = b.then(head, Op::Assume(low));
    b.edge(body, head, Op::Assign(i, more));
    let end = b.then(head, Op::Assume(over));
    let is_bad = b.is(i, bad);
    b.close(end, is_bad);
    example("inner loop", b, if bad == 3 { Answer::Unsafe(1) } else { Answer::Safe })
}

/// Returns a counter that wraps at 4, behind a loop that no run reaches: "not 7" needs two cycles, and a proof over cycles must
/// show that none has a loop.
fn dead_loop() -> Example {
    let mut b = Builder::new();
    let (never, i, c) = (b.var("never", Value::Bool(false)), b.var("i", Value::int(8, 0)), b.var("c", Value::int(16, 0)));
    let never_e = b.v(never);
    let not_never = b.pool.not(never_e);
    let branch = b.then(b.cfa.head, Op::Assume(never_e));
    let behind = b.then(b.cfa.head, Op::Assume(not_never));
    let head = b.loc(LocKind::LoopHead);
    b.edge(branch, head, Op::Skip);
    let (low, more) = (b.less(i, 3), b.plus(i, 1));
    let over = b.pool.not(low);
    let body = b.then(head, Op::Assume(low));
    b.edge(body, head, Op::Assign(i, more));
    b.edge(head, behind, Op::Assume(over));
    let (at_top, next, zero) = (b.is(c, 4), b.plus(c, 1), b.n(16, 0));
    let below = b.pool.not(at_top);
    let yes = b.then(behind, Op::Assume(at_top));
    let no = b.then(behind, Op::Assume(below));
    let end = b.then(yes, Op::Assign(c, zero));
    b.edge(no, end, Op::Assign(c, next));
    let is_bad = b.is(c, 7);
    b.close(end, is_bad);
    example("dead loop", b, Answer::Safe)
}

/// Returns an example with two edges without guards: `x` grows by 1 or 3 a cycle, and 2 is reached only by two ones.
fn choice() -> Example {
    let mut b = Builder::new();
    let x = b.var("x", Value::int(8, 0));
    let (one, three) = (b.plus(x, 1), b.plus(x, 3));
    let end = b.loc(LocKind::Inner);
    b.edge(b.cfa.head, end, Op::Assign(x, three));
    b.edge(b.cfa.head, end, Op::Assign(x, one));
    let two = b.is(x, 2);
    b.close(end, two);
    example("choice", b, Answer::Unsafe(2))
}

/// Returns an example with two bits that always toggle together.
fn toggles() -> Example {
    let mut b = Builder::new();
    let (p, q) = (b.var("p", Value::Bool(false)), b.var("q", Value::Bool(true)));
    let (p_e, q_e) = (b.v(p), b.v(q));
    let (not_p, not_q) = (b.pool.not(p_e), b.pool.not(q_e));
    let l = b.then(b.cfa.head, Op::Assign(p, not_p));
    let l = b.then(l, Op::Assign(q, not_q));
    let bad = b.pool.eq(p_e, q_e);
    b.close(l, bad);
    example("toggles", b, Answer::Safe)
}

/// Returns an automaton without a complete cycle, so without a violation.
fn never_ends() -> Example {
    let mut b = Builder::new();
    b.var("x", Value::Bool(true));
    let no = b.pool.bool(false);
    let l = b.then(b.cfa.head, Op::Assume(no));
    let yes = b.pool.bool(true);
    b.close(l, yes);
    example("never ends", b, Answer::Safe)
}

/// Returns an example in which a variable without an initial value decides in the first cycle.
fn at_once() -> Example {
    let mut b = Builder::new();
    let x = b.input("x", Sort::BitVec(8));
    let seven = b.is(x, 7);
    b.close(b.cfa.head, seven);
    example("at once", b, Answer::Unsafe(1))
}
