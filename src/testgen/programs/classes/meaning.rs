//! Meaning of a program with classes: a third reading, independent of the resolver and the interpreter.
//!
//! Variables are numbers in one memory, references are addresses, an instance begins with the number of its class.

use super::plan::{
    Arg, Call, Callee, Ex, ExKind, Link, LinkKind, Place, Plan, Receiver, Root, Section, Step, Stmt, Ty, Unit, Var,
};

/// Use of a reference without a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nothing;

/// A run of a program with classes.
pub struct Run<'p> {
    plan: &'p Plan,
    memory: Vec<i64>,
    main: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Next,
    Exit,
    Return,
}

struct Frame {
    this: usize,
    slots: Vec<usize>,
}

/// Wraps a value to an INT or a BOOL.
fn stored(value: i64) -> i64 {
    i64::from(value as i16)
}

/// Wraps a value at 32 bits, as CODESYS computes integers: these programs are read as its.
fn computed(value: i64) -> i64 {
    i64::from(value as i32)
}

impl<'p> Run<'p> {
    pub(super) fn new(plan: &'p Plan) -> Run<'p> {
        // No variable has address 0.
        let mut run = Run { plan, memory: vec![0], main: plan.end };
        for (var, address) in &plan.globals {
            debug_assert_eq!(run.memory.len(), *address);
            run.fresh(var.ty, var.init);
        }
        run.fresh(Ty::Block(plan.classes.len() - 1), None);
        run
    }

    fn fresh(&mut self, ty: Ty, init: Option<i64>) -> usize {
        let at = self.memory.len();
        match ty {
            Ty::Bool | Ty::Int | Ty::Ref(_) | Ty::Ptr(_) | Ty::Any(_) => self.memory.push(init.unwrap_or(0)),
            Ty::Pair | Ty::Row => self.memory.extend(std::iter::repeat_n(0, self.plan.size(ty))),
            Ty::Blocks(class) => {
                self.fresh(Ty::Block(class), init);
                self.fresh(Ty::Block(class), init);
            }
            Ty::Block(class) => {
                self.memory.push(class as i64);
                for field in &self.plan.classes[class].fields {
                    self.fresh(field.ty, field.init);
                }
                self.start(class, at, init);
            }
        }
        at
    }

    /// Runs FB_init, the ancestors' first.
    fn start(&mut self, class: usize, this: usize, argument: Option<i64>) {
        let plan = self.plan;
        let mut units: Vec<&Unit> = plan.chain(class).filter_map(|class| plan.classes[class].start.as_ref()).collect();
        while let Some(unit) = units.pop() {
            let end = self.memory.len();
            let done = self.unit(unit, this, vec![(0, argument.unwrap_or(0))], &[]);
            debug_assert!(done.is_ok(), "it follows no reference");
            self.memory.truncate(end);
        }
    }

    /// Runs one cycle with the values of the inputs, in their order. Fails at a reference without a target.
    pub fn cycle(&mut self, inputs: &[i64]) -> Result<(), Nothing> {
        let main = self.plan.classes.len() - 1;
        let fields = &self.plan.classes[main].fields;
        let inputs_at = (0..fields.len()).filter(|i| fields[*i].section == Section::Input);
        for (field, value) in inputs_at.zip(inputs) {
            let at = self.main + self.plan.offset(main, field);
            self.memory[at] = *value;
        }
        let (unit, end) = (&self.plan.classes[main].body, self.memory.len());
        let done = self.unit(unit, self.main, Vec::new(), &[]);
        self.memory.truncate(end);
        done.map(|_| ())
    }

    /// Returns all persistent scalars by canonical name; for references 1 if they have a target.
    pub fn leaves(&self) -> Vec<(String, i64)> {
        let mut found = Vec::new();
        // VAR_STAT have no name of their own here.
        for (var, address) in self.plan.globals.iter().filter(|(var, _)| !var.name.is_empty()) {
            self.leaf(var, var.name.clone(), *address, &mut found);
        }
        let main = self.plan.classes.len() - 1;
        self.fields(main, "Main", self.main, &mut found);
        found
    }

    fn fields(&self, class: usize, name: &str, at: usize, found: &mut Vec<(String, i64)>) {
        for (i, field) in self.plan.classes[class].fields.iter().enumerate() {
            self.leaf(field, format!("{name}.{}", field.name), at + self.plan.offset(class, i), found);
        }
    }

    fn leaf(&self, var: &Var, name: String, at: usize, found: &mut Vec<(String, i64)>) {
        match var.ty {
            Ty::Bool | Ty::Int => found.push((name, self.memory[at])),
            Ty::Ref(_) | Ty::Ptr(_) | Ty::Any(_) => found.push((name, i64::from(self.memory[at] != 0))),
            Ty::Pair => {
                found.push((format!("{name}.a"), self.memory[at]));
                found.push((format!("{name}.on"), self.memory[at + 1]));
            }
            Ty::Row => found.extend((0..3).map(|i| (format!("{name}[{i}]"), self.memory[at + i]))),
            Ty::Block(class) => self.fields(class, &name, at, found),
            Ty::Blocks(class) => {
                for i in 0..2 {
                    self.fields(class, &format!("{name}[{}]", i + 1), at + i * self.plan.size(Ty::Block(class)), found);
                }
            }
        }
    }

    /// Runs a unit. Returns the addresses of its variables with their last values.
    fn unit(
        &mut self,
        unit: &'p Unit,
        this: usize,
        values: Vec<(usize, i64)>,
        in_outs: &[(usize, usize)],
    ) -> Result<Frame, Nothing> {
        let mut frame = Frame { this, slots: Vec::with_capacity(unit.vars.len()) };
        for (i, var) in unit.vars.iter().enumerate() {
            let slot = match in_outs.iter().find(|(to, _)| *to == i) {
                Some((_, at)) => *at,
                None => self.fresh(var.ty, var.init),
            };
            frame.slots.push(slot);
        }
        for (to, value) in values {
            self.memory[frame.slots[to]] = value;
        }
        self.block(&unit.body, &frame)?;
        Ok(frame)
    }

    fn place(&mut self, place: &'p Place, frame: &Frame) -> Result<usize, Nothing> {
        let mut at = match place.root {
            Root::Frame(var) => frame.slots[var],
            Root::This(offset) => frame.this + offset,
            Root::Fixed(address) => address,
        };
        for step in &place.steps {
            match step {
                Step::At(offset) => at += offset,
                Step::Index { index, low, stride } => at += (self.value(index, frame)? - low) as usize * stride,
                Step::Deref => {
                    at = self.memory[at] as usize;
                    if at == 0 {
                        return Err(Nothing);
                    }
                }
            }
        }
        Ok(at)
    }

    fn value(&mut self, ex: &'p Ex, frame: &Frame) -> Result<i64, Nothing> {
        Ok(match &ex.kind {
            ExKind::Literal(value) => *value,
            ExKind::Read(place) => {
                let at = self.place(place, frame)?;
                self.memory[at]
            }
            ExKind::Not(e) => 1 - self.value(e, frame)?,
            ExKind::Limit(low, e, high) => self.value(e, frame)?.clamp(*low, *high),
            ExKind::Call(call) => self.call(call, frame)?,
            ExKind::Refers(place, wanted) => {
                let at = self.place(place, frame)?;
                i64::from((self.memory[at] != 0) == *wanted)
            }
            ExKind::Same(a, b) => {
                let (a, b) = (self.place(a, frame)?, self.place(b, frame)?);
                i64::from(self.memory[a] == self.memory[b])
            }
            ExKind::Op(op, a, b) => {
                let a = self.value(a, frame)?;
                if (*op, a) == ("AND_THEN", 0) || (*op, a) == ("OR_ELSE", 1) {
                    return Ok(a);
                }
                let b = self.value(b, frame)?;
                match *op {
                    "+" => computed(a + b),
                    "-" => computed(a - b),
                    "*" => computed(a * b),
                    "=" => i64::from(a == b),
                    "<>" | "XOR" => i64::from(a != b),
                    "<" => i64::from(a < b),
                    ">=" => i64::from(a >= b),
                    "AND" | "AND_THEN" => a & b,
                    "OR" | "OR_ELSE" => a | b,
                    other => unreachable!("{other}"),
                }
            }
        })
    }

    fn arg(&mut self, arg: &'p Arg, frame: &Frame) -> Result<i64, Nothing> {
        match arg {
            Arg::Value(ex) => self.value(ex, frame).map(stored),
            Arg::Link(link) => self.link(link, frame),
        }
    }

    fn link(&mut self, link: &'p Link, frame: &Frame) -> Result<i64, Nothing> {
        match &link.kind {
            LinkKind::Null => Ok(0),
            LinkKind::To(place) => Ok(self.place(place, frame)? as i64),
            LinkKind::Copy(place) => {
                let at = self.place(place, frame)?;
                Ok(self.memory[at])
            }
        }
    }

    /// Returns the callee's result, or 0.
    fn call(&mut self, call: &'p Call, frame: &Frame) -> Result<i64, Nothing> {
        let behind = match &call.receiver {
            Receiver::Behind(reference) => {
                let at = self.place(reference, frame)?;
                Some(self.memory[at] as usize)
            }
            Receiver::This | Receiver::Place(_) => None,
        };
        let mut values = Vec::new();
        for (to, arg) in &call.inputs {
            values.push((*to, self.arg(arg, frame)?));
        }
        let this = match &call.receiver {
            Receiver::This => frame.this,
            Receiver::Place(place) => self.place(place, frame)?,
            Receiver::Behind(_) => behind.filter(|at| *at != 0).ok_or(Nothing)?,
        };
        let mut in_outs = Vec::new();
        for (to, place) in &call.in_outs {
            in_outs.push((*to, self.place(place, frame)?));
        }
        let plan = self.plan;
        let of = |class: usize, name: &str| {
            plan.definer(class, name).and_then(|class| plan.classes[class].members.get(name)?.as_ref())
        };
        let unit = match &call.callee {
            Callee::Member(name) => of(self.memory[this] as usize, name),
            Callee::Of(class, name) => of(*class, name),
            Callee::BodyOf(class) => Some(&plan.classes[*class].body),
            Callee::Function(f) => plan.functions.get(*f),
        };
        let Some(unit) = unit else { unreachable!("what is called is written") };
        let end = self.memory.len();
        let inner = self.unit(unit, this, values, &in_outs)?;
        let result = unit.result.map_or(0, |var| self.memory[inner.slots[var]]);
        let left: Vec<i64> = call.outputs.iter().map(|(from, _)| self.memory[inner.slots[*from]]).collect();
        self.memory.truncate(end);
        for ((_, place), value) in call.outputs.iter().zip(left) {
            let at = self.place(place, frame)?;
            self.memory[at] = value;
        }
        Ok(result)
    }

    fn block(&mut self, stmts: &'p [Stmt], frame: &Frame) -> Result<Flow, Nothing> {
        for stmt in stmts {
            match self.stmt(stmt, frame)? {
                Flow::Next => {}
                flow @ (Flow::Exit | Flow::Return) => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    fn stmt(&mut self, stmt: &'p Stmt, frame: &Frame) -> Result<Flow, Nothing> {
        match stmt {
            Stmt::Assign(place, ex) => {
                let value = stored(self.value(ex, frame)?);
                let at = self.place(place, frame)?;
                self.memory[at] = value;
            }
            Stmt::Copy(to, from) => {
                let from = self.place(from, frame)?;
                let pair = [self.memory[from], self.memory[from + 1]];
                let to = self.place(to, frame)?;
                self.memory[to..to + 2].copy_from_slice(&pair);
            }
            Stmt::Bind(place, link) => {
                let value = self.link(link, frame)?;
                let at = self.place(place, frame)?;
                self.memory[at] = value;
            }
            Stmt::Call(call) => {
                self.call(call, frame)?;
            }
            Stmt::Run { instance, inputs, in_outs, outputs } => {
                let this = self.place(instance, frame)?;
                for (offset, arg) in inputs {
                    let value = self.arg(arg, frame)?;
                    self.memory[this + offset] = value;
                }
                let mut given = Vec::new();
                for (to, place) in in_outs {
                    given.push((*to, self.place(place, frame)?));
                }
                let plan = self.plan;
                let end = self.memory.len();
                self.unit(&plan.classes[self.memory[this] as usize].body, this, Vec::new(), &given)?;
                self.memory.truncate(end);
                for (offset, place) in outputs {
                    let value = self.memory[this + offset];
                    let at = self.place(place, frame)?;
                    self.memory[at] = value;
                }
            }
            Stmt::If(condition, yes, no) => {
                let taken = self.value(condition, frame)? == 1;
                return self.block(if taken { yes } else { no }, frame);
            }
            Stmt::For { control, to, body } => {
                // Programs with references are read as CODESYS does: the last value is computed before every round.
                let at = self.place(control, frame)?;
                self.memory[at] = 0;
                while self.memory[at] <= self.value(to, frame)? {
                    match self.block(body, frame)? {
                        Flow::Next => self.memory[at] += 1,
                        Flow::Exit => break,
                        Flow::Return => return Ok(Flow::Return),
                    }
                }
            }
            Stmt::Exit => return Ok(Flow::Exit),
            Stmt::Return => return Ok(Flow::Return),
        }
        Ok(Flow::Next)
    }
}
