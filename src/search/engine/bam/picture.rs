//! The graph of blocks as a picture: which block calls which, and how often their results were known.

use std::collections::BTreeMap;

use super::form::{Action, BlockId};
use super::program::Program;
use crate::engine::BlockCounts;
use kernel::draw::{Edge, Node, NodeKind, Picture};
use plc_frontend::ids::Id;

/// Returns the picture: outer blocks before those that they call. `counts` has a row for each block in the order of `program`.
pub(super) fn picture(program: &Program, counts: &[BlockCounts], most: usize) -> Picture {
    let mut picture = Picture { title: "Graph of blocks".to_owned(), ..Picture::default() };
    for (id, info) in program.blocks.iter_enumerated().rev() {
        let is_main = id == program.main.block;
        let text = match counts.get(id.index()) {
            Some(counts) if !is_main => format!("{}\n{counts}", info.name),
            Some(_) | None => info.name.clone(),
        };
        let kind = if is_main { NodeKind::Start } else { NodeKind::Plain };
        picture.nodes.push(Node { id: id.0, name: format!("{} ({id})", info.name), text, kind });
        let mut calls: BTreeMap<BlockId, usize> = BTreeMap::new();
        for edge in &info.form.edges {
            if let Action::Call(callee) = edge.action {
                *calls.entry(callee).or_default() += 1;
            }
        }
        for (callee, n) in calls {
            let text = if n == 1 { String::new() } else { format!("{n} times") };
            picture.edges.push(Edge { from: id.0, to: callee.0, text, covers: false });
        }
    }
    /// Characters of a label.
    const LONGEST: usize = 200;
    picture.within(most, LONGEST)
}
