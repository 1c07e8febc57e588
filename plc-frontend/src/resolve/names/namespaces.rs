//! Namespaces and spaces: the declaration that a name means if several namespaces, libraries, or one and the standard, declare it.
//!
//! A name means the declaration of its own namespace, else one of a namespace around it, else one of a namespace that USING
//! names; of several spaces ([`super::spaces`]) the nearest one that its code sees. Names with several declarations get their full
//! names, `Plant.Pumps.Unit`, and their uses are noted by place. All other names mean their only declaration.
//!
//! Soundness: a name that its code does not see, or that may mean two things, is noted under a name that nothing declares. Notes about
//! variables of POUs and their members have no effect: the resolver finds these first.

use super::declared::{Table, ValueKind, is_standard};
use super::lookup::{Meaning, Place};
use super::parts::{idents, joined, within};
use super::spaces::{Home, Spaces};
use crate::ast::walk::{self, Node};
use crate::ast::{ExprKind, Ident, Item, Name, Section, TypeSpecKind, Unit};
use crate::resolve::names::tables::{FullNames, Key, Meanings, key};
use crate::text::{Diagnostic, SourceSet, Span, codes};
use std::collections::{BTreeMap, BTreeSet};

/// Most USINGs at one place.
const MOST_USINGS: usize = 100;

/// Finds the meanings of names in projects with namespaces or libraries.
pub(crate) fn find(units: &[Unit], sources: &SourceSet, spaces: &Spaces, findings: &mut Vec<Diagnostic>) -> Meanings {
    let has_namespace = |unit: &Unit| unit.items.iter().any(|item| matches!(item, Item::Namespace(_)));
    if spaces.is_one() && !units.iter().any(has_namespace) {
        return Meanings::default();
    }
    let table = Table::of(units, sources, spaces);
    let mut finder = Finder { table, units: FullNames::new(), values: FullNames::new(), findings };
    for unit in units {
        let place = Place { space: &[], usings: &BTreeSet::new(), from: spaces.of(unit.file) };
        finder.items(&unit.items, &place);
    }
    let contested = finder.table.values.keys().filter(|name| finder.table.is_contested_value(name)).cloned().collect();
    Meanings { units: finder.units, values: finder.values, contested }
}

struct Finder<'f> {
    table: Table<'f>,
    units: FullNames,
    values: FullNames,
    findings: &'f mut Vec<Diagnostic>,
}

