//! Which types a project names and declares, by its syntax alone: standard blocks are read where they are needed.

use std::collections::BTreeSet;

use crate::ast;
use crate::resolve::names::tables::{Key, key};

/// Names that stand as types in the declarations of `units`, and names that `units` declare.
pub(crate) fn type_names(
    units: &[ast::Unit],
    meant: &crate::resolve::names::namespaces::Meant,
) -> (BTreeSet<Key>, BTreeSet<Key>) {
    let mut used = BTreeSet::new();
    let mut declared = BTreeSet::new();
    let mut waiting: Vec<&ast::TypeSpec> = Vec::new();
    for item in crate::resolve::prepare::declaration_order::all(units) {
        match item {
            ast::Item::Pou(pou) => {
                if !meant.contains_key(&(pou.name.span, key(&pou.name.text))) {
                    declared.insert(key(&pou.name.text));
                }
                waiting.extend(&pou.result);
                waiting.extend(pou.vars.iter().flat_map(|b| &b.vars).map(|v| &v.ty));
                used.extend(pou.extends.iter().map(|name| key(&crate::resolve::classes::inheritance::last_name(name).text)));
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
                waiting.extend(
                    crate::resolve::prepare::declaration_order::configured_globals(configuration)
                        .flat_map(|b| &b.vars)
                        .map(|v| &v.ty),
                );
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
            ast::TypeSpecKind::Subrange(..)
            | ast::TypeSpecKind::Enum(..)
            | ast::TypeSpecKind::String { .. }
            | ast::TypeSpecKind::Opaque(_)
            | ast::TypeSpecKind::Error => {}
        }
    }
    (used, declared)
}
