//! Charts: steps, transitions and the lines between them; conditions that are drawn.

use std::collections::{BTreeMap, BTreeSet};

use super::Reader;
use super::body::Place;
use super::inside;
use crate::ast::build::not;
use crate::ast::{
    ActionBlock, ActionBody, Body, Chart, ChartStep, ChartTransition, Expr, Ident, Qualifier, Stmt, TypeSpec, VarDecl,
};
use crate::lang::network::graph::{Kind, Language, Modifiers, Network, Node, Pin};
use crate::lang::st::embedded;
use crate::lang::xml::Element;
use crate::text::{Diagnostic, Span, codes};

/// The parts of a chart and the lines that enter them.
struct Sheet<'d> {
    /// By their numbers.
    by_id: BTreeMap<u64, Element<'d>>,
    /// Elements that are no parts of charts: conditions are drawn with them.
    nodes: Vec<Node>,
}

const JOINTS: &[&str] = &["selectionDivergence", "selectionConvergence", "simultaneousDivergence", "simultaneousConvergence"];

impl<'d> Reader<'d> {
    pub(super) fn chart(&mut self, sfc: Element<'d>, place: &mut Place<'_, 'd>) -> Body {
        if let Some(step) = sfc.children().find(|e| e.name() == "macroStep") {
            return Body::Statements(vec![Stmt::unsupported("chart with a macro step", step.tag_span())]);
        }
        let negated = |e: &Element<'d>| matches!(e.name(), "step" | "actionBlock") && super::is_true(*e, "negated");
        if let Some(part) = sfc.children().find(negated) {
            return Body::Statements(vec![Stmt::unsupported("chart with a negated step", part.tag_span())]);
        }
        let mut sheet = Sheet { by_id: BTreeMap::new(), nodes: Vec::new() };
        for part in sfc.children() {
            let id = part.parsed::<u64>("localId");
            if let Some(id) = id
                && !matches!(part.name(), "comment" | "error")
                && let Some(first) = sheet.by_id.insert(id, part)
            {
                let message = format!("two elements of this chart have the number {id}");
                let finding = Diagnostic::error(codes::NETWORK_DUPLICATE, part.tag_span(), message, "the second");
                self.findings.push(finding.label(first.tag_span(), "the first").help("export the program again"));
            }
            match part.name() {
                "step" | "transition" | "jumpStep" | "actionBlock" | "documentation" | "addData" => {}
                name if JOINTS.contains(&name) => {}
                _ => sheet.nodes.extend(self.element(part)),
            }
        }
        let steps = self.steps(sfc, &sheet);
        let transitions = self.transitions(sfc, &sheet, place);
        if !self.doubts.is_empty() {
            return Body::Statements(std::mem::take(&mut self.doubts));
        }
        Body::Chart(Chart { steps, transitions, span: sfc.tag_span() })
    }

    // -- steps and actions ------------------------------------------------------------------------

    fn steps(&mut self, sfc: Element<'d>, sheet: &Sheet<'d>) -> Vec<ChartStep> {
        let mut actions: BTreeMap<u32, Vec<ActionBlock>> = BTreeMap::new();
        for block in sfc.children_named("actionBlock") {
            let wires = self.wires(block);
            let step = wires.first().and_then(|(id, _)| sheet.by_id.get(id)).filter(|e| e.name() == "step");
            let blocks: Vec<ActionBlock> = block.children_named("action").filter_map(|a| self.action_block(a)).collect();
            match step {
                Some(step) => actions.entry(step.span().start).or_default().extend(blocks),
                None => self.misplaced(block, "it belongs to no step"),
            }
        }
        let mut steps = Vec::new();
        for step in sfc.children_named("step") {
            let Some(name) = self.ident(step, "name") else { continue };
            let initial = super::is_true(step, "initialStep");
            let actions = actions.remove(&step.span().start).unwrap_or_default();
            steps.push(ChartStep { name, initial, actions, span: step.tag_span() });
        }
        steps
    }

