//! Order of the blocks of a diagram: data flows from the blocks that execute earlier.

use std::collections::BTreeSet;

use super::Gap;
use super::sheets::{Kind, Sheets};

/// Returns the blocks in the order of their execution.
///
/// Soundness: a block that reads the value of the scan before executes before the block that writes it. Where wires say the
/// opposite, or where a loop has no such wire, that is a gap.
pub(super) fn order(sheets: &Sheets) -> Result<Vec<usize>, Gap> {
    let is_block = |at: usize| matches!(sheets.nodes[at].kind, Kind::Block(_));
    // From each block to those that it goes before.
    let mut edges = BTreeSet::new();
    for wire in &sheets.wires {
        let (from, to) = (wire.from.node, wire.to);
        if wire.is_feedback && !is_block(from) {
            return Err(("assumed data of a reference", wire.span));
        }
        if wire.is_feedback && !is_block(to) {
            return Err(("assumed data at an output reference", wire.span));
        }
        if is_block(from) && is_block(to) && from != to {
            edges.insert(if wire.is_feedback { (to, from) } else { (from, to) });
        }
        // The only block of a loop reads its own output of the scan before.
    }
    let mut open: Vec<usize> = (0..sheets.nodes.len()).filter(|at| is_block(*at)).collect();
    let mut order = Vec::new();
    while !open.is_empty() {
        let is_first = |at: &usize| !edges.iter().any(|(from, to)| to == at && open.contains(from));
        let Some(next) = open.iter().position(is_first) else {
            let span = open.first().map_or(crate::text::Span::none(), |at| sheets.nodes[*at].span);
            return Err(("loop of a diagram whose first block is not marked", span));
        };
        order.push(open.remove(next));
    }
    Ok(order)
}
