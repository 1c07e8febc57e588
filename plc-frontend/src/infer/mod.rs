//! Inference: declarations of blocks, functions and structures that no file declares, from their uses.
//!
//! [`missing`] finds the names, [`tables`] the declarations that there are. [`typing`] gives expressions types, `calls` and `standard`
//! those with calls; [`uses`] collects [`facts`] about the names; [`evidence`] decides types, and [`text`] writes declarations, and [`rounds`] adds them.
//!
//! Soundness: a declaration is a guess, and each answer about a program that uses it has it as a condition. A part whose type nothing
//! implies is left out, so its uses stay errors.

#[expect(clippy::wildcard_enum_match_arm, reason = "other forms imply nothing")]
mod calls;
mod evidence;
mod facts;
mod missing;
mod rounds;
mod standard;
mod tables;
#[cfg(test)]
mod tests;
mod text;
#[expect(clippy::wildcard_enum_match_arm, reason = "other forms imply nothing")]
mod typing;
mod uses;

pub(crate) use rounds::{Completed, complete, is_about_inferred};

use crate::ast::Unit;
use crate::text::{Diagnostic, Inferred, Key, SourceSet};
use evidence::decide;
use std::collections::{BTreeMap, BTreeSet};
use tables::Tables;
use uses::Collector;

/// Passes over the uses: types that one pass finds imply others.
const PASSES: usize = 3;

/// Returns declarations of the names that the errors report as missing, except for the `refused` ones.
///
/// Cost: a few traversals of all syntax trees.
pub(crate) fn infer(
    units: &[Unit],
    sources: &SourceSet,
    errors: &[Diagnostic],
    refused: &BTreeSet<Key>,
) -> BTreeMap<Key, Inferred> {
    let standard = tables::standard_units();
    let tables = Tables::new(units, &standard);
    let mut missing = missing::names(units, sources, errors, &tables);
    missing.retain(|name| !refused.contains(name));
    if missing.is_empty() {
        return BTreeMap::new();
    }
    let mut decided = BTreeMap::new();
    let mut facts = BTreeMap::new();
    for _ in 0..PASSES {
        let mut collector = Collector::new(&tables, &missing, &decided);
        collector.units(units);
        facts = collector.facts;
        let next = decide(&facts);
        let is_done = next.len() == decided.len();
        decided = next;
        if is_done {
            break;
        }
    }
    let declared = facts.iter().filter_map(|(name, facts)| {
        let text = text::declaration(name, facts, &decided, sources)?;
        Some((name.clone(), Inferred { name: facts.spelling.clone(), text, uses: facts.uses.iter().copied().collect() }))
    });
    declared.collect()
}
