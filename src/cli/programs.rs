//! From paths on the command line to jobs.

use std::path::{Path, PathBuf};

use plc_frontend::source::FileId;
use plc_frontend::source::decode;

use crate::property::spec::Specification;
use crate::run::job::SourceText;

/// Files larger than this are refused before they are read.
const MAX_BYTES: u64 = 20 << 20;

/// A program to verify.
pub(super) struct Program {
    /// As it was named.
    pub(super) name: String,
    /// Its sources.
    pub(super) sources: Vec<SourceText>,
    /// What is stated about it.
    pub(super) specification: Specification,
}

/// What is wrong with a path or what is behind it, as one sentence.
pub(super) struct Problem(pub(super) String);

/// Files make one program together; each directory gives one program per ST file in it, at any depth.
///
/// `Err` rows are programs that could not be read; the others go on.
pub(super) fn collect(paths: &[PathBuf], req: Option<&Path>) -> Vec<(String, Result<Program, Problem>)> {
    let (directories, files): (Vec<_>, Vec<_>) = paths.iter().partition(|p| p.is_dir());
    let mut programs = Vec::new();
    if !files.is_empty() {
        let name = files.iter().map(|p| p.display().to_string()).collect::<Vec<_>>().join(" ");
        let beside = files[0].with_extension("yaml");
        let req = req.map(Path::to_path_buf).or_else(|| beside.is_file().then_some(beside));
        programs.push((name.clone(), read(&name, &files, req.as_deref())));
    }
    for directory in directories {
        let mut found = Vec::new();
        if let Err(e) = walk(directory, 0, &mut found) {
            programs.push((directory.display().to_string(), Err(Problem(format!("{}: {e}", directory.display())))));
        }
        if found.is_empty() {
            let name = directory.display().to_string();
            programs.push((name.clone(), Err(Problem(format!("{name}: no .st file in this directory")))));
        }
        found.sort();
        for file in found {
            let name = file.display().to_string();
            let beside = file.with_extension("yaml");
            let req = req.map(Path::to_path_buf).or_else(|| beside.is_file().then_some(beside));
            programs.push((name.clone(), read(&name, &[&file], req.as_deref())));
        }
    }
    programs
}

/// The sources of files given on the command line.
pub(super) fn sources(files: &[PathBuf]) -> Result<Vec<SourceText>, Problem> {
    files.iter().map(|f| source(f)).collect()
}

fn walk(directory: &Path, depth: u32, into: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if 16 < depth {
        return Ok(());
    }
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, depth + 1, into)?;
        } else if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("st")) {
            into.push(path);
        }
    }
    Ok(())
}

fn read(name: &str, files: &[&PathBuf], req: Option<&Path>) -> Result<Program, Problem> {
    let sources = files.iter().map(|f| source(f)).collect::<Result<Vec<_>, _>>()?;
    let specification = match req {
        Some(path) => {
            let text = String::from_utf8(bytes(path)?).map_err(|_| Problem(format!("{}: not UTF-8 text", path.display())))?;
            Specification::from_yaml(&text).map_err(|e| Problem(format!("{}: {e}", path.display())))?
        }
        None => Specification::default(),
    };
    Ok(Program { name: name.to_string(), sources, specification })
}

fn source(path: &Path) -> Result<SourceText, Problem> {
    let (text, problems) = decode(&bytes(path)?);
    for problem in problems {
        super::print::complain(&format!("{}: {}", path.display(), problem.diagnostic(FileId(0)).message));
    }
    Ok(SourceText { name: path.display().to_string(), text })
}

fn bytes(path: &Path) -> Result<Vec<u8>, Problem> {
    let problem = |e: std::io::Error| Problem(format!("{}: {e}", path.display()));
    let size = std::fs::metadata(path).map_err(problem)?.len();
    if MAX_BYTES < size {
        return Err(Problem(format!("{}: {} MB; the limit is {} MB", path.display(), size >> 20, MAX_BYTES >> 20)));
    }
    std::fs::read(path).map_err(problem)
}
