//! Names of data types that are those of types of IEC 61131-3, which Logix lacks.

use std::collections::{BTreeMap, BTreeSet};

use super::key;
use crate::ast::edit::{self, NameMut};
use crate::ast::{Item, PouKind, Unit};

/// Elementary types of IEC 61131-3 whose names a data type of Logix may have. DWORD has its new name from the beginning: see [`declared`].
const ELEMENTARY: &[&str] = &[
    "TIME",
    "LTIME",
    "DATE",
    "LDATE",
    "TOD",
    "LTOD",
    "TIME_OF_DAY",
    "LTIME_OF_DAY",
    "DT",
    "LDT",
    "DATE_AND_TIME",
    "LDATE_AND_TIME",
    "BYTE",
    "WORD",
    "LWORD",
    "CHAR",
    "WCHAR",
    "WSTRING",
];

/// Returns the name with which a data type is declared: a DWORD of the user has another one than that of literals here.
pub(super) fn declared(name: &str, structures: &BTreeSet<String>) -> String {
    let mut new = name.to_owned();
    if key(name) == "DWORD" && structures.contains("DWORD") {
        while structures.contains(&key(&new)) {
            new.push_str("_Type");
        }
    }
    new
}

/// Gives such types that the file declares a name of their own, with `_Type` behind it, also where the file names them.
#[expect(clippy::wildcard_enum_match_arm, reason = "other items declare no type")]
pub(super) fn rename(unit: &mut Unit) {
    let declared = |item: &Item| match item {
        Item::Type(decl) => Some(key(&decl.name.text)),
        Item::Pou(pou) if pou.kind == PouKind::FunctionBlock => Some(key(&pou.name.text)),
        _ => None,
    };
    let taken: BTreeSet<String> = unit.items.iter().filter_map(declared).collect();
    let free = |name: &String| {
        let mut new = format!("{name}_Type");
        while taken.contains(&key(&new)) {
            new.push_str("_Type");
        }
        new
    };
    let is_elementary = |name: &&String| ELEMENTARY.contains(&name.as_str());
    let names: BTreeMap<String, String> = taken.iter().filter(is_elementary).map(|name| (name.clone(), free(name))).collect();
    if names.is_empty() {
        return;
    }
    for item in &mut unit.items {
        let name = match item {
            Item::Type(decl) => &mut decl.name,
            Item::Pou(pou) if pou.kind == PouKind::FunctionBlock => &mut pou.name,
            _ => continue,
        };
        if let Some(new) = names.get(&key(&name.text)) {
            name.text.clone_from(new);
        }
    }
    edit::names(unit, &mut |name| match name {
        NameMut::Type(ident) => {
            if let Some(new) = names.get(&key(&ident.text)) {
                ident.text.clone_from(new);
            }
        }
        NameMut::Base(_) | NameMut::Path(_) | NameMut::Parameter(_) => {}
    });
}
