//! Sets of files, and which of them make a program together.

use std::collections::BTreeSet;
use std::path::Path;

use plc_frontend::archive;
use plc_frontend::lang::{holds_no_text, is_object};
use plc_frontend::solution::Solution;
use plc_frontend::source::{FileId, SourceSet};

use crate::cli::folder::{self, walk};
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
        if holds_no_text(&name) {
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

/// Files that are resolved together.
#[derive(Debug)]
pub(super) struct Group {
    /// Positions of the project's files, then of the files of its libraries.
    pub(super) members: Vec<usize>,
    /// Number of the project's files: their POUs count.
    pub(super) n_own: usize,
    /// Name of the project, if a system lists it.
    pub(super) project: Option<String>,
}

/// Returns the groups of files that are resolved together: the projects of the set, tests and libraries among them. A text that is no
/// object of a project is a program of its own.
pub(super) fn groups(files: &[SetFile]) -> Vec<Group> {
    let mut sources = SourceSet::default();
    for file in files {
        sources.add(file.name.clone(), file.text.clone());
    }
    let solution = Solution::of(&sources);
    let is_open = |at: &usize| files.get(*at).is_some_and(|file| file.problem.is_none());
    let positions = |ids: &BTreeSet<FileId>| ids.iter().map(|id| id.0 as usize).filter(is_open).collect::<Vec<usize>>();
    let mut groups = Vec::new();
    let mut alone: BTreeSet<usize> = (0..files.len()).filter(is_open).collect();
    for (at, project) in solution.projects().iter().enumerate() {
        let own: Vec<usize> = if project.is_listed {
            positions(&project.files)
        } else {
            let all = positions(&project.files);
            // In Automation Studio the variables of a program stand beside its statements.
            let has_ending = |at: usize, ending: &str| folder::has_ending(Path::new(&files[at].name), &[ending]);
            let of_programs: BTreeSet<&Path> =
                all.iter().filter(|at| has_ending(**at, "var")).filter_map(|at| Path::new(&files[*at].name).parent()).collect();
            let is_part = |at: usize| {
                let is_beside = Path::new(&files[at].name).parent().is_some_and(|folder| of_programs.contains(folder));
                is_beside && has_ending(at, "st")
            };
            let is_own = |at: &usize| is_part(*at) || is_object(&files[*at].name, || Some(files[*at].text.clone()));
            all.iter().copied().filter(is_own).collect()
        };
        // A file that an earlier project compiles, too, is counted there.
        let (own, again): (Vec<usize>, Vec<usize>) = own.into_iter().partition(|at| alone.contains(at));
        if own.is_empty() {
            continue;
        }
        own.iter().for_each(|at| _ = alone.remove(at));
        let n_own = own.len();
        let reading = solution.reading(&sources, at).filter(|_| project.is_listed);
        let libraries = positions(&solution.library_files(at));
        let mut members: Vec<usize> = own.into_iter().chain(again).chain(libraries).collect();
        // Lists of projects hold no POUs, but tell which files are a library's.
        let further = positions(&reading.iter().flat_map(|reading| reading.files.iter().copied()).collect());
        members.extend(further.into_iter().filter(|at| !members.contains(at)).collect::<Vec<usize>>());
        groups.push(Group { members, n_own, project: reading.and_then(|reading| reading.name) });
    }
    groups.extend(alone.into_iter().map(|at| Group { members: vec![at], n_own: 1, project: None }));
    groups
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

#[test]
fn files_are_grouped_by_project() {
    let check = |names: &[&str], expected: &[(usize, usize)]| {
        let program = "<TcPlcObject><POU Name=\"M\"><Declaration><![CDATA[PROGRAM M]]></Declaration></POU></TcPlcObject>";
        let list = "<Project><Compile Include=\"A.TcPOU\"/>";
        let text = |name: &str| match name {
            "x/Q.plcproj" => format!("{list}<Compile Include=\"A.TcPOU\"/></Project>"),
            _ if name.ends_with("P.plcproj") => format!("{list}<Compile Include=\"M.TcPOU\"/></Project>"),
            _ if name.contains('M') => program.to_owned(),
            _ => String::new(),
        };
        let file = |name: &&str| SetFile { name: (*name).to_owned(), text: text(name), problem: None };
        let files: Vec<SetFile> = names.iter().map(file).collect();
        let found: Vec<(usize, usize)> = groups(&files).into_iter().map(|group| (group.n_own, group.members.len())).collect();
        assert_eq!(found, expected, "{names:?}");
    };
    check(&["a.st", "b.st"], &[(1, 1), (1, 1)]);
    check(&["A.TcPOU", "B.TcPOU"], &[(2, 2)]);
    check(&["x/A.TcPOU", "y/B.TcPOU", "y/z/C.TcPOU"], &[(3, 3)]);
    check(&["x/a/M.TcPOU", "x/b/M.TcPOU", "x/T.TcDUT"], &[(1, 1), (1, 2), (1, 2)]);
    check(&["x/P.plcproj", "x/a/M.TcPOU", "x/b.st", "y/M.TcPOU"], &[(3, 3), (1, 1)]);
    check(&["p/Fill/Cyclic.st", "p/Fill/Variables.var", "p/x.st"], &[(2, 2), (1, 1)]);
    // Both projects compile the first object. Each sees the list of the other one, too.
    check(&["x/P.plcproj", "x/Q.plcproj", "x/A.TcPOU", "x/M.TcPOU"], &[(3, 4), (1, 3)]);
}
