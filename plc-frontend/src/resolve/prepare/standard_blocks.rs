//! Standard function blocks: read if a declaration names them, or a standard block that is read already.

use crate::ast;
use crate::dialect::Dialect;
use crate::resolve::classes::inheritance;
use crate::resolve::names::namespaces::FullNames;
use crate::resolve::names::tables::{Key, key};
use crate::resolve::prepare::declaration_order;
use crate::text::diagnostic::Diagnostic;
use crate::text::source::{Origin, SourceFile, SourceSet};
use std::collections::BTreeSet;

/// Adds the standard function blocks that declarations or other added blocks name.
pub(crate) fn add(
    sources: &mut SourceSet,
    units: &mut Vec<ast::Unit>,
    diagnostics: &mut Vec<Diagnostic>,
    dialect: &Dialect,
    meant: &FullNames,
) {
    let times_vary = crate::stdlib::varies(units);
    loop {
        let (used, declared) = type_names(units, meant);
        let is_missing = |name: &str| used.contains(&key(name)) && !declared.contains(&key(name));
        let missing: Vec<&(&str, &str)> = crate::stdlib::SOURCES.iter().filter(|row| is_missing(row.0)).collect();
        if missing.is_empty() {
            return;
        }
        for (name, text) in missing {
            let text = crate::stdlib::of_dialect(name, text, dialect, times_vary);
            let file = SourceFile { name: format!("{name}.st"), text: text.into_owned(), origin: Origin::Stdlib };
            let id = sources.files.push(file.clone());
            let parsed = crate::lang::parse(id, &file);
            units.push(parsed.value);
            diagnostics.extend(parsed.diagnostics);
        }
    }
}

/// Returns names that stand as types in the declarations of `units`, and names that `units` declare.
#[expect(clippy::wildcard_enum_match_arm, reason = "other types name no types")]
fn type_names(units: &[ast::Unit], meant: &FullNames) -> (BTreeSet<Key>, BTreeSet<Key>) {
    let mut used = BTreeSet::new();
    let mut declared = BTreeSet::new();
    let mut waiting: Vec<&ast::TypeSpec> = Vec::new();
    for item in declaration_order::all(units) {
        match item {
            ast::Item::Pou(pou) => {
                if !meant.contains_key(&(pou.name.span, key(&pou.name.text))) {
                    declared.insert(key(&pou.name.text));
                }
                waiting.extend(&pou.result);
                waiting.extend(pou.vars.iter().flat_map(|b| &b.vars).map(|v| &v.ty));
                used.extend(pou.extends.iter().map(|name| key(&inheritance::last_name(name).text)));
                let halves = pou.properties.iter().flat_map(|p| p.getter.iter().chain(&p.setter));
                for method in pou.methods.iter().chain(halves) {
                    waiting.extend(&method.result);
                    waiting.extend(method.vars.iter().flat_map(|b| &b.vars).map(|v| &v.ty));
                }
                waiting.extend(pou.properties.iter().map(|p| &p.ty));
            }
            ast::Item::Type(decl) => {
                declared.insert(key(&decl.name.text));
                waiting.push(&decl.ty);
            }
            ast::Item::Globals(block) => waiting.extend(block.vars.iter().map(|v| &v.ty)),
            ast::Item::Configuration(configuration) => {
                waiting.extend(declaration_order::configured_globals(configuration).flat_map(|b| &b.vars).map(|v| &v.ty));
            }
            ast::Item::Interface(_) | ast::Item::Namespace(_) | ast::Item::Using(_) | ast::Item::Unsupported(..) => {}
        }
    }
    while let Some(spec) = waiting.pop() {
        match &spec.kind {
            ast::TypeSpecKind::Name(name) => {
                used.insert(key(name.text.rsplit('.').next().unwrap_or(&name.text).trim()));
            }
            ast::TypeSpecKind::Struct(fields) => waiting.extend(fields.iter().map(|f| &f.ty)),
            ast::TypeSpecKind::Union(fields) => waiting.extend(fields.iter().map(|f| &f.ty)),
            ast::TypeSpecKind::Array(_, elem)
            | ast::TypeSpecKind::OpenArray(_, elem)
            | ast::TypeSpecKind::Pointer(elem)
            | ast::TypeSpecKind::RefTo(elem)
            | ast::TypeSpecKind::Reference(elem) => waiting.push(elem),
            _ => {}
        }
    }
    (used, declared)
}
