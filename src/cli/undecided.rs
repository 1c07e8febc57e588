//! An undecided requirement on the terminal: its time by phase, and the difficulties of the program.

use super::print::out;
use crate::report::effort::{LineEncoding, TimeSpent};
use crate::report::outcome::RequirementResult;

/// Maximum number of phases on a line.
const MOST_PHASES: usize = 4;

/// Prints the effort and the advice of a result, if it has any.
pub(super) fn print(result: &RequirementResult) {
    if let Some(line) = phases(&result.spent) {
        out(&format!("    Where the time went: {line}"));
    }
    for encoding in &result.encodings {
        out(&format!("    {}", largest(encoding)));
    }
    for advice in &result.advice {
        let at = advice.place.as_ref().map_or(String::new(), |at| format!(" ({}:{}:{})", at.file, at.line, at.column));
        out(&format!("    Hard: {}{at}", advice.text));
        out(&format!("      {}", advice.step));
    }
}

/// Returns the phases with their times, the longest first: `search by pdr 4.2 s, simplification 0.3 s`.
fn phases(spent: &[TimeSpent]) -> Option<String> {
    let mut rows: Vec<&TimeSpent> = spent.iter().collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.ms));
    let one = |row: &&TimeSpent| {
        let by = row.engine.as_ref().map_or(String::new(), |engine| format!(" by {engine}"));
        format!("{}{by} {:.1} s", row.phase.name(), row.ms as f64 / 1000.0)
    };
    let shown: Vec<String> = rows.iter().take(MOST_PHASES).map(one).collect();
    (!shown.is_empty()).then(|| shown.join(", "))
}

/// Returns the share and the line of an encoding: `71 % of the formulas of a cycle: line 44: x := a * b;`.
fn largest(encoding: &LineEncoding) -> String {
    let at = encoding.place.as_ref().map_or(String::new(), |at| format!("line {}: ", at.line));
    format!("{} % of the formulas of a cycle: {at}{}", encoding.percent, encoding.code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::effort::Phase;

    #[test]
    fn the_longest_phases_come_first() {
        let row = |phase, engine: Option<&str>, ms| TimeSpent { phase, engine: engine.map(str::to_owned), ms };
        let spent = [
            row(Phase::Simplification, None, 300),
            row(Phase::Search, Some("bmc"), 10),
            row(Phase::Search, Some("pdr"), 4_200),
            row(Phase::Certification, Some("pdr"), 20),
            row(Phase::Preparation, None, 40),
        ];
        let expected = "search by pdr 4.2 s, simplification 0.3 s, preparation 0.0 s, certification by pdr 0.0 s";
        assert_eq!(phases(&spent).as_deref(), Some(expected));
        assert_eq!(phases(&[]), None);
    }
}
