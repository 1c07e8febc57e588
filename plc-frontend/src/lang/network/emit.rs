//! Elements in their order become statements. Each wire is computed once, into a hidden variable.
//!
//! **Invariant:** drawings find the value of an operand by its place. So every expression made here has an empty place
//! ([`quiet`]), except the call of a block, the feedback over a wire and the NOT of an operand, which stand for what is drawn.

use std::collections::{BTreeMap, BTreeSet};

use super::build::{and, any, is_literal, is_true, not_if, variable, when};
use super::graph::{Kind, Modifiers, Network, Node, Pin, Storage};
use super::link::{Link, Links, Port};
use super::{Callees, Lowering};
use crate::ast::build::not;
use crate::ast::{Edge, Expr, ExprKind, Ident, Notation, Stmt, StmtKind, TypeSpec, VarDecl};
use crate::hir::Carrier;
use crate::text::{Diagnostic, Span, codes, key};

/// Part of hidden names: the operand of a contact or of a variable that is read.
const OWN: &str = "c";
const OWN_VALUE: &str = "v";

/// Value at an output of an element.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) expr: Expr,
    /// Condition for writing a variable that is wired to it: its block has run.
    pub(super) guard: Option<Ident>,
    /// Height of the expression's tree.
    pub(super) height: u32,
}

/// The statements of one network so far.
pub(super) struct Emitter<'a> {
    pub(super) network: &'a Network,
    pub(super) links: &'a Links,
    pub(super) callees: &'a Callees<'a>,
    /// The beginning of its hidden names.
    pub(super) prefix: String,
    pub(super) has_memory: bool,
    pub(super) labels: &'a BTreeMap<String, Span>,
    /// The elements in the order in which they run.
    pub(super) order: &'a [usize],
    /// Elements among them.
    pub(super) runs: Vec<bool>,
    pub(super) values: Vec<Vec<Option<Value>>>,
    /// Places that several elements have in common.
    pub(super) shared: &'a BTreeSet<Span>,
    /// Wires that carry the value of the cycle before.
    pub(super) feedback: BTreeSet<Span>,
    pub(super) out: &'a mut Lowering,
    pub(super) reports: &'a mut Vec<Diagnostic>,
}

