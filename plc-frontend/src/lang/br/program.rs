//! Programs of B&R: one PROGRAM of the parts in a folder.

use std::collections::{BTreeMap, BTreeSet};

use super::{compiled_files, folder, unread_parts};
use crate::ast::build::not;
use crate::ast::{
    ActionDecl, Body, Expr, ExprKind, Ident, Item, Name, Pou, PouKind, Section, Stmt, StmtKind, TypeSpec, Unit, VarBlock, VarDecl,
};
use crate::lang::common::excluded::normal_folder;
use crate::text::{Diagnostic, FileId, Key, SourceSet, Span, key};

/// Part of a program that runs once, before the first cycle; also the name of the action that it becomes.
pub(crate) const INIT: &str = "_INIT";
/// Part of a program that runs in each cycle.
const CYCLIC: &str = "_CYCLIC";
/// Part of a program that runs once, when it is stopped.
const EXIT: &str = "_EXIT";
/// Variable that is true after the first part has run. No text names it.
pub(crate) const DONE: &str = "__initialised";

/// Makes a PROGRAM of the parts in each folder that has one of them. It has the name of the folder.
pub(super) fn join(units: &mut [Unit], sources: &SourceSet, findings: &mut Vec<Diagnostic>) {
    let name = |file: FileId| sources.files.get(file).map_or("", |file| file.name.as_str());
    let references = compiled_files::references(sources);
    let of_project = compiled_files::declarations_of_project(sources);
    let mut folders: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut by_file: BTreeMap<FileId, usize> = BTreeMap::new();
    for (at, unit) in units.iter().enumerate() {
        by_file.insert(unit.file, at);
        if !references.elsewhere.contains(&unit.file) {
            folders.entry(folder(name(unit.file))).or_default().push(at);
        }
    }
    // Several programs may compile one file: each has variables and actions of its own.
    let shared: BTreeSet<usize> = references.of_folder.values().flatten().filter_map(|file| by_file.get(file).copied()).collect();
    for at in &shared {
        if let Some(unit) = units.get_mut(*at) {
            read_as_part(unit, sources, findings);
        }
    }
    let copies: BTreeMap<usize, Unit> = shared.iter().filter_map(|at| Some((*at, units.get(*at)?.clone()))).collect();
    for (folder, mut here) in folders {
        let key = normal_folder(folder);
        let listed = references.of_folder.get(&key);
        let others: Vec<usize> = listed.into_iter().flatten().filter_map(|file| by_file.get(file).copied()).collect();
        let is_part = |item: &Item| matches!(item, Item::Pou(pou) if part_of(pou).is_some());
        if !here.iter().chain(&others).any(|at| units.get(*at).is_some_and(|unit| unit.items.iter().any(is_part))) {
            continue;
        }
        let mut parts = Parts::default();
        for at in &here {
            let Some(unit) = units.get_mut(*at) else { continue };
            read_as_part(unit, sources, findings);
            let has_variables = super::super::has_ending(name(unit.file), &["var"]) && !of_project.contains(&unit.file);
            parts.take(unit, has_variables);
        }
        for at in &others {
            let Some(mut unit) = copies.get(at).cloned() else { continue };
            let has_variables = super::super::has_ending(name(unit.file), &["var"]);
            parts.take(&mut unit, has_variables);
        }
        here.extend(others);
        let is_compiled = |at: &usize| units.get(*at).is_some_and(|unit| unit.ignored.is_empty());
        let compiled = here.iter().filter(|at| is_compiled(at)).filter_map(|at| units.get(*at));
        parts.unread = compiled.filter_map(|unit| unread_parts::gap(unit.file, sources.files.get(unit.file)?)).collect();
        let missing = references.missing.get(&key);
        parts.unread.extend(missing.into_iter().flatten().map(|(name, place)| unread_parts::missing(name, *place)));
        if let Some((at, program)) = parts.program(folder, &here, units) {
            // These are calls.
            findings.retain(|finding| finding.code != "P1033" || !parts.calls.contains(&finding.span()));
            if let Some(exit) = parts.exit.first() {
                let why = "it runs when the program is stopped, so no cycle runs behind it";
                if let Some(unit) = units.get_mut(at) {
                    unit.ignore(exit.name.span, "PROGRAM _EXIT", why);
                }
            }
            if let Some(unit) = units.get_mut(at) {
                unit.items.push(Item::Pou(program));
            }
        }
    }
    // No program of their own folder compiles these: types and blocks stay.
    for at in shared {
        if let Some(unit) = units.get_mut(at).filter(|unit| references.elsewhere.contains(&unit.file)) {
            let has_variables = super::super::has_ending(name(unit.file), &["var"]);
            Parts::default().take(unit, has_variables);
        }
    }
}

/// Returns the part of a program that a POU is: its name in capitals.
fn part_of(pou: &Pou) -> Option<&'static str> {
    let is_program = pou.kind == PouKind::Program;
    [INIT, CYCLIC, EXIT].into_iter().find(|part| is_program && pou.name.text.eq_ignore_ascii_case(part))
}

/// Reads a source again as a part of a program if its actions stood outside of any program.
fn read_as_part(unit: &mut Unit, sources: &SourceSet, findings: &mut Vec<Diagnostic>) {
    let Some(file) = sources.files.get(unit.file) else { return };
    let is_outside = |finding: &Diagnostic| finding.code == "P1022" && finding.span().file == unit.file;
    if !super::super::has_ending(&file.name, &["st"]) || !findings.iter().any(is_outside) {
        return;
    }
    let parsed = super::super::st::part(unit.file, &file.text);
    findings.retain(|finding| finding.span().file != unit.file);
    findings.extend(parsed.diagnostics);
    *unit = parsed.value;
}

