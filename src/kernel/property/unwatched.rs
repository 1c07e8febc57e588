//! What [`super::double_write`] does not look at: the monitor tells statements apart by where they stand and knows the
//! outputs that they name. Where a program writes a BOOL output otherwise as well, that no violation was found proves nothing.
//!
//! Everything here errs on the side of "may": a place may be an output, a statement may be executed more than once.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::hir::{
    AddressArea, CallArgs, Elem, Expr, ExprKind, Leaf, Place, PouId, Project, Role, Root, Section, Stmt, StmtKind, Type, TypeId,
    Var, VarId,
};
use plc_frontend::ids::Id;
use plc_frontend::source::{SourceSet, Span};

use super::jumps;
use super::named::Named;

/// A way to write an output that the check does not look at.
pub struct Unwatched {
    /// The variable.
    pub(crate) name: String,
    /// How it is written: "through an index".
    pub(crate) how: &'static str,
    /// Where.
    pub(crate) span: Span,
}

impl Unwatched {
    /// One sentence.
    pub fn sentence(&self, sources: &SourceSet) -> String {
        let line = sources.line_col(self.span).line;
        format!("`{}` is written {} (line {line}), which this check does not look at", self.name, self.how)
    }
}

/// The first way in which the program may write a BOOL output that the check does not look at.
pub fn unwatched(project: &Project) -> Option<Unwatched> {
    let leaves = project.leaves();
    let bodies: Vec<Body<'_>> = project.pous.iter_enumerated().map(|(id, pou)| Body::new(id, &pou.body)).collect();
    let mut named = Named::new(project);
    for body in &bodies {
        body.places.iter().for_each(|place| named.add(body.pou, place));
    }
    // A view that no statement names is not written by itself, and whoever has its memory is watched under his own name.
    let shared = leaves.iter().find(|leaf| shares_an_output(leaf, &leaves) && named.may_be(project, leaf));
    if let Some(leaf) = shared {
        return Some(Unwatched { name: leaf.name.clone(), how: "through memory that variables share", span: leaf.span });
    }
    let times = times(project, &bodies);
    let outputs = Outputs::new(project, &bodies);
    let mut writes = Vec::new();
    for body in bodies.iter().filter(|body| 0 < times[body.pou.index()]) {
        outputs.writes(body, times[body.pou.index()], &mut writes);
    }
    // What is copied has the place of what it is a copy of: to the monitor it is one statement.
    let mut executed: BTreeMap<Span, u8> = BTreeMap::new();
    for write in &writes {
        let times = executed.entry(write.span).or_default();
        *times = times.saturating_add(write.times);
    }
    let twice = |write: &&Write| executed.get(&write.span).is_some_and(|times| 1 < *times);
    let may_meet = |write: &Write| {
        let others = writes.iter().filter(|other| other.span != write.span);
        write.of.is_none() || others.into_iter().any(|other| other.of.is_none() || other.of == write.of)
    };
    let found = writes.iter().find(|write| write.how.is_some() && (twice(write) || may_meet(write)));
    let found = found.or_else(|| writes.iter().find(twice))?;
    let how = found.how.unwrap_or("by one statement that may be executed several times in a cycle");
    Some(Unwatched { name: found.name.clone(), how, span: found.span })
}

fn shares_an_output(leaf: &Leaf, leaves: &[Leaf]) -> bool {
    let is_output = |leaf: &Leaf| leaf.role == Role::Output;
    leaf.view
        .as_ref()
        .is_some_and(|view| is_output(leaf) || view.parts.iter().any(|part| leaves.get(part.of).is_some_and(is_output)))
}

struct Call<'p> {
    callee: PouId,
    /// Of a function block.
    instance: Option<&'p Place>,
    args: &'p CallArgs,
    looped: bool,
}

/// Calls and assignments of a POU, each with whether it may be executed several times each time the POU is.
struct Body<'p> {
    pou: PouId,
    assigned: Vec<(&'p Place, &'p Expr, &'p Stmt, bool)>,
    calls: Vec<Call<'p>>,
    /// Every place in it.
    places: Vec<&'p Place>,
    jumps_back: bool,
}

