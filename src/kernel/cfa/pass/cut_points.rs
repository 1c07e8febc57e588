//! Cut points: locations at which blocks end.

use plc_frontend::ids::IndexVec;

use crate::cfa::automaton::{Cfa, LocId, LocKind};

/// Returns the cut points: init, head, error, loop heads, marked locations, and the targets of edges that close a loop with none of
/// these.
///
/// Shape: every loop contains a cut point.
pub fn cut_points(cfa: &Cfa) -> IndexVec<LocId, bool> {
    let ends_block = |kind| matches!(kind, LocKind::LoopHead | LocKind::Cut);
    let mut cuts: IndexVec<LocId, bool> = cfa.locs.iter().map(|loc| ends_block(loc.kind)).collect();
    for loc in [cfa.init, cfa.head, cfa.error] {
        cuts[loc] = true;
    }
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let successors = cfa.successors();
    // Loops through a cut point are cut already, so the search does not enter one.
    let mut marks: IndexVec<LocId, Mark> = cuts.iter().map(|is_cut| if *is_cut { Mark::Done } else { Mark::New }).collect();
    for start in cfa.locs.ids() {
        if marks[start] != Mark::New {
            continue;
        }
        marks[start] = Mark::Open;
        let mut stack = vec![(start, 0)];
        while let Some((loc, i)) = stack.pop() {
            match successors[loc].get(i) {
                Some(edge) => {
                    stack.push((loc, i + 1));
                    let target = cfa.edges[*edge].target;
                    match marks[target] {
                        Mark::Open => cuts[target] = true,
                        Mark::New => {
                            marks[target] = Mark::Open;
                            stack.push((target, 0));
                        }
                        Mark::Done => {}
                    }
                }
                None => marks[loc] = Mark::Done,
            }
        }
    }
    cuts
}
