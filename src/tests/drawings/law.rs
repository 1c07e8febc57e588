//! The law of drawings: in every cycle the drawn values satisfy the drawn gates.
//!
//! Reads published data only: elements, wires and values as text, and declared types. It knows nothing of statements or of how
//! networks become them.

use std::collections::{BTreeMap, BTreeSet};

use scanproof::report::diagram::{Diagram, Element, Shape, Wire};
use scanproof::report::networks::NetworkRun;

use super::memory::State;
use super::values::{Shown, Types};

/// Counts of compared drawings.
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
    /// Laws that compared a value, by the kind of element.
    pub(crate) checked: BTreeMap<String, usize>,
    /// Executions of which too little is known, by the kind of element.
    pub(crate) open: BTreeMap<String, usize>,
    /// Kinds of elements without a law.
    pub(crate) skipped: BTreeSet<String>,
}

/// The law in a run: what earlier cycles left is known in later ones.
pub(crate) struct Laws<'a> {
    pub(super) types: &'a Types,
    /// Of blocks with memory and of edges: by instance of the body, and by name or element.
    states: BTreeMap<(String, String), State>,
    /// Instances that stand in several places of a body: by POU and name.
    pub(super) repeated: BTreeSet<(&'a str, &'a str)>,
    pub(super) now_ns: i128,
    pub(super) tally: &'a mut Tally,
}

impl<'a> Laws<'a> {
    /// Makes the laws before the first cycle.
    pub(crate) fn new(all: &'a [Diagram], types: &'a Types, tally: &'a mut Tally) -> Laws<'a> {
        let named = |d: &'a Diagram| d.elements.iter().filter(|e| !e.mark.is_empty()).map(|e| (d.pou.as_str(), e.mark.as_str()));
        let (mut once, mut repeated) = (BTreeSet::new(), BTreeSet::new());
        for name in all.iter().flat_map(named) {
            if !once.insert(name) {
                repeated.insert(name);
            }
        }
        Laws { types, states: BTreeMap::new(), repeated, now_ns: 0, tally }
    }
    /// Lets time pass.
    pub(crate) fn begin_cycle(&mut self, dt_ms: f64) {
        self.now_ns += (dt_ms * 1e6).round() as i128;
    }
    /// Checks a network in one cycle.
    pub(crate) fn check(&mut self, diagram: &Diagram, run: &NetworkRun) {
        assert_eq!((run.outputs.len(), run.operands.len()), (diagram.elements.len(), diagram.elements.len()));
        assert_eq!(run.wires.len(), diagram.wires.len());
        let mut law = Law { diagram, run, laws: self };
        law.outputs_agree();
        for (i, element) in diagram.elements.iter().enumerate() {
            law.element(i, element);
        }
    }
}

/// Says of an element if it ran.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ran {
    Yes,
    No,
    Unknown,
}

/// One network in one cycle.
pub(super) struct Law<'l, 'a> {
    pub(super) diagram: &'l Diagram,
    pub(super) run: &'l NetworkRun,
    pub(super) laws: &'l mut Laws<'a>,
}

impl Law<'_, '_> {
    pub(super) fn ends_at(&self, element: usize, input: usize) -> Vec<usize> {
        let ends = |w: &Wire| w.to == element && w.input == input;
        self.diagram.wires.iter().enumerate().filter(|(_, w)| ends(w)).map(|(i, _)| i).collect()
    }

    /// Returns the value at an input: OR of its wires if there are several.
    pub(super) fn arrives(&self, element: usize, input: usize) -> Option<String> {
        let values: Vec<Option<&str>> = self.ends_at(element, input).into_iter().map(|w| self.run.wires[w].as_deref()).collect();
        match values.as_slice() {
            [] => None,
            [one] => one.map(str::to_owned),
            many if many.contains(&Some("TRUE")) => Some("TRUE".into()),
            many if many.contains(&None) => None,
            _ => Some("FALSE".into()),
        }
    }

