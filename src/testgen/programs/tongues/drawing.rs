//! Random programs as drawings in PLCopen XML: blocks, or contacts and coils where these suffice.

use std::fmt::Write as _;

use super::{Action, FLAGS, Number, SWITCHES, Truth};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Blocks,
    Ladder,
}

/// The left power rail's number.
const RAIL: usize = 1;

struct Drawing {
    style: Style,
    out: String,
    n_elements: usize,
    /// The top of the present network.
    y: usize,
}

/// The end of a wire: an element, with the output of a block.
type From = (usize, &'static str);

pub(super) fn drawn(actions: &[Action], n_instances: usize, style: Style) -> String {
    let mut drawing = Drawing { style, out: String::new(), n_elements: RAIL, y: 0 };
    let rail = "<position x=\"0\" y=\"0\"/><connectionPointOut formalParameter=\"\"/>";
    if style == Style::Ladder {
        let _ = writeln!(drawing.out, "<leftPowerRail localId=\"{RAIL}\">{rail}</leftPowerRail>");
    }
    actions.iter().for_each(|action| drawing.action(action));
    let variable = |name: &str, ty: &str| format!("<variable name=\"{name}\"><type>{ty}</type></variable>");
    let each = |names: &[&str], ty: &str| names.iter().fold(String::new(), |s, name| s + &variable(name, ty));
    let inputs = each(&SWITCHES, "<BOOL/>") + &variable("k0", "<INT/>");
    let mut locals = each(&FLAGS, "<BOOL/>") + &each(&["t"], "<BOOL/>") + &each(&["n0", "n1"], "<INT/>");
    for i in 0..n_instances {
        locals += &variable(&format!("e{i}"), "<derived name=\"R_TRIG\"/>");
        locals += &variable(&format!("d{i}"), "<derived name=\"TON\"/>");
    }
    let language = if style == Style::Ladder { "LD" } else { "FBD" };
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<project xmlns=\"http://www.plcopen.org/xml/tc6_0201\">\n<fileHeader/><contentHeader name=\"x\"/>\n\
         <types><dataTypes/><pous><pou name=\"Main\" pouType=\"program\"><interface><inputVars>{inputs}</inputVars><localVars>{locals}</localVars></interface>\n\
         <body><{language}>\n{}</{language}></body></pou></pous></types>\n<instances><configurations/></instances>\n</project>\n",
        drawing.out
    )
}

fn point(from: &[From]) -> String {
    let wires = from.iter().map(|(id, output)| match *output {
        "" => format!("<connection refLocalId=\"{id}\"/>"),
        output => format!("<connection refLocalId=\"{id}\" formalParameter=\"{output}\"/>"),
    });
    format!("<connectionPointIn>{}</connectionPointIn>", wires.collect::<String>())
}

/// Returns true if contacts can express the condition.
fn is_contacts(e: &Truth) -> bool {
    match e {
        Truth::Name(_) => true,
        Truth::Not(e) => matches!(&**e, Truth::Name(_)),
        Truth::Both(op, a, b) => *op != "XOR" && is_contacts(a) && is_contacts(b),
        Truth::Compare(..) => false,
    }
}

impl Drawing {
    fn element(&mut self, kind: &str, more: &str, inner: &str) -> usize {
        self.n_elements += 1;
        let (id, x, y) = (self.n_elements, 10 * self.n_elements, self.y);
        let _ = writeln!(
            self.out,
            "<{kind} localId=\"{id}\" width=\"8\" height=\"8\" {more}><position x=\"{x}\" y=\"{y}\"/>{inner}</{kind}>"
        );
        id
    }

    fn source(&mut self, text: &str) -> From {
        (self.element("inVariable", "", &format!("<connectionPointOut/><expression>{text}</expression>")), "")
    }

