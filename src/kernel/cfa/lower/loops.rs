//! Loops. A FOR with constant bounds is unrolled; every other loop stays a loop with a round counter.

use plc_frontend::hir::{Expr, FaultKind, LoopBounds, Place, PouKind, Root, Section, Stmt, walk};
use plc_frontend::source::Span;

use super::builder::{Builder, LoopExits};
use super::place::Spot;
use crate::cfa::automaton::LocKind;
use crate::cfa::model::ModelError;
use crate::cfa::network::NetOp;
use crate::expr::{BvBin, BvCmp, ExprId, Sort, Value, VarId};

/// Loops with more rounds stay loops.
const MAX_UNROLLED_ROUNDS: i128 = 2_000;
/// Loops that unroll to more edges stay loops.
const MAX_UNROLLED_EDGES: usize = 50_000;

/// A FOR statement.
pub(super) struct For<'s> {
    pub(super) control: &'s Place,
    pub(super) bounds: &'s LoopBounds,
    pub(super) body: &'s [Stmt],
    pub(super) span: Span,
}

/// Counter of the rounds of a loop, with the most that the watchdog allows.
#[derive(Clone, Copy)]
pub(super) struct Rounds {
    counter: VarId,
    limit: u32,
}

/// Bounds that are known.
#[derive(Clone, Copy)]
struct Bounds {
    from: i128,
    to: i128,
    by: i128,
}

impl Bounds {
    /// Returns the number of rounds without an exit from the body.
    fn rounds(self) -> i128 {
        let span = if self.by > 0 { self.to - self.from } else { self.from - self.to };
        if span < 0 { 0 } else { span / self.by.abs() + 1 }
    }
}

impl Builder<'_, '_> {
    pub(super) fn for_loop(&mut self, stmt: For<'_>) -> Result<(), ModelError> {
        let int = self.int_of(stmt.control.ty);
        let ends: Vec<&Expr> = [&stmt.bounds.from, &stmt.bounds.to].into_iter().chain(&stmt.bounds.by).collect();
        let mut values = Vec::with_capacity(3);
        for end in ends {
            let value = self.expr(end)?;
            // Evaluated once: calls in the next bound and the body do not change it.
            values.push(self.hold(value));
        }
        let width = u16::from(int.bits);
        let one = self.pool.constant(Value::int(width, 1));
        let (from, to, by) = (values[0], values[1], values.get(2).copied().unwrap_or(one));
        let known = |value| self.int_const(value, int.signed);
        let bounds = match (known(from), known(to), known(by)) {
            (Some(from), Some(to), Some(by)) if by != 0 => Some(Bounds { from, to, by }),
            (_, _, _) => None,
        };
        let control = self.private_control(&stmt);
        let limit = self.cx.options.loop_rounds.max(stmt.bounds.certain_rounds().unwrap_or(0));
        if let (Some(bounds), Some(control)) = (bounds, control) {
            let few = bounds.rounds() <= MAX_UNROLLED_ROUNDS.min(i128::from(limit));
            if few && !self.kept_loops.contains(&stmt.span) && self.unroll(&stmt, control, bounds)? {
                return Ok(());
            }
        }
        // Its own count ends it.
        let ends = control.is_some() && stmt.bounds.certain_rounds().is_some();
        self.keep_for(&stmt, [from, to, by], (!ends).then_some(limit))
    }

