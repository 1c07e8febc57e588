//! A project of a solution read without the other projects: the files that it needs, and its name among them.

use std::collections::{BTreeMap, BTreeSet};

use super::{Choice, Solution};
use crate::lang;
use crate::text::{FileId, Origin, SourceSet};

/// Files and name with which a project is read alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The project's files, those of its libraries and of its controller, and the lists of these projects.
    pub files: BTreeSet<FileId>,
    /// Name that chooses the project among the files; `None`: it is chosen without a name.
    pub name: Option<String>,
}

impl Solution {
    /// Returns the fewest files with which a project is read as in the whole upload. `None`: no name chooses it.
    ///
    /// Soundness: a reader chooses among the files again. So the choice is made here on the same files, and compared.
    /// Cost: finds the projects of the needed files, and of all files if those choose another project.
    pub fn reading(&self, sources: &SourceSet, project: usize) -> Option<Reading> {
        let users = sources.files.iter_enumerated().filter(|(_, file)| file.origin == Origin::User);
        let all: BTreeSet<FileId> = users.map(|(id, _)| id).collect();
        let label = Some(self.label(project)).filter(|label| !label.is_empty());
        let mut needed = self.needed_files(project);
        // C includes files of any folder.
        let in_c = needed.iter().copied().filter(|id| sources.files.get(*id).is_some_and(|file| lang::br::is_in_c(&file.name)));
        needed.extend(lang::br::included(sources, in_c.collect::<Vec<_>>().into_iter()).files);
        let mut readings = vec![(needed.clone(), None), (all.clone(), None)];
        if label.is_some() {
            readings.extend([(needed, label.clone()), (all, label)]);
        }
        if 1 < self.projects.len() {
            // A name says what is meant.
            readings.sort_by_key(|(_, name)| name.is_none());
        }
        let mut readings = readings.into_iter().map(|(files, name)| Reading { files, name });
        readings.find(|reading| self.reads(sources, project, reading))
    }

    /// Returns whether a reader of these files chooses this project, with the same libraries and neighbours.
    fn reads(&self, sources: &SourceSet, project: usize, reading: &Reading) -> bool {
        let (mut set, mut numbers) = (SourceSet::default(), BTreeMap::new());
        for (id, file) in reading.files.iter().filter_map(|id| Some((*id, sources.files.get(*id)?))) {
            numbers.insert(set.add(file.name.clone(), file.text.clone()), id);
        }
        let solution = Solution::of(&set);
        let Choice::One(chosen) = solution.choose(reading.name.as_deref()) else { return false };
        let of_whole =
            |files: BTreeSet<FileId>| files.iter().filter_map(|id| numbers.get(id).copied()).collect::<BTreeSet<FileId>>();
        let own = solution.projects.get(chosen).map(|chosen| chosen.files.clone()).unwrap_or_default();
        self.projects.get(project).is_some_and(|project| project.files == of_whole(own))
            && self.library_files(project) == of_whole(solution.library_files(chosen))
            && self.files_beside(project) == of_whole(solution.files_beside(chosen))
    }
}
