//! Cells of the tables that `verify` writes: `12`, `12 (call 2: 3)`, `given 0, then 4`.

/// Value of a cell, and those of later calls in the cycle.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cell<'t> {
    /// The value that is given: that of the first call, or the one before the cycle.
    pub(super) given: &'t str,
    /// Numbers of later calls, with their values.
    pub(super) later: Vec<(usize, &'t str)>,
}

/// Reads a cell. A text of another form is the value itself.
pub(super) fn read(text: &str) -> Cell<'_> {
    if let Some((given, _)) = text.strip_prefix("given ").and_then(|rest| rest.split_once(", then ")) {
        return Cell { given, later: Vec::new() };
    }
    with_calls(text).unwrap_or(Cell { given: text, later: Vec::new() })
}

fn with_calls(text: &str) -> Option<Cell<'_>> {
    let (given, calls) = text.strip_suffix(')')?.split_once(" (call ")?;
    let rows = calls.split(", call ").map(|row| {
        let (n, value) = row.split_once(": ")?;
        Some((n.parse().ok()?, value))
    });
    Some(Cell { given, later: rows.collect::<Option<_>>()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_values_of_calls() {
        let check = |text: &str, given: &str, later: &[(usize, &str)]| {
            assert_eq!(read(text), Cell { given, later: later.to_vec() }, "{text}");
        };
        check("12", "12", &[]);
        check("12 (call 2: 3)", "12", &[(2, "3")]);
        check("TRUE (call 2: FALSE, call 10: TRUE)", "TRUE", &[(2, "FALSE"), (10, "TRUE")]);
        check("given 0, then 4", "0", &[]);
        check("12 (call b: 3)", "12 (call b: 3)", &[]);
        check("'a (call 2)'", "'a (call 2)'", &[]);
    }
}
