//! Names in texts that are left out or not modelled. The code there may run elsewhere and write the variables that it names.

use std::collections::{BTreeMap, BTreeSet};

use super::bodies::{bodies, callers_of_gaps, reached};
use super::caller::CallerAccess;
use super::located::is_located;
use super::shared_addresses::Memory;
use super::text_names::Names;
use super::unread;
use super::usage::{is_first_cycle_flag, share};
use crate::hir::{Elem, Leaf, LeafElem, Place, Pou, PouId, PouKind, Project, Root, Section, TypeId};
use crate::ids::Id;
use crate::text::{FileId, Key, Origin, SourceSet, Span, key};

/// POUs whose bodies are not read as a whole.
pub(crate) struct NotRead {
    /// Names of those in whose text statements may be missing.
    pub(crate) cut: BTreeSet<Key>,
    /// POUs that declare instances with arguments of FB_init.
    pub(crate) with_arguments: BTreeSet<PouId>,
    /// POUs whose bodies depend on the arguments of a call: ARRAY [*].
    pub(crate) open: BTreeSet<PouId>,
}

/// Names in texts that are left out or not modelled.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mentions {
    /// Of all texts.
    all: Names,
    /// Of texts by the POUs that they may belong to.
    by_home: BTreeMap<Home, Names>,
    /// Blocks that are entries, those inside that their callers reach, and those that they extend.
    family: BTreeSet<Key>,
    /// Files that declare these.
    family_files: BTreeSet<FileId>,
    /// Files of programs that run beside this one.
    programs: Vec<FileId>,
    /// Operator panels.
    panels: Vec<FileId>,
    /// Files of engineering systems that cannot be read.
    unreadable: Vec<FileId>,
    /// Names of files that code in C includes and that were not given, with their places.
    not_included: Vec<(Span, String)>,
    /// Texts that are left out, with a place for each.
    left_out: Vec<(Span, String)>,
    /// Variables with addresses of POUs that do not run here.
    pub(super) memory: BTreeSet<Memory>,
}

/// POUs that a text may belong to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Home {
    /// Any.
    Unknown,
    /// One of those that a file declares.
    File(FileId),
    /// The one of this name.
    Pou(Key),
}

impl Mentions {
    /// Adds the names of a text.
    ///
    /// Soundness: words are taken from comments and strings, too, which adds names and loses none.
    pub(crate) fn add(&mut self, text: &str, home: Home) {
        let mut names = Names::default();
        names.add(text);
        self.all.join(&names);
        self.by_home.entry(home).or_default().join(&names);
    }

    /// Adds a text that is left out because of an error.
    pub(crate) fn add_left_out(&mut self, text: &str, home: Home, place: Span) {
        self.add(text, home);
        self.left_out.push((place, text.to_owned()));
    }

    /// Returns the texts that are left out, with their places.
    pub(super) fn left_out(&self) -> &[(Span, String)] {
        &self.left_out
    }

    /// Adds the file of a program that runs beside this one.
    pub(crate) fn add_program(&mut self, file: FileId, text: &str) {
        self.add(text, Home::Unknown);
        self.programs.push(file);
    }

    /// Adds a file of an engineering system that cannot be read.
    pub(crate) fn add_unreadable(&mut self, file: FileId) {
        self.unreadable.push(file);
    }

    /// Returns the files of engineering systems that cannot be read.
    pub(super) fn unreadable(&self) -> &[FileId] {
        &self.unreadable
    }

    /// Adds a file that code in C includes and that was not given.
    pub(crate) fn add_not_included(&mut self, place: Span, name: String) {
        self.all.exist = true;
        self.not_included.push((place, name));
    }

    /// Returns the files that code in C includes and that were not given, by their names.
    pub(super) fn not_included(&self) -> &[(Span, String)] {
        &self.not_included
    }

    /// Adds an operator panel.
    pub(crate) fn add_panel(&mut self, file: FileId) {
        self.panels.push(file);
    }

    /// Returns the files of programs that run beside this one.
    pub(super) fn programs(&self) -> impl Iterator<Item = FileId> {
        self.programs.iter().copied()
    }

    /// Returns the operator panels.
    pub(super) fn panels(&self) -> impl Iterator<Item = FileId> {
        self.panels.iter().copied()
    }

    /// Returns the names in the text of a panel, for the same entries.
    pub(super) fn of_panel(&self, text: &str) -> Mentions {
        let (family, family_files) = (self.family.clone(), self.family_files.clone());
        let mut panel = Mentions { family, family_files, ..Mentions::default() };
        panel.add(text, Home::Unknown);
        panel
    }