    /// Returns the control variable, if only this loop can assign it while the loop runs.
    ///
    /// A reference may alias anything; a variable of a function block instance may be assigned by every user of the instance.
    /// Variables of functions and temporaries have no other writers unless they are passed on.
    fn private_control(&self, stmt: &For<'_>) -> Option<VarId> {
        let (Root::Var(var), true, Some(own)) = (stmt.control.root, stmt.control.path.is_empty(), self.own) else { return None };
        let pou_id = self.cx.headers[own].pou;
        let pou = &self.cx.project.pous[pou_id];
        let private = match (pou.kind, pou.vars[var].section) {
            (_, Section::InOut | Section::Global) => false,
            (PouKind::Function(_), _) | (PouKind::FunctionBlock | PouKind::Program, Section::Temp) => true,
            (PouKind::FunctionBlock | PouKind::Program, Section::Input | Section::Output | Section::Local | Section::Result) => {
                !self.cx.aliases.copies_instances && !self.cx.aliases.outside_writes.contains(&(pou_id, var))
            }
        };
        // A variable with an address may be a part of another one.
        let mut written = pou.vars[var].address.is_some() || self.cx.project.local_views.contains_key(&pou_id);
        walk::writes(stmt.body, |place| written |= place.root == stmt.control.root);
        if private && !written { self.cx.headers[own].vars[var].first().copied() } else { None }
    }

    /// Adds one copy of the body per round, with a constant as control variable in each. Returns `false`, without a change, if
    /// that is too large.
    fn unroll(&mut self, stmt: &For<'_>, control: VarId, bounds: Bounds) -> Result<bool, ModelError> {
        let int = self.int_of(stmt.control.ty);
        let width = u16::from(int.bits);
        let mark = self.mark();
        let exit = self.loc(LocKind::Inner);
        let n_loops = self.loops.len();
        let mut now = bounds.from;
        loop {
            self.span = Some(stmt.span);
            let value = self.pool.constant(Value::int(width, now));
            self.assign(control, value);
            if !(if bounds.by > 0 { now <= bounds.to } else { now >= bounds.to }) {
                break;
            }
            let outer = self.known.insert(control, Value::int(width, now));
            let next = self.loc(LocKind::Inner);
            self.loops.push(LoopExits { exit, next });
            self.rounds.push(now);
            let lowered = self.block(stmt.body);
            self.rounds.pop();
            self.loops.truncate(n_loops);
            match outer {
                Some(value) => self.known.insert(control, value),
                None => self.known.remove(&control),
            };
            let too_large = matches!(lowered, Err(ModelError::TooLarge(_)));
            if too_large || MAX_UNROLLED_EDGES < self.grown(mark) {
                self.undo(mark);
                self.kept_loops.insert(stmt.span);
                return Ok(false);
            }
            lowered?;
            self.join(next);
            now += bounds.by;
            if now < int.min() || int.max() < now {
                self.span = Some(stmt.span);
                let bad = self.pool.bool(true);
                self.fault(FaultKind::LoopWrap, stmt.span, bad);
                break;
            }
        }
        self.join(exit);
        Ok(true)
    }

    /// Adds a FOR as a loop; `limit` is that of its rounds.
    fn keep_for(&mut self, stmt: &For<'_>, [from, to, by]: [ExprId; 3], limit: Option<u32>) -> Result<(), ModelError> {
        self.graph.whole_loops.insert(stmt.span);
        let int = self.int_of(stmt.control.ty);
        let step = self.int_const(by, int.signed);
        let width = u16::from(int.bits);
        let zero = self.pool.constant(Value::int(width, 0));
        let no_step = match step {
            Some(step) => self.pool.bool(step == 0),
            None => self.pool.eq(by, zero),
        };
        self.fault(FaultKind::LoopWrap, stmt.span, no_step);
        let control = self.place(stmt.control)?;
        self.write(&control, &[from])?;
        let rounds = limit.map(|limit| self.first_round(limit));
        let head = self.loc(LocKind::LoopHead);
        self.join(head);

        let now = self.read(&control);
        let (lt, le) = if int.signed { (BvCmp::Slt, BvCmp::Sle) } else { (BvCmp::Ult, BvCmp::Ule) };
        let (up, down) = (self.pool.bv_cmp(le, now, to), self.pool.bv_cmp(le, to, now));
        let inside = match step {
            Some(step) => {
                if step > 0 {
                    up
                } else {
                    down
                }
            }
            None => {
                let upward = self.pool.bv_cmp(lt, zero, by);
                self.pool.ite(upward, up, down)
            }
        };
        let (again, exit) = self.branch(inside);
        self.here = again;
        if let Some(rounds) = rounds {
            self.round(rounds, stmt.span);
        }
        let next = self.loc(LocKind::Inner);
        self.body(stmt.body, LoopExits { exit, next })?;
        self.join(next);
        self.span = Some(stmt.span);
        self.advance(&control, by, stmt)?;
        self.edge(self.here, head, NetOp::Skip);
        self.here = exit;
        Ok(())
    }
    /// Adds `control := control + by`, with a fault if that is no value of its type.
    fn advance(&mut self, control: &Spot, by: ExprId, stmt: &For<'_>) -> Result<(), ModelError> {
        let int = self.int_of(stmt.control.ty);
        let width = u16::from(int.bits);
        let now = self.read(control);
        let (wide_now, wide_by) = (self.extend(int.signed, width + 1, now), self.extend(int.signed, width + 1, by));
        let exact = self.pool.bv(BvBin::Add, wide_now, wide_by);
        let sum = self.pool.bv(BvBin::Add, now, by);
        let wrapped = self.extend(int.signed, width + 1, sum);
        let bad = self.pool.ne(exact, wrapped);
        self.fault(FaultKind::LoopWrap, stmt.span, bad);
        self.write(control, &[sum])
    }

