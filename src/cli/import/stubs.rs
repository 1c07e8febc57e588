//! Inferred declarations as files.

use crate::cli::Failure;
use crate::report::inferred::InferredSummary;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Writes one file for each declaration; returns their paths. A file that exists is not changed, and then nothing is written.
pub(super) fn write(folder: &Path, declarations: &[InferredSummary]) -> Result<Vec<PathBuf>, Failure> {
    let paths: Vec<PathBuf> = declarations.iter().map(|row| folder.join(format!("{}.st", row.name))).collect();
    if let Some(path) = paths.iter().find(|path| path.exists()) {
        return Err(Failure::bad_input(format!("{} exists, and nothing is written: choose another directory", path.display())));
    }
    let failed = |path: &Path, e: std::io::Error| Failure::bad_input(format!("{}: {e}", path.display()));
    if !paths.is_empty() {
        std::fs::create_dir_all(folder).map_err(|e| failed(folder, e))?;
    }
    for (path, row) in paths.iter().zip(declarations) {
        let file = std::fs::File::create_new(path);
        file.and_then(|mut file| file.write_all(row.text.as_bytes())).map_err(|e| failed(path, e))?;
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_exist_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let row = |name: &str| InferredSummary { name: name.to_owned(), text: format!("{name}\n"), uses: Vec::new() };
        let target = folder.path().join("stubs");
        assert_eq!(write(&target, &[row("FB_A")]).unwrap_or_else(|e| panic!("{}", e.message)), [target.join("FB_A.st")]);
        assert!(write(&target, &[row("FB_B"), row("FB_A")]).is_err());
        assert!(!target.join("FB_B.st").exists());
        assert_eq!(std::fs::read_to_string(target.join("FB_A.st")).unwrap(), "FB_A\n");
    }
}
