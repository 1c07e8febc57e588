//! Values that the environment of the requirement file allows: given variables by cycle, and their ranges.

use std::collections::BTreeMap;

use plc_frontend::Loaded;
use plc_frontend::hir::{Leaf, Project, Value};

use super::random::Random;
use super::stimuli::constant;
use kernel::property::environment::Range;

/// Leaves that the environment gives values to.
pub(super) struct Environment {
    /// Inputs, and variables with any value at the start: parameters, memory with any start, RETAIN at a warm start.
    leaves: Vec<Leaf>,
    /// Lowest and highest value of leaves with a range, by canonical names.
    ranges: BTreeMap<String, (Value, Value)>,
}

impl Environment {
    /// Reads the ranges. The error is a sentence about one of them.
    pub(super) fn new(loaded: &mut Loaded, ranges: &[Range]) -> Result<Environment, String> {
        let leaves: Vec<Leaf> = loaded.project.leaves().into_iter().filter(|l| l.is_given(0) && l.init.is_some()).collect();
        let mut of_leaves = BTreeMap::new();
        for range in ranges {
            for leaf in leaves.iter().filter(|leaf| range.leaves.contains(&leaf.name)) {
                let mut end = |text: &str| constant(loaded, leaf, text).map_err(|e| format!("range of {}: {e}", range.path));
                let ends = (end(&range.ends.0)?, end(&range.ends.1)?);
                of_leaves.insert(leaf.name.clone(), ends);
            }
        }
        Ok(Environment { leaves, ranges: of_leaves })
    }

    /// Returns the leaves that get a value before a cycle; the first is 1.
    pub(super) fn given(&self, cycle: u32) -> impl Iterator<Item = &Leaf> {
        self.leaves.iter().filter(move |leaf| leaf.is_given(cycle as usize - 1))
    }

    /// Returns a random value of a leaf, from its range if it has one.
    pub(super) fn random(&self, random: &mut Random, project: &Project, leaf: &Leaf) -> Value {
        match self.ranges.get(&leaf.name) {
            Some((low, high)) => random.between(*low, *high).unwrap_or_else(|| random.value(project, leaf)),
            None => random.value(project, leaf),
        }
    }
}
