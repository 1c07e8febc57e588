//! Standard function blocks: they are read if a declaration or another block that was read names them.

use crate::ast;
use crate::ast::walk::{self, Node};
use crate::dialect::Dialect;
use crate::resolve::classes::inheritance;
use crate::resolve::names::tables::FullNames;
use crate::resolve::names::tables::{Key, key};
use crate::text::{Diagnostic, Origin, SourceFile, SourceSet};
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
            let file = SourceFile::new(format!("{name}.st"), text, Origin::Stdlib);
            let id = sources.files.push(file.clone());
            let parsed = crate::lang::parse(id, &file);
            units.push(parsed.value);
            diagnostics.extend(parsed.diagnostics);
        }
    }
}

/// Returns names of types in the declarations of `units`, and names that `units` declare.
fn type_names(units: &[ast::Unit], meant: &FullNames) -> (BTreeSet<Key>, BTreeSet<Key>) {
    let mut used = BTreeSet::new();
    let mut declared = BTreeSet::new();
    for unit in units {
        walk::unit(unit, &mut |node| match node {
            Node::Type(ast::TypeSpec { kind: ast::TypeSpecKind::Name(name), .. }) => {
                used.insert(key(name.text.rsplit('.').next().unwrap_or(&name.text).trim()));
            }
            Node::Item(ast::Item::Pou(pou)) => {
                if !meant.contains_key(&(pou.name.span, key(&pou.name.text))) {
                    declared.insert(key(&pou.name.text));
                }
                used.extend(pou.extends.iter().map(|name| key(&inheritance::last_name(name).text)));
            }
            Node::Item(ast::Item::Type(decl)) => {
                declared.insert(key(&decl.name.text));
            }
            Node::Item(_) | Node::Type(_) | Node::Block(_) | Node::Method(_) | Node::Stmt(_) | Node::Expr(_) | Node::Name(_) => {}
        });
    }
    (used, declared)
}
