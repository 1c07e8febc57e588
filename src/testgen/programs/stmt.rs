//! Random statements.

use std::fmt::Write as _;

use super::Generator;
use super::types::Ty;

/// Number and nesting of statements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub(super) statements: usize,
    /// Remaining nesting.
    pub(super) depth: usize,
}

impl Generator {
    pub(super) fn body(&mut self, text: &mut String, block: Block) {
        for _ in 0..block.statements {
            self.statement(text, block.depth, 0);
        }
    }

    fn nested(&mut self, text: &mut String, depth: usize, indent: usize) {
        let in_arm = std::mem::take(&mut self.in_arm);
        for _ in 0..=self.rng.below(2) {
            self.statement(text, depth, indent + 1);
        }
        self.in_arm = in_arm;
    }

    fn arm(&mut self, text: &mut String, depth: usize, indent: usize) {
        let in_arm = std::mem::replace(&mut self.in_arm, true);
        for _ in 0..=self.rng.below(2) {
            self.statement(text, depth, indent + 1);
        }
        self.in_arm = in_arm;
    }

    fn statement(&mut self, text: &mut String, depth: usize, indent: usize) {
        let pad = "    ".repeat(indent);
        let kind = if depth == 0 { self.rng.below(6) } else { self.rng.below(16) };
        // Writing to a string does not fail.
        let _ = match kind {
            0..3 => write!(text, "{pad}{}", self.assignment(depth)),
            3 => write!(text, "{pad}{}", self.call(depth)),
            4 if !self.cells.is_empty() && self.rng.chance(40) => write!(text, "{pad}{}", self.text_assignment(depth.min(2))),
            4 => write!(text, "{pad}{}", self.copy(depth)),
            5 => match self.rng.below(6) {
                0 if self.loops > 0 => writeln!(text, "{pad}EXIT;"),
                1 if self.loops > 0 => writeln!(text, "{pad}CONTINUE;"),
                2 if indent > 0 => writeln!(text, "{pad}RETURN;"),
                3 => writeln!(text, "{pad}//#ASSERT {}", self.assertion(depth)),
                4 if indent > 0 && !self.targets.is_empty() => writeln!(text, "{pad}GOTO {};", self.rng.pick(&self.targets)),
                _ => write!(text, "{pad}{}", self.assignment(depth)),
            },
            6..9 => {
                self.if_statement(text, depth - 1, indent);
                Ok(())
            }
            9 | 10 => {
                self.case_statement(text, depth - 1, indent);
                Ok(())
            }
            14 | 15 if !self.in_arm => {
                self.jump_statement(text, depth - 1, indent);
                Ok(())
            }
            _ => {
                self.loop_statement(text, depth - 1, indent);
                Ok(())
            }
        };
    }

    /// Returns a condition without side effects.
    fn assertion(&mut self, depth: usize) -> String {
        let may_call = std::mem::replace(&mut self.may_call, false);
        let condition = self.expr(Ty::Bool, depth);
        self.may_call = may_call;
        condition
    }

    /// Returns an assignment to a scalar, a bit or an element.
    fn assignment(&mut self, depth: usize) -> String {
        let writable: Vec<(String, Ty)> = self.names.iter().filter(|n| n.writable).map(|n| (n.text.clone(), n.ty)).collect();
        let (name, ty) = self.rng.pick(&writable).clone();
        match (self.rng.below(4), ty) {
            (0, Ty::Bits(width)) => {
                let bit = self.rng.below(usize::from(width));
                format!("{name}.{bit} := {};\n", self.expr(Ty::Bool, depth))
            }
            (1, _) if !self.arrays.is_empty() => {
                let (array, elem, low) = self.arrays[self.rng.below(self.arrays.len())].clone();
                let index = self.index(low, depth.min(1));
                format!("{array}[{index}] := {};\n", self.expr(elem, depth))
            }
            // An implicit widening.
            (2, Ty::Int("DINT", _)) => format!("{name} := {};\n", self.expr(Ty::int("INT"), depth)),
            _ => format!("{name} := {};\n", self.expr(ty, depth)),
        }
    }

    fn call(&mut self, depth: usize) -> String {
        // Only the main program has the variables for these.
        if self.size.objects && !self.cells.is_empty() && self.rng.chance(40) {
            return self.member_statement(depth);
        }
        if self.may_call && self.rng.chance(25) {
            return format!("{};\n", self.mix_statement(depth));
        }
        if self.calls.is_empty() {
            return self.assignment(depth);
        }
        let call = self.rng.pick(&self.calls).clone();
        let mut args = Vec::new();
        for (name, ty) in call.inputs {
            if self.rng.chance(80) {
                args.push(format!("{name} := {}", self.expr(ty, depth)));
            }
        }
        for (name, ty) in call.outputs {
            let targets: Vec<String> = self.names.iter().filter(|n| n.ty == ty && n.writable).map(|n| n.text.clone()).collect();
            if !targets.is_empty() && self.rng.chance(30) {
                args.push(format!("{name} => {}", self.rng.pick(&targets)));
            }
        }
        let index = if call.instance == "keepers" { format!("[{}]", self.three(depth)) } else { String::new() };
        format!("{}{index}({});\n", call.instance, args.join(", "))
    }

    /// Returns a call for its side effects only.
    fn mix_statement(&mut self, depth: usize) -> String {
        let call = self.mix(depth);
        if call.starts_with("Mix(") || call.starts_with("Pass(") { call } else { "Bump(1)".into() }
    }

