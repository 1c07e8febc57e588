//! Random programs with so few states that all can be visited, which gives the true answers about the program.
//!
//! Inputs are BOOL; numbers get small values only, or are SINT and run through all values.

use std::fmt::Write as _;

use super::rng::Rng;

/// A program and a requirement about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tiny {
    /// The source text; its entry is `PROGRAM Main`.
    pub program: String,
    /// One entry of the list of requirements, in YAML.
    pub requirement: String,
    /// The inputs, by canonical name; all are BOOL.
    pub inputs: Vec<String>,
}

/// Returns the program of a seed. Every third one has a loop that no run reaches.
pub fn tiny(seed: u64) -> Tiny {
    let mut maker = Maker { rng: Rng::new(seed ^ 0x7ee1), flags: Vec::new(), numbers: Vec::new(), n_inputs: 0, loops: 0 };
    let mut program = maker.program();
    let requirement = maker.requirement();
    if seed.is_multiple_of(3) {
        program = with_dead_loop(&program, &mut Rng::new(seed ^ 0xdead));
    }
    Tiny { program, requirement, inputs: (0..maker.n_inputs).map(|i| format!("Main.i{i}")).collect() }
}

/// Returns the program with a loop in a branch whose condition is never true, before or behind its other statements.
fn with_dead_loop(program: &str, rng: &mut Rng) -> String {
    let round = *rng.pick(&["n0 := n0 + 1;", "b0 := NOT b0;\nn0 := n0 + 1;", "k0 := k0 + 1;\nmode := Busy;", "b0 := i0;"]);
    let end = *rng.pick(&["n0 > 3", "b0", "b0 AND n0 = 2", "FALSE", "k0 >= 2 OR i0"]);
    let looped = match rng.below(2) {
        0 => format!("REPEAT\n{round}\nUNTIL {end} END_REPEAT;\n"),
        _ => format!("WHILE NOT ({end}) DO\n{round}\nEND_WHILE;\n"),
    };
    let condition = *rng.pick(&["dead", "dead AND i0", "dead AND NOT b0", "NOT (NOT dead OR b1)"]);
    let branch = format!("IF {condition} THEN\n{looped}END_IF;\n");
    let declared = program.replacen("    k0 : INT;\n", "    k0 : INT;\n    dead : BOOL;\n", 1);
    match rng.below(2) {
        0 => declared.replacen("END_PROGRAM\n", &format!("{branch}END_PROGRAM\n"), 1),
        _ => match declared.rsplit_once("END_VAR\n") {
            Some((before, after)) => format!("{before}END_VAR\n{branch}{after}"),
            None => declared,
        },
    }
}

struct Maker {
    rng: Rng,
    /// BOOL variables that may be written.
    flags: Vec<String>,
    numbers: Vec<String>,
    n_inputs: usize,
    /// Loops so far; each has a variable of its own.
    loops: usize,
}

const TYPES: &[&str] = &["SINT", "SINT", "USINT", "INT", "BYTE"];

impl Maker {
    fn program(&mut self) -> String {
        self.n_inputs = 1 + self.rng.below(3);
        let mut vars = String::new();
        // Writing to a string does not fail.
        for i in 0..2 + self.rng.below(3) {
            let init = if self.rng.chance(25) { " := TRUE" } else { "" };
            let _ = writeln!(vars, "    b{i} : BOOL{init};");
            self.flags.push(format!("b{i}"));
        }
        for i in 0..1 + self.rng.below(2) {
            // Bit strings have no arithmetic.
            let ty = *self.rng.pick(&TYPES[..4]);
            let _ = writeln!(vars, "    n{i} : {ty} := {};", self.rng.below(4));
            self.numbers.push(format!("n{i}"));
        }
        vars.push_str("    mode : Mode;\n    rise : R_TRIG;\n    k0 : INT;\n    k1 : INT;\n    k2 : INT;\n    k3 : INT;\n");
        let mut body = String::new();
        for _ in 0..2 + self.rng.below(4) {
            self.statement(&mut body, 2);
        }
        let inputs: Vec<String> = (0..self.n_inputs).map(|i| format!("i{i}")).collect();
        format!(
            "TYPE\n    Mode : (Idle, Busy, Done);\nEND_TYPE\n\nPROGRAM Main\nVAR_INPUT\n    {} : BOOL;\nEND_VAR\nVAR\n{vars}END_VAR\n{body}END_PROGRAM\n",
            inputs.join(", ")
        )
    }

    fn requirement(&mut self) -> String {
        let (a, b, c) = (self.condition(2), self.condition(1), self.condition(1));
        match self.rng.below(6) {
            0 | 1 => format!("{{ always: \"{a}\" }}"),
            2 => format!("{{ never: \"{a}\" }}"),
            3 => format!("{{ if: \"{b}\", then: \"{a}\" }}"),
            4 => format!("{{ at_start: \"{b}\", then: \"{a}\" }}"),
            _ => format!("{{ after: \"{b}\", if: \"{c}\", then: \"{a}\" }}"),
        }
    }

