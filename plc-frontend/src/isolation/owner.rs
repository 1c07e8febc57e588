//! Owner of an error: the part of the syntax tree that is left out for it.

use std::collections::BTreeSet;

use super::hidden_text::{self, empty_all, hides_the_rest, is_about_the_file};
use super::home::home;
use super::lost::Lost;
use super::{emptied, holds};
use crate::ast::{Body, Configuration, Item, Method, Pou, Property, Stmt, Unit, VarBlock};
use crate::environment::{Home, Mentions, is_whole_c};
use crate::lang::{C_ENDINGS, has_ending};
use crate::library::DeclaredNames;
use crate::text::{Diagnostic, Key, LeftOut, PartKind, Severity, SourceSet, Span, codes, key};

/// Errors of files of which a part is missing or not read. It may write any variable.
pub const CUT: &[&str] = &["P0005", codes::DAMAGED, codes::TOO_MANY_PARTS, "P0011", "P0012"];

/// Constructs inside of declarations, by the last part of their last word.
const INNER: &[&str] = &["IF", "CASE", "FOR", "WHILE", "REPEAT", "REGION", "STRUCT", "UNION", "STEP", "TRANSITION"];

/// Parts that are left out so far.
pub(super) struct Isolation<'s> {
    sources: &'s SourceSet,
    /// The user chose the entry: tasks do not matter.
    entry_is_chosen: bool,
    pub(super) left_out: Vec<LeftOut>,
    mentions: Mentions,
    /// Names that left-out text may declare.
    lost: Lost,
}

/// The place of an error, and its kind.
struct Case {
    span: Span,
    is_syntax: bool,
    /// The name is declared elsewhere, too.
    is_duplicate: bool,
    /// The file is XML: each member has a frame of its own.
    is_framed: bool,
}

/// Returns whether an error is one of the text, which may hide declarations.
pub(super) fn is_syntax(error: &Diagnostic) -> bool {
    error.severity == Severity::Error && (error.code.starts_with("P0") || error.code.starts_with("P1"))
}

/// A part that was left out just now.
type Found = Option<(PartKind, String, Span)>;