    /// Reads `<action qualifier duration> <reference name/> <inline> body </inline>`
    fn action_block(&mut self, element: Element<'d>) -> Option<ActionBlock> {
        let qualifier = match element.attribute("qualifier").map(|v| (v.text.trim().to_ascii_uppercase(), v.span)) {
            None => Qualifier::NonStored,
            Some((word, _)) if word.is_empty() => Qualifier::NonStored,
            Some((word, span)) => match Qualifier::of_word(&word) {
                Some(qualifier) => qualifier,
                None => {
                    let finding =
                        Diagnostic::error("P1010", span, format!("`{word}` is not a qualifier"), "a qualifier was expected");
                    self.findings.push(finding.help("the qualifiers are N R S L D P P0 P1 SD DS SL"));
                    return None;
                }
            },
        };
        if let Some(indicator) = element.filled("indicator") {
            self.unit.ignore(indicator.span, "indicator of an action", "it names a variable for display");
        }
        let duration = element.filled("duration").map(|v| self.expression_of(&v));
        let action = if let Some(reference) = element.child("reference") {
            ActionBody::Named(self.ident(reference, "name")?)
        } else if let Some(inline) = element.child("inline") {
            let body = inline.children().find(|part| !matches!(part.name(), "documentation" | "addData"));
            let body =
                body.map_or(inline, |part| if part.name() == "body" { part.children().next().unwrap_or(part) } else { part });
            ActionBody::Inline(self.inline(body))
        } else {
            self.missing(element, "reference and no statements");
            return None;
        };
        Some(ActionBlock { qualifier, is_bare: false, duration, action, span: element.tag_span() })
    }

    /// Reads statements written in place. Drawings would need names for their hidden variables in the action; ST has none.
    fn inline(&mut self, body: Element<'d>) -> Vec<Stmt> {
        match body.name() {
            "ST" => self.findings.keep(embedded::statements(self.unit.file, &self.texts, inside(body))),
            "IL" => self.findings.keep(crate::lang::il::body(self.unit.file, &self.texts, inside(body))),
            _ => vec![Stmt::unsupported("action drawn in place", body.tag_span())],
        }
    }

    // -- lines ------------------------------------------------------------------------------------

    /// Returns the numbers of the elements whose lines enter this one.
    fn wires(&mut self, element: Element<'d>) -> Vec<(u64, Span)> {
        let mut wires = Vec::new();
        for connection in element.children_named("connectionPointIn").flat_map(|p| p.children_named("connection")) {
            match connection.parsed("refLocalId") {
                Some(id) => wires.push((id, connection.tag_span())),
                None => self.missing(connection, "refLocalId"),
            }
        }
        wires
    }

