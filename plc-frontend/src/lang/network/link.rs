//! Wires and the elements they come from; a wire that cannot be connected is reported and left open.

use std::collections::BTreeMap;

use super::graph::{Kind, Language, Network, Pin};
use crate::text::{Diagnostic, Span, codes, key};

/// An output of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Port {
    pub(super) node: usize,
    pub(super) output: usize,
}

/// A wire from an output to an input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) from: Port,
    pub(super) span: Span,
}

/// The wires of a network, by the index of the element at their end.
pub(super) struct Links {
    /// Element → input → wires.
    pub(super) into: Vec<Vec<Vec<Link>>>,
    /// Element → output → number of inputs it is wired to.
    pub(super) n_uses: Vec<Vec<u32>>,
    /// Element → output → number of those inputs that are variables with this wire only.
    pub(super) n_sinks: Vec<Vec<u32>>,
}

/// Connects all wires.
pub(super) fn link(network: &Network, reports: &mut Vec<Diagnostic>) -> Links {
    let mut by_id: BTreeMap<u64, usize> = BTreeMap::new();
    let mut connectors: BTreeMap<String, usize> = BTreeMap::new();
    for (index, node) in network.nodes.iter().enumerate() {
        if matches!(node.kind, Kind::Comment(_) | Kind::Assertions(_)) {
            continue;
        }
        if let Some(&first) = by_id.get(&node.id) {
            let message = format!("two elements of this network have the number {}", node.id);
            let finding = Diagnostic::error(codes::NETWORK_DUPLICATE, node.span, message, "the second");
            reports.push(finding.label(network.nodes[first].span, "the first").help("export the program again"));
            continue;
        }
        by_id.insert(node.id, index);
        if let Kind::Connector { name, .. } = &node.kind
            && let Some(first) = connectors.insert(key(&name.text), index)
        {
            let message = format!("two connectors have the name `{}`", name.text);
            let finding = Diagnostic::error(codes::NETWORK_DUPLICATE, name.span, message, "the second");
            reports.push(finding.label(network.nodes[first].span, "the first").help("rename one of them"));
        }
    }
    let zeros: Vec<Vec<u32>> = network.nodes.iter().map(|n| vec![0; n.kind.n_outputs().max(1)]).collect();
    let mut links = Links { into: Vec::new(), n_uses: zeros.clone(), n_sinks: zeros };
    for node in &network.nodes {
        let mut inputs: Vec<Vec<Link>> = Vec::new();
        for pin in node.kind.pins() {
            let wires: Vec<Link> = pin.wires.iter().filter_map(|w| source(network, &by_id, w, reports)).collect();
            check_count(network.language, pin, &wires, network, reports);
            inputs.push(wires);
        }
        if let Kind::Continuation { name } = &node.kind {
            inputs.push(match connectors.get(&key(&name.text)) {
                Some(&connector) => vec![Link { from: Port { node: connector, output: 0 }, span: name.span }],
                None => {
                    let message = format!("no connector has the name `{}`", name.text);
                    let finding = Diagnostic::error(codes::NETWORK_OPEN, name.span, message, "goes on from nothing");
                    reports.push(finding.help("draw a connector of this name, or remove the continuation"));
                    Vec::new()
                }
            });
        }
        for link in inputs.iter().flatten() {
            links.n_uses[link.from.node][link.from.output] += 1;
        }
        if let (Kind::Sink { .. }, [wires]) = (&node.kind, inputs.as_slice())
            && let [link] = wires.as_slice()
        {
            links.n_sinks[link.from.node][link.from.output] += 1;
        }
        links.into.push(inputs);
    }
    links
}

fn source(
    network: &Network,
    by_id: &BTreeMap<u64, usize>,
    wire: &super::graph::Wire,
    reports: &mut Vec<Diagnostic>,
) -> Option<Link> {
    let Some(&node) = by_id.get(&wire.from) else {
        let message = format!("this wire comes from element {}, which does not exist", wire.from);
        let finding = Diagnostic::error(codes::NETWORK_DANGLING, wire.span, message, "comes from nothing");
        reports.push(finding.help("connect it in the engineering system and export the program again"));
        return None;
    };
    match output_of(&network.nodes[node].kind, wire.output.as_ref().map(|o| o.text.as_str())) {
        Ok(output) => Some(Link { from: Port { node, output }, span: wire.span }),
        Err(why) => {
            let finding = Diagnostic::error(codes::NETWORK_DANGLING, wire.span, why, "comes from no output");
            reports.push(finding.label(network.nodes[node].span, "the element it comes from"));
            None
        }
    }
}

/// Returns the number of the output called `name`.
fn output_of(kind: &Kind, name: Option<&str>) -> Result<usize, String> {
    let Kind::Block(block) = kind else {
        let has_output = 0 < kind.n_outputs();
        return if has_output { Ok(0) } else { Err("this wire comes from an element that has no output".to_owned()) };
    };
    let names: Vec<&str> =
        block.outputs.iter().map(|o| &o.name).chain(block.in_outs.iter().map(|i| &i.name)).map(|n| n.text.as_str()).collect();
    match name {
        Some(name) if !name.is_empty() || names.contains(&"") => names
            .iter()
            .position(|n| n.eq_ignore_ascii_case(name))
            .ok_or_else(|| format!("`{}` has no output `{name}`", block.callee.root.text)),
        Some(_) | None => match names.len() {
            1 => Ok(0),
            n => Err(format!("this wire does not say which of the {n} outputs of `{}` it comes from", block.callee.root.text)),
        },
    }
}

/// Reports several wires on one input. In LD they are parallel branches of power; in FBD, and for other values, a mistake.
fn check_count(language: Language, pin: &Pin, wires: &[Link], network: &Network, reports: &mut Vec<Diagnostic>) {
    let Some(second) = wires.get(1) else { return };
    let is_value = |link: &Link| matches!(network.nodes[link.from.node].kind, Kind::Source { .. } | Kind::Both { .. });
    if language == Language::Ladder && !wires.iter().any(is_value) && pin.value.is_none() {
        return;
    }
    let finding = Diagnostic::error(codes::NETWORK_TWO_WIRES, second.span, "two wires end at one input", "the second");
    reports.push(finding.label(wires[0].span, "the first").help("connect one of them, or join both with an OR block"));
}
