//! Models on bits for ABC: binary AIGER from the BTOR2 that `scanproof export` writes.
//!
//! Only what every reader of AIGER knows is used: latches that begin with 0, and one output. So a state that begins with 1 is
//! stored negated. One that begins with any value reads an input in the first step. A latch remembers a broken `constraint`.

mod gates;

use std::collections::HashMap;

use gates::{FALSE, Gates, Lit, TRUE, Word, negated, not};

/// Line of BTOR2: its number, its word, its numbers and digits.
struct Line<'a> {
    id: usize,
    word: &'a str,
    rest: Vec<&'a str>,
}

impl Line<'_> {
    fn number(&self, at: usize) -> Option<usize> {
        self.rest.get(at)?.parse().ok()
    }
}

/// State of the model.
struct State {
    id: usize,
    /// Its latches.
    latches: Word,
    /// Bits that begin with 1, whose latches are negated.
    ones: Vec<bool>,
}

/// Model as it is read.
struct Reader {
    gates: Gates,
    widths: HashMap<usize, usize>,
    words: HashMap<usize, Word>,
    states: Vec<State>,
    /// Next values, by state.
    next: HashMap<usize, Word>,
    constraint: Lit,
    bad: Lit,
}

/// Returns the model as binary AIGER; its output is 1 where `bad` is reached. An error names a line that is not understood.
pub(crate) fn of_btor2(text: &str) -> Result<Vec<u8>, String> {
    let lines: Vec<Line<'_>> = text.lines().filter_map(line).collect();
    let initial: HashMap<usize, usize> =
        lines.iter().filter(|line| line.word == "init").filter_map(|line| Some((line.number(1)?, line.number(2)?))).collect();
    let mut widths = HashMap::new();
    for line in lines.iter().filter(|line| line.word == "sort") {
        let width = line.number(1).filter(|_| line.rest.first() == Some(&"bitvec"));
        widths.insert(line.id, width.ok_or_else(|| format!("line {}: no sort of bits", line.id))?);
    }
    let width = |line: &Line<'_>| line.number(0).and_then(|sort| widths.get(&sort).copied()).unwrap_or(0);
    let bits = |wanted: &dyn Fn(&Line<'_>) -> bool| lines.iter().filter(|line| wanted(line)).map(width).sum::<usize>() as Lit;
    let n_inputs = bits(&|line| line.word == "input" || line.word == "state" && !initial.contains_key(&line.id));
    // Two more: one is 0 in the first step only, one remembers a broken constraint.
    let n_latches = bits(&|line| line.word == "state") + 2;
    let (mut inputs, mut latches) = ((1..=n_inputs).map(|var| 2 * var), (n_inputs + 1..=n_inputs + n_latches).map(|var| 2 * var));
    let missing = "more bits than were counted";
    let later = latches.next().ok_or(missing)?;
    let broken = latches.next().ok_or(missing)?;
    let constants =
        lines.iter().filter(|line| line.word == "const").map(|line| (line.id, constant(line.rest.get(1).unwrap_or(&""))));
    let constants: HashMap<usize, Word> = constants.collect();
    let mut reader = Reader {
        gates: Gates::new(n_inputs + n_latches),
        widths: widths.clone(),
        words: HashMap::new(),
        states: Vec::new(),
        next: HashMap::new(),
        constraint: TRUE,
        bad: FALSE,
    };
    for line in &lines {
        match line.word {
            "input" => drop(reader.words.insert(line.id, inputs.by_ref().take(width(line)).collect())),
            "state" => {
                let own: Word = latches.by_ref().take(width(line)).collect();
                let word = match initial.get(&line.id) {
                    Some(value) => {
                        let value = constants.get(value).ok_or_else(|| format!("line {}: no constant", line.id))?;
                        let ones: Vec<bool> = value.iter().map(|bit| *bit == TRUE).collect();
                        let word = own.iter().zip(&ones).map(|(latch, one)| latch ^ Lit::from(*one)).collect();
                        reader.states.push(State { id: line.id, latches: own, ones });
                        word
                    }
                    None => {
                        let any: Word = inputs.by_ref().take(own.len()).collect();
                        let word = reader.gates.choose_word(later, &own, &any);
                        reader.states.push(State { id: line.id, ones: vec![false; own.len()], latches: own });
                        word
                    }
                };
                reader.words.insert(line.id, word);
            }
            _ => reader.take(line).ok_or_else(|| format!("line {}: `{}` is not understood", line.id, line.word))?,
        }
    }
    reader.written(n_inputs, n_latches, later, broken)
}

fn line(text: &str) -> Option<Line<'_>> {
    let mut words = text.split(';').next()?.split_whitespace();
    Some(Line { id: words.next()?.parse().ok()?, word: words.next()?, rest: words.collect() })
}

/// Returns the bits of binary digits.
fn constant(digits: &str) -> Word {
    digits.bytes().rev().map(|digit| Lit::from(digit == b'1')).collect()
}

