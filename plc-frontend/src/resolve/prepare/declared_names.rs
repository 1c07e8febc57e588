//! Names that declarations add to the whole program.

use crate::ast::{Item, VarBlock};
use crate::resolve::names::tables::{Key, key};
use crate::resolve::prepare::declaration_order::configured_globals;

/// Returns the names of the variables of a list; in a named list they include its name.
pub(crate) fn block_names(block: &VarBlock) -> Vec<Key> {
    let name = |var: &str| match &block.list {
        Some(list) => key(&format!("{}.{var}", list.name.text)),
        None => key(var),
    };
    block.vars.iter().map(|var| name(&var.name.text)).collect()
}

/// Returns the names that a declaration adds to the whole program; those of variables in named lists include their list.
pub(crate) fn names(item: &Item) -> Vec<Key> {
    match item {
        Item::Globals(block) => block_names(block),
        Item::Configuration(configuration) => configured_globals(configuration).flat_map(block_names).collect(),
        Item::Pou(_) | Item::Type(_) | Item::Interface(_) | Item::Namespace(_) | Item::Using(_) | Item::Unsupported(..) => {
            item.name().map(|name| key(&name.text)).into_iter().collect()
        }
    }
}
