//! Files of the repository.

use std::path::{Path, PathBuf};

/// A file with its path from the root of the repository.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) path: String,
    pub(crate) text: String,
}

/// Folders with files of ours.
const FOLDERS: &[&str] = &["src", "plc-frontend", "templates", "docs"];
/// Endings of the files that rules speak of.
const ENDINGS: &[&str] = &["rs", "toml", "html", "svg", "md"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Reads all files of ours, ordered by path.
pub(crate) fn repository() -> Vec<Source> {
    let root = root();
    let mut pending: Vec<PathBuf> = FOLDERS.iter().map(|folder| root.join(folder)).collect();
    pending.extend(["Cargo.toml", "ARCHITECTURE.md"].map(|file| root.join(file)));
    let mut found = Vec::new();
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path());
            pending.extend(entries.filter(|path| !path.ends_with("target")));
        } else if path.extension().is_some_and(|ending| ENDINGS.iter().any(|e| ending == *e)) {
            let text = std::fs::read_to_string(&path).unwrap();
            let path = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
            found.push(Source { path, text });
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

impl Source {
    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }
    /// Returns true for files that hold tests only.
    pub(crate) fn is_test(&self) -> bool {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        let folders = ["/tests/", "/benches/", "/fuzz/", "src/testgen/", "src/xtask/"];
        folders.iter().any(|folder| self.path.contains(folder))
            || ["tests.rs", "law.rs", "laws.rs"].iter().any(|n| name.ends_with(n))
    }
    /// Returns the lines of the product: without the bodies of test modules.
    pub(crate) fn product_lines(&self) -> Vec<(usize, &str)> {
        let mut lines = Vec::new();
        let (mut is_test_next, mut test_indent) = (false, None);
        for (i, line) in self.text.lines().enumerate() {
            let indent = line.len() - line.trim_start().len();
            match test_indent {
                Some(depth) if line.trim_end() == format!("{}}}", " ".repeat(depth)) => test_indent = None,
                Some(_) => {}
                None if line.trim() == "#[cfg(test)]" => is_test_next = true,
                None if is_test_next && line.trim_end().ends_with('{') => (is_test_next, test_indent) = (false, Some(indent)),
                None if is_test_next => is_test_next = line.trim_start().starts_with('#'),
                None => lines.push((i + 1, line)),
            }
        }
        lines
    }
}
