//! POUs: a declaration, a body, and members that each have a declaration and a body of their own.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Reader;
use super::object::{WITHOUT_MEANING, name_of};
use crate::ast::unnamed_pin::is_unnamed;
use crate::ast::{ActionDecl, Assumed, Body, Ident, Item, Method, PouKind, Property, Section, Stmt, VarBlock, VarDecl};
use crate::dialect::is_check;
use crate::hir::Diagram;
use crate::lang::common::state_chart;
use crate::lang::network::graph::{Kind, Node};
use crate::lang::network::{Callees, Lowered, Surroundings, hidden_prefix, lower};
use crate::lang::st::embedded;
use crate::lang::xml::Element;
use crate::text::{FileId, Parsed, Span};

/// Names in the ledger for bodies that are drawn and kept in TwinCAT's own form.
const DRAWN: &[(&str, &str)] = &[
    ("NWL", "body in ladder or function blocks (NWL)"),
    ("CFC", "body in continuous function chart (CFC)"),
    ("SFC", "body in sequential function chart (SFC)"),
    ("UML", "body in UML"),
];

/// Condition of a body whose elements have no execution order in the file.
const FILE_ORDER: &str = "the file has no other order, and no public manual describes its form";

const DECLARED_ORDER: &str = "the file has only the places of these pins, and no public manual describes its form";

/// Charts of a POU: parts of it besides their statements.
pub(super) struct Charts {
    /// Name of the POU.
    pou: Ident,
    /// Hidden variables keep their values between calls.
    has_memory: bool,
    /// The action that is read.
    home: Option<String>,
    n_charts: usize,
    hidden: Vec<VarDecl>,
    diagrams: Vec<Diagram>,
    assumed: Vec<Assumed>,
}

/// Reader of a piece of ST in a file.
type ReadPiece<T> = fn(FileId, &str, Range<usize>) -> Parsed<Option<T>>;

/// Methods, properties and actions of an object.
#[derive(Default)]
pub(super) struct Members {
    pub(super) methods: Vec<Method>,
    pub(super) properties: Vec<Property>,
    pub(super) actions: Vec<ActionDecl>,
}