    /// Returns the `wanted` elements whose lines reach `element`, through joints of the kinds in `pass`.
    fn reached(&mut self, sheet: &Sheet<'d>, element: Element<'d>, wanted: &str, pass: &[&str]) -> Vec<Element<'d>> {
        let (mut found, mut seen, mut waiting) = (Vec::new(), BTreeSet::new(), vec![element]);
        while let Some(at) = waiting.pop() {
            let mut next = Vec::new();
            for (id, span) in self.wires(at) {
                match sheet.by_id.get(&id) {
                    Some(source) if source.name() == wanted => {
                        if seen.insert(id) {
                            found.push(*source);
                        }
                    }
                    Some(source) if pass.contains(&source.name()) => {
                        if seen.insert(id) {
                            next.push(*source);
                        }
                    }
                    Some(source) => {
                        let message = format!("a line from `<{}>` cannot lead to `<{}>`", source.name(), element.name());
                        let finding = Diagnostic::error(codes::NETWORK_DANGLING, span, message, "this line");
                        self.findings.push(finding.help("steps and transitions take turns along each line"));
                    }
                    None => {
                        let message = format!("this line comes from element {id}, which does not exist");
                        let finding = Diagnostic::error(codes::NETWORK_DANGLING, span, message, "comes from nothing");
                        self.findings.push(finding.help("connect it in the engineering system and export the program again"));
                    }
                }
            }
            next.reverse();
            waiting.extend(next);
        }
        found
    }

    fn transitions(&mut self, sfc: Element<'d>, sheet: &Sheet<'d>, place: &mut Place<'_, 'd>) -> Vec<ChartTransition> {
        // The targets of each transition. Steps and jumps name them, because the file keeps lines at their ends.
        let mut targets: BTreeMap<u32, Vec<Ident>> = BTreeMap::new();
        for end in sfc.children().filter(|e| matches!(e.name(), "step" | "jumpStep")) {
            let Some(name) = self.ident(end, if end.name() == "step" { "name" } else { "targetName" }) else { continue };
            let from = self.reached(
                sheet,
                end,
                "transition",
                &["selectionConvergence", "simultaneousDivergence", "selectionDivergence"],
            );
            for transition in from {
                let names = targets.entry(transition.span().start).or_default();
                if !names.iter().any(|n| n.text.eq_ignore_ascii_case(&name.text)) {
                    names.push(name.clone());
                }
            }
        }
        let mut transitions = Vec::new();
        for element in sfc.children_named("transition") {
            let from =
                self.reached(sheet, element, "step", &["selectionDivergence", "simultaneousConvergence", "selectionConvergence"]);
            self.check_alternatives(sheet, element, &from);
            let from: Vec<Ident> = from.into_iter().filter_map(|step| self.ident(step, "name")).collect();
            let to = targets.remove(&element.span().start).unwrap_or_default();
            if from.is_empty() || to.is_empty() {
                let here = if from.is_empty() { "follows no step" } else { "leads to no step" };
                self.misplaced(element, here);
                continue;
            }
            let priority = element.parsed("priority").filter(|p| *p != 0);
            let (prelude, mut condition) = self.condition(element, sheet, place);
            if element.child("condition").is_some_and(|c| super::is_true(c, "negated")) {
                condition = not(condition);
            }
            let at = element.child("position").map_or((0, 0), |p| {
                let part = |name: &str| p.parsed::<f64>(name).unwrap_or(0.0) as i64;
                (part("x"), part("y"))
            });
            let span = element.tag_span();
            transitions.push((at.0, ChartTransition { name: None, priority, from, to, prelude, condition, span }));
        }
        // Of several transitions that leave one step, the leftmost is tested first.
        transitions.sort_by_key(|(x, _)| *x);
        transitions.into_iter().map(|(_, transition)| transition).collect()
    }

    /// Reports several steps before a transition without a double line that joins them.
    fn check_alternatives(&mut self, sheet: &Sheet<'d>, element: Element<'d>, from: &[Element<'d>]) {
        if from.len() < 2 {
            return;
        }
        let joined = self
            .wires(element)
            .iter()
            .filter_map(|(id, _)| sheet.by_id.get(id))
            .any(|e| e.name() == "simultaneousConvergence" || e.name() == "selectionDivergence");
        if !joined {
            self.misplaced(element, "several steps lead here and no double line joins them");
        }
    }

    // -- conditions -------------------------------------------------------------------------------

    /// Reads `<condition>`: a reference, an expression in place, or wires from a network.
    fn condition(&mut self, element: Element<'d>, sheet: &Sheet<'d>, place: &mut Place<'_, 'd>) -> (Vec<Stmt>, Expr) {
        let broken = Expr::error(element.tag_span());
        let Some(condition) = element.child("condition") else {
            self.missing(element, "condition");
            return (Vec::new(), broken);
        };
        if let Some(reference) = condition.child("reference") {
            let Some(name) = self.ident(reference, "name") else { return (Vec::new(), broken) };
            return self.named_condition(&name, place);
        }
        if let Some(inline) = condition.child("inline") {
            let body = inline.child("body").unwrap_or(inline);
            return match body.children().find(|part| matches!(part.name(), "ST" | "LD" | "FBD" | "IL" | "SFC")) {
                Some(part) => self.condition_body(part, None, place),
                None => {
                    self.missing(inline, "condition");
                    (Vec::new(), broken)
                }
            };
        }
        match condition.child("connectionPointIn") {
            Some(point) => self.drawn_condition(point, sheet, place),
            None => {
                self.missing(condition, "condition");
                (Vec::new(), broken)
            }
        }
    }

    /// Reads a condition by its name: a transition of the POU, or a BOOL variable.
    fn named_condition(&mut self, name: &Ident, place: &mut Place<'_, 'd>) -> (Vec<Stmt>, Expr) {
        let list = place.transitions.into_iter().flat_map(|t| t.children_named("transition"));
        let named =
            list.into_iter().find(|t| t.attribute("name").is_some_and(|v| v.text.trim().eq_ignore_ascii_case(&name.text)));
        let variable = Expr::variable(name.clone());
        let Some(transition) = named else { return (Vec::new(), variable) };
        let body = transition.child("body").into_iter().flat_map(|b| b.children()).find(|p| p.name() != "addData");
        match body {
            Some(part) => self.condition_body(part, Some(name), place),
            None => {
                self.missing(transition, "body");
                (Vec::new(), Expr::error(name.span))
            }
        }
    }

    /// Reads a condition as a body. ST is an expression, `:= expression;` or statements that assign the transition's name;
    /// drawings write the transition's name.
    fn condition_body(&mut self, part: Element<'d>, name: Option<&Ident>, place: &mut Place<'_, 'd>) -> (Vec<Stmt>, Expr) {
        let broken = Expr::error(part.tag_span());
        match part.name() {
            "ST" => {
                let range = inside(part);
                let text = self.texts.get(range.clone()).unwrap_or("").to_owned();
                let is_space = |c: char| c.is_whitespace() || c == crate::lang::xml::FILLER;
                let start = range.start + (text.len() - text.trim_start_matches(is_space).len());
                let trimmed = text.trim_matches(is_space);
                let head = trimmed.strip_prefix(":=");
                let (skip, rest) = head.map_or((0, trimmed), |rest| (2, rest));
                let rest = rest.trim_end_matches(|c| is_space(c) || c == ';');
                if head.is_none() && name.is_some() && trimmed.contains(":=") {
                    let stmts = self.sheet(part, place);
                    return self.assigned(stmts, name, place, part.tag_span());
                }
                let start = start + skip;
                let parsed = embedded::expression(self.unit.file, &self.texts, start..start + rest.len());
                (Vec::new(), self.expression(parsed, part.tag_span()))
            }
            "LD" | "FBD" => {
                place.number += 1;
                let stmts = self.sheet(part, place);
                self.assigned(stmts, name, place, part.tag_span())
            }
            _ => (vec![Stmt::unsupported("condition in an instruction list or chart", part.tag_span())], broken),
        }
    }

    /// Makes a condition of statements that write the transition's name: it becomes a hidden BOOL of the POU.
    fn assigned(&mut self, stmts: Vec<Stmt>, name: Option<&Ident>, place: &mut Place<'_, 'd>, span: Span) -> (Vec<Stmt>, Expr) {
        let Some(name) = name else {
            return (vec![Stmt::unsupported("condition drawn in place", span)], Expr::error(span));
        };
        place.hidden.push(hidden_bool(name.clone()));
        (stmts, Expr::variable(name.clone()))
    }

    /// Reads a condition at the end of wires.
    fn drawn_condition(&mut self, point: Element<'d>, sheet: &Sheet<'d>, place: &mut Place<'_, 'd>) -> (Vec<Stmt>, Expr) {
        let span = point.parent().and_then(|c| c.parent()).unwrap_or(point).tag_span();
        let pin = self.pin(point);
        if let (Some(value), true) = (&pin.value, pin.wires.is_empty()) {
            return (Vec::new(), value.clone());
        }
        let mut nodes = drawn(sheet, &pin);
        if let [Node { kind: Kind::Source { value, modifiers }, .. }] = nodes.as_slice()
            && *modifiers == Modifiers::default()
            && pin.wires.len() == 1
        {
            return (Vec::new(), value.clone());
        }
        place.number += 1;
        let result = Ident { text: format!("{}c{}", self.prefix, place.number), span };
        place.hidden.push(hidden_bool(result.clone()));
        let kind = Kind::Coil { operand: Expr::variable(result.clone()), modifiers: Modifiers::default(), input: pin };
        nodes.push(Node { at: Some((i32::MAX, i32::MAX)), ..Node::new(u64::MAX, kind, span) });
        let stmts = self.networks(&[Network { language: Language::Ladder, nodes }], place);
        (stmts, Expr::variable(result))
    }
}

/// Returns the elements that a condition needs, in the order of the file.
fn drawn(sheet: &Sheet<'_>, pin: &Pin) -> Vec<Node> {
    let index: BTreeMap<u64, usize> = sheet.nodes.iter().enumerate().map(|(i, n)| (n.id, i)).collect();
    let mut needed = BTreeSet::new();
    let mut waiting: Vec<u64> = pin.wires.iter().map(|w| w.from).collect();
    while let Some(id) = waiting.pop() {
        if let Some(&i) = index.get(&id)
            && needed.insert(i)
        {
            waiting.extend(sheet.nodes[i].kind.pins().iter().flat_map(|p| &p.wires).map(|w| w.from));
        }
    }
    needed.into_iter().map(|i| sheet.nodes[i].clone()).collect()
}

fn hidden_bool(name: Ident) -> VarDecl {
    let span = name.span;
    VarDecl::new(name, TypeSpec::named("BOOL", span), span)
}
