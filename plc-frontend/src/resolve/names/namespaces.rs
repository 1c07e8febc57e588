//! Namespaces: the declaration that a name means if several namespaces, or a namespace and the standard, declare it.
//!
//! A name means the declaration of its own namespace, else one of a namespace around it, else one of a namespace that USING
//! names. Names with several declarations get their full names, `Plant.Pumps.Unit`, and their uses are noted by place. All other
//! names mean their only declaration.

use crate::ast::walk::{self, Node};
use crate::ast::{Access, ExprKind, Ident, Item, Name, NameElem, Unit};
use crate::resolve::calls::standard_table;
use crate::resolve::names::tables::{FullNames, Key, key};
use crate::text::{Diagnostic, Span, codes};
use std::collections::{BTreeMap, BTreeSet};

/// Most parts of a name: namespaces are not nested deeper.
const MOST_PARTS: usize = 20;

/// Most USINGs at one place.
const MOST_USINGS: usize = 100;

/// Finds the meanings of names in projects with namespaces.
pub(crate) fn find(units: &[Unit], findings: &mut Vec<Diagnostic>) -> FullNames {
    let has_namespace = |unit: &Unit| unit.items.iter().any(|item| matches!(item, Item::Namespace(_)));
    if !units.iter().any(has_namespace) {
        return FullNames::new();
    }
    let mut finder = Finder { declared: BTreeMap::new(), by_last: BTreeMap::new(), meant: FullNames::new(), findings };
    units.iter().for_each(|unit| finder.declare(&unit.items, &[]));
    // A name with one declaration that is visible everywhere has one meaning.
    finder.by_last.retain(|last, all| {
        let is_internal = || all.iter().any(|full| finder.declared.get(full).is_some_and(|row| row.is_internal));
        1 < all.len() || is_internal() || is_standard(last) && all.iter().any(|full| full != last)
    });
    if finder.by_last.is_empty() {
        return FullNames::new();
    }
    units.iter().for_each(|unit| finder.items(&unit.items, &[], &BTreeSet::new()));
    finder.meant
}

/// A declaration.
struct Row {
    /// Its name with its namespaces, as spelled.
    full: String,
    space: Vec<Key>,
    /// INTERNAL: only its namespace may use it.
    is_internal: bool,
}

struct Finder<'f> {
    declared: BTreeMap<Key, Row>,
    /// Full names by their last parts.
    by_last: BTreeMap<Key, BTreeSet<Key>>,
    meant: FullNames,
    findings: &'f mut Vec<Diagnostic>,
}

/// Place of a name.
struct Place<'p> {
    space: &'p [String],
    usings: &'p BTreeSet<Key>,
}

enum Meaning {
    /// A declaration, by its full name.
    One(Key),
    /// A name of the standard.
    Standard,
    Several(Vec<Key>),
    None,
}

