//! Reads and writes of every leaf, through calls, VAR_IN_OUT and references.
//!
//! Each POU gets a summary of the places that its body reads and writes, relative to its own variables. Callees come
//! first, so a VAR_IN_OUT of a callee is replaced by the argument of each call. An access of a block's own variable
//! counts for every instance of the block.
//!
//! Soundness: a leaf that some run writes counts as written. One that counts as written may stay as it is, where a
//! branch is never taken or a reference never refers to it.

use std::collections::{BTreeMap, BTreeSet};

use crate::hir::{
    CallArgs, Elem, Expr, ExprKind, GlobalId, InstanceId, Leaf, LeafElem, Place, PouId, Project, Root, Section, Stmt, StmtKind,
    Type, TypeId, VarId,
};
use crate::source::Origin;

/// Uses of one leaf.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// A statement that runs reads it.
    pub read: bool,
    /// A statement that runs may write it.
    pub written: bool,
    /// A POU that writes it and does not run.
    pub written_elsewhere: Option<PouId>,
}

/// Uses of all leaves, which are the project's, in their order. `entry_is_chosen`: user's POUs beside the entry's run
/// on the controller too, at moments that are not known here.
///
/// Cost: linear in statements, times the depth of calls with VAR_IN_OUT; one look-up for each leaf and block around it.
pub fn usage(project: &Project, leaves: &[Leaf], entry_is_chosen: bool) -> Vec<Use> {
    let mut summaries = Summaries { project, known: BTreeMap::new() };
    let mut runs: BTreeSet<PouId> = BTreeSet::new();
    for instance in &project.task.runs {
        summaries.reach(project.instances[*instance].pou, &mut runs);
    }
    let mut uses = vec![Use::default(); leaves.len()];
    let all = Accesses::of(&mut summaries, runs.iter().copied());
    for (leaf, used) in leaves.iter().zip(&mut uses) {
        used.read = all.has(project, leaf, Mode::Read);
        used.written = all.has(project, leaf, Mode::Write);
    }
    if entry_is_chosen {
        let others = project.pous.iter_enumerated().filter(|(id, pou)| pou.origin == Origin::User && !runs.contains(id));
        let others: Vec<PouId> = others.map(|(id, _)| id).collect();
        let together = Accesses::of(&mut summaries, others.iter().copied());
        let is_global = |leaf: &Leaf| matches!(leaf.root, Root::Global(_));
        let touched = |leaf: &Leaf| is_global(leaf) && together.has(project, leaf, Mode::Write);
        let touched: Vec<usize> = (0..leaves.len()).filter(|at| touched(&leaves[*at])).collect();
        let each: Vec<(PouId, Accesses)> = others.into_iter().map(|id| (id, Accesses::of(&mut summaries, [id]))).collect();
        for at in touched {
            let writes = |(_, own): &&(PouId, Accesses)| own.has(project, &leaves[at], Mode::Write);
            uses[at].written_elsewhere = each.iter().find(writes).map(|(id, _)| *id);
        }
    }
    share(leaves, &mut uses);
    uses
}

