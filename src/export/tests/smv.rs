//! SMV by an interpreter of its own. Operators are read without precedence: a text whose parentheses do not say everything
//! is refused, and so is what SMV leaves undefined.

use std::collections::BTreeMap;

use super::{Case, Executes, case, error_cycle_of, operators};
use crate::export::format;
use crate::export::machine::machine;
use kernel::expr::random::Flavour;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum V {
    Bool(bool),
    Word { width: u32, bits: u128, signed: bool },
}

#[derive(Default)]
struct Smv {
    vars: BTreeMap<String, u32>,
    defines: BTreeMap<String, Vec<String>>,
    next: BTreeMap<String, Vec<String>>,
    state: BTreeMap<String, V>,
}

fn word(width: u32, bits: u128) -> V {
    let ones = if width == 128 { u128::MAX } else { (1 << width) - 1 };
    V::Word { width, bits: bits & ones, signed: false }
}

fn tokens(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut rest = text.trim_start();
    while let Some(c) = rest.chars().next() {
        let two = ["::", "<->", "<=", "<<", ">>"].iter().find(|op| rest.starts_with(**op));
        let length = match two {
            Some(op) => op.len(),
            None if c.is_ascii_alphanumeric() || c == '_' => {
                rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())
            }
            None => 1,
        };
        found.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
    found
}

/// Reads and evaluates at once.
struct Reader<'a> {
    smv: &'a Smv,
    known: &'a mut BTreeMap<String, V>,
    inputs: &'a BTreeMap<String, u128>,
    tokens: &'a [String],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", String::as_str)
    }
    fn take(&mut self, expected: &str) {
        assert_eq!(self.peek(), expected, "{:?}", self.tokens);
        self.at += 1;
    }
    /// Returns an operand, or two with an operator between.
    fn expr(&mut self) -> V {
        let a = self.operand();
        let op = self.peek().to_owned();
        if ["", ")", ";", ":", ",", "]"].contains(&op.as_str()) {
            return a;
        }
        self.at += 1;
        let b = self.operand();
        binary(&op, a, b)
    }
    fn operand(&mut self) -> V {
        let token = self.peek().to_owned();
        self.at += 1;
        let mut value = match token.as_str() {
            "(" => {
                let value = self.expr();
                self.take(")");
                value
            }
            "!" => match self.operand() {
                V::Bool(b) => V::Bool(!b),
                V::Word { width, bits, .. } => word(width, !bits),
            },
            "-" => match self.operand() {
                V::Word { width, bits, .. } => word(width, bits.wrapping_neg()),
                V::Bool(_) => panic!("minus of a boolean"),
            },
            "case" => self.case(),
            "TRUE" => V::Bool(true),
            "FALSE" => V::Bool(false),
            "extend" | "signed" | "unsigned" => self.function(&token),
            _ => match token.strip_prefix("0ub") {
                Some(literal) => {
                    let (width, bits) = literal.split_once('_').unwrap();
                    assert_eq!(width.parse(), Ok(bits.len()));
                    word(bits.len() as u32, u128::from_str_radix(bits, 2).unwrap())
                }
                None => self.name(&token),
            },
        };
        while self.peek() == "[" {
            self.at += 1;
            let high: u32 = self.peek().parse().unwrap();
            self.at += 1;
            self.take(":");
            let low: u32 = self.peek().parse().unwrap();
            self.at += 1;
            self.take("]");
            let V::Word { width, bits, .. } = value else { panic!("bits of a boolean") };
            assert!(low <= high && high < width);
            value = word(high - low + 1, bits >> low);
        }
        value
    }
    /// Returns the first arm whose condition holds. All arms are read; the others may be undefined, so their values do not count.
    fn case(&mut self) -> V {
        let mut found = None;
        while self.peek() != "esac" {
            let condition = self.expr();
            self.take(":");
            if found.is_none() && condition == V::Bool(true) {
                found = Some(self.expr());
            } else {
                // Nothing that SMV leaves undefined may stand in any arm: this panics if it does.
                self.expr();
            }
            self.take(";");
        }
        self.take("esac");
        found.expect("a case is complete")
    }
    fn function(&mut self, name: &str) -> V {
        self.take("(");
        let V::Word { width, bits, signed } = self.expr() else { panic!("{name} of a boolean") };
        let value = match name {
            "signed" => V::Word { width, bits, signed: true },
            "unsigned" => V::Word { width, bits, signed: false },
            _ => {
                self.take(",");
                let more: u32 = self.peek().parse().unwrap();
                self.at += 1;
                let shift = 128 - width;
                let wider = if signed { (((bits << shift) as i128) >> shift) as u128 } else { bits };
                match word(width + more, wider) {
                    V::Word { width, bits, .. } => V::Word { width, bits, signed },
                    V::Bool(_) => unreachable!(),
                }
            }
        };
        self.take(")");
        value
    }
    fn name(&mut self, name: &str) -> V {
        if let Some(value) = self.smv.state.get(name).or_else(|| self.known.get(name)) {
            return *value;
        }
        let value = match self.smv.defines.get(name) {
            Some(tokens) => {
                let mut inner = Reader { smv: self.smv, known: &mut *self.known, inputs: self.inputs, tokens, at: 0 };
                let value = inner.expr();
                assert_eq!(inner.at, tokens.len(), "{tokens:?}");
                value
            }
            None => {
                let bits = self.inputs.get(name).copied().unwrap_or(0);
                match self.smv.vars.get(name) {
                    Some(0) => V::Bool(bits == 1),
                    Some(width) => word(*width, bits),
                    None => panic!("`{name}` is not declared"),
                }
            }
        };
        self.known.insert(name.to_owned(), value);
        value
    }
}