    fn flag(&mut self) -> String {
        match self.rng.below(3) {
            0 => format!("i{}", self.rng.below(self.n_inputs)),
            _ => self.rng.pick(&self.flags).clone(),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        if depth == 0 || self.rng.chance(30) {
            return match self.rng.below(7) {
                0..3 => self.flag(),
                3 => format!("mode = {}", self.rng.pick(&["Idle", "Busy", "Done"])),
                4 => format!("NOT {}", self.flag()),
                _ => {
                    let op = *self.rng.pick(&["=", "<>", "<", "<=", ">", ">="]);
                    let right = if self.rng.chance(25) && self.numbers.len() == 1 {
                        self.rng.pick(&self.numbers).clone()
                    } else {
                        self.rng.below(9).to_string()
                    };
                    format!("{} {op} {right}", self.rng.pick(&self.numbers))
                }
            };
        }
        let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
        match self.rng.below(5) {
            0 | 1 => format!("({a} AND {b})"),
            2 => format!("({a} OR {b})"),
            3 => format!("({a} XOR {b})"),
            _ => format!("NOT ({a} OR {b})"),
        }
    }

    /// Returns a value for the number `of`: mostly one that keeps it small.
    fn number(&mut self, of: &str) -> String {
        let step = 1 + self.rng.below(3);
        match self.rng.below(10) {
            0 | 1 => self.rng.below(8).to_string(),
            2 | 3 => format!("({of} + {step}) MOD {}", 3 + self.rng.below(7)),
            4 | 5 => format!("MIN({of} + {step}, {})", 4 + self.rng.below(9)),
            6 => format!("MAX({of}, {step}) - {step}"),
            7 => format!("SEL({}, {of}, {})", self.condition(1), self.rng.below(6)),
            8 => format!("{of} / {}", 1 + step),
            _ => format!("{of} + {step}"),
        }
    }

    fn statement(&mut self, text: &mut String, depth: usize) {
        match self.rng.below(if depth == 0 { 4 } else { 10 }) {
            0 | 1 => {
                let target = self.rng.pick(&self.flags).clone();
                let value = self.condition(2);
                let _ = writeln!(text, "{target} := {value};");
            }
            2 => {
                let target = self.rng.pick(&self.numbers).clone();
                let value = self.number(&target);
                let _ = writeln!(text, "{target} := {value};");
            }
            3 => {
                let mode = *self.rng.pick(&["Idle", "Busy", "Done"]);
                let _ = writeln!(text, "mode := {mode};");
            }
            4 | 5 => {
                let cond = self.condition(2);
                let _ = writeln!(text, "IF {cond} THEN");
                self.statement(text, depth - 1);
                if self.rng.chance(50) {
                    text.push_str("ELSE\n");
                    self.statement(text, depth - 1);
                }
                text.push_str("END_IF;\n");
            }
            6 => {
                text.push_str("CASE mode OF\nIdle:\n");
                self.statement(text, depth - 1);
                text.push_str("Busy:\n");
                self.statement(text, depth - 1);
                text.push_str("ELSE\n");
                self.statement(text, depth - 1);
                text.push_str("END_CASE;\n");
            }
            7 => {
                let (clk, target) = (self.condition(1), self.rng.pick(&self.flags).clone());
                let _ = writeln!(text, "rise(CLK := {clk});\n{target} := rise.Q;");
            }
            8 if self.loops < 4 => self.open_loop(text, depth),
            _ if self.loops < 4 => {
                let (i, low) = (self.loops, self.rng.below(3));
                self.loops += 1;
                let _ = writeln!(text, "FOR k{i} := {low} TO {} DO", low + 1 + self.rng.below(3));
                self.statement(text, depth - 1);
                if self.rng.chance(40) {
                    let cond = self.condition(1);
                    let _ = writeln!(text, "IF {cond} THEN EXIT; END_IF;");
                }
                text.push_str("END_FOR;\n");
            }
            _ => self.statement(text, depth - 1),
        }
    }

    /// Writes a loop whose number of rounds depends on the state: at most three, and it is not unrolled.
    fn open_loop(&mut self, text: &mut String, depth: usize) {
        let (k, most) = (format!("k{}", self.loops), 1 + self.rng.below(3));
        self.loops += 1;
        let cond = self.condition(1);
        let is_while = self.rng.chance(50);
        let _ = writeln!(text, "{k} := 0;");
        if is_while {
            let _ = writeln!(text, "WHILE {k} < {most} AND ({cond}) DO\n{k} := {k} + 1;");
        } else {
            let _ = writeln!(text, "REPEAT\n{k} := {k} + 1;");
        }
        self.statement(text, depth - 1);
        let end = if is_while { "END_WHILE;".to_owned() } else { format!("UNTIL {k} >= {most} OR ({cond}) END_REPEAT;") };
        let _ = writeln!(text, "{end}");
    }
}
