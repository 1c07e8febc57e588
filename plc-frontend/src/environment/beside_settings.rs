//! Conditions about settings of a project that let others write variables.
//!
//! | settings | variables that others may write |
//! |---|---|
//! | field bus of Beremiz: other devices read and write its addresses | those at addresses that are no inputs |
//! | system and clock memory of TIA Portal | tags at these addresses |
//! | structures with fields at fixed addresses (AT): all variables of one have the same memory | those at addresses of the area |
//! | recipes of B&R: code registers variables by name | all that other code can name |

use std::collections::BTreeSet;

use super::beside_files::{Condition, assumed};
use super::called_names::without_asides;
use super::located::{fields_at_addresses, is_located};
use crate::hir::{Address, AddressArea, AddressSize, Extent, Kind, Leaf, Project, Root};
use crate::lang::{BUS_OF_BEREMIZ, SYSTEM_KEEPS, SYSTEM_WRITES, has_ending};
use crate::text::{Ignored, Ledger, Origin, SourceSet, Span};

/// Beginning of the names of the blocks that register variables for recipes.
const RECIPES: &str = "mpreciperegpar";
/// Endings of files that declare these blocks.
const DECLARATIONS: &[&str] = &["fun", "typ"];

/// Returns the conditions.
pub(super) fn conditions(project: &Project, ledger: &Ledger, sources: &SourceSet) -> Vec<Condition> {
    let of_system = system_memory(project, ledger, sources);
    bus(project, ledger).into_iter().chain(recipes(sources)).chain(of_system).chain(fields_at_addresses(project)).collect()
}

/// Returns the conditions about tags at the addresses of the system memory and the clock memory of TIA Portal.
///
/// Soundness: the tags of the system are variables of their own, so another tag at such an address does not see what the system writes.
fn system_memory(project: &Project, ledger: &Ledger, sources: &SourceSet) -> Vec<Condition> {
    let rows = ledger.ignored.iter().filter(|row| [SYSTEM_KEEPS, SYSTEM_WRITES].contains(&row.why.as_str()));
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return Vec::new();
    }
    let leaves = project.leaves();
    let condition = |row: &Ignored| {
        let byte = memory_byte(sources.text(row.span))?;
        let others = leaves.iter().filter(|leaf| is_at(project, leaf, byte));
        let others: BTreeSet<String> = others.map(|leaf| leaf.name.clone()).collect();
        let construct = format!("no tag but those of the system is at %MB{byte}");
        let effect = "the system writes this byte, and other tags at its address are modelled as memory of their own";
        (!others.is_empty()).then(|| (assumed(row.span, construct, effect), Extent::Leaves(others)))
    };
    rows.filter_map(condition).collect()
}

/// Returns the byte of an address in %M: `%M0.3`, `%MB0`.
fn memory_byte(text: &str) -> Option<u32> {
    let rest = text.trim().trim_start_matches('%').trim_start_matches(|c: char| c.is_ascii_alphabetic());
    rest.split('.').next()?.trim().parse().ok()
}

/// Returns whether a leaf lies at a byte of %M.
fn is_at(project: &Project, leaf: &Leaf, byte: u32) -> bool {
    let address = if let Root::Global(global) = leaf.root { project.globals[global].address.as_ref() } else { None };
    match address {
        None => is_located(project, leaf),
        Some(Address { area: AddressArea::Memory, size, path }) => {
            let length = match size {
                AddressSize::Bit | AddressSize::Byte => 1,
                AddressSize::Word => 2,
                AddressSize::DWord => 4,
                AddressSize::LWord => 8,
            };
            path.first().is_none_or(|first| (*first..first.saturating_add(length)).contains(&byte))
        }
        Some(_) => false,
    }
}

/// Returns the condition about the field buses of a project of Beremiz.
///
/// Beremiz gives the registers of a server of Modbus, and those that a client reads, addresses in %M and %Q.
fn bus(project: &Project, ledger: &Ledger) -> Option<Condition> {
    let settings = ledger.ignored.iter().find(|row| row.what == BUS_OF_BEREMIZ)?;
    let is_input = |name: &str| project.environment.get(name).is_some_and(|setting| setting.kind == Kind::Input);
    let leaves = project.leaves();
    let written = leaves.iter().filter(|leaf| is_located(project, leaf) && !is_input(&leaf.name));
    let written: BTreeSet<String> = written.map(|leaf| leaf.name.clone()).collect();
    if written.is_empty() {
        return None;
    }
    let construct = "the field bus of the project writes inputs (%I) only".to_owned();
    let effect = "another device may write variables at %M and %Q between two cycles; name them under `inputs` to verify that";
    Some((assumed(settings.span, construct, effect), Extent::Leaves(written)))
}

/// Returns the condition about recipes of B&R.
///
/// Soundness: names of variables are strings, which the program may compute.
fn recipes(sources: &SourceSet) -> Option<Condition> {
    let users = sources.files.iter_enumerated().filter(|(_, file)| file.origin == Origin::User);
    let mut texts = users.filter(|(_, file)| !has_ending(&file.name, DECLARATIONS));
    texts.find_map(|(id, file)| {
        let code = without_asides(&file.text, false).to_ascii_lowercase();
        let is_whole =
            |at: &usize| !code.get(..*at).is_some_and(|before| before.ends_with(|c: char| c.is_alphanumeric() || c == '_'));
        let at = code.match_indices(RECIPES).map(|(at, _)| at).find(is_whole)?;
        let construct = "no recipe of `MpRecipeRegPar` is loaded".to_owned();
        let effect = "a recipe writes the variables that are registered by name, and what it writes can break what holds here";
        Some((assumed(Span::new(id, at, at + RECIPES.len()), construct, effect), Extent::Nameable))
    })
}
