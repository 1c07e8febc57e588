//! Values that calls of stubs give, where calls of one cycle have several: `12 (call 2: 3)`.

use std::collections::BTreeMap;

use answer::replay::CycleInputs;
use plc_frontend::hir::{Leaf, Project, Value, leaf_at_call, value_to_st};

/// Values of the calls behind the first one, by cycle from 0 and leaf name.
pub(super) struct AtCalls<'a> {
    later: BTreeMap<(usize, String), Vec<(usize, &'a Value)>>,
}

impl<'a> AtCalls<'a> {
    /// Reads the names of the inputs. Cost: linear in their number.
    pub(super) fn new(cycles: &'a [CycleInputs]) -> AtCalls<'a> {
        let mut later: BTreeMap<(usize, String), Vec<(usize, &'a Value)>> = BTreeMap::new();
        for (cycle, inputs) in cycles.iter().enumerate() {
            for (name, value) in &inputs.inputs {
                let Some((leaves, n)) = leaf_at_call(name) else { continue };
                for leaf in leaves {
                    later.entry((cycle, leaf)).or_default().push((n, value));
                }
            }
        }
        later.values_mut().for_each(|values| values.sort_by_key(|(n, _)| *n));
        AtCalls { later }
    }

    /// Returns the values of a cycle for people, if calls have several. `first`: that of the first call.
    pub(super) fn words(&self, project: &Project, leaf: &Leaf, cycle: usize, first: &str) -> Option<String> {
        let later = self.later.get(&(cycle, leaf.name.clone()))?;
        let calls = later.iter().map(|(n, value)| format!("call {n}: {}", value_to_st(project, leaf.ty, **value)));
        Some(format!("{first} ({})", calls.collect::<Vec<_>>().join(", ")))
    }
}