/// Parts of one program.
#[derive(Default)]
struct Parts {
    init: Vec<Pou>,
    cyclic: Vec<Pou>,
    exit: Vec<Pou>,
    actions: Vec<ActionDecl>,
    vars: Vec<VarBlock>,
    /// Gaps in place of parts that are not read.
    unread: Vec<Stmt>,
    /// Calls of actions without parentheses.
    calls: BTreeSet<Span>,
}

impl Parts {
    /// Takes the parts out of a unit; `has_variables`: its variables are those of the program.
    fn take(&mut self, unit: &mut Unit, has_variables: bool) {
        for item in std::mem::take(&mut unit.items) {
            match item {
                Item::Pou(mut pou) if part_of(&pou).is_some() => {
                    self.actions.append(&mut pou.actions);
                    match part_of(&pou) {
                        Some(INIT) => self.init.push(pou),
                        Some(EXIT) => self.exit.push(pou),
                        Some(_) | None => self.cyclic.push(pou),
                    }
                }
                Item::Pou(mut pou) if pou.kind == PouKind::Program && pou.name.text.is_empty() => {
                    self.actions.append(&mut pou.actions)
                }
                Item::Globals(block) if has_variables => self.vars.push(VarBlock { section: Section::Var, ..block }),
                other @ (Item::Pou(_)
                | Item::Type(_)
                | Item::Globals(_)
                | Item::Interface(_)
                | Item::Configuration(_)
                | Item::Namespace(_)
                | Item::Using(_)
                | Item::Unsupported(..)) => unit.items.push(other),
            }
        }
    }

    /// Returns the program, and the position of the unit that it belongs to: the first with code of each cycle.
    fn program(&mut self, folder: &str, here: &[usize], units: &[Unit]) -> Option<(usize, Pou)> {
        let first = self.cyclic.first().or(self.init.first()).or(self.exit.first())?;
        let at = here.iter().copied().find(|at| units.get(*at).is_some_and(|unit| unit.file == first.span.file))?;
        let name = folder.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().filter(|name| !name.is_empty());
        let name = Ident::new(name.unwrap_or("Program"), first.name.span);
        let mut pou = Pou::new(PouKind::Program, name, first.span);
        pou.vars = std::mem::take(&mut self.vars);
        pou.actions = std::mem::take(&mut self.actions);
        let mut body = std::mem::take(&mut self.unread);
        body.extend(self.first_cycle(&mut pou));
        for part in std::mem::take(&mut self.cyclic) {
            pou.vars.extend(part.vars);
            pou.diagrams.extend(part.diagrams);
            match part.body {
                Body::Statements(mut stmts) => body.append(&mut stmts),
                Body::Chart(chart) => body.push(Stmt::unsupported("chart beside other code of a program", chart.span)),
            }
        }
        pou.body = Body::Statements(body);
        self.calls = call_actions(&mut pou);
        Some((at, pou))
    }

    /// Returns the statements that run the first part in the first cycle: RETURN there ends this part only, so it is an action.
    fn first_cycle(&mut self, pou: &mut Pou) -> Vec<Stmt> {
        let mut body = Vec::new();
        let Some(first) = self.init.first() else { return body };
        let span = first.name.span;
        let mut stmts = Vec::new();
        for part in std::mem::take(&mut self.init) {
            pou.vars.extend(part.vars);
            match part.body {
                Body::Statements(mut own) => stmts.append(&mut own),
                Body::Chart(chart) => stmts.push(Stmt::unsupported("chart before the first cycle", chart.span)),
            }
        }
        if stmts.is_empty() {
            return body;
        }
        let done = Ident::new(DONE, span);
        let flag = VarDecl::new(done.clone(), TypeSpec::named("BOOL", span), span);
        pou.vars.push(VarBlock::new(Section::Var, vec![flag], span));
        pou.actions.push(ActionDecl { name: Ident::new(INIT, span), body: Body::Statements(stmts), span });
        let call = Stmt { kind: StmtKind::Call(Name::plain(Ident::new(INIT, span)), Vec::new()), span };
        let set = Stmt::assign(Expr::variable(done.clone()), Expr::truth(true, span), span);
        body.push(Stmt::when(not(Expr::variable(done)), vec![set, call], span));
        body
    }
}

/// Returns the place of the first part of a program.
pub(crate) fn init_of(pou: &Pou) -> Option<Span> {
    pou.actions.iter().find(|action| action.name.text == INIT).map(|action| action.span)
}

/// Makes calls of the statements that are the name of an action: B&R writes these calls without parentheses. Returns the places of
/// the names.
fn call_actions(pou: &mut Pou) -> BTreeSet<Span> {
    let mut calls = BTreeSet::new();
    let names: BTreeSet<Key> = pou.actions.iter().map(|action| key(&action.name.text)).collect();
    let bodies = pou.actions.iter_mut().map(|action| &mut action.body).chain([&mut pou.body]);
    let mut waiting: Vec<&mut Stmt> = bodies
        .flat_map(|body| match body {
            Body::Statements(stmts) => stmts.iter_mut().collect(),
            Body::Chart(_) => Vec::new(),
        })
        .collect();
    while let Some(stmt) = waiting.pop() {
        if let StmtKind::Value(Expr { kind: ExprKind::Name(name), .. }) = &stmt.kind
            && name.path.is_empty()
            && names.contains(&key(&name.root.text))
        {
            calls.insert(name.span);
            stmt.kind = StmtKind::Call(name.clone(), Vec::new());
        }
        waiting.extend(stmt.lists_mut().into_iter().flatten());
    }
    calls
}
