//! Conditions about texts beside the program: other programs of the controller that are not read, parts that are left out, and operator
//! panels.
//!
//! | file | variables that it may write |
//! |---|---|
//! | program, or part that is left out, that calls a block which no file declares | all that other code can name |
//! | part that is left out and writes at a computed index, on controllers that check none | any |
//! | program, or code in C that is left out, that writes through an address | any |
//! | file that code in C includes and that was not given | any |
//! | code in C with macros that join words to names (`##`) | all that other code can name |
//! | file of an engineering system that cannot be read | any |
//! | panel | those that its text names |
//! | panel whose text names none, or that calls a POU | all that other code can name |
//!
//! Soundness: what programs name is an input already (`mentions`). Panels are conditions: most of them only show what they name.

use std::collections::BTreeSet;

use super::beside::{BESIDE_ARRAYS, declared};
use super::beside_settings;
use super::called_names::CalledNames;
use super::index_writes::{FixedNames, index_write};
use super::mentions::Mentions;
use super::unread;
use crate::hir::{Extent, PouKind, Project};
use crate::lang::{C_ENDINGS, has_ending};
use crate::text::quoted::original;
use crate::text::{FileId, Gap, Key, Ledger, Origin, SourceSet, Span, Treatment, key};

/// Condition, with the variables that it is about.
pub(super) type Condition = (Gap, Extent);

/// Texts beside the program, and the names that they may call.
struct Texts<'t> {
    sources: &'t SourceSet,
    mentions: &'t Mentions,
    known: BTreeSet<Key>,
    is_standard: fn(&str) -> bool,
    /// Names of indices that a compiler checks; `None`: the controller checks all.
    constants: Option<FixedNames>,
}

/// Notes the conditions.
///
/// Cost: linear in the texts, times the number of panels for the variables.
pub(crate) fn note(
    project: &mut Project,
    ledger: &mut Ledger,
    sources: &SourceSet,
    mentions: &Mentions,
    (is_standard, checks_indices): (fn(&str) -> bool, bool),
) {
    let constants = (!checks_indices).then(|| FixedNames::of(project, is_standard));
    let texts = Texts { sources, mentions, known: known(project), is_standard, constants };
    let settings = beside_settings::conditions(project, ledger, sources);
    let found =
        [settings, texts.programs(), texts.left_out(ledger), texts.panels(project), texts.unreadable(), texts.not_included()];
    for (gap, extent) in found.into_iter().flatten() {
        // Two conditions at one place are about all that either of them is about.
        let extent = match project.beside.get(&gap.span) {
            Some(before) if *before != extent => Extent::All,
            Some(_) | None => extent,
        };
        project.beside.insert(gap.span, extent);
        ledger.gap(gap);
    }
}

/// Returns the names of all declarations. Names in quotes may have blanks.
///
/// Stubs count: they are conditions already.
fn known(project: &Project) -> BTreeSet<Key> {
    let globals = project.globals.iter().flat_map(|var| var.name.split('.'));
    let types = project.types.iter().filter_map(|def| def.name.as_deref());
    let pous = project.pous.iter().map(|pou| pou.name.as_str());
    let mut known = declared(project);
    known.extend(globals.chain(types).chain(pous).map(original).flat_map(|name| {
        let words = name.split_whitespace().map(key);
        words.chain([key(&name)]).collect::<Vec<_>>()
    }));
    known
}

