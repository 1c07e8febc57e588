//! Projects without a file of a system: folders, where programs have the same names.

use std::collections::{BTreeMap, BTreeSet};

use super::Project;
use super::programs::{has_program, last_part, names};
use crate::lang::{has_ending, is_ignored_file, refused};
use crate::text::{FileId, Origin, SourceFile, SourceSet};

/// Deepest folders that are looked at.
const DEEPEST: usize = 64;

/// Returns the user's files that may hold programs or belong to projects, by their numbers, with their paths.
pub(super) fn program_files(sources: &SourceSet) -> Vec<(FileId, String)> {
    let users = sources.files.iter_enumerated().filter(|(_, file)| file.origin == Origin::User);
    let is_read = |file: &SourceFile| refused(&file.name).is_none() && !is_ignored_file(file);
    let texts = users.filter(|(_, file)| is_read(file));
    texts.map(|(id, file)| (id, path(file))).collect()
}

/// Returns the path of a file with `/`.
pub(super) fn path(file: &SourceFile) -> String {
    file.name.replace('\\', "/")
}

/// Returns the folder of a path, with `/` at the end.
pub(super) fn folder_of(path: &str) -> &str {
    path.rfind('/').map_or("", |at| path.get(..=at).unwrap_or_default())
}

/// Adds projects of the files that belong to none. Beside listed projects they are read only if the user chooses them.
pub(super) fn add_loose(sources: &SourceSet, loose: Vec<(FileId, String)>, projects: &mut Vec<Project>) {
    if loose.is_empty() {
        return;
    }
    let names: BTreeMap<FileId, Vec<String>> =
        if loose.len() < 2 { BTreeMap::new() } else { loose.iter().map(|(id, _)| (*id, names(&sources.files[*id]))).collect() };
    let n_listed = projects.len();
    let requirements: Vec<String> = sources
        .files
        .iter()
        .map(path)
        .filter(|path| REQUIREMENTS.contains(&path.rsplit('/').next().unwrap_or_default()))
        .collect();
    split(sources, &names, &requirements, String::new(), loose, projects, 0);
    if 0 < n_listed {
        for project in projects.iter_mut().skip(n_listed).filter(|project| project.name.is_empty()) {
            project.name = "other files".to_owned();
        }
    }
}

/// Names of requirement files that are about the files of their folder.
const REQUIREMENTS: &[&str] = &["requirements.yaml", "requirements.yml"];

/// Returns whether a path is that of requirements about its folder.
pub fn is_requirement_file(path: &str) -> bool {
    path.rsplit(['/', '\\']).next().is_some_and(|name| REQUIREMENTS.contains(&name))
}

/// Folders of the blocks of one controller, as TIA Portal names them.
const BLOCKS: &[&str] = &["program blocks", "programmbausteine"];

/// Returns whether several controllers of a project of TIA Portal have programs among the files: each has a folder of blocks.
fn has_several_controllers(sources: &SourceSet, files: &[(FileId, String)]) -> bool {
    let controller = |path: &str| {
        let lower = path.to_lowercase();
        let mut parts: Vec<&str> = lower.split('/').collect();
        let blocks = parts.iter().position(|part| BLOCKS.contains(part))?;
        parts.truncate(blocks);
        Some(parts.join("/"))
    };
    let programs = files.iter().filter(|(id, _)| has_program(&sources.files[*id]));
    let controllers: BTreeSet<String> = programs.filter_map(|(_, path)| controller(path)).collect();
    1 < controllers.len()
}

/// Splits the files below a folder by its subfolders until no two programs of a project have the same name. At most one folder of a
/// project has requirements. Parts without a program are libraries of their siblings.
fn split(
    sources: &SourceSet,
    names: &BTreeMap<FileId, Vec<String>>,
    requirements: &[String],
    folder: String,
    files: Vec<(FileId, String)>,
    into: &mut Vec<Project>,
    depth: usize,
) {
    let is_one = is_unique(names, &files) && !is_divided(requirements, &files) && !has_several_controllers(sources, &files);
    let parts = if is_one || DEEPEST <= depth { None } else { parts(sources, &folder, &files) };
    let Some(parts) = parts else {
        into.push(of_files(sources, folder, files));
        return;
    };
    let first = into.len();
    let mut libraries: Vec<usize> = Vec::new();
    let has_program = |project: &Project| project.files.iter().any(|id| has_program(&sources.files[*id]));
    for (folder, files) in parts {
        let start = into.len();
        split(sources, names, requirements, folder, files, into, depth + 1);
        // A library beside a program in a folder belongs to the programs of this folder.
        if !into.iter().skip(start).any(has_program) {
            libraries.extend(start..into.len());
        }
    }
    for (at, project) in into.iter_mut().enumerate().skip(first) {
        project.libraries.extend(libraries.iter().copied().filter(|library| *library != at));
    }
}

/// Returns whether no two files declare programs of the same name.
fn is_unique(names: &BTreeMap<FileId, Vec<String>>, files: &[(FileId, String)]) -> bool {
    let mut home: BTreeMap<&str, FileId> = BTreeMap::new();
    let mut all = files.iter().flat_map(|(id, _)| names.get(id).into_iter().flatten().map(move |name| (name.as_str(), *id)));
    all.all(|(name, id)| *home.entry(name).or_insert(id) == id)
}

/// Returns whether files belong to two folders with requirements.
fn is_divided(requirements: &[String], files: &[(FileId, String)]) -> bool {
    let homes = files.iter().filter_map(|(_, path)| {
        let around = requirements.iter().map(|file| folder_of(file)).filter(|folder| path.starts_with(folder));
        around.max_by_key(|folder| folder.len())
    });
    1 < homes.collect::<BTreeSet<&str>>().len()
}

/// A folder or file, with the files of the part.
type Part = (String, Vec<(FileId, String)>);

/// Returns the subfolders of a folder with their files, and the files beside them. `None`: there is one part only.
fn parts(sources: &SourceSet, folder: &str, files: &[(FileId, String)]) -> Option<Vec<Part>> {
    let mut below: BTreeMap<String, Vec<(FileId, String)>> = BTreeMap::new();
    let mut here = Vec::new();
    for (id, path) in files {
        match path.get(folder.len()..).and_then(|rest| rest.split_once('/')) {
            Some((next, _)) => below.entry(format!("{folder}{next}/")).or_default().push((*id, path.clone())),
            // An export is a project of its own.
            None if has_ending(path, &["xml"]) && has_program(&sources.files[*id]) => {
                below.entry(path.clone()).or_default().push((*id, path.clone()));
            }
            None => here.push((*id, path.clone())),
        }
    }
    if !here.is_empty() {
        below.insert(folder.to_owned(), here);
    }
    // A folder alone in a folder is the same part, and its own parts differ.
    if below.len() == 1 && below.keys().all(|name| name == folder) { None } else { Some(below.into_iter().collect()) }
}

fn of_files(sources: &SourceSet, folder: String, files: Vec<(FileId, String)>) -> Project {
    let is_file = files.len() == 1 && files.iter().all(|(_, path)| *path == folder);
    let name = if is_file || !folder.is_empty() { last_part(&folder).to_owned() } else { String::new() };
    let has_program = files.iter().any(|(id, _)| has_program(&sources.files[*id]));
    Project { name, folder, has_program, files: files.into_iter().map(|(id, _)| id).collect(), ..Project::default() }
}
