//! Statements and calls.

use super::fault::{Fault, FaultEnd};
use super::machine::Machine;
use super::memory::{Home, PouLayout};
use super::place::Target;
use super::record::Recorder;
use crate::hir::{CallArgs, CaseArm, Expr, FaultKind, InstanceId, Place, Pou, PouId, PouKind, Stmt, StmtKind, Value, VarId};
use crate::ids::Id;
use crate::source::Span;

/// Nested statements, expressions and calls that are followed; the host's stack is finite.
const MAX_DEPTH: u32 = 600;

/// One run of some statements: the machine and the calls that are open.
pub(super) struct Exec<'m, 'p> {
    pub(super) machine: &'m mut Machine<'p>,
    pub(super) recorder: &'m mut dyn Recorder,
    /// Whether the recorder wants names.
    pub(super) names: bool,
    pub(super) frames: Vec<Frame>,
    depth: u32,
    steps: u64,
}

/// An open call.
pub(super) struct Frame {
    pub(super) body: Body,
    /// First slot of the instance; of no meaning for functions.
    pub(super) this: usize,
    /// First slot of the frame.
    pub(super) base: usize,
    pub(super) references: Vec<Target>,
}

/// Whose statements run: it decides where variables live.
#[derive(Clone, Copy, Debug)]
pub(super) enum Body {
    Entry(InstanceId),
    Called(PouId),
}

/// How statements ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    Next,
    Exit,
    Continue,
    Return,
}

impl<'m, 'p> Exec<'m, 'p> {
    pub(super) fn new(machine: &'m mut Machine<'p>, recorder: &'m mut dyn Recorder) -> Exec<'m, 'p> {
        let names = recorder.wants_names();
        Exec { machine, recorder, names, frames: Vec::new(), depth: 0, steps: 0 }
    }

    /// Runs a program instance.
    pub(super) fn entry(&mut self, instance: InstanceId) -> Result<(), Fault> {
        let project = self.machine.project;
        let this = self.machine.layout.entries[instance.index()].0;
        let pou = &project.pous[project.instances[instance].pou];
        self.open(Body::Entry(instance), this, Vec::new());
        self.body(pou)?;
        self.close();
        Ok(())
    }

    /// One level deeper, if the limit allows it.
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

    /// Where a variable of the running POU is.
    pub(super) fn variable(&self, var: VarId) -> Target {
        let Some(frame) = self.frames.last() else { unreachable!("conditions have no variables of their own") };
        match self.layout(frame.body).homes[var] {
            Home::This(offset) => Target::whole(frame.this + offset, self.pou(frame.body).vars[var].ty),
            Home::Frame(offset) => Target::whole(frame.base + offset, self.pou(frame.body).vars[var].ty),
            Home::Reference(n) => frame.references[n],
        }
    }

