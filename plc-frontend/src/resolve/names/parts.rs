//! Parts of names with dots.

use crate::ast::{Ident, Name, NameElem};

/// Most parts of a name: namespaces are not nested deeper.
const MOST_PARTS: usize = 20;

/// Returns the parts of the name of a namespace inside of others.
pub(super) fn within(space: &[String], name: &Name) -> Vec<String> {
    space.iter().cloned().chain(idents(name).into_iter().map(|ident| ident.text)).collect()
}

/// Returns a name with its namespaces.
pub(super) fn joined(space: &[String], name: &str) -> String {
    space.iter().map(|part| format!("{part}.")).chain([name.to_owned()]).collect()
}

/// Returns the identifiers that a name begins with.
pub(super) fn idents(name: &Name) -> Vec<Ident> {
    let field = |elem: &NameElem| if let NameElem::Field(ident) = elem { Some(ident.clone()) } else { None };
    let fields = name.path.iter().map_while(field);
    std::iter::once(name.root.clone()).chain(fields).take(MOST_PARTS).collect()
}