impl Finder<'_> {
    fn declare(&mut self, items: &[Item], space: &[String]) {
        for item in items {
            if let Item::Namespace(inner) = item {
                self.declare(&inner.items, &within(space, &inner.name));
            }
            let Some(name) = item.name() else { continue };
            let full = joined(space, &name.text);
            self.by_last.entry(key(&name.text)).or_default().insert(key(&full));
            let space = space.iter().map(|part| key(part)).collect();
            let is_internal = matches!(item, Item::Pou(pou) if pou.modifiers.access == Access::Internal);
            self.declared.entry(key(&full)).or_insert(Row { full, space, is_internal });
        }
    }

    fn items(&mut self, items: &[Item], space: &[String], around: &BTreeSet<Key>) {
        // A USING inside of a POU counts as one beside it.
        let mut own: BTreeMap<Span, BTreeSet<Key>> = BTreeMap::new();
        let mut usings = around.clone();
        let pous: BTreeMap<u32, Span> = items.iter().filter_map(head).map(|span| (span.start, span)).collect();
        for item in items {
            let Item::Using(name) = item else { continue };
            let of = pous.range(..=name.span.start).next_back().map(|(_, span)| *span);
            match of.filter(|span| span.file == name.span.file && name.span.end <= span.end) {
                Some(span) => own.entry(span).or_default().extend(self.named_space(name, space)),
                None => usings.extend(self.named_space(name, space)),
            }
        }
        for (using, span) in usings.iter().nth(MOST_USINGS).into_iter().zip(items.iter().filter_map(head)) {
            let message = format!("more than {MOST_USINGS} namespaces are named with USING here, the last one `{using}`");
            self.findings.push(Diagnostic::error(codes::TOO_LARGE, span, message, "too many for what stands here"));
        }
        for item in items {
            if let Item::Namespace(inner) = item {
                self.items(&inner.items, &within(space, &inner.name), &usings);
                continue;
            }
            match head(item).and_then(|span| own.get(&span)) {
                Some(more) => self.item(item, &Place { space, usings: &usings.union(more).cloned().collect() }),
                None => self.item(item, &Place { space, usings: &usings }),
            }
        }
    }

    /// Returns the namespace that a USING names: by its full name, or relative to the USING.
    fn named_space(&self, name: &Name, space: &[String]) -> Option<Key> {
        let text = key(&idents(name).iter().map(|ident| ident.text.as_str()).collect::<Vec<_>>().join("."));
        let is_space = |full: &Key| {
            self.declared.range(format!("{full}.")..).next().is_some_and(|row| row.0.starts_with(&format!("{full}.")))
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
        if let Some(ident) = item.name()
            && !place.space.is_empty()
            && self.by_last.contains_key(&key(&ident.text))
        {
            self.meant.insert((ident.span, key(&ident.text)), joined(place.space, &ident.text));
        }
        walk::items(std::slice::from_ref(item), &mut |node| match node {
            Node::Type(ty) => ty.name().into_iter().for_each(|name| self.type_name(name, place)),
            Node::Expr(e) => {
                if let ExprKind::Literal(Some(prefix), _) = &e.kind {
                    self.type_name(prefix, place);
                }
            }
            Node::Name(name) => self.name(name, place),
            Node::Item(_) | Node::Block(_) | Node::Method(_) | Node::Stmt(_) => {}
        });
    }

    /// Notes the meaning of a type's name, which may have dots.
    fn type_name(&mut self, ident: &Ident, place: &Place<'_>) {
        let parts: Vec<&str> = ident.text.split('.').map(str::trim).collect();
        let Some(last) = parts.last().filter(|last| self.by_last.contains_key(&key(last))) else { return };
        let found = self.meaning(&parts, place);
        if let Meaning::Several(all) = &found {
            let message = format!("`{}` is declared in several namespaces", ident.text);
            let help = format!("write one of {}, or name one namespace with USING", self.alternatives(all));
            self.findings.push(Diagnostic::error(codes::AMBIGUOUS_NAME, ident.span, message, "which one?").help(help));
        }
        self.check_internal(&found, ident.span, place);
        self.note(ident.span, last, found);
    }

    /// Notes the meaning of a base: the name behind EXTENDS or IMPLEMENTS.
    fn base(&mut self, name: &Name, place: &Place<'_>) {
        let idents = idents(name);
        let parts: Vec<&str> = idents.iter().map(|ident| ident.text.as_str()).collect();
        let Some(last) = idents.last().filter(|last| self.by_last.contains_key(&key(&last.text))) else { return };
        let found = self.meaning(&parts, place);
        self.check_internal(&found, name.span, place);
        self.note(last.span, &last.text, found);
    }

    /// Notes the meaning of a name in code: its shortest beginning that means a declaration.
    fn name(&mut self, name: &Name, place: &Place<'_>) {
        let idents = idents(name);
        for n in 1..=idents.len() {
            let last = &idents[n - 1];
            if !self.by_last.contains_key(&key(&last.text)) {
                continue;
            }
            let parts: Vec<&str> = idents[..n].iter().map(|ident| ident.text.as_str()).collect();
            match self.meaning(&parts, place) {
                Meaning::None => {}
                found @ (Meaning::One(_) | Meaning::Standard | Meaning::Several(_)) => {
                    // A single identifier may be a variable.
                    if 1 < n {
                        self.check_internal(&found, last.span, place);
                    }
                    return self.note(last.span, &last.text, found);
                }
            }
        }
    }

    fn meaning(&self, parts: &[&str], place: &Place<'_>) -> Meaning {
        let text = key(&parts.join("."));
        for n in (0..=place.space.len()).rev() {
            let full = key(&joined(&place.space[..n], &text));
            if self.declared.contains_key(&full) {
                return Meaning::One(full);
            }
        }
        let used: Vec<Key> =
            place.usings.iter().map(|space| format!("{space}.{text}")).filter(|full| self.declared.contains_key(full)).collect();
        match used.as_slice() {
            [] if parts.len() == 1 && is_standard(&text) => return Meaning::Standard,
            [] => {}
            [one] => return Meaning::One(one.clone()),
            _ => return Meaning::Several(used),
        }
        // Systems whose only namespaces are those of libraries find a name without USING if it is the only one.
        let end = format!(".{text}");
        let all = parts.last().and_then(|last| self.by_last.get(&key(last))).into_iter().flatten();
        let all: Vec<Key> = all.filter(|full| **full == text || full.ends_with(&end)).cloned().collect();
        match all.as_slice() {
            [] => Meaning::None,
            [one] => Meaning::One(one.clone()),
            _ => Meaning::Several(all),
        }
    }

    /// Checks that INTERNAL declarations are used in their namespace, or in those inside of it.
    fn check_internal(&mut self, found: &Meaning, span: Span, place: &Place<'_>) {
        let Meaning::One(full) = found else { return };
        let Some(row) = self.declared.get(full).filter(|row| row.is_internal) else { return };
        let is_inside = row.space.len() <= place.space.len() && row.space.iter().zip(place.space).all(|(a, b)| *a == key(b));
        if !is_inside {
            let message = format!("`{}` is INTERNAL: only its namespace may use it", row.full);
            let help = "declare it PUBLIC, or use it inside of its namespace";
            self.findings.push(Diagnostic::error(codes::NOT_PUBLIC, span, message, "not visible from here").help(help));
        }
    }

    fn note(&mut self, span: Span, last: &str, found: Meaning) {
        let full = match found {
            Meaning::One(full) => match self.declared.get(&full) {
                Some(row) if !row.space.is_empty() => row.full.clone(),
                Some(_) | None => return,
            },
            // A name without a declaration is not found.
            Meaning::Several(all) => self.alternatives(&all),
            Meaning::Standard | Meaning::None => return,
        };
        self.meant.insert((span, key(last)), full);
    }

    fn alternatives(&self, all: &[Key]) -> String {
        let names: Vec<&str> = all.iter().filter_map(|full| self.declared.get(full)).map(|row| row.full.as_str()).collect();
        names.join(" or ")
    }
}

/// Returns whether a name is one of the standard's functions and function blocks.
fn is_standard(name: &str) -> bool {
    standard_table::is_standard(name) || crate::stdlib::SOURCES.iter().any(|(block, _)| block.eq_ignore_ascii_case(name))
}

fn within(space: &[String], name: &Name) -> Vec<String> {
    space.iter().cloned().chain(idents(name).into_iter().map(|ident| ident.text)).collect()
}

fn joined(space: &[String], name: &str) -> String {
    space.iter().map(|part| format!("{part}.")).chain([name.to_owned()]).collect()
}

/// Returns the identifiers that a name begins with.
fn idents(name: &Name) -> Vec<Ident> {
    let field = |elem: &NameElem| if let NameElem::Field(ident) = elem { Some(ident.clone()) } else { None };
    let fields = name.path.iter().map_while(field);
    std::iter::once(name.root.clone()).chain(fields).take(MOST_PARTS).collect()
}

/// Returns the extent of a POU.
fn head(item: &Item) -> Option<Span> {
    if let Item::Pou(pou) = item { Some(pou.span) } else { None }
}
