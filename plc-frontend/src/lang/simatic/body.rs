//! Bodies: networks in a row, each in a language of its own.

use std::collections::BTreeMap;

use super::{Reader, attribute, bytes};
use crate::ast::{Stmt, VarDecl};
use crate::hir::Diagram;
use crate::lang::network::graph::Network;
use crate::lang::network::{Callee, Callees, Surroundings, hidden_prefix, lower};
use crate::lang::xml::Element;
use crate::text::Span;

/// A body as statements, with the hidden variables they need.
#[derive(Default)]
pub(super) struct Statements {
    pub(super) stmts: Vec<Stmt>,
    pub(super) vars: Vec<VarDecl>,
    /// Drawings of the networks.
    pub(super) diagrams: Vec<Diagram>,
}

/// Consecutive networks that are drawn: jumps lead from one to another.
#[derive(Default)]
struct Drawn {
    networks: Vec<Network>,
    callees: BTreeMap<String, Callee>,
}

impl Reader<'_> {
    /// Reads the networks of a block.
    pub(super) fn body(&mut self, object: Element<'_>, has_memory: bool) -> Statements {
        let mut body = Statements::default();
        let mut drawn = Drawn::default();
        let mut n_bodies = 0;
        let list = object.child("ObjectList").into_iter().flat_map(|l| l.children());
        for unit in list.filter(|e| e.name() == "SW.Blocks.CompileUnit") {
            let source = attribute(unit, "NetworkSource");
            for network in source.into_iter().flat_map(|s| s.children()) {
                let words = match network.name() {
                    "FlgNet" => match self.flgnet(network) {
                        Ok(part) => {
                            drawn.networks.push(part.network);
                            drawn.callees.extend(part.callees);
                            continue;
                        }
                        Err(words) => words,
                    },
                    "StructuredText" => {
                        self.finish_drawn(&mut drawn, &mut body, has_memory, &mut n_bodies);
                        let stmts = self.structured_text(network);
                        body.stmts.extend(stmts);
                        continue;
                    }
                    "StatementList" => "network in statement list (STL)",
                    "Graph" => "sequence in S7-GRAPH",
                    _ => "network in an unknown language",
                };
                self.finish_drawn(&mut drawn, &mut body, has_memory, &mut n_bodies);
                body.stmts.push(Stmt::unsupported(words, network.tag_span()));
            }
        }
        self.finish_drawn(&mut drawn, &mut body, has_memory, &mut n_bodies);
        body
    }

    fn finish_drawn(&mut self, drawn: &mut Drawn, body: &mut Statements, has_memory: bool, n_bodies: &mut u32) {
        let Drawn { networks, callees } = std::mem::take(drawn);
        if networks.is_empty() {
            return;
        }
        let prefix = self.prefix.get_or_insert_with(|| hidden_prefix(self.text));
        let prefix = match *n_bodies {
            0 => prefix.clone(),
            n => format!("{prefix}{n}_"),
        };
        *n_bodies += 1;
        let overlay = &self.overlay.text;
        let text = |span: Span| overlay.get(bytes(span)).unwrap_or("").to_owned();
        let surroundings = Surroundings { prefix: &prefix, has_memory, callees: &Callees(&callees), text: &text };
        let lowered = lower(&networks, &surroundings);
        lowered.diagnostics.into_iter().for_each(|d| self.findings.push(d));
        body.stmts.extend(lowered.stmts);
        body.vars.extend(lowered.vars);
        body.diagrams.extend(lowered.diagrams);
    }
}
