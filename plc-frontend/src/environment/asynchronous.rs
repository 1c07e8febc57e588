//! Inputs that change within a cycle: each place that reads one reads an input of its own.
//!
//! A place that runs at most once in a cycle has one value per cycle, so a plain input stands for it. Other places, in loops and in
//! blocks that run several times, have a new value at each read ([`Project::at_call`]).
//!
//! Soundness: the values of all reads are independent, so every order of changes and reads is among them. Reads with one place in the
//! text are one read: instructions write their operand several times. Inputs that are given by reference, share their memory, are parts
//! of other variables or variables of a program stay as they are: conditions name them. An alias is its target, not a read of it.

use std::collections::{BTreeMap, BTreeSet};

use crate::ast::Name;
use crate::hir::{
    Access, Address, AddressArea, AddressSize, Elem, Expr, ExprKind, GlobalId, Kind, LeafElem, Place, PouId, PouKind, Project,
    Reason, Role, Root, Section, Setting, Start, Stmt, StmtKind, Type, TypeId, Value, Var, Visit, VisitMut, part_type, walk,
};
use crate::text::key::key;
use crate::text::{Gap, GapId, Ledger, SourceSet, Span, Treatment};

/// Beginning of the conditions of dialects about inputs that change within a cycle.
const CONDITION: &str = "inputs that change within a scan";

/// Words for inputs that keep one value in a cycle all the same.
const SAMPLED: &str = "inputs that change within a scan: those given by reference, sharing memory, of programs or beside other data are \
                       taken to keep one value for the whole scan";

/// Row of the requirement file, as a reason.
const STATED: &str = "sampling: asynchronous";

/// Gives each read of a global input a value of its own. Returns names of leaves with those of their reads.
///
/// `aliases` are the keys of aliases, of programs with the program's name. Their copies read no input. `ranged` are the leaves with a
/// range: of these, a read of a bit is one of the whole number, which has the range.
pub(crate) fn asynchronous(
    project: &mut Project,
    ledger: &mut Ledger,
    sources: &SourceSet,
    aliases: &BTreeMap<String, Name>,
    ranged: &BTreeSet<String>,
) -> Vec<(String, String)> {
    let (inputs, mut sampled) = inputs(project);
    let span = project.pous.iter().next().map(|pou| pou.span);
    let Some(span) = span else { return Vec::new() };
    let gap = Gap {
        span,
        construct: "inputs that change within a scan: read several times".to_owned(),
        treatment: Treatment::OverApproximated,
        effect: "each read has any value of its type".to_owned(),
    };
    let gap = ledger.gap(gap);
    let repeated = repeated(project);
    let ids: Vec<PouId> = project.pous.iter_enumerated().map(|(id, _)| id).collect();
    let mut reads = Reads {
        project,
        sources,
        inputs: &inputs,
        aliases,
        ranged,
        gap,
        n_globals: project.globals.len(),
        pou: ids.first().copied().unwrap_or(PouId(0)),
        repeats: false,
        known: BTreeMap::new(),
        new: Vec::new(),
        sampled: BTreeSet::new(),
    };
    let mut bodies = Vec::new();
    for id in ids {
        let mut body = project.pous[id].body.clone();
        reads.pou = id;
        reads.repeats = repeated.contains(&id);
        reads.body(&mut body);
        bodies.push((id, body));
    }
    let Reads { new, sampled: referenced, .. } = reads;
    sampled.extend(referenced);
    for (id, body) in bodies {
        project.pous[id].body = body;
    }
    state(ledger, sampled);
    declare(project, new)
}

/// Returns global variables all of whose parts are inputs, and the declarations of other inputs.
fn inputs(project: &Project) -> (BTreeSet<GlobalId>, BTreeSet<Span>) {
    let (mut inputs, mut others, mut sampled) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for leaf in project.leaves() {
        let is_input = leaf.role == Role::Input && !leaf.constant && leaf.view.is_none();
        match leaf.root {
            Root::Global(global) if project.at_call.contains(&global) => {}
            Root::Global(global) if is_input => drop(inputs.insert(global)),
            Root::Global(global) => drop(others.insert(global)),
            Root::Instance(_) | Root::Var(_) | Root::This(_) if leaf.role == Role::Input => drop(sampled.insert(leaf.span)),
            Root::Instance(_) | Root::Var(_) | Root::This(_) => {}
        }
    }
    let targets = project.references.values().flatten();
    others.extend(targets.filter_map(|target| if let Root::Global(global) = target.place.root { Some(global) } else { None }));
    let views = project.views.iter().flat_map(|(seen, view)| view.parts.iter().map(|part| &part.of).chain([seen]));
    others.extend(views.filter_map(|scalar| if let Root::Global(global) = scalar.root { Some(global) } else { None }));
    let both = inputs.iter().filter(|global| others.contains(global));
    sampled.extend(both.map(|global| project.globals[*global].span));
    inputs.retain(|global| !others.contains(global));
    (inputs, sampled)
}

