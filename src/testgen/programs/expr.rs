//! Random expressions of a given type, written with all parentheses.

use super::Generator;
use super::types::{INTEGERS, Ty};

impl Generator {
    /// Returns an expression of exactly this type.
    pub(super) fn expr(&mut self, ty: Ty, depth: usize) -> String {
        if depth == 0 || self.rng.chance(15) {
            return self.atom(ty);
        }
        let depth = depth - 1;
        match ty {
            Ty::Bool => self.bool(depth),
            Ty::Int(name, format) => self.int(ty, name, format.signed, depth),
            Ty::Bits(width) => self.bits(ty, width, depth),
            Ty::Time => self.time(depth),
            Ty::Real => self.real(depth),
            Ty::Mode => self.choice(Ty::Mode, depth),
            Ty::Tod | Ty::Dt => self.point(ty, depth),
        }
    }

    /// Returns a name or a literal.
    pub(super) fn atom(&mut self, ty: Ty) -> String {
        let named: Vec<String> = self.names.iter().filter(|n| n.ty == ty).map(|n| n.text.clone()).collect();
        if named.is_empty() || self.rng.chance(25) { self.literal(ty) } else { self.rng.pick(&named).clone() }
    }

    /// Returns a literal with its type, often an end of the type.
    pub(super) fn literal(&mut self, ty: Ty) -> String {
        match ty {
            Ty::Bool => if self.rng.chance(50) { "TRUE" } else { "FALSE" }.into(),
            Ty::Int(name, format) => {
                let small = self.rng.below(12) as i128 - if format.signed { 4 } else { 0 };
                let value = match self.rng.below(8) {
                    0 => format.min(),
                    1 => format.max(),
                    _ => small.max(format.min()),
                };
                format!("{name}#{value}")
            }
            Ty::Bits(width) => {
                let value = self.rng.next() & ((1 << width) - 1);
                format!("{}#16#{value:X}", ty.name())
            }
            Ty::Time => format!("T#{}ms", self.rng.below(12) * 50),
            Ty::Real => {
                let digits = self.rng.below(2000) as f32 / 16.0 - 40.0;
                format!("REAL#{digits:?}")
            }
            Ty::Tod => format!("TOD#{:02}:{:02}:00", self.rng.below(24), self.rng.below(60)),
            Ty::Dt => {
                format!("DT#{}-02-{:02}-23:59:{:02}", 1970 + self.rng.below(130), self.rng.below(28) + 1, self.rng.below(60))
            }
            Ty::Mode => format!("Mode#{}", self.rng.pick(&["Idle", "Busy", "Done"])),
        }
    }

    /// Returns a point in time.
    fn point(&mut self, ty: Ty, depth: usize) -> String {
        match self.rng.below(5) {
            0 => format!("({} + {})", self.expr(ty, depth), self.expr(Ty::Time, depth)),
            1 => format!("({} - {})", self.expr(ty, depth), self.expr(Ty::Time, depth)),
            2 if ty == Ty::Tod => format!("DT_TO_TOD({})", self.expr(Ty::Dt, depth)),
            2 => format!("CONCAT_DATE_TOD(DT_TO_DATE({}), {})", self.expr(Ty::Dt, depth), self.expr(Ty::Tod, depth)),
            3 => format!("MAX({}, {})", self.expr(ty, depth), self.expr(ty, depth)),
            _ => self.choice(ty, depth),
        }
    }

    fn bool(&mut self, depth: usize) -> String {
        match self.rng.below(13) {
            12 if !self.cells.is_empty() => self.text_test(depth.min(1)),
            0..4 => {
                let op = *self.rng.pick(&["AND", "OR", "XOR", "AND_THEN", "OR_ELSE", "&", "=", "<>", "<"]);
                self.two(Ty::Bool, op, depth)
            }
            4 => format!("(NOT {})", self.expr(Ty::Bool, depth)),
            5..9 => {
                let ty = self.ty();
                let ops: &[&str] = if ty == Ty::Mode { &["=", "<>"] } else { &["=", "<>", "<", "<=", ">", ">="] };
                let op = *self.rng.pick(ops);
                self.two(ty, op, depth)
            }
            9 => self.bit().unwrap_or_else(|| self.atom(Ty::Bool)),
            10 if self.may_call => format!("Bump({})", self.expr(Ty::int("INT"), depth.min(1))),
            _ => self.choice(Ty::Bool, depth),
        }
    }

    /// Returns `a op b`
    fn two(&mut self, ty: Ty, op: &str, depth: usize) -> String {
        format!("({} {op} {})", self.expr(ty, depth), self.expr(ty, depth))
    }

    /// Returns `w.3`
    fn bit(&mut self) -> Option<String> {
        let strings: Vec<(String, u8)> = self.names.iter().filter_map(|n| Some((n.text.clone(), n.width()?))).collect();
        let (name, width) = strings.get(self.rng.below(strings.len()))?.clone();
        Some(format!("{name}.{}", self.rng.below(usize::from(width))))
    }

