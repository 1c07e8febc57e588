//! Directories on the command line: their files, and the groups of files that make a program.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use plc_frontend::lang::{self, FileRole, role};
use plc_frontend::source::decode;

use super::programs::Problem;

/// Directories inside of more directories than this are not looked at.
const DEEPEST: u32 = 32;
/// More files than this are more than one program.
const MOST_FILES: usize = 100_000;

/// Files that make a program together.
pub(super) struct ProjectFiles {
    /// Their folder.
    pub(super) folder: PathBuf,
    /// All files below it, sources or not, but for those of projects further down.
    pub(super) files: Vec<PathBuf>,
}

/// Returns every file below a directory, in order, without hidden ones (`.git`, …).
pub(super) fn walk(directory: &Path) -> Result<Vec<PathBuf>, Problem> {
    let mut open = vec![(directory.to_path_buf(), 0)];
    let mut found = Vec::new();
    while let Some((folder, depth)) = open.pop() {
        let problem = |e: std::io::Error| Problem(format!("{}: {e}", folder.display()));
        for entry in std::fs::read_dir(&folder).map_err(problem)? {
            let entry = entry.map_err(problem)?;
            let kind = entry.file_type().map_err(problem)?;
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            // A link may lead back to where it is.
            if kind.is_dir() && depth < DEEPEST {
                open.push((entry.path(), depth + 1));
            } else if kind.is_dir() || MOST_FILES <= found.len() {
                let limits = format!("at most {DEEPEST} directories in each other and {MOST_FILES} files are looked at");
                return Err(Problem(format!("{}: {limits}", directory.display())));
            } else if entry.path().is_file() {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Returns the projects of engineering systems among the files below a directory: one for each folder that holds a
/// `.plcproj`, and one for the rest if objects are left. Then the files that are in none of them.
pub(super) fn projects(directory: &Path, files: &[PathBuf]) -> (Vec<ProjectFiles>, Vec<PathBuf>) {
    let is_project = |file: &&PathBuf| role(&file.to_string_lossy()) == Some(FileRole::Project);
    let roots: Vec<&Path> = files.iter().filter(is_project).filter_map(|f| f.parent()).collect();
    let mut by_root: BTreeMap<&Path, Vec<PathBuf>> = BTreeMap::new();
    for file in files {
        let root = file.ancestors().skip(1).find(|folder| roots.contains(folder)).unwrap_or(directory);
        by_root.entry(root).or_default().push(file.clone());
    }
    let (mut found, mut rest) = (Vec::new(), Vec::new());
    for (folder, files) in by_root {
        if files.iter().any(|f| is_object(f)) {
            found.push(ProjectFiles { folder: folder.to_path_buf(), files })
        } else {
            rest.extend(files)
        }
    }
    (found, rest)
}

/// Returns whether a file is one object of a project, by its name or by its text.
fn is_object(path: &Path) -> bool {
    lang::is_object(&path.to_string_lossy(), || super::programs::bytes(path).ok().map(|bytes| decode(&bytes).0))
}

/// Returns whether the name has one of these endings, in any case.
pub(super) fn has_ending(path: &Path, endings: &[&str]) -> bool {
    path.extension().is_some_and(|ending| endings.iter().any(|e| ending.eq_ignore_ascii_case(e)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projects_are_folders_with_their_files() {
        let files =
            ["d/README.md", "d/a/A.plcproj", "d/a/x/M.TcPOU", "d/a/b/B.plcproj", "d/a/b/M.TcPOU", "d/b/M.TcPOU", "d/c.st"];
        let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
        let (found, rest) = projects(Path::new("d"), &files);
        assert!(rest.is_empty());
        let found: Vec<(String, usize)> = found.iter().map(|p| (p.folder.display().to_string(), p.files.len())).collect();
        assert_eq!(found, [("d".to_owned(), 3), ("d/a".to_owned(), 2), ("d/a/b".to_owned(), 2)]);
        let (found, rest) = projects(Path::new("d"), &files[6..]);
        assert_eq!((found.len(), rest.len()), (0, 1));
    }
}
