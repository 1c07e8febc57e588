//! Summaries: the places that the body of a POU reads, writes and calls as instances, relative to its own variables.
//!
//! Callees come first, so a VAR_IN_OUT of a callee is replaced by the argument of each call. Behind a reference each
//! place counts that the reference may refer to.

use std::collections::{BTreeMap, BTreeSet};

use crate::hir::{
    CallArgs, Elem, Expr, ExprKind, GlobalId, InstanceId, LeafElem, Place, PouId, Project, Root, Section, Stmt, StmtKind, Type,
    TypeId, VarId,
};

/// Kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mode {
    Read,
    Write,
    /// The body of the instance there runs.
    Run,
}

/// One step below a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    Field(u32),
    Member(VarId),
    Element(u32),
    AnyElement,
}

impl Step {
    /// Returns whether the step reaches this part of a leaf's path.
    pub(super) fn covers(self, step: LeafElem) -> bool {
        match (self, step) {
            (Step::Field(a), LeafElem::Field(b)) => a == b,
            (Step::Member(a), LeafElem::Member(b)) => a == b,
            (Step::Element(a), LeafElem::Index(b)) => a == b,
            (Step::AnyElement, LeafElem::Index(_)) => true,
            (Step::Field(_) | Step::Member(_) | Step::Element(_) | Step::AnyElement, _) => false,
        }
    }
}

/// Start of an access: a variable of the POU (`None`: the whole instance), or of the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Base {
    Own(Option<VarId>),
    Global(GlobalId),
    Instance(InstanceId),
}

/// One access: start, steps below it, kind.
pub(super) type Access = (Base, Vec<Step>, Mode);
/// Places relative to a POU or to the project.
type Places = Vec<(Base, Vec<Step>)>;
/// Summaries of POUs, each computed once.
pub(super) struct Summaries<'p> {
    pub(super) project: &'p Project,
    known: BTreeMap<PouId, BTreeSet<Access>>,
}

impl<'p> Summaries<'p> {
    /// No summary is computed yet.
    pub(super) fn new(project: &'p Project) -> Self {
        Summaries { project, known: BTreeMap::new() }
    }

    /// Adds a POU and all that it calls.
    pub(super) fn reach(&mut self, pou: PouId, seen: &mut BTreeSet<PouId>) {
        if !seen.insert(pou) {
            return;
        }
        let mut body = Body::new(self.project, pou);
        body.stmts(&self.project.pous[pou].body);
        for callee in body.calls.into_iter().map(|call| call.callee) {
            self.reach(callee, seen);
        }
    }

    /// The summary of a POU: computed at the first question.
    pub(super) fn of(&mut self, pou: PouId) -> &BTreeSet<Access> {
        if !self.known.contains_key(&pou) {
            // The call graph has no cycle; where it has one anyway, the inner call adds nothing new.
            self.known.insert(pou, BTreeSet::new());
            let summary = self.summary(pou);
            self.known.insert(pou, summary);
        }
        &self.known[&pou]
    }

    fn summary(&mut self, pou: PouId) -> BTreeSet<Access> {
        let mut body = Body::new(self.project, pou);
        body.stmts(&self.project.pous[pou].body);
        let Body { mut found, calls, .. } = body;
        for Call { callee, in_outs } in calls {
            let inner: Vec<Access> = self.of(callee).iter().cloned().collect();
            for (base, path, mode) in inner {
                match base {
                    Base::Own(Some(var)) if self.project.pous[callee].vars[var].section == Section::InOut => {
                        for (_, place) in in_outs.iter().filter(|(formal, _)| *formal == var) {
                            for (base, outer) in place {
                                found.insert((*base, [outer.as_slice(), &path].concat(), mode));
                            }
                        }
                    }
                    // The callee's own state counts where the callee is looked at.
                    Base::Own(_) => {}
                    Base::Global(_) | Base::Instance(_) => {
                        found.insert((base, path, mode));
                    }
                }
            }
        }
        // `THIS` with a member is the member.
        let plain = |(base, path, mode): Access| match (base, path.split_first()) {
            (Base::Own(None), Some((Step::Member(var), rest))) => (Base::Own(Some(*var)), rest.to_vec(), mode),
            (Base::Own(_) | Base::Global(_) | Base::Instance(_), _) => (base, path, mode),
        };
        found.into_iter().map(plain).collect()
    }
}

struct Call {
    callee: PouId,
    /// For each VAR_IN_OUT the places that the argument may be.
    in_outs: Vec<(VarId, Places)>,
}

/// Accesses and calls of one body.
struct Body<'p> {
    project: &'p Project,
    pou: PouId,
    found: BTreeSet<Access>,
    calls: Vec<Call>,
}