impl Emitter<'_> {
    /// Writes the statements of all elements.
    pub(super) fn run(&mut self) {
        let has_turns = self.network.nodes.iter().any(|n| n.order.is_some());
        for (turn, &i) in self.order.iter().enumerate() {
            let node = &self.network.nodes[i];
            if has_turns && node.order.is_none() && matches!(node.kind, Kind::Label(_)) {
                self.gap("label without an execution order among elements that have one", node.span);
            }
            self.element(i, turn, node);
        }
    }

    fn element(&mut self, i: usize, turn: usize, node: &Node) {
        let span = node.span;
        match &node.kind {
            Kind::LeftRail => self.give(i, Expr::truth(true, quiet(node))),
            Kind::Contact { operand, modifiers, input } => {
                let power = self.power(i, input, "contact");
                let closed = self.modified(operand.clone(), *modifiers, i, OWN, span);
                let name = self.bind(i, 0, and(power, closed, quiet(node)), span);
                self.give(i, name);
            }
            Kind::Coil { operand, modifiers, input } => {
                let power = self.power(i, input, "coil");
                let power = self.bind(i, 0, power, span);
                self.store(i, operand, power.clone(), *modifiers, None, span);
                self.give(i, power);
            }
            Kind::Source { value, modifiers } => {
                let value = self.modified(value.clone(), *modifiers, i, OWN_VALUE, span);
                // A literal gets its type at its use; a variable must have one value at all ends of the wire.
                let is_shared = 1 < self.links.n_uses[i][0];
                let value = if is_shared && !is_literal(&value) { self.bind(i, 0, value, span) } else { value };
                self.give(i, value);
            }
            Kind::Sink { target, modifiers, input } => self.sink(i, target, *modifiers, input, span),
            Kind::Both { place, written, read, input } => {
                if !input.is_open() {
                    self.sink(i, place, *written, input, span);
                }
                let value = self.modified(place.clone(), *read, i, OWN_VALUE, span);
                let value = if 1 < self.links.n_uses[i][0] { self.bind(i, 0, value, span) } else { value };
                self.give(i, value);
            }
            Kind::Block(block) => self.block(i, turn, block, span),
            Kind::Connector { input, .. } => {
                let value = self.pin(i, 0, input).unwrap_or_else(|| self.report_open(input.span, "connector"));
                let value = if is_literal(&value) { value } else { self.bind(i, 0, value, span) };
                self.give(i, value);
            }
            Kind::Continuation { .. } => {
                let value = match self.links.into[i].first().and_then(|wires| wires.first()) {
                    Some(&link) => self.read(link),
                    None => Expr::error(span),
                };
                self.give(i, value);
            }
            Kind::Jump { label, negated, input } => {
                let power = input.as_ref().map_or_else(|| Expr::truth(true, span), |input| self.power(i, input, "jump"));
                let kind = if self.labels.contains_key(&key(&label.text)) {
                    StmtKind::Goto(label.clone(), Notation::Other)
                } else {
                    let message = format!("no label has the name `{}`", label.text);
                    let finding = Diagnostic::error(codes::NETWORK_LABEL, label.span, message, "goes nowhere");
                    self.reports.push(finding.help("draw the label, or remove the jump"));
                    StmtKind::Error
                };
                let power = self.bind(i, 0, power, span);
                self.out.stmts.extend(when(not_if(*negated, power), vec![Stmt { kind, span }], node.extent));
            }
            Kind::Return { negated, input } => {
                let power = input.as_ref().map_or_else(|| Expr::truth(true, span), |input| self.power(i, input, "return"));
                let power = self.bind(i, 0, power, span);
                let leave = Stmt { kind: StmtKind::Return, span };
                self.out.stmts.extend(when(not_if(*negated, power), vec![leave], node.extent));
            }
            Kind::Label(label) => self.push(StmtKind::Label(label.clone(), Notation::Other), span),
            Kind::Unmodelled(words) => self.gap(words, span),
            Kind::Assertions(stmts) => self.out.stmts.extend(stmts.iter().cloned()),
            Kind::RightRail(_) | Kind::Comment(_) => {}
        }
    }

    /// Returns the source of the value in a run, for each output of each element.
    pub(super) fn carriers(&self) -> Vec<Vec<Carrier>> {
        let of = |(node, outputs): (&Node, &Vec<Option<Value>>)| -> Vec<Carrier> {
            let n_own = if let Kind::Block(block) = &node.kind { block.outputs.len() } else { outputs.len() };
            // An in-out is no value but a variable.
            outputs.iter().enumerate().map(|(at, v)| self.carrier(v.as_ref().filter(|_| at < n_own))).collect()
        };
        self.network.nodes.iter().zip(&self.values).map(of).collect()
    }

    fn carrier(&self, value: Option<&Value>) -> Carrier {
        let Some(Value { expr, .. }) = value else { return Carrier::Unknown };
        if matches!(expr.kind, ExprKind::Error) {
            Carrier::Unknown
        } else if let Some(name) = self.hidden_name(expr) {
            Carrier::Hidden(name.text.clone())
        } else if is_true(expr) {
            Carrier::Always
        } else {
            super::draw::expression(expr.span)
        }
    }

    // -- reading ----------------------------------------------------------------------------------

    /// Returns the value at the end of a wire.
    pub(super) fn read(&mut self, link: Link) -> Expr {
        let Port { node, output } = link.from;
        if let Some(value) = self.values[node].get(output).and_then(Option::as_ref) {
            return value.expr.clone();
        }
        let source = &self.network.nodes[node];
        if let (Kind::Block(block), true) = (&source.kind, source.kind.remembers()) {
            self.feedback.insert(link.span);
            return self.before(block, output, link.span);
        }
        if let (Kind::Both { place, read, .. }, true) = (&source.kind, source.kind.remembers()) {
            self.feedback.insert(link.span);
            return self.modified(place.clone(), *read, node, OWN_VALUE, link.span);
        }
        // An element that does not run belongs to a reported loop.
        if self.runs[node] {
            self.gap("value of an element that runs later in the cycle", link.span);
        }
        Expr::error(link.span)
    }

    /// Returns the value at an input; `None` if nothing is connected.
    pub(super) fn pin(&mut self, i: usize, input: usize, pin: &Pin) -> Option<Expr> {
        let wires: Vec<Link> = self.links.into[i].get(input).cloned().unwrap_or_default();
        if wires.len() < pin.wires.len() {
            return Some(Expr::error(pin.span));
        }
        let values: Vec<Expr> = wires.into_iter().map(|link| self.read(link)).chain(pin.value.clone()).collect();
        any(values, quiet(&self.network.nodes[i]))
    }

    /// Returns the power at an element that needs one.
    fn power(&mut self, i: usize, input: &Pin, what: &str) -> Expr {
        self.pin(i, 0, input).unwrap_or_else(|| self.report_open(input.span, what))
    }

    fn report_open(&mut self, span: Span, what: &str) -> Expr {
        let finding =
            Diagnostic::error(codes::NETWORK_OPEN, span, format!("this {what} is not connected"), "nothing arrives here");
        self.reports.push(finding.help("connect it, or remove it"));
        Expr::error(span)
    }

    // -- writing ----------------------------------------------------------------------------------

    fn sink(&mut self, i: usize, target: &Expr, modifiers: Modifiers, input: &Pin, span: Span) {
        let guard = match self.links.into[i].first().map(Vec::as_slice) {
            Some([link]) => {
                self.values[link.from.node].get(link.from.output).and_then(Option::as_ref).and_then(|v| v.guard.clone())
            }
            Some(_) | None => None,
        };
        match self.pin(i, 0, input) {
            Some(value) => self.store(i, target, value, modifiers, guard, span),
            None => {
                let _ = self.report_open(input.span, "variable");
            }
        }
    }

    /// Writes a value into a variable.
    pub(super) fn store(&mut self, i: usize, target: &Expr, value: Expr, modifiers: Modifiers, guard: Option<Ident>, span: Span) {
        if modifiers.negated && modifiers.storage.is_some() {
            self.contradiction(span);
        }
        let value = self.modified(value, Modifiers { storage: None, ..modifiers }, i, "e", span);
        let extent = self.network.nodes[i].extent;
        let set = |to: bool, value: Expr| when(value, vec![Stmt::assign(target.clone(), Expr::truth(to, span), span)], extent);
        let stmts = match modifiers.storage {
            None => vec![Stmt::assign(target.clone(), value, span)],
            Some(Storage::Set) => set(true, value),
            Some(Storage::Reset) => set(false, value),
        };
        match guard {
            Some(guard) => self.out.stmts.extend(when(variable(&guard), stmts, extent)),
            None => self.out.stmts.extend(stmts),
        }
    }

    /// Returns the value behind the modifiers of a pin. An edge compares with the value of the evaluation before.
    pub(super) fn modified(&mut self, value: Expr, modifiers: Modifiers, i: usize, tag: &str, span: Span) -> Expr {
        if modifiers.negated && modifiers.edge.is_some() {
            self.contradiction(span);
        }
        if modifiers.storage.is_some() {
            self.gap("stored value at a pin that reads", span);
        }
        // The negation of an operand is drawn with the operand; the negation of a pin belongs to the element at the other end of
        // the wire.
        let is_own = tag == OWN || tag == OWN_VALUE;
        let negated = |value: Expr| if is_own { not(value) } else { Expr { span: quiet(&self.network.nodes[i]), ..not(value) } };
        let Some(edge) = modifiers.edge else { return if modifiers.negated { negated(value) } else { value } };
        if !self.has_memory {
            let message = "an edge needs memory, and a function has none";
            let finding = Diagnostic::error(codes::NETWORK_MEMORY, span, message, "remembers the value of the call before");
            self.reports.push(finding.help("use a function block"));
            return Expr::error(span);
        }
        let name = format!("{}{i}{tag}", self.prefix);
        let here = quiet(&self.network.nodes[i]);
        let now = Ident::new(name.clone(), here);
        let memory = Ident::new(format!("{name}m"), here);
        self.push(StmtKind::Let(now.clone(), value), span);
        let (now, before) = (variable(&now), variable(&memory));
        let rises = match edge {
            Edge::Rising => and(now.clone(), not(before.clone()), here),
            Edge::Falling => and(not(now.clone()), before.clone(), here),
        };
        let pulse = Ident::new(format!("{name}p"), here);
        self.push(StmtKind::Let(pulse.clone(), rises), span);
        self.out.stmts.push(Stmt::assign(before, now, span));
        self.remember(memory, span);
        variable(&pulse)
    }

    fn contradiction(&mut self, span: Span) {
        let message = "this pin is negated and has an edge or is stored: tools do not agree on what that means";
        let finding = Diagnostic::error(codes::NETWORK_MODIFIERS, span, message, "both stand here");
        self.reports.push(finding.help("negate with an element of its own"));
    }

    /// Declares a hidden BOOL that keeps its value.
    fn remember(&mut self, name: Ident, span: Span) {
        self.out.vars.push(VarDecl::new(name, TypeSpec::named("BOOL", span), span));
    }

    /// Assigns a value to the hidden variable of an output; a hidden name or a literal stays as it is.
    pub(super) fn bind(&mut self, i: usize, output: usize, value: Expr, span: Span) -> Expr {
        if self.hidden_name(&value).is_some() || matches!(value.kind, ExprKind::Error | ExprKind::Literal(..)) {
            return value;
        }
        let name = self.hidden(i, output);
        self.push(StmtKind::Let(name.clone(), value), span);
        variable(&name)
    }

    /// Returns the hidden variable that an expression is.
    fn hidden_name<'e>(&self, expr: &'e Expr) -> Option<&'e Ident> {
        let ExprKind::Name(name) = &expr.kind else { return None };
        Some(&name.root).filter(|root| name.path.is_empty() && root.text.starts_with(&self.prefix))
    }

    pub(super) fn hidden(&self, i: usize, output: usize) -> Ident {
        let output = if output == 0 { String::new() } else { format!("_{output}") };
        Ident::new(format!("{}{i}{output}", self.prefix), quiet(&self.network.nodes[i]))
    }

    fn give(&mut self, i: usize, expr: Expr) {
        self.values[i][0] = Some(Value { expr, guard: None, height: 1 });
    }
    pub(super) fn push(&mut self, kind: StmtKind, span: Span) {
        self.out.stmts.push(Stmt { kind, span });
    }
    pub(super) fn gap(&mut self, words: &'static str, span: Span) {
        self.push(StmtKind::Unsupported(words.into()), span);
    }
}

/// Returns the place of expressions that are made for an element and not drawn.
pub(super) fn quiet(node: &Node) -> Span {
    Span { end: node.extent.start, ..node.extent }
}
