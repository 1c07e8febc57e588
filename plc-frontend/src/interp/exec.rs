//! Statements.

use std::collections::BTreeMap;

use super::call::Frame;
use super::fault::{Fault, FaultEnd};
use super::machine::Machine;
use super::record::Recorder;
use crate::hir::{Assumed, CaseArm, Expr, FaultKind, LabelId, LoopBounds, Place, Stmt, StmtKind, Value};
use crate::text::Span;

/// Most levels of nested statements, expressions and calls; the host's stack is finite.
const MAX_DEPTH: u32 = 600;

/// One run of statements: the machine and the calls in progress.
pub(super) struct Exec<'m, 'p> {
    pub(super) machine: &'m mut Machine<'p>,
    pub(super) recorder: &'m mut dyn Recorder,
    /// The recorder wants names.
    pub(super) names: bool,
    pub(super) frames: Vec<Frame>,
    /// Calls in progress at the start of the condition of an assertion, which is no part of the program.
    pub(super) muted: Option<usize>,
    depth: u32,
    steps: u64,
}

/// End of a list of statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Next,
    Exit,
    Continue,
    Return,
    /// A jump to a label of a list of statements around, with its place.
    Goto(LabelId, Span),
}

impl<'m, 'p> Exec<'m, 'p> {
    pub(super) fn new(machine: &'m mut Machine<'p>, recorder: &'m mut dyn Recorder) -> Exec<'m, 'p> {
        let names = recorder.wants_names();
        Exec { machine, recorder, names, frames: Vec::new(), muted: None, depth: 0, steps: 0 }
    }

