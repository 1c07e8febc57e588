//! Parts of projects: one POU with all declarations that it names, as a program of its own.
//!
//! A set of published sources is seldom one program: it lacks libraries, and an error in one POU must not hide the others.
//! [`Parts`] reads all texts once and collects, for any POU, the declarations that its text names, those that these name,
//! and so on ([`words`]). A FUNCTION is run by a PROGRAM made for it ([`wrap`]).
//!
//! Knows the AST and the resolver. **Invariant:** the selection is by names alone; it may hold more declarations than the
//! resolver uses, never fewer.

mod declared;
mod words;
mod wrap;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::ast::{Assumed, Interface, Item, Namespace, Pou, TypeDecl, Unit, VarBlock, VarDecl};
use crate::dialect::DialectId;
use crate::lang::pragmas::Pragmas;
use crate::resolve::{Given, LoadOptions, Loaded, Spaces, configured_globals, home_of, homes, load_units, shared_names};
use crate::solution::{join, select};
use crate::text::{Diagnostic, FileId, Parsed, SourceFile, SourceSet, Span};
pub use declared::Declared;
use words::Words;

/// The declarations of a project, each by itself.
pub struct Parts {
    sources: SourceSet,
    dialect: DialectId,
    /// Systems that wrote the files, where that is known.
    systems: Arc<BTreeMap<FileId, DialectId>>,
    rows: Vec<Row>,
    /// Rows that declare a name from outside of any POU.
    by_name: BTreeMap<String, Vec<usize>>,
    declared: Declared,
    pragmas: Arc<Pragmas>,
    /// The project and its libraries.
    spaces: Arc<Spaces>,
    /// Findings of the readers, in their order.
    findings: BTreeMap<FileId, Vec<Diagnostic>>,
    /// Places of the applications of files with several.
    homes: BTreeMap<FileId, Vec<Span>>,
    /// Conditions of all answers about the program.
    assumed: Vec<Assumed>,
}

/// One declaration.
struct Row {
    item: Item,
    span: Span,
    /// The namespaces around it, outermost first, without their declarations.
    spaces: Vec<Namespace>,
    /// USINGs of its file.
    usings: Vec<Item>,
    words: Words,
}

/// A POU of [`Parts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartId(usize);

impl Parts {
    /// Reads all files as one project, without resolving anything.
    pub fn read(sources: &SourceSet) -> Parts {
        Parts::of_project(sources, None)
    }

    /// Reads the files of the project of this name, without resolving anything.
    pub fn of_project(sources: &SourceSet, project: Option<&str>) -> Parts {
        let selection = select(sources, project);
        let (mut units, of_files) = selection.units(sources);
        let spaces = join(sources, &mut units, &selection);
        let mut findings: BTreeMap<FileId, Vec<Diagnostic>> = BTreeMap::new();
        for finding in of_files {
            findings.entry(finding.span().file).or_default().push(finding);
        }
        let mut parts = Parts {
            sources: sources.clone(),
            dialect: crate::dialect::detect(sources, &units, crate::lang::dialects(sources)),
            systems: Arc::new(crate::dialect::systems(sources, crate::lang::dialects(sources))),
            rows: Vec::new(),
            by_name: BTreeMap::new(),
            declared: Declared::of(&units),
            pragmas: Arc::new(Pragmas::of(sources)),
            findings,
            spaces,
            homes: units.iter().map(|unit| (unit.file, homes(unit))).filter(|(_, homes)| 1 < homes.len()).collect(),
            assumed: Vec::new(),
        };
        parts.assumed = units.iter().flat_map(|unit| unit.assumed.iter().cloned()).collect();
        units.into_iter().for_each(|unit| parts.add(unit));
        for (at, row) in parts.rows.iter().enumerate() {
            for name in words::names(&row.item) {
                parts.by_name.entry(name).or_default().push(at);
            }
        }
        parts
    }

    fn add(&mut self, unit: Unit) {
        let usings: Vec<Item> = unit.items.iter().filter(|i| matches!(i, Item::Using(_))).cloned().collect();
        let mut open: Vec<(Vec<Namespace>, Item)> = unit.items.into_iter().rev().map(|item| (Vec::new(), item)).collect();
        while let Some((mut spaces, item)) = open.pop() {
            let mut push = |spaces: &[Namespace], item: Item, span: Span| {
                let words = Words::of(&item);
                self.rows.push(Row { item, span, spaces: spaces.to_vec(), usings: usings.clone(), words });
            };
            match item {
                Item::Namespace(mut space) => {
                    let items = std::mem::take(&mut space.items);
                    // USINGs of a namespace stay in it: they decide the meaning of its names.
                    let (inner, rest): (Vec<Item>, Vec<Item>) = items.into_iter().partition(|i| matches!(i, Item::Using(_)));
                    space.items = inner;
                    spaces.push(space);
                    open.extend(rest.into_iter().rev().map(|item| (spaces.clone(), item)));
                }
                Item::Globals(block) => {
                    one_by_one(block).into_iter().for_each(|(block, span)| push(&spaces, Item::Globals(block), span));
                }
                Item::Configuration(configuration) => {
                    for block in configured_globals(&configuration) {
                        let each = one_by_one(block.clone());
                        each.into_iter().for_each(|(block, span)| push(&spaces, Item::Globals(block), span));
                    }
                }
                Item::Pou(Pou { span, .. }) | Item::Type(TypeDecl { span, .. }) | Item::Interface(Interface { span, .. }) => {
                    push(&spaces, item, span);
                }
                // Programs name constructs that are not modelled as a whole; nothing can refer to them.
                Item::Using(_) | Item::Unsupported(..) => {}
            }
        }
    }