    /// Adds a text that cannot be read at all.
    pub(crate) fn add_everything(&mut self, home: Home) {
        let own = self.by_home.entry(home).or_default();
        for names in [&mut self.all, own] {
            (names.exist, names.everything) = (true, true);
        }
    }

    /// Returns the POUs that the texts may call.
    ///
    /// Soundness: a call names a function, a program, a member, or a variable that holds the instance or refers to it.
    pub(crate) fn called(&self, project: &Project) -> BTreeSet<PouId> {
        if !self.all.exist {
            return BTreeSet::new();
        }
        let vars = project.pous.iter().flat_map(|pou| pou.vars.iter()).chain(project.globals.iter());
        let named: BTreeSet<TypeId> = vars.filter(|var| self.all.name(&var.name)).map(|var| var.ty).collect();
        let mut types: BTreeSet<TypeId> = named.into_iter().flat_map(|ty| project.types_inside(ty)).collect();
        let targets = types.iter().filter_map(|ty| project.references.get(ty)).flatten();
        let targets: Vec<TypeId> = targets.flat_map(|target| project.types_inside(target.place.ty)).collect();
        types.extend(targets);
        let blocks: BTreeSet<PouId> = types.into_iter().filter_map(|ty| project.block_of(ty)).collect();
        let is_called = |id: &PouId| {
            let pou = &project.pous[*id];
            let last = pou.name.rsplit('.').next().unwrap_or(&pou.name);
            match pou.kind {
                PouKind::Program => self.all.calls(last),
                PouKind::FunctionBlock => blocks.contains(id) || self.all.name(last),
                // Halves of a property have its name in front of theirs.
                PouKind::Function(_) => pou.name.split('.').rev().take(2).any(|part| self.all.name(part)),
            }
        };
        let first_parts = first_parts(project);
        project
            .pous
            .ids()
            .filter(|id| !first_parts.contains(project.pous[*id].name.as_str()))
            .filter(|id| project.pous[*id].origin == Origin::User && (self.all.everything || is_called(id)))
            .collect()
    }

    /// Returns whether the texts may declare an instance of an entry, which is a block: they name the block, an heir, or a type with one
    /// inside.
    pub(crate) fn may_hold(&self, project: &Project, is_entry: impl Fn(PouId) -> bool) -> bool {
        let is_ours = |ty: TypeId| project.block_of(ty).is_some_and(&is_entry);
        let holds = |ty: TypeId| project.types_in_instances(ty).into_iter().any(is_ours);
        let last = |name: &str| self.all.name(name.rsplit('.').next().unwrap_or(name));
        let is_named = |(id, pou): (PouId, &Pou)| {
            let is_block = pou.kind == PouKind::FunctionBlock;
            is_block && last(&pou.name) && (is_entry(id) || pou.vars.iter().any(|var| holds(var.ty)))
        };
        let types = project.types.iter_enumerated();
        let mut named = types.filter_map(|(id, def)| def.name.as_ref().filter(|name| last(name)).map(|_| id));
        self.all.exist && (project.pous.iter_enumerated().any(is_named) || named.any(holds))
    }

    /// Returns whether there is such a text.
    pub(crate) fn exist(&self) -> bool {
        self.all.exist
    }

    /// Adds the names in programs that run beside this one. They have no part in a POU of this one.
    pub(crate) fn join_programs(&mut self, other: &Mentions) {
        self.all.join(&other.all);
        self.programs.extend(&other.programs);
        self.panels.extend(&other.panels);
        self.unreadable.extend(&other.unreadable);
        self.not_included.extend(other.not_included.iter().cloned());
    }

    /// Sets the names of blocks that are entries, of those inside that their callers reach, and of those that they extend, and their
    /// files.
    pub(crate) fn set_family(&mut self, family: BTreeSet<Key>, files: BTreeSet<FileId>) {
        self.family = family;
        self.family_files = files;
    }

    /// Returns whether a text may belong to a POU of the family.
    fn is_inside(&self, home: &Home) -> bool {
        match home {
            Home::Unknown => true,
            Home::File(file) => self.family_files.contains(file),
            Home::Pou(pou) => self.family.contains(pou),
        }
    }

