//! Random programs with pointers to the bytes of strings and arrays, and a reading of their own: memory is bytes, a pointer is a
//! target and an offset.

use std::fmt::Write as _;

use super::rng::Rng;

/// Targets: name, bytes, and whether it is a string, which has one more byte.
const TARGETS: [(&str, usize, bool); 3] = [("s", 4, true), ("t", 2, true), ("b", 3, false)];
/// Index of the array's first byte.
const LOW: i64 = -1;
/// Pointers; the last one is declared to point to an array of three bytes, from 1.
const POINTERS: [&str; 3] = ["p", "q", "r"];
const ARRAY: usize = 2;
const OPERATORS: [&str; 6] = ["=", "<>", "<", "<=", ">", ">="];

/// A program with its statements.
pub struct Bytes {
    /// Its text; the entry is `PROGRAM Main` with the input `v : SINT` and the result `x : INT`.
    pub text: String,
    body: Vec<Op>,
    /// The variables keep their values; otherwise they are those of a function.
    persists: bool,
}

/// End of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A pointer to nothing was followed.
    Null,
    /// A byte outside of the target was used.
    Outside,
    /// The order of two variables in memory decides.
    Order,
}

/// Content of the variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Bytes of the targets.
    pub bytes: [Vec<u8>; 3],
    pointers: [(usize, i64); 3],
    /// Result.
    pub x: i64,
}

#[derive(Clone, Debug)]
enum Value {
    Number(u8),
    /// `TO_BYTE(v)`
    Input,
    /// The byte behind a pointer, plus a number.
    Behind(usize, i64, u8),
}

#[derive(Clone, Debug)]
enum Base {
    Null,
    Target(usize),
    Pointer(usize),
}

