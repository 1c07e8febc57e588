//! Detection of the dialect of the user's files: by endings, by marks of the systems that wrote them, by constructs.

use super::DialectId;
use crate::ast::walk::{self, Node};
use crate::ast::{Item, RefAssign, Section, StmtKind, TypeSpecKind, Unit};
use crate::text::{FileId, Origin, SourceFile, SourceSet};
use std::collections::{BTreeMap, BTreeSet};

/// Words of a text that only one system writes; each is too special to stand in a comment by chance.
const MARKS: &[(&str, DialectId)] = &[
    ("{attribute '", DialectId::Codesys),
    ("(* @PATH := '", DialectId::Codesys),
    ("(* @NESTEDCOMMENTS := '", DialectId::Codesys),
    ("http://www.3s-software.com/", DialectId::Codesys),
    ("productName=\"CODESYS", DialectId::Codesys),
    ("productName=\"CoDeSys", DialectId::Codesys),
    ("productName=\"TwinCAT", DialectId::Twincat),
    ("{ S7_Optimized_Access", DialectId::SiemensTia),
    ("{S7_Optimized_Access", DialectId::SiemensTia),
    ("<SW.Blocks.", DialectId::SiemensTia),
    // OpenPLC Editor writes its debugger's C code into comments at the end of a program.
    ("(*DBG:", DialectId::Matiec),
    // PLCopen XML of the editors of Beremiz and OpenPLC: their second name for its namespace, names in its header.
    ("xmlns:ns1=\"http://www.plcopen.org/xml/tc6", DialectId::Matiec),
    ("companyName=\"Unknown\" productName=\"Unnamed\"", DialectId::Matiec),
    ("companyName=\"Beremiz\"", DialectId::Matiec),
    ("companyName=\"OpenPLC", DialectId::Matiec),
    ("productName=\"OpenPLC Editor", DialectId::Matiec),
];

/// Returns the dialect of the user's files; the standard's if nothing points to another. `of_file` knows the endings of files
/// that only one system writes.
///
/// Soundness: only files with declarations count, whatever else an archive holds, and their order does not matter.
pub fn detect(sources: &SourceSet, units: &[Unit], of_file: impl Fn(&SourceFile) -> Option<DialectId>) -> DialectId {
    let files = || counting(sources, units);
    let by_ending = most(files().filter_map(of_file));
    let by_mark = || {
        let marks: Vec<DialectId> = files().filter_map(|file| by_mark(&file.text)).collect();
        // Relatives of CODESYS write its attributes, too.
        most(marks.iter().copied().filter(|id| *id != DialectId::Codesys)).or_else(|| marks.first().copied())
    };
    let by_use = || {
        let is_users = |unit: &&Unit| sources.files.get(unit.file).is_some_and(|f| f.origin == Origin::User);
        units.iter().filter(is_users).any(uses_codesys).then_some(DialectId::Codesys)
    };
    by_ending.or_else(by_mark).or_else(by_use).unwrap_or_default()
}

/// Returns the systems of the user's files, where their names or marks tell one. `of_file` knows names.
///
/// Cost: each text is searched once for each mark.
pub fn systems(sources: &SourceSet, of_file: impl Fn(&SourceFile) -> Option<DialectId>) -> BTreeMap<FileId, DialectId> {
    let users = sources.files.iter_enumerated().filter(|(_, file)| file.origin == Origin::User);
    users.filter_map(|(id, file)| Some((id, of_file(file).or_else(|| by_mark(&file.text))?))).collect()
}

/// Returns the files with declarations that another system wrote than that of a dialect, with their dialects.
pub fn written_elsewhere(systems: &BTreeMap<FileId, DialectId>, units: &[Unit], read_as: DialectId) -> Vec<(FileId, DialectId)> {
    let declaring: BTreeSet<FileId> =
        units.iter().filter(|unit| unit.items.iter().any(is_declaration)).map(|unit| unit.file).collect();
    let is_relative = |id: DialectId| id == DialectId::Codesys && read_as == DialectId::Twincat;
    let is_other = |(file, id): &(&FileId, &DialectId)| **id != read_as && !is_relative(**id) && declaring.contains(file);
    systems.iter().filter(is_other).map(|(file, id)| (*file, *id)).collect()
}

/// Returns the user's files with declarations; all of them if none has any.
fn counting<'s>(sources: &'s SourceSet, units: &[Unit]) -> impl Iterator<Item = &'s SourceFile> {
    let declaring: BTreeSet<FileId> =
        units.iter().filter(|unit| unit.items.iter().any(is_declaration)).map(|unit| unit.file).collect();
    let users = |(id, file): (FileId, &'s SourceFile)| (file.origin == Origin::User).then_some((id, file));
    let is_empty = !sources.files.iter_enumerated().filter_map(users).any(|(id, _)| declaring.contains(&id));
    let counts = move |(id, _): &(FileId, &SourceFile)| is_empty || declaring.contains(id);
    sources.files.iter_enumerated().filter_map(users).filter(counts).map(|(_, file)| file)
}

fn is_declaration(item: &Item) -> bool {
    !matches!(item, Item::Using(_) | Item::Unsupported(..))
}

/// Returns the dialect of most files.
fn most(found: impl Iterator<Item = DialectId>) -> Option<DialectId> {
    let mut counts: BTreeMap<DialectId, usize> = BTreeMap::new();
    found.for_each(|id| *counts.entry(id).or_default() += 1);
    let largest = counts.values().max().copied()?;
    counts.into_iter().find(|(_, n)| *n == largest).map(|(id, _)| id)
}

/// Mark of stubs that this program writes: it tells of no system.
const OURS: &str = "{attribute 'stub";

/// Returns the system whose marks a text has.
pub(crate) fn by_mark(text: &str) -> Option<DialectId> {
    let has = |mark: &str| text.match_indices(mark).any(|(at, _)| !text.get(at..).is_some_and(|rest| rest.starts_with(OURS)));
    MARKS.iter().find(|(mark, _)| has(mark)).map(|(_, id)| *id)
}

/// Returns whether the unit uses a construct that only CODESYS and its relatives have.
fn uses_codesys(unit: &Unit) -> bool {
    let mut found = false;
    walk::unit(unit, &mut |node| {
        found |= match node {
            Node::Type(ty) => matches!(ty.kind, TypeSpecKind::Pointer(_) | TypeSpecKind::Reference(_) | TypeSpecKind::Union(_)),
            Node::Stmt(stmt) => matches!(stmt.kind, StmtKind::RefAssign(RefAssign::Reference, ..)),
            Node::Item(item) => matches!(item, Item::Pou(pou) if !pou.properties.is_empty()),
            Node::Block(block) => block.section == Section::Inst,
            // `THIS^` and `SUPER^` are pointers there; the standard writes them without a caret.
            Node::Name(name) => {
                let own = ["THIS", "SUPER"].iter().any(|word| name.root.text.eq_ignore_ascii_case(word));
                own && matches!(name.path.first(), Some(crate::ast::NameElem::Deref(_)))
            }
            Node::Method(_) | Node::Expr(_) => false,
        };
    });
    found
}