    /// Adds the names in statements that are not modelled, of all POUs that the user's POUs call which do not run here. Of POUs that
    /// lead to such a statement the whole text counts: it names the arguments of the calls.
    ///
    /// The body of an entry runs here, so its own statements are those of the run.
    ///
    /// Soundness: a POU whose text may be cut may hold any statement. FB_init may keep what a declaration passes to it. The caller of
    /// an entry may call members of it that run here, too.
    pub(crate) fn add_gaps(&mut self, project: &Project, sources: &SourceSet, not_read: &NotRead) {
        let NotRead { cut, with_arguments, open } = not_read;
        let bodies = bodies(project);
        let cyclic = project.task.runs.iter().map(|id| project.instances[*id].pou);
        let running = reached(&bodies, cyclic.chain(project.start_up.map(|start| start.pou)));
        let is_other = |pou: &PouId| project.pous[*pou].origin == Origin::User && !running.contains(pou);
        let others: Vec<PouId> = project.pous.ids().filter(is_other).collect();
        let callable: BTreeSet<PouId> = CallerAccess::of_entries(project).into_iter().flat_map(|caller| caller.calls).collect();
        for pou in callable.intersection(open) {
            self.add_everything(self.owner(project, *pou));
        }
        let elsewhere = reached(&bodies, others.iter().chain(&callable).copied());
        let entries: BTreeSet<PouId> = project.task.runs.iter().map(|id| project.instances[*id].pou).collect();
        let mut texts = unread::Texts::new(sources);
        // Many statements of a drawing have the text of one unit.
        let mut seen: BTreeSet<(Home, usize, usize)> = BTreeSet::new();
        for pou in &elsewhere {
            let owner = if entries.contains(pou) { Home::Pou(Key::default()) } else { self.owner(project, *pou) };
            for (_, span) in &bodies[pou.index()].gaps {
                let text = texts.of_statement(*span);
                if !seen.insert((owner.clone(), text.as_ptr() as usize, text.len())) {
                    continue;
                }
                self.add(text, owner.clone());
                if unread::is_encoded(text) {
                    self.add_everything(owner.clone());
                }
            }
            let name = project.pous[*pou].name.rsplit('.').next().unwrap_or_default();
            if cut.contains(&key(name)) {
                self.add_everything(self.owner(project, *pou));
            }
        }
        // Their variables share memory with those that are here.
        let vars = others.iter().flat_map(|pou| project.pous[*pou].vars.iter());
        self.memory.extend(vars.filter_map(|var| Memory::of(project, var)));
        let with_arguments = others.iter().copied().filter(|pou| with_arguments.contains(pou));
        let callers = callers_of_gaps(&bodies, &elsewhere);
        for pou in with_arguments.chain(callers).collect::<BTreeSet<PouId>>() {
            let owner = if entries.contains(&pou) { Home::Pou(Key::default()) } else { self.owner(project, pou) };
            let text = texts.of_unit(project.pous[pou].span);
            // The methods of a block have the text of one unit.
            if seen.insert((owner.clone(), text.as_ptr() as usize, text.len())) {
                self.add(text, owner);
            }
        }
    }

    /// Returns the block of the family that a POU may be a part of; else any name that is none of them.
    fn owner(&self, project: &Project, pou: PouId) -> Home {
        let mut names = project.pous[pou].name.split('.').map(key);
        Home::Pou(names.find(|name| self.family.contains(name)).unwrap_or_default())
    }

    /// Returns for each leaf whether the texts may write it: they name it or its memory, or a reference leads to it.
    pub(crate) fn written(&self, project: &Project, leaves: &[Leaf]) -> Vec<bool> {
        let mut written = vec![false; leaves.len()];
        if !self.all.exist {
            return written;
        }
        let (mut inside, mut lost) = (Names::default(), Names::default());
        for (home, names) in &self.by_home {
            if self.is_inside(home) {
                inside.join(names);
            } else if matches!(home, Home::File(_)) {
                lost.join(names);
            }
        }
        let is_handed_on = self.hands_on_family(project);
        let targets: Vec<&Place> = project.references.values().flatten().map(|target| &target.place).collect();
        let mut before: Option<(&Leaf, bool)> = None;
        for (leaf, written) in leaves.iter().zip(&mut written) {
            // An index names nothing: all elements have the answer of the first.
            if let Some((other, answer)) = before.filter(|(other, _)| is_element_beside(other, leaf)) {
                (*written, before) = (answer, Some((other, answer)));
                continue;
            }
            let is_of_block = matches!(leaf.root, Root::Instance(_)) && !is_of_program(project, leaf);
            *written = !is_first_cycle_flag(project, leaf)
                && (is_handed_on && is_of_block
                    || self.may_write(project, leaf, &inside, &lost)
                    || targets.iter().any(|target| leads_to(target, leaf)));
            before = Some((leaf, *written));
        }
        share(leaves, &mut written, |a, b| a || b);
        written
    }

