//! Sets of files, and which of them make a program together.

use std::collections::BTreeMap;
use std::path::Path;

use plc_frontend::archive;
use plc_frontend::lang::{FileRole, is_ignored, is_object, refused, role};

use crate::cli::folder::walk;
use crate::cli::programs::{Problem, bytes};

/// A file of a set.
pub(super) struct SetFile {
    /// Its path inside of the set, with `/`.
    pub(super) name: String,
    pub(super) text: String,
    /// Reason why it could not be opened.
    pub(super) problem: Option<String>,
}

/// Returns all files of a path: of a directory, of a zip, or the one file.
pub(super) fn files(path: &Path) -> Result<Vec<SetFile>, Problem> {
    let paths = if path.is_dir() { walk(path)? } else { vec![path.to_path_buf()] };
    let mut files = Vec::new();
    for file in paths {
        let name = match file.strip_prefix(path) {
            Ok(inside) if inside.components().next().is_some() => inside.display().to_string(),
            Ok(_) | Err(_) => file.display().to_string(),
        };
        if is_ignored(&name) || refused(&name).is_some() {
            files.push(SetFile { name, text: String::new(), problem: None });
            continue;
        }
        match bytes(&file) {
            Ok(bytes) => {
                let upload = archive::open(&name, &bytes, &archive::Limits::default());
                files.extend(upload.files.into_iter().map(|f| SetFile { name: f.name, text: f.text, problem: None }));
                let problems = upload.problems.into_iter();
                files.extend(problems.map(|p| SetFile { name: p.name, text: String::new(), problem: Some(p.message) }));
            }
            Err(problem) => files.push(SetFile { name, text: String::new(), problem: Some(problem.0) }),
        }
    }
    Ok(files)
}

/// Returns the files that are resolved together, by their positions: those below the nearest folder with a `.plcproj`.
/// Without one: the objects of the largest folder without two of the same name. A set holds many projects, and each has its
/// `MAIN`. A file that is no object of a project is a program of its own.
pub(super) fn groups(files: &[SetFile]) -> Vec<(String, Vec<usize>)> {
    let folder = |name: &str| name.rfind('/').map_or(String::new(), |at| name[..=at].to_owned());
    let projects: Vec<String> =
        files.iter().filter(|f| role(&f.name) == Some(FileRole::Project)).map(|f| folder(&f.name)).collect();
    let mut by_project: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut groups = Vec::new();
    let mut objects = Vec::new();
    for (at, file) in files.iter().enumerate().filter(|(_, f)| f.problem.is_none()) {
        let nearest = projects.iter().filter(|p| file.name.starts_with(p.as_str())).max_by_key(|p| p.len());
        match nearest {
            Some(project) => by_project.entry(project).or_default().push(at),
            None if is_object(&file.name, || Some(file.text.clone())) => objects.push(at),
            None => groups.push((file.name.clone(), vec![at])),
        }
    }
    groups.extend(by_project.into_iter().map(|(name, files)| (name.to_owned(), files)));
    split(files, "", objects, &mut groups);
    groups
}

/// Splits the objects below a folder by its subfolders until no two have the same name.
fn split(files: &[SetFile], folder: &str, objects: Vec<usize>, into: &mut Vec<(String, Vec<usize>)>) {
    let mut open = vec![(folder.to_owned(), objects)];
    while let Some((folder, objects)) = open.pop() {
        let mut names: Vec<String> = objects.iter().map(|at| last_part(&files[*at].name).to_ascii_lowercase()).collect();
        names.sort();
        let is_unique = names.windows(2).all(|pair| pair[0] != pair[1]);
        // The set itself is no project: its first level of folders is.
        let is_set = folder.is_empty() && objects.iter().all(|at| files[*at].name.contains('/'));
        if objects.is_empty() || (is_unique && !is_set) {
            if !objects.is_empty() {
                into.push((folder, objects));
            }
            continue;
        }
        let mut below: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut here = Vec::new();
        for at in objects {
            match files[at].name.get(folder.len()..).and_then(|rest| rest.split_once('/')) {
                Some((next, _)) => below.entry(format!("{folder}{next}/")).or_default().push(at),
                None => here.push(at),
            }
        }
        if !here.is_empty() {
            into.push((folder, here));
        }
        open.extend(below);
    }
}

/// Purpose of a file in a set of test programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To be read.
    Right,
    /// To be found wrong.
    Wrong,
    /// To be read, and its names or types to be found wrong.
    WrongInMeaning,
    /// To show mistakes, of which some are mistakes in its syntax.
    Maybe,
}

/// Sets of test programs hold files that are wrong on purpose. In the set of IronPLC their names say so; those with
/// `semantic_error` and `invalid` are wrong in names and types only, so their text must be read. The set of ControlForge
/// has folders of mistakes that an editor should mark.
pub(super) fn purpose(name: &str) -> Purpose {
    let stem = name.rsplit('/').next().and_then(|last| last.split('.').next()).unwrap_or("");
    if stem.ends_with("syntax_error") || stem == "binary_file" {
        Purpose::Wrong
    } else if stem.ends_with("semantic_error") || stem == "invalid" {
        Purpose::WrongInMeaning
    } else if ["manual-tests/code-actions/", "manual-tests/diagnostics/"].iter().any(|folder| name.contains(folder)) {
        Purpose::Maybe
    } else {
        Purpose::Right
    }
}

fn last_part(name: &str) -> &str {
    name.rsplit_once('/').map_or(name, |(_, last)| last)
}

#[test]
fn files_are_grouped_by_project() {
    let check = |names: &[&str], expected: &[(&str, usize)]| {
        let file = |name: &&str| SetFile { name: (*name).to_owned(), text: String::new(), problem: None };
        let files: Vec<SetFile> = names.iter().map(file).collect();
        let found: Vec<(String, usize)> = groups(&files).into_iter().map(|(name, files)| (name, files.len())).collect();
        let expected: Vec<(String, usize)> = expected.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect();
        assert_eq!(found, expected, "{names:?}");
    };
    check(&["a.st", "b.st"], &[("a.st", 1), ("b.st", 1)]);
    check(&["A.TcPOU", "B.TcPOU"], &[("", 2)]);
    check(&["x/A.TcPOU", "y/B.TcPOU", "y/z/C.TcPOU"], &[("y/", 2), ("x/", 1)]);
    check(&["x/a/M.TcPOU", "x/b/M.TcPOU", "x/T.TcDUT"], &[("x/", 1), ("x/b/", 1), ("x/a/", 1)]);
    check(&["x/P.plcproj", "x/a/M.TcPOU", "x/b.st", "y/M.TcPOU"], &[("x/", 3), ("y/", 1)]);
}
