//! Files that a `.prg` or `.lby` lists: only those are compiled.
//!
//! A list governs its own folder. Subfolders of a library have lists of their own.

use std::collections::{BTreeMap, BTreeSet};

use crate::lang::common::excluded::{Excluded, folder_of, name_of, normal_path};
use crate::lang::common::starts_with_tag;
use crate::lang::foreign::{LISTS, STUDIO};
use crate::lang::{has_ending, is_ignored, xml};
use crate::text::{FileId, Origin, SourceFile, SourceSet};

/// Adds the files that no list names, and those that a list names and that were not given.
///
/// Soundness: statements of a file that is not compiled must not run here. Code of a file that was not given may write anything.
/// A list without any name, or with a mistake in its XML, may lack names. It excludes nothing.
/// Cost: linear in the files and in the texts of lists.
pub(crate) fn exclude(sources: &SourceSet, excluded: &mut Excluded) {
    let users = || sources.files.iter_enumerated().filter(|(_, file)| file.origin == Origin::User);
    let lists: Vec<(FileId, &SourceFile)> = users().filter(|(_, file)| is_list(file)).collect();
    if lists.is_empty() {
        return;
    }
    let paths: BTreeMap<FileId, String> = users().map(|(id, file)| (id, normal_path(&file.name))).collect();
    let given: BTreeSet<&str> = paths.values().map(String::as_str).collect();
    // Uploads may have no folders: then the name alone decides.
    let is_flat = paths.values().all(|path| folder_of(path).is_empty());
    let n_of_folder = |folder: &str| lists.iter().filter(|(_, list)| folder_of(&normal_path(&list.name)) == folder).count();
    let mut governed: BTreeMap<String, (BTreeSet<String>, &str)> = BTreeMap::new();
    for (id, list) in &lists {
        let path = normal_path(&list.name);
        let folder = folder_of(&path);
        let mut names = BTreeSet::new();
        let read = xml::read(*id, &list.text);
        let is_whole = !read.has_errors();
        for element in read.value.root().into_iter().flat_map(|root| root.descendants()) {
            let is_file = element.name() == "File"
                || element.name() == "Object" && element.attribute("Type").is_some_and(|kind| kind.text == "File");
            let name = element.text().trim().to_owned();
            if !is_file || name.is_empty() {
                continue;
            }
            let listed = normal_path(&format!("{folder}{name}"));
            if !given.contains(listed.as_str()) && !is_ignored(&name) {
                excluded.add_missing(element.text_span().unwrap_or(element.tag_span()), &name);
            }
            names.insert(listed);
        }
        // Without folders the files of two programs stand beside each other.
        if is_whole && !names.is_empty() && (!is_flat || n_of_folder(folder) == 1) {
            let row = governed.entry(folder.to_owned()).or_insert_with(|| (BTreeSet::new(), list.name.as_str()));
            row.0.extend(names);
        }
    }
    for (id, path) in &paths {
        if let Some((names, list)) = governed.get(folder_of(path))
            && !names.contains(path)
            && !is_ignored(name_of(path))
        {
            excluded.add_unlisted(*id, list);
        }
    }
}

fn is_list(file: &SourceFile) -> bool {
    has_ending(&file.name, LISTS) && starts_with_tag(&file.text, STUDIO)
}
