//! Networks of LD and FBD, whatever file they stood in, become statements.
//!
//! In reading order: [`graph`] what a network is, `link` wires find their elements, `order` (with `cycles`) when each
//! element runs, `emit` and `block` what it does then, `draw` what it looks like, `build` and
//! `report` small tools.
//!
//! Knows the AST and nothing of files. **Invariant:** an element is either in the statements, or a finding or a gap
//! stands for it; elements that nothing needs and that do nothing have no statement.

mod block;
mod build;
mod cycles;
mod draw;
mod emit;
pub(crate) mod graph;
mod link;
mod order;
mod report;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::{BTreeMap, BTreeSet};

pub(crate) use block::is_enable_name;
pub(crate) use graph::Network;
pub(crate) use report::hidden_prefix;

use crate::ast::{Name, Stmt, TypeSpec, VarDecl};
use crate::hir::Diagram;
use crate::text::codes;
use crate::text::diagnostic::Diagnostic;
use crate::text::key::key;
use crate::text::source::Span;
use graph::Kind;
use report::Reports;

/// What a body is lowered with.
pub(crate) struct Surroundings<'a> {
    /// The beginning of hidden names; no name of the program starts with it. Different for each body of a POU.
    pub(crate) prefix: &'a str,
    /// Whether hidden variables keep their values between calls.
    pub(crate) has_memory: bool,
    /// The functions and blocks whose declarations are known.
    pub(crate) callees: &'a Callees<'a>,
    /// The text at a place, for drawings.
    pub(crate) text: &'a dyn Fn(Span) -> String,
}

/// Declarations that calls may mean.
pub(crate) struct Callees<'a>(pub(crate) &'a BTreeMap<String, Callee>);

/// What is known of a function or block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Callee {
    /// Whether it is a function with a result.
    pub(crate) has_result: bool,
    /// Names of VAR_INPUT.
    pub(crate) inputs: Vec<String>,
    /// Names and types of VAR_OUTPUT.
    pub(crate) outputs: Vec<(String, TypeSpec)>,
}

impl Callees<'_> {
    /// By name, in any case; a path names none.
    pub(crate) fn find(&self, name: &Name) -> Option<&Callee> {
        if name.path.is_empty() { self.0.get(&key(&name.root.text)) } else { None }
    }
}

/// A body of networks as statements.
#[derive(Debug, Default)]
pub(crate) struct Lowered {
    /// What the networks do.
    pub(crate) stmts: Vec<Stmt>,
    /// Hidden variables that keep their values between calls.
    pub(crate) vars: Vec<VarDecl>,
    /// What is wrong.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// What the networks look like.
    pub(crate) diagrams: Vec<Diagram>,
}

/// The statements and variables under construction.
#[derive(Default)]
struct Lowering {
    stmts: Vec<Stmt>,
    vars: Vec<VarDecl>,
}

/// Lowers a body: its sheets one after the other.
pub(crate) fn lower(networks: &[Network], surroundings: &Surroundings<'_>) -> Lowered {
    let mut reports = Reports::default();
    let labels = labels(networks, &mut reports);
    let mut out = Lowering::default();
    let mut diagrams = Vec::new();
    let shared = shared(networks);
    for (number, network) in networks.iter().enumerate() {
        let links = link::link(network, &mut reports);
        let order = order::schedule(network, &links, &mut reports);
        let mut runs = vec![false; network.nodes.len()];
        order.iter().for_each(|&i| runs[i] = true);
        let mut emitter = emit::Emitter {
            network,
            links: &links,
            callees: surroundings.callees,
            prefix: match number {
                0 => surroundings.prefix.to_owned(),
                number => format!("{}{number}_", surroundings.prefix),
            },
            has_memory: surroundings.has_memory,
            labels: &labels,
            order: &order,
            runs,
            values: network.nodes.iter().map(|n| vec![None; n.kind.n_outputs().max(1)]).collect(),
            shared: &shared,
            feedback: BTreeSet::new(),
            out: &mut out,
            reports: &mut reports,
        };
        emitter.run();
        let carriers = emitter.carriers();
        let feedback = std::mem::take(&mut emitter.feedback);
        let groups = order::groups(network, &links, &order);
        let sheet = draw::Sheet { network, links: &links, carriers: &carriers, feedback: &feedback, text: surroundings.text };
        diagrams.extend(draw::draw(&sheet, &groups));
    }
    draw::forget_shared(&mut diagrams);
    Lowered { stmts: out.stmts, vars: out.vars, diagnostics: reports.finish(), diagrams }
}

/// Places that several elements of a body have in common: a part of a file may become several elements.
fn shared(networks: &[Network]) -> BTreeSet<Span> {
    let mut seen = BTreeSet::new();
    networks.iter().flat_map(|n| &n.nodes).map(|node| node.span).filter(|span| !seen.insert(*span)).collect()
}

/// The labels of a body.
fn labels(networks: &[Network], reports: &mut Reports) -> BTreeMap<String, Span> {
    let mut labels = BTreeMap::new();
    for node in networks.iter().flat_map(|n| &n.nodes) {
        let Kind::Label(label) = &node.kind else { continue };
        if let Some(first) = labels.insert(key(&label.text), label.span) {
            let message = format!("two labels have the name `{}`", label.text);
            let finding = reports.error(codes::NETWORK_DUPLICATE, label.span, message, "the second");
            reports.push(finding.label(first, "the first").help("rename one of them"));
        }
    }
    labels
}
