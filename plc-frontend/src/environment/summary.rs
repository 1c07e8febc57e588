//! Summaries: the places that the body of a POU reads, writes and calls as instances, relative to its own variables.
//!
//! Callees come first: the argument of each call replaces a VAR_IN_OUT of the callee. Behind a reference, each of its targets
//! counts.

use std::collections::{BTreeMap, BTreeSet};

use crate::components::components;
use crate::hir::{
    CallArgs, Elem, Expr, ExprKind, GlobalId, InstanceId, LeafElem, Place, Pou, PouId, Project, Root, Section, Stmt, StmtKind,
    Type, TypeId, VarId, Visit, part_type, walk,
};
use crate::ids::Id;

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
    /// Returns the type one step below a type.
    pub(super) fn below(self, project: &Project, ty: TypeId) -> Option<TypeId> {
        let elem = match self {
            Step::Field(field) => LeafElem::Field(field),
            Step::Member(var) => LeafElem::Member(var),
            Step::Element(at) => LeafElem::Index(at),
            Step::AnyElement => LeafElem::Index(0),
        };
        part_type(project, ty, elem)
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
/// Summaries of all POUs.
pub(super) struct Summaries<'p> {
    pub(super) project: &'p Project,
    /// Calls through references write each VAR_IN_OUT.
    is_beside: bool,
    calls: BTreeMap<PouId, BTreeSet<PouId>>,
    known: BTreeMap<PouId, BTreeSet<Access>>,
}

impl<'p> Summaries<'p> {
    /// Computes the summaries, callees first. Functions that call themselves are repeated until nothing is new.
    ///
    /// Cost: linear in the bodies, times the number of repetitions.
    pub(super) fn new(project: &'p Project) -> Self {
        Summaries::of_code(project, false)
    }

    /// Computes the summaries for code that does not run here.
    ///
    /// Soundness: the targets of references there are not known, so a call through one may run any method of its name.
    pub(super) fn beside(project: &'p Project) -> Self {
        Summaries::of_code(project, true)
    }

    fn of_code(project: &'p Project, is_beside: bool) -> Self {
        let mut bodies: BTreeMap<PouId, Body<'p>> = BTreeMap::new();
        for pou in project.pous.ids() {
            let mut body = Body::new(project, pou);
            body.body(&project.pous[pou].body);
            bodies.insert(pou, body);
        }
        let callees = |body: &Body<'_>| body.calls.iter().map(|call| call.callee).collect::<BTreeSet<PouId>>();
        let calls: BTreeMap<PouId, BTreeSet<PouId>> = bodies.iter().map(|(pou, body)| (*pou, callees(body))).collect();
        let edges: Vec<Vec<usize>> = calls.values().map(|to| to.iter().map(|pou| pou.index()).collect()).collect();
        let (component, sizes) = components(&edges);
        let mut members: Vec<Vec<PouId>> = vec![Vec::new(); sizes.len()];
        for pou in project.pous.ids() {
            members[component[pou.index()]].push(pou);
        }
        let mut summaries = Summaries { project, is_beside, calls, known: BTreeMap::new() };
        for group in members {
            loop {
                let mut is_stable = true;
                for pou in &group {
                    let summary = summaries.summary(&bodies[pou]);
                    is_stable &= summaries.known.get(pou) == Some(&summary);
                    summaries.known.insert(*pou, summary);
                }
                let is_recursive = 1 < group.len() || group.iter().any(|pou| summaries.calls[pou].contains(pou));
                if is_stable || !is_recursive {
                    break;
                }
            }
        }
        summaries
    }

    /// Adds a POU and all that it calls.
    pub(super) fn reach(&self, pou: PouId, seen: &mut BTreeSet<PouId>) {
        let mut waiting = vec![pou];
        while let Some(pou) = waiting.pop() {
            if seen.insert(pou) {
                waiting.extend(&self.calls[&pou]);
            }
        }
    }

    /// Returns the POUs that a POU calls.
    pub(super) fn calls(&self, pou: PouId) -> &BTreeSet<PouId> {
        &self.calls[&pou]
    }

    /// Returns the summary of a POU.
    pub(super) fn of(&self, pou: PouId) -> &BTreeSet<Access> {
        &self.known[&pou]
    }

