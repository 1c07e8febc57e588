//! POUs that run elsewhere and write `a[i]` with an `i` that nothing keeps inside of the array.
//!
//! The controllers that do not check indices write whatever stands beside the array. In the run itself such an index is a fault.

use std::collections::BTreeSet;

use super::value_ranges::{Ranges, constant, own, variable};
use crate::hir::{
    CallArgs, Elem, Expr, LeafElem, LoopBounds, Place, PouId, Project, Root, Section, Stmt, StmtKind, Type, TypeId, VarId, Visit,
    part_type, walk,
};
use crate::text::Span;

/// Returns the first places of some POUs that may write outside of an array.
///
/// Cost: linear in the bodies, times the depth of their loops and the number of their variables.
pub(crate) fn outside_writes(project: &Project, pous: &BTreeSet<PouId>) -> Vec<(PouId, Span)> {
    let exposed = Exposed::of(project);
    let found = pous.iter().filter_map(|pou| {
        let mut body = Body::new(project, *pou, &exposed);
        let start = body.constants();
        body.list(&project.pous[*pou].body, Some(start));
        Some((*pou, body.outside?))
    });
    found.collect()
}

/// Variables that bodies of other POUs may write.
#[derive(Default)]
struct Exposed {
    vars: BTreeSet<(PouId, VarId)>,
    /// Those of blocks that are not known.
    anywhere: BTreeSet<VarId>,
}

impl Exposed {
    fn of(project: &Project) -> Exposed {
        let mut exposed = Exposed::default();
        for pou in project.pous.ids() {
            let mut places: Vec<&Place> = Vec::new();
            walk::writes(&project.pous[pou].body, |place| places.push(place));
            places.into_iter().for_each(|place| exposed.add(project, Some(pou), place));
        }
        let targets = project.references.values().flatten().map(|target| &target.place);
        targets.for_each(|place| exposed.add(project, None, place));
        exposed
    }

    fn has(&self, pou: PouId, var: VarId) -> bool {
        self.vars.contains(&(pou, var)) || self.anywhere.contains(&var)
    }

    /// Adds the variables of blocks and programs on the way to a place.
    fn add(&mut self, project: &Project, pou: Option<PouId>, place: &Place) {
        let mut around = start(project, pou, place);
        for elem in &place.path {
            if let Elem::Member(var) = elem {
                let block = match around {
                    Container::Type(ty) => project.block_of(ty),
                    Container::Program(block) => Some(block),
                    Container::Unknown => None,
                };
                match block {
                    Some(block) => self.vars.insert((block, *var)),
                    None => self.anywhere.insert(*var),
                };
            }
            around = around.below(project, elem);
        }
    }
}

/// Walk through one body.
struct Body<'p> {
    project: &'p Project,
    /// Own variables whose values only this body changes.
    own: BTreeSet<VarId>,
    pou: PouId,
    /// Ranges at the present place; `None` where no run comes.
    ranges: Option<Ranges>,
    outside: Option<Span>,
}

impl<'p> Body<'p> {
    fn new(project: &'p Project, pou: PouId, exposed: &Exposed) -> Self {
        let mut jumps = project.local_views.contains_key(&pou);
        walk::stmts(&project.pous[pou].body, |stmt| {
            jumps |= matches!(stmt.kind, StmtKind::Label(_) | StmtKind::Goto(_) | StmtKind::Gap(_));
        });
        let vars = project.pous[pou].vars.iter_enumerated();
        let is_own = |(id, var): &(VarId, &crate::hir::Var)| {
            let is_kept = !jumps || constant(var).is_some();
            is_kept && var.section != Section::InOut && var.address.is_none() && !exposed.has(pou, *id)
        };
        let own = vars.filter(is_own).map(|(id, _)| id).collect();
        Body { project, own, pou, ranges: None, outside: None }
    }

    /// Returns the ranges of the CONSTANTs.
    fn constants(&self) -> Ranges {
        let mut ranges = Ranges::default();
        for (id, var) in self.project.pous[self.pou].vars.iter_enumerated().filter(|(id, _)| self.own.contains(id)) {
            ranges.set(id, constant(var));
        }
        ranges
    }

    /// Walks a list of statements with the ranges before it; returns those behind it.
    fn list(&mut self, body: &'p [Stmt], ranges: Option<Ranges>) -> Option<Ranges> {
        let around = std::mem::replace(&mut self.ranges, ranges);
        for stmt in body {
            if self.ranges.is_none() || self.outside.is_some() {
                break;
            }
            self.stmt(stmt);
        }
        std::mem::replace(&mut self.ranges, around)
    }

    /// Forgets the ranges of variables that statements or calls may write.
    fn forget(&mut self, written: &Written) {
        if let Some(ranges) = &mut self.ranges {
            ranges.keep(|var| !written.all && !written.vars.contains(&var));
        }
    }