    pub(super) fn demand(&mut self, holds: bool, element: &Element, words: &str) {
        self.laws.tally.gates += 1;
        let kind =
            if element.shape == Shape::Block { element.label.clone() } else { format!("{:?} {}", element.shape, element.mark) };
        *self.laws.tally.checked.entry(kind).or_default() += 1;
        if !holds {
            let at = format!("{} line {} {:?} {}{}", self.diagram.pou, element.line, element.shape, element.mark, element.label);
            self.laws.tally.broken.push(format!("{at}: {words}\n{:?}\n{:?}", self.diagram, self.run));
        }
    }

    /// Checks that all wires of one output carry the same value, but for feedback from elements that run later.
    fn outputs_agree(&mut self) {
        for wire in 0..self.diagram.wires.len() {
            self.laws.tally.wires += 1;
            self.laws.tally.unknown += usize::from(self.run.wires[wire].is_none());
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

    pub(super) fn is_feedback(&self, wire: &Wire) -> bool {
        self.diagram.elements[wire.from].shape == Shape::Block && wire.to <= wire.from
    }

    pub(super) fn leaves(&self, element: usize, output: usize) -> Option<String> {
        let starts = |w: &Wire| (w.from, w.output) == (element, output) && !self.is_feedback(w);
        let mut wires = self.diagram.wires.iter().enumerate().filter(|(_, w)| starts(w));
        wires.find_map(|(i, _)| self.run.wires[i].clone())
    }

    /// Returns whether an element ran: no jump or return drawn before it was taken.
    fn ran(&self, i: usize) -> Ran {
        let is_exit = |e: &Element| matches!(e.shape, Shape::Jump | Shape::Return);
        let exits = self.diagram.elements.iter().enumerate().take(i).filter(|(_, e)| is_exit(e));
        let mut ran = if 1 < self.run.times { Ran::Unknown } else { Ran::Yes };
        for (at, e) in exits {
            match self.arrives(at, 0) {
                Some(power) if (power == "TRUE") != (e.mark == "/") => return Ran::No,
                Some(_) => {}
                None => ran = Ran::Unknown,
            }
        }
        // A jump from elsewhere may have come to a label behind it.
        let has_label = self.diagram.elements.iter().skip(i + 1).any(|e| e.shape == Shape::Label);
        if has_label { Ran::Unknown } else { ran }
    }

    fn element(&mut self, i: usize, e: &Element) {
        let operand = self.run.operands[i].clone();
        let ran = self.ran(i);
        if ran == Ran::No {
            if e.shape == Shape::Coil || !self.ends_at(i, 0).is_empty() && e.shape == Shape::Variable {
                self.demand(operand.is_none(), e, "written although the network was left");
            }
            return;
        }
        match e.shape {
            Shape::Contact => {
                let (power, out) = (self.arrives(i, 0), self.run.outputs[i].clone());
                let edge = self.edge(i, &e.mark, operand.as_deref().map(is_true), ran);
                if let (Some(power), Some(out), Some(operand)) = (power, out.or_else(|| self.leaves(i, 0)), operand) {
                    let (power, out, operand) = (power == "TRUE", out == "TRUE", operand == "TRUE");
                    let closed = match e.mark.as_str() {
                        "" => Some(operand),
                        "/" => Some(!operand),
                        "P" | "N" => edge,
                        other => panic!("a contact with {other}"),
                    };
                    let holds = closed.map_or(!out || power, |closed| out == (power && closed));
                    self.demand(holds, e, &format!("power {power}, variable {operand}, closed {closed:?}, out {out}"));
                }
            }
            Shape::Coil => {
                let arrived = self.arrives(i, 0).map(|p| p == "TRUE");
                let edge = self.edge(i, &e.mark, arrived, ran);
                let Some(power) = arrived else { return };
                let written = operand.as_deref().map(|v| v == "TRUE");
                let holds = match e.mark.as_str() {
                    "" => written.is_none_or(|v| v == power),
                    "/" => written.is_none_or(|v| v != power),
                    "S" => written == power.then_some(true),
                    "R" => written == power.then_some(false),
                    "P" | "N" => written.is_none_or(|v| edge.is_none_or(|edge| v == edge)),
                    "PS" | "NS" => edge.is_none_or(|edge| written == edge.then_some(true)),
                    "PR" | "NR" => edge.is_none_or(|edge| written == edge.then_some(false)),
                    other => panic!("a coil with {other}"),
                };
                self.demand(holds, e, &format!("power {power}, written {written:?}"));
            }
            Shape::Variable => {
                for input in self.ends_at(i, 0).into_iter().take(1) {
                    let (value, written) = (self.run.wires[input].clone(), operand.clone());
                    if let (Some(value), Some(written)) = (value, written) {
                        let value = if e.mark == "/" { flipped(&value) } else { Some(value) };
                        let holds =
                            value.as_ref().is_none_or(|value| equal(value, &written) || !e.mark.trim_matches('/').is_empty());
                        self.demand(holds, e, &format!("{value:?} arrives, {written} is written"));
                    }
                }
                if self.ends_at(i, 0).is_empty()
                    && let (Some(value), Some(out)) = (operand, self.leaves(i, 0))
                    && e.mark.trim_matches('/').is_empty()
                {
                    let value = if e.mark == "/" { flipped(&value) } else { Some(value) };
                    self.demand(value.is_none_or(|value| equal(&value, &out)), e, &format!("wire carries {out}"));
                }
            }
            Shape::Block => self.block(i, e, ran),
            Shape::LeftRail => {
                for (w, _) in self.diagram.wires.iter().enumerate().filter(|(_, w)| w.from == i) {
                    let holds = self.run.wires[w].as_deref() == Some("TRUE");
                    self.demand(holds, e, "the rail carries TRUE");
                }
            }
            Shape::Connector => {
                if let (Some(arrives), Some(leaves)) = (self.arrives(i, 0), self.leaves(i, 0)) {
                    self.demand(equal(&arrives, &leaves), e, &format!("{arrives} arrives, {leaves} goes on"));
                }
            }
            // What they skip is looked at; they have no value of their own.
            Shape::Jump | Shape::Return | Shape::RightRail | Shape::Label => {}
            Shape::Other | Shape::Step | Shape::InitialStep | Shape::Transition | Shape::Action => {
                self.laws.tally.skipped.insert(format!("{:?}", e.shape));
            }
        }
    }

    /// Returns the past of an element; `None` if executions were missed that cannot be told apart.
    pub(super) fn state(&mut self, name: &str, ran: Ran) -> &mut State {
        let key = (self.run.instance.clone(), name.to_owned());
        let state = self.laws.states.entry(key).or_insert_with(State::first);
        if ran == Ran::Unknown {
            *state = State::lost();
        }
        state
    }

    /// Returns the pulse of an element marked with an edge.
    pub(super) fn edge(&mut self, i: usize, mark: &str, now: Option<bool>, ran: Ran) -> Option<bool> {
        let rises = mark.trim_start_matches('/').starts_with('P');
        if !rises && !mark.trim_start_matches('/').starts_with('N') {
            return None;
        }
        let name = format!("{} {i}", self.run.diagram);
        self.state(&name, ran).edge(rises, now)
    }
}

fn is_true(value: &str) -> bool {
    value == "TRUE"
}

/// Returns the text of a truth value the other way round.
fn flipped(value: &str) -> Option<String> {
    match value {
        "TRUE" => Some("FALSE".into()),
        "FALSE" => Some("TRUE".into()),
        _ => None,
    }
}

/// Compares texts or numbers; numbers of different widths are equal if they have one value.
fn equal(a: &str, b: &str) -> bool {
    a == b || matches!((Shown::read(a), Shown::read(b)), (Some(a), Some(b)) if a.equals(b))
}
