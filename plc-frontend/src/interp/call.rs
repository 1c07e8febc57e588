//! Calls: frames, arguments, results.

use super::exec::Exec;
use super::fault::{Fault, FaultEnd};
use super::memory::{Home, PouLayout};
use super::place::Target;
use crate::hir::{CallArgs, FaultKind, InstanceId, MAX_ACTIVATIONS, Place, Pou, PouId, PouKind, Value, VarId};
use crate::ids::Id;
use crate::text::Span;

/// A call in progress.
pub(super) struct Frame {
    pub(super) body: Body,
    /// First slot of the instance; meaningless for functions.
    pub(super) this: usize,
    /// First slot of the frame.
    pub(super) base: usize,
    pub(super) references: Vec<Target>,
    /// [`crate::hir::call_path`].
    pub(super) path: u64,
    /// Values of the control variables of the FOR loops that run, where paths are asked for.
    pub(super) rounds: Vec<i128>,
}

/// The body that runs; the layout of its variables depends on it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Body {
    Entry(InstanceId),
    Called(PouId),
}

impl<'p> Exec<'_, 'p> {
    /// Runs a program instance.
    pub(super) fn entry(&mut self, instance: InstanceId) -> Result<(), Fault> {
        let this = self.machine.layout.entries[instance.index()].0;
        self.open(Body::Entry(instance), this, Vec::new(), 0);
        self.body(self.pou(Body::Entry(instance)))?;
        self.close();
        Ok(())
    }

    /// Returns the memory of a variable of the running POU.
    pub(super) fn variable(&self, var: VarId) -> Target {
        let Some(frame) = self.frames.last() else { unreachable!("conditions have no variables of their own") };
        match self.layout(frame.body).homes[var] {
            Home::This(offset) => Target::whole(frame.this + offset, self.pou(frame.body).vars[var].ty),
            Home::Frame(offset) => Target::whole(frame.base + offset, self.pou(frame.body).vars[var].ty),
            Home::Reference(n) => frame.references[n],
        }
    }

    /// Returns the first slot of the instance whose body runs.
    pub(super) fn this(&self) -> usize {
        let Some(frame) = self.frames.last() else { unreachable!("conditions have no instance of their own") };
        frame.this
    }

    pub(super) fn pou(&self, body: Body) -> &'p Pou {
        &self.machine.project.pous[self.pou_id(body)]
    }

    fn pou_id(&self, body: Body) -> PouId {
        match body {
            Body::Entry(instance) => self.machine.project.instances[instance].pou,
            Body::Called(pou) => pou,
        }
    }

    pub(super) fn layout(&self, body: Body) -> &PouLayout {
        self.machine.layout.of(body)
    }

    fn open(&mut self, body: Body, this: usize, references: Vec<Target>, path: u64) {
        let base = self.machine.memory.len();
        let layout = self.machine.layout.of(body);
        self.machine.memory.extend_from_slice(&layout.frame);
        if self.names {
            let (pou, project) = (self.pou_id(body), self.machine.project);
            // A member runs for the instance that its first variable refers to.
            let member = project.pous[pou].member_of.and_then(|_| references.first());
            self.recorder.entered(pou, member.map_or(this, |target| target.slot));
        }
        self.frames.push(Frame { body, this, base, references, path, rounds: Vec::new() });
        if self.names {
            self.tell_references(body);
        }
    }

    /// Tells the recorder the names of the variables that the frame refers to.
    fn tell_references(&mut self, body: Body) {
        let homes = &self.layout(body).homes;
        let is_reference = |(id, home): (VarId, &Home)| match home {
            Home::Reference(n) => Some((id, *n)),
            Home::This(_) | Home::Frame(_) => None,
        };
        let references: Vec<(VarId, usize)> = homes.iter_enumerated().filter_map(is_reference).collect();
        for (id, n) in references {
            let target = self.frames.last().and_then(|frame| frame.references.get(n));
            if let Some(&Target { slot, ty, .. }) = target {
                let name = self.whole(slot, ty);
                self.recorder.refers(id, &name);
            }
        }
    }

    fn close(&mut self) {
        if let Some(frame) = self.frames.pop() {
            if self.names {
                self.recorder.left();
            }
            self.machine.memory.truncate(frame.base);
        }
    }

    fn body(&mut self, pou: &'p Pou) -> Result<(), Fault> {
        // RETURN ends the body; EXIT and CONTINUE do not leave their loop.
        self.block(&pou.body).map(|_| ())
    }

    /// Calls a function; returns the slots of its result.
    pub(super) fn call_function(&mut self, id: PouId, args: &CallArgs, span: Span) -> Result<Vec<Value>, Fault> {
        self.deeper(span, |exec| {
            let pou = &exec.machine.project.pous[id];
            let mut inputs = Vec::with_capacity(args.inputs.len());
            for (var, value) in &args.inputs {
                inputs.push((*var, exec.eval_all(value)?));
            }
            let references = exec.references(id, args)?;
            exec.check_activations(id, span)?;
            let path = exec.path(span, id, 0, &references);
            exec.open(Body::Called(id), 0, references, path);
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
            if let PouKind::Function(Some(var)) = pou.kind {
                exec.read_all(exec.variable(var), span, &mut result)?;
            }
            exec.close();
            for (place, values) in outputs {
                let target = exec.place(place)?;
                exec.write_all(target, &values, place.span);
            }
            Ok(result)
        })
    }

    /// Fails if the function cannot be called once more.
    fn check_activations(&self, id: PouId, span: Span) -> Result<(), Fault> {
        let n_open = self.frames.iter().filter(|frame| matches!(frame.body, Body::Called(of) if of == id)).count();
        if n_open < MAX_ACTIVATIONS { Ok(()) } else { Err(Fault { kind: FaultEnd::Check(FaultKind::CallDepth), span }) }
    }

    /// Calls a function block instance.
    pub(super) fn call_instance(&mut self, instance: &Place, id: PouId, args: &CallArgs, span: Span) -> Result<(), Fault> {
        self.deeper(span, |exec| {
            let project = exec.machine.project;
            let this = exec.place(instance)?.slot;
            for (var, value) in &args.inputs {
                let values = exec.eval_all(value)?;
                exec.write_all(exec.member(this, id, *var), &values, value.span);
            }
            let references = exec.references(id, args)?;
            let path = exec.path(span, id, this, &references);
            exec.open(Body::Called(id), this, references, path);
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

    /// Returns the memory of a variable in an instance by the instance's first slot.
    fn member(&self, this: usize, pou: PouId, var: VarId) -> Target {
        let Home::This(offset) = self.machine.layout.pous[pou].homes[var] else { unreachable!("inputs and outputs persist") };
        Target::whole(this + offset, self.machine.project.pous[pou].vars[var].ty)
    }

    /// Returns the memory of the VAR_IN_OUT of a call. One that is not given is a fresh variable; the resolver rejects such
    /// calls.
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
}
