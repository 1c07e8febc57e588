//! Random programs in ladder and function block diagrams: jumps, returns, feedback, EN, several instances of a drawn block.

use std::fmt::Write as _;

use super::Numbers;

const BITS: [&str; 7] = ["a", "b", "c", "m0", "m1", "m2", "m3"];
const WRITTEN: [&str; 4] = ["m0", "m1", "m2", "m3"];
const WORDS: [&str; 4] = ["i", "j", "n0", "n1"];

/// Returns a program that calls a drawn block through two instances, one of them twice.
pub(super) fn program(numbers: &mut Numbers) -> String {
    let cell = body(numbers, false);
    let main = body(numbers, true);
    format!(
        r#"<project xmlns="http://www.plcopen.org/xml/tc6_0201"><types><dataTypes/><pous>
<pou name="Cell" pouType="functionBlock"><interface>{}<outputVars><variable name="q"><type><BOOL/></type></variable></outputVars></interface><body>{cell}</body></pou>
<pou name="Main" pouType="program"><interface>{}<localVars><variable name="c1"><type><derived name="Cell"/></type></variable><variable name="c2"><type><derived name="Cell"/></type></variable></localVars></interface><body>{main}</body></pou>
</pous></types></project>"#,
        variables(),
        variables()
    )
}

