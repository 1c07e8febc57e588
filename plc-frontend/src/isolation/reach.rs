//! Understanding of each POU: whether a run of it can meet a statement that is not modelled.

use std::collections::BTreeSet;

use crate::components::components;
use crate::environment::bodies;
use crate::hir::Project;
use crate::ids::Id;
use crate::text::GapId;

/// Returns the gaps that a run of each POU may meet, in itself or in what it calls. POUs are in the order of their ids.
///
/// Soundness: a POU without gaps meets none, whatever its inputs are. A gap that is listed may be behind a branch that is never taken.
/// Cost: linear in the statements, times the depth of calls.
pub fn reachable_gaps(project: &Project) -> Vec<BTreeSet<GapId>> {
    let own = bodies(project);
    let edges: Vec<Vec<usize>> = own.iter().map(|body| body.calls.iter().map(|pou| pou.index()).collect()).collect();
    let (component, sizes) = components(&edges);
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); sizes.len()];
    for (at, group) in component.iter().enumerate() {
        members[*group].push(at);
    }
    // Callees come first.
    let mut found: Vec<BTreeSet<GapId>> = vec![BTreeSet::new(); own.len()];
    for group in members {
        let mut all: BTreeSet<GapId> = BTreeSet::new();
        for at in &group {
            all.extend(own[*at].gaps.iter().map(|(gap, _)| *gap));
            edges[*at].iter().for_each(|callee| all.extend(&found[*callee]));
        }
        group.into_iter().for_each(|at| found[at] = all.clone());
    }
    found
}