/// Variables at one place are read and written together.
fn share(leaves: &[Leaf], uses: &mut [Use]) {
    let join = |a: Use, b: Use| Use {
        read: a.read || b.read,
        written: a.written || b.written,
        written_elsewhere: a.written_elsewhere.or(b.written_elsewhere),
    };
    let views: Vec<(usize, Vec<usize>)> = leaves
        .iter()
        .enumerate()
        .filter_map(|(at, leaf)| Some((at, leaf.view.as_ref()?.parts.iter().map(|part| part.of).collect())))
        .collect();
    for (view, cells) in &views {
        for cell in cells {
            uses[*cell] = join(uses[*cell], uses[*view]);
        }
    }
    for (view, cells) in &views {
        for cell in cells {
            uses[*view] = join(uses[*view], uses[*cell]);
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mode {
    Read,
    Write,
}

/// One step below a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Field(u32),
    Member(VarId),
    Element(u32),
    AnyElement,
}

impl Step {
    fn covers(self, step: LeafElem) -> bool {
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
enum Base {
    Own(Option<VarId>),
    Global(GlobalId),
    Instance(InstanceId),
}

type Access = (Base, Vec<Step>, Mode);
/// Places relative to a POU or to the project.
type Places = Vec<(Base, Vec<Step>)>;
/// Accesses of a block's own variables.
type OwnAccesses = BTreeSet<(Option<VarId>, Vec<Step>, Mode)>;

/// Accesses of some POUs, by where they start.
#[derive(Default)]
struct Accesses {
    own: BTreeMap<PouId, OwnAccesses>,
    globals: BTreeMap<GlobalId, BTreeSet<(Vec<Step>, Mode)>>,
    instances: BTreeMap<InstanceId, BTreeSet<(Vec<Step>, Mode)>>,
}

impl Accesses {
    fn of(summaries: &mut Summaries<'_>, pous: impl IntoIterator<Item = PouId>) -> Accesses {
        let mut all = Accesses::default();
        for pou in pous {
            for (base, path, mode) in summaries.of(pou) {
                match base {
                    Base::Own(var) => all.own.entry(pou).or_default().insert((*var, path.clone(), *mode)),
                    Base::Global(global) => all.globals.entry(*global).or_default().insert((path.clone(), *mode)),
                    Base::Instance(instance) => all.instances.entry(*instance).or_default().insert((path.clone(), *mode)),
                };
            }
        }
        all
    }

    /// Returns whether an access of this mode reaches the leaf.
    fn has(&self, project: &Project, leaf: &Leaf, mode: Mode) -> bool {
        let rest = leaf.path.as_slice();
        let covers = |path: &[Step], rest: &[LeafElem]| {
            path.len() <= rest.len() && path.iter().zip(rest).all(|(step, elem)| step.covers(*elem))
        };
        let direct = |set: Option<&BTreeSet<(Vec<Step>, Mode)>>| {
            set.is_some_and(|set| set.iter().any(|(path, m)| *m == mode && covers(path, rest)))
        };
        let (mut pou, mut ty) = match leaf.root {
            Root::Global(global) if direct(self.globals.get(&global)) => return true,
            Root::Instance(instance) if direct(self.instances.get(&instance)) => return true,
            Root::Global(global) => (None, Some(project.globals[global].ty)),
            Root::Instance(instance) => (Some(project.instances[instance].pou), None),
            Root::Var(_) | Root::This(_) => return false,
        };
        for (at, step) in rest.iter().enumerate() {
            if let (None, Some(Type::FunctionBlock(block))) = (pou, ty.map(|ty| &project.types[ty].ty)) {
                pou = Some(*block);
            }
            ty = match (step, pou, ty.map(|ty| &project.types[ty].ty)) {
                (LeafElem::Member(var), Some(block), _) => {
                    let mut own = self.own.get(&block).into_iter().flatten();
                    let reaches = |(base, path, m): &(Option<VarId>, Vec<Step>, Mode)| {
                        let is_there = base.is_none_or(|base| base == *var);
                        // Of the whole instance the path is empty.
                        *m == mode && is_there && (base.is_none() || covers(path, &rest[at + 1..]))
                    };
                    if own.any(reaches) {
                        return true;
                    }
                    Some(project.pous[block].vars[*var].ty)
                }
                (LeafElem::Field(field), None, Some(Type::Struct { fields })) => Some(fields[*field as usize].ty),
                (LeafElem::Index(_), None, Some(Type::Array { elem, .. })) => Some(*elem),
                (LeafElem::Member(_) | LeafElem::Field(_) | LeafElem::Index(_), _, _) => return false,
            };
            pou = None;
        }
        false
    }
}

/// Summaries of POUs, each computed once.
struct Summaries<'p> {
    project: &'p Project,
    known: BTreeMap<PouId, BTreeSet<Access>>,
}

impl Summaries<'_> {
    /// Adds a POU and all that it calls.
    fn reach(&mut self, pou: PouId, seen: &mut BTreeSet<PouId>) {
        if !seen.insert(pou) {
            return;
        }
        let mut body = Body::new(self.project, pou);
        body.stmts(&self.project.pous[pou].body);
        for callee in body.calls.into_iter().map(|call| call.callee) {
            self.reach(callee, seen);
        }
    }

    fn of(&mut self, pou: PouId) -> &BTreeSet<Access> {
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
