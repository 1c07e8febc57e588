//! Graphviz, for people.

use std::fmt::Write as _;

use super::automaton::{Cfa, LocKind, Op};
use crate::expr::ExprPool;

/// The automaton as a DOT graph. Long expressions are cut.
pub fn dot(pool: &ExprPool, cfa: &Cfa) -> String {
    let mut out = String::from("digraph cfa {\n  node [shape=circle, fontsize=10];\n  edge [fontsize=9];\n");
    for (id, loc) in cfa.locs.iter_enumerated() {
        let style = match loc.kind {
            LocKind::Init => ", shape=point",
            LocKind::Head => ", shape=doublecircle",
            LocKind::LoopHead | LocKind::Cut => ", peripheries=2",
            LocKind::Error => ", style=filled, fillcolor=salmon",
            LocKind::CycleBegin | LocKind::CycleEnd => ", style=filled, fillcolor=lightgrey",
            LocKind::Inner | LocKind::Call => "",
        };
        let _ = writeln!(out, "  {id} [label=\"{id}\"{style}];");
    }
    for edge in cfa.edges.iter() {
        let _ = writeln!(out, "  {} -> {} [label=\"{}\"];", edge.source, edge.target, escape(&operation(pool, &edge.op)));
    }
    out.push_str("}\n");
    out
}

/// An operation on one line.
pub fn operation(pool: &ExprPool, op: &Op) -> String {
    let name = |var| pool.var_decl(var).name.clone();
    match op {
        Op::Skip => String::new(),
        Op::Assume(e) => format!("[{}]", pool.show(*e)),
        Op::Assign(var, e) => format!("{} := {}", name(*var), pool.show(*e)),
        Op::Havoc(var) => format!("havoc {}", name(*var)),
        Op::Block(block) => {
            let mut text = format!("[{}]", pool.show(block.guard));
            for (var, e) in &block.updates {
                let _ = write!(text, "\n{} := {}", name(*var), pool.show(*e));
            }
            text
        }
    }
}

fn escape(text: &str) -> String {
    const LONGEST: usize = 600;
    let mut cut: String = text.chars().take(LONGEST).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