    pub(super) fn pou(&self, body: Body) -> &'p Pou {
        let project = self.machine.project;
        match body {
            Body::Entry(instance) => &project.pous[project.instances[instance].pou],
            Body::Called(pou) => &project.pous[pou],
        }
    }

    pub(super) fn layout(&self, body: Body) -> &PouLayout {
        match body {
            Body::Entry(instance) => &self.machine.layout.entries[instance.index()].1,
            Body::Called(pou) => &self.machine.layout.pous[pou],
        }
    }

    fn open(&mut self, body: Body, this: usize, references: Vec<Target>) {
        let base = self.machine.memory.len();
        let layout = match body {
            Body::Entry(instance) => &self.machine.layout.entries[instance.index()].1,
            Body::Called(pou) => &self.machine.layout.pous[pou],
        };
        self.machine.memory.extend_from_slice(&layout.frame);
        self.frames.push(Frame { body, this, base, references });
    }

    fn close(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.machine.memory.truncate(frame.base);
        }
    }

    fn body(&mut self, pou: &'p Pou) -> Result<(), Fault> {
        // RETURN ends the body; EXIT and CONTINUE do not leave their loop.
        self.block(&pou.body).map(|_| ())
    }

    /// Calls a function; the slots of its result.
    pub(super) fn call_function(&mut self, id: PouId, args: &CallArgs, span: Span) -> Result<Vec<Value>, Fault> {
        self.deeper(span, |exec| {
            let pou = &exec.machine.project.pous[id];
            let mut inputs = Vec::with_capacity(args.inputs.len());
            for (var, value) in &args.inputs {
                inputs.push((*var, exec.eval_all(value)?));
            }
            let references = exec.references(id, args)?;
            exec.open(Body::Called(id), 0, references);
            for ((var, values), (_, arg)) in inputs.iter().zip(&args.inputs) {
                exec.write_all(exec.variable(*var), values, arg.span);
            }
            exec.body(pou)?;
            let mut outputs = Vec::with_capacity(args.outputs.len());
            for (var, target) in &args.outputs {
                let mut values = Vec::new();
                exec.read_all(exec.variable(*var), target.span, &mut values)?;
                outputs.push((target, values));
            }
            let mut result = Vec::new();
            match pou.kind {
                PouKind::Function(Some(var)) => exec.read_all(exec.variable(var), span, &mut result)?,
                PouKind::Function(None) | PouKind::FunctionBlock | PouKind::Program => {}
            }
            exec.close();
            for (place, values) in outputs {
                let target = exec.place(place)?;
                exec.write_all(target, &values, place.span);
            }
            Ok(result)
        })
    }

    /// Calls a function block instance.
    fn call_instance(&mut self, instance: &Place, id: PouId, args: &CallArgs, span: Span) -> Result<(), Fault> {
        self.deeper(span, |exec| {
            let project = exec.machine.project;
            let this = exec.place(instance)?.slot;
            for (var, value) in &args.inputs {
                let values = exec.eval_all(value)?;
                exec.write_all(exec.member(this, id, *var), &values, value.span);
            }
            let references = exec.references(id, args)?;
            exec.open(Body::Called(id), this, references);
            exec.body(&project.pous[id])?;
            exec.close();
            for (var, place) in &args.outputs {
                let mut values = Vec::new();
                exec.read_all(exec.member(this, id, *var), place.span, &mut values)?;
                let target = exec.place(place)?;
                exec.write_all(target, &values, place.span);
            }
            Ok(())
        })
    }

    /// A variable of the instance at slot `this`.
    fn member(&self, this: usize, pou: PouId, var: VarId) -> Target {
        let Home::This(offset) = self.machine.layout.pous[pou].homes[var] else { unreachable!("inputs and outputs persist") };
        Target::whole(this + offset, self.machine.project.pous[pou].vars[var].ty)
    }

    /// The VAR_IN_OUT of a call. One that is not given is a fresh variable; the resolver rejects such calls.
    fn references(&mut self, id: PouId, args: &CallArgs) -> Result<Vec<Target>, Fault> {
        let project = self.machine.project;
        let mut given = Vec::with_capacity(args.in_outs.len());
        for (var, place) in &args.in_outs {
            given.push((*var, self.place(place)?));
        }
        let base = self.machine.memory.len();
        let layout = &self.machine.layout.pous[id];
        let mut references = Vec::with_capacity(layout.references.len());
        for (var, home) in layout.homes.iter_enumerated() {
            if let Home::Reference(n) = home {
                let own = Target::whole(base + layout.references[*n], project.pous[id].vars[var].ty);
                references.push(given.iter().find(|(v, _)| *v == var).map_or(own, |(_, target)| *target));
            }
        }
        Ok(references)
    }

    fn block(&mut self, stmts: &'p [Stmt]) -> Result<Flow, Fault> {
        for stmt in stmts {
            self.spend(1, stmt.span)?;
            self.recorder.executed(stmt.span);
            let flow = self.stmt(stmt)?;
            if flow != Flow::Next {
                return Ok(flow);
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
            StmtKind::For { control, from, to, by, body } => {
                return self.for_loop(control, [Some(from), Some(to), by.as_ref()], body, stmt.span);
            }
            StmtKind::While { condition, body } => return self.while_loop(condition, body, stmt.span),
            StmtKind::Repeat { body, until } => return self.repeat_loop(body, until, stmt.span),
            StmtKind::Exit => return Ok(Flow::Exit),
            StmtKind::Continue => return Ok(Flow::Continue),
            StmtKind::Return => return Ok(Flow::Return),
            StmtKind::CallInstance { instance, pou, args } => self.call_instance(instance, *pou, args, stmt.span)?,
            StmtKind::Eval(expr) => {
                self.eval_all(expr)?;
            }
            StmtKind::Assert { id, name: _, condition } => {
                let held = self.test(condition)?;
                self.recorder.assert(*id, stmt.span, held);
            }
            StmtKind::Gap(gap) => return Err(Fault { kind: FaultEnd::Unsupported(*gap), span: stmt.span }),
        }
        Ok(Flow::Next)
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

    fn for_loop(&mut self, control: &Place, ends: [Option<&Expr>; 3], body: &'p [Stmt], span: Span) -> Result<Flow, Fault> {
        let wrap = Fault { kind: FaultEnd::Check(FaultKind::LoopWrap), span };
        let mut values = [0, 0, 1];
        for (value, end) in values.iter_mut().zip(ends) {
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
        let mut rounds = 0;
        loop {
            // The body may have assigned the control variable.
            let Value::Int(now) = self.read(place, control.span) else { unreachable!("a control variable is an integer") };
            let inside = if by > 0 { now <= to } else { now >= to };
            self.recorder.branch(span, inside);
            if !inside {
                return Ok(Flow::Next);
            }
            rounds = self.round(rounds, span)?;
            match self.nested(body, span)? {
                Flow::Exit => return Ok(Flow::Next),
                Flow::Return => return Ok(Flow::Return),
                Flow::Next | Flow::Continue => {}
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
            rounds = self.round(rounds, span)?;
            match self.nested(body, span)? {
                Flow::Exit => return Ok(Flow::Next),
                Flow::Return => return Ok(Flow::Return),
                Flow::Next | Flow::Continue => {}
            }
        }
    }

    fn repeat_loop(&mut self, body: &'p [Stmt], until: &Expr, span: Span) -> Result<Flow, Fault> {
        let mut rounds = 0;
        loop {
            rounds = self.round(rounds, span)?;
            match self.nested(body, span)? {
                Flow::Exit => return Ok(Flow::Next),
                Flow::Return => return Ok(Flow::Return),
                Flow::Next | Flow::Continue => {}
            }
            let ends = self.test(until)?;
            self.recorder.branch(until.span, ends);
            if ends {
                return Ok(Flow::Next);
            }
        }
    }

    /// Enters a loop's body once more, if the watchdog allows it.
    fn round(&mut self, rounds: u32, span: Span) -> Result<u32, Fault> {
        self.spend(1, span)?;
        if rounds >= self.machine.limits.loop_rounds {
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
