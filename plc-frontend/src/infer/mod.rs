//! Inference: declarations of blocks, functions and structures that no file declares, from their uses.
//!
//! [`missing`] finds the names, [`tables`] the declarations that there are. [`typing`] gives expressions types, `paths`, `calls` and
//! `standard` longer ones; [`uses`] and [`values`] collect [`facts`] about the names; [`evidence`] decides types, and [`text`] writes declarations, and [`rounds`] adds them.
//!
//! Soundness: a declaration is a guess, and each answer about a program that uses it has it as a condition. A part whose type nothing
//! implies has a type of which nothing is known: each use of it is a gap.

#[expect(clippy::wildcard_enum_match_arm, reason = "other forms imply nothing")]
mod calls;
mod evidence;
mod facts;
mod missing;
#[expect(clippy::wildcard_enum_match_arm, reason = "other forms imply nothing")]
mod paths;
mod rounds;
mod standard;
mod tables;
#[cfg(test)]
mod tests;
mod text;
#[expect(clippy::wildcard_enum_match_arm, reason = "other forms imply nothing")]
mod typing;
mod uses;
mod values;

pub(crate) use rounds::{Completed, complete, is_about_inferred};

use crate::ast::Unit;
use crate::text::{Diagnostic, Inferred, Key, SourceSet};
use evidence::decide;
use std::collections::{BTreeMap, BTreeSet};
use tables::Tables;
use uses::Collector;

/// Passes over the uses: types that one pass finds imply others.
const PASSES: usize = 3;

/// Returns declarations of the names that the errors report as missing, except for the `refused` ones. Parts of the `simple` ones have
/// no types.
///
/// Cost: a few traversals of all syntax trees.
pub(crate) fn infer(
    units: &[Unit],
    sources: &SourceSet,
    errors: &[Diagnostic],
    refused: &BTreeSet<Key>,
    simple: &BTreeSet<Key>,
) -> BTreeMap<Key, Inferred> {
    let standard = tables::standard_units();
    let tables = Tables::new(units, &standard);
    let mut missing = missing::names(units, sources, errors, &tables);
    missing.types.retain(|name| !refused.contains(name));
    missing.values.retain(|name| !refused.contains(&values::value_key(name)) && !refused.contains(name));
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
    decided.retain(|(name, _), _| !simple.contains(name));
    let declared = facts.iter().map(|(key, row)| {
        let text = text::declaration(key, row, &decided, sources);
        // An enumeration has its own name, too.
        let name = if row.kind() == facts::Kind::List { format!("{}_values", row.spelling) } else { row.spelling.clone() };
        (key.clone(), Inferred { name, text, uses: row.uses.iter().copied().collect() })
    });
    declared.collect()
}