impl Texts<'_> {
    fn text(&self, file: FileId) -> &str {
        self.sources.files.get(file).map_or("", |file| file.text.as_str())
    }

    /// Returns the name of a file without its folders.
    fn name(&self, file: FileId) -> &str {
        self.sources.files.get(file).map_or("", |file| file.name.rsplit(['/', '\\']).next().unwrap_or_default())
    }

    /// Returns whether a file has one of these endings.
    fn has_ending(&self, file: FileId, endings: &[&str]) -> bool {
        self.sources.files.get(file).is_some_and(|file| has_ending(&file.name, endings))
    }

    /// Returns whether a file holds no program in a language of controllers.
    fn is_foreign(&self, file: FileId) -> bool {
        self.sources.files.get(file).is_some_and(|file| crate::lang::is_foreign(&file.name, &file.text))
    }

    fn names(&self, file: FileId, text: &str) -> CalledNames {
        CalledNames::of(text, self.has_ending(file, C_ENDINGS))
    }

    /// Returns the first name that a text calls and nothing declares, with its place.
    fn unknown<'n>(&self, names: &'n CalledNames, others: &BTreeSet<Key>) -> Option<(&'n str, usize)> {
        let is_declared = |name: &Key| [&self.known, &names.declared, others].iter().any(|known| known.contains(name));
        let unknown = names.called.iter().find(|(name, _)| !is_declared(&key(name)) && !(self.is_standard)(name));
        unknown.map(|(name, at)| (name.as_str(), *at))
    }

    /// Returns the conditions about programs that are not read.
    fn programs(&self) -> Vec<Condition> {
        let programs = self.mentions.programs().map(|file| (file, self.names(file, self.text(file))));
        let programs: Vec<(FileId, CalledNames)> = programs.collect();
        let declared: BTreeSet<Key> = programs.iter().flat_map(|(_, names)| names.declared.iter().cloned()).collect();
        let mut found = Vec::new();
        for (file, names) in &programs {
            if let Some((name, at)) = self.unknown(names, &declared) {
                let who = format!("`{name}`, which another program calls and no file declares,");
                let construct = format!("{who} writes no global variable and none of a program");
                let effect = "what it writes can break what holds here; upload the file that declares it";
                found.push((assumed(Span::new(*file, at, at + name.len()), construct, effect), Extent::Nameable));
            }
            let is_c = self.has_ending(*file, C_ENDINGS);
            if is_c && unread::joins_names(&names.code) {
                found.push(self.joined(*file));
            }
            if unread::writes_by_address(&names.code) || (is_c && unread::writes_by_address_in_c(&names.code)) {
                let construct = "another program writes through addresses only within the variables that it names".to_owned();
                let effect = "the program is not read, and a write past its variable can change any other";
                found.push((assumed(Span::new(*file, 0, 0), construct, effect), Extent::All));
            }
        }
        found
    }

    /// Returns the conditions about parts that are left out.
    fn left_out(&self, ledger: &Ledger) -> Vec<Condition> {
        let (mut found, mut told, mut cs, mut arrays) = (Vec::new(), BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let mut joined = BTreeSet::new();
        let told_arrays: Vec<Span> =
            ledger.gaps.iter().filter(|gap| gap.construct.ends_with(BESIDE_ARRAYS)).map(|gap| gap.span).collect();
        let is_told = |place: Span| {
            told_arrays.iter().any(|told| told.file == place.file && told.start < place.end && place.start < told.end)
        };
        for (place, text) in self.mentions.left_out() {
            // Blocks of Studio 5000 write only what their calls name.
            if self.has_ending(place.file, &["l5x", "l5k"]) {
                continue;
            }
            let names = self.names(place.file, text);
            if self.has_ending(place.file, C_ENDINGS) && unread::writes_by_address_in_c(&names.code) && cs.insert(place.file) {
                let construct = "code in C writes through addresses only within the variables that it names".to_owned();
                let effect = "the code is not read, and a write past its variable can change any other";
                found.push((assumed(Span::new(place.file, 0, 0), construct, effect), Extent::All));
            }
            let is_in_c = self.has_ending(place.file, C_ENDINGS);
            if is_in_c && unread::joins_names(&names.code) && joined.insert(place.file) {
                found.push(self.joined(place.file));
            }
            let writes = |known: &FixedNames| {
                !is_in_c && !self.is_foreign(place.file) && !is_told(*place) && index_write(&names.code, known).is_some()
            };
            if self.constants.as_ref().is_some_and(writes) && arrays.insert(place.file) {
                let construct =
                    format!("what is left out of `{}` writes only to elements that its arrays have", self.name(place.file));
                let effect = "nothing checks its indices, and a write beside an array can change any other variable";
                found.push((assumed(*place, construct, effect), Extent::All));
            }
            if let Some((name, _)) = self.unknown(&names, &BTreeSet::new()).filter(|(name, _)| told.insert(key(name))) {
                let who = format!("`{name}`, named in a part that is left out,");
                let construct = format!("{who} writes no global variable and none of a program");
                let effect = "no file declares it, and what it writes can break what holds here";
                found.push((assumed(*place, construct, effect), Extent::Nameable));
            }
        }
        found
    }

    /// Returns the condition about names that macros of C make.
    fn joined(&self, file: FileId) -> Condition {
        let construct = format!("macros of `{}` that join words (`##`) make no name of a variable", self.name(file));
        let effect = "a name that no text has may be that of any global variable, and code behind it may write there";
        (assumed(Span::new(file, 0, 0), construct, effect), Extent::Nameable)
    }

    /// Returns the conditions about files of engineering systems, such as the project of an export beside it.
    fn unreadable(&self) -> Vec<Condition> {
        let condition = |file: &FileId| {
            let construct = format!("`{}`, which cannot be read, holds no other code of this controller", self.name(*file));
            let effect = "what it holds may run beside this program and write its variables; upload its text instead";
            (assumed(Span::new(*file, 0, 0), construct, effect), Extent::All)
        };
        self.mentions.unreadable().iter().map(condition).collect()
    }

    /// Returns the conditions about files that code in C includes.
    fn not_included(&self) -> Vec<Condition> {
        let condition = |(place, name): &(Span, String)| {
            let construct = format!("`{name}`, which code in C includes and which was not given, writes no variable");
            let effect = "its statements and macros are not known, and they can write any variable; upload the file";
            (assumed(*place, construct, effect), Extent::All)
        };
        self.mentions.not_included().iter().map(condition).collect()
    }

    /// Returns the conditions about operator panels.
    fn panels(&self, project: &Project) -> Vec<Condition> {
        if self.mentions.panels().next().is_none() {
            return Vec::new();
        }
        let leaves = project.leaves();
        let condition = |file: FileId| {
            let name = self.name(file);
            let text = self.sources.files.get(file).map(crate::lang::br::writing).unwrap_or_default();
            let panel = self.mentions.of_panel(&text);
            let written = leaves.iter().zip(panel.written(project, &leaves)).filter(|(_, is_written)| *is_written);
            let written: BTreeSet<String> = written.map(|(leaf, _)| leaf.name.clone()).collect();
            let effect = "it is not read, and what it writes can break what holds here";
            let (what, extent) = if written.is_empty() || calls_pou(project, self.text(file)) {
                ("writes no global variable and none of a program", Extent::Nameable)
            } else {
                ("only shows the variables that it names", Extent::Leaves(written))
            };
            let kind = if self.has_ending(file, &["uad"]) { "a list for OPC UA" } else { "a visualisation or recipe" };
            (assumed(Span::new(file, 0, 0), format!("`{name}`, {kind}, {what}"), effect), extent)
        };
        self.mentions.panels().map(condition).collect()
    }
}