    /// Returns the summary of a body by those of its callees that are known so far.
    fn summary(&self, body: &Body<'_>) -> BTreeSet<Access> {
        let mut found = body.found.clone();
        for Call { callee, in_outs } in &body.calls {
            if self.is_beside && is_dispatcher(self.project, *callee) {
                let places = in_outs.iter().flat_map(|(_, places)| places);
                found.extend(places.map(|(base, path)| (*base, path.clone(), Mode::Write)));
            }
            for (base, path, mode) in self.known.get(callee).into_iter().flatten() {
                match base {
                    Base::Own(Some(var)) if self.project.pous[*callee].vars[*var].section == Section::InOut => {
                        for (_, place) in in_outs.iter().filter(|(formal, _)| formal == var) {
                            for (base, outer) in place {
                                found.insert((*base, [outer.as_slice(), path].concat(), *mode));
                            }
                        }
                    }
                    // The callee's own state is counted with the callee.
                    Base::Own(_) => {}
                    Base::Global(_) | Base::Instance(_) => {
                        found.insert((*base, path.clone(), *mode));
                    }
                }
            }
        }
        // `THIS` with a member means the member.
        let plain = |(base, path, mode): Access| match (base, path.split_first()) {
            (Base::Own(None), Some((Step::Member(var), rest))) => (Base::Own(Some(*var)), rest.to_vec(), mode),
            (Base::Own(_) | Base::Global(_) | Base::Instance(_), _) => (base, path, mode),
        };
        found.into_iter().map(plain).collect()
    }
}

/// Returns whether a POU stands for a call through a reference.
fn is_dispatcher(project: &Project, pou: PouId) -> bool {
    let row = &project.pous[pou];
    let is_target = row.vars.iter().next().is_some_and(|var| var.section == Section::Input && var.name == Pou::TARGET);
    is_target && row.origin.is_ours() && row.member_of.is_none()
}

struct Call {
    callee: PouId,
    /// For each VAR_IN_OUT the possible places of the argument.
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

    fn access(&mut self, place: &'p Place, mode: Mode) {
        for (base, path) in self.places(place) {
            self.found.insert((base, path, mode));
        }
    }

    /// Returns the places that a place may denote: several behind a reference. Indices and references on the way are read.
    fn places(&mut self, place: &'p Place) -> Places {
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

impl<'p> Visit<'p> for Body<'p> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the traversal sees the places of all other statements")]
    fn stmt(&mut self, stmt: &'p Stmt) {
        match &stmt.kind {
            // The control variable is read too, once in each round.
            StmtKind::For { control, .. } => self.access(control, Mode::Read),
            StmtKind::CallInstance { instance, args, .. } => {
                let places = self.places(instance);
                self.found.extend(places.iter().map(|(base, path)| (*base, path.clone(), Mode::Run)));
                // The call writes the inputs given and copies outputs from where the callee holds them.
                let inputs = args.inputs.iter().map(|(input, _)| (*input, Mode::Write));
                for (var, mode) in inputs.chain(args.outputs.iter().map(|(output, _)| (*output, Mode::Read))) {
                    let of = |path: &[Step]| [path, &[Step::Member(var)]].concat();
                    self.found.extend(places.iter().map(|(base, path)| (*base, of(path), mode)));
                }
            }
            _ => {}
        }
        self.stmt_parts(stmt);
    }

    fn call(&mut self, callee: PouId, args: &'p CallArgs) {
        args.inputs.iter().for_each(|(_, e)| self.expr(e));
        let in_outs = args.in_outs.iter().map(|(formal, place)| (*formal, self.places(place))).collect();
        args.outputs.iter().for_each(|(_, place)| self.access(place, Mode::Write));
        self.calls.push(Call { callee, in_outs });
    }

    fn place(&mut self, place: &'p Place, access: walk::Access) {
        match access {
            walk::Access::Read => self.access(place, Mode::Read),
            walk::Access::Write => self.access(place, Mode::Write),
            // These places are looked at with their calls.
            walk::Access::InOut | walk::Access::Instance => {}
        }
    }
}

/// Returns the start and the steps of a fixed place; `None` behind a reference.
pub(super) fn of_place(project: &Project, place: &Place) -> Option<(Base, Vec<Step>)> {
    let is_fixed = !place.path.iter().any(|elem| matches!(elem, Elem::Deref(_)));
    if is_fixed { Body::new(project, PouId(0)).places(place).pop() } else { None }
}

/// Returns the type one step below; `None` where it is not known.
fn below(project: &Project, ty: Option<TypeId>, root: Root, elem: &Elem) -> Option<TypeId> {
    match (elem, ty, root) {
        (Elem::Member(var), None, Root::Instance(instance)) => Some(project.pous[project.instances[instance].pou].vars[*var].ty),
        (Elem::Member(var), ty, _) => part_type(project, ty?, LeafElem::Member(*var)),
        (Elem::Field(field), ty, _) => part_type(project, ty?, LeafElem::Field(*field)),
        (Elem::Index(_), ty, _) => part_type(project, ty?, LeafElem::Index(0)),
        (Elem::Deref(_) | Elem::Bits { .. }, _, _) => None,
    }
}

/// Returns the row-major position of an element with constant indices.
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
