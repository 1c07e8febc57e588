//! Solutions: the projects among the files of an upload, and the one that runs.
//!
//! Engineering systems keep several projects in one folder: applications, libraries, tests. Each controller runs one application, so
//! one project is read at a time ([`choice`]), with the declarations of the libraries that it references ([`libraries`]).
//! Files of other projects are listed in the ledger ([`selection`]).
//!
//! [`systems`] finds projects by the files of their systems, [`folders`] by folders whose programs have the same names.
//!
//! **Invariant:** without two programs of one name and without files of systems, all files are one project, as they were given.

mod choice;
mod compiler_defines;
mod folder_names;
mod folders;
mod libraries;
mod library_settings;
mod load;
mod missing_libraries;
mod programs;
mod reading;
mod references;
mod repeated_libraries;
mod selection;
mod systems;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use crate::text::{FileId, Key, SourceSet};
pub use choice::Choice;
pub use folders::is_requirement_file;
pub use load::load;
pub(crate) use load::{Files, join, parse_all};
pub use reading::Reading;
use references::Reference;
pub use selection::is_stub_file;
pub(crate) use selection::select;

/// Projects among the files of an upload.
#[derive(Clone, Debug, Default)]
pub struct Solution {
    projects: Vec<Project>,
    generated: BTreeSet<FileId>,
}

/// A project: files that an engineering system reads as one program, or as one library.
#[derive(Clone, Debug, Default)]
pub struct Project {
    /// Name for people; empty if nothing gives one.
    pub name: String,
    /// Folder of its files with `/` at the end, or the one file that it is; empty: the whole upload.
    pub folder: String,
    /// A file of an engineering system lists it.
    pub is_listed: bool,
    /// It tests other projects.
    pub is_test: bool,
    /// It declares a program.
    pub has_program: bool,
    /// Its files.
    pub files: BTreeSet<FileId>,
    /// Files of the system that list it.
    lists: BTreeSet<FileId>,
    /// Memory that it shares with other applications of the same controller, if several run there.
    controller: Option<String>,
    /// Its code may qualify names with those of libraries.
    has_namespace: bool,
    /// Name of its namespace, if a file states one.
    namespace: String,
    /// Its version, if a file states one.
    version: String,
    /// Its company, if a file states one.
    company: String,
    /// Names under which other projects reference it, in lower case.
    known_as: Vec<String>,
    /// Libraries that it references.
    references: Vec<Reference>,
    /// Positions of the projects whose declarations it sees.
    libraries: BTreeSet<usize>,
}

/// Removes the projects without files; positions of libraries stay right. A program of a controller stays: it runs there all the same.
fn drop_empty(projects: &mut Vec<Project>) {
    let is_kept = |project: &Project| !project.files.is_empty() || project.controller.is_some();
    let mut n_kept = 0;
    let places: Vec<Option<usize>> = projects
        .iter()
        .map(|project| {
            let is_kept = is_kept(project);
            n_kept += usize::from(is_kept);
            is_kept.then(|| n_kept - 1)
        })
        .collect();
    projects.retain(is_kept);
    for project in projects {
        let before = std::mem::take(&mut project.libraries);
        project.libraries = before.into_iter().filter_map(|at| places.get(at).copied().flatten()).collect();
    }
}

impl Solution {
    /// Returns the projects among the files. Each file of the user that may hold a program belongs to one of them.
    ///
    /// Cost: reads the files of systems, and looks for programs in all texts if there are several projects.
    pub fn of(sources: &SourceSet) -> Solution {
        let files = folders::program_files(sources);
        let systems::Listed { mut projects, loose, generated } = systems::projects(sources, &files);
        folders::add_loose(sources, loose, &mut projects);
        drop_empty(&mut projects);
        if 1 < projects.len() {
            for project in &mut projects {
                project.has_program |= project.files.iter().any(|id| programs::has_program(&sources.files[*id]));
            }
        }
        link(&mut projects);
        let all: Vec<&str> = projects.iter().map(|project| project.folder.as_str()).collect();
        let above = common_folder(&all).len();
        for project in projects.iter_mut() {
            let mut parts = project.folder.get(above..).unwrap_or_default().split('/');
            project.is_test |= programs::is_test_name(&project.name) || parts.any(programs::is_test_name);
        }
        Solution { projects, generated }
    }

    /// Returns the files that a system generated from a project. They are no part of any.
    pub fn generated(&self) -> &BTreeSet<FileId> {
        &self.generated
    }

    /// Returns the projects, in the order of their folders.
    pub fn projects(&self) -> &[Project] {
        &self.projects
    }

    /// Returns the name by which the user chooses a project: its own, or its folder where several have this name.
    pub fn label(&self, project: usize) -> String {
        let Some(own) = self.projects.get(project) else { return String::new() };
        let n_same = self.projects.iter().filter(|other| other.name.eq_ignore_ascii_case(&own.name)).count();
        if n_same < 2 && !own.name.is_empty() { own.name.clone() } else { own.folder.trim_end_matches('/').to_owned() }
    }