pub(super) fn assumed(span: Span, construct: String, effect: &str) -> Gap {
    Gap { span, construct, treatment: Treatment::Assumed, effect: effect.to_owned() }
}

/// Returns whether a panel may call a POU of the user: a function, an instance, a method or a property.
///
/// Soundness: a property needs no bracket, so its name behind a point counts.
fn calls_pou(project: &Project, text: &str) -> bool {
    let names = CalledNames::of(text, false);
    let called: BTreeSet<Key> = names.called.iter().chain(&names.members).map(|(name, _)| key(name)).collect();
    let words = |name: &str| -> Vec<Key> {
        original(name).split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).map(key).collect()
    };
    let is_called = |name: &str| words(name).iter().any(|word| called.contains(word));
    let vars = project.pous.iter().flat_map(|pou| pou.vars.iter()).chain(project.globals.iter());
    let users = project.pous.iter().filter(|pou| pou.origin == Origin::User);
    let is_member = |name: &str| name.split('.').rev().take(2).flat_map(words).any(|word| names.parts.contains(&word));
    let mut pous = users.filter(|pou| {
        let last = pou.name.rsplit('.').next().unwrap_or(&pou.name);
        is_called(last) || (pou.kind != PouKind::FunctionBlock && pou.name.contains('.') && is_member(&pou.name))
    });
    let instances: BTreeSet<Key> = vars.filter(|var| project.block_of(var.ty).is_some()).map(|var| key(&var.name)).collect();
    pous.next().is_some() || instances.iter().any(|name| is_called(name))
}
