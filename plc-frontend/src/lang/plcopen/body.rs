//! Bodies: text, lists of instructions, drawings.

use super::{Reader, inside};
use crate::ast::{Body, Stmt, VarDecl};
use crate::hir::Diagram;
use crate::lang::common::clipped;
use crate::lang::network::graph::{Language, Network};
use crate::lang::network::{Callees, Lowered, Surroundings, lower};
use crate::lang::st::embedded;
use crate::lang::xml::Element;
use crate::text::Span;

/// Surroundings of a body while it is read.
pub(super) struct Place<'a, 'd> {
    /// Number of the body in its POU: hidden names contain it, so that they differ.
    pub(super) number: usize,
    /// Hidden variables keep their values between calls.
    pub(super) has_memory: bool,
    /// `<transitions>` of the POU.
    pub(super) transitions: Option<Element<'d>>,
    /// Hidden variables of the POU that keep their values.
    pub(super) hidden: &'a mut Vec<VarDecl>,
    /// Drawings of the POU's networks.
    pub(super) diagrams: &'a mut Vec<Diagram>,
    /// The action or transition that is read.
    pub(super) home: Option<String>,
}

impl<'d> Reader<'d> {
    /// Reads the body inside of an element; several sheets run one after the other. `None` if there is none.
    pub(super) fn body(&mut self, home: Element<'d>, place: &mut Place<'_, 'd>) -> Option<Body> {
        let bodies: Vec<Element<'d>> = home.children_named("body").collect();
        let mut stmts = Vec::new();
        let mut charts = Vec::new();
        let mut n_sheets = 0;
        for part in bodies.iter().flat_map(|body| body.children()) {
            match part.name() {
                "ST" | "IL" | "LD" | "FBD" => {
                    n_sheets += 1;
                    place.number += 1;
                    stmts.extend(self.sheet(part, place));
                }
                "SFC" => {
                    n_sheets += 1;
                    charts.push(part);
                }
                "documentation" => {}
                "addData" => {
                    for data in part.children_named("data") {
                        for inner in data.children() {
                            if super::project::is_discarded(data) || inner.name() == "ObjectId" {
                                self.no_meaning(data, inner);
                            } else {
                                stmts.push(Stmt::unsupported("body in a vendor's own form", data.tag_span()));
                            }
                        }
                    }
                }
                _ => stmts.push(Stmt::unsupported("body in an unknown language", part.tag_span())),
            }
        }
        match (charts.as_slice(), n_sheets) {
            ([chart], 1) if stmts.is_empty() => Some(self.chart(*chart, place)),
            ([], 0) if stmts.is_empty() && bodies.is_empty() => None,
            ([], _) => Some(Body::Statements(stmts)),
            ([first, ..], _) => {
                stmts.push(Stmt::unsupported("chart on one of several sheets", first.tag_span()));
                Some(Body::Statements(stmts))
            }
        }
    }

    /// Reads the statements of a body, or of a part of one, that is no chart.
    pub(super) fn sheet(&mut self, part: Element<'d>, place: &mut Place<'_, 'd>) -> Vec<Stmt> {
        match part.name() {
            "ST" => self.findings.keep(embedded::statements(self.unit.file, &self.texts, inside(part))),
            "IL" => self.findings.keep(crate::lang::il::body(self.unit.file, &self.texts, inside(part))),
            "LD" | "FBD" => {
                let language = if part.name() == "LD" { Language::Ladder } else { Language::Blocks };
                let nodes = part.children().filter_map(|e| self.element(e)).collect();
                let mut stmts = std::mem::take(&mut self.doubts);
                stmts.extend(self.networks(&[Network { language, nodes }], place));
                stmts
            }
            _ => vec![Stmt::unsupported("body in an unknown language", part.tag_span())],
        }
    }

    /// Lowers networks; their hidden variables become ones of the POU.
    pub(super) fn networks(&mut self, networks: &[Network], place: &mut Place<'_, 'd>) -> Vec<Stmt> {
        let prefix = format!("{}{}_", self.prefix, place.number);
        let plain = self.plain;
        let text = |span: Span| label(plain.get(span.start as usize..span.end as usize).unwrap_or(""));
        let surroundings =
            Surroundings { prefix: &prefix, has_memory: place.has_memory, callees: &Callees(&self.callees), text: &text };
        let Lowered { stmts, vars, diagnostics, diagrams } = lower(networks, &surroundings);
        place.diagrams.extend(diagrams.into_iter().map(|d| Diagram { home: place.home.clone(), ..d }));
        place.hidden.extend(vars);
        diagnostics.into_iter().for_each(|d| self.findings.push(d));
        stmts
    }
}

/// Returns a piece of text as a label: in one line, without the filler for markup.
fn label(text: &str) -> String {
    const LONGEST: usize = 60;
    let is_space = |c: char| c.is_whitespace() || c == crate::lang::xml::FILLER;
    let words: Vec<&str> = text.split(is_space).filter(|w| !w.is_empty()).collect();
    clipped(words.join(" "), LONGEST)
}