    fn set(&mut self, var: VarId, value: Option<(i128, i128)>) {
        let is_own = self.own.contains(&var);
        if let Some(ranges) = &mut self.ranges {
            ranges.set(var, value.filter(|_| is_own));
        }
    }

    fn range(&self, e: &Expr) -> Option<(i128, i128)> {
        self.ranges.as_ref().and_then(|ranges| ranges.of(self.project, e))
    }

    /// Returns the ranges where a condition has a value; `calls`: what calls in it may write behind a comparison.
    fn narrowed(&self, condition: &Expr, holds: bool, calls: &Written) -> Option<Ranges> {
        let mut ranges = self.ranges.clone()?;
        let is_possible = ranges.narrow(self.project, condition, holds);
        ranges.keep(|var| self.own.contains(&var) && !calls.all && !calls.vars.contains(&var));
        is_possible.then_some(ranges)
    }

    /// Walks bodies of which at most one runs, each with its ranges, and goes on behind all of them.
    fn ways(&mut self, ways: Vec<(&'p [Stmt], Option<Ranges>)>) {
        let behind: Vec<Ranges> = ways.into_iter().filter_map(|(body, ranges)| self.list(body, ranges)).collect();
        self.ranges = behind.into_iter().reduce(|all, way| all.join(&way));
    }

    /// Walks a loop: what its body writes is not known before, in and behind it.
    fn rounds(&mut self, body: &'p [Stmt], control: Option<(VarId, (i128, i128))>) {
        let mut written = Written::default();
        written.body(body);
        self.forget(&written);
        let before = self.ranges.clone();
        if let Some((var, range)) = control {
            self.set(var, (!written.all && !written.vars.contains(&var)).then_some(range));
        }
        let inside = self.ranges.clone();
        self.list(body, inside);
        self.ranges = before;
        if let Some((var, _)) = control {
            self.set(var, None);
        }
    }

    /// Notes a place if one of its indices may lie outside of its array.
    fn check(&mut self, place: &'p Place) {
        let mut around = start(self.project, Some(self.pou), place);
        for elem in &place.path {
            if let Elem::Index(indices) = elem
                && !self.is_inside(around, indices)
            {
                self.outside.get_or_insert(place.span);
            }
            around = around.below(self.project, elem);
        }
    }

    /// Returns whether indices are surely those of elements of an array.
    fn is_inside(&self, array: Container, indices: &[Expr]) -> bool {
        let Container::Type(ty) = array else { return false };
        let Type::Array { dims, .. } = &self.project.types[ty].ty else { return false };
        let is_inside = |((low, high), index): (&(i64, i64), &Expr)| {
            self.range(index).is_some_and(|range| i128::from(*low) <= range.0 && range.1 <= i128::from(*high))
        };
        dims.len() == indices.len() && dims.iter().zip(indices).all(is_inside)
    }
}

impl<'p> Visit<'p> for Body<'p> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "all others change no range by themselves")]
    fn stmt(&mut self, stmt: &'p Stmt) {
        let calls = Written::by_calls(stmt);
        self.forget(&calls);
        match &stmt.kind {
            StmtKind::Assign { target, value } => {
                self.stmt_parts(stmt);
                if let Some(var) = own(target) {
                    let range = self.range(value);
                    self.set(var, range);
                }
            }
            StmtKind::If { branches, otherwise } => {
                let mut ways = Vec::new();
                for (condition, body) in branches {
                    self.expr(condition);
                    ways.push((body.as_slice(), self.narrowed(condition, true, &calls)));
                    self.ranges = self.narrowed(condition, false, &calls);
                }
                ways.push((otherwise.as_slice(), self.ranges.clone()));
                self.ways(ways);
            }
            StmtKind::Case { selector, arms, otherwise } => {
                self.expr(selector);
                let chosen = variable(self.project, selector).filter(|var| self.own.contains(var));
                let mut ways = vec![(otherwise.as_slice(), self.ranges.clone())];
                for arm in arms {
                    let mut ranges = self.ranges.clone();
                    let range = arm.labels.iter().copied().reduce(|all, label| (all.0.min(label.0), all.1.max(label.1)));
                    if let (Some(var), Some(ranges)) = (chosen, &mut ranges) {
                        ranges.set(var, range);
                    }
                    ways.push((arm.body.as_slice(), ranges));
                }
                self.ways(ways);
            }
            StmtKind::For { control, bounds, body } => {
                let LoopBounds { from, to, by } = &**bounds;
                // Some systems compute the last value and the step before each round.
                let mut written = Written::default();
                written.body(body);
                self.forget(&written);
                [Some(from), Some(to), by.as_ref()].into_iter().flatten().for_each(|e| self.expr(e));
                let by = by.as_ref().map_or(Some((1, 1)), |by| self.range(by));
                // A step beyond the values of the type wraps on the controller, and the loop goes on.
                let range = match (self.range(from), self.range(to), by, self.project.values_of(control.ty)) {
                    (Some(from), Some(to), Some(by), Some(all)) if 0 < by.0 && to.1 + by.1 <= all.1 => Some((from.0, to.1)),
                    (Some(from), Some(to), Some(by), Some(all)) if by.1 < 0 && all.0 <= to.0 + by.0 => Some((to.0, from.1)),
                    (_, _, _, _) => None,
                };
                match (own(control), range) {
                    (Some(var), Some(range)) if self.own.contains(&var) => self.rounds(body, Some((var, range))),
                    (var, _) => {
                        var.into_iter().for_each(|var| self.set(var, None));
                        self.rounds(body, None);
                        var.into_iter().for_each(|var| self.set(var, None));
                    }
                }
            }
            StmtKind::While { condition, body } => {
                let mut written = Written::default();
                written.body(body);
                self.forget(&written);
                self.expr(condition);
                let before = self.ranges.clone();
                let inside = self.narrowed(condition, true, &calls);
                self.list(body, inside);
                self.ranges = before;
            }
            StmtKind::Repeat { body, until } => {
                self.rounds(body, None);
                self.expr(until);
            }
            StmtKind::Exit | StmtKind::Continue | StmtKind::Return => self.ranges = None,
            _ => self.stmt_parts(stmt),
        }
    }

