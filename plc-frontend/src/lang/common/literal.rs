//! Literals: from their text to their value. Pure functions; the caller knows the place.

use super::{date, string};
use crate::ast::Literal;
use crate::hir::DateKind;
pub use crate::text::Malformed;
use crate::text::duration;

/// Kind of literal that the word before `#` announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// A number, TRUE, FALSE or a name.
    Plain,
    /// TIME, LTIME.
    Duration,
    /// A date or a time of day.
    Date(DateKind),
}

/// Returns the family of a prefix, in any case.
pub fn family(prefix: &str) -> Family {
    let is = |names: &[&str]| names.iter().any(|n| prefix.eq_ignore_ascii_case(n));
    if is(&["T", "TIME", "LT", "LTIME", "S5T", "S5TIME"]) {
        Family::Duration
    } else if is(&["D", "DATE", "LD", "LDATE"]) {
        Family::Date(DateKind::Date)
    } else if is(&["TOD", "TIME_OF_DAY", "LTOD", "LTIME_OF_DAY"]) {
        Family::Date(DateKind::TimeOfDay)
    } else if is(&["DT", "DATE_AND_TIME", "LDT", "LDATE_AND_TIME", "DTL"]) {
        Family::Date(DateKind::DateAndTime)
    } else {
        Family::Plain
    }
}

/// A value of a typed or untyped literal.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'t> {
    /// A literal of the AST.
    Literal(Literal),
    /// An enumeration value's name.
    Variant(&'t str),
}

/// Reads an untyped number: `12`, `16#FF`, `1.5e3`.
pub fn number(text: &str) -> Result<Literal, Malformed> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    match digits.split_once('#') {
        Some((base, digits)) => based(base, digits, negative),
        None if digits.bytes().filter(|b| *b == b'.').count() > 1 => Err(not_a_number(digits)),
        None if digits.bytes().all(|b| b.is_ascii_digit() || b == b'_') => based("10", digits, negative),
        None => real(digits, negative),
    }
}

/// Reads the text behind `prefix#`. `filled`: the text comes from XML, see [`string::literal`].
pub fn typed<'t>(prefix: &str, text: &'t str, filled: bool) -> Result<Value<'t>, Malformed> {
    let long = prefix.as_bytes().first().is_some_and(|b| b.eq_ignore_ascii_case(&b'l'));
    match family(prefix) {
        Family::Duration => duration::nanoseconds(text).map(|ns| Value::Literal(Literal::Duration { ns, long })),
        Family::Date(kind) => date::nanoseconds(kind, text).map(|ns| Value::Literal(Literal::Date { kind, long, ns })),
        Family::Plain => plain(prefix, text, filled),
    }
}

fn plain<'t>(prefix: &str, written: &'t str, filled: bool) -> Result<Value<'t>, Malformed> {
    let is_bool = prefix.eq_ignore_ascii_case("BOOL");
    let literal = match written.trim_start_matches(['+', '-']).bytes().next() {
        None => return Err(Malformed::new(format!("`{prefix}#` has no value"), "write the value directly behind `#`")),
        Some(b'\'' | b'"') => string::literal(written, filled)?,
        Some(b'0'..=b'9') if is_bool && matches!(written, "0" | "1") => Literal::Bool(written == "1"),
        Some(b'0'..=b'9') => number(written)?,
        Some(_) if is_bool && written.eq_ignore_ascii_case("TRUE") => Literal::Bool(true),
        Some(_) if is_bool && written.eq_ignore_ascii_case("FALSE") => Literal::Bool(false),
        Some(_) if written.starts_with(['+', '-']) => {
            return Err(Malformed::new(format!("`{written}` is not a number"), "a sign needs digits behind it"));
        }
        Some(_) => return Ok(Value::Variant(written)),
    };
    Ok(Value::Literal(literal))
}

fn based(base: &str, digits: &str, negative: bool) -> Result<Literal, Malformed> {
    let radix = match base {
        "2" => 2,
        "8" => 8,
        "10" => 10,
        "16" => 16,
        _ => return Err(Malformed::new(format!("`{base}` is not a base"), "the bases are 2, 8, 10 and 16: `16#FF`")),
    };
    underscores(digits)?;
    let mut value: i128 = 0;
    for c in digits.chars().filter(|c| *c != '_') {
        let Some(digit) = c.to_digit(radix) else {
            let message = format!("`{c}` is not a digit of base {radix}");
            return Err(Malformed::new(message, "write digits of the base only: `2#0101`, `16#00FF`"));
        };
        let next = value.checked_mul(i128::from(radix)).and_then(|v| v.checked_add(i128::from(digit)));
        value = next.ok_or_else(|| Malformed::new("this number is too large", "no type has more than 64 bits"))?;
    }
    Ok(Literal::Int(if negative { -value } else { value }))
}

