//! Directories on the command line: their files, and the groups of files that make a program.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use plc_frontend::lang::{
    FileRole, is_header, is_ignored, is_ignored_text, is_mapping, is_object, is_panel, is_project_list, is_task_list, refused,
    role,
};
use plc_frontend::solution::{Choice, Project, Solution, is_requirement_file, is_stub_file};
use plc_frontend::source::{FileId, SourceFile, SourceSet};

use super::programs::Problem;

/// Directories inside of more directories than this are not looked at.
const DEEPEST: u32 = 32;
/// More files than this are more than one program.
const MOST_FILES: usize = 100_000;

/// Files that make a program together.
pub(super) struct ProjectFiles {
    /// Its folder.
    pub(super) folder: PathBuf,
    /// Its files, and others that decide how it is read.
    pub(super) files: Vec<PathBuf>,
    /// Name that chooses it among the files, if it needs one.
    pub(super) name: Option<String>,
    /// Position in the solution.
    at: usize,
}

/// Projects of engineering systems below a directory.
pub(super) struct Folder {
    /// Those that are verified.
    pub(super) projects: Vec<ProjectFiles>,
    /// Files in no project, and stubs that belong to each of them.
    pub(super) rest: Vec<PathBuf>,
    /// Projects that no name chooses, with the reason.
    pub(super) unread: Vec<(PathBuf, Problem)>,
    solution: Solution,
}

impl Folder {
    /// Returns whether a requirement file with this name is about a project. A name that no project has may be an application in
    /// an export.
    pub(super) fn is_about(&self, project: &ProjectFiles, name: Option<&str>) -> bool {
        name.is_none_or(|name| match self.solution.choose(Some(name)) {
            Choice::One(one) => one == project.at,
            Choice::Several(those) => those.contains(&project.at),
            Choice::Unknown => true,
            Choice::All => false,
        })
    }
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

/// Returns the projects of engineering systems among the files below a directory, and the files that are in none of them. Without a
/// name: those that are neither tests nor libraries of others, if there are any.
///
/// `Err`: no project has the name, or several have it.
pub(super) fn projects(
    directory: &Path,
    files: &[PathBuf],
    name: Option<&str>,
    text: &dyn Fn(&Path) -> Option<String>,
) -> Result<Folder, Problem> {
    let (mut sources, mut paths) = (SourceSet::default(), Vec::new());
    let homes = Homes::of(files);
    for path in files.iter().filter(|path| is_known(path) || homes.may_run(path)) {
        // A file that cannot be opened is an error of the project that it belongs to.
        sources.add(path.display().to_string(), text(path).unwrap_or_default());
        paths.push(path.clone());
    }
    let solution = Solution::of(&sources);
    let is_whole = |(_, project): &(usize, &Project)| {
        let mut files = project.files.iter().filter_map(|id| sources.files.get(*id));
        project.is_listed || files.any(|file| is_object(&file.name, || Some(file.text.clone())))
    };
    let whole: Vec<(usize, &Project)> = solution.projects().iter().enumerate().filter(is_whole).collect();
    let is_usual = |(at, project): &&(usize, &Project)| !project.is_test && !solution.is_library(*at);
    let usual: Vec<(usize, &Project)> = whole.iter().filter(is_usual).copied().collect();
    let applications: Vec<(usize, &Project)> = usual.iter().filter(|(_, project)| project.has_program).copied().collect();
    let chosen: Vec<(usize, &Project)> = match name.map(|name| (name, solution.choose(Some(name)))) {
        Some((_, Choice::One(one))) => solution.projects().iter().enumerate().filter(|(at, _)| *at == one).collect(),
        // It may be an application in an export.
        Some((_, Choice::Unknown)) if !whole.iter().any(|(_, project)| project.is_listed) => whole.clone(),
        Some((name, _)) => {
            let labels: Vec<String> = (0..solution.projects().len()).map(|at| solution.label(at)).collect();
            let message =
                format!("{}: no project or several have the name `{name}`; there are {}", directory.display(), labels.join(", "));
            return Err(Problem(message));
        }
        None => [applications, usual, whole.clone()].into_iter().find(|those| !those.is_empty()).unwrap_or_default(),
    };
    let is_one = name.is_some_and(|name| solution.choose(Some(name)) != Choice::Unknown);
    let path_of = |id: &FileId| paths.get(id.0 as usize).cloned();
    let of_projects: BTreeSet<FileId> = whole.iter().flat_map(|(_, project)| project.files.iter().copied()).collect();
    let is_beside = |(id, file): &(FileId, &SourceFile)| is_stub_file(&file.text) && !of_projects.contains(id);
    let stubs: Vec<FileId> = sources.files.iter_enumerated().filter(is_beside).map(|(id, _)| id).collect();
    // Programs of all folders share the inputs of the controller, its tasks and its panels.
    let is_of_controller = |name: &str| is_mapping(name) || is_task_list(name) || is_panel(name);
    let mappings: Vec<FileId> =
        sources.files.iter_enumerated().filter(|(_, file)| is_of_controller(&file.name)).map(|(id, _)| id).collect();
    let (mut found, mut unread) = (Vec::new(), Vec::new());
    for (at, project) in chosen {
        let folder =
            if project.folder.is_empty() { directory.to_path_buf() } else { PathBuf::from(project.folder.trim_end_matches('/')) };
        let Some(reading) = solution.reading(&sources, at) else {
            let problem = Problem(format!("{}: another project has the same name and folder", folder.display()));
            unread.push((folder, problem));
            continue;
        };
        let is_below = |file: &SourceFile| file.name.replace('\\', "/").starts_with(&project.folder);
        let closed = sources.files.iter_enumerated().filter(|(_, file)| refused(&file.name).is_some() && is_below(file));
        let closed: Vec<FileId> = closed.map(|(id, _)| id).collect();
        let is_panel_of_others =
            |id: FileId| sources.files.get(id).is_some_and(|file| is_panel(&file.name)) && !solution.is_beside(&sources, at, id);
        let of_controller = mappings.iter().filter(|id| !is_panel_of_others(**id));
        let files = reading.files.iter().chain(&stubs).chain(&closed).chain(of_controller);
        let files: BTreeSet<PathBuf> = files.filter_map(path_of).collect();
        let files = files.into_iter().collect();
        found.push(ProjectFiles { folder, files, name: reading.name, at });
    }
    let settings = sources.files.iter_enumerated().filter(|(_, file)| is_ignored_text(file)).map(|(id, _)| id);
    let taken: BTreeSet<PathBuf> = of_projects
        .iter()
        .chain(solution.generated())
        .copied()
        .chain(settings)
        .chain(mappings)
        .filter_map(|id| path_of(&id))
        .collect();
    let rest = if is_one { Vec::new() } else { files.iter().filter(|path| !taken.contains(*path)).cloned().collect() };
    Ok(Folder { projects: found, rest, unread, solution })
}

/// Returns whether a file may belong to a project, or decides where one begins, by its name.
fn is_known(path: &Path) -> bool {
    let name = path.to_string_lossy();
    let is_of_controller = is_mapping(&name) || is_task_list(&name) || is_panel(&name);
    role(&name).is_some() || is_of_controller || refused(&name).is_some() || is_project_list(&name) || is_requirement_file(&name)
}

/// Folders whose files of unknown languages may be parts of programs.
struct Homes<'p> {
    /// Folders with sources.
    sources: BTreeSet<&'p Path>,
    /// Folders with a list of a project; it may list files of all languages, also below.
    lists: BTreeSet<&'p Path>,
}

