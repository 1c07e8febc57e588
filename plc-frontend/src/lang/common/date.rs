//! Dates and times of day: `2024-01-31-12:30:00.5` to nanoseconds, exactly.

use super::literal::Malformed;
use crate::hir::DateKind;

const NS_PER_SECOND: i128 = 1_000_000_000;
const SECONDS_PER_DAY: i128 = 86_400;

/// Returns the value of the text behind `D#`, `TOD#` or `DT#`: nanoseconds since 1970, or since midnight.
pub fn nanoseconds(kind: DateKind, text: &str) -> Result<i128, Malformed> {
    match kind {
        DateKind::Date => Ok(days(text)? * SECONDS_PER_DAY * NS_PER_SECOND),
        DateKind::TimeOfDay => time_of_day(text),
        DateKind::DateAndTime => {
            let split = text.match_indices('-').nth(2).map(|(at, _)| at);
            let Some((date, time)) = split.and_then(|at| Some((text.get(..at)?, text.get(at + 1..)?))) else {
                return Err(Malformed::new(format!("`{text}` is not a date and time"), form(kind)));
            };
            Ok(days(date)? * SECONDS_PER_DAY * NS_PER_SECOND + time_of_day(time)?)
        }
    }
}

fn form(kind: DateKind) -> &'static str {
    match kind {
        DateKind::Date => "write year, month and day: `D#2024-01-31`",
        DateKind::TimeOfDay => "write hours, minutes and seconds: `TOD#12:30:00.5`",
        DateKind::DateAndTime => "write `DT#2024-01-31-12:30:00`",
    }
}

/// Returns days since 1970-01-01 of `year-month-day`.
fn days(text: &str) -> Result<i128, Malformed> {
    let wrong = || Malformed::new(format!("`{text}` is not a date"), form(DateKind::Date));
    let parts: Vec<i128> = text.split('-').map(|part| number(part, 4)).collect::<Option<_>>().ok_or_else(wrong)?;
    let &[year, month, day] = parts.as_slice() else { return Err(wrong()) };
    let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let length = match month {
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => return Err(wrong()),
    };
    if day < 1 || length < day {
        return Err(wrong());
    }
    // Years that start in March have their leap day at the end.
    let (year, month) = if month < 3 { (year - 1, month + 9) } else { (year, month - 3) };
    let before = year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Ok(before + (month * 153 + 2) / 5 + day - 1 - 719_468)
}

/// Returns nanoseconds since midnight of `hours:minutes:seconds.fraction`; the seconds may be absent.
fn time_of_day(text: &str) -> Result<i128, Malformed> {
    let wrong = || Malformed::new(format!("`{text}` is not a time of day"), form(DateKind::TimeOfDay));
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let parts: Vec<i128> = whole.split(':').map(|part| number(part, 2)).collect::<Option<_>>().ok_or_else(wrong)?;
    let (hours, minutes, seconds) = match *parts.as_slice() {
        [hours, minutes] if fraction.is_empty() => (hours, minutes, 0),
        [hours, minutes, seconds] => (hours, minutes, seconds),
        _ => return Err(wrong()),
    };
    if 23 < hours || 59 < minutes || 59 < seconds || 9 < fraction.len() || text.ends_with('.') {
        return Err(wrong());
    }
    let mut ns = ((hours * 60 + minutes) * 60 + seconds) * NS_PER_SECOND;
    if !fraction.is_empty() {
        let unit = 10_i128.pow(9 - fraction.len() as u32);
        ns += number(fraction, 9).ok_or_else(wrong)? * unit;
    }
    Ok(ns)
}

/// Returns a number of at most `longest` digits.
fn number(digits: &str, longest: usize) -> Option<i128> {
    let is_number = !digits.is_empty() && digits.len() <= longest && digits.bytes().all(|b| b.is_ascii_digit());
    if is_number { digits.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        let check = |text: &str, expected: Option<i128>| assert_eq!(days(text).ok(), expected, "{text}");
        check("1970-01-01", Some(0));
        check("1970-1-2", Some(1));
        check("1969-12-31", Some(-1));
        check("2000-02-29", Some(11_016));
        check("2024-01-31", Some(19_753));
        check("2106-02-06", Some(49_709));
        check("0001-01-01", Some(-719_162));
        for wrong in [
            "",
            "2024",
            "2024-01",
            "2024-13-01",
            "2024-00-01",
            "2023-02-29",
            "1900-02-29",
            "2024-01-32",
            "2024-01-00",
            "2024-01-01-",
            "20240-1-1",
            "a-b-c",
            "2024-0é-01",
        ] {
            check(wrong, None);
        }
    }

    #[test]
    fn times() {
        const SECOND: i128 = 1_000_000_000;
        let check = |kind, text: &str, expected: Option<i128>| assert_eq!(nanoseconds(kind, text).ok(), expected, "{text}");
        check(DateKind::TimeOfDay, "00:00:00", Some(0));
        check(DateKind::TimeOfDay, "12:30", Some(45_000 * SECOND));
        check(DateKind::TimeOfDay, "23:59:59.999", Some(86_399_999_000_000));
        check(DateKind::DateAndTime, "1970-01-02-00:00:01.5", Some(86_401 * SECOND + SECOND / 2));
        check(DateKind::DateAndTime, "1970-01-01-00:00", Some(0));
        for wrong in ["", "24:00:00", "12:60:00", "12:00:60", "12", "12:00:00.", "12:00:00.0000000001", "1:2:3:4", "12:00.5"] {
            check(DateKind::TimeOfDay, wrong, None);
        }
        for wrong in ["", "1970-01-01", "1970-01-01-", "1970-01-01 00:00:00", "--", "---"] {
            check(DateKind::DateAndTime, wrong, None);
        }
    }
}
