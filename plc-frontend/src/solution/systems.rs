//! Projects that files of engineering systems list.
//!
//! - TwinCAT: a `.plcproj`, with everything below its folder. It names the libraries that it references. Of several in one folder, each
//!   has the files that it compiles; the first one has those that none compiles.
//! - SIMATIC AX: an `apax.yml`, with everything below its folder. It names the packages that it depends on; its folder `test` is a
//!   project of its own.
//! - Beremiz, OpenPLC Editor: a `beremiz.xml` with settings; its program is the file `plc.xml` beside it. Its folder `build` holds what
//!   is generated from it. Other files of the folder are of other languages.
//! - Automation Studio (B&R): each folder with a `.prg` is an application, each folder with a `.lby` a library. An application sees
//!   all libraries and all other files of its `Logical` tree. All applications of the tree run on one controller and share variables.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::Project;
use super::folders::folder_of;
use super::programs::last_part;
use super::references::{Reference, of_twincat};
use crate::lang::common::starts_with_tag;
use crate::lang::xml;
use crate::lang::{self, FileRole, has_ending, is_package_list, is_settings_of_beremiz, role};
use crate::text::{FileId, Origin, SourceFile, SourceSet};

/// Folders of the tests of a package.
const TESTS: &[&str] = &["test", "tests"];
/// Library of tests of TwinCAT.
const TC_UNIT: &str = "tcunit";

/// System of a project.
#[derive(Clone, Copy, PartialEq, Eq)]
enum System {
    TwinCat,
    Package,
    Beremiz,
    Application,
    Library,
}

/// Program of a project of Beremiz.
const PLC: &str = "plc.xml";

/// Folder of generated files in a project of Beremiz.
const BUILT: &str = "build/";

/// Projects that files list.
#[derive(Default)]
pub(super) struct Listed {
    pub(super) projects: Vec<Project>,
    /// Files that belong to none.
    pub(super) loose: Vec<(FileId, String)>,
    /// Files that Beremiz generated from its program.
    pub(super) generated: BTreeSet<FileId>,
}

