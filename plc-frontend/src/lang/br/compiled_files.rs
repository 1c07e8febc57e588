//! Files that a `.prg` or `.lby` lists: only those are compiled.
//!
//! A list governs its own folder. Subfolders of a library have lists of their own. A program may also compile files of other folders,
//! by reference: `<File Reference="true">\Logical\Common\Common.st</File>`. Such a path begins at the folder of the project.

use std::collections::{BTreeMap, BTreeSet};

use crate::lang::common::excluded::{Excluded, folder_of, name_of, normal_path};
use crate::lang::common::starts_with_tag;
use crate::lang::foreign::{LISTS, STUDIO};
use crate::lang::{has_ending, is_ignored, xml};
use crate::text::{FileId, Origin, SourceFile, SourceSet, Span};

/// Files that one list names.
struct List<'s> {
    /// Its name as given.
    name: &'s str,
    folder: String,
    /// Its XML has no mistake.
    is_whole: bool,
    entries: Vec<Entry>,
}

struct Entry {
    /// As it is written.
    name: String,
    path: String,
    span: Span,
}

/// Adds the files that no list names, and those that a list names and that were not given.
///
/// Soundness: statements of a file that is not compiled must not run here. Code of a file that was not given may write anything.
/// A list without any name, or with a mistake in its XML, may lack names. It excludes nothing.
/// Cost: linear in the files and in the texts of lists.
pub(crate) fn exclude(sources: &SourceSet, excluded: &mut Excluded) {
    let paths = paths(sources);
    let lists = lists(sources, &paths);
    let given: BTreeSet<&str> = paths.values().map(String::as_str).collect();
    // Uploads may have no folders: then the name alone decides.
    let is_flat = is_flat(&paths);
    let n_of_folder = |folder: &str| lists.iter().filter(|list| list.folder == folder).count();
    let mut governed: BTreeMap<&str, (BTreeSet<&str>, &str)> = BTreeMap::new();
    let mut referenced: BTreeSet<&str> = BTreeSet::new();
    for list in &lists {
        for entry in &list.entries {
            if !given.contains(entry.path.as_str()) && !is_ignored(&entry.name) {
                excluded.add_missing(entry.span, &entry.name);
            }
        }
        let names = || list.entries.iter().map(|entry| entry.path.as_str());
        referenced.extend(names().filter(|path| folder_of(path) != list.folder));
        // Without folders the files of two programs stand beside each other.
        if list.is_whole && !list.entries.is_empty() && (!is_flat || n_of_folder(&list.folder) == 1) {
            let row = governed.entry(list.folder.as_str()).or_insert_with(|| (BTreeSet::new(), list.name));
            row.0.extend(names());
        }
    }
    let of_project = of_project(&paths, &lists);
    for (id, path) in &paths {
        if let Some((names, list)) = governed.get(folder_of(path))
            && !names.contains(path.as_str())
            && !referenced.contains(path.as_str())
            && !is_ignored(name_of(path))
            && !of_project.contains(id)
        {
            excluded.add_unlisted(*id, list);
        }
    }
}

/// Names that Automation Studio gives to the declarations of the whole project.
const OF_PROJECT: &[&str] = &["global.var", "global.typ"];

