//! Values and types as drawings show them: texts, and the declared types of the variables that stand in the drawing.

use std::collections::BTreeMap;

use plc_frontend::hir::{Project, RealType, Type, TypeId};

/// A value that was read from its text.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shown {
    Truth(bool),
    Whole(i128),
    /// In nanoseconds.
    Time(i128),
    Real(f64),
}

impl Shown {
    /// Reads a value; `None` for texts and for names of enumerations.
    pub(super) fn read(text: &str) -> Option<Shown> {
        match text {
            "TRUE" => return Some(Shown::Truth(true)),
            "FALSE" => return Some(Shown::Truth(false)),
            _ => {}
        }
        if let Some((prefix, digits)) = text.split_once('#') {
            return match prefix {
                "16" => i128::from_str_radix(digits, 16).ok().map(Shown::Whole),
                "T" | "LT" => nanoseconds(digits).map(Shown::Time),
                _ => None,
            };
        }
        let whole = text.parse().ok().map(Shown::Whole);
        whole.or_else(|| text.parse().ok().filter(|v: &f64| v.is_finite()).map(Shown::Real))
    }
    pub(super) fn truth(self) -> Option<bool> {
        if let Shown::Truth(b) = self { Some(b) } else { None }
    }
    /// Returns the number that it is compared by; of a float the float itself.
    pub(super) fn order(self, other: Shown) -> Option<std::cmp::Ordering> {
        match (self, other) {
            (Shown::Whole(a), Shown::Whole(b)) | (Shown::Time(a), Shown::Time(b)) => Some(a.cmp(&b)),
            (Shown::Truth(a), Shown::Truth(b)) => Some(a.cmp(&b)),
            (Shown::Time(_) | Shown::Truth(_), _) | (_, Shown::Time(_) | Shown::Truth(_)) => None,
            (a, b) => a.float().partial_cmp(&b.float()),
        }
    }
    pub(super) fn float(self) -> f64 {
        match self {
            Shown::Truth(b) => f64::from(u8::from(b)),
            Shown::Whole(i) | Shown::Time(i) => i as f64,
            Shown::Real(v) => v,
        }
    }
    /// Returns whether two values are one; of floats the shortest digits of a binary32 are shown.
    pub(super) fn equals(self, other: Shown) -> bool {
        if let (Shown::Real(a), Shown::Real(b)) = (self, other) {
            return a as f32 == b as f32;
        }
        self.order(other) == Some(std::cmp::Ordering::Equal)
    }
}

/// Returns `1s500ms`, `-5ms`.
fn nanoseconds(text: &str) -> Option<i128> {
    let (sign, mut rest) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let mut sum = 0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit())?;
        let number: i128 = rest[..end].parse().ok()?;
        rest = &rest[end..];
        let end = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let size = match &rest[..end] {
            "d" => 86_400_000_000_000,
            "h" => 3_600_000_000_000,
            "m" => 60_000_000_000,
            "s" => 1_000_000_000,
            "ms" => 1_000_000,
            "us" => 1_000,
            "ns" => 1,
            _ => return None,
        };
        sum += number * size;
        rest = &rest[end..];
    }
    Some(sign * sum)
}

/// Declared type of what a wire carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A constant: it takes the type of its surroundings.
    Literal,
    Truth,
    Whole {
        bits: u32,
        signed: bool,
    },
    Real,
    LReal,
    /// TIME: signed 32-bit milliseconds.
    Time,
}

impl Kind {
    /// Returns the type in which an operation on both is computed; `None` if the standard has none.
    pub(super) fn join(self, other: Kind) -> Option<Kind> {
        match (self, other) {
            (a, b) if a == b => Some(a),
            (Kind::Literal, k) | (k, Kind::Literal) => Some(k),
            (Kind::Whole { bits: a, signed: s }, Kind::Whole { bits: b, signed: t }) => match (s, t) {
                (true, true) | (false, false) => Some(Kind::Whole { bits: a.max(b), signed: s }),
                (true, false) if b < a => Some(self),
                (false, true) if a < b => Some(other),
                (true | false, _) => None,
            },
            (_, _) => None,
        }
    }
    /// Returns a number brought into the range of the type, as two's complement does it.
    pub(super) fn wrapped(self, value: i128) -> i128 {
        let (bits, signed) = match self {
            Kind::Whole { bits, signed } => (bits, signed),
            Kind::Time => return wrap(value / 1_000_000, 32, true) * 1_000_000,
            Kind::Literal | Kind::Truth | Kind::Real | Kind::LReal => return value,
        };
        wrap(value, bits, signed)
    }
}

fn wrap(value: i128, bits: u32, signed: bool) -> i128 {
    let rest = value.rem_euclid(1 << bits);
    if signed && 1 << (bits - 1) <= rest { rest - (1 << bits) } else { rest }
}

/// Types of variables by the end of their path, in lower case; `None` where variables of several types have it.
#[derive(Default)]
pub(crate) struct Types(BTreeMap<String, Option<Kind>>);

impl Types {
    pub(crate) fn new(project: &Project) -> Types {
        let mut types: BTreeMap<String, Option<Kind>> = BTreeMap::new();
        for leaf in project.leaves() {
            let name = leaf.name.to_ascii_lowercase();
            let kind = kind(project, leaf.ty);
            let ends = name.match_indices('.').map(|(dot, _)| dot + 1).chain([0]);
            for end in ends {
                let known = types.entry(name[end..].to_owned()).or_insert(kind);
                *known = known.filter(|k| Some(*k) == kind);
            }
        }
        Types(types)
    }
    pub(super) fn of(&self, label: &str) -> Option<Kind> {
        if Shown::read(label.trim()).is_some() {
            return Some(Kind::Literal);
        }
        let label = label.trim().to_ascii_lowercase();
        self.0.get(&label).copied().flatten()
    }
}

fn kind(project: &Project, ty: TypeId) -> Option<Kind> {
    match &project.types[ty].ty {
        Type::Bool => Some(Kind::Truth),
        Type::Int(t) => Some(Kind::Whole { bits: u32::from(t.bits), signed: t.signed }),
        Type::Bits(bits) => Some(Kind::Whole { bits: u32::from(*bits), signed: false }),
        Type::Real(RealType::Real) => Some(Kind::Real),
        Type::Real(RealType::LReal) => Some(Kind::LReal),
        Type::Time => Some(Kind::Time),
        Type::LTime
        | Type::Date(_)
        | Type::Char(_)
        | Type::Enum { .. }
        | Type::Subrange { .. }
        | Type::Array { .. }
        | Type::Struct { .. }
        | Type::FunctionBlock(_)
        | Type::Opaque(_) => None,
    }
}
