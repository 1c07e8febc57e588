//! Elements of LD and FBD.

use super::Reader;
use crate::ast::{Edge, Expr, ExprKind, Ident, Name};
use crate::lang::network::graph::{Block, Input, Kind, Modifiers, Node, Output, Pin, Storage, Wire};
use crate::lang::st::embedded;
use crate::lang::xml::Element;
use crate::text::Diagnostic;

impl<'d> Reader<'d> {
    /// Reads a drawn element; `None` for parts that are no elements, and for broken elements with a finding.
    pub(super) fn element(&mut self, element: Element<'d>) -> Option<Node> {
        let kind = match element.name() {
            "leftPowerRail" => Kind::LeftRail,
            "rightPowerRail" => Kind::RightRail(element.children_named("connectionPointIn").map(|p| self.pin(p)).collect()),
            "contact" => Kind::Contact {
                operand: self.part(element, "variable"),
                modifiers: self.modifiers(element),
                input: self.input(element),
            },
            "coil" => Kind::Coil {
                operand: self.part(element, "variable"),
                modifiers: self.modifiers(element),
                input: self.input(element),
            },
            "inVariable" => Kind::Source { value: self.part(element, "expression"), modifiers: self.modifiers(element) },
            "outVariable" => Kind::Sink {
                target: self.part(element, "expression"),
                modifiers: self.modifiers(element),
                input: self.input(element),
            },
            "inOutVariable" => Kind::Both {
                place: self.part(element, "expression"),
                written: self.directed(element, "In"),
                read: self.directed(element, "Out"),
                input: self.input(element),
            },
            "block" => Kind::Block(self.block_element(element)?),
            "connector" => Kind::Connector { name: self.words(element, "name")?, input: self.input(element) },
            "continuation" => Kind::Continuation { name: self.words(element, "name")? },
            "label" => Kind::Label(self.ident(element, "label")?),
            "jump" => Kind::Jump {
                label: self.ident(element, "label")?,
                negated: super::is_true(element, "negated"),
                input: self.optional_input(element),
            },
            "return" => Kind::Return { negated: super::is_true(element, "negated"), input: self.optional_input(element) },
            "comment" | "error" => self.comment(element),
            "vendorElement" => self.vendor_element(element),
            "actionBlock" => Kind::Unmodelled("action block outside of a chart"),
            "documentation" | "addData" => return None,
            _ => Kind::Unmodelled(super::UNKNOWN_ELEMENT),
        };
        if !matches!(kind, Kind::Unmodelled(_)) {
            self.unread(element);
        }
        self.node(element, kind)
    }

    /// Returns an element with its number, order and position.
    pub(super) fn node(&mut self, element: Element<'d>, kind: Kind) -> Option<Node> {
        let id = element.parsed::<u64>("localId");
        let is_named = !matches!(kind, Kind::Comment(_) | Kind::Assertions(_) | Kind::Unmodelled(_));
        if id.is_none() && is_named {
            self.missing(element, "localId");
        }
        // Tools write 0 for elements without an order.
        let order = element.parsed::<u32>("executionOrderId").filter(|n| 0 < *n);
        let at = element.child("position").and_then(|p| Some((number(p, "x")?, number(p, "y")?)));
        let size = (number(element, "width").unwrap_or(0), number(element, "height").unwrap_or(0));
        let span = kind.operand().map_or(element.tag_span(), |operand| operand.span);
        Some(Node { id: id.unwrap_or(u64::MAX), kind, order, at, size, span, extent: element.span() })
    }

    /// Reads the expression in the element's child `name`.
    fn part(&mut self, element: Element<'d>, name: &str) -> Expr {
        match element.child(name) {
            Some(part) => self.expression_in(part),
            None => {
                self.missing(element, name);
                Expr::error(element.tag_span())
            }
        }
    }

    /// Reads an attribute as a text that need not be an identifier.
    fn words(&mut self, element: Element<'d>, name: &str) -> Option<Ident> {
        let value = self.required(element, name)?;
        Some(Ident::new(value.text.trim(), value.span))
    }

    pub(super) fn input(&mut self, element: Element<'d>) -> Pin {
        self.optional_input(element).unwrap_or(Pin::open(element.tag_span()))
    }

    fn optional_input(&mut self, element: Element<'d>) -> Option<Pin> {
        element.child("connectionPointIn").map(|point| self.pin(point))
    }

    /// Reads `<connectionPointIn> <connection refLocalId formalParameter/> <expression/>`
    pub(super) fn pin(&mut self, point: Element<'d>) -> Pin {
        let mut pin = Pin::open(point.parent().unwrap_or(point).tag_span());
        for part in point.children() {
            match part.name() {
                "connection" => {
                    let output = part.attribute("formalParameter");
                    let output = output.map(|v| Ident { text: v.text.trim().to_owned(), span: v.span });
                    match part.parsed::<u64>("refLocalId") {
                        Some(from) => pin.wires.push(Wire { from, output, span: part.tag_span() }),
                        None => self.missing(part, "refLocalId"),
                    }
                }
                "expression" => pin.value = Some(self.expression_in(part)),
                "relPosition" | "addData" => {}
                _ => self.doubt("part of an element that is not known", part.tag_span()),
            }
        }
        pin
    }

