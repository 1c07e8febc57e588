//! The law of blocks: what their outputs show follows from what their inputs show, and from earlier cycles.

use scanproof::report::diagram::{Element, Shape};

use super::functions::{self, Pin, Result};
use super::law::{Law, Ran};
use super::memory::{self, Inputs, State};
use super::values::{Kind, Shown};

impl Law<'_, '_> {
    /// Returns the value at a pin behind its bubble and edge; `None` if it is not known.
    fn pin(&mut self, i: usize, input: usize, name: &str, ran: Ran) -> Option<Shown> {
        let value = self.arrives(i, input).as_deref().and_then(Shown::read);
        let plain = name.trim_start_matches('○');
        let value = if plain.len() < name.len() { negated(value?) } else { value };
        let mark = match plain.chars().next() {
            Some('↑') => "P",
            Some('↓') => "N",
            _ => return value,
        };
        let state = format!("{} {i} {input}", self.run.diagram);
        let now = value.and_then(Shown::truth);
        self.state(&state, ran).edge(mark == "P", now).map(Shown::Truth)
    }

    /// Returns the drawn value of an output: of its wires, or of the variables at their ends.
    fn result(&self, i: usize, e: &Element, output: usize) -> Option<Shown> {
        let ends = self.diagram.wires.iter().filter(|w| (w.from, w.output) == (i, output) && !self.is_feedback(w));
        let mut variables = ends.filter(|w| {
            let to = &self.diagram.elements[w.to];
            to.shape == Shape::Variable && to.mark.is_empty() && self.ends_at(w.to, 0).len() == 1
        });
        let found = self.leaves(i, output).or_else(|| variables.find_map(|w| self.run.operands[w.to].clone()));
        let found = Shown::read(&found?)?;
        if e.outputs[output].starts_with('○') { negated(found) } else { Some(found) }
    }

    pub(super) fn block(&mut self, i: usize, e: &Element, ran: Ran) {
        let label = e.label.to_ascii_uppercase();
        let mut pins: Vec<(String, Option<Shown>)> = Vec::new();
        let mut enabled = Some(true);
        for (input, name) in e.inputs.iter().enumerate() {
            let value = self.pin(i, input, name, ran);
            let plain = name.trim_start_matches(['○', '↑', '↓']).to_ascii_uppercase();
            if plain == "EN" {
                enabled = value.and_then(Shown::truth);
            } else {
                pins.push((plain, value));
            }
        }
        for (output, _) in e.outputs.iter().enumerate().filter(|(_, o)| o.eq_ignore_ascii_case("ENO")) {
            if let (Some(Shown::Truth(eno)), Some(enabled)) = (self.result(i, e, output), enabled) {
                self.demand(eno == enabled, e, &format!("EN {enabled}, ENO {eno}"));
            }
        }
        let ran = if enabled.is_none() { Ran::Unknown } else { ran };
        if enabled == Some(false) {
            return;
        }
        if e.mark.is_empty() {
            self.function(i, e, &label, pins);
        } else {
            self.instance(i, e, &label, &pins, ran);
        }
    }

    fn function(&mut self, i: usize, e: &Element, label: &str, pins: Vec<(String, Option<Shown>)>) {
        let kinds: Vec<Option<Kind>> = self.input_kinds(i, e, 0);
        let all: Option<Vec<Pin>> =
            pins.into_iter().zip(kinds).map(|((name, value), kind)| value.map(|value| Pin { name, value, kind })).collect();
        let Some(all) = all else {
            if let Result::NoLaw = functions::evaluate(label, &[]) {
                self.laws.tally.skipped.insert(e.label.clone());
            }
            return;
        };
        let all = functions::ordered(label, all);
        let Some(output) = e.outputs.iter().position(|o| !o.eq_ignore_ascii_case("ENO")) else { return };
        match functions::evaluate(label, &all) {
            Result::NoLaw => {
                self.laws.tally.skipped.insert(e.label.clone());
            }
            Result::Open => *self.laws.tally.open.entry(e.label.clone()).or_default() += 1,
            Result::Known(expected) => {
                if let Some(found) = self.result(i, e, output) {
                    let values: Vec<Shown> = all.iter().map(|p| p.value).collect();
                    self.demand(found.equals(expected), e, &format!("{values:?} give {found:?}, expected {expected:?}"));
                }
            }
        }
    }