impl<'p> Homes<'p> {
    fn of(files: &'p [PathBuf]) -> Homes<'p> {
        let folders = |is_wanted: &dyn Fn(&str) -> bool| -> BTreeSet<&'p Path> {
            files.iter().filter(|path| is_wanted(&path.to_string_lossy())).filter_map(|path| path.parent()).collect()
        };
        let is_list = |name: &str| is_project_list(name) || role(name) == Some(FileRole::Project);
        Homes { sources: folders(&|name| role(name).is_some()), lists: folders(&is_list) }
    }

    /// Returns whether the controller may run the code of a file of an unknown language.
    ///
    /// Soundness: an archive of the folder holds such files, too. Beside neither sources nor a list they belong to no project.
    fn may_run(&self, path: &Path) -> bool {
        let is_beside = || path.parent().is_some_and(|folder| self.sources.contains(folder));
        let is_below = || path.ancestors().skip(1).any(|folder| self.lists.contains(folder));
        // Code in C of a project includes headers of any folder.
        let is_header = || !self.lists.is_empty() && is_header(&path.to_string_lossy());
        !is_ignored(&path.to_string_lossy()) && (is_beside() || is_below() || is_header())
    }
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
        let program = "<TcPlcObject><POU Name=\"M\"><Declaration><![CDATA[PROGRAM M]]></Declaration></POU></TcPlcObject>";
        let reference = "<Project><PlaceholderReference Include=\"B\"/></Project>";
        let text = |path: &Path| {
            let name = path.to_string_lossy();
            let of_ending = |ending: &str, text: &str| name.ends_with(ending).then(|| text.to_owned());
            let stub = "{attribute 'stub'}\nFUNCTION_BLOCK X\nEND_FUNCTION_BLOCK\n";
            let known = [("A.plcproj", reference), ("M.TcPOU", program), ("X.st", stub)];
            known.iter().find_map(|(ending, text)| of_ending(ending, text)).or(Some(String::new()))
        };
        let check = |files: &[&str], name: Option<&str>, expected: &[(&str, usize)], n_rest: usize| {
            let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
            let Ok(Folder { projects, rest, .. }) = projects(Path::new("d"), &files, name, &text) else {
                assert!(expected.is_empty(), "{files:?}");
                return;
            };
            let found: Vec<(String, usize)> = projects.iter().map(|p| (p.folder.display().to_string(), p.files.len())).collect();
            let expected: Vec<(String, usize)> = expected.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect();
            assert_eq!((found, rest.len()), (expected, n_rest), "{files:?}");
        };
        let files =
            ["d/README.md", "d/a/A.plcproj", "d/a/x/M.TcPOU", "d/b/B.plcproj", "d/b/F.TcPOU", "d/t/Tests.plcproj", "d/t/M.TcPOU"];
        check(&files, None, &[("d/a", 4)], 1);
        check(&files, Some("Tests"), &[("d/t", 2)], 0);
        // Stubs that the user corrected stand beside a project, and belong to it.
        check(&["d/a/A.plcproj", "d/a/x/M.TcPOU", "d/stubs/X.st", "d/y.st"], None, &[("d/a", 3)], 2);
        check(&files, Some("Nothing"), &[], 0);
        check(&files[3..], None, &[("d/b", 2)], 0);
        check(&["d/b/M.TcPOU", "d/c.st"], None, &[("d", 2)], 0);
        // Nothing says that files of unknown languages do not run.
        check(&["d/b/M.TcPOU", "d/b/c.c", "d/b/x.library", "d/b/y.png", "d/e/f.c"], None, &[("d", 3)], 3);
        check(&["d/a/A.plcproj", "d/a/M.TcPOU", "d/a/x/c.c"], None, &[("d/a", 3)], 0);
        check(&["d/c.st"], None, &[], 1);
    }
}
