//! Frame rule: a step keeps each part of an invariant whose variables it does not write.
//!
//! Soundness: let a part belong to the invariants of both ends of a region. A step through the region begins in a state that
//! satisfies the part. Each edge of the step is one of the region. Let neither these edges nor the loops that are passed there
//! write a variable of the part. Then all its variables have the same values at the end, and the part holds there. The part at
//! the first end becomes needed, as if a question had used it.
//!
//! Writes are those of the unreduced automaton ([`super::effects`]): assignments, any values, and the updates of blocks. An element
//! of an array, a view of memory and a result of a call are written by writes of whole variables.
//!
//! Source: Reynolds, "Separation logic", LICS 2002, doi:10.1109/LICS.2002.1029817 (frame rule).

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::ids::IndexVec;

use super::effects::Effect;
#[cfg(test)]
use super::fault::Fault;
use super::part_set::PartSet;
use super::region::Region;
use kernel::cfa::EdgeId;
use kernel::expr::VarId;

/// Returns the parts with a variable that some step through a region writes.
///
/// `of_var`: parts that speak of each variable.
/// Cost: the writes of the region, and the parts of these variables.
pub(super) fn touched(
    region: &Region,
    effects: &IndexVec<EdgeId, Effect>,
    of_var: &BTreeMap<VarId, Vec<usize>>,
    #[cfg(test)] fault: Option<Fault>,
) -> PartSet {
    let of_edges = region.leaving.iter().flatten().flat_map(|(edge, _)| &effects[*edge].writes);
    let of_loops = region.passed.values().flatten().copied();
    #[cfg(test)]
    let (of_edges, of_loops) = (
        of_edges.filter(|write| !fault.is_some_and(|fault| fault.forgets(write))),
        of_loops.filter(|_| fault != Some(Fault::ForgottenLoop)),
    );
    let written: BTreeSet<VarId> = of_edges.map(|write| write.var).chain(of_loops).collect();
    written.iter().filter_map(|var| of_var.get(var)).flatten().copied().collect()
}

#[cfg(test)]
mod tests;
