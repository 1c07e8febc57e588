//! Constants as literals.

use crate::hir::{DateKind, DateType, Project, Type, TypeId, Value};

/// Mention of the type in a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prefix {
    /// None: the context gives the type.
    Given,
    /// `INT#5`
    Named,
}

/// Returns `value` of type `ty` as a literal.
pub(super) fn literal(project: &Project, ty: TypeId, value: Value, prefix: Prefix) -> String {
    let def = &project.types[ty];
    let name = |base: &str| match prefix {
        Prefix::Given => String::new(),
        Prefix::Named => format!("{base}#"),
    };
    match (&def.ty, value) {
        (_, Value::Bool(true)) => "TRUE".into(),
        (_, Value::Bool(false)) => "FALSE".into(),
        (Type::Time, Value::Int(ms)) => duration("T", ms * 1_000_000),
        (Type::LTime, Value::Int(ns)) => duration("LT", ns),
        (Type::Date(date), Value::Int(i)) => point(*date, i),
        (Type::Char(bits), Value::Int(code)) => {
            let prefix = if *bits == 8 { "CHAR#" } else { "WCHAR#" };
            format!("{prefix}{}", quoted(&[u16::try_from(code).unwrap_or(0)], *bits == 16))
        }
        (Type::Bits(bits), Value::Int(i)) => {
            format!("{}16#{i:0digits$X}", name(def.name.as_deref().unwrap_or("LWORD")), digits = usize::from(*bits / 4))
        }
        (Type::Enum { base, variants }, Value::Int(i)) => match variants.iter().find(|(_, v)| *v == i) {
            Some((variant, _)) => match &def.name {
                Some(name) => format!("{name}#{variant}"),
                None => variant.clone(),
            },
            // A number between the variants has no name, and no expression can have this value.
            None => literal(project, *base, value, Prefix::Named),
        },
        (Type::Subrange { base, .. }, Value::Int(i)) => match (&def.name, prefix) {
            (Some(name), Prefix::Named) => format!("{name}#{i}"),
            (Some(_) | None, _) => literal(project, *base, value, prefix),
        },
        (_, Value::Int(i)) => format!("{}{i}", name(def.name.as_deref().unwrap_or("LINT"))),
        (_, Value::Real(bits)) => {
            let v = f32::from_bits(bits);
            if v.is_finite() {
                format!("{}{}", name("REAL"), decimal(&format!("{v:?}")))
            } else {
                format!("DWORD_TO_REAL({}16#{bits:08X})", name("DWORD"))
            }
        }
        (_, Value::LReal(bits)) => {
            let v = f64::from_bits(bits);
            if v.is_finite() {
                format!("{}{}", name("LREAL"), decimal(&format!("{v:?}")))
            } else {
                format!("LWORD_TO_LREAL({}16#{bits:016X})", name("LWORD"))
            }
        }
    }
}

/// Adds the point that ST asks for to Rust's shortest digits that read back to the same bits.
fn decimal(shortest: &str) -> String {
    match shortest.split_once('e') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0e{exponent}"),
        Some(_) | None => shortest.to_owned(),
    }
}

/// Returns a duration as a literal: `T#1s500ms`, `T#-5ms`, `T#0s`.
pub(crate) fn duration(prefix: &str, ns: i128) -> String {
    const UNITS: [(i128, &str); 7] = [
        (86_400_000_000_000, "d"),
        (3_600_000_000_000, "h"),
        (60_000_000_000, "m"),
        (1_000_000_000, "s"),
        (1_000_000, "ms"),
        (1_000, "us"),
        (1, "ns"),
    ];
    let mut text = format!("{prefix}#{}", if ns < 0 { "-" } else { "" });
    let mut rest = ns.abs();
    for (size, unit) in UNITS {
        if rest >= size {
            text.push_str(&format!("{}{unit}", rest / size));
            rest %= size;
        }
    }
    if ns == 0 {
        text.push_str("0s");
    }
    text
}

/// Returns a point in time as a literal: `DT#2024-01-31-12:30:00`, `TOD#12:30:00.5`, `D#2024-01-31`.
pub(crate) fn point(date: DateType, value: i128) -> String {
    const NS: i128 = 1_000_000_000;
    let ns = match (date.long, date.kind) {
        (true, _) => value,
        (false, DateKind::TimeOfDay) => value * 1_000_000,
        (false, DateKind::Date | DateKind::DateAndTime) => value * NS,
    };
    let (year, month, day) = civil(ns / (86_400 * NS));
    let (seconds, rest) = (ns / NS % 86_400, ns % NS);
    let day = format!("{year:04}-{month:02}-{day:02}");
    // Times of day beyond midnight have no literal: they are printed with more than 23 hours.
    let hours = if date.kind == DateKind::TimeOfDay { ns / NS / 3600 } else { seconds / 3600 };
    let mut time = format!("{hours:02}:{:02}:{:02}", seconds / 60 % 60, seconds % 60);
    if rest != 0 {
        time.push('.');
        time.push_str(format!("{rest:09}").trim_end_matches('0'));
    }
    let long = if date.long { "L" } else { "" };
    match date.kind {
        DateKind::Date => format!("{long}D#{day}"),
        DateKind::TimeOfDay => format!("{long}TOD#{time}"),
        DateKind::DateAndTime => format!("{long}DT#{day}-{time}"),
    }
}

