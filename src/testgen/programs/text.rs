//! Random strings, so short that they are often equal, full and cut off.

use super::Generator;
use super::types::Ty;

/// The string variables of the main program with their lengths.
pub(super) const TEXTS: &[(&str, usize)] = &[("s1", 4), ("s2", 6), ("s3", 1)];

impl Generator {
    /// Returns an expression of some string type.
    pub(super) fn text(&mut self, depth: usize) -> String {
        if depth == 0 || self.rng.chance(30) {
            return if self.rng.chance(60) { self.rng.pick(TEXTS).0.into() } else { self.text_literal() };
        }
        let depth = depth - 1;
        let int = Ty::int("INT");
        match self.rng.below(9) {
            0 => format!("CONCAT({}, {})", self.text(depth), self.text(depth)),
            1 => format!("LEFT({}, {})", self.text(depth), self.expr(int, depth)),
            2 => format!("RIGHT({}, {})", self.text(depth), self.expr(int, depth)),
            3 => format!("MID({}, {}, {})", self.text(depth), self.expr(int, depth), self.expr(int, depth)),
            4 => format!("INSERT({}, {}, {})", self.text(depth), self.text(depth), self.expr(int, depth)),
            5 => format!("DELETE({}, {}, {})", self.text(depth), self.expr(int, depth), self.expr(int, depth)),
            6 => format!(
                "REPLACE({}, {}, {}, {})",
                self.text(depth),
                self.text(depth),
                self.expr(int, depth),
                self.expr(int, depth)
            ),
            7 => format!("SEL({}, {}, {})", self.expr(Ty::Bool, depth), self.text(depth), self.text(depth)),
            _ if self.may_call => format!("Glue({}, {})", self.text(depth), self.text(depth)),
            _ => self.text_literal(),
        }
    }

    fn text_literal(&mut self) -> String {
        let n = self.rng.below(4);
        let chars: String = (0..n).map(|_| *self.rng.pick(&['a', 'b', 'c'])).collect();
        format!("'{chars}'")
    }

    /// Returns LEN or FIND.
    pub(super) fn text_count(&mut self, depth: usize) -> String {
        if self.rng.chance(50) {
            format!("LEN({})", self.text(depth))
        } else {
            format!("FIND({}, {})", self.text(depth), self.text(depth))
        }
    }

    /// Returns a comparison.
    pub(super) fn text_test(&mut self, depth: usize) -> String {
        let op = *self.rng.pick(&["=", "<>", "<", "<=", ">", ">="]);
        format!("({} {op} {})", self.text(depth), self.text(depth))
    }

    /// Returns an assignment to a string or to a character of one.
    pub(super) fn text_assignment(&mut self, depth: usize) -> String {
        let (name, length) = *self.rng.pick(TEXTS);
        if self.rng.chance(25) {
            let index = if self.size.faults && self.rng.chance(10) {
                self.expr(Ty::int("INT"), depth.min(1))
            } else {
                format!("LIMIT(1, {}, {length})", self.expr(Ty::int("INT"), depth.min(1)))
            };
            return format!("{name}[{index}] := TO_CHAR({});\n", self.expr(Ty::bits(8), depth));
        }
        format!("{name} := {};\n", self.text(depth))
    }
}