/// Returns the POUs whose statements may run several times in one cycle.
pub(crate) fn repeated(project: &Project) -> BTreeSet<PouId> {
    let mut calls = Calls { in_loop: false, found: BTreeMap::new() };
    let mut found: BTreeMap<PouId, u32> = BTreeMap::new();
    for instance in project.instances.iter() {
        *found.entry(instance.pou).or_default() += 1;
    }
    let mut callers: BTreeMap<PouId, BTreeSet<PouId>> = BTreeMap::new();
    let mut repeated = BTreeSet::new();
    for (id, pou) in project.pous.iter_enumerated() {
        calls.found.clear();
        calls.body(&pou.body);
        for (callee, count) in &calls.found {
            let count = found.get(callee).copied().unwrap_or(0).saturating_add(*count);
            found.insert(*callee, count);
            callers.entry(id).or_default().insert(*callee);
        }
        // Conditions of requirements may call it, too.
        if matches!(pou.kind, PouKind::Function(Some(_))) || jumps_back(&pou.body) {
            repeated.insert(id);
        }
    }
    repeated.extend(found.iter().filter(|(_, count)| 1 < **count).map(|(id, _)| *id));
    let mut open: Vec<PouId> = repeated.iter().copied().collect();
    while let Some(id) = open.pop() {
        for callee in callers.get(&id).into_iter().flatten() {
            if repeated.insert(*callee) {
                open.push(*callee);
            }
        }
    }
    repeated
}

/// Returns whether a jump leads to a label before it.
fn jumps_back(body: &[Stmt]) -> bool {
    let (mut labels, mut found) = (BTreeSet::new(), false);
    walk::stmts(body, |stmt| {
        if let StmtKind::Label(label) = stmt.kind {
            labels.insert(label);
        } else if let StmtKind::Goto(label) = stmt.kind {
            found |= labels.contains(&label);
        }
    });
    found
}

/// Returns whether a statement is a loop.
pub(crate) fn is_loop(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::Repeat { .. })
}

/// Counts the calls of each POU; those in loops count twice.
struct Calls {
    in_loop: bool,
    found: BTreeMap<PouId, u32>,
}

impl<'h> Visit<'h> for Calls {
    fn stmt(&mut self, stmt: &'h Stmt) {
        let before = self.in_loop;
        self.in_loop |= is_loop(stmt);
        self.stmt_parts(stmt);
        self.in_loop = before;
    }

    fn call(&mut self, callee: PouId, args: &'h crate::hir::CallArgs) {
        *self.found.entry(callee).or_default() += if self.in_loop { 2 } else { 1 };
        self.call_parts(args);
    }
}

/// Read of an input that has a variable of its own.
struct Read {
    /// Name of the part that is read.
    of: String,
    name: String,
    /// Its place in words.
    place: String,
    ty: TypeId,
    /// It may run several times in a cycle: each time it has a new value.
    repeats: bool,
    span: Span,
}

/// Replaces the reads of inputs.
struct Reads<'p> {
    project: &'p Project,
    sources: &'p SourceSet,
    inputs: &'p BTreeSet<GlobalId>,
    aliases: &'p BTreeMap<String, Name>,
    ranged: &'p BTreeSet<String>,
    gap: GapId,
    n_globals: usize,
    pou: PouId,
    repeats: bool,
    known: BTreeMap<(PouId, Span, String), usize>,
    new: Vec<Read>,
    /// Declarations of inputs that keep one value in a cycle.
    sampled: BTreeSet<Span>,
}

impl Reads<'_> {
    /// Returns whether a statement copies the target of an alias to the variable with its name.
    fn copies_alias(&self, stmt: &Stmt) -> bool {
        let StmtKind::Assign { target: place, .. } = &stmt.kind else { return false };
        let pou = &self.project.pous[self.pou];
        let name = match place.root {
            _ if self.aliases.is_empty() || !place.path.is_empty() => return false,
            Root::Global(global) => self.project.globals[global].name.clone(),
            Root::Var(var) => format!("{}.{}", pou.name, pou.vars[var].name),
            Root::Instance(_) | Root::This(_) => return false,
        };
        self.aliases.contains_key(&key(&name))
    }
}