    /// Returns `w.%B1`
    fn byte(&mut self) -> Option<String> {
        let strings: Vec<(String, u8)> = self.names.iter().filter_map(|n| Some((n.text.clone(), n.width()?))).collect();
        let strings: Vec<_> = strings.into_iter().filter(|(_, width)| *width > 8).collect();
        let (name, width) = strings.get(self.rng.below(strings.len()))?.clone();
        Some(format!("{name}.%B{}", self.rng.below(usize::from(width / 8))))
    }

    fn int(&mut self, ty: Ty, name: &str, signed: bool, depth: usize) -> String {
        match self.rng.below(16) {
            14 if name == "INT" && !self.cells.is_empty() => self.text_count(depth.min(1)),
            15 if name == "INT" => format!("DAY_OF_WEEK(DT_TO_DATE({}))", self.expr(Ty::Dt, depth.min(1))),
            0..4 => {
                let op = *self.rng.pick(&["+", "-", "*"]);
                self.two(ty, op, depth)
            }
            4 => {
                let op = *self.rng.pick(&["/", "MOD"]);
                let divisor = self.divisor(ty, name, depth);
                format!("({} {op} {divisor})", self.expr(ty, depth))
            }
            5 if signed => format!("(-{})", self.expr(ty, depth)),
            6 => format!("ABS({})", self.expr(ty, depth)),
            7 => self.convert(ty, depth),
            8 => {
                let f = *self.rng.pick(&["MIN", "MAX"]);
                format!("{f}({}, {}, {})", self.expr(ty, depth), self.atom(ty), self.expr(ty, depth))
            }
            9 => format!("LIMIT({}, {}, {})", self.atom(ty), self.expr(ty, depth), self.atom(ty)),
            10 if self.may_call && name == "INT" && self.size.objects && !self.cells.is_empty() && self.rng.chance(50) => {
                self.member_value(depth)
            }
            10 if self.may_call && name == "INT" => self.mix(depth),
            11 => self.element(ty, depth).unwrap_or_else(|| self.atom(ty)),
            12 if name == "DINT" => format!("({} + {})", self.expr(ty, depth), self.expr(Ty::int("INT"), depth)),
            _ => self.choice(ty, depth),
        }
    }

    fn divisor(&mut self, ty: Ty, name: &str, depth: usize) -> String {
        if self.size.faults && self.rng.chance(10) {
            return self.expr(ty, depth);
        }
        match self.rng.below(3) {
            0 => format!("{name}#{}", self.rng.below(9) + 1),
            _ => format!("MAX({}, {name}#1)", self.expr(ty, depth)),
        }
    }

    /// Returns a conversion from some other type.
    fn convert(&mut self, ty: Ty, depth: usize) -> String {
        let from = match self.rng.below(6) {
            0 => Ty::Bool,
            1 => Ty::bits(*self.rng.pick(&[8, 16, 32])),
            2 => Ty::Time,
            3 if self.size.floats => {
                return format!("REAL_TO_{}(LIMIT(REAL#0.0, {}, REAL#100.0))", ty.name(), self.expr(Ty::Real, depth));
            }
            _ => *self.rng.pick(INTEGERS),
        };
        if from == ty {
            return self.expr(ty, depth);
        }
        format!("{}_TO_{}({})", from.name(), ty.name(), self.expr(from, depth))
    }

    /// Returns an index from 1 to 3, mostly.
    pub(super) fn three(&mut self, depth: usize) -> String {
        match self.rng.below(3) {
            0 => "2".into(),
            1 if self.size.faults && self.rng.chance(20) => self.expr(Ty::int("INT"), depth.min(1)),
            _ => format!("LIMIT(1, {}, 3)", self.expr(Ty::int("INT"), depth.min(1))),
        }
    }

    /// Returns a call with side effects: `Mix` changes two variables, which may be one.
    pub(super) fn mix(&mut self, depth: usize) -> String {
        let places: Vec<String> =
            self.names.iter().filter(|n| n.ty == Ty::int("INT") && n.writable && n.variable).map(|n| n.text.clone()).collect();
        if places.is_empty() {
            return self.atom(Ty::int("INT"));
        }
        let (x, y) = (self.reference(&places), self.reference(&places));
        if self.rng.chance(20) {
            return format!("Pass({x})");
        }
        let a = self.expr(Ty::int("INT"), depth.min(1));
        match self.rng.below(3) {
            0 => format!("Mix(a := {a}, x := {x}, y := {y})"),
            1 => format!("Mix(a := {a}, b := {}, x := {x}, y := {y})", self.expr(Ty::Bool, depth.min(1))),
            _ => format!("Mix(a := {a}, x := {x}, y := {y}, spare => {})", self.rng.pick(&places)),
        }
    }