    /// Returns a copy of a whole structure or array; otherwise an assignment.
    fn copy(&mut self, depth: usize) -> String {
        if self.cells.is_empty() {
            return self.assignment(depth);
        }
        let cell = self.rng.pick(&self.cells).clone();
        match self.rng.below(4) {
            0 => "cell := other;\n".into(),
            1 => format!("cells[{}] := {cell};\n", self.index(0, depth.min(1))),
            2 => format!("{cell} := cells[{}];\n", self.index(0, depth.min(1))),
            _ => "copy := row0;\n".into(),
        }
    }

    fn if_statement(&mut self, text: &mut String, depth: usize, indent: usize) {
        let pad = "    ".repeat(indent);
        let _ = writeln!(text, "{pad}IF {} THEN", self.expr(Ty::Bool, depth + 1));
        self.nested(text, depth, indent);
        if self.rng.chance(30) {
            let _ = writeln!(text, "{pad}ELSIF {} THEN", self.expr(Ty::Bool, depth));
            self.nested(text, depth, indent);
        }
        if self.rng.chance(50) {
            let _ = writeln!(text, "{pad}ELSE");
            self.nested(text, depth, indent);
        }
        let _ = writeln!(text, "{pad}END_IF;");
    }

    fn case_statement(&mut self, text: &mut String, depth: usize, indent: usize) {
        let pad = "    ".repeat(indent);
        let (selector, labels) = if self.rng.chance(40) {
            (self.expr(Ty::Mode, depth), ["Mode#Idle", "Mode#Busy, Mode#Done"])
        } else {
            (self.expr(Ty::int("INT"), depth), ["0", "-3..-1, 4, 6..9"])
        };
        let _ = writeln!(text, "{pad}CASE {selector} OF");
        for label in labels {
            let _ = writeln!(text, "{pad}{label}:");
            self.arm(text, depth, indent);
        }
        if self.rng.chance(50) {
            let _ = writeln!(text, "{pad}ELSE");
            self.arm(text, depth, indent);
        }
        let _ = writeln!(text, "{pad}END_CASE;");
    }

    /// Adds a jump over some statements, or back over them while a counter of their own allows it.
    fn jump_statement(&mut self, text: &mut String, depth: usize, indent: usize) {
        let pad = "    ".repeat(indent);
        self.n_labels += 1;
        let label = format!("l{}", self.n_labels);
        if self.cells.is_empty() || self.loops >= 2 || self.rng.chance(50) {
            let _ = writeln!(text, "{pad}IF {} THEN\n{pad}    GOTO {label};\n{pad}END_IF;", self.expr(Ty::Bool, depth));
            self.targets.push(label.clone());
            for _ in 0..=self.rng.below(2) {
                self.statement(text, depth, indent);
            }
            self.targets.pop();
            let _ = writeln!(text, "{pad}{label}:");
            return;
        }
        self.loops += 1;
        let w = format!("w{}", self.loops);
        let _ = writeln!(text, "{pad}{w} := 0;\n{pad}{label}:\n{pad}{w} := {w} + 1;");
        // EXIT and CONTINUE need an enclosing loop, which a backward jump does not have.
        let body = self.assignment(depth);
        let _ = write!(text, "{pad}{body}");
        let _ = writeln!(text, "{pad}IF {} THEN", self.expr(Ty::Bool, depth));
        let body = self.copy(depth);
        let _ = writeln!(text, "{pad}    {body}{pad}END_IF;");
        let (n, condition) = (self.rng.below(4), self.expr(Ty::Bool, depth));
        let _ = writeln!(text, "{pad}IF {w} <= {n} AND {condition} THEN\n{pad}    GOTO {label};\n{pad}END_IF;");
        self.loops -= 1;
    }

    /// Adds a loop with a counter of its own, so that it ends. Only the main program declares counters.
    fn loop_statement(&mut self, text: &mut String, depth: usize, indent: usize) {
        if self.cells.is_empty() || self.loops >= 2 {
            self.if_statement(text, depth, indent);
            return;
        }
        let pad = "    ".repeat(indent);
        self.loops += 1;
        let (k, w) = (format!("k{}", self.loops), format!("w{}", self.loops));
        let n = self.rng.below(4);
        let kind = self.rng.below(4);
        let _ = match kind {
            0 => writeln!(text, "{pad}FOR {k} := 0 TO {n} DO"),
            1 => writeln!(text, "{pad}FOR {k} := {n} TO -1 BY -2 DO"),
            2 => writeln!(
                text,
                "{pad}{w} := 0;\n{pad}WHILE {w} < {n} AND {} DO\n{pad}    {w} := {w} + 1;",
                self.expr(Ty::Bool, depth)
            ),
            _ => writeln!(text, "{pad}{w} := 0;\n{pad}REPEAT\n{pad}    {w} := {w} + 1;"),
        };
        let counter = if kind < 2 { &k } else { &w };
        self.names.push(super::Name { text: counter.clone(), ty: Ty::int("INT"), writable: false, variable: false });
        self.nested(text, depth, indent);
        self.names.pop();
        let _ = match kind {
            0 | 1 => writeln!(text, "{pad}END_FOR;"),
            2 => writeln!(text, "{pad}END_WHILE;"),
            _ => writeln!(text, "{pad}UNTIL {w} > {n} OR {}\n{pad}END_REPEAT;", self.expr(Ty::Bool, depth)),
        };
        self.loops -= 1;
    }
}
