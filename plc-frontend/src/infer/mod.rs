//! Inference: declarations of blocks, functions and structures that no file declares, from their uses.
//!
//! [`missing`] finds the names, [`tables`] the declarations that there are. [`typing`] gives expressions types, `paths`, `calls` and
//! `standard` longer ones; [`uses`], [`values`] and [`inherited`] collect [`facts`] about the names; [`evidence`] decides types,
//! [`text`] writes declarations, and [`rounds`] adds them.
//!
//! Soundness: a declaration is a guess, and each answer about a program that uses it has it as a condition. A part whose type nothing
//! implies has a type of which nothing is known: each read of its value is a gap.

#[cfg(test)]
mod block_tests;
#[expect(clippy::wildcard_enum_match_arm, reason = "other forms imply nothing")]
mod calls;
mod evidence;
mod facts;
mod inherited;
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

use crate::ast::{Item, PouKind, Unit};
use crate::text::{Diagnostic, Inferred, Key, Origin, SourceSet, key};
use evidence::decide;
use inherited::Inherited;
use std::collections::{BTreeMap, BTreeSet};
use tables::Tables;
use uses::Collector;

/// Passes over the uses: types that one pass finds imply others.
const PASSES: usize = 3;

/// Returns declarations of the names that the errors report as missing, except for the `refused` ones. Parts of the `simple` ones have
/// no types. `inherited` are places of names that blocks may inherit.
///
/// Cost: a few traversals of all syntax trees.
pub(crate) fn infer(
    units: &[Unit],
    sources: &SourceSet,
    errors: &[Diagnostic],
    refused: &BTreeSet<Key>,
    simple: &BTreeSet<Key>,
    inherited: &Inherited,
) -> BTreeMap<Key, Inferred> {
    let standard = tables::standard_units();
    let tables = Tables::new(units, &standard);
    let mut missing = missing::names(units, sources, errors, &tables);
    missing.types.retain(|name| !refused.contains(name));
    missing.values.retain(|name| !refused.contains(&values::value_key(name)) && !refused.contains(name));
    if missing.is_empty() {
        return BTreeMap::new();
    }
    missing.inherited = inherited::names(inherited, units, &tables, sources);
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
    let blocks = missing_blocks(units, sources, &facts);
    let declared = facts.iter().map(|(key, row)| {
        let text = text::declaration(key, row, &decided, &blocks, sources);
        // An enumeration has its own name, too.
        let name = if row.kind() == facts::Kind::List { format!("{}_values", row.spelling) } else { row.spelling.clone() };
        (key.clone(), Inferred { name, text, uses: row.uses.iter().copied().collect() })
    });
    declared.collect()
}

/// Returns the names of blocks that no file declares, with those of which earlier rounds inferred a declaration.
fn missing_blocks(units: &[Unit], sources: &SourceSet, facts: &BTreeMap<Key, facts::Facts>) -> BTreeSet<Key> {
    let is_inferred = |unit: &&Unit| sources.files.get(unit.file).is_some_and(|file| file.origin == Origin::Inferred);
    let items = units.iter().filter(is_inferred).flat_map(|unit| &unit.items);
    let inferred = items.filter_map(|item| {
        let Item::Pou(pou) = item else { return None };
        (pou.kind == PouKind::FunctionBlock).then(|| key(&pou.name.text))
    });
    let missing = facts.iter().filter(|(_, row)| row.kind() == facts::Kind::Block).map(|(name, _)| name.clone());
    inferred.chain(missing).collect()
}
