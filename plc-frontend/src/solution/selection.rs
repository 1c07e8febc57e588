//! Files of a resolution: those of the chosen project, and those of its libraries without their programs.

use std::collections::{BTreeMap, BTreeSet};

use super::Solution;
use super::choice::Choice;
use crate::ast::{Item, PouKind, Unit};
use crate::lang;
use crate::resolve::{application, key, shared_names};
use crate::text::{Diagnostic, FileId, Key, Origin, SourceSet, Span, codes};

/// Part of each file in a resolution.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    /// Files that are not read, with the reason.
    omitted: BTreeMap<FileId, String>,
    /// Files of libraries.
    libraries: BTreeSet<FileId>,
    /// Mistakes in the choice, and files that are missing.
    findings: Vec<Diagnostic>,
    /// The name that no project has; an application in a file may have it.
    unknown: Option<(String, Diagnostic)>,
}

/// Selects the files of the project of this name, or of the only one that can be meant.
pub(crate) fn select(sources: &SourceSet, project: Option<&str>) -> Selection {
    let solution = Solution::of(sources);
    let mut selection = Selection::default();
    match solution.choose(project) {
        Choice::One(chosen) => selection.choose(sources, &solution, chosen),
        Choice::All => {}
        Choice::Several(those) => selection.refuse(sources, several(&solution, &those)),
        Choice::Unknown => {
            let name = project.unwrap_or_default();
            let unknown = unknown(&solution, name);
            match solution.choose(None) {
                Choice::One(chosen) => selection.choose(sources, &solution, chosen),
                Choice::All | Choice::Several(_) | Choice::Unknown => {}
            }
            selection.unknown = Some((name.to_owned(), unknown));
        }
    }
    let excluded = lang::excluded(sources);
    for (file, why) in excluded.files {
        selection.omitted.entry(file).or_insert(why);
    }
    let is_read = |finding: &Diagnostic| !selection.omitted.contains_key(&finding.span().file);
    let missing: Vec<Diagnostic> = excluded.findings.into_iter().filter(is_read).collect();
    selection.findings.extend(missing);
    selection
}

impl Selection {
    fn choose(&mut self, sources: &SourceSet, solution: &Solution, chosen: usize) {
        let Some(project) = solution.projects().get(chosen) else { return };
        self.libraries = solution.library_files(chosen).difference(&project.files).copied().collect();
        if solution.projects().len() < 2 {
            return;
        }
        let why = format!("it is no part of the project `{}`, which runs", solution.label(chosen));
        for id in solution.projects().iter().flat_map(|other| &other.files) {
            if !project.files.contains(id) && !self.libraries.contains(id) && is_of_user(sources, *id) {
                self.omitted.insert(*id, why.clone());
            }
        }
    }

    /// Reads no file.
    fn refuse(&mut self, sources: &SourceSet, finding: Diagnostic) {
        let users = sources.files.ids().filter(|id| is_of_user(sources, *id));
        self.omitted = users.map(|id| (id, "no project is chosen".to_owned())).collect();
        self.findings.push(finding);
    }

    /// Returns whether a file is not read.
    pub(crate) fn is_omitted(&self, id: FileId) -> bool {
        self.omitted.contains_key(&id)
    }

    /// Returns the syntax trees of all files, and the findings of the parsers.
    ///
    /// Soundness: what a library runs is not modelled, so its programs and tasks are no names here, and each use of them is an error.
    pub(crate) fn units(&self, sources: &SourceSet) -> (Vec<Unit>, Vec<Diagnostic>) {
        let mut findings = self.findings.clone();
        let mut units = Vec::new();
        for (id, file) in sources.files.iter_enumerated() {
            let parsed = match self.omitted.get(&id) {
                Some(why) => lang::without_meaning(id, "file that is not compiled", why),
                None => lang::parse(id, file),
            };
            units.push(parsed.value);
            findings.extend(parsed.diagnostics);
        }
        self.limit_libraries(sources, &mut units);
        findings.extend(
            self.unknown.iter().filter(|(name, _)| !units.iter().any(|unit| has_application(unit, name))).map(|(_, f)| f.clone()),
        );
        (units, findings)
    }