fn variables() -> String {
    let of = |names: &[&str], ty: &str| -> String {
        names.iter().map(|n| format!(r#"<variable name="{n}"><type><{ty}/></type></variable>"#)).collect()
    };
    format!(
        r#"<inputVars>{}{}</inputVars><localVars>{}{}<variable name="t"><type><derived name="TON"/></type></variable><variable name="s"><type><derived name="SR"/></type></variable></localVars>"#,
        of(&["a", "b", "c"], "BOOL"),
        of(&["i", "j"], "INT"),
        of(&WRITTEN, "BOOL"),
        of(&["n0", "n1"], "INT")
    )
}

/// A body under construction.
pub(super) struct Sheet<'n> {
    pub(super) numbers: &'n mut Numbers,
    pub(super) text: String,
    next: u32,
    pub(super) y: u32,
    /// Pins of gates may have edges.
    pub(super) has_edges: bool,
}

fn body(numbers: &mut Numbers, is_main: bool) -> String {
    let is_ladder = numbers.below(2) == 0;
    let mut sheet = Sheet::new(numbers);
    let n_networks = 2 + sheet.numbers.below(5);
    for n in 0..n_networks {
        if is_ladder {
            sheet.rung(n);
        } else {
            sheet.blocks();
        }
        if is_main {
            let instance = ["c1", "c2"][sheet.numbers.below(2)];
            sheet.call(instance);
        }
    }
    if is_ladder {
        sheet.element("label", r#"label="end""#, "", 0);
    }
    let tag = if is_ladder { "LD" } else { "FBD" };
    format!("<{tag}>{}</{tag}>", sheet.text)
}

impl<'n> Sheet<'n> {
    pub(super) fn new(numbers: &'n mut Numbers) -> Sheet<'n> {
        Sheet { numbers, text: String::new(), next: 1, y: 0, has_edges: false }
    }
    pub(super) fn element(&mut self, tag: &str, attributes: &str, inner: &str, x: u32) -> u32 {
        let (id, y) = (self.next, self.y);
        self.next += 1;
        writeln!(self.text, r#"<{tag} localId="{id}" {attributes}><position x="{x}" y="{y}"/>{inner}</{tag}>"#).unwrap();
        id
    }
    pub(super) fn one_of<'t>(&mut self, names: &[&'t str]) -> &'t str {
        names[self.numbers.below(names.len())]
    }
    pub(super) fn flag(&mut self, one_in: usize, text: &'static str) -> &'static str {
        if self.numbers.below(one_in) == 0 { text } else { "" }
    }

    fn rung(&mut self, n: usize) {
        self.y += 60;
        let rail = self.element("leftPowerRail", "", "", 0);
        let mut ends = vec![rail];
        for column in 0..1 + self.numbers.below(3) as u32 {
            let mut next = Vec::new();
            let n_branches = 1 + self.numbers.below(2);
            for _ in 0..n_branches {
                self.y += 5;
                let wires = into(&ends);
                let modifier = match self.numbers.below(6) {
                    0 => r#"negated="true""#,
                    1 => r#"edge="rising""#,
                    _ => "",
                };
                let name = self.one_of(&BITS);
                next.push(self.element("contact", modifier, &format!("{wires}<variable>{name}</variable>"), 100 + 100 * column));
            }
            ends = next;
        }
        for _ in 0..1 + self.numbers.below(3) {
            self.y += 5;
            let wires = into(&ends);
            match self.numbers.below(10) {
                0 => self.element("jump", r#"label="end""#, &wires, 600),
                1 if 0 < n => self.element("return", "", &wires, 600),
                2 => {
                    let (from, to) = (self.one_of(&WORDS), self.one_of(&["n0", "n1"]));
                    let value = self.element("inVariable", "", &format!("<expression>{from}</expression>"), 400);
                    let moved = self.block("MOVE", "", &[("EN", wires), ("IN", into(&[value]))], &["ENO", "OUT"], 500);
                    let out = format!("{}<expression>{to}</expression>", from_output(moved, "OUT"));
                    self.element("outVariable", "", &out, 600)
                }
                _ => {
                    let modifier = match self.numbers.below(6) {
                        0 => r#"negated="true""#,
                        1 => r#"storage="set""#,
                        2 => r#"storage="reset""#,
                        3 => r#"edge="rising""#,
                        _ => "",
                    };
                    let name = self.one_of(&WRITTEN);
                    self.element("coil", modifier, &format!("{wires}<variable>{name}</variable>"), 600)
                }
            };
        }
    }

    pub(super) fn block(&mut self, ty: &str, instance: &str, inputs: &[(&str, String)], outputs: &[&str], x: u32) -> u32 {
        let mut inner = "<inputVariables>".to_owned();
        for (name, wire) in inputs {
            let is_gate = *name != "EN" && ["AND", "OR"].contains(&ty);
            let modifier = match self.numbers.below(8) {
                0 | 1 if is_gate => r#" negated="true""#,
                2 if is_gate && self.has_edges => r#" edge="rising""#,
                3 if is_gate && self.has_edges => r#" edge="falling""#,
                _ => "",
            };
            write!(inner, r#"<variable formalParameter="{name}"{modifier}>{wire}</variable>"#).unwrap();
        }
        inner += "</inputVariables><inOutVariables/><outputVariables>";
        for name in outputs {
            write!(inner, r#"<variable formalParameter="{name}"><connectionPointOut/></variable>"#).unwrap();
        }
        inner += "</outputVariables>";
        let instance = if instance.is_empty() { String::new() } else { format!(r#" instanceName="{instance}""#) };
        self.element("block", &format!(r#"typeName="{ty}"{instance}"#), &inner, x)
    }

    fn bit(&mut self) -> (u32, &'static str) {
        let name = self.one_of(&BITS);
        let negated = self.flag(5, r#"negated="true""#);
        (self.element("inVariable", negated, &format!("<expression>{name}</expression>"), 0), "")
    }

    fn blocks(&mut self) {
        self.y += 80;
        let mut signals: Vec<(u32, &'static str)> = vec![self.bit(), self.bit()];
        // A loop through an instance: its output of the cycle before.
        let has_loop = self.numbers.below(3) == 0;
        let loop_id = has_loop.then(|| self.next + 40);
        for column in 0..1 + self.numbers.below(4) as u32 {
            self.y += 7;
            let x = 150 + 120 * column;
            let pick = |s: &mut Self, signals: &[(u32, &str)]| signals[s.numbers.below(signals.len())].0;
            let made = match self.numbers.below(7) {
                0 => {
                    let (w, k) = (self.one_of(&WORDS), self.numbers.below(9));
                    let left = self.element("inVariable", "", &format!("<expression>{w}</expression>"), x - 100);
                    let right = self.element("inVariable", "", &format!("<expression>{k}</expression>"), x - 100);
                    let ty = self.one_of(&["GT", "LE", "EQ", "NE"]);
                    self.block(ty, "", &[("IN1", into(&[left])), ("IN2", into(&[right]))], &["OUT"], x)
                }
                1 => {
                    let from = pick(self, &signals);
                    self.block("NOT", "", &[("IN", into(&[from]))], &["OUT"], x)
                }
                _ => {
                    let ty = self.one_of(&["AND", "OR", "XOR"]);
                    let (one, two) = (pick(self, &signals), pick(self, &signals));
                    let second = match loop_id.filter(|_| column == 0) {
                        Some(id) => from_output(id, "Q1"),
                        None => into(&[two]),
                    };
                    self.block(ty, "", &[("IN1", into(&[one])), ("IN2", second)], &["OUT"], x)
                }
            };
            signals.push((made, ""));
            if self.numbers.below(3) == 0 {
                let extra = self.bit();
                signals.push(extra);
            }
        }
        let last = signals[signals.len() - 1].0;
        if let Some(id) = loop_id {
            let reset = self.bit().0;
            self.next = id;
            let made = self.block("SR", "s", &[("S1", into(&[last])), ("R", into(&[reset]))], &["Q1"], 700);
            let out = format!("{}<expression>{}</expression>", from_output(made, "Q1"), self.one_of(&WRITTEN));
            self.element("outVariable", "", &out, 800);
        }
        for _ in 0..1 + self.numbers.below(2) {
            self.y += 7;
            let from = signals[self.numbers.below(signals.len())].0;
            let negated = self.flag(5, r#"negated="true""#);
            let out = format!("{}<expression>{}</expression>", into(&[from]), self.one_of(&WRITTEN));
            self.element("outVariable", negated, &out, 800);
        }
        if self.numbers.below(2) == 0 {
            let (a, b, to) = (self.one_of(&WORDS), self.one_of(&["1", "2", "i"]), self.one_of(&["n0", "n1"]));
            let left = self.element("inVariable", "", &format!("<expression>{a}</expression>"), 0);
            let right = self.element("inVariable", "", &format!("<expression>{b}</expression>"), 0);
            let enable = into(&[last]);
            let inputs = [("EN", enable), ("IN1", into(&[left])), ("IN2", into(&[right]))];
            let made = self.block("ADD", "", &inputs, &["ENO", "OUT"], 900);
            let out = format!("{}<expression>{to}</expression>", from_output(made, "OUT"));
            self.element("outVariable", "", &out, 1000);
        }
    }

    fn call(&mut self, instance: &str) {
        self.y += 80;
        let (a, i) = (self.bit().0, self.one_of(&WORDS));
        let i = self.element("inVariable", "", &format!("<expression>{i}</expression>"), 0);
        let made = self.block("Cell", instance, &[("a", into(&[a])), ("i", into(&[i]))], &["q"], 200);
        let out = format!("{}<expression>{}</expression>", from_output(made, "q"), self.one_of(&WRITTEN));
        self.element("outVariable", "", &out, 300);
    }
}

pub(super) fn into(from: &[u32]) -> String {
    let wires: String = from.iter().map(|id| format!(r#"<connection refLocalId="{id}"/>"#)).collect();
    format!("<connectionPointIn>{wires}</connectionPointIn>")
}

pub(super) fn from_output(id: u32, output: &str) -> String {
    format!(r#"<connectionPointIn><connection refLocalId="{id}" formalParameter="{output}"/></connectionPointIn>"#)
}