#[derive(Clone, Debug)]
enum Op {
    /// Sets a pointer to an address plus a number, and plus `v MOD 3`.
    Set(usize, Base, i64, bool),
    Write(usize, i64, Value),
    /// Adds a byte to the result.
    Add(usize, i64),
    /// Assigns a string: a text, or the other string.
    Text(usize, Option<&'static str>),
    /// Adds the length of a string.
    Len(usize),
    /// Writes a byte of the array by its name.
    Named(i64, Value),
    /// Adds 1 if a comparison holds.
    Compare(usize, usize, Base, i64),
    If(i64, Vec<Op>),
    Loop(Vec<Op>),
}

/// Returns a random program.
pub fn bytes(seed: u64) -> Bytes {
    let mut rng = Rng::new(seed);
    let persists = rng.chance(50);
    let body = ops(&mut rng, 8, 2);
    let mut statements = String::new();
    print(&body, 0, &mut statements);
    let vars = "s : STRING[4]; t : STRING[2]; b : ARRAY [-1..1] OF BYTE;\n p, q : POINTER TO BYTE; r : POINTER TO ARRAY [1..3] OF BYTE;\n i0, i1, i2 : INT;";
    let text = match persists {
        true => format!(
            "PROGRAM Main\nVAR_INPUT\n v : SINT;\nEND_VAR\nVAR\n x : INT;\n {vars}\nEND_VAR\nx := 0;\n{statements}END_PROGRAM\n"
        ),
        false => format!(
            "FUNCTION F : INT\nVAR_INPUT\n v : SINT;\nEND_VAR\nVAR\n x : INT;\n {vars}\nEND_VAR\n{statements}F := x;\nEND_FUNCTION\n\
             PROGRAM Main\nVAR_INPUT\n v : SINT;\nEND_VAR\nVAR\n x : INT; codesys : POINTER TO INT;\nEND_VAR\nx := F(v := v);\nEND_PROGRAM\n"
        ),
    };
    Bytes { text, body, persists }
}

fn ops(rng: &mut Rng, n: usize, depth: usize) -> Vec<Op> {
    let mut all = Vec::new();
    // Every pointer has a target somewhere; few may refer to nothing before.
    for pointer in (0..3).filter(|_| depth == 2) {
        let set = Op::Set(pointer, Base::Target(rng.below(3)), 0, false);
        all.push(if rng.chance(90) { set } else { Op::If(3, vec![set]) });
    }
    let target = |rng: &mut Rng| rng.below(3);
    for _ in 0..1 + rng.below(n) {
        let pointer = rng.below(3);
        let index = if rng.chance(60) { 0 } else { rng.below(3) as i64 - rng.below(2) as i64 };
        let value = |rng: &mut Rng| match rng.below(4) {
            0 => Value::Number(0),
            1 => Value::Number(b'a' + rng.below(3) as u8),
            2 => Value::Input,
            _ => Value::Behind(rng.below(3), 0, rng.below(2) as u8),
        };
        let base = |rng: &mut Rng| match rng.below(8) {
            0 => Base::Null,
            1..4 => Base::Target(target(rng)),
            _ => Base::Pointer(rng.below(3)),
        };
        all.push(match rng.below(if depth == 0 { 9 } else { 11 }) {
            0 | 1 => Op::Set(pointer, base(rng), rng.below(5) as i64 - 2, rng.chance(20)),
            2 => Op::Set(pointer, Base::Pointer(pointer), 1, false),
            3 | 4 => Op::Write(pointer, index, value(rng)),
            5 => Op::Add(pointer, index),
            6 => Op::Text(rng.below(2), rng.chance(60).then(|| *rng.pick(&["", "a", "xy", "abc", "abcd"]))),
            7 => Op::Len(rng.below(2)),
            8 if rng.chance(50) => Op::Named(LOW + rng.below(3) as i64, value(rng)),
            8 => Op::Compare(pointer, rng.below(6), base(rng), rng.below(3) as i64),
            9 => Op::If(rng.below(9) as i64 - 4, ops(rng, 3, depth - 1)),
            _ => Op::Loop(ops(rng, 3, depth - 1)),
        });
    }
    all
}

fn byte(pointer: usize, index: i64) -> String {
    let name = POINTERS[pointer];
    match (pointer, index) {
        (ARRAY, _) => format!("{name}^[{}]", index + 1),
        (_, 0) => format!("{name}^"),
        (_, _) => format!("{name}[{index}]"),
    }
}

fn value(value: &Value) -> String {
    match value {
        Value::Number(n) => n.to_string(),
        Value::Input => "SINT_TO_BYTE(v)".to_owned(),
        Value::Behind(pointer, index, 0) => byte(*pointer, *index),
        Value::Behind(pointer, index, n) => format!("{} + {n}", byte(*pointer, *index)),
    }
}

fn address(base: &Base, distance: i64) -> String {
    let base = match base {
        Base::Null => "0".to_owned(),
        Base::Target(at) => format!("ADR({})", TARGETS[*at].0),
        Base::Pointer(at) => POINTERS[*at].to_owned(),
    };
    match distance {
        0 => base,
        1.. => format!("{base} + {distance}"),
        _ => format!("{base} - {}", -distance),
    }
}

fn print(body: &[Op], depth: usize, text: &mut String) {
    for op in body {
        let _ = match op {
            // A number added to 0 is no address.
            Op::Set(pointer, Base::Null, ..) => writeln!(text, "{} := 0;", POINTERS[*pointer]),
            Op::Set(pointer, base, distance, input) => {
                let more = if *input { " + v MOD 3" } else { "" };
                writeln!(text, "{} := {}{more};", POINTERS[*pointer], address(base, *distance))
            }
            Op::Write(pointer, index, written) => writeln!(text, "{} := {};", byte(*pointer, *index), value(written)),
            Op::Add(pointer, index) => writeln!(text, "x := (x * 3 + {}) MOD 997;", byte(*pointer, *index)),
            Op::Text(at, literal) => {
                let value = literal.map_or_else(|| TARGETS[1 - at].0.to_owned(), |literal| format!("'{literal}'"));
                writeln!(text, "{} := {value};", TARGETS[*at].0)
            }
            Op::Len(at) => writeln!(text, "x := (x * 3 + LEN({})) MOD 997;", TARGETS[*at].0),
            Op::Named(index, written) => writeln!(text, "b[{index}] := {};", value(written)),
            Op::Compare(pointer, op, base, distance) => {
                let other = address(base, if matches!(base, Base::Null) { 0 } else { *distance });
                writeln!(text, "IF {} {} {other} THEN x := x + 1; END_IF;", POINTERS[*pointer], OPERATORS[*op])
            }
            Op::If(least, inner) => {
                let _ = writeln!(text, "IF v >= {least} THEN");
                print(inner, depth, text);
                writeln!(text, "END_IF;")
            }
            Op::Loop(inner) => {
                let _ = writeln!(text, "FOR i{depth} := 1 TO 3 DO");
                print(inner, depth + 1, text);
                writeln!(text, "END_FOR;")
            }
        };
    }
}

impl Bytes {
    /// Runs one cycle; `memory` is that of the cycle before.
    pub fn cycle(&self, memory: &mut Memory, v: i8) -> Result<(), Stop> {
        if !self.persists || memory.bytes[0].is_empty() {
            *memory = Memory { bytes: TARGETS.map(|(_, n, _)| vec![0; n]), ..Memory::default() };
        }
        memory.x = 0;
        memory.run(&self.body, v)
    }