impl<'p> Body<'p> {
    fn new(pou: PouId, stmts: &'p [Stmt]) -> Body<'p> {
        let jumps_back = jumps::lead_back(stmts);
        let mut body = Body { pou, assigned: Vec::new(), calls: Vec::new(), places: Vec::new(), jumps_back };
        let mut todo: Vec<(&Stmt, bool)> = stmts.iter().map(|stmt| (stmt, false)).collect();
        while let Some((stmt, looped)) = todo.pop() {
            body.stmt(stmt, looped, &mut todo);
        }
        body
    }

    fn stmt(&mut self, stmt: &'p Stmt, looped: bool, todo: &mut Vec<(&'p Stmt, bool)>) {
        match &stmt.kind {
            StmtKind::Assign { target, value } => {
                self.assigned.push((target, value, stmt, looped));
                self.place(target, looped);
                self.expr(value, looped);
            }
            StmtKind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    self.expr(condition, looped);
                    todo.extend(body.iter().map(|stmt| (stmt, looped)));
                }
                todo.extend(otherwise.iter().map(|stmt| (stmt, looped)));
            }
            StmtKind::Case { selector, arms, otherwise } => {
                self.expr(selector, looped);
                let bodies = arms.iter().flat_map(|arm| &arm.body).chain(otherwise);
                todo.extend(bodies.map(|stmt| (stmt, looped)));
            }
            StmtKind::For { control, from, to, by, body } => {
                self.place(control, true);
                for bound in [from, to].into_iter().chain(by) {
                    self.expr(bound, looped);
                }
                todo.extend(body.iter().map(|stmt| (stmt, true)));
            }
            StmtKind::While { condition: test, body } | StmtKind::Repeat { body, until: test } => {
                self.expr(test, true);
                todo.extend(body.iter().map(|stmt| (stmt, true)));
            }
            StmtKind::CallInstance { instance, pou, args } => {
                self.place(instance, looped);
                self.call(*pou, Some(instance), args, looped);
            }
            StmtKind::Eval(expr) | StmtKind::Assert { condition: expr, .. } => self.expr(expr, looped),
            StmtKind::Goto(_)
            | StmtKind::Exit
            | StmtKind::Continue
            | StmtKind::Return
            | StmtKind::Label(_)
            | StmtKind::Gap(_) => {}
        }
    }

    fn call(&mut self, callee: PouId, instance: Option<&'p Place>, args: &'p CallArgs, looped: bool) {
        self.calls.push(Call { callee, instance, args, looped });
        args.inputs.iter().for_each(|(_, value)| self.expr(value, looped));
        args.in_outs.iter().chain(&args.outputs).for_each(|(_, place)| self.place(place, looped));
    }

    fn place(&mut self, place: &'p Place, looped: bool) {
        self.places.push(place);
        for elem in &place.path {
            match elem {
                Elem::Index(indices) => indices.iter().for_each(|index| self.expr(index, looped)),
                Elem::Field(_) | Elem::Member(_) | Elem::Deref(_) | Elem::Bits { .. } => {}
            }
        }
    }

    fn expr(&mut self, expr: &'p Expr, looped: bool) {
        let mut todo = vec![expr];
        while let Some(expr) = todo.pop() {
            match &expr.kind {
                ExprKind::Literal(_) | ExprKind::Text(_) => {}
                ExprKind::Read(place) => self.place(place, looped),
                ExprKind::Unary(_, a) | ExprKind::Convert(_, a) => todo.push(a),
                ExprKind::Binary(_, a, b) => todo.extend([&**a, &**b]),
                ExprKind::Builtin(_, args) => todo.extend(args),
                ExprKind::Call(pou, args) => self.call(*pou, None, args, looped),
                ExprKind::Arbitrary { concrete, .. } => todo.extend(concrete.as_deref()),
            }
        }
    }

    /// How often something is executed each time the POU is: once, or more than once.
    fn rounds(&self, looped: bool) -> u8 {
        if looped || self.jumps_back { 2 } else { 1 }
    }
}

/// How often each POU may be executed in a cycle; 2 is more than once.
///
/// Cost: linear in the calls for each level of them, as no POU calls itself.
fn times(project: &Project, bodies: &[Body<'_>]) -> Vec<u8> {
    let mut runs = vec![0u8; project.pous.len()];
    for run in &project.task.runs {
        let of = &mut runs[project.instances[*run].pou.index()];
        *of = of.saturating_add(1).min(2);
    }
    let mut times = runs.clone();
    loop {
        let mut next = runs.clone();
        for body in bodies {
            for Call { callee, looped, .. } in &body.calls {
                let more = times[body.pou.index()] * body.rounds(*looped);
                let of = &mut next[callee.index()];
                *of = of.saturating_add(more).min(2);
            }
        }
        if next == times {
            return times;
        }
        times = next;
    }
}

/// A variable by itself: nothing else means it but places that nobody knows the variable of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Global(usize),
    Own(PouId, VarId),
}

