//! Formats of reports about one program: each is a file of this folder and a row of [`REPORTS`].
//!
//! Command line, API and report page read the table.

mod json;

use super::outcome::Outcome;

/// Format of a report.
pub struct ReportFormat {
    /// Name on the command line.
    pub name: &'static str,
    /// Title for people.
    pub title: &'static str,
    /// Media type of its files.
    pub media_type: &'static str,
    /// Ending of its files and of its address.
    pub ending: &'static str,
    /// Renders an outcome. The error is one sentence.
    pub render: fn(&Outcome) -> Result<String, String>,
}

/// All formats.
pub const REPORTS: &[ReportFormat] = &[json::FORMAT];

/// Returns the format of a name. The error is one sentence that lists the names.
pub fn format(name: &str) -> Result<&'static ReportFormat, String> {
    let names = || REPORTS.iter().map(|format| format!("`{}`", format.name)).collect::<Vec<_>>().join(", ");
    REPORTS.iter().find(|f| f.name == name).ok_or_else(|| format!("there is no report `{name}`; there are {}", names()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example::booster;

    #[test]
    fn each_format_has_its_own_name_and_ending_and_renders_an_outcome() {
        for row in REPORTS {
            assert_eq!(REPORTS.iter().filter(|other| other.name == row.name || other.ending == row.ending).count(), 1);
            assert!(!(row.render)(&booster()).unwrap().is_empty(), "{}", row.name);
        }
        assert!(format("xls").is_err_and(|e| e.contains("`json`")));
    }
}
