//! Uploads: the parts of a multipart form.

use axum::extract::multipart::{Multipart, MultipartError};

use plc_frontend::archive;
use plc_frontend::source::{FileId, TextProblem, decode};
use plc_frontend::text::unseen::made_visible;

use super::error::WebError;
use crate::store::programs::{Label, Source};

/// Parts of an upload.
#[derive(Debug, Default)]
pub(super) struct Upload {
    /// Files, then the pasted text if there is one.
    pub(super) sources: Vec<Source>,
    /// Name by the user.
    pub(super) label: Option<String>,
    /// A requirement file.
    pub(super) requirements: Option<String>,
    /// Files among the sources that may hold requirements, with their texts.
    stated: Vec<archive::UploadedFile>,
}

/// Files of one program.
const MAX_FILES: usize = 2_000;
/// Limits of an archive: those of uploads without one.
const IN_ARCHIVES: archive::Limits =
    archive::Limits { n_files: MAX_FILES, file_bytes: 20 << 20, total_bytes: 20 << 20, ratio: 200, depth: 2 };
/// Longer names are cut.
const MAX_NAME_CHARS: usize = 200;
/// Longest name with its folders.
const MAX_PATH_CHARS: usize = 400;

impl Upload {
    /// Reads the fields `file` (any number), `paste`, `label` and `requirements`; others must hold no file.
    pub(super) async fn read(mut form: Multipart) -> Result<Upload, WebError> {
        let mut upload = Upload::default();
        let mut pasted = None;
        while let Some(field) = form.next_field().await.map_err(unreadable)? {
            let field_name = field.name().unwrap_or_default().to_string();
            let file_name = field.file_name().unwrap_or_default().to_string();
            let bytes = field.bytes().await.map_err(unreadable)?;
            // A browser sends an empty part for a file field without a file.
            if field_name == "file" {
                if !file_name.is_empty() || !bytes.is_empty() {
                    let (sources, found) = files(path_label(&file_name), bytes.into()).await?;
                    upload.sources.extend(sources);
                    upload.stated.extend(found);
                }
                continue;
            }
            let (text, problems) = decode(&bytes);
            let note = problems.first().map(|p| p.diagnostic(FileId(0)).message);
            match field_name.as_str() {
                "paste" if text.trim().is_empty() => {}
                "paste" => pasted = Some(Source { name: "pasted.st".into(), text, note }),
                "label" if text.trim().is_empty() => {}
                "label" => upload.label = Some(given_label(&text)),
                "requirements" if text.trim().is_empty() => {}
                "requirements" => upload.requirements = Some(text),
                // A file that is left out may change every answer.
                other if !file_name.is_empty() && !bytes.is_empty() => {
                    let words = format!("The file `{file_name}` came in the field `{other}`: send it in the field `file`.");
                    return Err(WebError::NoProgram(words));
                }
                _ => {}
            }
        }
        upload.sources.extend(pasted);
        check(&upload.sources)?;
        Ok(upload)
    }

    /// Takes the requirements from a file beside a source, in an archive or not, if none came by themselves. It is no source then.
    /// Returns its name, then those of other such files, which are not read.
    pub(super) fn take_requirements(&mut self) -> Vec<String> {
        if self.requirements.is_some() {
            return Vec::new();
        }
        let stated = std::mem::take(&mut self.stated);
        let found = archive::beside(self.sources.iter().map(|source| source.name.as_str()), stated);
        let names = found.iter().map(|given| given.name.clone()).collect();
        if let Some(used) = found.into_iter().next() {
            self.sources.retain(|source| source.name != used.name);
            self.requirements = Some(used.text);
        }
        names
    }
}

/// Opens an uploaded file: its source texts, or those of a zip, and the files that may hold requirements. With a part that
/// cannot be taken, nothing is.
async fn files(name: String, bytes: Vec<u8>) -> Result<(Vec<Source>, Vec<archive::UploadedFile>), WebError> {
    let open = move || archive::open(&name, &bytes, &IN_ARCHIVES);
    let upload = tokio::task::spawn_blocking(open).await.map_err(|e| WebError::Internal(e.to_string()))?;
    if let Some(problem) = upload.problems.first() {
        return Err(WebError::NoProgram(format!("{problem}.")));
    }
    let note = |problems: &[TextProblem]| problems.first().map(|p| p.diagnostic(FileId(0)).message);
    let sources = upload.files.into_iter().map(|f| Source { note: note(&f.problems), name: f.name, text: f.text });
    Ok((sources.collect(), upload.stated))
}

