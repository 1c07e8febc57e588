//! Projects: a `.plcproj` lists the files that are compiled. The order of files never matters.

use std::collections::{BTreeMap, BTreeSet};

use super::Reader;
use crate::lang::common::excluded::{Excluded, folder_of, name_of, normal_path};
use crate::lang::detection::is_unknown;
use crate::lang::xml::{self, Element};
use crate::lang::{FileRole, refused, role};
use crate::text::{FileId, Origin, SourceFile, SourceSet};

impl Reader<'_> {
    /// Enters the references of a `.plcproj` to libraries, and the files that it excludes, into the ledger.
    pub(super) fn project(&mut self, root: Element<'_>) {
        for element in root.descendants() {
            let Some(include) = element.attribute("Include") else { continue };
            match element.name() {
                "LibraryReference" | "PlaceholderReference" => {
                    let name = include.text.split(',').next().unwrap_or("").trim();
                    let why =
                        "its standard blocks and those of docs/libraries.md are known; upload the sources of what else is used";
                    self.unit.ignore(include.span, format!("reference to the library {name}"), why);
                }
                "Compile" if is_excluded(element) => {
                    self.unit.ignore(include.span, format!("file `{}`", include.text), "excluded from the build by the project");
                }
                _ => {}
            }
        }
    }
}

/// Adds the files in folders of projects that no project lists: they are not compiled. Adds listed files that were not given.
///
/// Soundness: files that no list can name, such as texts of other languages, stay what they are.
pub(crate) fn exclude(sources: &SourceSet, excluded: &mut Excluded) {
    let users = || sources.files.iter_enumerated().filter(|(_, f)| f.origin == Origin::User);
    // Paths as the file system of the projects compares them.
    let mut by_path: BTreeMap<String, FileId> = BTreeMap::new();
    let mut by_name: BTreeMap<String, Vec<FileId>> = BTreeMap::new();
    let mut projects = Vec::new();
    for (id, file) in users() {
        let path = normal_path(&file.name);
        by_name.entry(name_of(&path).to_owned()).or_default().push(id);
        if is_of_twincat(&file.name, FileRole::Project) {
            projects.push((id, folder_of(&path).to_owned()));
        }
        by_path.insert(path, id);
    }
    let mut listed: BTreeMap<FileId, bool> = BTreeMap::new();
    for (project, folder) in &projects {
        let Some(file) = sources.files.get(*project) else { continue };
        let document = xml::read(*project, &file.text).value;
        let elements = document.root().into_iter().flat_map(|root| root.descendants());
        for element in elements.filter(|e| e.name() == "Compile") {
            let Some(include) = element.attribute("Include") else { continue };
            let path = normal_path(&format!("{folder}{}", unescaped(&include.text)));
            // Uploads have no folders: then the name alone decides.
            let alone = by_name.get(name_of(&path)).filter(|ids| ids.len() == 1).and_then(|ids| ids.first());
            match by_path.get(&path).or(alone) {
                Some(id) => *listed.entry(*id).or_default() |= !is_excluded(element),
                None if is_excluded(element) || !is_of_twincat(&include.text, FileRole::Object) => {}
                None => excluded.add_missing(include.span, &include.text),
            }
        }
    }
    for (id, file) in users() {
        let path = normal_path(&file.name);
        let governing = projects.iter().find(|(_, folder)| path.starts_with(folder.as_str()));
        let is_foreign = is_unknown(&file.name) || refused(&file.name).is_some();
        if (is_of_twincat(&file.name, FileRole::Object) || is_foreign)
            && let Some((project, _)) = governing
            && !listed.get(&id).is_some_and(|is_compiled| *is_compiled)
        {
            let project = sources.files.get(*project).map_or("", |f| f.name.as_str());
            excluded.add_unlisted(id, project);
        }
    }
}

/// Returns the paths of the objects that a `.plcproj` compiles, in lower case and with `/`.
pub(crate) fn compiled(id: FileId, file: &SourceFile) -> BTreeSet<String> {
    let path = normal_path(&file.name);
    let document = xml::read(id, &file.text).value;
    let elements = document.root().into_iter().flat_map(|root| root.descendants());
    let objects = elements.filter(|element| element.name() == "Compile" && !is_excluded(*element));
    let paths = objects.filter_map(|element| element.attribute("Include"));
    paths.map(|include| normal_path(&format!("{}{}", folder_of(&path), unescaped(&include.text)))).collect()
}

/// Returns whether a name belongs to a file of TwinCAT with this role.
pub(crate) fn is_of_twincat(name: &str, wanted: FileRole) -> bool {
    super::LANGUAGE.owns(name) && role(name) == Some(wanted)
}

fn is_excluded(compile: Element<'_>) -> bool {
    compile.child("ExcludeFromBuild").is_some_and(|e| e.text().trim().eq_ignore_ascii_case("true"))
}

/// Returns a path of a project without its escapes: `%20` is a blank.
fn unescaped(include: &str) -> String {
    let mut parts = include.split('%');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let sign = part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(u8::is_ascii);
        match sign.zip(part.get(2..)) {
            Some((sign, rest)) => {
                text.push(char::from(sign));
                text.push_str(rest);
            }
            None => {
                text.push('%');
                text.push_str(part);
            }
        }
    }
    text
}

#[test]
fn paths_of_projects_have_escapes() {
    assert_eq!(unescaped("POUs\\My%20Block.TcPOU"), "POUs\\My Block.TcPOU");
    assert_eq!(unescaped("100%25%zz%2"), "100%%zz%2");
    assert_eq!(unescaped("%ü%20"), "%ü ");
}
