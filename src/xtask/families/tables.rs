//! A table that is read in a loop with a variable bound: the day of the year.

use super::Generated;

/// Days of months in a year that is no leap year; more months repeat them.
const DAYS: [usize; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/// Returns a program for a year of `n` months.
///
/// - `range` holds: the day is limited to its month, so the result is a day of the year.
/// - `last` can be broken, in the first cycle, by the last day of the year.
pub(super) fn program(n: usize) -> Generated {
    let days: Vec<usize> = DAYS.into_iter().cycle().take(n).collect();
    let year: usize = days.iter().sum();
    let table = days.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let program = format!(
        "//@ title: The day of a year of {n} months\nPROGRAM Calendar\nVAR_INPUT\n    Day, Month : INT;\nEND_VAR\nVAR_OUTPUT\n    \
         OfYear : INT;\nEND_VAR\nVAR CONSTANT\n    Days : ARRAY [1..{n}] OF INT := [{table}];\nEND_VAR\nVAR\n    i, Last : INT;\n\
         END_VAR\n\nLast := LIMIT(1, Month, {n});\nOfYear := LIMIT(1, Day, Days[Last]);\nFOR i := 1 TO Last - 1 DO\n    \
         OfYear := OfYear + Days[i];\nEND_FOR;\nEND_PROGRAM\n"
    );
    let requirements = format!(
        "requirements:\n  - id: range\n    always: OfYear >= 1 AND OfYear <= {year}\n  - id: last\n    never: OfYear = {year}\n"
    );
    Generated { program, requirements }
}