    fn block(&mut self, ty: &str, instance: Option<&str>, inputs: &[(&str, From)], output: &'static str) -> From {
        let instance = instance.map_or(String::new(), |name| format!("instanceName=\"{name}\""));
        let pins =
            inputs.iter().map(|(name, from)| format!("<variable formalParameter=\"{name}\">{}</variable>", point(&[*from])));
        let inner = format!(
            "<inputVariables>{}</inputVariables><inOutVariables/><outputVariables><variable formalParameter=\"{output}\"><connectionPointOut/></variable></outputVariables>",
            pins.collect::<String>()
        );
        (self.element("block", &format!("typeName=\"{ty}\" {instance}"), &inner), output)
    }

    fn number(&mut self, e: &Number) -> From {
        match e {
            Number::Name(name) => self.source(name),
            Number::Literal(n) => self.source(&n.to_string()),
            Number::Both(op, a, b) => {
                let (a, b) = (self.number(a), self.number(b));
                self.block(op, None, &[("In1", a), ("In2", b)], "OUT")
            }
        }
    }

    fn truth(&mut self, e: &Truth) -> From {
        match e {
            Truth::Name(name) => self.source(name),
            Truth::Not(e) => {
                let from = self.truth(e);
                self.block("NOT", None, &[("In", from)], "OUT")
            }
            Truth::Both(op, a, b) => {
                let (a, b) = (self.truth(a), self.truth(b));
                self.block(op, None, &[("In1", a), ("In2", b)], "OUT")
            }
            Truth::Compare(op, a, b) => {
                let (a, b) = (self.number(a), self.number(b));
                self.block(op, None, &[("In1", a), ("In2", b)], "OUT")
            }
        }
    }

    /// Returns the wires that have power if the value is TRUE.
    fn power(&mut self, e: &Truth) -> Vec<From> {
        if self.style == Style::Ladder && is_contacts(e) { self.contacts(e, vec![(RAIL, "")]) } else { vec![self.truth(e)] }
    }

    fn contacts(&mut self, e: &Truth, from: Vec<From>) -> Vec<From> {
        let (name, negated) = match e {
            Truth::Name(name) => (*name, "false"),
            Truth::Not(inner) if let Truth::Name(name) = &**inner => (*name, "true"),
            Truth::Both("AND", a, b) => {
                let between = self.contacts(a, from);
                return self.contacts(b, between);
            }
            Truth::Both(_, a, b) => {
                let mut wires = self.contacts(a, from.clone());
                wires.extend(self.contacts(b, from));
                return wires;
            }
            Truth::Not(_) | Truth::Compare(..) => return from,
        };
        let inner = format!("{}<connectionPointOut/><variable>{name}</variable>", point(&from));
        vec![(self.element("contact", &format!("negated=\"{negated}\""), &inner), "")]
    }

    fn coil(&mut self, from: &[From], target: &str, more: &str) {
        let inner = format!("{}<connectionPointOut/><variable>{target}</variable>", point(from));
        self.element("coil", more, &inner);
    }

    fn action(&mut self, action: &Action) {
        self.y += 100;
        match action {
            Action::Store(e, target) => {
                let from = self.power(e);
                self.coil(&from, target, "");
            }
            Action::Set(e, target) => {
                let from = self.power(e);
                self.coil(&from, target, "storage=\"set\"");
            }
            Action::Reset(e, target) => {
                let from = self.power(e);
                self.coil(&from, target, "storage=\"reset\"");
            }
            Action::Count(e, target) => {
                let from = self.number(e);
                self.element("outVariable", "", &format!("{}<expression>{target}</expression>", point(&[from])));
            }
            Action::Rise(i, e, target) => {
                let from = self.truth(e);
                let q = self.block("R_TRIG", Some(&format!("e{i}")), &[("CLK", from)], "Q");
                self.coil(&[q], target, "");
            }
            Action::Delay(i, e, target) => {
                let from = self.truth(e);
                let time = self.source("T#300ms");
                let q = self.block("TON", Some(&format!("d{i}")), &[("IN", from), ("PT", time)], "Q");
                self.coil(&[q], target, "");
            }
            Action::Skip(label, e, inner) => {
                let from = self.power(e);
                self.element("jump", &format!("label=\"L{label}\""), &point(&from));
                inner.iter().for_each(|action| self.action(action));
                self.y += 50;
                self.element("label", &format!("label=\"L{label}\""), "");
            }
        }
    }
}