/// Returns the projects that files list.
pub(super) fn projects(sources: &SourceSet, files: &[(FileId, String)]) -> Listed {
    let mut found: BTreeMap<String, (System, Project)> = BTreeMap::new();
    let mut twins: Vec<Project> = Vec::new();
    for (id, file) in sources.files.iter_enumerated().filter(|(_, file)| file.origin == Origin::User) {
        let path = super::folders::path(file);
        let Some(system) = system(&path, file) else { continue };
        let folder = folder_of(&path).to_owned();
        match found.entry(folder.to_lowercase()) {
            Entry::Vacant(vacant) => _ = vacant.insert((system, project(system, id, file, folder))),
            Entry::Occupied(first) if system == System::TwinCat && first.get().0 == System::TwinCat => {
                twins.push(project(system, id, file, folder));
            }
            // Of two projects in one folder, the first one has the files.
            Entry::Occupied(_) => {}
        }
    }
    let programs: BTreeSet<String> =
        files.iter().map(|(_, path)| path.to_lowercase()).filter(|path| path.ends_with(PLC)).collect();
    found.retain(|folder, (system, _)| *system != System::Beremiz || programs.contains(&format!("{folder}{PLC}")));
    if found.is_empty() {
        return Listed { loose: files.to_vec(), ..Listed::default() };
    }
    // Extensions belong to the program, and are not read.
    let is_extension =
        |file: &SourceFile| lang::code_of_beremiz(&file.text).is_some() || lang::is_node_of_beremiz(&file.name, &file.text);
    for (id, file) in sources.files.iter_enumerated().filter(|(_, file)| is_extension(file)) {
        let path = super::folders::path(file).to_lowercase();
        let around = ancestors(&path).find(|folder| matches!(found.get(*folder), Some((System::Beremiz, _))));
        if let Some((_, project)) = around.and_then(|folder| found.get_mut(folder)) {
            project.lists.insert(id);
        }
    }
    let applications = found.iter().filter(|(_, (system, _))| *system == System::Application);
    let trees: BTreeSet<String> = applications.map(|(folder, _)| tree(folder).to_owned()).collect();
    let (mut loose, mut shared): (Vec<(FileId, String)>, BTreeMap<String, Project>) = (Vec::new(), BTreeMap::new());
    let mut tests: BTreeMap<String, Project> = BTreeMap::new();
    let linked = linked(sources, &found);
    let generated = generated(sources, &found);
    for (id, path) in files.iter().filter(|(id, _)| !generated.contains(id)) {
        let lower = path.to_lowercase();
        // Projects of other folders compile it.
        if let Some(folders) = linked.get(&lang::normal_path(path)) {
            for folder in folders {
                found.get_mut(folder).into_iter().for_each(|(_, project)| _ = project.files.insert(*id));
            }
            continue;
        }
        let holds = |folder: &&str| match found.get(*folder) {
            Some((System::Beremiz, _)) => lower.get(folder.len()..) == Some(PLC),
            Some(_) => true,
            None => false,
        };
        let nearest = ancestors(&lower).find(holds);
        match nearest.and_then(|folder| found.get_mut(folder)) {
            Some((System::Package, package)) if is_of_tests(&package.folder, path) => {
                let project = tests.entry(package.folder.clone()).or_insert_with(|| tests_of(package));
                project.files.insert(*id);
            }
            Some((_, project)) => {
                project.files.insert(*id);
            }
            None if trees.contains(tree(&lower)) => {
                let root = tree(&lower).to_owned();
                let empty =
                    || Project { name: "shared files".to_owned(), folder: root.clone(), is_listed: true, ..Project::default() };
                shared.entry(root.clone()).or_insert_with(empty).files.insert(*id);
            }
            None => loose.push((*id, path.clone())),
        }
    }
    divide(sources, &mut found, &mut twins);
    let mut systems: Vec<Option<System>> = found.values().map(|(system, _)| Some(*system)).collect();
    let mut projects: Vec<Project> = found.into_values().map(|(_, project)| project).collect();
    systems.extend(shared.iter().map(|_| Some(System::Library)).chain(tests.iter().map(|_| None)));
    systems.extend(twins.iter().map(|_| Some(System::TwinCat)));
    projects.extend(shared.into_values().chain(tests.into_values()).chain(twins));
    see_trees(&mut projects, &systems);
    Listed { projects, loose, generated }
}

/// Returns the files that Beremiz generated from the programs of its projects.
fn generated(sources: &SourceSet, found: &BTreeMap<String, (System, Project)>) -> BTreeSet<FileId> {
    let folders = found.iter().filter(|(_, (system, _))| *system == System::Beremiz);
    let built: Vec<String> = folders.map(|(folder, _)| format!("{folder}{BUILT}")).collect();
    let users = sources.files.iter_enumerated().filter(|(_, file)| file.origin == Origin::User && !built.is_empty());
    let is_built = |file: &SourceFile| {
        let path = super::folders::path(file).to_lowercase();
        built.iter().any(|folder| path.starts_with(folder))
    };
    users.filter(|(_, file)| is_built(file)).map(|(id, _)| id).collect()
}

/// Returns the files outside of the folders of projects of TwinCAT that these compile, with the folders of the projects. A project
/// around the file is one of them if it compiles the file, too.
fn linked(sources: &SourceSet, found: &BTreeMap<String, (System, Project)>) -> BTreeMap<String, Vec<String>> {
    let mut linked: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut outside: BTreeSet<String> = BTreeSet::new();
    for (folder, (_, project)) in found.iter().filter(|(_, (system, _))| *system == System::TwinCat) {
        let lists = project.lists.iter().filter_map(|id| Some((*id, sources.files.get(*id)?)));
        for path in lists.flat_map(|(id, file)| lang::compiled(id, file)) {
            if !path.starts_with(&lang::normal_folder(folder)) {
                outside.insert(path.clone());
            }
            linked.entry(path).or_default().push(folder.clone());
        }
    }
    linked.retain(|path, _| outside.contains(path));
    linked
}