/// Checks that these can be a program at all.
pub(super) fn check(sources: &[Source]) -> Result<(), WebError> {
    if sources.is_empty() {
        return Err(WebError::NoProgram("Choose at least one file, or paste a program text.".into()));
    }
    if MAX_FILES < sources.len() {
        return Err(WebError::NoProgram(format!(
            "At most {MAX_FILES} files can be checked together; these are {}.",
            sources.len()
        )));
    }
    if sources.iter().any(|s| s.name.is_empty()) {
        return Err(WebError::NoProgram("Every file needs a name.".into()));
    }
    Ok(())
}

/// Returns the label of a program: the user's words, or its first file.
pub(super) fn program_label(label: Option<String>, sources: &[Source]) -> Label {
    if let Some(words) = label {
        return Label { words, is_chosen: true };
    }
    let words = match sources {
        [] => String::new(),
        [one] => one.name.clone(),
        [one, rest @ ..] => format!("{} and {} more", one.name, rest.len()),
    };
    Label { words, is_chosen: false }
}

/// Returns the name that a user gives a program, in one line and without control characters.
pub(crate) fn given_label(words: &str) -> String {
    made_visible(words.trim()).take(MAX_NAME_CHARS).collect()
}

/// Returns a name for people: the last part of a path, without control characters.
pub(crate) fn label(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    made_visible(last).take(MAX_NAME_CHARS).collect()
}

/// Returns the name of a file as it is kept: its relative path, so that files of one name in two folders stay two files.
///
/// It is a label, never a path to open: without root, `..`, backslashes and control characters. Of a path that is too long, folders
/// at its front are left out.
pub(crate) fn path_label(name: &str) -> String {
    let is_kept = |part: &&str| !matches!(part.trim(), "" | "." | "..");
    let parts: Vec<&str> = name.split(['/', '\\']).collect();
    // A folder alone names no file.
    let Some((last, folders)) = parts.split_last().filter(|(last, _)| is_kept(last)) else { return String::new() };
    let mut path = label(last);
    // The letter of a drive is a root.
    for folder in folders.iter().rev().filter(|part| is_kept(part) && !part.ends_with(':')) {
        let longer = format!("{}/{path}", label(folder));
        if MAX_PATH_CHARS < longer.chars().count() {
            break;
        }
        path = longer;
    }
    path
}

fn unreadable(error: MultipartError) -> WebError {
    WebError::BadRequest(format!("The form cannot be read: {}.", error.body_text()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_labels() {
        let check = |name: &str, expected: &str| assert_eq!(label(name), expected, "{name:?}");
        check("main.st", "main.st");
        check("../../etc/passwd", "passwd");
        check(r"C:\plc\main.st", "main.st");
        check("a\0b\n.st", "a\u{fffd}b\u{fffd}.st");
        check("<script>", "<script>");
        check("dir/", "");
        assert_eq!(label(&"x".repeat(5000)).len(), MAX_NAME_CHARS);
        assert_eq!(given_label(" Line 3/4 pump\n<b>x</b> "), "Line 3/4 pump\u{fffd}<b>x</b>");
    }

    #[test]
    fn names_of_files_are_relative_paths() {
        let check = |name: &str, expected: &str| {
            assert_eq!(path_label(name), expected, "{name:?}");
            assert_eq!(path_label(expected), expected, "{name:?}");
        };
        check("main.st", "main.st");
        check("a/b/c.st", "a/b/c.st");
        check("./a//b/../c.st", "a/b/c.st");
        check("../../etc/passwd", "etc/passwd");
        check("/etc/passwd", "etc/passwd");
        check(r"C:\plc\main.st", "plc/main.st");
        check("a\0/b\n.st", "a\u{fffd}/b\u{fffd}.st");
        for nothing in ["", "dir/", "..", "a/..", "/", " "] {
            check(nothing, "");
        }
        let long = path_label(&format!("{}/{}", vec!["x".repeat(500); 9].join("/"), "y".repeat(500)));
        assert_eq!(long, path_label(&long));
        assert!(long.len() <= MAX_PATH_CHARS && long.ends_with('y'), "{long}");
    }
}
