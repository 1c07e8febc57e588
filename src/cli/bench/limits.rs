//! Times and sizes on the command line.

use std::time::Duration;

/// Returns `10s`, `2min`, `1h`: whole seconds.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    let seconds = scaled(text, &[("min", 60), ("h", 3600), ("s", 1)]).filter(|s| 1 <= *s && *s <= 1_000_000);
    seconds.map(Duration::from_secs).ok_or_else(|| "write it as 10s, 2min or 1h: whole seconds, at least one".to_owned())
}

/// Returns `512MiB`, `1GiB`, in bytes.
pub(crate) fn memory(text: &str) -> Result<u64, String> {
    let mib = scaled(text, &[("GiB", 1024), ("MiB", 1), ("GB", 1024), ("MB", 1)]).filter(|m| 256 <= *m && *m <= 1_000_000);
    mib.map(|mib| mib << 20).ok_or_else(|| "write it as 512MiB or 1GiB: at least 256MiB".to_owned())
}

/// Returns a whole number before one of these units.
fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let (number, factor) = units.iter().find_map(|(unit, factor)| Some((text.trim().strip_suffix(unit)?.trim(), factor)))?;
    number.parse::<u32>().ok().map(|number| u64::from(number) * factor)
}

#[test]
fn units_are_needed() {
    let check = |text: &str, seconds: Option<u64>| assert_eq!(time(text).ok(), seconds.map(Duration::from_secs), "{text}");
    check("10s", Some(10));
    check(" 2 min", Some(120));
    check("1h", Some(3600));
    check("10", None);
    check("0s", None);
    check("1.5s", None);
    check("-1s", None);
    let check = |text: &str, mib: Option<u64>| assert_eq!(memory(text).ok(), mib.map(|m| m << 20), "{text}");
    check("1GiB", Some(1024));
    check("512MiB", Some(512));
    check("1MiB", None);
    check("1024", None);
    check("99999999999GiB", None);
}
