//! Files that lists of engineering systems leave out of a program, and files that they name and that were not given.

use std::collections::BTreeMap;

use crate::text::{Diagnostic, FileId, Span, codes};

/// Files that the projects among the sources exclude or miss.
#[derive(Default)]
pub(crate) struct Excluded {
    /// Files that are not compiled, with the reason.
    pub(crate) files: BTreeMap<FileId, String>,
    /// Files that are compiled and were not given.
    pub(crate) findings: Vec<Diagnostic>,
}

impl Excluded {
    /// Adds a file that no list names; `list`: the name of the list that governs its folder.
    pub(crate) fn add_unlisted(&mut self, file: FileId, list: &str) {
        self.files.insert(file, format!("`{list}` does not compile it"));
    }

    /// Adds a file that a list names and that was not given.
    pub(crate) fn add_missing(&mut self, span: Span, name: &str) {
        let message = format!("the project compiles `{name}`, which was not given");
        let finding = Diagnostic::error(codes::NOT_GIVEN, span, message, "listed here");
        self.findings.push(finding.help("give the whole folder of the project, or a zip of it"));
    }
}

/// Returns a path with `/`, in lower case, without `.` and `..`.
pub(crate) fn normal_path(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/").to_lowercase()
}

/// Returns a folder as [`normal_path`] writes it, with its last `/`; nothing for the folder of all files.
pub(crate) fn normal_folder(folder: &str) -> String {
    let path = normal_path(folder);
    if path.is_empty() { path } else { path + "/" }
}

/// Returns the part of a path behind its last `/`.
pub(crate) fn name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Returns the folder with its last `/`; nothing for a file without a folder.
pub(crate) fn folder_of(path: &str) -> &str {
    path.rfind('/').map_or("", |at| &path[..=at])
}