impl Reader {
    /// Takes a line that is no variable; `None` if it is not understood.
    fn take(&mut self, line: &Line<'_>) -> Option<()> {
        match line.word {
            "sort" | "init" => return Some(()),
            "next" => {
                let value = self.words.get(&line.number(2)?)?.clone();
                self.next.insert(line.number(1)?, value);
                return Some(());
            }
            "constraint" | "bad" => {
                let bit = *self.words.get(&line.number(0)?)?.first()?;
                match line.word {
                    "bad" => self.bad = self.gates.or(self.bad, bit),
                    _ => self.constraint = self.gates.and(self.constraint, bit),
                }
                return Some(());
            }
            "const" => {
                self.words.insert(line.id, constant(line.rest.get(1)?));
                return Some(());
            }
            _ => {}
        }
        let word = self.operation(line)?;
        // A width that is not that of the sort would be an error of ours or of the export.
        (word.len() == *self.widths.get(&line.number(0)?)?).then(|| drop(self.words.insert(line.id, word)))
    }
    fn operation(&mut self, line: &Line<'_>) -> Option<Word> {
        let word = |at: usize| -> Option<Word> { self.words.get(&line.number(at)?).cloned() };
        let a = word(1)?;
        let g = &mut self.gates;
        match line.word {
            "not" => return Some(negated(&a)),
            "neg" => return Some(g.difference(&vec![FALSE; a.len()], &a)),
            "slice" => return Some(a.get(line.number(3)?..=line.number(2)?)?.to_vec()),
            "uext" => return Some([a.clone(), vec![FALSE; line.number(2)?]].concat()),
            "sext" => return Some([a.clone(), vec![*a.last()?; line.number(2)?]].concat()),
            _ => {}
        }
        let b = self.words.get(&line.number(2)?)?.clone();
        Some(match line.word {
            "and" => g.bitwise(Gates::and, &a, &b),
            "or" => g.bitwise(Gates::or, &a, &b),
            "xor" => g.bitwise(Gates::xor, &a, &b),
            "eq" => vec![g.equal(&a, &b)],
            "ite" => {
                let other = self.words.get(&line.number(3)?)?.clone();
                g.choose_word(*a.first()?, &b, &other)
            }
            "add" => g.sum(&a, &b, FALSE),
            "sub" => g.difference(&a, &b),
            "mul" => g.product(&a, &b),
            "ult" => vec![g.less(&a, &b)],
            "ulte" => vec![not(g.less(&b, &a))],
            "slt" => vec![g.less_signed(&a, &b)],
            "slte" => vec![not(g.less_signed(&b, &a))],
            "sll" => g.shifted(&a, &b, true, FALSE),
            "srl" => g.shifted(&a, &b, false, FALSE),
            "sra" => g.shifted(&a, &b, false, *a.last()?),
            // The first operand holds the higher bits.
            "concat" => [b, a].concat(),
            _ => return None,
        })
    }
    /// Writes the model: header, next values of latches, the output, and the gates.
    fn written(mut self, n_inputs: Lit, n_latches: Lit, later: Lit, broken: Lit) -> Result<Vec<u8>, String> {
        let ends = self.gates.or(broken, not(self.constraint));
        let output = self.gates.and(self.bad, not(ends));
        let mut next: HashMap<Lit, Lit> = HashMap::from([(later, TRUE), (broken, ends)]);
        for State { id, latches, ones } in &self.states {
            // A state without a next value may have any; the export writes none.
            let value = self.next.get(id).ok_or_else(|| format!("state {id} has no next value"))?;
            next.extend(latches.iter().zip(value.iter().zip(ones)).map(|(latch, (bit, one))| (*latch, bit ^ Lit::from(*one))));
        }
        let n_gates = self.gates.gates.len() as Lit;
        let mut text = format!("aig {} {n_inputs} {n_latches} 1 {n_gates}\n", n_inputs + n_latches + n_gates);
        for var in n_inputs + 1..=n_inputs + n_latches {
            let value = next.get(&(2 * var)).ok_or("a latch without a next value")?;
            text += &format!("{value}\n");
        }
        text += &format!("{output}\n");
        let mut bytes = text.into_bytes();
        for (i, (a, b)) in self.gates.gates.iter().enumerate() {
            let own = 2 * (n_inputs + n_latches + 1 + i as Lit);
            delta(&mut bytes, own - a);
            delta(&mut bytes, a - b);
        }
        Ok(bytes)
    }
}

/// Writes a number as AIGER does, seven bits a byte, the lowest first.
fn delta(bytes: &mut Vec<u8>, mut number: Lit) {
    while 0x80 <= number {
        bytes.push((number & 0x7f | 0x80) as u8);
        number >>= 7;
    }
    bytes.push(number as u8);
}

#[cfg(test)]
mod tests;