    /// Returns all POUs, in the order of the files.
    pub fn pous(&self) -> impl Iterator<Item = (PartId, &Pou)> {
        let pous = self.rows.iter().enumerate();
        pous.filter_map(|(at, row)| if let Item::Pou(pou) = &row.item { Some((PartId(at), pou)) } else { None })
    }

    /// Returns the texts for the spans of POUs.
    pub fn sources(&self) -> &SourceSet {
        &self.sources
    }

    /// Returns all names that the project declares.
    pub fn declared(&self) -> &Declared {
        &self.declared
    }

    /// Returns the program that runs this POU each cycle, with all declarations that it names. Errors are those of these
    /// declarations, not of others in the same files.
    pub fn alone(&self, part: PartId, options: &LoadOptions) -> Parsed<Loaded> {
        let rows = self.closure(part.0);
        let mut units: Vec<Unit> = Vec::new();
        let mut findings = Vec::new();
        let mut sources = SourceSet::default();
        let listed = self.assumed.iter().map(|condition| condition.span.file);
        let involved: BTreeSet<_> = rows.iter().map(|at| self.rows[*at].span.file).chain(listed).collect();
        for (id, file) in self.sources.files.iter_enumerated() {
            // Places stay valid; the texts of other files are empty.
            let text = if involved.contains(&id) { file.text.clone() } else { String::new() };
            sources.files.push(SourceFile::new(file.name.clone(), text, file.origin));
        }
        let (mut entry, mut place) = (None, None);
        for at in &rows {
            let row = &self.rows[*at];
            let inside = |d: &&Diagnostic| {
                let place = d.span();
                row.span.start <= place.start && place.start < row.span.end.max(row.span.start + 1)
            };
            findings.extend(self.findings.get(&row.span.file).into_iter().flatten().filter(inside).cloned());
            let unit = match units.last_mut() {
                Some(unit) if unit.file == row.span.file => unit,
                Some(_) | None => {
                    units.push(Unit { items: row.usings.clone(), ..Unit::new(row.span.file) });
                    let last = units.len() - 1;
                    &mut units[last]
                }
            };
            unit.items.push(within(&row.spaces, row.item.clone()));
            if *at == part.0
                && let Item::Pou(pou) = &row.item
            {
                let (name, wrapper) = wrap::entry(pou);
                place = wrapper.is_none().then_some(pou.name.span);
                unit.items.extend(wrapper.map(|program| within(&row.spaces, Item::Pou(program))));
                entry = Some(name);
            }
        }
        for condition in &self.assumed {
            units.push(Unit { assumed: vec![condition.clone()], ..Unit::new(condition.span.file) });
        }
        let options = LoadOptions { entry, ..options.clone() };
        let (spaces, pragmas) = (Arc::clone(&self.spaces), Arc::clone(&self.pragmas));
        let systems = Some(Arc::clone(&self.systems));
        let given = Given { detected: Some(self.dialect), systems, spaces, entry: place, pragmas, ..Given::default() };
        load_units(sources, units, findings, &options, given)
    }

    /// Returns the rows that a row needs, itself among them, in order.
    fn closure(&self, start: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::from([start]);
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            let words = &self.rows[at].words;
            let named = words.all().filter_map(|word| Some((word, self.by_name.get(word)?)));
            let rows = named.flat_map(|(word, rows)| rows.iter().map(move |row| (word, *row)));
            let in_reach = rows.filter(|(word, row)| !words::is_out_of_reach(&self.rows[*row].item, word, words));
            open.extend(in_reach.map(|(_, row)| row).filter(|row| found.insert(*row)));
        }
        self.of_one_application(start, &mut found);
        found
    }

    /// Keeps one of the declarations with the same name in several applications of a file: the one in the application of
    /// `start`, or the first.
    fn of_one_application(&self, start: usize, found: &mut BTreeSet<usize>) {
        if self.homes.is_empty() {
            return;
        }
        let home = |row: usize| {
            let span = self.rows[row].span;
            self.homes.get(&span.file).and_then(|homes| home_of(homes, span)).map(|home| (span.file, home))
        };
        let own = home(start);
        let mut chosen: BTreeMap<String, (FileId, usize)> = BTreeMap::new();
        let declarations: Vec<(usize, (FileId, usize))> = found.iter().filter_map(|row| Some((*row, home(*row)?))).collect();
        for (row, place) in &declarations {
            for name in shared_names(&self.rows[*row].item) {
                let kept = chosen.entry(name).or_insert(*place);
                if own == Some(*place) || (own != Some(*kept) && *place < *kept) {
                    *kept = *place;
                }
            }
        }
        for (row, place) in declarations {
            let is_others = |name: String| chosen.get(&name).is_some_and(|kept| *kept != place && kept.0 == place.0);
            if shared_names(&self.rows[row].item).into_iter().any(is_others) {
                found.remove(&row);
            }
        }
    }
}

/// Returns a section for each variable of a section.
fn one_by_one(mut block: VarBlock) -> Vec<(VarBlock, Span)> {
    let vars = std::mem::take(&mut block.vars);
    let alone = |var: VarDecl| {
        let span = var.span;
        (VarBlock { vars: vec![var], ..block.clone() }, span)
    };
    vars.into_iter().map(alone).collect()
}

fn within(spaces: &[Namespace], item: Item) -> Item {
    spaces.iter().rev().fold(item, |item, space| {
        let mut space = space.clone();
        space.items.push(item);
        Item::Namespace(space)
    })
}
