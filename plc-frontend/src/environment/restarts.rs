//! Restarts of a controller in the middle of a run: tags keep their values, and the next scan is a first scan again.
//!
//! A first scan differs from others by bits and counters that the import adds, and by nothing else. An input of its own chooses at the
//! beginning of each cycle whether they get their initial values once more.
//!
//! Soundness: rules that make no difference where tags have initial values are conditions here.

use std::collections::BTreeSet;

use super::bodies::{bodies, reached};
use crate::hir::{
    Address, AddressArea, AddressSize, BinOp, Elem, Expr, ExprKind, Extent, GlobalId, InstanceId, Kind, Leaf, LeafElem, Place,
    Pou, PouId, Project, Reason, Role, Root, Section, Setting, Start, Stmt, StmtKind, Type, TypeId, UnOp, Value, Var, part_type,
    walk,
};
use crate::text::{Gap, Ledger, Span, Treatment};

/// Name of the input, unless a tag has it.
const NAME: &str = "Controller_Restarts";

/// Row of the requirement file, as a reason.
const STATED: &str = "restarts: any";

/// Bits that are TRUE until the first scan of a program, or the first call of an instance.
const UNTIL_FIRST: [&str; 2] = ["Before__First_Scan", "First__"];

/// Other values that blocks of the library have until their first scan.
const OF_BLOCKS: [&str; 3] = ["Is__Scanned", "Was__Up", "Was__Down"];

/// Beginning of the name of the type of a step of a chart.
const STEP: &str = "SFC_STEP";

/// Condition of routines that nothing calls.
const UNREACHED: &str = "restart: routines that the main routine does not reach have no prescan";

/// Effect of the conditions.
const EFFECT: &str = "answers count for a controller that restarts so";

/// Lets the controller restart at the beginning of each cycle. Returns the input that says so; `None` if nothing runs.
pub(crate) fn restarts(project: &mut Project, ledger: &mut Ledger) -> Option<GlobalId> {
    let first = *project.task.runs.first()?;
    let pou = project.instances.get(first)?.pou;
    let span = project.pous.get(pou)?.span;
    let running = running(project);
    let leaves = project.leaves();
    let is_running = |leaf: &&Leaf| match leaf.root {
        Root::Instance(instance) => running.contains(&instance),
        Root::Global(_) => true,
        Root::Var(_) | Root::This(_) => false,
    };
    let changed: Vec<&Leaf> = leaves.iter().filter(is_running).filter(|leaf| is_of_first_scan(project, leaf)).collect();
    // No text has this place: what is told of it is told of the whole controller.
    let here = Span { end: span.start, ..span };
    let rules = rules(project, &running, &changed);
    let back: Vec<Stmt> = changed.iter().filter_map(|leaf| back(project, leaf, here)).collect();
    // In its first cycle the controller has just started.
    let is_before_first = |leaf: &&&Leaf| matches!(leaf.path.as_slice(), [LeafElem::Member(_)]) && last(leaf, &UNTIL_FIRST);
    let before = changed.iter().find(is_before_first).and_then(|leaf| place(project, leaf, here));
    state(project, ledger, &rules, here);
    let bool = elementary(project, "BOOL")?;
    let global = declare(project, bool, span);
    project.restart = Some(global);
    if back.is_empty() {
        return Some(global);
    }
    let restarts = Expr::read(Place::of(Root::Global(global), bool, here));
    let condition = match before {
        Some(before) => {
            let has_run = Expr::unary(UnOp::Not, Expr::read(before), here);
            Expr::binary(BinOp::And, restarts, has_run, bool, here)
        }
        None => restarts,
    };
    let restart = StmtKind::If { branches: vec![(condition, back)], otherwise: Vec::new() };
    project.pous[pou].body.insert(0, Stmt { kind: restart, span: here });
    Some(global)
}

/// Returns the program instances that run: those of the task, and those that the program of slower tasks calls.
fn running(project: &Project) -> BTreeSet<InstanceId> {
    let mut running: BTreeSet<InstanceId> = project.task.runs.iter().copied().collect();
    for instance in &project.task.runs {
        walk::stmts(&project.pous[project.instances[*instance].pou].body, |stmt| {
            if let StmtKind::CallInstance { instance: Place { root: Root::Instance(called), .. }, .. } = &stmt.kind {
                running.insert(*called);
            }
        });
    }
    running
}