impl Reader<'_> {
    pub(super) fn pou(&mut self, object: Element<'_>) -> bool {
        let mut items = self.declaration(object);
        let pou = items.iter().position(|item| matches!(item, Item::Pou(_))).map(|at| items.remove(at));
        self.unit.items.append(&mut items);
        let Some(Item::Pou(mut pou)) = pou else {
            if object.child("Declaration").is_some() && self.findings.is_empty() {
                self.missing(object.tag_span(), "the declaration of this POU declares none".to_owned());
            }
            return true;
        };
        let mut charts = Charts {
            pou: pou.name.clone(),
            has_memory: pou.kind != PouKind::Function,
            home: None,
            n_charts: 0,
            hidden: Vec::new(),
            diagrams: Vec::new(),
            assumed: Vec::new(),
        };
        let members = self.members(object, Some(&mut charts));
        pou.methods.extend(members.methods);
        pou.properties.extend(members.properties);
        pou.actions.extend(members.actions);
        charts.home = None;
        match self.body(object, Some(&mut charts)) {
            Some(body) => pou.body = body,
            None => self.missing(object.tag_span(), format!("`{}` has no implementation", pou.name.text)),
        }
        state_chart::mark(&mut pou.body, &pou.vars, object.tag_span());
        if !charts.hidden.is_empty() {
            pou.vars.push(VarBlock::new(Section::Var, charts.hidden, object.tag_span()));
        }
        pou.diagrams = charts.diagrams;
        pou.assumed.extend(charts.assumed);
        pou.span = pou.span.to(object.span());
        // The resolver calls known checks, or names them.
        let is_known = is_check(&pou);
        self.unit.items.push(Item::Pou(pou));
        if let Some(special) = object.attribute("SpecialFunc").filter(|v| v.text != "None" && !is_known) {
            self.unit.items.push(Item::Unsupported("function that TwinCAT calls before each operation of a kind", special.span));
        }
        true
    }

    /// Reads the methods, properties and actions inside of an object.
    pub(super) fn members(&mut self, object: Element<'_>, mut charts: Option<&mut Charts>) -> Members {
        let mut members = Members::default();
        for part in object.children() {
            match part.name() {
                "Declaration" | "Implementation" => {}
                "Method" => members.methods.extend(self.method(part)),
                "Property" => members.properties.extend(self.property(part)),
                "Action" => members.actions.extend(self.action(part, charts.as_deref_mut())),
                "Transition" => {
                    self.unit.items.push(Item::Unsupported("transition of a sequential function chart", part.tag_span()));
                }
                name if WITHOUT_MEANING.contains(&name) => {}
                _ => self.unit.items.push(Item::Unsupported("part of a POU of an unknown kind", part.tag_span())),
            }
        }
        members
    }

    /// Reads the declaration of a member, and reports a missing one.
    fn declared<T>(&mut self, part: Element<'_>, kind: &str, read: ReadPiece<T>) -> Option<T> {
        let Some(range) = part.child("Declaration").and_then(|d| d.text_range()) else {
            self.missing(part.tag_span(), format!("this {kind} has no declaration"));
            return None;
        };
        let parsed = read(self.unit.file, self.plain, range);
        let is_sound = !parsed.has_errors();
        let declared = self.findings.keep(parsed);
        if declared.is_none() && is_sound {
            self.missing(part.tag_span(), format!("the declaration of this {kind} declares none"));
        }
        declared
    }

    fn method(&mut self, part: Element<'_>) -> Option<Method> {
        let mut method = self.declared(part, "method", embedded::method_declaration)?;
        let is_prototype = part.parent().is_some_and(|p| p.name() == "Itf") || method.modifiers.is_abstract;
        match self.body(part, None) {
            Some(_) if is_prototype => {}
            Some(mut body) => {
                state_chart::mark(&mut body, &method.vars, part.tag_span());
                method.body = Some(body);
            }
            None if is_prototype => {}
            None => self.missing(part.tag_span(), format!("the method `{}` has no implementation", method.name.text)),
        }
        method.span = method.span.to(part.span());
        Some(method)
    }

    fn property(&mut self, part: Element<'_>) -> Option<Property> {
        let mut property = self.declared(part, "property", embedded::property_declaration)?;
        property.getter = part.child("Get").and_then(|get| self.accessor(get, &property));
        property.setter = part.child("Set").and_then(|set| self.accessor(set, &property));
        property.span = property.span.to(part.span());
        Some(property)
    }

    fn accessor(&mut self, part: Element<'_>, property: &Property) -> Option<Method> {
        let vars = match part.child("Declaration").and_then(|d| d.text_range()) {
            Some(range) => self.findings.keep(embedded::var_blocks(self.unit.file, self.plain, range)),
            None => Vec::new(),
        };
        let is_prototype =
            property.modifiers.is_abstract || part.parent().and_then(|p| p.parent()).is_some_and(|object| object.name() == "Itf");
        let body = self.body(part, None);
        if body.is_none() && !is_prototype {
            self.missing(part.tag_span(), format!("the property `{}` has no implementation here", property.name.text));
        }
        let mut name = property.name.clone();
        name.span = part.tag_span();
        let body = body.filter(|_| !is_prototype);
        Some(Method { name, modifiers: property.modifiers, result: None, vars, body, span: part.span() })
    }

    fn action(&mut self, part: Element<'_>, mut charts: Option<&mut Charts>) -> Option<ActionDecl> {
        let Some(name) = name_of(part) else {
            self.missing(part.tag_span(), "this action has no name".to_owned());
            return None;
        };
        if let Some(charts) = charts.as_deref_mut() {
            charts.home = Some(name.text.clone());
        }
        let body = self.body(part, charts);
        if body.is_none() {
            self.missing(part.tag_span(), format!("the action `{}` has no implementation", name.text));
        }
        Some(ActionDecl { name, body: body.unwrap_or_else(Body::empty), span: part.span() })
    }

    /// Reads the body of a POU or member; `None` if the file has none. Charts of methods and properties are gaps.
    fn body(&mut self, part: Element<'_>, mut charts: Option<&mut Charts>) -> Option<Body> {
        let implementation = part.child("Implementation")?;
        let mut stmts = Vec::new();
        for language in implementation.children() {
            match (language.name(), language.text_range()) {
                ("ST", Some(range)) => {
                    stmts.extend(self.findings.keep(embedded::statements(self.unit.file, self.plain, range)));
                }
                ("ST", None) => {}
                ("CFC", _) if let Some(charts) = charts.as_deref_mut() => stmts.extend(self.lowered_chart(language, charts)),
                (name, _) => {
                    let words = DRAWN.iter().find(|(n, _)| *n == name).map_or("body in an unknown language", |(_, words)| words);
                    stmts.push(Stmt::unsupported(words, language.tag_span()));
                }
            }
        }
        Some(Body::Statements(stmts))
    }

    /// Reads a chart as statements.
    fn lowered_chart(&mut self, body: Element<'_>, charts: &mut Charts) -> Vec<Stmt> {
        let network = match self.chart(body) {
            Ok(network) => network,
            Err(gap) => return vec![Stmt::unsupported(gap, body.tag_span())],
        };
        let has_unnamed_pins = network.nodes.iter().any(has_unnamed_pins);
        charts.n_charts += 1;
        let prefix = format!("{}{}_", hidden_prefix(self.plain), charts.n_charts);
        let plain = self.plain;
        let text = |span: Span| plain.get(span.start as usize..span.end as usize).unwrap_or("").trim().to_owned();
        let callees = BTreeMap::new();
        let surroundings =
            Surroundings { prefix: &prefix, has_memory: charts.has_memory, callees: &Callees(&callees), text: &text };
        let Lowered { stmts, vars, diagnostics, diagrams } = lower(&[network], &surroundings);
        charts.diagrams.extend(diagrams.into_iter().map(|diagram| Diagram { home: charts.home.clone(), ..diagram }));
        charts.hidden.extend(vars);
        let place = charts.home.as_ref().map_or(charts.pou.text.clone(), |home| format!("{}.{home}", charts.pou.text));
        charts.assumed.push(Assumed {
            is_cut: false,
            about: Vec::new(),
            condition: format!("elements of the chart `{place}` run in the order of its file"),
            reason: FILE_ORDER,
            span: charts.pou.span,
        });
        if has_unnamed_pins {
            charts.assumed.push(Assumed {
                is_cut: false,
                about: Vec::new(),
                condition: format!(
                    "pins without names in the chart `{place}` are the declared inputs and outputs of their blocks, in order"
                ),
                reason: DECLARED_ORDER,
                span: charts.pou.span,
            });
        }
        diagnostics.into_iter().for_each(|d| self.findings.push(d));
        stmts
    }
}

/// Returns whether an element is a block whose used pins have no names.
fn has_unnamed_pins(node: &Node) -> bool {
    let Kind::Block(block) = &node.kind else { return false };
    block
        .inputs
        .iter()
        .map(|input| &input.name)
        .chain(block.outputs.iter().map(|output| &output.name))
        .any(|name| is_unnamed(&name.text))
}