    /// Returns the files of the libraries that a project references, and of those that they reference.
    pub fn library_files(&self, project: usize) -> BTreeSet<FileId> {
        let libraries = self.all_libraries(project).into_iter().filter_map(|at| self.projects.get(at));
        libraries.flat_map(|project| project.files.iter().copied()).collect()
    }

    /// Returns the libraries that a project references, and those that they reference.
    fn all_libraries(&self, project: usize) -> BTreeSet<usize> {
        let mut seen = BTreeSet::from([project]);
        let mut open = vec![project];
        while let Some(at) = open.pop() {
            let libraries = self.projects.get(at).into_iter().flat_map(|project| &project.libraries);
            open.extend(libraries.copied().filter(|library| seen.insert(*library)));
        }
        seen.remove(&project);
        seen
    }

    /// Returns the files of other applications of the same controller: they may write variables that the project reads.
    pub fn files_beside(&self, project: usize) -> BTreeSet<FileId> {
        let Some(own) = self.projects.get(project) else { return BTreeSet::new() };
        let beside = self.beside(project).into_iter().flat_map(|at| self.projects[at].files.iter().copied());
        beside.filter(|id| !own.files.contains(id)).collect()
    }

    /// Returns the positions of other applications of the same controller.
    pub(crate) fn beside(&self, project: usize) -> Vec<usize> {
        let controller = |at: usize| self.projects.get(at).and_then(|project| project.controller.as_deref());
        let is_beside =
            |other: &usize| *other != project && controller(project).is_some() && controller(*other) == controller(project);
        (0..self.projects.len()).filter(is_beside).collect()
    }

    /// Returns whether a file of no project may belong to the chosen one: no folder of another project is nearer to it.
    ///
    /// Soundness: a panel of a library may show what the program gives to it.
    pub fn is_beside(&self, sources: &SourceSet, chosen: usize, file: FileId) -> bool {
        let path = sources.files.get(file).map_or_else(String::new, folders::path).to_lowercase();
        let is_around = |project: &&Project| path.starts_with(&project.folder.to_lowercase());
        let nearest = self.projects.iter().filter(is_around).map(|project| project.folder.len()).max().unwrap_or(0);
        let mut own = self.all_libraries(chosen);
        own.insert(chosen);
        let mut around = self.projects.iter().enumerate().filter(|(_, project)| is_around(project)).peekable();
        around.peek().is_none() || around.any(|(at, project)| project.folder.len() == nearest && own.contains(&at))
    }

    /// Returns the files that decide how a project is read: its own, those of its libraries and of its controller, and the lists of
    /// all these projects.
    fn needed_files(&self, project: usize) -> BTreeSet<FileId> {
        let own = self.projects.get(project).into_iter().flat_map(|own| own.files.iter().copied());
        let read: BTreeSet<FileId> = own.chain(self.library_files(project)).chain(self.files_beside(project)).collect();
        let beside = self.beside(project);
        let is_needed =
            |(at, other): &(usize, &Project)| *at == project || beside.contains(at) || !other.files.is_disjoint(&read);
        let needed = self.projects.iter().enumerate().filter(is_needed);
        let lists: Vec<FileId> = needed.flat_map(|(_, other)| other.lists.iter().copied()).collect();
        read.into_iter().chain(lists).collect()
    }

    /// Returns the names of libraries that a project references and that no project of the upload is.
    fn missing_libraries(&self, project: &Project) -> BTreeSet<Key> {
        let is_here = |reference: &&Reference| self.projects.iter().any(|other| reference.is_one_of(&other.known_as));
        project.references.iter().filter(|reference| !is_here(reference)).flat_map(|it| it.names.iter().cloned()).collect()
    }

    /// Returns whether another project references this one.
    pub fn is_library(&self, project: usize) -> bool {
        self.projects.iter().enumerate().any(|(at, other)| at != project && other.libraries.contains(&project))
    }
}

/// Enters the projects that each project references by name.
fn link(projects: &mut [Project]) {
    let linked = |at: usize, project: &Project| -> Vec<usize> {
        let of = |reference: &Reference| {
            let others = projects.iter().enumerate().filter(|(other, it)| *other != at && reference.is_one_of(&it.known_as));
            library_settings::meant(reference.wanted.as_ref(), projects, others.map(|(other, _)| other).collect())
        };
        project.references.iter().flat_map(of).collect()
    };
    let all: Vec<Vec<usize>> = projects.iter().enumerate().map(|(at, project)| linked(at, project)).collect();
    for (project, libraries) in projects.iter_mut().zip(all) {
        project.libraries.extend(libraries);
    }
}

/// Returns the beginning that all folders have in common, up to a `/`.
fn common_folder<'f>(folders: &[&'f str]) -> &'f str {
    let Some((first, rest)) = folders.split_first() else { return "" };
    let ends = first.match_indices('/').map(|(at, _)| at + 1).rev();
    let common = |end: &usize| first.get(..*end).is_some_and(|start| rest.iter().all(|folder| folder.starts_with(start)));
    ends.filter(|_| !rest.is_empty()).find(common).and_then(|end| first.get(..end)).unwrap_or_default()
}
