//! Durations: `1h2m3.5s` to nanoseconds, exactly.

use crate::text::diagnostic::Malformed;

/// Units from the longest to the shortest, in nanoseconds.
const UNITS: &[(&str, i128)] = &[
    ("d", 86_400_000_000_000),
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

const FORM: &str = "write numbers with units from long to short: `T#1h2m3.5s`, `T#100ms`";

/// Returns the value of the text behind `T#`.
pub(crate) fn nanoseconds(text: &str) -> Result<i128, Malformed> {
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest.is_empty() {
        return Err(Malformed::new("this duration has no value", FORM));
    }
    let mut total: i128 = 0;
    let mut shortest = None;
    let mut fractional = false;
    while !rest.is_empty() {
        let (value, after) = split(rest, |b| b.is_ascii_digit() || b == b'.' || b == b'_');
        let (unit, after) = split(after, |b| b.is_ascii_alphabetic());
        let Some(row) = UNITS.iter().position(|(name, _)| unit.eq_ignore_ascii_case(name)) else {
            let message =
                if unit.is_empty() { format!("`{value}` has no unit") } else { format!("`{unit}` is not a unit of time") };
            return Err(Malformed::new(message, "the units are d, h, m, s, ms, us, ns: `T#1h30m`, `T#100ms`"));
        };
        if fractional {
            return Err(Malformed::new("only the last number of a duration may have a fraction", FORM));
        }
        if shortest.is_some_and(|last| row <= last) {
            return Err(Malformed::new(format!("the unit `{unit}` is out of order"), FORM));
        }
        let (_, length) = UNITS.get(row).copied().unwrap_or(("", 1));
        fractional = value.contains('.');
        shortest = Some(row);
        total = scaled(value, length)?.checked_add(total).ok_or_else(too_long)?;
        // An underscore may separate the parts.
        rest = match after.strip_prefix('_') {
            Some(next) if next.starts_with(|c: char| c.is_ascii_digit()) => next,
            Some(_) | None => after,
        };
    }
    Ok(sign * total)
}

/// Returns `value` times `length`, which must be whole.
fn scaled(value: &str, length: i128) -> Result<i128, Malformed> {
    let number = value.replace('_', "");
    let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
    let is_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !is_digits(whole) || !is_digits(fraction) || number.ends_with('.') {
        return Err(Malformed::new(format!("`{value}` is not a number"), FORM));
    }
    let mut total = whole.parse::<i128>().ok().and_then(|v| v.checked_mul(length)).ok_or_else(too_long)?;
    let mut unit = length;
    for digit in fraction.trim_end_matches('0').bytes() {
        if unit % 10 != 0 {
            // Minutes and longer units are not powers of ten, but each has enough factors of ten for a nanosecond.
            return Err(Malformed::new("this duration is finer than a nanosecond", "round it to whole nanoseconds"));
        }
        unit /= 10;
        total += i128::from(digit - b'0') * unit;
    }
    Ok(total)
}

fn too_long() -> Malformed {
    Malformed::new("this duration is too long", "LTIME ends at about 292 years, TIME earlier")
}

fn split(text: &str, accept: impl Fn(u8) -> bool) -> (&str, &str) {
    text.split_at(text.bytes().position(|b| !accept(b)).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        let check = |text: &str, expected: Option<i128>| assert_eq!(nanoseconds(text).ok(), expected, "{text}");
        check("5s", Some(5_000_000_000));
        check("1h2m3.5s", Some(3_723_500_000_000));
        check("1d_2h", Some(93_600_000_000_000));
        check("100MS", Some(100_000_000));
        check("-5s", Some(-5_000_000_000));
        check("+1us", Some(1_000));
        check("1_000ms", Some(1_000_000_000));
        check("0.5ms", Some(500_000));
        check("1.000000001s", Some(1_000_000_001));
        check("0.1m", Some(6_000_000_000));
        check("1.50h", Some(5_400_000_000_000));
        check("90s", Some(90_000_000_000));
        for wrong in ["", "-", "5", "5x", "1s2h", "1s1s", "1.5h2m", "s", ".5s", "5.s", "1.5.5s", "0.0000000001s", "1é", "_s"] {
            check(wrong, None);
        }
        check(&format!("{}d", "9".repeat(60)), None);
    }
}