/// Gives each of several projects of TwinCAT in one folder the files that it compiles. A file may belong to several.
fn divide(sources: &SourceSet, found: &mut BTreeMap<String, (System, Project)>, twins: &mut [Project]) {
    let compiled = |project: &Project| -> BTreeSet<String> {
        let lists = project.lists.iter().filter_map(|id| Some((*id, sources.files.get(*id)?)));
        lists.flat_map(|(id, file)| lang::compiled(id, file)).collect()
    };
    let mut folders: BTreeMap<String, Vec<(&mut Project, BTreeSet<String>)>> = BTreeMap::new();
    for twin in twins {
        let list = compiled(twin);
        folders.entry(twin.folder.to_lowercase()).or_default().push((twin, list));
    }
    for (folder, others) in &mut folders {
        let Some((_, first)) = found.get_mut(folder) else { continue };
        let own = compiled(first);
        for id in first.files.clone() {
            let path = sources.files.get(id).map_or(String::new(), |file| lang::normal_path(&file.name));
            // Uploads have no folders: then the name alone decides.
            let is_in = |list: &BTreeSet<String>| {
                let has_name = || list.iter().any(|listed| listed.rsplit('/').next() == Some(path.as_str()));
                list.contains(&path) || (!path.contains('/') && has_name())
            };
            let mut is_elsewhere = false;
            for (other, list) in others.iter_mut() {
                if other.lists.contains(&id) || is_in(list) {
                    other.files.insert(id);
                    is_elsewhere = true;
                }
            }
            if is_elsewhere && !is_in(&own) {
                first.files.remove(&id);
            }
        }
    }
}

/// Beginning of the files of Automation Studio.
const STUDIO: &str = "<?AutomationStudio";

/// Returns the system whose projects have such a file.
fn system(path: &str, file: &SourceFile) -> Option<System> {
    let is_of_studio = || starts_with_tag(&file.text, STUDIO);
    if role(path) == Some(FileRole::Project) {
        Some(System::TwinCat)
    } else if is_package_list(path) {
        Some(System::Package)
    } else if has_ending(path, &["xml"]) && is_settings_of_beremiz(&file.text) {
        Some(System::Beremiz)
    } else if has_ending(path, &["prg"]) && is_of_studio() {
        Some(System::Application)
    } else if has_ending(path, &["lby"]) && is_of_studio() {
        Some(System::Library)
    } else {
        None
    }
}

fn project(system: System, id: FileId, file: &SourceFile, folder: String) -> Project {
    let mut project = Project { is_listed: true, folder, lists: BTreeSet::from([id]), ..Project::default() };
    match system {
        System::Beremiz => {
            let name = last_part(&project.folder);
            project.name = if name.is_empty() { last_part(PLC) } else { name }.to_owned();
        }
        System::TwinCat => twincat(&mut project, id, file),
        System::Package => package(&mut project, &file.text),
        System::Application | System::Library => {
            project.name = last_part(&project.folder).to_owned();
            // Bodies of programs stand in files of their own, without a name. One in C is not read, and shares the memory.
            project.has_program = system == System::Application && !is_in_c(&file.text);
            project.controller = (system == System::Application).then(|| tree(&project.folder.to_lowercase()).to_owned());
        }
    }
    project
}

/// Returns whether a `.prg` is that of a program in C.
fn is_in_c(text: &str) -> bool {
    let tag = text.split_once("<Program").and_then(|(_, behind)| behind.split_once('>')).map_or("", |(tag, _)| tag);
    tag.to_ascii_uppercase().contains("SUBTYPE=\"ANSIC\"")
}

