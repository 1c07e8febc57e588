//! The law of drawings: in every cycle the drawn values satisfy the drawn gates.
//!
//! Reads published data only: elements, wires and values as text. It knows nothing of statements or of how networks become them.

use scanproof::report::diagram::{Diagram, Element, Shape, Wire};
use scanproof::report::networks::NetworkRun;

/// What was looked at.
#[derive(Default)]
pub(crate) struct Tally {
    /// Gates whose inputs and output were known.
    pub(crate) gates: usize,
    pub(crate) wires: usize,
    /// Pieces of lines that are apart from all others.
    pub(crate) segments: usize,
    /// Wires without a value in an executed network.
    pub(crate) unknown: usize,
    pub(crate) broken: Vec<String>,
}

/// Checks a network in one cycle.
pub(crate) fn check(diagram: &Diagram, run: &NetworkRun, tally: &mut Tally) {
    assert_eq!((run.outputs.len(), run.operands.len()), (diagram.elements.len(), diagram.elements.len()));
    assert_eq!(run.wires.len(), diagram.wires.len());
    let mut law = Law { diagram, run, tally };
    law.outputs_agree();
    for (i, element) in diagram.elements.iter().enumerate() {
        law.element(i, element);
    }
}

struct Law<'a> {
    diagram: &'a Diagram,
    run: &'a NetworkRun,
    tally: &'a mut Tally,
}

impl Law<'_> {
    fn ends_at(&self, element: usize, input: usize) -> Vec<usize> {
        let ends = |w: &Wire| w.to == element && w.input == input;
        self.diagram.wires.iter().enumerate().filter(|(_, w)| ends(w)).map(|(i, _)| i).collect()
    }

    /// Value at an input: OR of its wires if there are several.
    fn arrives(&self, element: usize, input: usize) -> Option<String> {
        let values: Vec<Option<&str>> = self.ends_at(element, input).into_iter().map(|w| self.run.wires[w].as_deref()).collect();
        match values.as_slice() {
            [] => None,
            [one] => one.map(str::to_owned),
            many if many.contains(&Some("TRUE")) => Some("TRUE".into()),
            many if many.contains(&None) => None,
            _ => Some("FALSE".into()),
        }
    }

    fn demand(&mut self, holds: bool, element: &Element, words: &str) {
        self.tally.gates += 1;
        if !holds {
            let at = format!("{} line {} {:?} {}{}", self.diagram.pou, element.line, element.shape, element.mark, element.label);
            self.tally.broken.push(format!("{at}: {words}\n{:?}\n{:?}", self.diagram, self.run));
        }
    }

    /// All wires of one output carry the same value, but for feedback: it comes from what runs later.
    fn outputs_agree(&mut self) {
        for wire in 0..self.diagram.wires.len() {
            self.tally.wires += 1;
            self.tally.unknown += usize::from(self.run.wires[wire].is_none());
            let w = &self.diagram.wires[wire];
            if self.is_feedback(w) {
                continue;
            }
            for other in wire + 1..self.diagram.wires.len() {
                let o = &self.diagram.wires[other];
                if (o.from, o.output) == (w.from, w.output) && !self.is_feedback(o) {
                    let (a, b) = (&self.run.wires[wire], &self.run.wires[other]);
                    let same = a.is_none() || b.is_none() || a == b;
                    self.demand(same, &self.diagram.elements[w.from], &format!("wires carry {a:?} and {b:?}"));
                }
            }
        }
    }

    fn is_feedback(&self, wire: &Wire) -> bool {
        self.diagram.elements[wire.from].shape == Shape::Block && wire.to <= wire.from
    }

    fn leaves(&self, element: usize, output: usize) -> Option<String> {
        let starts = |w: &Wire| (w.from, w.output) == (element, output) && !self.is_feedback(w);
        let mut wires = self.diagram.wires.iter().enumerate().filter(|(_, w)| starts(w));
        wires.find_map(|(i, _)| self.run.wires[i].clone())
    }

    /// Whether a jump or return that is drawn before an element was taken: then the element did not run.
    fn is_left_before(&self, i: usize) -> bool {
        self.diagram.elements.iter().enumerate().take(i).any(|(at, e)| {
            let leaves = matches!(e.shape, Shape::Jump | Shape::Return);
            leaves && self.arrives(at, 0).is_none_or(|power| (power == "TRUE") != (e.mark == "/"))
        })
    }

    fn element(&mut self, i: usize, e: &Element) {
        let operand = self.run.operands[i].clone();
        if self.is_left_before(i) {
            if e.shape == Shape::Coil {
                self.demand(operand.is_none(), e, "written although the network was left");
            }
            return;
        }
        match e.shape {
            Shape::Contact => {
                let (power, out) = (self.arrives(i, 0), self.run.outputs[i].clone());
                if let (Some(power), Some(out), Some(operand)) = (power, out.or_else(|| self.leaves(i, 0)), operand) {
                    let (power, out, operand) = (power == "TRUE", out == "TRUE", operand == "TRUE");
                    let holds = match e.mark.as_str() {
                        "" => out == (power && operand),
                        "/" => out == (power && !operand),
                        "P" => !out || (power && operand),
                        "N" => !out || (power && !operand),
                        other => panic!("a contact with {other}"),
                    };
                    self.demand(holds, e, &format!("power {power}, variable {operand}, out {out}"));
                }
            }
            Shape::Coil => {
                let Some(power) = self.arrives(i, 0).map(|p| p == "TRUE") else { return };
                let written = operand.as_deref().map(|v| v == "TRUE");
                let holds = match e.mark.as_str() {
                    "" => written.is_none_or(|v| v == power),
                    "/" => written.is_none_or(|v| v != power),
                    "S" => written == power.then_some(true),
                    "R" => written == power.then_some(false),
                    "P" => written != Some(true) || power,
                    "N" => written != Some(true) || !power,
                    "PS" => written != Some(true) || power,
                    other => panic!("a coil with {other}"),
                };
                self.demand(holds, e, &format!("power {power}, written {written:?}"));
            }
            Shape::Variable => {
                for input in self.ends_at(i, 0).into_iter().take(1) {
                    let (value, written) = (self.run.wires[input].clone(), operand.clone());
                    if let (Some(value), Some(written)) = (value, written) {
                        let value = if e.mark == "/" { negated(&value) } else { Some(value) };
                        let holds =
                            value.as_ref().is_none_or(|value| equal(value, &written) || !e.mark.trim_matches('/').is_empty());
                        self.demand(holds, e, &format!("{value:?} arrives, {written} is written"));
                    }
                }
                if self.ends_at(i, 0).is_empty()
                    && let (Some(value), Some(out)) = (operand, self.leaves(i, 0))
                    && e.mark.trim_matches('/').is_empty()
                {
                    let value = if e.mark == "/" { negated(&value) } else { Some(value) };
                    self.demand(value.is_none_or(|value| equal(&value, &out)), e, &format!("wire carries {out}"));
                }
            }
            Shape::Block => self.block(i, e),
            Shape::LeftRail => {
                for (w, _) in self.diagram.wires.iter().enumerate().filter(|(_, w)| w.from == i) {
                    let holds = self.run.wires[w].as_deref() == Some("TRUE");
                    self.demand(holds, e, "the rail carries TRUE");
                }
            }
            Shape::Connector
            | Shape::RightRail
            | Shape::Jump
            | Shape::Label
            | Shape::Return
            | Shape::Other
            | Shape::Step
            | Shape::InitialStep
            | Shape::Transition
            | Shape::Action => {}
        }
    }

    fn block(&mut self, i: usize, e: &Element) {
        if !e.mark.is_empty() {
            return;
        }
        let mut values = Vec::new();
        for (input, name) in e.inputs.iter().enumerate() {
            let Some(value) = self.arrives(i, input) else { return };
            if name.eq_ignore_ascii_case("EN") {
                if value == "FALSE" {
                    return;
                }
                continue;
            }
            let plain = name.trim_start_matches('○');
            match if plain.len() < name.len() { negated(&value) } else { Some(value) } {
                Some(value) if !plain.starts_with(['↑', '↓']) => values.push(value),
                Some(_) | None => return,
            }
        }
        let output = e.outputs.iter().position(|o| !o.eq_ignore_ascii_case("ENO"));
        let Some(output) = output else { return };
        let Some(found) = self.leaves(i, output) else { return };
        let found = if e.outputs[output].starts_with('○') { negated(&found) } else { Some(found) };
        if let (Some(found), Some(expected)) = (found, gate(&e.label, &values)) {
            self.demand(equal(&found, &expected), e, &format!("{values:?} give {found}, expected {expected}"));
        }
    }
}

