//! btor2 by an interpreter of its own, as the format's paper describes it.

use std::collections::BTreeMap;

use super::{Case, Executes, case, error_cycle_of, operators};
use crate::export::machine::machine;
use crate::export::{Question, format};
use kernel::expr::random::Flavour;

/// Lines by number.
struct Machine {
    widths: BTreeMap<i64, u32>,
    nodes: Vec<(i64, Vec<String>)>,
    state: BTreeMap<i64, u128>,
    names: BTreeMap<String, i64>,
}

fn ones(width: u32) -> u128 {
    if width == 128 { u128::MAX } else { (1 << width) - 1 }
}

fn signed(width: u32, bits: u128) -> i128 {
    ((bits << (128 - width)) as i128) >> (128 - width)
}

/// Checks the format's order: operands have smaller numbers, and an initial value a smaller one than its state.
fn refers_to_smaller_numbers(number: i64, words: &[String]) {
    let operands = match words[1].as_str() {
        "sort" => &[],
        "state" | "input" | "const" => &words[2..3],
        "slice" | "uext" | "sext" => &words[2..4],
        _ => &words[2..],
    };
    for operand in operands {
        assert!(operand.parse::<i64>().unwrap() < number, "{words:?}");
    }
    if words[1] == "init" {
        assert!(words[4].parse::<i64>().unwrap() < words[3].parse::<i64>().unwrap(), "initial value behind its state: {words:?}");
    }
}

impl Machine {
    fn new(text: &str) -> Machine {
        let mut machine = Machine { widths: BTreeMap::new(), nodes: Vec::new(), state: BTreeMap::new(), names: BTreeMap::new() };
        let mut last = 0;
        for line in text.lines().filter(|line| !line.starts_with(';')) {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let number: i64 = words[0].parse().unwrap();
            assert!(last < number, "numbers ascend: {line}");
            last = number;
            if words[1] == "sort" {
                machine.widths.insert(number, words[3].parse().unwrap());
                continue;
            }
            refers_to_smaller_numbers(number, &words);
            if let ("state" | "input", Some(name)) = (words[1].as_str(), words.get(3)) {
                assert!(machine.names.insert(name.clone(), number).is_none(), "{name} twice");
            }
            machine.nodes.push((number, words[1..].to_vec()));
        }
        let values = machine.values(&BTreeMap::new());
        for (_, words) in &machine.nodes {
            if words[0] == "init" {
                machine.state.insert(words[2].parse().unwrap(), values[&words[3].parse().unwrap()]);
            }
        }
        machine
    }
    fn values(&self, inputs: &BTreeMap<String, u128>) -> BTreeMap<i64, u128> {
        let mut values: BTreeMap<i64, u128> = BTreeMap::new();
        for (number, words) in &self.nodes {
            let id = |i: usize| words[i].parse::<i64>().unwrap();
            let width = words.get(1).and_then(|sort| self.widths.get(&sort.parse().ok()?)).copied().unwrap_or(0);
            let v = |i: usize| values[&id(i)];
            let w = |i: usize| {
                let operand = self.nodes.iter().find(|(n, _)| *n == id(i)).unwrap();
                self.widths[&operand.1[1].parse::<i64>().unwrap()]
            };
            let value = match words[0].as_str() {
                "state" => self.state.get(number).copied().unwrap_or(0),
                "input" => inputs.get(&words[2]).copied().unwrap_or(0),
                "const" => u128::from_str_radix(&words[2], 2).unwrap(),
                "init" | "next" | "bad" | "constraint" => continue,
                "not" => !v(2),
                "neg" => v(2).wrapping_neg(),
                "and" => v(2) & v(3),
                "or" => v(2) | v(3),
                "xor" => v(2) ^ v(3),
                "add" => v(2).wrapping_add(v(3)),
                "sub" => v(2).wrapping_sub(v(3)),
                "mul" => v(2).wrapping_mul(v(3)),
                "udiv" if v(3) == 0 => u128::MAX,
                "udiv" => v(2) / v(3),
                "urem" if v(3) == 0 => v(2),
                "urem" => v(2) % v(3),
                "sdiv" if v(3) == 0 => {
                    if signed(width, v(2)) < 0 {
                        1
                    } else {
                        u128::MAX
                    }
                }
                "sdiv" => signed(width, v(2)).wrapping_div(signed(width, v(3))) as u128,
                "srem" if v(3) == 0 => v(2),
                "srem" => signed(width, v(2)).wrapping_rem(signed(width, v(3))) as u128,
                "sll" if u128::from(width) <= v(3) => 0,
                "sll" => v(2) << v(3),
                "srl" if u128::from(width) <= v(3) => 0,
                "srl" => v(2) >> v(3),
                "sra" => (signed(width, v(2)) >> v(3).min(127)) as u128,
                "eq" => u128::from(v(2) == v(3)),
                "ult" => u128::from(v(2) < v(3)),
                "ulte" => u128::from(v(2) <= v(3)),
                "slt" => u128::from(signed(w(2), v(2)) < signed(w(3), v(3))),
                "slte" => u128::from(signed(w(2), v(2)) <= signed(w(3), v(3))),
                "ite" => {
                    if v(2) == 1 {
                        v(3)
                    } else {
                        v(4)
                    }
                }
                "slice" => v(2) >> words[4].parse::<u32>().unwrap(),
                "concat" => (v(2) << w(3)) | v(3),
                "uext" => v(2),
                "sext" => signed(w(2), v(2)) as u128,
                other => panic!("no operator {other}"),
            };
            values.insert(*number, value & ones(width));
        }
        values
    }
}

impl Executes for Machine {
    fn step(&mut self, inputs: &BTreeMap<String, u128>) -> Option<bool> {
        let values = self.values(inputs);
        let value = |text: &str| values[&text.parse::<i64>().unwrap()];
        let find = |kind: &str| self.nodes.iter().find(|(_, words)| words[0] == kind).map(|(_, words)| value(&words[1]));
        if find("constraint") != Some(1) {
            return None;
        }
        if find("bad") == Some(1) {
            return Some(true);
        }
        let next = self.nodes.iter().filter(|(_, words)| words[0] == "next");
        self.state = next.map(|(_, words)| (words[2].parse().unwrap(), value(&words[3]))).collect();
        Some(false)
    }
    fn state(&self, name: &str) -> u128 {
        self.state[&self.names[name]]
    }
}

#[test]
fn programs_run_alike_in_btor2() {
    for seed in 0..12 {
        let Case { mut question, inputs, expected, text } = case(seed, false);
        let written = format("btor2").unwrap().write(&mut question.clone()).unwrap();
        let (system, _) = machine(&mut question);
        let head = question.cfa.locs[question.cfa.head].origin;
        let at = system.cuts.iter().find(|(loc, _)| *loc == head).map(|(_, at)| *at).unwrap();
        let found = error_cycle_of(&mut Machine::new(&written), &question.pool, &system, at, &inputs);
        assert_eq!(found, expected, "seed {seed}\n{text}\n{written}");
    }
}

#[test]
fn operators_mean_the_same_in_btor2() {
    let check = |seed, wrong| {
        let mut question: Question = operators(seed, Flavour::Bits, 60, wrong);
        let mut machine = Machine::new(&format("btor2").unwrap().write(&mut question).unwrap());
        assert_eq!(machine.step(&BTreeMap::new()), Some(wrong), "seed {seed}");
    };
    for seed in 0..8 {
        check(seed, false);
        check(seed, true);
    }
}
