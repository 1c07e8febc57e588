//! Attributes that let clients outside of the controller write variables or call methods: OPC UA, symbols, calls over ADS.
//!
//! | attribute | client may |
//! |---|---|
//! | `TcRpcEnable` (TwinCAT) | call the method |
//! | `OPC.UA.DA` (TwinCAT), unless `OPC.UA.DA.Access` is 1 | write the variable |
//! | `symbol` with `write` or `readwrite` (CODESYS) | write the variable |
//! | `S7.extern=ReadWrite` (SIMATIC AX) | write the variable |
//!
//! Types of the extension SVGHMI of Beremiz (`HMI_INT`) offer their variables to a web panel.

use std::collections::{BTreeMap, BTreeSet};

use crate::ast;
use crate::ast::walk::{self, Node};
use crate::hir::{Extent, Project};
use crate::lang::pragmas::{Pragmas, declared_behind};
use crate::resolve::findings::Findings;
use crate::text::source::{FileId, Origin, SourceFile, SourceSet, Span};
use crate::text::{Key, key};

/// Variables of a file that clients may write.
pub(crate) struct OutsideWriter {
    /// First attribute.
    span: Span,
    /// Names of the variables; `None` for all, where an attribute stands at something else.
    names: Option<BTreeSet<Key>>,
}

/// Access that an attribute gives to clients.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Access {
    Call,
    Write,
    ReadOnly,
}

/// Notes a condition for each file with such attributes.
pub(crate) fn note(
    findings: &mut Findings,
    sources: &SourceSet,
    pragmas: &Pragmas,
    compiled: &BTreeSet<FileId>,
) -> Vec<OutsideWriter> {
    let mut found = Vec::new();
    let is_read = |id: FileId, file: &SourceFile| file.origin == Origin::User && compiled.contains(&id);
    for (id, file) in sources.files.iter_enumerated().filter(|(id, file)| is_read(*id, file)) {
        let all = pragmas.in_file(id, file);
        let rows: Vec<(Span, Access, u32)> =
            all.iter().filter_map(|(span, words)| Some((*span, access(words)?, declared_behind(&file.text, *span)))).collect();
        let read_only: BTreeSet<u32> =
            rows.iter().filter(|(_, access, _)| *access == Access::ReadOnly).map(|(_, _, behind)| *behind).collect();
        let mut writers: BTreeMap<Access, OutsideWriter> = BTreeMap::new();
        for (span, access, behind) in rows {
            if access == Access::ReadOnly || (access == Access::Write && read_only.contains(&behind)) {
                continue;
            }
            let names = if access == Access::Write { declared(&file.text, behind) } else { None };
            let writer = writers.entry(access).or_insert(OutsideWriter { span, names: Some(BTreeSet::new()) });
            match (&mut writer.names, names) {
                (Some(known), Some(names)) => known.extend(names),
                (known, _) => *known = None,
            }
        }
        for (access, writer) in writers {
            let (construct, effect) = match access {
                Access::Call => (
                    "no client calls the methods with `TcRpcEnable`",
                    "such a call comes between two cycles, and what it writes can break what holds here",
                ),
                Access::Write | Access::ReadOnly => (
                    "no client writes the variables that attributes offer for writing",
                    "a client of OPC UA or of the symbols may write them between two cycles; name them under `inputs` to verify that",
                ),
            };
            findings.record_assumed(writer.span, construct, effect);
            found.push(writer);
        }
    }
    found
}

/// Types whose variables a web panel writes.
const TYPES_OF_PANELS: &[&str] = &["HMI_BOOL", "HMI_INT", "HMI_REAL", "HMI_STRING"];

/// Notes a condition about variables of types that a web panel writes, unless the program declares such a type for itself.
pub(crate) fn note_types(findings: &mut Findings, units: &[ast::Unit], sources: &SourceSet) -> Option<OutsideWriter> {
    let is_of_user = |unit: &&ast::Unit| sources.files.get(unit.file).is_some_and(|file| file.origin == Origin::User);
    let mut found: Option<(Span, BTreeSet<Key>)> = None;
    let mut is_declared = false;
    let is_of_panel = |name: &ast::Ident| TYPES_OF_PANELS.iter().any(|ty| ty.eq_ignore_ascii_case(&name.text));
    for unit in units.iter().filter(is_of_user) {
        is_declared |= unit.items.iter().filter_map(ast::Item::name).any(is_of_panel);
        walk::unit(unit, &mut |node| {
            let Node::Block(block) = node else { return };
            for var in block.vars.iter().filter(|var| var.ty.name().is_some_and(is_of_panel)) {
                found.get_or_insert((var.name.span, BTreeSet::new())).1.insert(key(&var.name.text));
            }
        });
    }
    let (span, names) = found.filter(|_| !is_declared)?;
    let effect = "an operator may write them between two cycles; name them under `inputs` to verify that";
    findings.record_assumed(span, "no operator writes the variables of types `HMI_…`", effect);
    Some(OutsideWriter { span, names: Some(names) })
}

