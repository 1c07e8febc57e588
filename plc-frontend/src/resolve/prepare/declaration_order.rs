//! The declarations of all files in one fixed order; a namespace is replaced by its declarations.

use crate::ast::{Configuration, Item, Pou, Section, Unit, VarBlock};

/// Returns all POUs, in the order in which they get their ids.
pub(crate) fn pous(units: &[Unit]) -> impl Iterator<Item = &Pou> {
    all(units).filter_map(|item| if let Item::Pou(pou) = item { Some(pou) } else { None })
}

/// Returns all items; the items of a namespace take its place.
pub(crate) fn all(units: &[Unit]) -> impl Iterator<Item = &Item> {
    let mut waiting: Vec<&Item> = units.iter().rev().flat_map(|unit| unit.items.iter().rev()).collect();
    std::iter::from_fn(move || {
        let item = waiting.pop()?;
        if let Item::Namespace(space) = item {
            waiting.extend(space.items.iter().rev());
        }
        Some(item)
    })
}

/// Returns the global variables of a configuration and its resources.
pub(crate) fn configured_globals(configuration: &Configuration) -> impl Iterator<Item = &VarBlock> {
    let inner = configuration.resources.iter().flat_map(|resource| &resource.vars);
    configuration.vars.iter().chain(inner).filter(|block| block.section == Section::Global)
}