impl<'h> VisitMut<'h> for Reads<'_> {
    fn stmt(&mut self, stmt: &'h mut Stmt) {
        if self.copies_alias(stmt) {
            return;
        }
        let before = self.repeats;
        self.repeats |= is_loop(stmt);
        self.stmt_parts(stmt);
        self.repeats = before;
    }

    fn expr(&mut self, e: &'h mut Expr) {
        self.expr_parts(e);
        let span = e.span;
        let ExprKind::Read(place) = &mut e.kind else { return };
        let Root::Global(global) = place.root else { return };
        if !self.inputs.contains(&global) {
            return;
        }
        let root = &self.project.globals[global];
        // A part at a place that changes is read from a variable of the whole.
        let is_fixed = !place.path.iter().any(|elem| match elem {
            Elem::Index(indices) => indices.iter().any(|index| !matches!(index.kind, ExprKind::Literal(_))),
            Elem::Field(_) | Elem::Member(_) | Elem::Deref(_) | Elem::Bits { .. } => false,
        });
        if self.repeats && !is_fixed {
            self.sampled.insert(root.span);
            return;
        }
        let number = place.path.iter().position(|elem| matches!(elem, Elem::Bits { .. })).unwrap_or(place.path.len());
        let whole = part(self.project, global, &place.path[..number]);
        let of_number = is_fixed && self.ranged.contains(&whole.0);
        let (of, ty, own) = match whole {
            (of, Some(ty)) if of_number => (of, ty, number),
            _ if is_fixed => (part(self.project, global, &place.path).0, place.ty, place.path.len()),
            _ => (root.name.clone(), root.ty, 0),
        };
        let path = place.path.split_off(own);
        let own = if is_fixed { &place.path } else { &path };
        let key = (self.pou, span, format!("{global:?}{own:?}{}", self.repeats));
        let line = self.sources.line_col(span).line;
        let next = self.new.len();
        let at = *self.known.entry(key).or_insert(next);
        if at == next {
            let plain: String = of.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
            // A number tells reads of one line apart; no tag has two underscores in a row.
            let name = format!("{plain}__read_{}_line_{line}", next + 1);
            let number = self.new.iter().filter(|read| read.of == of).count() + 1;
            let place = format!("read {number}, {}", self.sources.line_words(span));
            self.new.push(Read { of, name, place, ty, repeats: self.repeats, span });
        }
        let root = Root::Global(GlobalId((self.n_globals + at) as u32));
        let read = Expr::read(Place { root, path, ty: place.ty, span: place.span });
        *e = if self.repeats {
            let ty = e.ty;
            Expr::new(ExprKind::Arbitrary { gap: self.gap, concrete: Some(Box::new(read)) }, ty, span)
        } else {
            Expr { span, ..read }
        };
    }

    fn place(&mut self, place: &'h mut Place, access: Access) {
        if let Root::Global(global) = place.root
            && self.inputs.contains(&global)
            && matches!(access, Access::InOut | Access::Instance)
        {
            self.sampled.insert(self.project.globals[global].span);
        }
        self.place_parts(place);
    }
}

/// Returns the name of a part of a global variable, as its leaves have it, and its type; its bits are numbers without a type.
fn part(project: &Project, global: GlobalId, path: &[Elem]) -> (String, Option<TypeId>) {
    let root = &project.globals[global];
    let (mut name, mut ty) = (root.name.clone(), Some(root.ty));
    for elem in path {
        let step = match elem {
            Elem::Field(field) => {
                let fields = ty.map(|ty| &project.types[ty].ty);
                let field_name =
                    if let Some(Type::Struct { fields }) = fields { fields.get(*field as usize).map(|f| &f.name) } else { None };
                name.push_str(&format!(".{}", field_name.map_or("?", String::as_str)));
                Some(LeafElem::Field(*field))
            }
            Elem::Index(indices) => {
                let number = |index: &Expr| {
                    if let ExprKind::Literal(Value::Int(number)) = index.kind { number.to_string() } else { "?".to_owned() }
                };
                name.push_str(&format!("[{}]", indices.iter().map(number).collect::<Vec<_>>().join(", ")));
                Some(LeafElem::Index(0))
            }
            Elem::Bits { offset, .. } => {
                name.push_str(&format!(".{offset}"));
                None
            }
            Elem::Member(_) | Elem::Deref(_) => None,
        };
        ty = ty.zip(step).and_then(|(ty, step)| part_type(project, ty, step));
    }
    (name, ty)
}

/// Names the choice in the ledger: the condition of the dialect falls away.
fn state(ledger: &mut Ledger, sampled: BTreeSet<Span>) {
    for gap in ledger.gaps.iter_mut().filter(|gap| gap.construct.starts_with(CONDITION)) {
        gap.treatment = Treatment::OverApproximated;
        gap.construct = format!("{CONDITION}: each read has a value of its own");
    }
    for span in sampled {
        let effect = "they may change within a cycle".to_owned();
        let gap = Gap { span, construct: SAMPLED.to_owned(), treatment: Treatment::Assumed, effect };
        ledger.gap(gap);
    }
}

/// Declares the variables of reads, and returns names of leaves with those of their reads.
fn declare(project: &mut Project, new: Vec<Read>) -> Vec<(String, String)> {
    let mut names = Vec::new();
    for Read { of, name, place, ty, repeats, span } in new {
        project.reads.insert(name.clone(), (of.clone(), place));
        let address = Some(Address { area: AddressArea::Input, size: AddressSize::Bit, path: Vec::new() });
        names.push((of, name.clone()));
        let global = project.globals.push(Var { address, ..Var::new(name, ty, Section::Global, span) });
        // Only reads of several times have no value at the start of a cycle.
        if repeats {
            project.at_call.insert(global);
        }
    }
    let setting = Setting { kind: Kind::Input, start: Start::Initial, reason: Reason::Stated(STATED.to_owned()) };
    let of_reads = |leaf: &crate::hir::Leaf| names.iter().any(|(_, name)| leaf.name.starts_with(name.as_str()));
    let leaves: Vec<String> = project.leaves().into_iter().filter(of_reads).map(|leaf| leaf.name).collect();
    project.environment.extend(leaves.into_iter().map(|leaf| (leaf, setting.clone())));
    names
}