/// Returns the declarations of the whole project where one folder holds the whole upload: those of the program are listed.
///
/// Soundness: names of a program that compiles stand in a declaration, and no other one was given.
fn of_project(paths: &BTreeMap<FileId, String>, lists: &[List<'_>]) -> BTreeSet<FileId> {
    let [list] = lists else { return BTreeSet::new() };
    let is_listed = |path: &str| list.entries.iter().any(|entry| entry.path == path);
    if !has_ending(list.name, &["prg"]) || list.entries.is_empty() || paths.values().any(|path| folder_of(path) != list.folder) {
        return BTreeSet::new();
    }
    let is_global = |path: &str| OF_PROJECT.contains(&name_of(path).to_lowercase().as_str()) && !is_listed(path);
    paths.iter().filter(|(_, path)| is_global(path)).map(|(id, _)| *id).collect()
}

/// Returns the same for the files of an upload.
pub(super) fn declarations_of_project(sources: &SourceSet) -> BTreeSet<FileId> {
    let paths = paths(sources);
    of_project(&paths, &lists(sources, &paths))
}

/// Returns the binaries of libraries whose interface a `.fun` beside the `.lby` declares.
///
/// Soundness: nothing but calls runs code of a library, and a call without a body in the upload is one of a stub.
pub(crate) fn library_binaries(sources: &SourceSet) -> BTreeSet<FileId> {
    let paths = paths(sources);
    let folders = |ending: &str| -> BTreeSet<&str> {
        paths.values().filter(|path| has_ending(path, &[ending])).map(|path| folder_of(path)).collect()
    };
    let (lists, interfaces) = (folders("lby"), folders("fun"));
    let is_of_library = |path: &str| {
        let ends = path.match_indices('/').map(|(at, _)| at + 1);
        let mut around = ends.chain([0]).filter_map(|end| path.get(..end));
        around.any(|folder| lists.contains(folder) && interfaces.contains(folder))
    };
    let is_binary = |path: &str| has_ending(path, BINARIES) && is_of_library(path);
    paths.iter().filter(|(_, path)| is_binary(path)).map(|(id, _)| *id).collect()
}

/// Endings of compiled code.
const BINARIES: &[&str] = &["br", "a"];

/// Files of other folders that the program of a folder compiles, files that only such programs compile, and files that are missing.
#[derive(Default)]
pub(super) struct References {
    /// By the folder, as [`normal_path`] writes it, with its last `/`.
    pub(super) of_folder: BTreeMap<String, Vec<FileId>>,
    /// Files that no list of their own folder names.
    pub(super) elsewhere: BTreeSet<FileId>,
    /// Files with code that were not given, by the folder of their list: names and places in the list.
    pub(super) missing: BTreeMap<String, Vec<(String, Span)>>,
}

/// Endings of files without statements.
const DECLARATIONS: &[&str] = &["var", "typ", "fun", "h", "hpp"];

/// Returns the files that programs compile by reference.
pub(super) fn references(sources: &SourceSet) -> References {
    let paths = paths(sources);
    let ids: BTreeMap<&str, FileId> = paths.iter().map(|(id, path)| (path.as_str(), *id)).collect();
    let lists = lists(sources, &paths);
    let mut found = References::default();
    let own = |list: &List<'_>, path: &str| folder_of(path) == list.folder;
    let listed: BTreeSet<&str> = lists
        .iter()
        .flat_map(|list| list.entries.iter().map(|entry| entry.path.as_str()).filter(|path| own(list, path)))
        .collect();
    for list in &lists {
        let has_code = |entry: &&Entry| !is_ignored(&entry.name) && !has_ending(&entry.name, DECLARATIONS);
        for entry in list.entries.iter().filter(has_code).filter(|entry| !ids.contains_key(entry.path.as_str())) {
            found.missing.entry(list.folder.clone()).or_default().push((entry.name.clone(), entry.span));
        }
        for path in list.entries.iter().map(|entry| entry.path.as_str()).filter(|path| !own(list, path)) {
            let Some(id) = ids.get(path) else { continue };
            found.of_folder.entry(list.folder.clone()).or_default().push(*id);
            if !listed.contains(path) {
                found.elsewhere.insert(*id);
            }
        }
    }
    found
}

/// Returns the files of other folders that the program of a folder compiles.
pub(crate) fn compiled_from_elsewhere(sources: &SourceSet, folder: &str) -> Vec<FileId> {
    references(sources).of_folder.remove(folder).unwrap_or_default()
}

/// Returns the files that programs of other folders compile by reference, with whether the program of this folder compiles them, too.
pub(crate) fn compiled_beside(sources: &SourceSet, folder: &str) -> BTreeMap<FileId, bool> {
    let References { of_folder, .. } = references(sources);
    let own = of_folder.get(folder).cloned().unwrap_or_default();
    let others = of_folder.iter().filter(|(other, _)| *other != folder).flat_map(|(_, files)| files);
    others.map(|id| (*id, own.contains(id))).collect()
}

/// Returns the paths of the user's files.
fn paths(sources: &SourceSet) -> BTreeMap<FileId, String> {
    let users = sources.files.iter_enumerated().filter(|(_, file)| file.origin == Origin::User);
    users.map(|(id, file)| (id, normal_path(&file.name))).collect()
}

fn is_flat(paths: &BTreeMap<FileId, String>) -> bool {
    paths.values().all(|path| folder_of(path).is_empty())
}

/// Returns the lists among the files.
fn lists<'s>(sources: &'s SourceSet, paths: &BTreeMap<FileId, String>) -> Vec<List<'s>> {
    let given: BTreeSet<&str> = paths.values().map(String::as_str).collect();
    let is_flat = is_flat(paths);
    let mut lists = Vec::new();
    for (id, path) in paths {
        let Some(file) = sources.files.get(*id).filter(|file| is_list(file)) else { continue };
        let folder = folder_of(path).to_owned();
        let read = xml::read(*id, &file.text);
        let mut entries = Vec::new();
        for element in read.value.root().into_iter().flat_map(|root| root.descendants()) {
            let is_file = element.name() == "File"
                || element.name() == "Object" && element.attribute("Type").is_some_and(|kind| kind.text == "File");
            let name = element.text().trim().to_owned();
            if is_file && !name.is_empty() {
                let path = path_of(&name, &folder, &given, is_flat);
                entries.push(Entry { name, path, span: element.text_span().unwrap_or(element.tag_span()) });
            }
        }
        lists.push(List { name: file.name.as_str(), folder, is_whole: !read.has_errors(), entries });
    }
    lists
}

/// Returns the path of a listed file. A path from the folder of the project begins with a separator; which folder that is, the given
/// files tell.
fn path_of(name: &str, folder: &str, given: &BTreeSet<&str>, is_flat: bool) -> String {
    if !name.starts_with(['/', '\\']) {
        return normal_path(&format!("{folder}{name}"));
    }
    let name = normal_path(name);
    if is_flat {
        return name_of(&name).to_owned();
    }
    let roots = folder.match_indices('/').filter_map(|(at, _)| folder.get(..=at));
    let mut candidates = roots.rev().chain([""]).map(|root| format!("{root}{name}"));
    candidates.find(|path| given.contains(path.as_str())).unwrap_or(name)
}

fn is_list(file: &SourceFile) -> bool {
    has_ending(&file.name, LISTS) && starts_with_tag(&file.text, STUDIO)
}