    /// Returns a variable or an element, by reference.
    fn reference(&mut self, places: &[String]) -> String {
        let int = Ty::int("INT");
        match self.rng.below(5) {
            0 => self.element(int, 1).unwrap_or_else(|| self.rng.pick(places).clone()),
            1 if !self.cells.is_empty() => format!("cells[{}].level", self.index(0, 1)),
            _ => self.rng.pick(places).clone(),
        }
    }

    /// Returns an element of an array of this type.
    pub(super) fn element(&mut self, ty: Ty, depth: usize) -> Option<String> {
        let arrays: Vec<(String, i64)> = self.arrays.iter().filter(|a| a.1 == ty).map(|a| (a.0.clone(), a.2)).collect();
        let (name, low) = arrays.get(self.rng.below(arrays.len()))?.clone();
        Some(format!("{name}[{}]", self.index(low, depth)))
    }

    /// Returns an index from `low` to `low + 4`, mostly.
    pub(super) fn index(&mut self, low: i64, depth: usize) -> String {
        let int = Ty::int("INT");
        match self.rng.below(4) {
            0 => format!("{}", low + self.rng.below(5) as i64),
            1 if self.size.faults && self.rng.chance(20) => self.expr(int, depth),
            2 if low == 0 => format!("(ABS({}) MOD 5)", self.atom(int)),
            _ => format!("LIMIT({low}, {}, {})", self.expr(int, depth), low + 4),
        }
    }

    fn bits(&mut self, ty: Ty, width: u8, depth: usize) -> String {
        match self.rng.below(9) {
            8 if width == 8 => self.byte().unwrap_or_else(|| self.atom(ty)),
            0..3 => {
                let op = *self.rng.pick(&["AND", "OR", "XOR"]);
                self.two(ty, op, depth)
            }
            3 => format!("(NOT {})", self.expr(ty, depth)),
            4 | 5 => {
                let f = *self.rng.pick(&["SHL", "SHR", "ROL", "ROR"]);
                let n = if self.rng.chance(60) {
                    self.rng.below(usize::from(width) + 3).to_string()
                } else {
                    self.expr(Ty::int("INT"), depth.min(1))
                };
                format!("{f}({}, {n})", self.expr(ty, depth))
            }
            6 => self.convert(ty, depth),
            _ => self.choice(ty, depth),
        }
    }

    fn time(&mut self, depth: usize) -> String {
        match self.rng.below(6) {
            5 => {
                let ty = *self.rng.pick(&[Ty::Tod, Ty::Dt]);
                self.two(ty, "-", depth)
            }
            0..2 => {
                let op = *self.rng.pick(&["+", "-"]);
                self.two(Ty::Time, op, depth)
            }
            2 => format!("MIN({}, {})", self.expr(Ty::Time, depth), self.expr(Ty::Time, depth)),
            3 => format!("INT_TO_TIME({})", self.expr(Ty::int("INT"), depth)),
            _ => self.choice(Ty::Time, depth),
        }
    }

    fn real(&mut self, depth: usize) -> String {
        match self.rng.below(8) {
            0..4 => {
                let op = *self.rng.pick(&["+", "-", "*", "/"]);
                self.two(Ty::Real, op, depth)
            }
            4 => format!("{}({})", self.rng.pick(&["ABS", "SQRT"]), self.expr(Ty::Real, depth)),
            5 => format!("INT_TO_REAL({})", self.expr(Ty::int("INT"), depth)),
            6 => format!("LIMIT({}, {}, {})", self.atom(Ty::Real), self.expr(Ty::Real, depth), self.atom(Ty::Real)),
            _ => self.choice(Ty::Real, depth),
        }
    }

    /// Returns SEL or MUX, or an element of an array.
    fn choice(&mut self, ty: Ty, depth: usize) -> String {
        match self.rng.below(4) {
            0 => format!("SEL({}, {}, {})", self.expr(Ty::Bool, depth), self.expr(ty, depth), self.atom(ty)),
            1 => {
                let k = format!("LIMIT(INT#0, {}, INT#2)", self.expr(Ty::int("INT"), depth));
                format!("MUX({k}, {}, {}, {})", self.atom(ty), self.expr(ty, depth), self.atom(ty))
            }
            2 => self.element(ty, depth.min(1)).unwrap_or_else(|| self.atom(ty)),
            _ => self.atom(ty),
        }
    }
}

impl super::Name {
    /// Returns the width of a bit string.
    fn width(&self) -> Option<u8> {
        match self.ty {
            Ty::Bits(width) => Some(width),
            Ty::Bool | Ty::Int(..) | Ty::Time | Ty::Real | Ty::Mode | Ty::Tod | Ty::Dt => None,
        }
    }
}