    /// Calls `f` one level deeper, if the limit allows it.
    pub(super) fn deeper<T>(&mut self, span: Span, f: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        if self.depth >= MAX_DEPTH {
            return Err(Fault { kind: FaultEnd::Exhausted, span });
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    /// Counts `steps` towards the limit of the cycle.
    pub(super) fn spend(&mut self, steps: u64, span: Span) -> Result<(), Fault> {
        self.steps += steps;
        if self.steps > self.machine.limits.steps { Err(Fault { kind: FaultEnd::Exhausted, span }) } else { Ok(()) }
    }

    pub(super) fn block(&mut self, stmts: &'p [Stmt]) -> Result<Flow, Fault> {
        // Position and rounds of each label of this list; made at the first jump.
        let mut labels: Option<BTreeMap<LabelId, (usize, u32)>> = None;
        let mut at = 0;
        while let Some(stmt) = stmts.get(at) {
            self.spend(1, stmt.span)?;
            self.recorder.executed(stmt.span);
            let flow = self.stmt(stmt)?;
            self.recorder.ended();
            match flow {
                Flow::Next => at += 1,
                Flow::Goto(label, jump) => {
                    if labels.is_none() {
                        self.spend(stmts.len() as u64, stmt.span)?;
                    }
                    let Some((to, rounds)) = labels.get_or_insert_with(|| positions(stmts)).get_mut(&label) else {
                        return Ok(Flow::Goto(label, jump));
                    };
                    if *to <= at {
                        *rounds = self.round((*rounds, self.machine.limits.loop_rounds), jump)?;
                    }
                    at = *to;
                }
                flow @ (Flow::Exit | Flow::Continue | Flow::Return) => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    fn nested(&mut self, stmts: &'p [Stmt], span: Span) -> Result<Flow, Fault> {
        self.deeper(span, |exec| exec.block(stmts))
    }

    fn stmt(&mut self, stmt: &'p Stmt) -> Result<Flow, Fault> {
        match &stmt.kind {
            StmtKind::Assign { target, value } => self.assign(target, value)?,
            StmtKind::If { branches, otherwise } => return self.branches(branches, otherwise, stmt.span),
            StmtKind::Case { selector, arms, otherwise } => return self.case(selector, arms, otherwise, stmt.span),
            StmtKind::For { control, bounds, body } => return self.for_loop(control, bounds, body, stmt.span),
            StmtKind::While { condition, body } => return self.while_loop(condition, body, stmt.span),
            StmtKind::Repeat { body, until } => return self.repeat_loop(body, until, stmt.span),
            StmtKind::Exit => return Ok(Flow::Exit),
            StmtKind::Continue => return Ok(Flow::Continue),
            StmtKind::Return => return Ok(Flow::Return),
            StmtKind::Label(_) => {}
            StmtKind::Goto(label) => return Ok(Flow::Goto(*label, stmt.span)),
            StmtKind::CallInstance { instance, pou, args } => self.call_instance(instance, *pou, args, stmt.span)?,
            StmtKind::Eval(expr) => {
                self.eval_all(expr)?;
            }
            StmtKind::Assert { id, name: _, condition } => {
                let n_frames = self.frames.len();
                let around = self.muted.replace(n_frames);
                let tested = self.test(condition);
                self.muted = around;
                let held = match tested {
                    Ok(held) => held,
                    // An assertion belongs to no program: a fault in it does not end the run.
                    Err(Fault { kind: FaultEnd::Check(kind), span: _ }) if self.frames.len() == n_frames => {
                        self.recorder.unevaluated(stmt.span, kind);
                        false
                    }
                    Err(fault) => return Err(fault),
                };
                self.recorder.assert(*id, stmt.span, held);
            }
            StmtKind::Assume(assumed) => self.assume(assumed, stmt.span)?,
            StmtKind::Gap(gap) => return Err(Fault { kind: FaultEnd::Unsupported(*gap), span: stmt.span }),
        }
        Ok(Flow::Next)
    }

    /// Ends a run that does not count. The assumption is no part of the program: its reads are not told.
    fn assume(&mut self, assumed: &Assumed, span: Span) -> Result<(), Fault> {
        if let Some((own, meant)) = &assumed.instance {
            let (own, meant) = (self.place(own)?.slot, self.place(meant)?.slot);
            if own != meant {
                return Ok(());
            }
        }
        let n_frames = self.frames.len();
        let (around, names) = (self.muted.replace(n_frames), std::mem::replace(&mut self.names, false));
        let tested = self.test(&assumed.condition);
        (self.muted, self.names) = (around, names);
        if tested? { Ok(()) } else { Err(Fault { kind: FaultEnd::Excluded, span }) }
    }

    fn assign(&mut self, target: &Place, value: &Expr) -> Result<(), Fault> {
        if self.is_scalar(value.ty) {
            let value = self.eval(value)?;
            let place = self.place(target)?;
            self.write(place, value, target.span);
        } else {
            let values = self.eval_all(value)?;
            let place = self.place(target)?;
            self.write_all(place, &values, target.span);
        }
        Ok(())
    }

    fn branches(&mut self, branches: &'p [(Expr, Vec<Stmt>)], otherwise: &'p [Stmt], span: Span) -> Result<Flow, Fault> {
        for (condition, body) in branches {
            let taken = self.test(condition)?;
            self.recorder.branch(condition.span, taken);
            if taken {
                return self.nested(body, span);
            }
        }
        self.nested(otherwise, span)
    }

    fn case(&mut self, selector: &Expr, arms: &'p [CaseArm], otherwise: &'p [Stmt], span: Span) -> Result<Flow, Fault> {
        let Value::Int(selected) = self.eval(selector)? else { unreachable!("a selector is integer-like") };
        for arm in arms {
            let taken = arm.labels.iter().any(|(low, high)| *low <= selected && selected <= *high);
            self.recorder.branch(arm.span, taken);
            if taken {
                return self.nested(&arm.body, span);
            }
        }
        self.nested(otherwise, span)
    }

    fn for_loop(&mut self, control: &Place, bounds: &LoopBounds, body: &'p [Stmt], span: Span) -> Result<Flow, Fault> {
        let wrap = Fault { kind: FaultEnd::Check(FaultKind::LoopWrap), span };
        let mut values = [0, 0, 1];
        for (value, end) in values.iter_mut().zip([Some(&bounds.from), Some(&bounds.to), bounds.by.as_ref()]) {
            if let Some(end) = end {
                *value = self.int(end)?;
            }
        }
        let [from, to, by] = values;
        if by == 0 {
            return Err(wrap);
        }
        let place = self.place(control)?;
        let Some(range) = self.machine.project.int_type(control.ty) else { unreachable!("a control variable is an integer") };
        self.write(place, Value::Int(from), control.span);
        let limit = self.machine.limits.loop_rounds.max(bounds.certain_rounds().unwrap_or(0));
        let mut rounds = 0;
        let mut is_noted = false;
        loop {
            // The body may have assigned the control variable.
            let Value::Int(now) = self.read(place, control.span) else { unreachable!("a control variable is an integer") };
            let inside = if by > 0 { now <= to } else { now >= to };
            self.recorder.branch(span, inside);
            if !inside {
                self.leave_rounds(is_noted);
                return Ok(Flow::Next);
            }
            is_noted = self.enter_round(span, now, is_noted);
            if let Some(flow) = self.loop_body(body, (&mut rounds, limit), span)? {
                self.leave_rounds(is_noted);
                return Ok(flow);
            }
            let Value::Int(now) = self.read(place, control.span) else { unreachable!("a control variable is an integer") };
            let next = now + by;
            if next < range.min() || range.max() < next {
                return Err(wrap);
            }
            self.write(place, Value::Int(next), control.span);
        }
    }

    fn while_loop(&mut self, condition: &Expr, body: &'p [Stmt], span: Span) -> Result<Flow, Fault> {
        let mut rounds = 0;
        loop {
            let taken = self.test(condition)?;
            self.recorder.branch(condition.span, taken);
            if !taken {
                return Ok(Flow::Next);
            }
            if let Some(flow) = self.loop_body(body, (&mut rounds, self.machine.limits.loop_rounds), span)? {
                return Ok(flow);
            }
        }
    }

    fn repeat_loop(&mut self, body: &'p [Stmt], until: &Expr, span: Span) -> Result<Flow, Fault> {
        let mut rounds = 0;
        loop {
            if let Some(flow) = self.loop_body(body, (&mut rounds, self.machine.limits.loop_rounds), span)? {
                return Ok(flow);
            }
            let ends = self.test(until)?;
            self.recorder.branch(until.span, ends);
            if ends {
                return Ok(Flow::Next);
            }
        }
    }

    /// Runs the body of a loop once more; returns how the loop ends, if it does.
    fn loop_body(&mut self, body: &'p [Stmt], (rounds, limit): (&mut u32, u32), span: Span) -> Result<Option<Flow>, Fault> {
        *rounds = self.round((*rounds, limit), span)?;
        Ok(match self.nested(body, span)? {
            Flow::Exit => Some(Flow::Next),
            flow @ (Flow::Return | Flow::Goto(..)) => Some(flow),
            Flow::Next | Flow::Continue => None,
        })
    }

    /// Counts one more round of a loop, if the watchdog allows it.
    fn round(&mut self, (rounds, limit): (u32, u32), span: Span) -> Result<u32, Fault> {
        self.spend(1, span)?;
        if rounds >= limit {
            return Err(Fault { kind: FaultEnd::Check(FaultKind::Watchdog), span });
        }
        Ok(rounds + 1)
    }

    fn int(&mut self, expr: &Expr) -> Result<i128, Fault> {
        let Value::Int(i) = self.eval(expr)? else { unreachable!("the ends of a FOR are integers") };
        Ok(i)
    }

    fn test(&mut self, condition: &Expr) -> Result<bool, Fault> {
        let Value::Bool(b) = self.eval(condition)? else { unreachable!("a condition is a BOOL") };
        Ok(b)
    }
}

/// Returns the positions of the labels of a list, with no rounds yet.
fn positions(stmts: &[Stmt]) -> BTreeMap<LabelId, (usize, u32)> {
    let label = |(at, stmt): (usize, &Stmt)| {
        if let StmtKind::Label(label) = stmt.kind { Some((label, (at, 0))) } else { None }
    };
    stmts.iter().enumerate().filter_map(label).collect()
}