/// Reads a `.plcproj`.
fn twincat(project: &mut Project, id: FileId, file: &SourceFile) {
    project.name = last_part(&super::folders::path(file)).to_owned();
    project.known_as.push(project.name.to_lowercase());
    project.has_namespace = true;
    let document = xml::read(id, &file.text).value;
    for element in document.root().into_iter().flat_map(|root| root.descendants()) {
        match element.name() {
            "Title" | "DefaultNamespace" | "Name" => {
                if element.name() == "DefaultNamespace" {
                    project.namespace = element.text().trim().to_owned();
                }
                let name = element.text().trim().to_lowercase();
                if !name.is_empty() && !project.known_as.contains(&name) {
                    project.known_as.push(name);
                }
            }
            "ProjectVersion" => project.version = element.text().trim().to_owned(),
            "Company" => project.company = element.text().trim().to_owned(),
            _ => {}
        }
    }
    project.references = document.root().map(of_twincat).unwrap_or_default();
    project.is_test = project.references.iter().any(|reference| reference.names.contains(TC_UNIT));
}

/// Reads an `apax.yml`.
fn package(project: &mut Project, text: &str) {
    let mut is_dependencies = false;
    for line in text.lines() {
        let Some((name, value)) = line.trim().rsplit_once(':') else { continue };
        let plain = |text: &str| text.trim().trim_matches(['"', '\'']).to_owned();
        if !line.starts_with(char::is_whitespace) {
            is_dependencies = matches!(name, "dependencies" | "devDependencies");
            if name == "name" {
                project.known_as.push(plain(value).to_lowercase());
                project.name = plain(value).rsplit('/').next().unwrap_or_default().to_owned();
            }
        } else if is_dependencies {
            project.references.push(Reference::of(&plain(name)));
        }
    }
    if project.name.is_empty() {
        project.name = last_part(&project.folder).to_owned();
    }
}

/// Returns whether a file stands in the folder of a package's tests.
fn is_of_tests(package: &str, path: &str) -> bool {
    let inside = path.get(package.len()..).unwrap_or_default();
    inside.split_once('/').is_some_and(|(first, _)| TESTS.iter().any(|test| first.eq_ignore_ascii_case(test)))
}

/// Returns the project of a package's tests: it sees the package and the packages that this depends on.
fn tests_of(package: &Project) -> Project {
    Project {
        name: format!("{} tests", package.name),
        folder: format!("{}test/", package.folder),
        is_listed: true,
        is_test: true,
        lists: package.lists.clone(),
        references: package.references.iter().cloned().chain(package.known_as.iter().map(|name| Reference::of(name))).collect(),
        ..Project::default()
    }
}

/// Returns the `Logical` tree of a path in lower case, or nothing.
fn tree(path: &str) -> &str {
    let end = if path.starts_with("logical/") {
        Some("logical/".len())
    } else {
        path.find("/logical/").map(|at| at + "/logical/".len())
    };
    end.and_then(|end| path.get(..end)).unwrap_or_default()
}

/// Lets the applications of Automation Studio see the libraries and the shared files of their tree.
fn see_trees(projects: &mut [Project], systems: &[Option<System>]) {
    let trees: Vec<String> = projects.iter().map(|project| tree(&project.folder.to_lowercase()).to_owned()).collect();
    let of = |wanted: System| systems.iter().enumerate().filter(move |(_, system)| **system == Some(wanted)).map(|(at, _)| at);
    let libraries: BTreeSet<usize> = of(System::Library).collect();
    for at in of(System::Application).chain(of(System::Library)) {
        let seen = libraries.iter().copied().filter(|library| *library != at && trees[*library] == trees[at]);
        let seen: Vec<usize> = seen.collect();
        if let Some(project) = projects.get_mut(at) {
            project.libraries.extend(seen);
        }
    }
}

/// Returns the folders around a path, the nearest first, each with `/` at the end; last the whole upload.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    let ends = path.match_indices('/').map(|(at, _)| at + 1).collect::<Vec<_>>().into_iter().rev();
    ends.chain(std::iter::once(0)).filter_map(|end| path.get(..end))
}