/// Returns whether the import adds a leaf to tell a first scan from others.
fn is_of_first_scan(project: &Project, leaf: &Leaf) -> bool {
    let is_counter = || {
        let Root::Instance(instance) = leaf.root else { return false };
        let is_slow = |name: &str| project.task.slow.iter().any(|task| task.name == name);
        project.task.runs.contains(&instance)
            && matches!(leaf.path.as_slice(), [LeafElem::Member(var)]
                if project.pous[project.instances[instance].pou].vars[*var].name.strip_suffix(".cycle").is_some_and(is_slow))
    };
    last(leaf, &UNTIL_FIRST) || last(leaf, &OF_BLOCKS) || is_counter()
}

/// Returns whether the last word of a leaf is one of these.
fn last(leaf: &Leaf, names: &[&str]) -> bool {
    leaf.name.rsplit('.').next().is_some_and(|last| names.contains(&last))
}

/// Returns the statement that gives a leaf its initial value.
fn back(project: &Project, leaf: &Leaf, span: Span) -> Option<Stmt> {
    let value: Value = leaf.init?;
    Some(Stmt::assign(place(project, leaf, span)?, Expr::literal(value, leaf.ty, span), span))
}

/// Returns the place of a leaf.
fn place(project: &Project, leaf: &Leaf, span: Span) -> Option<Place> {
    let (mut place, path) = match leaf.root {
        Root::Global(global) => (Place::of(leaf.root, project.globals[global].ty, span), leaf.path.as_slice()),
        Root::Instance(instance) => {
            let (LeafElem::Member(var), path) = leaf.path.split_first()? else { return None };
            let ty = project.pous[project.instances[instance].pou].vars[*var].ty;
            (Place { path: vec![Elem::Member(*var)], ..Place::of(leaf.root, ty, span) }, path)
        }
        Root::Var(_) | Root::This(_) => return None,
    };
    for step in path {
        let ty = part_type(project, place.ty, *step)?;
        let elem = match *step {
            LeafElem::Field(field) => Elem::Field(field),
            LeafElem::Member(var) => Elem::Member(var),
            LeafElem::Index(flat) => Elem::Index(indices(project, &place, flat, span)?),
        };
        place = place.part(elem, ty);
    }
    Some(place)
}

/// Returns the indices of an element of an array.
fn indices(project: &Project, array: &Place, flat: u32, span: Span) -> Option<Vec<Expr>> {
    let Type::Array { dims, .. } = &project.types[array.ty].ty else { return None };
    let dint = elementary(project, "DINT")?;
    let mut rest = i64::from(flat);
    let mut found = Vec::new();
    for (low, high) in dims.iter().rev() {
        let length = high - low + 1;
        found.push(Expr::int(i128::from(low + rest.checked_rem(length)?), dint, span));
        rest = rest.checked_div(length)?;
    }
    found.reverse();
    Some(found)
}

/// Returns an elementary type.
fn elementary(project: &Project, name: &str) -> Option<TypeId> {
    project.types.iter_enumerated().find(|(_, def)| def.name.as_deref() == Some(name)).map(|(id, _)| id)
}

/// Declares the input.
fn declare(project: &mut Project, bool: TypeId, span: Span) -> GlobalId {
    let mut name = NAME.to_owned();
    let is_taken = |name: &str| {
        let of_programs = project.pous.iter().flat_map(|pou| pou.vars.iter());
        project.globals.iter().chain(of_programs).any(|var| var.name.eq_ignore_ascii_case(name))
    };
    while is_taken(&name) {
        name.push('_');
    }
    let address = Some(Address { area: AddressArea::Input, size: AddressSize::Bit, path: Vec::new() });
    let setting = Setting { kind: Kind::Input, start: Start::Initial, reason: Reason::Stated(STATED.to_owned()) };
    project.environment.insert(name.clone(), setting);
    project.globals.push(Var { address, ..Var::new(name, bool, Section::Global, span) })
}