    /// Returns whether the bytes are variables of the program.
    pub fn persists(&self) -> bool {
        self.persists
    }
}

impl Memory {
    fn run(&mut self, body: &[Op], v: i8) -> Result<(), Stop> {
        for op in body {
            match op {
                Op::Set(pointer, Base::Null, ..) => self.pointers[*pointer] = (0, 0),
                Op::Set(pointer, base, distance, input) => {
                    let (target, offset) = self.address(base, *distance);
                    self.pointers[*pointer] = (target, offset + if *input { i64::from(v % 3) } else { 0 });
                }
                Op::Write(pointer, index, value) => {
                    let value = self.value(value, v)?;
                    match self.at(*pointer, *index)? {
                        (target, Some(at)) => self.bytes[target][at] = value,
                        (_, None) if value == 0 => {}
                        (_, None) => return Err(Stop::Outside),
                    }
                }
                Op::Add(pointer, index) => {
                    self.x = (self.x * 3 + i64::from(self.behind(*pointer, *index)?)) % 997;
                }
                Op::Text(at, literal) => {
                    let bytes = literal.map_or_else(|| self.bytes[1 - at].clone(), |literal| literal.as_bytes().to_vec());
                    self.bytes[*at] = bytes.into_iter().chain(std::iter::repeat(0)).take(TARGETS[*at].1).collect();
                }
                Op::Len(at) => {
                    let length = self.bytes[*at].iter().take_while(|byte| **byte != 0).count();
                    self.x = (self.x * 3 + length as i64) % 997;
                }
                Op::Named(index, value) => self.bytes[2][(index - LOW) as usize] = self.value(value, v)?,
                Op::Compare(pointer, op, base, distance) => {
                    let other = self.address(base, if matches!(base, Base::Null) { 0 } else { *distance });
                    self.x += i64::from(compare(self.pointers[*pointer], *op, other)?);
                }
                Op::If(least, inner) => {
                    if *least <= i64::from(v) {
                        self.run(inner, v)?;
                    }
                }
                Op::Loop(inner) => {
                    for _ in 0..3 {
                        self.run(inner, v)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn address(&self, base: &Base, distance: i64) -> (usize, i64) {
        match base {
            Base::Null => (0, distance),
            Base::Target(at) => (at + 1, distance),
            Base::Pointer(at) => (self.pointers[*at].0, self.pointers[*at].1 + distance),
        }
    }

    /// Returns the target and the position of a byte; no position for the one behind a string.
    fn at(&self, pointer: usize, index: i64) -> Result<(usize, Option<usize>), Stop> {
        let (target, offset) = self.pointers[pointer];
        let target = target.checked_sub(1).ok_or(Stop::Null)?;
        let (_, n, is_text) = TARGETS[target];
        let is_declared = pointer != ARRAY || (0..3).contains(&index);
        match usize::try_from(offset + index) {
            Ok(at) if at < n && is_declared => Ok((target, Some(at))),
            Ok(at) if at == n && is_text && is_declared => Ok((target, None)),
            Ok(_) | Err(_) => Err(Stop::Outside),
        }
    }

    fn behind(&self, pointer: usize, index: i64) -> Result<u8, Stop> {
        let (target, at) = self.at(pointer, index)?;
        Ok(at.map_or(0, |at| self.bytes[target][at]))
    }

    fn value(&self, value: &Value, v: i8) -> Result<u8, Stop> {
        match value {
            Value::Number(n) => Ok(*n),
            Value::Input => Ok(v as u8),
            Value::Behind(pointer, index, n) => Ok(self.behind(*pointer, *index)?.wrapping_add(*n)),
        }
    }
}

fn compare(a: (usize, i64), op: usize, b: (usize, i64)) -> Result<bool, Stop> {
    let is_inside = |(target, offset): (usize, i64)| {
        let size = target.checked_sub(1).map_or(1, |at| TARGETS[at].1 as i64 + i64::from(TARGETS[at].2));
        (0..size).contains(&offset)
    };
    let order = if a.0 == b.0 {
        a.1.cmp(&b.1)
    } else if is_inside(a) && is_inside(b) && (op < 2 || a.0 == 0 || b.0 == 0) {
        // Nothing is at the address 0.
        a.0.cmp(&b.0)
    } else {
        return Err(Stop::Order);
    };
    Ok(match op {
        0 => order.is_eq(),
        1 => order.is_ne(),
        2 => order.is_lt(),
        3 => order.is_le(),
        4 => order.is_gt(),
        _ => order.is_ge(),
    })
}
