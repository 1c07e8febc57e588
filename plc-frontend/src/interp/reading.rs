//! Conversion of strings to values: `None` unless every controller of the dialect gives the same.

use crate::hir::{IntType, Project, RealType, Type, TypeId, Value};
use crate::text::duration;

/// Characters behind digits that may belong to the number: `1_000`, `16#FF`, `1E3`, `0x10`.
const JOINTS: &str = "_#eExX";

/// Reads a value of type `ty`, see [`crate::hir::Conversion`].
pub(super) fn value(project: &Project, ty: TypeId, chars: &[u16]) -> Option<Value> {
    let beginning = project.converts_beginning;
    match (&project.types[ty].ty, project.int_type(ty)) {
        (Type::Bool, _) => truth(chars, beginning).map(Value::Bool),
        (Type::Int(_), Some(int)) => whole(int, chars, beginning).map(Value::Int),
        // Without this rule, digits may be hexadecimal ones.
        (Type::Bits(_), Some(int)) if beginning => whole(int, chars, true).map(Value::Int),
        (Type::Real(RealType::Real), _) => Some(Value::real(decimal(chars)?.parse().ok()?)),
        (Type::Real(RealType::LReal), _) => Some(Value::lreal(decimal(chars)?.parse().ok()?)),
        (Type::Time | Type::LTime, Some(int)) => {
            let text = String::from_utf16(chars).ok()?;
            let (prefix, digits) = text.split_once('#')?;
            let unit = match (&project.types[ty].ty, prefix.to_ascii_uppercase().as_str()) {
                (Type::Time, "T" | "TIME") => 1_000_000,
                (_, "LT" | "LTIME") => 1,
                (_, _) => return None,
            };
            let n = duration::nanoseconds(digits).ok()? / unit;
            (int.min() <= n && n <= int.max()).then_some(Value::Int(n))
        }
        (_, _) => None,
    }
}

/// Reads digits with an optional minus, at most as many as the type's largest number has.
fn whole(int: IntType, chars: &[u16], beginning: bool) -> Option<i128> {
    let (negative, rest) = match chars.split_first() {
        Some((c, rest)) if *c == u16::from(b'-') => (true, rest),
        Some(_) | None => (false, chars),
    };
    let digit = |c: &u16| char::from_u32(u32::from(*c)).and_then(|c| c.to_digit(10));
    let digits: Vec<u32> = rest.iter().map_while(digit).collect();
    if digits.is_empty() {
        return (beginning && is_word(chars)).then_some(0);
    }
    let ends = match rest.get(digits.len()).map(|c| char::from_u32(u32::from(*c))) {
        None => true,
        Some(c) => beginning && c.is_some_and(|c| !JOINTS.contains(c)),
    };
    if int.max().to_string().len() < digits.len() || !ends || (negative && !int.signed) {
        return None;
    }
    let size = digits.iter().fold(0, |n: i128, d| 10 * n + i128::from(*d));
    let n = if negative { -size } else { size };
    (int.min() <= n && n <= int.max()).then_some(n)
}

fn truth(chars: &[u16], beginning: bool) -> Option<bool> {
    let is = |word: &str| word.encode_utf16().eq(chars.iter().copied());
    // Some controllers may take `true` or `BOOL#TRUE` for TRUE.
    let begins = chars.first().is_some_and(|c| [u16::from(b't'), u16::from(b'T')].contains(c));
    match (is("TRUE"), is("FALSE")) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        (false, false) => (beginning && is_word(chars) && !begins).then_some(false),
    }
}

/// Returns whether a string is no number for systems that convert beginnings: it is empty, or begins with a letter and is no
/// typed literal.
fn is_word(chars: &[u16]) -> bool {
    let letter = |c: &u16| u8::try_from(*c).is_ok_and(|c| c.is_ascii_alphabetic());
    chars.first().is_none_or(letter) && !chars.contains(&u16::from(b'#'))
}

/// Reads plain digits with an optional minus and an optional point between them.
fn decimal(chars: &[u16]) -> Option<String> {
    let text = String::from_utf16(chars).ok()?;
    let digits = text.strip_prefix('-').unwrap_or(&text);
    let (whole, rest) = digits.split_once('.').unwrap_or((digits, "0"));
    let plain = |part: &str| !part.is_empty() && part.bytes().all(|c| c.is_ascii_digit());
    (plain(whole) && plain(rest)).then_some(text)
}