/// Adds the variables that the conditions are about.
pub(crate) fn extend(project: &mut Project, writers: Vec<OutsideWriter>) {
    let leaves = if writers.is_empty() { Vec::new() } else { project.leaves() };
    for OutsideWriter { span, names } in writers {
        let extent = names.map_or(Extent::All, |names| {
            let is_written = |name: &str| name.split(['.', '[']).any(|part| names.contains(&key(part)));
            Extent::Leaves(leaves.iter().filter(|leaf| is_written(&leaf.name)).map(|leaf| leaf.name.clone()).collect())
        });
        project.beside.insert(span, extent);
    }
}

/// Returns the access that a pragma gives.
fn access(words: &str) -> Option<Access> {
    if let Some((_, value)) = words.split_once('=').filter(|(name, _)| name.trim().eq_ignore_ascii_case("S7.extern")) {
        return match value.trim().to_ascii_lowercase().as_str() {
            "hidden" => None,
            "readonly" => Some(Access::ReadOnly),
            _ => Some(Access::Write),
        };
    }
    let rest = words.get(..9).filter(|word| word.eq_ignore_ascii_case("attribute")).and_then(|_| words.get(9..))?;
    let mut quoted = rest.split('\'').skip(1).step_by(2).map(str::trim);
    let (name, value) = (quoted.next()?.to_ascii_lowercase(), quoted.next().unwrap_or_default().to_ascii_lowercase());
    match (name.as_str(), value.as_str()) {
        ("tcrpcenable", "0") | ("opc.ua.da", "0") => None,
        ("tcrpcenable", _) => Some(Access::Call),
        ("opc.ua.da.access", "1") => Some(Access::ReadOnly),
        ("opc.ua.da" | "opc.ua.da.access", _) | ("symbol", "write" | "readwrite") => Some(Access::Write),
        (_, _) => None,
    }
}

/// Returns the names of the variables that are declared at a place; `None` if none are.
fn declared(text: &str, at: u32) -> Option<BTreeSet<Key>> {
    let rest = text.get(at as usize..)?;
    let (names, _) = rest.split_once(':')?;
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let names = names.split(',').map(|name| {
        let mut words = name.split_whitespace();
        let name = words.next().unwrap_or_default().trim_matches('`');
        // An address may stand between.
        let is_located = words.next().is_none_or(|word| word.eq_ignore_ascii_case("AT") || word.starts_with('%'));
        (is_name(name) && is_located).then(|| key(name))
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use crate::text::SourceSet;
    use crate::{LoadOptions, load};

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let mut sources = SourceSet::default();
        sources.add("p.st", text);
        let loaded = load(&sources, &LoadOptions { entry: Some("Main".to_owned()), ..LoadOptions::default() });
        assert!(!loaded.has_errors(), "{:?}", loaded.diagnostics);
        let found: Vec<String> = loaded.value.project.beside.values().map(|extent| format!("{extent:?}")).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn variables_for_clients() {
        let main = |vars: &str| format!("PROGRAM Main\nVAR\n{vars}\nEND_VAR\ny := y; z := z;\nEND_PROGRAM\n");
        let y = &["Leaves({\"Main.y\"})"];
        check(&main("{attribute 'OPC.UA.DA' := '1'}\ny : INT; z : INT;"), y);
        check(&main("{attribute 'OPC.UA.DA' := '1'}\n{attribute 'OPC.UA.DA.Access' := '3'}\ny : INT; z : INT;"), y);
        check(&main("{attribute 'OPC.UA.DA' := '1'}\n{attribute 'OPC.UA.DA.Access' := '1'}\ny : INT; z : INT;"), &[]);
        check(&main("{attribute 'OPC.UA.DA' := '0'}\ny, z : INT;"), &[]);
        check(&main("{S7.extern=ReadWrite}\ny : INT; z : INT;"), y);
        check(&main("{S7.extern=ReadOnly}\ny, z : INT;"), &[]);
        check(&main("{attribute 'symbol' := 'readwrite'}\ny AT %QW0 : INT; z : INT;"), y);
        check(&main("{attribute 'symbol' := 'read'}\ny, z : INT;"), &[]);
        check(&main("{attribute 'OPC.UA.DA' := '1'}\ny, z : INT;"), &["Leaves({\"Main.y\", \"Main.z\"})"]);
        check(&format!("{{attribute 'OPC.UA.DA' := '1'}}\n{}", main("y, z : INT;")), &["All"]);
    }

    #[test]
    fn variables_of_web_panels() {
        let main = "PROGRAM Main\nVAR\ny : HMI_INT; z : INT;\nEND_VAR\ny := y; z := y;\nEND_PROGRAM\n";
        check(main, &["Leaves({\"Main.y\"})"]);
        check(&format!("TYPE HMI_INT : INT; END_TYPE\n{main}"), &[]);
        check(&main.replace("HMI_INT", "HMI_LABEL").replace("z : INT", "z : BOOL"), &[]);
    }

    #[test]
    fn methods_for_clients() {
        let block = |attribute: &str| {
            format!(
                "FUNCTION_BLOCK B\nVAR l : INT; END_VAR\nl := l;\n{attribute}\nMETHOD Put : BOOL\nVAR_INPUT v : INT; END_VAR\nl := v;\n\
                 END_METHOD\nEND_FUNCTION_BLOCK\nPROGRAM Main\nVAR b : B; END_VAR\nb();\nEND_PROGRAM\n"
            )
        };
        check(&block("{attribute 'TcRpcEnable'}"), &["All"]);
        check(&block("{attribute 'hide'}"), &[]);
    }
}
