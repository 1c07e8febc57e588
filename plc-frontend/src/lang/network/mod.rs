//! Networks of LD and FBD become statements, the same way for every file format.
//!
//! In reading order:
//! - [`graph`] the elements of a network, `link` their wires, `order` (with `cycles`) the order in which they run,
//! - `emit` and `block` the statements, `draw` the picture, `build` and `hidden` small tools.
//!
//! Knows the AST and nothing of files. **Invariant:** each element is in the statements, or has a finding or a gap. The only
//! exception is an element without an effect that no other element needs.

mod block;
mod build;
mod draw;
mod emit;
pub(crate) mod graph;
mod hidden;
mod link;
mod order;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::{BTreeMap, BTreeSet};

pub(crate) use block::is_enable_name;
pub(crate) use graph::Network;
pub(crate) use hidden::hidden_prefix;

use crate::ast::{Name, Stmt, TypeSpec, VarDecl};
use crate::hir::Diagram;
use crate::text::{Diagnostic, Span, codes, key};
use graph::Kind;

/// Surroundings of a body that is lowered.
pub(crate) struct Surroundings<'a> {
    /// The beginning of hidden names; no name of the program starts with it. Different for each body of a POU.
    pub(crate) prefix: &'a str,
    /// Hidden variables keep their values between calls.
    pub(crate) has_memory: bool,
    /// The functions and blocks whose declarations are known.
    pub(crate) callees: &'a Callees<'a>,
    /// The text at a place, for drawings.
    pub(crate) text: &'a dyn Fn(Span) -> String,
}

/// Declarations that calls may mean.
pub(crate) struct Callees<'a>(pub(crate) &'a BTreeMap<String, Callee>);

/// Declaration of a function or block, as far as it is known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Callee {
    /// It is a function with a result.
    pub(crate) has_result: bool,
    /// Names of VAR_INPUT.
    pub(crate) inputs: Vec<String>,
    /// Names and types of VAR_OUTPUT.
    pub(crate) outputs: Vec<(String, TypeSpec)>,
}

impl Callees<'_> {
    /// Returns a declaration by name, in any case; a path names none.
    pub(crate) fn find(&self, name: &Name) -> Option<&Callee> {
        if name.path.is_empty() { self.0.get(&key(&name.root.text)) } else { None }
    }
}

/// A body of networks as statements.
#[derive(Debug, Default)]
pub(crate) struct Lowered {
    /// Statements of the networks.
    pub(crate) stmts: Vec<Stmt>,
    /// Hidden variables that keep their values between calls.
    pub(crate) vars: Vec<VarDecl>,
    /// Findings about the networks.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Drawings of the networks.
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
    let mut reports = Vec::new();
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
    Lowered { stmts: out.stmts, vars: out.vars, diagnostics: reports, diagrams }
}

/// Returns the places that several elements of a body have in common: a part of a file may become several elements.
fn shared(networks: &[Network]) -> BTreeSet<Span> {
    let mut seen = BTreeSet::new();
    networks.iter().flat_map(|n| &n.nodes).map(|node| node.span).filter(|span| !seen.insert(*span)).collect()
}

/// Returns the labels of a body; reports a label that stands twice.
fn labels(networks: &[Network], reports: &mut Vec<Diagnostic>) -> BTreeMap<String, Span> {
    let mut labels = BTreeMap::new();
    for node in networks.iter().flat_map(|n| &n.nodes) {
        let Kind::Label(label) = &node.kind else { continue };
        if let Some(first) = labels.insert(key(&label.text), label.span) {
            let message = format!("two labels have the name `{}`", label.text);
            let finding = Diagnostic::error(codes::NETWORK_DUPLICATE, label.span, message, "the second");
            reports.push(finding.label(first, "the first").help("rename one of them"));
        }
    }
    labels
}