    /// Leaves programs and tasks out of the libraries, and declarations that name something that the project declares itself.
    ///
    /// Soundness: a library means its own declaration of such a name, which is another one. So its users are left out, too: each
    /// use of them is an error.
    fn limit_libraries(&self, sources: &SourceSet, units: &mut [Unit]) {
        if self.libraries.is_empty() {
            return;
        }
        let own = units.iter().filter(|unit| !self.libraries.contains(&unit.file)).flat_map(|unit| &unit.items);
        let own: BTreeSet<Key> = own.filter(|item| !is_open(item)).flat_map(shared_names).collect();
        for unit in units.iter_mut().filter(|unit| self.libraries.contains(&unit.file)) {
            let mut items = std::mem::take(&mut unit.items);
            let mut left_out = Vec::new();
            remove_programs(&mut items, &mut left_out);
            items.retain(|item| {
                let is_other = !matches!(item, Item::Using(_)) && !own.is_empty() && mentions(sources.text(item.span()), &own);
                if is_other {
                    let why = "it names something that the project declares itself";
                    left_out.push((item.span(), name_of(item), why));
                }
                !is_other
            });
            unit.items = items;
            for (span, name, why) in left_out {
                unit.ignore(span, format!("`{name}` of a library"), why);
            }
        }
    }
}

/// Removes programs and tasks, also from namespaces.
fn remove_programs(items: &mut Vec<Item>, removed: &mut Vec<(Span, String, &'static str)>) {
    items.retain(|item| {
        let is_program =
            if let Item::Pou(pou) = item { pou.kind == PouKind::Program } else { matches!(item, Item::Configuration(_)) };
        if is_program {
            removed.push((item.span(), name_of(item), "the programs of libraries do not run"));
        }
        !is_program
    });
    for item in items {
        if let Item::Namespace(space) = item {
            remove_programs(&mut space.items, removed);
        }
    }
}

fn name_of(item: &Item) -> String {
    item.name().map(|name| name.text.clone()).unwrap_or_default()
}

/// Returns whether a text has one of these names as a word. Words of comments count.
fn mentions(text: &str, names: &BTreeSet<Key>) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| !word.is_empty() && names.contains(&key(word)))
}

/// Returns whether several files may declare an item together.
fn is_open(item: &Item) -> bool {
    matches!(item, Item::Namespace(_) | Item::Using(_) | Item::Unsupported(..))
}

fn is_of_user(sources: &SourceSet, id: FileId) -> bool {
    sources.files.get(id).is_some_and(|file| file.origin == Origin::User)
}

/// Returns whether a file holds an application of this name.
fn has_application(unit: &Unit, name: &str) -> bool {
    application(unit, name).is_some()
}

fn listed(solution: &Solution, projects: impl Iterator<Item = usize>) -> String {
    projects.map(|at| format!("`{}`", solution.label(at))).collect::<Vec<_>>().join(", ")
}

/// Advice for the choice of a project.
const ADVICE: &str = "choose one with `--project NAME`, or with `project: NAME` among the requirements";

fn several(solution: &Solution, those: &[usize]) -> Diagnostic {
    let message =
        format!("these files hold {} projects, and one of them runs: {}", those.len(), listed(solution, those.iter().copied()));
    let tests = (0..solution.projects().len()).filter(|at| solution.projects()[*at].is_test && !those.contains(at));
    let tests = listed(solution, tests);
    let advice = if tests.is_empty() { ADVICE.to_owned() } else { format!("{ADVICE}; there are tests, too: {tests}") };
    Diagnostic::error(codes::SEVERAL_PROJECTS, Span::new(FileId(0), 0, 0), message, "the first file starts here").help(advice)
}

fn unknown(solution: &Solution, name: &str) -> Diagnostic {
    let names = listed(solution, (0..solution.projects().len()).filter(|at| !solution.label(*at).is_empty()));
    let message = format!("there is no project `{name}` here");
    let advice = if names.is_empty() {
        "leave the name out: all files are one project".to_owned()
    } else {
        format!("choose one of {names}")
    };
    Diagnostic::error(codes::UNKNOWN_PROJECT, Span::new(FileId(0), 0, 0), message, "the first file starts here").help(advice)
}