    pub(super) fn while_loop(&mut self, condition: &Expr, body: &[Stmt], span: Span) -> Result<(), ModelError> {
        let rounds = self.first_round(self.cx.options.loop_rounds);
        let head = self.loc(LocKind::LoopHead);
        self.join(head);
        self.span = Some(condition.span);
        let condition = self.expr(condition)?;
        let (again, exit) = self.branch(condition);
        self.here = again;
        self.round(rounds, span);
        self.body(body, LoopExits { exit, next: head })?;
        self.edge(self.here, head, NetOp::Skip);
        self.here = exit;
        Ok(())
    }

    pub(super) fn repeat_loop(&mut self, body: &[Stmt], until: &Expr, span: Span) -> Result<(), ModelError> {
        let rounds = self.first_round(self.cx.options.loop_rounds);
        let head = self.loc(LocKind::LoopHead);
        self.join(head);
        self.round(rounds, span);
        let (next, exit) = (self.loc(LocKind::Inner), self.loc(LocKind::Inner));
        self.body(body, LoopExits { exit, next })?;
        self.join(next);
        self.span = Some(until.span);
        let until = self.expr(until)?;
        let (ends, again) = self.branch(until);
        self.edge(again, head, NetOp::Skip);
        self.here = ends;
        self.join(exit);
        Ok(())
    }

    fn body(&mut self, body: &[Stmt], exits: LoopExits) -> Result<(), ModelError> {
        self.loops.push(exits);
        let result = self.block(body);
        self.loops.pop();
        result
    }
    /// Returns the round counter at the entry of a loop. It is wide enough for the limit, so it never wraps.
    pub(super) fn first_round(&mut self, limit: u32) -> Rounds {
        let width = (u32::BITS - limit.leading_zeros()).max(1) as u16;
        let counter = self.temp("rounds", Sort::BitVec(width));
        let zero = self.pool.constant(Value::bv(width, 0));
        self.assign(counter, zero);
        Rounds { counter, limit }
    }
    /// Adds the entry of a loop's body, if the watchdog allows another round.
    pub(super) fn round(&mut self, Rounds { counter, limit }: Rounds, span: Span) {
        let now = self.pool.var(counter);
        let Sort::BitVec(width) = self.pool.sort(now) else { unreachable!("a counter is a bit vector") };
        let limit = self.pool.constant(Value::bv(width, u128::from(limit)));
        let over = self.pool.bv_cmp(BvCmp::Ule, limit, now);
        self.fault(FaultKind::Watchdog, span, over);
        let one = self.pool.constant(Value::bv(width, 1));
        let next = self.pool.bv(BvBin::Add, now, one);
        self.assign(counter, next);
    }
}