impl<'s> Isolation<'s> {
    pub(super) fn new(sources: &'s SourceSet, entry_is_chosen: bool) -> Isolation<'s> {
        Isolation { sources, entry_is_chosen, left_out: Vec::new(), mentions: Mentions::default(), lost: Lost::default() }
    }

    /// Returns the names in all parts that are left out.
    pub(super) fn mentions(&self) -> Mentions {
        self.mentions.clone()
    }

    /// Returns the names that left-out text may declare.
    pub(super) fn lost_names(&self) -> &DeclaredNames {
        self.lost.declared()
    }

    /// Leaves out the owner of each error. `None`: no error has one that is not left out already.
    pub(super) fn leave_out(&mut self, units: &mut [Unit], errors: &[Diagnostic]) -> Option<()> {
        let before: Vec<Span> = self.left_out.iter().map(|part| part.span).collect();
        let mut is_new = false;
        for error in errors {
            // An error inside of a part of this round has its owner.
            let now = self.left_out.get(before.len()..).unwrap_or_default();
            if now.iter().any(|part| holds(part.span, error.span())) {
                continue;
            }
            let is_syntax = is_syntax(error);
            let is_duplicate = error.code == codes::DUPLICATE_NAME;
            is_new |= self.leave_out_rest(units, error);
            // It may follow from others, which are left out in this round.
            let file = self.sources.files.get(error.span().file);
            let is_framed = file.is_some_and(|file| file.text.trim_start_matches('\u{feff}').trim_start().starts_with('<'));
            let case = Case { span: error.span(), is_syntax, is_duplicate, is_framed };
            let Some(found) = self.owner(units, &case) else { continue };
            self.enter_part(units, found, error);
            // Nothing says which one of two declarations is meant.
            for label in error.labels.iter().skip(1).filter(|_| is_duplicate) {
                if let Some(found) = self.owner(units, &Case { span: label.span, is_duplicate: false, ..case }) {
                    self.enter_part(units, found, error);
                }
            }
            is_new = true;
        }
        for (name, span, error) in self.lost.declare(units) {
            self.enter((PartKind::Pou, name, span), &error, None);
        }
        self.leave_out_heirs(units);
        is_new.then_some(())
    }

    /// Leaves out the rest of a file that an error hides; returns whether that is new.
    fn leave_out_rest(&mut self, units: &mut [Unit], error: &Diagnostic) -> bool {
        let Span { file, start, .. } = error.span();
        let is_whole = is_about_the_file(error);
        if !is_whole && !hides_the_rest(error) {
            return false;
        }
        let end = self.sources.files.get(file).map_or(0, |file| file.text.len() as u32);
        let span = Span { file, start: if is_whole { 0 } else { start }, end };
        if self.left_out.iter().any(|part| part.kind == PartKind::Text && part.span == span) {
            return false;
        }
        if let Some(unit) = units.iter_mut().find(|unit| is_whole && unit.file == file) {
            empty_all(&mut unit.items);
        }
        self.enter((PartKind::Text, String::new(), span), error, None);
        true
    }

    /// Enters a part of a declaration.
    fn enter_part(&mut self, units: &mut [Unit], part: (PartKind, String, Span), error: &Diagnostic) {
        let pous = units.iter_mut().flat_map(Unit::pous_mut);
        let around = pous.into_iter().filter(|pou| holds(pou.span, part.2) && holds(pou.span, error.span()));
        let names: BTreeSet<Key> = around.map(|pou| key(&pou.name.text)).collect();
        self.enter(part, error, names.first().filter(|_| names.len() == 1).cloned());
    }

    /// Enters a part; `pou` is the POU around it.
    ///
    /// Soundness: an error of the text may hide the end of a POU, so the part may belong to another one.
    fn enter(&mut self, (kind, name, span): (PartKind, String, Span), error: &Diagnostic, pou: Option<Key>) {
        let pou = pou.filter(|_| !is_syntax(error) && !CUT.contains(&error.code));
        let own = pou.map_or_else(|| home(self.sources, span.file, error), Home::Pou);
        let text = self.sources.text(span);
        // A declaration does not write its own variable.
        let text = if kind == PartKind::Variable { text.strip_prefix(name.as_str()).unwrap_or(text) } else { text };
        let is_foreign = self.sources.files.get(span.file).is_some_and(|file| crate::lang::is_foreign(&file.name, &file.text));
        let file = self.sources.files.get(span.file).map_or("", |file| file.name.as_str());
        if kind == PartKind::Text && crate::lang::refused(file).is_some() {
            // Its text tells nothing: a condition is about all that it may hold.
            self.mentions.add_unreadable(span.file);
            self.lost.add_everything();
        } else {
            self.mention((kind, span), error, own, text);
        }
        if is_syntax(error) {
            self.lost.add(text, (kind == PartKind::Text).then_some(file), is_foreign, error);
        }
        self.left_out.push(LeftOut { kind, name, span, error: error.clone() });
    }

    /// Enters the names of a part that is left out: its code may write them.
    fn mention(&mut self, (kind, span): (PartKind, Span), error: &Diagnostic, own: Home, text: &str) {
        self.mentions.add_left_out(text, own.clone(), span);
        if is_syntax(error) {
            let behind = hidden_text::behind(self.sources, span, error.span());
            self.mentions.add_left_out(behind, home(self.sources, span.file, error), error.span());
        }
        let is_binary = error.code == "P0005";
        if kind == PartKind::Text && (is_binary || error.code == codes::NOT_GIVEN) {
            self.mentions.add_everything(if is_binary { Home::Unknown } else { own.clone() });
            if is_binary { self.lost.add_everything() } else { self.lost.add_words(text) }
        }
        if CUT.contains(&error.code) || (is_syntax(error) && self.ends_early(span)) {
            self.mentions.add_everything(own);
        }
    }

    /// Returns whether the last word of a file of structured text ends no declaration, or a file in C does not close what it opens: the
    /// file may be cut.
    fn ends_early(&self, span: Span) -> bool {
        let Some(file) = self.sources.files.get(span.file) else { return false };
        if has_ending(&file.name, C_ENDINGS) {
            return !is_whole_c(&file.text);
        }
        let text = file.text.trim_start_matches('\u{feff}').trim();
        let last = text.trim_end_matches(';').trim_end().rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next();
        let ends = last.is_some_and(|word| {
            let word = word.to_ascii_uppercase();
            word.strip_prefix("END_").is_some_and(|rest| !INNER.contains(&rest))
        });
        !text.starts_with('<') && !ends
    }

    fn owner(&self, units: &mut [Unit], case: &Case) -> Found {
        let unit = units.iter_mut().find(|unit| unit.file == case.span.file)?;
        match self.in_items(&mut unit.items, case) {
            Some(found) => found,
            None if case.is_syntax => {
                let lost = self.until_next(&unit.items, case.span);
                let is_new = !self.left_out.iter().any(|part| part.kind == PartKind::Text && part.span == lost);
                is_new.then(|| (PartKind::Text, String::new(), lost))
            }
            // Parts of a program of B&R stand in several files.
            None => {
                units.iter_mut().flat_map(Unit::pous_mut).find(|pou| has_part(pou, case.span)).and_then(|pou| in_pou(pou, case))
            }
        }
    }

    /// Returns the text from a place to the next declaration: reading goes on there.
    fn until_next(&self, items: &[Item], span: Span) -> Span {
        let length = self.sources.files.get(span.file).map_or(0, |file| file.text.len() as u32);
        let end = items.iter().map(|item| item.span().start).filter(|start| span.start < *start).min().unwrap_or(length);
        Span { end, ..span }
    }

    /// Leaves out a part of the item around the error. The outer `None`: no item is around it.
    fn in_items(&self, items: &mut Vec<Item>, case: &Case) -> Option<Found> {
        // An export has the POUs of an application inside of its configuration.
        let is_around = |item: &Item| holds(item.span(), case.span) && !matches!(item, Item::Using(_) | Item::Unsupported(..));
        let around = items.iter().enumerate().filter(|(_, item)| is_around(item));
        let at = around.min_by_key(|(_, item)| item.span().end - item.span().start).map(|(at, _)| at)?;
        let (name, span) = (items[at].name().map(|name| name.text.clone()).unwrap_or_default(), items[at].span());
        let found = match &mut items[at] {
            Item::Namespace(space) => return self.in_items(&mut space.items, case),
            Item::Pou(pou) if case.is_syntax && (pou.is_unnamed() || pou.name.text.is_empty()) => {
                items.remove(at);
                Some((PartKind::Text, String::new(), span))
            }
            Item::Pou(pou) => in_pou(pou, case),
            Item::Type(decl) => emptied::type_decl(decl).then(|| (PartKind::Type, name.clone(), span)),
            Item::Interface(interface) => emptied::interface(interface).then(|| (PartKind::Pou, name.clone(), span)),
            Item::Globals(block) => in_globals(block, case),
            Item::Configuration(configuration) => self.in_configuration(configuration, case),
            Item::Using(_) | Item::Unsupported(..) => return None,
        };
        // Of two declarations of one name, one stays, without a meaning.
        if found.is_none() && case.is_duplicate && !name.is_empty() {
            items.remove(at);
            return Some(Some((PartKind::Pou, name, span)));
        }
        Some(found)
    }

    fn in_configuration(&self, configuration: &mut Configuration, case: &Case) -> Found {
        let inner = configuration.resources.iter_mut().flat_map(|resource| &mut resource.vars);
        for block in configuration.vars.iter_mut().chain(inner) {
            if holds(block.span, case.span) || block.vars.iter().any(|var| holds(var.span, case.span)) {
                return in_globals(block, case);
            }
        }
        // Without its tasks nothing says what runs, unless the user does.
        let has_tasks =
            configuration.resources.iter().any(|resource| !resource.programs.is_empty() || !resource.tasks.is_empty());
        if !self.entry_is_chosen || !has_tasks || case.is_syntax {
            return None;
        }
        for resource in &mut configuration.resources {
            resource.programs.clear();
            resource.tasks.clear();
        }
        Some((PartKind::Tasks, configuration.title().to_owned(), configuration.span))
    }

    /// Leaves out the blocks that extend one that is left out, and those that extend these.
    fn leave_out_heirs(&mut self, units: &mut [Unit]) {
        let mut lost: BTreeSet<Key> =
            self.left_out.iter().filter(|part| part.kind == PartKind::Pou).map(|part| key(&part.name)).collect();
        loop {
            let mut heirs = Vec::new();
            for pou in units.iter_mut().flat_map(Unit::pous_mut) {
                let base = pou.extends.as_ref().and_then(|name| name.idents().last().map(|ident| key(&ident.text)));
                if let Some(base) = base.filter(|base| lost.contains(base))
                    && let Some(error) = self.left_out.iter().find(|part| key(&part.name) == base).map(|part| part.error.clone())
                {
                    emptied::pou(pou);
                    heirs.push((pou.name.text.clone(), pou.span, error));
                }
            }
            if heirs.is_empty() {
                return;
            }
            for (name, span, error) in heirs {
                lost.insert(key(&name));
                let own = key(&name);
                self.enter((PartKind::Pou, name, span), &error, Some(own));
            }
        }
    }
}

/// Returns whether a variable, a statement or an action of a POU stands around a place.
fn has_part(pou: &Pou, place: Span) -> bool {
    let in_vars = pou.vars.iter().any(|block| holds(block.span, place));
    let in_body = matches!(&pou.body, Body::Statements(stmts) if stmts.iter().any(|stmt| holds(stmt.span, place)));
    in_vars || in_body || pou.actions.iter().any(|action| holds(action.span, place))
}

/// Leaves out a part of a list of global variables.
fn in_globals(block: &mut VarBlock, case: &Case) -> Found {
    let at = block.vars.iter().position(|var| holds(var.span, case.span));
    match at {
        Some(at) if !case.is_syntax => {
            let var = &mut block.vars[at];
            emptied::variable(var).then(|| (PartKind::Variable, var.name.text.clone(), var.span))
        }
        Some(_) | None => {
            let changed = block.vars.iter_mut().map(emptied::variable).filter(|is_new| *is_new).count();
            let name = block.list.as_ref().map_or_else(|| "VAR_GLOBAL".to_owned(), |list| list.name.text.clone());
            (0 < changed).then_some((PartKind::Variable, name, block.span))
        }
    }
}

/// Leaves out a part of a POU, or the whole.
fn in_pou(pou: &mut Pou, case: &Case) -> Found {
    let inner = in_members(pou, case).or_else(|| in_variables(&mut pou.vars, case));
    let inner = inner.or_else(|| {
        let is_declared = pou.vars.iter().any(|block| holds(block.span, case.span));
        let found = if is_declared { None } else { in_body(&mut pou.body, &pou.name.text, case) };
        if let Some((PartKind::Body, ..)) = found {
            pou.diagrams.clear();
        }
        found
    });
    let (name, span) = (pou.name.text.clone(), pou.span);
    inner.or_else(|| emptied::pou(pou).then_some((PartKind::Pou, name, span)))
}

fn in_members(pou: &mut Pou, case: &Case) -> Found {
    // A syntax error may hide other members; those of a format with a frame around each cannot be hidden.
    if case.is_syntax && !case.is_framed {
        return None;
    }
    if let Some(method) = pou.methods.iter_mut().find(|method| holds(method.span, case.span)) {
        return in_method(method, case);
    }
    if let Some(property) = pou.properties.iter_mut().find(|property| holds(property.span, case.span)) {
        return in_property(property, case);
    }
    let action = pou.actions.iter_mut().find(|action| holds(action.span, case.span))?;
    let (name, span) = (action.name.text.clone(), action.span);
    let inner = in_body(&mut action.body, &name, case);
    inner.or_else(|| emptied::body(&mut action.body, span).then_some((PartKind::Member, name, span)))
}

fn in_property(property: &mut Property, case: &Case) -> Found {
    let mut halves = property.getter.iter_mut().chain(&mut property.setter);
    let inner = halves.find(|half| holds(half.span, case.span)).and_then(|half| in_method(half, case));
    let (name, span) = (property.name.text.clone(), property.span);
    inner.or_else(|| emptied::property(property).then_some((PartKind::Member, name, span)))
}

fn in_method(method: &mut Method, case: &Case) -> Found {
    let name = method.name.text.clone();
    let inner = in_variables(&mut method.vars, case).or_else(|| {
        let is_declared = method.vars.iter().any(|block| holds(block.span, case.span));
        method.body.as_mut().filter(|_| !is_declared).and_then(|body| in_body(body, &name, case))
    });
    let span = method.span;
    inner.or_else(|| emptied::method(method).then_some((PartKind::Member, name, span)))
}

/// Leaves out a variable. A syntax error may hide other declarations, so it belongs to more.
fn in_variables(blocks: &mut Vec<VarBlock>, case: &Case) -> Found {
    if case.is_syntax {
        return None;
    }
    let at = blocks.iter().position(|block| block.vars.iter().any(|var| holds(var.span, case.span)))?;
    let var = blocks[at].vars.iter().position(|var| holds(var.span, case.span))?;
    let (name, span) = (blocks[at].vars[var].name.text.clone(), blocks[at].vars[var].span);
    emptied::variable_of(blocks, at, var).then_some((PartKind::Variable, name, span))
}

/// Leaves out a statement of a body, or the body.
fn in_body(body: &mut Body, owner: &str, case: &Case) -> Found {
    let span = extent(body, case.span)?;
    if let (false, Body::Statements(stmts)) = (case.is_syntax, &mut *body)
        && let Some(span) = in_statements(stmts, case.span)
    {
        return Some((PartKind::Statement, owner.to_owned(), span));
    }
    emptied::body(body, span).then(|| (PartKind::Body, owner.to_owned(), span))
}

/// Returns the place of a body: all its statements and the error. `None` if the error stands before the first statement: it may be
/// one of the declarations.
fn extent(body: &Body, error: Span) -> Option<Span> {
    let parts: Vec<Span> = match body {
        Body::Statements(stmts) => stmts.iter().map(|stmt| stmt.span).collect(),
        Body::Chart(chart) => vec![chart.span],
    };
    let here = parts.into_iter().filter(|span| span.file == error.file);
    let all = here.reduce(|all, span| Span { file: all.file, start: all.start.min(span.start), end: all.end.max(span.end) })?;
    (all.start <= error.start).then_some(Span { end: all.end.max(error.end), ..all })
}

/// Leaves out the innermost statement around the error; returns its place. `None`: there is none, or it is left out already.
fn in_statements(stmts: &mut [Stmt], error: Span) -> Option<Span> {
    let stmt = stmts.iter_mut().find(|stmt| holds(stmt.span, error))?;
    for list in stmt.lists_mut() {
        if let Some(span) = in_statements(list, error) {
            return Some(span);
        }
    }
    let span = stmt.span;
    emptied::statement(stmt).then_some(span)
}