fn binary(op: &str, a: V, b: V) -> V {
    match (op, a, b) {
        ("&", V::Bool(a), V::Bool(b)) => V::Bool(a & b),
        ("|", V::Bool(a), V::Bool(b)) => V::Bool(a | b),
        ("<->" | "=", V::Bool(a), V::Bool(b)) => V::Bool(a == b),
        ("::", V::Word { width: w, bits: a, .. }, V::Word { width: v, bits: b, .. }) => word(w + v, (a << v) | b),
        ("<<" | ">>", V::Word { width, bits: a, .. }, V::Word { bits: b, .. }) => {
            assert!(b <= u128::from(width), "a shift by more than the width is undefined");
            word(
                width,
                if b == 128 {
                    0
                } else if op == "<<" {
                    a << b
                } else {
                    a >> b
                },
            )
        }
        (_, V::Word { width: w, bits: a, signed: s }, V::Word { width: v, bits: b, signed: t }) => {
            assert_eq!((w, s), (v, t), "operands of one type");
            let shift = 128 - w;
            let number = |bits: u128| ((bits << shift) as i128) >> shift;
            match op {
                "=" => V::Bool(a == b),
                "<" => V::Bool(if s { number(a) < number(b) } else { a < b }),
                "<=" => V::Bool(if s { number(a) <= number(b) } else { a <= b }),
                "+" => word(w, a.wrapping_add(b)),
                "-" => word(w, a.wrapping_sub(b)),
                "*" => word(w, a.wrapping_mul(b)),
                "/" | "mod" => {
                    assert!(b != 0 && !s, "division by zero is undefined");
                    word(w, if op == "/" { a / b } else { a % b })
                }
                "&" => word(w, a & b),
                "|" => word(w, a | b),
                "xor" => word(w, a ^ b),
                other => panic!("no operator {other}"),
            }
        }
        (op, a, b) => panic!("{a:?} {op} {b:?}"),
    }
}

impl Smv {
    fn new(text: &str) -> Smv {
        let mut smv = Smv::default();
        let mut init = BTreeMap::new();
        for line in text.lines().filter(|line| line.starts_with("  ")) {
            let line = line.trim().strip_suffix(';').unwrap();
            let Some((left, right)) = line.split_once(" := ") else {
                let (name, ty) = line.split_once(" : ").unwrap();
                let width = ty.strip_prefix("unsigned word[").map_or(0, |w| w.trim_end_matches(']').parse().unwrap());
                smv.vars.insert(name.to_owned(), width);
                continue;
            };
            let inner = |kind: &str| left.strip_prefix(kind)?.strip_suffix(')').map(str::to_owned);
            match (inner("init("), inner("next(")) {
                (Some(name), _) => drop(init.insert(name, tokens(right))),
                (_, Some(name)) => drop(smv.next.insert(name, tokens(right))),
                (None, None) => drop(smv.defines.insert(left.to_owned(), tokens(right))),
            }
        }
        for (name, tokens) in init {
            let value = smv.value(&tokens, &mut BTreeMap::new(), &BTreeMap::new());
            smv.state.insert(name, value);
        }
        smv
    }
    fn value(&self, tokens: &[String], known: &mut BTreeMap<String, V>, inputs: &BTreeMap<String, u128>) -> V {
        let mut reader = Reader { smv: self, known, inputs, tokens, at: 0 };
        let value = reader.expr();
        assert_eq!(reader.at, tokens.len(), "{tokens:?}");
        value
    }
}

impl Executes for Smv {
    fn step(&mut self, inputs: &BTreeMap<String, u128>) -> Option<bool> {
        let mut known = BTreeMap::new();
        let next: BTreeMap<String, V> =
            self.next.iter().map(|(name, tokens)| (name.clone(), self.value(tokens, &mut known, inputs))).collect();
        self.state = next;
        match (self.state["violated"], self.state["running"]) {
            (V::Bool(true), _) => Some(true),
            (_, V::Bool(true)) => Some(false),
            (_, _) => None,
        }
    }
    fn state(&self, name: &str) -> u128 {
        match self.state[name] {
            V::Bool(b) => u128::from(b),
            V::Word { bits, .. } => bits,
        }
    }
}

#[test]
fn programs_run_alike_in_smv() {
    for seed in 60..70 {
        let Case { mut question, inputs, expected, text } = case(seed, false);
        let written = format("smv").unwrap().write(&mut question.clone()).unwrap();
        let (system, _) = machine(&mut question);
        let head = question.cfa.locs[question.cfa.head].origin;
        let at = system.cuts.iter().find(|(loc, _)| *loc == head).map(|(_, at)| *at).unwrap();
        let found = error_cycle_of(&mut Smv::new(&written), &question.pool, &system, at, &inputs);
        assert_eq!(found, expected, "seed {seed}\n{text}\n{written}");
    }
}

#[test]
fn operators_mean_the_same_in_smv() {
    for seed in 0..8 {
        for wrong in [false, true] {
            let written = format("smv").unwrap().write(&mut operators(seed, Flavour::Bits, 60, wrong)).unwrap();
            assert_eq!(Smv::new(&written).step(&BTreeMap::new()), Some(wrong), "seed {seed}\n{written}");
        }
    }
}
