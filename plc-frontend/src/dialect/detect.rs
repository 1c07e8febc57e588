//! Detection of the dialect of the user's files: by endings, by marks of the systems that wrote them, by constructs.

use super::DialectId;
use crate::ast::walk::{self, Node};
use crate::ast::{Item, RefAssign, Section, StmtKind, TypeSpecKind, Unit};
use crate::text::{Origin, SourceSet};

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

/// Returns the dialect of the user's files; the standard's if nothing points to another. `of_name` knows the endings of files
/// that only one system writes.
pub fn detect(sources: &SourceSet, units: &[Unit], of_name: impl Fn(&str) -> Option<DialectId>) -> DialectId {
    let files = || sources.files.iter().filter(|file| file.origin == Origin::User);
    let by_ending = files().find_map(|file| of_name(&file.name));
    let by_mark = || {
        let mark = |text: &str| MARKS.iter().find(|(mark, _)| text.contains(mark)).map(|(_, id)| *id);
        files().find_map(|file| mark(&file.text))
    };
    let by_use = || {
        let is_users = |unit: &&Unit| sources.files.get(unit.file).is_some_and(|f| f.origin == Origin::User);
        units.iter().filter(is_users).any(uses_codesys).then_some(DialectId::Codesys)
    };
    by_ending.or_else(by_mark).or_else(by_use).unwrap_or_default()
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
