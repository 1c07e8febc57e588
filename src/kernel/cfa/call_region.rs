//! Calls that were written out: their regions of the automaton.
//!
//! A region is a hint: an engine that uses one checks its form in the automaton that it works on.

use plc_frontend::ids::IndexVec;

use super::automaton::LocId;
use crate::expr::VarId;

/// Call that was written out between two locations. Locations are those of the unreduced CFA.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRegion {
    /// Name of the called procedure.
    pub name: String,
    /// Location before the call.
    pub entry: LocId,
    /// Location after the call.
    pub exit: LocId,
    /// Variable of the automaton for each formal, in their order.
    pub binding: Vec<VarId>,
}

/// Returns the regions whose ends are kept, with the new numbers of their locations.
pub(super) fn renumbered(regions: Vec<CallRegion>, renamed: &IndexVec<LocId, Option<LocId>>) -> Vec<CallRegion> {
    let renamed = |region: CallRegion| Some(CallRegion { entry: renamed[region.entry]?, exit: renamed[region.exit]?, ..region });
    regions.into_iter().filter_map(renamed).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use plc_frontend::source::SourceSet;
    use plc_frontend::{LoadOptions, load};

    use crate::cfa::{LocId, Model, ModelOptions, build};

    /// Blocks in three levels, each with two instances of the next one.
    const LEVELS: &str = "
        FUNCTION_BLOCK Inner VAR_INPUT go : BOOL; END_VAR VAR n : INT; END_VAR
            IF go THEN n := n + 1; END_IF;
        END_FUNCTION_BLOCK
        FUNCTION_BLOCK Outer VAR_INPUT go : BOOL; END_VAR VAR a : Inner; b : Inner; END_VAR
            a(go := go); b(go := NOT go);
        END_FUNCTION_BLOCK
        PROGRAM Main VAR_INPUT x : BOOL; END_VAR VAR p : Outer; q : Outer; END_VAR
            p(go := x); IF FALSE THEN p(); END_IF; q(go := x);
        END_PROGRAM";

    fn model(text: &str) -> Model {
        let mut sources = SourceSet::default();
        sources.add("main.st", text);
        let parsed = load(&sources, &LoadOptions::default());
        assert!(!parsed.has_errors(), "{:#?}", parsed.diagnostics);
        build(&parsed.value.project, &ModelOptions::default()).unwrap()
    }

    #[test]
    fn every_call_that_can_be_reached_has_a_region_that_is_left_at_its_exit_only() {
        let model = model(LEVELS);
        let names: Vec<&str> = model.cfa.calls.iter().map(|call| call.name.as_str()).collect();
        assert_eq!(names.iter().filter(|name| **name == "Outer").count(), 2, "{names:?}");
        assert_eq!(names.iter().filter(|name| **name == "Inner").count(), 4, "{names:?}");
        let successors = model.cfa.successors();
        for call in &model.cfa.calls {
            let mut inside: BTreeSet<LocId> = BTreeSet::new();
            let mut todo = vec![call.entry];
            while let Some(loc) = todo.pop() {
                if loc != call.exit && inside.insert(loc) {
                    todo.extend(successors[loc].iter().map(|edge| model.cfa.edges[*edge].target));
                }
            }
            assert!(!inside.contains(&model.cfa.head), "{call:?}");
            for edge in model.cfa.edges.iter().filter(|edge| inside.contains(&edge.target) && edge.target != call.entry) {
                assert!(inside.contains(&edge.source), "{call:?}");
            }
        }
        let bound: BTreeSet<_> = model.cfa.calls.iter().flat_map(|call| &call.binding).collect();
        assert_eq!(bound.len(), 2 * (1 + 2 * 2), "each instance binds variables of its own");
    }
}