impl<'p> Body<'p> {
    fn new(project: &'p Project, pou: PouId) -> Self {
        Body { project, pou, found: BTreeSet::new(), calls: Vec::new() }
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(&stmt.kind);
        }
    }

    fn stmt(&mut self, stmt: &StmtKind) {
        match stmt {
            StmtKind::Assign { target, value } => {
                self.expr(value);
                self.access(target, Mode::Write);
            }
            StmtKind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    self.expr(condition);
                    self.stmts(body);
                }
                self.stmts(otherwise);
            }
            StmtKind::Case { selector, arms, otherwise } => {
                self.expr(selector);
                arms.iter().for_each(|arm| self.stmts(&arm.body));
                self.stmts(otherwise);
            }
            StmtKind::For { control, from, to, by, body } => {
                [from, to].into_iter().chain(by).for_each(|e| self.expr(e));
                self.access(control, Mode::Read);
                self.access(control, Mode::Write);
                self.stmts(body);
            }
            StmtKind::While { condition: test, body } | StmtKind::Repeat { body, until: test } => {
                self.expr(test);
                self.stmts(body);
            }
            StmtKind::CallInstance { instance, pou, args } => {
                let places = self.places(instance);
                self.found.extend(places.iter().map(|(base, path)| (*base, path.clone(), Mode::Run)));
                for (input, value) in &args.inputs {
                    self.expr(value);
                    for (base, path) in &places {
                        let path = [path.as_slice(), &[Step::Member(*input)]].concat();
                        self.found.insert((*base, path, Mode::Write));
                    }
                }
                // Values that the call copies out are read where the callee holds them.
                for (output, _) in &args.outputs {
                    for (base, path) in &places {
                        let path = [path.as_slice(), &[Step::Member(*output)]].concat();
                        self.found.insert((*base, path, Mode::Read));
                    }
                }
                self.call(*pou, &CallArgs { inputs: Vec::new(), ..args.clone() });
            }
            StmtKind::Eval(e) | StmtKind::Assert { condition: e, .. } => self.expr(e),
            StmtKind::Exit
            | StmtKind::Continue
            | StmtKind::Return
            | StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::Gap(_) => {}
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Literal(_) | ExprKind::Text(_) => {}
            ExprKind::Read(place) => self.access(place, Mode::Read),
            ExprKind::Unary(_, a) | ExprKind::Convert(_, a) => self.expr(a),
            ExprKind::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Builtin(_, args) => args.iter().for_each(|a| self.expr(a)),
            ExprKind::Call(pou, args) => self.call(*pou, args),
            ExprKind::Arbitrary { concrete, .. } => concrete.iter().for_each(|e| self.expr(e)),
        }
    }

    fn call(&mut self, callee: PouId, args: &CallArgs) {
        args.inputs.iter().for_each(|(_, e)| self.expr(e));
        let in_outs = args.in_outs.iter().map(|(formal, place)| (*formal, self.places(place))).collect();
        for (_, place) in &args.outputs {
            self.access(place, Mode::Write);
        }
        self.calls.push(Call { callee, in_outs });
    }

    fn access(&mut self, place: &Place, mode: Mode) {
        for (base, path) in self.places(place) {
            self.found.insert((base, path, mode));
        }
    }

    /// The places that a place may be: several behind a reference. Indices and references on the way are read.
    fn places(&mut self, place: &Place) -> Places {
        let project = self.project;
        let (base, mut ty) = match place.root {
            Root::Var(var) => (Base::Own(Some(var)), Some(project.pous[self.pou].vars[var].ty)),
            Root::Global(global) => (Base::Global(global), Some(project.globals[global].ty)),
            Root::This(ty) => (Base::Own(None), Some(ty)),
            Root::Instance(instance) => (Base::Instance(instance), None),
        };
        let mut places = vec![(base, Vec::new())];
        for elem in &place.path {
            let step = match elem {
                Elem::Field(field) => Step::Field(*field),
                Elem::Member(var) => Step::Member(*var),
                Elem::Index(indices) => {
                    indices.iter().for_each(|e| self.expr(e));
                    element(project, ty, indices).map_or(Step::AnyElement, Step::Element)
                }
                Elem::Bits { .. } => break,
                Elem::Deref(seen_as) => {
                    for (base, path) in &places {
                        self.found.insert((*base, path.clone(), Mode::Read));
                    }
                    let targets = ty.and_then(|ty| project.references.get(&ty)).into_iter().flatten();
                    let fitting = targets.filter(|target| target.views.contains(seen_as));
                    places = fitting.flat_map(|target| self.places(&target.place)).collect();
                    ty = Some(*seen_as);
                    continue;
                }
            };
            ty = below(project, ty, place.root, elem);
            places.iter_mut().for_each(|(_, path)| path.push(step));
        }
        places
    }
}

/// The type one step below; `None` where it is not known.
fn below(project: &Project, ty: Option<TypeId>, root: Root, elem: &Elem) -> Option<TypeId> {
    match (elem, ty.map(|ty| &project.types[ty].ty)) {
        (Elem::Field(field), Some(Type::Struct { fields })) => fields.get(*field as usize).map(|field| field.ty),
        (Elem::Index(_), Some(Type::Array { elem, .. })) => Some(*elem),
        (Elem::Member(var), Some(Type::FunctionBlock(pou))) => Some(project.pous[*pou].vars[*var].ty),
        (Elem::Member(var), None) => match root {
            Root::Instance(instance) => Some(project.pous[project.instances[instance].pou].vars[*var].ty),
            Root::Var(_) | Root::Global(_) | Root::This(_) => None,
        },
        (Elem::Field(_) | Elem::Index(_) | Elem::Member(_) | Elem::Deref(_) | Elem::Bits { .. }, _) => None,
    }
}

/// The row-major position of an element with constant indices.
fn element(project: &Project, ty: Option<TypeId>, indices: &[Expr]) -> Option<u32> {
    let Type::Array { dims, .. } = &project.types[ty?].ty else { return None };
    let mut at = 0i64;
    for ((low, high), index) in dims.iter().zip(indices) {
        let ExprKind::Literal(value) = &index.kind else { return None };
        let index = i64::try_from(value.as_int()?).ok()?;
        if index < *low || *high < index {
            return None;
        }
        at = at.checked_mul(high - low + 1)?.checked_add(index - low)?;
    }
    if dims.len() == indices.len() { u32::try_from(at).ok() } else { None }
}