    /// Returns whether the texts give a whole instance of the family to something: `MEMSET(ADR(valve), …)`.
    ///
    /// Soundness: another instance shows what code may do to that of the entry.
    fn hands_on_family(&self, project: &Project) -> bool {
        let is_family = |pou: PouId| project.pous[pou].name.split('.').any(|part| self.family.contains(&key(part)));
        let vars = project.pous.iter().flat_map(|pou| pou.vars.iter()).chain(project.globals.iter());
        let mut named = vars.filter(|var| self.all.name_alone(&var.name));
        named.any(|var| project.types_inside(var.ty).any(|ty| project.block_of(ty).is_some_and(is_family)))
    }

    /// Returns whether the texts name the leaf, or memory by its address.
    ///
    /// `inside` are the names in texts that may belong to the entry, `lost` those in texts of other files whose POUs are not known.
    ///
    /// Soundness: code elsewhere names a global variable, or a local one behind its program and a point. The variable of a block is
    /// named from inside: of an entry only code of the block itself does, because others have instances of their own. Text whose POU
    /// is not known counts if it names the variable behind a point: another instance shows what code may do to this one.
    fn may_write(&self, project: &Project, leaf: &Leaf, inside: &Names, lost: &Names) -> bool {
        if self.all.addresses && is_located(project, leaf) {
            return true;
        }
        // A number is that of an element, and names nothing by itself.
        let mut parts = leaf.name.split(['.', '[']).filter(|part| !part.starts_with(|c: char| c.is_ascii_digit()));
        let first = parts.next().unwrap_or_default();
        let all = &self.all;
        match leaf.root {
            Root::Global(_) => all.everything || all.data_blocks || all.name(first) || parts.any(|part| all.name(part)),
            Root::Instance(instance) if project.pous[project.instances[instance].pou].kind == PouKind::Program => {
                let is_argument = is_argument(project, leaf);
                let is_named = |part: &str| inside.name(part) || all.name_part(part) || (is_argument && all.name(part));
                all.everything || all.name_alone(first) || (all.name(first) && parts.any(is_named))
            }
            Root::Instance(_) => inside.everything || parts.any(|part| inside.name(part) || lost.name_part(part)),
            Root::Var(_) | Root::This(_) => all.everything,
        }
    }
}

/// Returns the names of the first parts of programs of B&R. Nothing but their program calls them: in C, `_INIT` stands in front of a
/// function.
fn first_parts(project: &Project) -> BTreeSet<String> {
    let is_of_br = |pou: &&Pou| pou.kind == PouKind::Program && pou.vars.iter().any(|var| var.name == crate::lang::br::DONE);
    project.pous.iter().filter(is_of_br).map(|pou| format!("{}.{}", pou.name, crate::lang::br::INIT)).collect()
}

/// Returns whether two leaves are elements of one array.
fn is_element_beside(a: &Leaf, b: &Leaf) -> bool {
    match (a.path.split_last(), b.path.split_last()) {
        (Some((LeafElem::Index(_), a_path)), Some((LeafElem::Index(_), b_path))) => a.root == b.root && a_path == b_path,
        _ => false,
    }
}

/// Returns whether the leaf is a variable of a program that runs.
fn is_of_program(project: &Project, leaf: &Leaf) -> bool {
    matches!(leaf.root, Root::Instance(instance) if project.pous[project.instances[instance].pou].kind == PouKind::Program)
}

/// Returns whether calls of the program name the variable without a point: `Main(speed := 7)`.
fn is_argument(project: &Project, leaf: &Leaf) -> bool {
    let (Root::Instance(instance), Some(LeafElem::Member(var))) = (leaf.root, leaf.path.first()) else { return false };
    let section = project.pous[project.instances[instance].pou].vars.get(*var).map(|var| var.section);
    matches!(section, Some(Section::Input | Section::InOut))
}

/// Returns whether a place is the leaf, or a part around or inside of it; of an array any element counts.
fn leads_to(place: &Place, leaf: &Leaf) -> bool {
    let is_step = |(elem, step): (&Elem, &LeafElem)| match (elem, step) {
        (Elem::Field(field), LeafElem::Field(other)) => field == other,
        (Elem::Member(var), LeafElem::Member(other)) => var == other,
        (Elem::Index(_), LeafElem::Index(_)) | (Elem::Bits { .. } | Elem::Deref(_), _) => true,
        (Elem::Field(_) | Elem::Member(_) | Elem::Index(_), _) => false,
    };
    place.root == leaf.root && place.path.iter().zip(&leaf.path).all(is_step)
}
