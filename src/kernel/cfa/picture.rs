//! Pictures of automata, for people.

use std::fmt::Write as _;

use super::automaton::{Cfa, LocKind, Op};
use crate::draw::{Edge, Node, NodeKind, Picture};
use crate::expr::ExprPool;

/// Maximum length of a text on one line, in characters. A longer text is cut.
const LONGEST: usize = 600;

/// Returns the automaton as a picture of at most `most` locations.
pub fn picture(pool: &ExprPool, cfa: &Cfa, most: usize) -> Picture {
    let nodes = cfa.locs.iter_enumerated().map(|(id, loc)| {
        let (text, kind) = match loc.kind {
            LocKind::Init => ("start", NodeKind::Start),
            LocKind::Head => ("start of a cycle", NodeKind::Head),
            LocKind::LoopHead => ("head of a loop", NodeKind::Head),
            LocKind::CycleBegin => ("inputs are new", NodeKind::Observed),
            LocKind::CycleEnd => ("end of the cycle", NodeKind::Observed),
            LocKind::Error => ("error", NodeKind::Error),
            LocKind::Call => ("call", NodeKind::Plain),
            LocKind::Cut => ("end of a block", NodeKind::Plain),
            LocKind::Inner => ("", NodeKind::Plain),
        };
        Node { id: id.0, name: id.to_string(), text: text.to_owned(), kind }
    });
    let edges = cfa.edges.iter().take(10 * most).map(|edge| Edge {
        from: edge.source.0,
        to: edge.target.0,
        text: operation(pool, &edge.op),
        covers: false,
    });
    let picture =
        Picture { title: "Control-flow automaton".to_owned(), nodes: nodes.collect(), edges: edges.collect(), n_left_out: 0 };
    picture.within(most, LONGEST)
}

/// Returns an operation, with an update on each line; of a long one the beginning, which has more than [`LONGEST`] characters.
pub fn operation(pool: &ExprPool, op: &Op) -> String {
    /// A character has at most four bytes.
    const BYTES: usize = 4 * LONGEST;
    let (name, show) = (|var| pool.var_decl(var).name.clone(), |e| pool.show_up_to(e, BYTES));
    match op {
        Op::Skip => String::new(),
        Op::Assume(e) => format!("[{}]", show(*e)),
        Op::Assign(var, e) => format!("{} := {}", name(*var), show(*e)),
        Op::Havoc(var) => format!("havoc {}", name(*var)),
        Op::Block(block) => {
            let mut text = format!("[{}]", show(block.guard));
            for (var, e) in &block.updates {
                if BYTES < text.len() {
                    break;
                }
                let _ = write!(text, "\n{} := {}", name(*var), show(*e));
            }
            text
        }
    }
}