fn real(digits: &str, negative: bool) -> Result<Literal, Malformed> {
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
    let parts = mantissa.split('.').chain([exponent.strip_prefix(['+', '-']).unwrap_or(exponent)]);
    for part in parts {
        if !part.bytes().all(|b| b.is_ascii_digit() || b == b'_') {
            return Err(not_a_number(digits));
        }
        underscores(part)?;
    }
    let sign = if negative { "-" } else { "" };
    Ok(Literal::Real(format!("{sign}{}", digits.replace('_', ""))))
}

fn not_a_number(text: &str) -> Malformed {
    const HELP: &str = "durations are written `T#10ms`, hexadecimal numbers `16#FF`; a name starts with a letter";
    Malformed::new(format!("`{text}` is not a number"), HELP)
}

fn underscores(digits: &str) -> Result<(), Malformed> {
    if digits.is_empty() || digits.starts_with('_') || digits.ends_with('_') {
        return Err(Malformed::new("this number lacks a digit", "underscores may stand between digits: `1_000`"));
    }
    Ok(())
}

/// Returns a number of Studio 5000: one with a base fills 32 bits, so `16#ffff_ffff` is -1.
///
/// Source: 1756-RM003N, page 646, zero-filling of immediate values.
pub(crate) fn of_32_bits(text: &str, literal: Literal) -> Literal {
    let is_negative = matches!(literal, Literal::Int(0x8000_0000..=0xffff_ffff)) && text.contains('#');
    if let (true, Literal::Int(n)) = (is_negative, &literal) { Literal::Int(n - (1 << 32)) } else { literal }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let check = |text: &str, expected: Option<Literal>| assert_eq!(number(text).ok(), expected, "{text}");
        check("0", Some(Literal::Int(0)));
        check("1_000", Some(Literal::Int(1000)));
        check("16#7f_ff__ff", Some(Literal::Int(0x7f_ffff)));
        check("16#FF", Some(Literal::Int(255)));
        check("16#ff_ff", Some(Literal::Int(0xffff)));
        check("2#1010_1010", Some(Literal::Int(0xaa)));
        check("8#17", Some(Literal::Int(15)));
        check("10#99", Some(Literal::Int(99)));
        check("-5", Some(Literal::Int(-5)));
        check("+5", Some(Literal::Int(5)));
        check("18446744073709551615", Some(Literal::Int(u64::MAX.into())));
        check("1.5", Some(Literal::Real("1.5".into())));
        check("1_0.2_5e-1_0", Some(Literal::Real("10.25e-10".into())));
        check("-1.5E+3", Some(Literal::Real("-1.5E+3".into())));
        check("1e5", Some(Literal::Real("1e5".into())));
        for wrong in ["", "_1", "1_", "2#12", "3#1", "16#", "16#G", "10ms", "1.5.2", "1.5e", "1e5e5", "1._5", "9e9e", "#5"] {
            check(wrong, None);
        }
        check(&"9".repeat(100), None);
    }

    #[test]
    fn typed_values() {
        let check = |prefix: &str, text: &str, expected: Option<Value<'_>>| {
            assert_eq!(typed(prefix, text, false).ok(), expected, "{prefix}#{text}");
        };
        let literal = |l| Some(Value::Literal(l));
        check("INT", "-5", literal(Literal::Int(-5)));
        check("WORD", "16#FF", literal(Literal::Int(255)));
        check("REAL", "1.5", literal(Literal::Real("1.5".into())));
        check("Bool", "1", literal(Literal::Bool(true)));
        check("BOOL", "false", literal(Literal::Bool(false)));
        check("BOOL", "2", literal(Literal::Int(2)));
        check("INT", "TRUE", Some(Value::Variant("TRUE")));
        check("Color", "Red", Some(Value::Variant("Red")));
        check("t", "5s", literal(Literal::Duration { ns: 5_000_000_000, long: false }));
        check("LTime", "-1ns", literal(Literal::Duration { ns: -1, long: true }));
        let kind = DateKind::DateAndTime;
        check("DT", "1970-01-01-00:00:01", literal(Literal::Date { kind, long: false, ns: 1_000_000_000 }));
        check("ldt", "1970-01-01-00:00:01", literal(Literal::Date { kind, long: true, ns: 1_000_000_000 }));
        check("STRING", "'x'", literal(Literal::String { chars: vec![0x78], wide: false }));
        check("S5T", "1s", literal(Literal::Duration { ns: 1_000_000_000, long: false }));
        for (prefix, wrong) in [("INT", ""), ("INT", "-"), ("INT", "-Red"), ("T", ""), ("T", "5"), ("D", "1"), ("WORD", "16#")] {
            check(prefix, wrong, None);
        }
    }
}
