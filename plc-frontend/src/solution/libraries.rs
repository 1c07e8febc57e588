//! Libraries of the project that runs: their names, and their programs, which do not run.

use std::collections::{BTreeMap, BTreeSet};

use super::{Project, Solution};
use crate::ast::{Item, PouKind, Unit};
use crate::library;
use crate::resolve::{Space, Spaces, configured_globals};
use crate::text::{Key, Span, key};

/// Takes the tasks of libraries, and notes that their programs do not run.
pub(super) fn limit_libraries(units: &mut [Unit], spaces: &Spaces) {
    for unit in units.iter_mut().filter(|unit| spaces.is_library(unit.file)) {
        let mut ignored = Vec::new();
        unit.items = limited(std::mem::take(&mut unit.items), &mut ignored);
        for (span, name) in ignored {
            unit.ignore(span, format!("`{name}` of a library"), "the programs of libraries do not run");
        }
    }
}

/// Returns the declarations of a library, with the global variables of its configurations.
fn limited(items: Vec<Item>, ignored: &mut Vec<(Span, String)>) -> Vec<Item> {
    let mut kept = Vec::new();
    for mut item in items {
        match &mut item {
            Item::Configuration(configuration) => {
                ignored.push((configuration.span, configuration.title().to_owned()));
                kept.extend(configured_globals(configuration).cloned().map(Item::Globals));
                continue;
            }
            Item::Namespace(space) => space.items = limited(std::mem::take(&mut space.items), ignored),
            Item::Pou(pou) if pou.kind == PouKind::Program => ignored.push((pou.span, pou.name.text.clone())),
            Item::Pou(_) | Item::Type(_) | Item::Interface(_) | Item::Globals(_) | Item::Using(_) | Item::Unsupported(..) => {}
        }
        kept.push(item);
    }
    kept
}

impl Solution {
    /// Returns the names of a project and of the libraries that it sees.
    pub(super) fn spaces(&self, chosen: usize) -> Spaces {
        let mut order = vec![chosen];
        let mut at = 0;
        while let Some(project) = order.get(at).and_then(|at| self.projects.get(*at)) {
            let new: Vec<usize> = project.libraries.iter().copied().filter(|library| !order.contains(library)).collect();
            order.extend(new);
            at += 1;
        }
        let position: BTreeMap<usize, usize> = order.iter().enumerate().map(|(row, project)| (*project, row)).collect();
        let mut spaces = Spaces::default();
        let mut taken: BTreeSet<Key> = BTreeSet::new();
        for (row, project) in order.iter().filter_map(|at| Some((*at, self.projects.get(*at)?))) {
            let own = position.get(&row).copied().unwrap_or_default();
            let libraries: BTreeSet<usize> = project.libraries.iter().filter_map(|at| position.get(at).copied()).collect();
            let all = self.all_libraries(row).into_iter().filter_map(|at| position.get(&at).copied());
            let further = all.filter(|at| *at != own && !libraries.contains(at)).collect();
            let mut name = project.namespace();
            while !taken.insert(key(&name)) {
                name.push('_');
            }
            let references = || project.references.iter().flat_map(|reference| &reference.names);
            let has_standard = references().any(|name| library::is_standard_library(name));
            spaces.references.extend(references().cloned());
            if own != 0 {
                spaces.of_file.extend(project.files.iter().map(|id| (*id, own)));
            }
            let qualifiers = self.qualifiers(row, &position);
            spaces.rows.push(Space { name, libraries, further, qualifiers, has_standard, ..Space::default() });
        }
        if let Some(project) = self.projects.get(chosen) {
            spaces.of_file.retain(|id, _| !project.files.contains(id));
        }
        spaces
    }

    /// Returns the names of all libraries that projects reference.
    pub(super) fn references(&self) -> BTreeSet<Key> {
        self.projects
            .iter()
            .flat_map(|project| &project.references)
            .flat_map(|reference| reference.names.iter().cloned())
            .collect()
    }

    /// Returns the names in front of declarations of libraries, and of its own, in the code of a project of TwinCAT.
    fn qualifiers(&self, at: usize, position: &BTreeMap<usize, usize>) -> BTreeMap<Key, BTreeSet<usize>> {
        let mut qualifiers: BTreeMap<Key, BTreeSet<usize>> = BTreeMap::new();
        let Some(project) = self.projects.get(at).filter(|project| project.has_namespace) else { return qualifiers };
        let mut add = |name: &Key, library: usize| {
            if let Some(row) = position.get(&library) {
                qualifiers.entry(name.clone()).or_default().insert(*row);
            }
        };
        project.known_as.iter().for_each(|name| add(name, at));
        for library in &project.libraries {
            let Some(other) = self.projects.get(*library).filter(|other| other.has_namespace) else { continue };
            other.known_as.iter().for_each(|name| add(name, *library));
            let references = project.references.iter().filter(|reference| reference.is_one_of(&other.known_as));
            references.flat_map(|reference| &reference.names).for_each(|name| add(name, *library));
        }
        qualifiers
    }
}

impl Project {
    /// Returns the names under which other projects reference it.
    pub(super) fn names(&self) -> &[Key] {
        &self.known_as
    }

    /// Returns the name in front of its declarations where a name alone has several meanings.
    fn namespace(&self) -> String {
        let name = if self.namespace.is_empty() { &self.name } else { &self.namespace };
        let name: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
        if name.is_empty() { "project".to_owned() } else { name }
    }
}
