//! Names of downloads: they say what a file is about, also in the folder of its reader.

use super::error::WebError;
use super::job::rfc3339;
use super::state::AppState;
use crate::store::jobs::StoredJob;

/// Longest part of a name.
const MAX_CHARS: usize = 60;

/// Returns the name of a file about a run, or about one requirement of it: `Booster_v14_R3_2026-11-20_certificate.smt2`.
///
/// `kind` ends with the ending of the file. Without a project the program stands in front.
pub(super) async fn file_name(
    state: &AppState,
    job: &StoredJob,
    requirement: Option<&str>,
    kind: &str,
) -> Result<String, WebError> {
    let (subject, version) = match state.store.version_of(&job.id).await? {
        Some((project, number)) => (project.rsplit('/').next().unwrap_or_default().to_owned(), Some(format!("v{number}"))),
        // Of a file with its folders the last part.
        None => (job.label.rsplit('/').next().unwrap_or_default().to_owned(), None),
    };
    let date = rfc3339(job.begun_ms()).split('T').next().unwrap_or_default().to_owned();
    let parts = [Some(plain(&subject)), version, requirement.map(plain), Some(date)];
    Ok(join(parts.into_iter().flatten(), kind))
}

/// Joins the parts that are there, and the kind of the file: `report.html`, or its ending alone.
fn join(parts: impl Iterator<Item = String>, kind: &str) -> String {
    let name = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("_");
    let sign = if kind.starts_with('.') { "" } else { "_" };
    format!("{name}{sign}{kind}")
}

/// Returns a text of letters, digits and signs that every file system takes.
fn plain(text: &str) -> String {
    let mut name = String::new();
    for c in text.chars().take(MAX_CHARS) {
        let kept = if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
        if kept != '-' || !name.ends_with('-') {
            name.push(kept);
        }
    }
    name.trim_matches(['-', '.']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_plain_signs() {
        for (text, expected) in [
            ("Booster line 3", "Booster-line-3"),
            ("../../etc/passwd", "etc-passwd"),
            ("Förderer <2>.st", "F-rderer-2-.st"),
            ("\"; x=\"\r\n", "x"),
            ("..", ""),
        ] {
            assert_eq!(plain(text), expected, "{text}");
        }
        assert_eq!(plain(&"x".repeat(500)).len(), MAX_CHARS);
    }

    #[test]
    fn parts_that_are_absent_leave_no_gap() {
        let name = |parts: &[&str], kind| join(parts.iter().map(|part| (*part).to_owned()), kind);
        assert_eq!(
            name(&["Booster", "v14", "R3", "2026-11-20"], "certificate.smt2"),
            "Booster_v14_R3_2026-11-20_certificate.smt2"
        );
        assert_eq!(name(&["", "2026-11-20"], ".csv"), "2026-11-20.csv");
    }
}