impl Finder<'_> {
    fn items(&mut self, items: &[Item], place: &Place<'_>) {
        // A USING inside of a POU counts as one beside it.
        let mut own: BTreeMap<Span, BTreeSet<Key>> = BTreeMap::new();
        let mut usings = place.usings.clone();
        let pous: BTreeMap<u32, Span> = items.iter().filter_map(head).map(|span| (span.start, span)).collect();
        for item in items {
            let Item::Using(name) = item else { continue };
            let of = pous.range(..=name.span.start).next_back().map(|(_, span)| *span);
            match of.filter(|span| span.file == name.span.file && name.span.end <= span.end) {
                Some(span) => own.entry(span).or_default().extend(self.named_space(name, place.space)),
                None => usings.extend(self.named_space(name, place.space)),
            }
        }
        for (using, span) in usings.iter().nth(MOST_USINGS).into_iter().zip(items.iter().filter_map(head)) {
            let message = format!("more than {MOST_USINGS} namespaces are named with USING here, the last one `{using}`");
            self.findings.push(Diagnostic::error(codes::TOO_LARGE, span, message, "too many for what stands here"));
        }
        for item in items {
            if let Item::Namespace(inner) = item {
                let space = within(place.space, &inner.name);
                self.items(&inner.items, &Place { space: &space, usings: &usings, from: place.from });
                continue;
            }
            match head(item).and_then(|span| own.get(&span)) {
                Some(more) => self.item(item, &Place { usings: &usings.union(more).cloned().collect(), ..*place }),
                None => self.item(item, &Place { usings: &usings, ..*place }),
            }
        }
    }

    /// Returns the namespace that a USING names: by its full name, or relative to the USING.
    fn named_space(&self, name: &Name, space: &[String]) -> Option<Key> {
        let text = key(&idents(name).iter().map(|ident| ident.text.as_str()).collect::<Vec<_>>().join("."));
        let is_space = |full: &Key| {
            let start = format!("{full}.");
            self.table.units.range(start.clone()..).next().is_some_and(|row| row.0.starts_with(&start))
        };
        let candidates = std::iter::once(text.clone()).chain((1..=space.len()).rev().map(|n| key(&joined(&space[..n], &text))));
        candidates.into_iter().find(is_space)
    }

    fn item(&mut self, item: &Item, place: &Place<'_>) {
        item.bases().into_iter().for_each(|name| self.base(name, place));
        if let Item::Configuration(configuration) = item {
            let programs = configuration.resources.iter().flat_map(|resource| &resource.programs);
            programs.for_each(|program| self.name(&program.program, place));
        }
        if let Some(ident) = item.name() {
            let rows = self.table.units.get(&key(&joined(place.space, &ident.text)));
            let own = rows.into_iter().flatten().find(|row| row.home == self.home(ident, place));
            let full = own.map(|row| self.table.full(row));
            full.into_iter().for_each(|full| note(&mut self.units, ident, full));
        }
        walk::items(std::slice::from_ref(item), &mut |node| match node {
            Node::Type(ty) => {
                ty.name().into_iter().for_each(|name| self.type_name(name, place));
                if let TypeSpecKind::Enum(variants, _) = &ty.kind {
                    variants.iter().for_each(|(name, _)| self.declared_value(name, place));
                }
            }
            Node::Block(block) if block.section == Section::Global => {
                block.list.iter().for_each(|list| self.declared_value(&list.name, place));
                block.vars.iter().for_each(|var| self.declared_value(&var.name, place));
            }
            Node::Block(block) if block.section == Section::External => {
                block.vars.iter().for_each(|var| self.root(&var.name, place));
            }
            Node::Expr(e) => {
                if let ExprKind::Literal(Some(prefix), _) = &e.kind {
                    self.type_name(prefix, place);
                }
            }
            Node::Name(name) => self.name(name, place),
            Node::Item(_) | Node::Block(_) | Node::Method(_) | Node::Stmt(_) => {}
        });
    }

    /// Returns the home of the declarations around a name.
    fn home(&self, ident: &Ident, place: &Place<'_>) -> Home {
        let rows = self.table.units.get(&key(&joined(place.space, &ident.text)));
        let own = Home::Space(place.from);
        // Declarations in place of a missing library are in no space.
        let is_own = rows.into_iter().flatten().any(|row| row.home == own);
        if is_own { own } else { Home::Shared }
    }

    fn declared_value(&mut self, ident: &Ident, place: &Place<'_>) {
        if !self.table.spaces.is_one() {
            let full = self.table.full_value(&ident.text, Home::Space(place.from));
            note(&mut self.values, ident, full);
        }
    }

    /// Notes the meaning of a type's name, which may have dots.
    fn type_name(&mut self, ident: &Ident, place: &Place<'_>) {
        let parts: Vec<&str> = ident.text.split('.').map(str::trim).collect();
        let Some(last) = parts.last() else { return };
        let last = Ident { text: (*last).to_owned(), span: ident.span };
        let found = self.type_of(&parts, &last, place);
        self.check_single(&found, &ident.text, ident.span);
    }

    /// Checks that a type's name means one declaration.
    fn check_single(&mut self, found: &Option<Meaning>, text: &str, span: Span) {
        let Some(Meaning::Several(_, names)) = found else { return };
        let places = self.table.places(text.rsplit('.').next().unwrap_or(text).trim(), names);
        let all = names.join(" or ");
        let (message, help) = if self.table.spaces.is_one() {
            let help = format!("write one of {all}, or name one namespace with USING");
            (format!("`{text}` is declared in several namespaces"), help)
        } else {
            (format!("several libraries or folders declare `{text}`"), self.table.spaces.way_out(&all))
        };
        let finding = Diagnostic::error(codes::AMBIGUOUS_NAME, span, message, "which one?").help(help);
        self.findings.push(places.into_iter().fold(finding, |finding, place| finding.label(place, "declared here")));
    }

    /// Notes the meaning of a base: the name behind EXTENDS or IMPLEMENTS.
    fn base(&mut self, name: &Name, place: &Place<'_>) {
        let idents = idents(name);
        let parts: Vec<&str> = idents.iter().map(|ident| ident.text.as_str()).collect();
        let Some(last) = idents.last() else { return };
        let found = self.type_of(&parts, last, place);
        if !self.table.spaces.is_one() {
            self.check_single(&found, &parts.join("."), last.span);
        }
    }

    /// Notes and returns the meaning of a name in the place of a type.
    fn type_of(&mut self, parts: &[&str], last: &Ident, place: &Place<'_>) -> Option<Meaning> {
        let first = key(parts.first()?);
        let is_qualified = 1 < parts.len() && self.table.spaces.is_any_qualifier(&first);
        if !is_qualified && !self.table.is_watched(place.from, &key(&last.text)) {
            return None;
        }
        let found = self.table.meaning(parts, place);
        self.check_internal(&found, last.span, place);
        let found = match found {
            Meaning::None if is_qualified => {
                self.table.in_library(&parts.iter().map(|part| key(part)).collect::<Vec<_>>(), place.from)
            }
            Meaning::None | Meaning::One(..) | Meaning::Standard | Meaning::Several(..) => found,
        };
        // `Tc2_Standard.TON`: beside libraries, the plain name of a standard block is that of the standard.
        if matches!(found, Meaning::None) && 1 < parts.len() && !is_qualified && is_standard(&last.text) {
            return Some(found);
        }
        let text = self.text_of(&found, last, place.from, is_qualified.then(|| parts.first().copied()).flatten());
        text.into_iter().for_each(|text| note(&mut self.units, last, text));
        Some(found)
    }

    /// Returns the name to note for a meaning; `None`: the name as it stands.
    fn text_of(&self, found: &Meaning, last: &Ident, from: usize, qualifier: Option<&str>) -> Option<String> {
        match found {
            Meaning::One(_, found) => Some(self.table.full_of(found)),
            // A name without a declaration is not found.
            Meaning::Several(_, all) => Some(all.join(" or ")),
            Meaning::Standard => None,
            Meaning::None if qualifier.is_some() || self.table.is_watched(from, &key(&last.text)) => {
                let is_one = self.table.spaces.is_one();
                let library = qualifier.unwrap_or(self.table.spaces.name(from));
                (!is_one).then(|| format!("{} in {library}", last.text))
            }
            Meaning::None => None,
        }
    }

    /// Notes the meaning of a name in code: its shortest beginning that means a declaration.
    fn name(&mut self, name: &Name, place: &Place<'_>) {
        let idents = idents(name);
        let Some(root) = idents.first() else { return };
        let (spaces, first) = (self.table.spaces, key(&root.text));
        if let Some(next) = idents.get(1).filter(|_| spaces.is_any_qualifier(&first))
            && !self.is_declared(root, &key(&next.text), place)
        {
            return self.qualified_name(&idents, place);
        }
        for n in 1..=idents.len() {
            let last = &idents[n - 1];
            if !self.table.is_watched(place.from, &key(&last.text)) {
                continue;
            }
            let parts: Vec<&str> = idents[..n].iter().map(|ident| ident.text.as_str()).collect();
            let found = self.table.meaning(&parts, place);
            if n == 1 && !spaces.is_one() {
                if self.is_seen(root, &found, place) {
                    return self.root(root, place);
                }
                continue;
            }
            if let Meaning::None = found {
                continue;
            }
            // A single identifier may be a variable.
            if 1 < n {
                self.check_internal(&found, last.span, place);
            }
            let text = self.text_of(&found, last, place.from, None);
            return text.into_iter().for_each(|text| note(&mut self.units, last, text));
        }
        if !spaces.is_one() && self.table.is_watched(place.from, &first) {
            self.root(root, place);
        }
    }

    /// Returns whether the code at a place sees a declaration of this name.
    fn is_seen(&self, root: &Ident, unit: &Meaning, place: &Place<'_>) -> bool {
        !matches!(unit, Meaning::None) || self.table.value(&root.text, place.from).is_some()
    }

    /// Returns whether a name with a part behind it means a declaration, and no library. A list of global variables without the part
    /// does not hide the library of its name.
    fn is_declared(&self, root: &Ident, next: &str, place: &Place<'_>) -> bool {
        let unit = self.table.meaning(&[root.text.as_str()], place);
        let rows = self.table.values.get(&key(&root.text)).into_iter().flatten();
        let mut seen = rows.filter(|row| self.table.spaces.distance(place.from, row.home).is_some());
        let is_meant = |kind: &ValueKind| match kind {
            ValueKind::List(vars) => vars.contains(next),
            ValueKind::Variable | ValueKind::Variant { .. } => true,
        };
        !matches!(unit, Meaning::None) || seen.any(|row| is_meant(&row.kind))
    }

    /// Notes the meaning of a name in code whose first part is a library's.
    fn qualified_name(&mut self, idents: &[Ident], place: &Place<'_>) {
        let Some(root) = idents.first() else { return };
        if self.table.is_watched(place.from, &key(&root.text)) {
            self.root(root, place);
        }
        let mut at = place.from;
        for (index, ident) in idents.iter().enumerate() {
            let last = key(&ident.text);
            let home = Home::Space(at);
            let values = self.table.values.get(&last).into_iter().flatten();
            let is_value = 0 < index && values.into_iter().any(|row| row.home == home);
            let rows = self.table.units.get(&last).into_iter().flatten();
            let unit = rows.into_iter().find(|row| 0 < index && row.home == home).map(|row| self.table.full(row));
            if unit.is_some() || is_value {
                let missing = || format!("{} in {}", ident.text, self.table.spaces.name(at));
                let value =
                    if is_value { self.table.full_value(&ident.text, home) } else { unit.clone().unwrap_or_else(missing) };
                let unit = unit.unwrap_or_else(missing);
                note(&mut self.values, ident, value);
                return note(&mut self.units, ident, unit);
            }
            match self.table.spaces.qualified(at, &last) {
                Some(library) if index + 1 < idents.len() => at = library,
                Some(_) | None => {
                    let ident = if index == 0 { &idents[1] } else { ident };
                    let text = format!("{} in {}", ident.text, root.text);
                    note(&mut self.values, ident, text.clone());
                    return note(&mut self.units, ident, text);
                }
            }
        }
    }

    /// Notes the meaning of a name without a name in front of it, as one of a POU and as one of a value. The nearer one counts.
    fn root(&mut self, ident: &Ident, place: &Place<'_>) {
        let unit = self.table.meaning(&[ident.text.as_str()], place);
        let value = self.table.value(&ident.text, place.from);
        let distance = match &unit {
            Meaning::One(distance, _) | Meaning::Several(distance, _) => Some(*distance),
            Meaning::Standard | Meaning::None => None,
        };
        let value_is_nearer = matches!((&value, distance), (Some((value, _)), Some(unit)) if *value < unit);
        let unit_is_nearer = matches!((&value, distance), (Some((value, _)), Some(unit)) if unit < *value);
        let hidden = format!("{} in {}", ident.text, self.table.spaces.name(place.from));
        let unit_text = match self.text_of(&unit, ident, place.from, None) {
            _ if value_is_nearer => hidden.clone(),
            Some(text) => text,
            None => ident.text.clone(),
        };
        let value_text = match value {
            Some((_, names)) if !unit_is_nearer => names.into_iter().collect::<Vec<_>>().join(" or "),
            // A program that is named has a variable of its name.
            Some(_) | None => unit_text.clone(),
        };
        note(&mut self.units, ident, unit_text);
        note(&mut self.values, ident, value_text);
    }

    /// Checks that INTERNAL declarations are used in their namespace, or in those inside of it.
    fn check_internal(&mut self, found: &Meaning, span: Span, place: &Place<'_>) {
        let Meaning::One(_, found) = found else { return };
        let Some(row) = self.table.row(found).filter(|row| row.is_internal) else { return };
        let is_inside = row.space.len() <= place.space.len() && row.space.iter().zip(place.space).all(|(a, b)| *a == key(b));
        if !is_inside {
            let message = format!("`{}` is INTERNAL: only its namespace may use it", row.path);
            let help = "declare it PUBLIC, or use it inside of its namespace";
            self.findings.push(Diagnostic::error(codes::NOT_PUBLIC, span, message, "not visible from here").help(help));
        }
    }
}

/// Notes the full name of an identifier, if it has another one than its own.
fn note(names: &mut FullNames, ident: &Ident, full: String) {
    if key(&full) != key(&ident.text) {
        names.insert((ident.span, key(&ident.text)), full);
    }
}

/// Returns the extent of a POU.
fn head(item: &Item) -> Option<Span> {
    if let Item::Pou(pou) = item { Some(pou.span) } else { None }
}