/// A statement or call that may give a BOOL output a computed value.
struct Write {
    /// `None`: any output.
    of: Option<Of>,
    name: String,
    /// `None`: the monitor sees it.
    how: Option<&'static str>,
    times: u8,
    span: Span,
}

/// Which places may be outputs.
struct Outputs<'p> {
    project: &'p Project,
    /// POUs whose VAR_OUTPUT are outputs.
    entries: BTreeSet<PouId>,
    /// VAR_IN_OUT that may refer to outputs.
    through: BTreeSet<(PouId, VarId)>,
    /// Whether a reference may.
    referenced: bool,
}

impl<'p> Outputs<'p> {
    fn new(project: &'p Project, bodies: &[Body<'p>]) -> Outputs<'p> {
        let entries = project.instances.iter().map(|instance| instance.pou).collect();
        let mut outputs = Outputs { project, entries, through: BTreeSet::new(), referenced: false };
        loop {
            let before = (outputs.through.len(), outputs.referenced);
            let mut targets = project.references.values().flatten();
            outputs.referenced = outputs.referenced || targets.any(|target| outputs.may_be(PouId(0), &target.place));
            for body in bodies {
                for Call { callee, args, .. } in &body.calls {
                    let formals = args.in_outs.iter().filter(|(_, place)| outputs.may_be(body.pou, place));
                    let formals: Vec<(PouId, VarId)> = formals.map(|(formal, _)| (*callee, *formal)).collect();
                    outputs.through.extend(formals);
                }
            }
            if before == (outputs.through.len(), outputs.referenced) {
                return outputs;
            }
        }
    }

    fn is_at_output(var: &Var) -> bool {
        var.address.as_ref().is_some_and(|address| address.area == AddressArea::Output)
    }

    fn variable(&self, pou: PouId, id: VarId) -> bool {
        let var = &self.project.pous[pou].vars[id];
        let is_terminal = var.section == Section::Output && self.entries.contains(&pou);
        is_terminal || Outputs::is_at_output(var) || self.through.contains(&(pou, id))
    }

    /// Whether a place in the body of `pou` may be an output, a part of one, or hold one.
    fn may_be(&self, pou: PouId, place: &Place) -> bool {
        let project = self.project;
        let is_entry = |ty: TypeId| self.instances_hold(ty);
        let (mut is, mut ty) = match place.root {
            Root::Var(id) => (self.variable(pou, id), Some(project.pous[pou].vars[id].ty)),
            Root::Global(id) => (Outputs::is_at_output(&project.globals[id]), Some(project.globals[id].ty)),
            Root::This(ty) => (false, Some(ty)),
            Root::Instance(_) => (false, None),
        };
        let mut instance = match place.root {
            Root::Instance(id) => Some(project.instances[id].pou),
            Root::Var(_) | Root::Global(_) | Root::This(_) => None,
        };
        for elem in &place.path {
            let here = ty.map(|ty| &project.types[ty].ty);
            match (elem, here) {
                (Elem::Member(id), Some(Type::FunctionBlock(block))) => {
                    (is, ty) = (self.variable(*block, *id), Some(project.pous[*block].vars[*id].ty));
                }
                (Elem::Member(id), _) => match instance.take() {
                    Some(block) => (is, ty) = (self.variable(block, *id), Some(project.pous[block].vars[*id].ty)),
                    None => return true,
                },
                (Elem::Field(nth), Some(Type::Struct { fields })) => match fields.get(*nth as usize) {
                    Some(field) => ty = Some(field.ty),
                    None => return true,
                },
                (Elem::Index(_), Some(Type::Array { elem, .. })) => ty = Some(*elem),
                (Elem::Deref(seen_as), _) => (is, ty) = (self.referenced, Some(*seen_as)),
                (Elem::Bits { .. }, _) => ty = Some(place.ty),
                (Elem::Field(_) | Elem::Index(_), _) => return true,
            }
        }
        is || instance.is_some() || ty.is_none_or(is_entry)
    }

    /// Whether an instance in a value of this type has an output.
    fn instances_hold(&self, ty: TypeId) -> bool {
        let mut seen = BTreeSet::new();
        let mut todo = vec![ty];
        while let Some(ty) = todo.pop() {
            if !seen.insert(ty) {
                continue;
            }
            match &self.project.types[ty].ty {
                Type::FunctionBlock(pou) => {
                    let vars = &self.project.pous[*pou].vars;
                    if vars.iter_enumerated().any(|(id, _)| self.variable(*pou, id)) {
                        return true;
                    }
                    todo.extend(vars.iter().map(|var| var.ty));
                }
                Type::Array { elem, .. } => todo.push(*elem),
                Type::Struct { fields } => todo.extend(fields.iter().map(|field| field.ty)),
                Type::Bool
                | Type::Int(_)
                | Type::Bits(_)
                | Type::Real(_)
                | Type::Time
                | Type::LTime
                | Type::Date(_)
                | Type::Char(_)
                | Type::Enum { .. }
                | Type::Subrange { .. }
                | Type::Opaque(_) => {}
            }
        }
        false
    }

    /// Whether a value of this type may hold a BOOL.
    fn holds_bool(&self, ty: TypeId) -> bool {
        match &self.project.types[ty].ty {
            Type::Bool | Type::FunctionBlock(_) => true,
            Type::Array { elem, .. } => self.holds_bool(*elem),
            Type::Struct { fields } => fields.iter().any(|field| self.holds_bool(field.ty)),
            Type::Int(_)
            | Type::Bits(_)
            | Type::Real(_)
            | Type::Time
            | Type::LTime
            | Type::Date(_)
            | Type::Char(_)
            | Type::Enum { .. }
            | Type::Subrange { .. }
            | Type::Opaque(_) => false,
        }
    }

    /// What the body may write; `times` is how often it is executed.
    fn writes(&self, body: &Body<'_>, times: u8, writes: &mut Vec<Write>) {
        let matters = |place: &Place| self.holds_bool(place.ty) && self.may_be(body.pou, place);
        let mut inputs = Vec::new();
        let mut add = |place: &Place, how: Option<&'static str>, times: u8| {
            let (of, name) = self.named(body.pou, place);
            writes.push(Write { of, name, how, times, span: place.span });
        };
        for (target, value, stmt, looped) in &body.assigned {
            if !matches!(value.kind, ExprKind::Literal(_)) && matters(target) {
                let how =
                    if stmt.coil(self.project).is_some() { None } else { Some(how(target).unwrap_or("as a part of a whole")) };
                add(target, how, times * body.rounds(*looped));
            }
        }
        for Call { callee, instance, args, looped } in &body.calls {
            for (_, place) in args.outputs.iter().filter(|(_, place)| matters(place)) {
                add(place, Some("as an output of a call"), times * body.rounds(*looped));
            }
            // By a name the monitor follows it; otherwise the block may write it any number of times.
            for (_, place) in args.in_outs.iter().filter(|(_, place)| matters(place)) {
                if how(place).is_some() {
                    add(place, Some("as a VAR_IN_OUT of a call"), 2);
                }
            }
            for place in instance.iter().filter(|place| how(place).is_some() && self.instances_hold(place.ty)) {
                add(place, Some("by an instance that is called otherwise than by its name"), 2);
            }
            for (input, value) in &args.inputs {
                let var = &self.project.pous[*callee].vars[*input];
                if Outputs::is_at_output(var) && self.holds_bool(var.ty) {
                    let how = Some("as an input of a call");
                    inputs.push(Write { of: None, name: var.name.clone(), how, times: 2, span: value.span });
                }
            }
        }
        writes.append(&mut inputs);
    }

    /// The variable that a place is a part of.
    fn named(&self, pou: PouId, place: &Place) -> (Option<Of>, String) {
        let project = self.project;
        let is_plain = place.path.iter().all(|elem| matches!(elem, Elem::Field(_) | Elem::Index(_) | Elem::Bits { .. }));
        let (of, name) = match place.root {
            Root::Var(id) => {
                let var = &project.pous[pou].vars[id];
                let is_own = var.section != Section::InOut;
                (is_own.then_some(Of::Own(pou, id)), var.name.clone())
            }
            Root::Global(id) => (Some(Of::Global(id.index())), project.globals[id].name.clone()),
            Root::This(_) => (None, project.pous[pou].name.clone()),
            Root::Instance(id) => (None, project.instances[id].name.clone()),
        };
        (of.filter(|_| is_plain), name)
    }
}

/// How a place is named, if not by names alone.
fn how(place: &Place) -> Option<&'static str> {
    place.path.iter().find_map(|elem| match elem {
        Elem::Index(_) => Some("through an index"),
        Elem::Deref(_) => Some("through a reference"),
        Elem::Bits { .. } => Some("bit by bit"),
        Elem::Field(_) | Elem::Member(_) => None,
    })
}
