//! Guesses: declarations of which a part may be missing or wrong, because their text is made from uses or from documentation.
//!
//! Soundness: a statement with an error that may come from a guess is a gap; its error stays, as a warning.

use crate::ast::{Item, TypeSpec, TypeSpecKind, Unit};
use crate::hir::{GlobalId, Interface, PouId, Project};
use crate::resolve::names::tables::{Key, Names, key};
use crate::stub::Marks;
use crate::text::{FileId, Origin, SourceSet, Span};
use std::collections::{BTreeMap, BTreeSet};

/// Most bytes between the beginning of a TYPE block and its first declaration.
const FIRST_TYPE: u32 = 16;
/// Most types inside of one another that a declared type is looked at for a guess.
const DEPTH: usize = 16;

/// Declarations that no file of the user's project has.
#[derive(Clone, Debug, Default)]
pub(crate) struct Guesses {
    /// Names of POUs, types and interfaces.
    units: BTreeSet<Key>,
    /// Sections of global variables, with the origin of their declaration.
    sections: BTreeMap<Span, Interface>,
    /// Names of types of shipped libraries: documentation may leave out values and fields.
    documented: BTreeSet<Key>,
    /// Global variables whose values are not known; those that keep their value are true.
    globals: BTreeMap<GlobalId, bool>,
}

impl Guesses {
    /// Finds the declarations behind the attributes of stubs.
    ///
    /// Cost: linear in the attributes and in the declarations of the files that have them.
    pub(crate) fn find(units: &[Unit], marks: &Marks, sources: &SourceSet) -> Guesses {
        let mut guesses = Guesses::default();
        let is_shipped = |unit: &&Unit| sources.files.get(unit.file).is_some_and(|file| file.origin == Origin::Library);
        for item in units.iter().filter(is_shipped).flat_map(|unit| &unit.items) {
            if let Item::Type(decl) = item {
                guesses.documented.insert(key(&decl.name.text));
            }
        }
        let mut by_file: BTreeMap<FileId, Vec<(u32, Interface)>> = BTreeMap::new();
        marks.all().for_each(|(file, at, interface)| by_file.entry(file).or_default().push((at, interface)));
        for unit in units {
            let Some(marks) = by_file.get(&unit.file) else { continue };
            unit.items.iter().for_each(|item| guesses.item(item, marks));
        }
        guesses
    }

    fn item(&mut self, item: &Item, marks: &[(u32, Interface)]) {
        if let Item::Namespace(space) = item {
            space.items.iter().for_each(|item| self.item(item, marks));
            return;
        }
        let span = item.span();
        // A type begins behind the word TYPE.
        let reach = if matches!(item, Item::Type(_)) { FIRST_TYPE } else { 0 };
        let first = marks.partition_point(|(at, _)| at + reach < span.start);
        let Some((_, interface)) = marks.get(first).filter(|(at, _)| *at <= span.start) else { return };
        if let Item::Globals(_) = item {
            self.sections.insert(span, *interface);
        } else if let (Some(name), Interface::Inferred) = (item.name(), interface) {
            self.units.insert(key(&name.text));
        }
    }

    /// Returns the origin of a section of global variables whose values are not known.
    pub(crate) fn section(&self, span: Span) -> Option<Interface> {
        self.sections.get(&span).copied()
    }

    /// Returns the sections of global variables whose values are not known.
    pub(crate) fn sections(&self) -> impl Iterator<Item = Span> {
        self.sections.keys().copied()
    }

    /// Adds a global variable of such a section.
    pub(crate) fn add_global(&mut self, id: GlobalId, keeps_value: bool) {
        self.globals.insert(id, keeps_value);
    }

    /// Returns whether the value of a global variable is not known.
    pub(crate) fn is_global(&self, id: GlobalId) -> bool {
        self.globals.contains_key(&id)
    }

    /// Returns the global variables whose values are not known; those that keep their value are true.
    pub(crate) fn globals(&self) -> &BTreeMap<GlobalId, bool> {
        &self.globals
    }

    /// Returns whether the declaration of a POU, type or interface is a guess.
    pub(crate) fn has(&self, name: &str) -> bool {
        !self.units.is_empty() && self.units.contains(&key(name))
    }

    /// Returns whether the declaration of a type may lack values or fields: it is a guess, or made from documentation.
    pub(crate) fn may_lack_parts(&self, name: &str) -> bool {
        self.has(name) || self.documented.contains(&key(name))
    }

    /// Returns the guess that a written type names.
    pub(crate) fn in_type<'s>(&self, mut spec: &'s TypeSpec) -> Option<&'s str> {
        for _ in 0..DEPTH {
            match &spec.kind {
                TypeSpecKind::Array(_, inner)
                | TypeSpecKind::OpenArray(_, inner)
                | TypeSpecKind::Pointer(inner)
                | TypeSpecKind::RefTo(inner)
                | TypeSpecKind::Reference(inner) => spec = inner,
                TypeSpecKind::Name(_)
                | TypeSpecKind::Subrange(..)
                | TypeSpecKind::Struct(_)
                | TypeSpecKind::Enum(..)
                | TypeSpecKind::String { .. }
                | TypeSpecKind::Union(_)
                | TypeSpecKind::Opaque(_)
                | TypeSpecKind::Error => break,
            }
        }
        spec.name().map(|ident| ident.text.as_str()).filter(|name| self.has(name))
    }
}

impl Names {
    /// Returns the guess that a POU belongs to: itself, or the block that declares it.
    pub(crate) fn guess_of(&self, project: &Project, pou: PouId) -> Option<PouId> {
        let declared = self.members.get(&pou).map_or(pou, |member| member.definer);
        let row = &project.pous[declared];
        (row.origin == Origin::Library || self.guesses.has(&row.name)).then_some(declared)
    }

    /// Returns the guess among the blocks that the block of a POU extends.
    pub(crate) fn guessed_base(&self, project: &Project, owner: PouId) -> Option<PouId> {
        self.chain(self.block_of(owner)).iter().skip(1).copied().find(|base| self.guess_of(project, *base).is_some())
    }
}