    fn instance(&mut self, i: usize, e: &Element, label: &str, pins: &[(String, Option<Shown>)], ran: Ran) {
        let is_repeated = self.laws.repeated.contains(&(self.diagram.pou.as_str(), e.mark.as_str()));
        let ran = if is_repeated { Ran::Unknown } else { ran };
        let wired = |at: usize| !self.ends_at(i, at).is_empty();
        let named: Vec<(&str, Option<Shown>)> = e
            .inputs
            .iter()
            .enumerate()
            .filter(|(at, _)| wired(*at))
            .filter_map(|(_, name)| {
                let plain = name.trim_start_matches(['○', '↑', '↓']).to_ascii_uppercase();
                pins.iter().find(|(pin, _)| *pin == plain).map(|(pin, value)| (pin.as_str(), *value))
            })
            .collect();
        let find = |name: &str| named.iter().find(|(pin, _)| *pin == name).map(|(_, value)| *value);
        let now = self.laws.now_ns;
        let outputs = memory::execute(label, &Inputs(&find), self.state(&e.mark, ran), now);
        if ran == Ran::Unknown {
            *self.state(&e.mark, ran) = State::lost();
        }
        let Some(outputs) = outputs else {
            self.laws.tally.skipped.insert(e.label.clone());
            return;
        };
        for (name, expected) in outputs {
            let plain = |o: &String| o.trim_start_matches('○').eq_ignore_ascii_case(name);
            let Some(output) = e.outputs.iter().position(plain) else { continue };
            match (self.result(i, e, output), expected) {
                (Some(found), Some(expected)) => {
                    self.demand(found.equals(expected), e, &format!("{name} is {found:?}, expected {expected:?} of {pins:?}"));
                }
                (Some(_), None) => *self.laws.tally.open.entry(e.label.clone()).or_default() += 1,
                (None, _) => {}
            }
        }
    }

    /// Types at the inputs of a block, EN left out.
    fn input_kinds(&self, i: usize, e: &Element, depth: u32) -> Vec<Option<Kind>> {
        let is_enable = |name: &str| name.trim_start_matches(['○', '↑', '↓']).eq_ignore_ascii_case("EN");
        let inputs = e.inputs.iter().enumerate().filter(|(_, name)| !is_enable(name));
        let of = |at: usize| match self.ends_at(i, at).as_slice() {
            [one] => self.kind(self.diagram.wires[*one].from, self.diagram.wires[*one].output, depth),
            _ => None,
        };
        inputs.map(|(at, _)| of(at)).collect()
    }

    /// Returns the type of what leaves an element.
    fn kind(&self, i: usize, output: usize, depth: u32) -> Option<Kind> {
        const DEEPEST: u32 = 12;
        let e = &self.diagram.elements[i];
        match e.shape {
            _ if DEEPEST <= depth => None,
            Shape::LeftRail | Shape::Contact | Shape::Coil => Some(Kind::Truth),
            Shape::Variable => self.laws.types.of(&e.label),
            Shape::Block if e.mark.is_empty() => {
                let label = e.label.to_ascii_uppercase();
                let kinds = self.input_kinds(i, e, depth + 1);
                let skipped = usize::from(matches!(label.as_str(), "SEL" | "MUX"));
                functions::kind(&label, kinds.get(skipped..).unwrap_or_default())
            }
            Shape::Block => {
                let name = e.outputs.get(output)?.trim_start_matches('○');
                self.laws.types.of(&format!("{}.{name}", e.mark))
            }
            Shape::RightRail
            | Shape::Connector
            | Shape::Jump
            | Shape::Label
            | Shape::Return
            | Shape::Other
            | Shape::Step
            | Shape::InitialStep
            | Shape::Transition
            | Shape::Action => None,
        }
    }
}

fn negated(value: Shown) -> Option<Shown> {
    value.truth().map(|b| Shown::Truth(!b))
}
