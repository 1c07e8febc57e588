//! One random program in four notations: Structured Text, a list of instructions, blocks and a ladder (PLCopen XML).
//!
//! All four compute the same, statement by statement, so their runs are equal: that is the law of languages. Small numbers and
//! truth values only; edges, timers, set and reset, jumps over statements.

mod drawing;

use std::fmt::Write as _;

use self::drawing::{Style, drawn};
use super::rng::Rng;

/// The same program four times. Its entry is `PROGRAM Main`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tongues {
    /// Structured Text.
    pub st: String,
    /// Instruction List.
    pub list: String,
    /// Function blocks, in PLCopen XML.
    pub blocks: String,
    /// Contacts and coils where these suffice, in PLCopen XML.
    pub ladder: String,
    /// Inputs: names, TRUE for each BOOL (the others are INT).
    pub inputs: Vec<(String, bool)>,
    /// Canonical names of the variables that must be equal.
    pub observed: Vec<String>,
}

const FLAGS: [&str; 4] = ["m0", "m1", "m2", "m3"];
const SWITCHES: [&str; 3] = ["i0", "i1", "i2"];
const NUMBERS: [&str; 3] = ["n0", "n1", "k0"];

/// A truth value.
#[derive(Clone)]
enum Truth {
    Name(&'static str),
    Not(Box<Truth>),
    Both(&'static str, Box<Truth>, Box<Truth>),
    Compare(&'static str, Number, Number),
}

/// An INT; the first operand is never a literal, so that all notations compute at 16 bits.
#[derive(Clone)]
enum Number {
    Name(&'static str),
    Literal(usize),
    Both(&'static str, Box<Number>, Box<Number>),
}

enum Action {
    Store(Truth, &'static str),
    Set(Truth, &'static str),
    Reset(Truth, &'static str),
    Count(Number, &'static str),
    /// A rising edge, by an instance of its own.
    Rise(usize, Truth, &'static str),
    /// Delayed, by an instance of its own.
    Delay(usize, Truth, &'static str),
    /// Jumps over the actions.
    Skip(usize, Truth, Vec<Action>),
}

/// Returns the program of a seed.
pub fn tongues(seed: u64) -> Tongues {
    let mut maker = Maker { rng: Rng::new(seed ^ 0x70_96e5), n_instances: 0, n_labels: 0 };
    let mut actions: Vec<Action> = (0..2 + maker.rng.below(6)).map(|_| maker.action(true)).collect();
    // A label needs a statement behind it.
    actions.push(Action::Store(maker.truth(1), "m0"));
    let instances =
        |ty: &str, letter: char| (0..maker.n_instances).fold(String::new(), |s, i| format!("{s}    {letter}{i} : {ty};\n"));
    let vars = format!(
        "VAR_INPUT\n    i0, i1, i2 : BOOL;\n    k0 : INT;\nEND_VAR\nVAR\n    m0, m1, m2, m3, t : BOOL;\n    n0, n1 : INT;\n{}{}END_VAR\n",
        instances("R_TRIG", 'e'),
        instances("TON", 'd')
    );
    let (mut st, mut list) = (format!("PROGRAM Main\n{vars}"), format!("PROGRAM Main\n{vars}"));
    actions.iter().for_each(|action| text(action, &mut st));
    actions.iter().for_each(|action| instructions(action, &mut list));
    for text in [&mut st, &mut list] {
        text.push_str("END_PROGRAM\n");
    }
    let mut observed: Vec<String> = FLAGS.iter().chain(&["n0", "n1"]).map(|name| format!("Main.{name}")).collect();
    observed.extend((0..maker.n_instances).map(|i| format!("Main.d{i}.ET")));
    let inputs = SWITCHES.iter().map(|name| (format!("Main.{name}"), true)).chain([("Main.k0".to_owned(), false)]);
    Tongues {
        st,
        list,
        blocks: drawn(&actions, maker.n_instances, Style::Blocks),
        ladder: drawn(&actions, maker.n_instances, Style::Ladder),
        inputs: inputs.collect(),
        observed,
    }
}

struct Maker {
    rng: Rng,
    n_instances: usize,
    n_labels: usize,
}

impl Maker {
    fn one(&mut self, of: &[&'static str]) -> &'static str {
        of[self.rng.below(of.len())]
    }

    fn truth(&mut self, depth: usize) -> Truth {
        match self.rng.below(if depth == 0 { 3 } else { 9 }) {
            0 | 1 => Truth::Name(self.one(&SWITCHES)),
            2 => Truth::Name(self.one(&FLAGS)),
            3 => Truth::Not(Box::new(self.truth(depth - 1))),
            4 => {
                let (left, right) = (self.number(1, false), self.number(1, true));
                Truth::Compare(self.one(&["GT", "GE", "EQ", "NE", "LE", "LT"]), left, right)
            }
            _ => {
                let op = self.one(&["AND", "AND", "OR", "OR", "XOR"]);
                Truth::Both(op, Box::new(self.truth(depth - 1)), Box::new(self.truth(depth - 1)))
            }
        }
    }

    fn number(&mut self, depth: usize, literal: bool) -> Number {
        match self.rng.below(if depth == 0 { 3 } else { 5 }) {
            0 if literal => Number::Literal(self.rng.below(9)),
            0..3 => Number::Name(self.one(&NUMBERS)),
            _ => {
                let op = self.one(&["ADD", "SUB", "MUL"]);
                Number::Both(op, Box::new(self.number(depth - 1, false)), Box::new(self.number(depth - 1, true)))
            }
        }
    }

    fn action(&mut self, may_skip: bool) -> Action {
        let target = self.one(&FLAGS);
        match self.rng.below(if may_skip { 9 } else { 8 }) {
            0 | 1 => Action::Store(self.truth(3), target),
            2 => Action::Set(self.truth(2), target),
            3 => Action::Reset(self.truth(2), target),
            4 | 5 => Action::Count(self.number(2, false), self.one(&["n0", "n1"])),
            6 => Action::Rise(self.instance(), self.truth(2), target),
            7 => Action::Delay(self.instance(), self.truth(2), target),
            _ => {
                self.n_labels += 1;
                let label = self.n_labels;
                let truth = self.truth(2);
                Action::Skip(label, truth, (0..1 + self.rng.below(3)).map(|_| self.action(false)).collect())
            }
        }
    }

    fn instance(&mut self) -> usize {
        self.n_instances += 1;
        self.n_instances - 1
    }
}

// -- Structured Text ------------------------------------------------------------------------------

fn sign(op: &str) -> &str {
    match op {
        "GT" => ">",
        "GE" => ">=",
        "EQ" => "=",
        "NE" => "<>",
        "LE" => "<=",
        "LT" => "<",
        "ADD" => "+",
        "SUB" => "-",
        "MUL" => "*",
        _ => op,
    }
}

fn truth_text(e: &Truth) -> String {
    match e {
        Truth::Name(name) => (*name).to_owned(),
        Truth::Not(e) => format!("NOT {}", truth_text(e)),
        Truth::Both(op, a, b) => format!("({} {op} {})", truth_text(a), truth_text(b)),
        Truth::Compare(op, a, b) => format!("({} {} {})", number_text(a), sign(op), number_text(b)),
    }
}

fn number_text(e: &Number) -> String {
    match e {
        Number::Name(name) => (*name).to_owned(),
        Number::Literal(n) => n.to_string(),
        Number::Both(op, a, b) => format!("({} {} {})", number_text(a), sign(op), number_text(b)),
    }
}

/// Writes an action. Writing to a string does not fail, here and below.
fn text(action: &Action, out: &mut String) {
    let _ = match action {
        Action::Store(e, target) => writeln!(out, "{target} := {};", truth_text(e)),
        Action::Set(e, target) => writeln!(out, "IF {} THEN {target} := TRUE; END_IF;", truth_text(e)),
        Action::Reset(e, target) => writeln!(out, "IF {} THEN {target} := FALSE; END_IF;", truth_text(e)),
        Action::Count(e, target) => writeln!(out, "{target} := {};", number_text(e)),
        Action::Rise(i, e, target) => writeln!(out, "e{i}(CLK := {}); {target} := e{i}.Q;", truth_text(e)),
        Action::Delay(i, e, target) => writeln!(out, "d{i}(IN := {}, PT := T#300ms); {target} := d{i}.Q;", truth_text(e)),
        Action::Skip(_, e, inner) => {
            let _ = writeln!(out, "IF NOT {} THEN", truth_text(e));
            inner.iter().for_each(|action| text(action, out));
            writeln!(out, "END_IF;")
        }
    };
}

// -- Instruction List -----------------------------------------------------------------------------

/// Writes instructions that leave the value as the current result.
fn load_truth(e: &Truth, out: &mut String) {
    let _ = match e {
        Truth::Name(name) => writeln!(out, "LD {name}"),
        Truth::Not(e) => match &**e {
            Truth::Name(name) => writeln!(out, "LDN {name}"),
            e @ (Truth::Not(_) | Truth::Both(..) | Truth::Compare(..)) => {
                load_truth(e, out);
                writeln!(out, "NOT")
            }
        },
        Truth::Both(op, a, b) => {
            load_truth(a, out);
            match &**b {
                Truth::Name(name) => writeln!(out, "{op} {name}"),
                Truth::Not(inner) if let Truth::Name(name) = &**inner => writeln!(out, "{op}N {name}"),
                b @ (Truth::Not(_) | Truth::Both(..) | Truth::Compare(..)) => {
                    let _ = writeln!(out, "{op}(");
                    load_truth(b, out);
                    writeln!(out, ")")
                }
            }
        }
        Truth::Compare(op, a, b) => {
            load_number(a, out);
            combine(op, b, out);
            Ok(())
        }
    };
}

fn load_number(e: &Number, out: &mut String) {
    let _ = match e {
        Number::Name(name) => writeln!(out, "LD {name}"),
        Number::Literal(n) => writeln!(out, "LD {n}"),
        Number::Both(op, a, b) => {
            load_number(a, out);
            combine(op, b, out);
            Ok(())
        }
    };
}

fn combine(op: &str, right: &Number, out: &mut String) {
    let _ = match right {
        Number::Name(_) | Number::Literal(_) => writeln!(out, "{op} {}", number_text(right)),
        Number::Both(..) => {
            let _ = writeln!(out, "{op}(");
            load_number(right, out);
            writeln!(out, ")")
        }
    };
}

fn instructions(action: &Action, out: &mut String) {
    match action {
        Action::Store(e, _)
        | Action::Set(e, _)
        | Action::Reset(e, _)
        | Action::Rise(_, e, _)
        | Action::Delay(_, e, _)
        | Action::Skip(_, e, _) => load_truth(e, out),
        Action::Count(e, _) => load_number(e, out),
    }
    let _ = match action {
        Action::Store(_, target) | Action::Count(_, target) => writeln!(out, "ST {target}"),
        Action::Set(_, target) => writeln!(out, "S {target}"),
        Action::Reset(_, target) => writeln!(out, "R {target}"),
        Action::Rise(i, _, target) => writeln!(out, "ST t\nCAL e{i}(CLK := t)\nLD e{i}.Q\nST {target}"),
        Action::Delay(i, _, target) => writeln!(out, "ST t\nCAL d{i}(IN := t, PT := T#300ms)\nLD d{i}.Q\nST {target}"),
        Action::Skip(label, _, inner) => {
            let _ = writeln!(out, "JMPC L{label}");
            inner.iter().for_each(|action| instructions(action, out));
            writeln!(out, "L{label}:")
        }
    };
}