fn negated(value: &str) -> Option<String> {
    match value {
        "TRUE" => Some("FALSE".into()),
        "FALSE" => Some("TRUE".into()),
        _ => None,
    }
}

fn equal(a: &str, b: &str) -> bool {
    a == b || matches!((a.parse::<f64>(), b.parse::<f64>()), (Ok(a), Ok(b)) if (a - b).abs() <= a.abs() * 1e-6)
}

/// Result of a function whose meaning is plain.
fn gate(label: &str, values: &[String]) -> Option<String> {
    let truths: Option<Vec<bool>> = values
        .iter()
        .map(|v| {
            if v == "TRUE" {
                Some(true)
            } else if v == "FALSE" {
                Some(false)
            } else {
                None
            }
        })
        .collect();
    let numbers: Option<Vec<i64>> = values.iter().map(|v| v.parse().ok()).collect();
    let word = |b: bool| Some(if b { "TRUE" } else { "FALSE" }.to_owned());
    let compare = |holds: fn(&i64, &i64) -> bool| numbers.as_ref().and_then(|n| word(n.windows(2).all(|w| holds(&w[0], &w[1]))));
    match label.to_ascii_uppercase().as_str() {
        "AND" => word(truths?.into_iter().all(|b| b)),
        "OR" => word(truths?.into_iter().any(|b| b)),
        "XOR" => word(truths?.into_iter().fold(false, |a, b| a != b)),
        "NOT" => word(!*truths?.first()?),
        "GT" => compare(|a, b| a > b),
        "GE" => compare(|a, b| a >= b),
        "LT" => compare(|a, b| a < b),
        "LE" => compare(|a, b| a <= b),
        "EQ" => compare(|a, b| a == b),
        "NE" => compare(|a, b| a != b),
        "MOVE" => values.first().cloned(),
        "ADD" => {
            let sum: i64 = numbers?.iter().sum();
            (sum.abs() < 30_000).then(|| sum.to_string())
        }
        _ => None,
    }
}