/// Returns year, month and day of a day counted from 1970-01-01.
///
/// Source: Hinnant, "chrono-Compatible Low-Level Date Algorithms", 2013 (days counted from the first of a March).
fn civil(days: i128) -> (i128, i128, i128) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let (day, month) = (of_year - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    (year + era * 400 + i128::from(month <= 2), month, day)
}

/// Returns a string literal; characters that cannot stand in one are escaped.
pub(crate) fn quoted(chars: &[u16], wide: bool) -> String {
    let quote = if wide { '"' } else { '\'' };
    let mut text = String::from(quote);
    for code in chars {
        match u8::try_from(*code).ok().filter(|c| (0x20..0x7f).contains(c)).map(char::from) {
            Some(c) if c == quote || c == '$' => text.extend(['$', c]),
            Some(c) => text.push(c),
            None if wide => text.push_str(&format!("${code:04X}")),
            None => text.push_str(&format!("${code:02X}")),
        }
    }
    text.push(quote);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hir::{IntType, RealType, TypeDef};
    use crate::text::Span;

    #[test]
    fn values_read_like_literals() {
        let check = |name: &str, ty: Type, value: Value, given: &str, named: &str| {
            let mut project = Project::default();
            let int = Type::Int(IntType { bits: 16, signed: true });
            project.types.push(TypeDef { name: Some("INT".into()), ty: int, span: Span::none() });
            let ty = project.types.push(TypeDef { name: Some(name.into()), ty, span: Span::none() });
            assert_eq!(literal(&project, ty, value, Prefix::Given), given);
            assert_eq!(literal(&project, ty, value, Prefix::Named), named);
        };
        let time = |ms: i128, text: &str| check("TIME", Type::Time, Value::Int(ms), text, text);
        time(0, "T#0s");
        time(1500, "T#1s500ms");
        time(-5, "T#-5ms");
        time(90_061_001, "T#1d1h1m1s1ms");
        check("LTIME", Type::LTime, Value::Int(1_000_001), "LT#1ms1ns", "LT#1ms1ns");
        let date =
            |kind, long, value: i128, text: &str| check("X", Type::Date(DateType { kind, long }), Value::Int(value), text, text);
        date(DateKind::Date, false, 0, "D#1970-01-01");
        date(DateKind::Date, false, 1_709_164_800, "D#2024-02-29");
        date(DateKind::DateAndTime, false, 4_294_967_295, "DT#2106-02-07-06:28:15");
        date(DateKind::TimeOfDay, false, 86_399_500, "TOD#23:59:59.5");
        date(DateKind::DateAndTime, true, 1_500_000_001, "LDT#1970-01-01-00:00:01.500000001");
        check("CHAR", Type::Char(8), Value::Int(39), "CHAR#'$\''", "CHAR#'$\''");
        check("WCHAR", Type::Char(16), Value::Int(0x20ac), "WCHAR#\"$20AC\"", "WCHAR#\"$20AC\"");
        check("BOOL", Type::Bool, Value::Bool(true), "TRUE", "TRUE");
        check("WORD", Type::Bits(16), Value::Int(255), "16#00FF", "WORD#16#00FF");
        check("SINT", Type::Int(IntType { bits: 8, signed: true }), Value::Int(-128), "-128", "SINT#-128");
        let int = crate::hir::TypeId(0);
        let colour = Type::Enum { base: int, variants: vec![("Red".into(), 0), ("Green".into(), 5)] };
        check("Colour", colour.clone(), Value::Int(5), "Colour#Green", "Colour#Green");
        check("Colour", colour, Value::Int(3), "INT#3", "INT#3");
        check("Small", Type::Subrange { base: int, low: 0, high: 9 }, Value::Int(5), "5", "Small#5");
        let real = |v: f32, text: &str, named: &str| check("REAL", Type::Real(RealType::Real), Value::real(v), text, named);
        real(0.1, "0.1", "REAL#0.1");
        real(-0.0, "-0.0", "REAL#-0.0");
        real(1.0, "1.0", "REAL#1.0");
        real(1e30, "1.0e30", "REAL#1.0e30");
        real(f32::MIN_POSITIVE, "1.1754944e-38", "REAL#1.1754944e-38");
        real(f32::INFINITY, "DWORD_TO_REAL(16#7F800000)", "DWORD_TO_REAL(DWORD#16#7F800000)");
        check("LREAL", Type::Real(RealType::LReal), Value::lreal(0.1), "0.1", "LREAL#0.1");
    }
}
