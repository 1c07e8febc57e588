//! Conditions about settings of a project that let others write variables.
//!
//! | settings | variables that others may write |
//! |---|---|
//! | field bus of Beremiz: other devices read and write its addresses | those at addresses that are no inputs |
//! | recipes of B&R: code registers variables by name | all that other code can name |

use std::collections::BTreeSet;

use super::beside_files::{Condition, assumed};
use super::called_names::without_asides;
use super::mentions::is_located;
use crate::hir::{Extent, Kind, Project};
use crate::lang::{BUS_OF_BEREMIZ, has_ending};
use crate::text::{Ledger, Origin, SourceSet, Span};

/// Beginning of the names of the blocks that register variables for recipes.
const RECIPES: &str = "mpreciperegpar";
/// Endings of files that declare these blocks.
const DECLARATIONS: &[&str] = &["fun", "typ"];

/// Returns the conditions.
pub(super) fn conditions(project: &Project, ledger: &Ledger, sources: &SourceSet) -> Vec<Condition> {
    bus(project, ledger).into_iter().chain(recipes(sources)).collect()
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