    fn place(&mut self, place: &'p Place, access: walk::Access) {
        // An element beside an array of references may refer to anything.
        if access != walk::Access::Read || self.project.references.contains_key(&place.ty) || is_followed(place) {
            self.check(place);
        }
        self.place_parts(place);
    }
}

/// Returns whether a reference on the way to a place is an element of an array.
fn is_followed(place: &Place) -> bool {
    let mut behind = place.path.iter().skip_while(|elem| !matches!(elem, Elem::Index(_)));
    behind.any(|elem| matches!(elem, Elem::Deref(_)))
}

/// Own variables that statements may write.
#[derive(Default)]
struct Written {
    vars: BTreeSet<VarId>,
    /// The whole instance is handed on.
    all: bool,
}

impl Written {
    /// Returns the variables that the calls in the head of a statement may write; those of the bodies inside come with them.
    fn by_calls(stmt: &Stmt) -> Written {
        struct Calls(Written);
        impl<'h> Visit<'h> for Calls {
            fn body(&mut self, _body: &'h [Stmt]) {}

            fn place(&mut self, place: &'h Place, access: walk::Access) {
                if access == walk::Access::Instance {
                    self.0.add(place);
                }
                self.place_parts(place);
            }

            fn call(&mut self, _callee: PouId, args: &'h CallArgs) {
                let places = args.in_outs.iter().chain(&args.outputs).map(|(_, place)| place);
                places.for_each(|place| self.0.add(place));
                self.call_parts(args);
            }
        }
        let mut calls = Calls(Written::default());
        calls.stmt_parts(stmt);
        calls.0
    }

    fn add(&mut self, place: &Place) {
        match place.root {
            Root::Var(var) => self.vars.extend([var]),
            Root::This(_) => self.all = true,
            Root::Global(_) | Root::Instance(_) => {}
        }
    }
}

impl<'h> Visit<'h> for Written {
    fn place(&mut self, place: &'h Place, access: walk::Access) {
        if access != walk::Access::Read {
            self.add(place);
        }
        self.place_parts(place);
    }
}

/// Type that a step of a place leads from.
#[derive(Clone, Copy)]
enum Container {
    Type(TypeId),
    /// Variables of an instance of the task.
    Program(PouId),
    Unknown,
}

/// Returns the variable at which a place in a POU starts.
fn start(project: &Project, pou: Option<PouId>, place: &Place) -> Container {
    match place.root {
        Root::Var(var) => pou.map_or(Container::Unknown, |pou| Container::Type(project.pous[pou].vars[var].ty)),
        Root::Global(global) => Container::Type(project.globals[global].ty),
        Root::This(ty) => Container::Type(ty),
        Root::Instance(instance) => Container::Program(project.instances[instance].pou),
    }
}

impl Container {
    fn below(self, project: &Project, elem: &Elem) -> Container {
        let step = match elem {
            Elem::Member(var) => LeafElem::Member(*var),
            Elem::Field(field) => LeafElem::Field(*field),
            Elem::Index(_) => LeafElem::Index(0),
            Elem::Deref(seen_as) => return Container::Type(*seen_as),
            Elem::Bits { .. } => return Container::Unknown,
        };
        let below = match (self, elem) {
            (Container::Type(ty), _) => part_type(project, ty, step),
            (Container::Program(pou), Elem::Member(var)) => project.pous[pou].vars.get(*var).map(|var| var.ty),
            (Container::Program(_) | Container::Unknown, _) => None,
        };
        below.map_or(Container::Unknown, Container::Type)
    }
}