/// Returns rules that make a difference where tags have kept values.
fn rules(project: &Project, running: &BTreeSet<InstanceId>, changed: &[&Leaf]) -> Vec<&'static str> {
    let n_prescans = changed.iter().filter(|leaf| last(leaf, &UNTIL_FIRST[..1])).count();
    let is_step = |leaf: &&&Leaf| {
        last(leaf, &OF_BLOCKS[..1]) && holder(project, leaf).is_some_and(|block| project.pous[block].name.contains(STEP))
    };
    let rows = [
        (has_unreached(project, running), UNREACHED),
        (reads_inputs(project, running), "restart: inputs that choose an element have the values of the scan behind its prescan"),
        (1 < n_prescans, "restart of several programs: the prescan of each comes before its own next scan"),
        (!project.task.slow.is_empty(), "restart of several tasks: all of them run in the cycle of the restart"),
        (changed.iter().any(|leaf| is_step(&leaf)), "restart of charts: steps and actions begin as in the first scan"),
    ];
    rows.iter().filter(|(is_needed, _)| *is_needed).map(|(_, words)| *words).collect()
}

/// Returns whether inputs decide which elements the prescan of a program writes.
fn reads_inputs(project: &Project, running: &BTreeSet<InstanceId>) -> bool {
    let leaves = project.leaves();
    let inputs = leaves.iter().filter(|leaf| leaf.role == Role::Input);
    let inputs: BTreeSet<(Root, Option<LeafElem>)> =
        inputs.map(|leaf| (leaf.root, leaf.path.first().copied().filter(|_| matches!(leaf.root, Root::Instance(_))))).collect();
    running.iter().any(|instance| {
        let pou = &project.pous[project.instances[*instance].pou];
        let is_input = |place: &Place| match place.root {
            Root::Var(var) => inputs.contains(&(Root::Instance(*instance), Some(LeafElem::Member(var)))),
            Root::Global(_) => inputs.contains(&(place.root, None)),
            Root::Instance(_) | Root::This(_) => false,
        };
        let reads_input = |e: &Expr| {
            let mut found = false;
            walk::exprs_of(e, |part| found |= matches!(&part.kind, ExprKind::Read(place) if is_input(place)));
            found
        };
        let mut open: Vec<&Stmt> = pou.body.iter().filter(|stmt| is_prescan(pou, stmt)).collect();
        while let Some(stmt) = open.pop() {
            if let StmtKind::If { branches, .. } = &stmt.kind {
                if branches.iter().any(|(condition, _)| reads_input(condition)) {
                    return true;
                }
                open.extend(branches.iter().flat_map(|(_, body)| body));
            }
            if let StmtKind::Assign { target, .. } = &stmt.kind {
                let indices = target.path.iter().filter_map(|elem| if let Elem::Index(all) = elem { Some(all) } else { None });
                if indices.flatten().any(reads_input) {
                    return true;
                }
            }
        }
        false
    })
}

/// Returns whether a statement is the prescan of a program.
fn is_prescan(pou: &Pou, stmt: &Stmt) -> bool {
    let StmtKind::If { branches, .. } = &stmt.kind else { return false };
    branches.iter().any(|(condition, _)| {
        matches!(&condition.kind, ExprKind::Read(Place { root: Root::Var(var), .. }) if pou.vars[*var].name == UNTIL_FIRST[0])
    })
}

/// Names rules as conditions of all answers.
fn state(project: &mut Project, ledger: &mut Ledger, rules: &[&'static str], span: Span) {
    for words in rules {
        ledger.gap(Gap { span, construct: (*words).to_owned(), treatment: Treatment::Assumed, effect: EFFECT.to_owned() });
    }
    if !rules.is_empty() {
        project.beside.insert(span, Extent::All);
    }
}

/// Returns the block whose variable a leaf is.
fn holder(project: &Project, leaf: &Leaf) -> Option<PouId> {
    let place = place(project, leaf, leaf.span)?;
    let (_, path) = leaf.path.split_last()?;
    let whole = Leaf { path: path.to_vec(), ..leaf.clone() };
    let ty = self::place(project, &whole, place.span)?.ty;
    if let Type::FunctionBlock(block) = project.types[ty].ty { Some(block) } else { None }
}

/// Returns whether a program that runs has a routine that it never calls.
fn has_unreached(project: &Project, running: &BTreeSet<InstanceId>) -> bool {
    let pous: Vec<PouId> = running.iter().map(|id| project.instances[*id].pou).collect();
    let called = reached(&bodies(project), pous.iter().copied());
    let is_own = |id: PouId| project.pous[id].member_of.is_some_and(|of| pous.contains(&of));
    project.pous.iter_enumerated().any(|(id, pou)| is_own(id) && !pou.body.is_empty() && !called.contains(&id))
}