    fn block_element(&mut self, element: Element<'d>) -> Option<Block> {
        let callee = self.required(element, "typeName")?;
        let callee = self.path(&callee)?;
        let instance = match element.filled("instanceName") {
            Some(name) => Some(self.instance(&name)?),
            None => None,
        };
        let mut block = Block { callee, instance, inputs: Vec::new(), in_outs: Vec::new(), outputs: Vec::new() };
        for part in element.children() {
            let variables = part.children_named("variable");
            match part.name() {
                "inputVariables" => block.inputs.extend(variables.map(|v| self.block_input(v))),
                "inOutVariables" => block.in_outs.extend(variables.map(|v| self.block_input(v))),
                "outputVariables" => block.outputs.extend(variables.map(|v| self.block_output(v))),
                "position" | "documentation" => {}
                "addData" => self.block_data(part),
                _ => self.doubt("part of an element that is not known", part.tag_span()),
            }
        }
        Some(block)
    }

    fn instance(&mut self, name: &crate::lang::xml::Value<'_>) -> Option<Name> {
        let expr = self.expression_of(name);
        if let ExprKind::Name(name) = expr.kind {
            return Some(name);
        }
        if !matches!(expr.kind, ExprKind::Error) {
            let message = format!("`{}` is not an instance", name.text);
            let finding = Diagnostic::error("P1010", name.span, message, "the name of an instance was expected");
            self.findings.push(finding.help("name the instance in the engineering system"));
        }
        None
    }

    fn parameter(&mut self, variable: Element<'d>) -> Ident {
        let name = variable.attribute("formalParameter");
        name.map_or(Ident::new("", variable.tag_span()), |v| Ident::new(v.text.trim(), v.span))
    }

    fn block_input(&mut self, variable: Element<'d>) -> Input {
        let pin = variable.child("connectionPointIn").map(|point| self.pin(point));
        let pin = pin.unwrap_or(Pin::open(variable.tag_span()));
        Input { name: self.parameter(variable), modifiers: self.modifiers(variable), pin }
    }

    fn block_output(&mut self, variable: Element<'d>) -> Output {
        let target = variable.child("connectionPointOut").and_then(|point| point.child("expression"));
        let target = target.filter(|e| e.text_range().is_some()).map(|e| self.expression_in(e));
        Output { name: self.parameter(variable), modifiers: self.modifiers(variable), target }
    }

    /// Reads vendors' data of an element. CODESYS gives each block its kind of call; other data may change its effect.
    fn block_data(&mut self, add_data: Element<'d>) {
        for data in add_data.children_named("data") {
            for part in data.children() {
                if !matches!(
                    part.name(),
                    "CallType" | "ObjectId" | "inputparamtypes" | "outputparamtypes" | "InputParamTypes" | "OutputParamTypes"
                ) && !super::project::is_discarded(data)
                {
                    self.doubt("vendor's data of an element", data.tag_span());
                }
            }
        }
    }

    /// Reads a comment: words for people, or assertions alone.
    fn comment(&mut self, element: Element<'d>) -> Kind {
        let words = self.texts.get(super::inside(element)).unwrap_or("");
        if !words.contains("#ASSERT") {
            return Kind::Comment(String::new());
        }
        Kind::Assertions(self.findings.keep(embedded::statements(self.unit.file, &self.texts, super::inside(element))))
    }

    /// Reads a vendor's element: CODESYS writes titles and comments of networks as elements of its own.
    fn vendor_element(&mut self, element: Element<'d>) -> Kind {
        let kind = element.descendants().find(|e| e.name() == "ElementType").map(|e| e.text().trim().to_ascii_lowercase());
        match kind.as_deref() {
            Some("networktitle" | "networkcomment" | "comment") => Kind::Comment(String::new()),
            Some(_) | None => Kind::Unmodelled("element of a vendor's own kind"),
        }
    }

    /// Reads the attributes `negated`, `edge` and `storage`.
    fn modifiers(&mut self, element: Element<'d>) -> Modifiers {
        self.directed(element, "")
    }

    /// Reads these attributes for one side of an element: `negatedIn`, `edgeOut` …
    fn directed(&mut self, element: Element<'d>, side: &str) -> Modifiers {
        let mut word = |name: &str, known: [&str; 2]| {
            let value = element.attribute(&format!("{name}{side}"))?;
            let text = value.text.trim().to_ascii_lowercase();
            let found = known.iter().position(|k| *k == text);
            if found.is_none() && !matches!(text.as_str(), "" | "none") {
                let message = format!("`{text}` is not a value of `{name}`");
                let finding = Diagnostic::error("P1010", value.span, message, "not known");
                self.findings.push(finding.help(format!("the values are none, {} and {}", known[0], known[1])));
            }
            found
        };
        let edge = word("edge", ["rising", "falling"]).map(|i| if i == 0 { Edge::Rising } else { Edge::Falling });
        let storage = word("storage", ["set", "reset"]).map(|i| if i == 0 { Storage::Set } else { Storage::Reset });
        Modifiers { negated: super::is_true(element, &format!("negated{side}")), edge, storage }
    }

    /// Reports parts of an element that are not read.
    fn unread(&mut self, element: Element<'d>) {
        const READ: &[&str] = &[
            "position",
            "connectionPointIn",
            "connectionPointOut",
            "variable",
            "expression",
            "documentation",
            "content",
            "inputVariables",
            "inOutVariables",
            "outputVariables",
            "alternativeText",
        ];
        for part in element.children() {
            match part.name() {
                "addData" if element.name() != "block" && element.name() != "vendorElement" => self.block_data(part),
                "addData" => {}
                name if READ.contains(&name) => {}
                _ if matches!(element.name(), "comment" | "error" | "vendorElement") => {}
                _ => self.doubt("part of an element that is not known", part.tag_span()),
            }
        }
    }
}

/// Returns a coordinate, rounded; drawings far away from their sheet stay at its border.
fn number(element: Element<'_>, name: &str) -> Option<i32> {
    let value: f64 = element.attribute(name)?.text.trim().parse().ok()?;
    const FAR: f64 = 1e8;
    value.is_finite().then(|| value.clamp(-FAR, FAR) as i32)
}
