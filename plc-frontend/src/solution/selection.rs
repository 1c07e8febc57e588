//! Files of a resolution: those of the chosen project, and those of its libraries without their programs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::choice::Choice;
use super::libraries::limit_libraries;
use super::library_settings::Settings;
use super::missing_libraries::{MissingLibraries, unqualify};
use super::references::{Reference, of_export};
use super::{Project, Solution};
use crate::ast::Unit;
use crate::environment::{Home, Mentions};
use crate::lang;
use crate::resolve::{Spaces, application_names};
use crate::text::{Diagnostic, FileId, Key, Origin, SourceSet, Span, codes};

/// Part of each file in a resolution.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    /// No system lists the files.
    is_loose: bool,
    /// Files that are not read, with the reason.
    omitted: BTreeMap<FileId, String>,
    /// The project and its libraries.
    spaces: Arc<Spaces>,
    /// Files of other programs of the same controller.
    elsewhere: BTreeSet<FileId>,
    /// Files of the chosen project.
    own: BTreeSet<FileId>,
    /// Operator panels of the controller.
    panels: Vec<FileId>,
    /// Mistakes in the choice, and files that are missing.
    findings: Vec<Diagnostic>,
    /// Libraries that files reference and the upload lacks.
    missing: MissingLibraries,
    /// Files that decide how the chosen project is read; `None`: none is chosen.
    needed: Option<BTreeSet<FileId>>,
    /// Versions and parameters of libraries that references state.
    settings: Settings,
    /// The name that no project has; an application in a file may have it.
    unknown: Option<(String, Diagnostic)>,
}

/// Selects the files of the project of this name, or of the only one that can be meant.
pub(crate) fn select(sources: &SourceSet, project: Option<&str>) -> Selection {
    let solution = Solution::of(sources);
    let spaces = Arc::new(Spaces { references: solution.references(), ..Spaces::default() });
    let mut selection = Selection { spaces, missing: missing(sources, &solution), ..Selection::default() };
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
    let of_exports: BTreeSet<Key> = selection.missing.rows.iter().flatten().cloned().collect();
    if !of_exports.is_subset(&selection.spaces.references) {
        Arc::make_mut(&mut selection.spaces).references.extend(of_exports);
    }
    let panels = sources.files.iter_enumerated().filter(|(_, file)| lang::is_panel(&file.name));
    let is_beside = |id: FileId| match solution.choose(project) {
        Choice::One(chosen) => solution.is_beside(sources, chosen, id),
        Choice::All | Choice::Several(_) | Choice::Unknown => true,
    };
    selection.panels = panels.map(|(id, _)| id).filter(|id| is_beside(*id)).collect();
    let excluded = lang::excluded(sources);
    // Stubs are given beside a project, and no list names them.
    for (file, why) in excluded.files.into_iter().filter(|(file, _)| !is_stub(sources, *file)) {
        selection.omitted.entry(file).or_insert(why);
    }
    let why = "the `.fun` of its library declares what it holds".to_owned();
    selection.omitted.extend(lang::br::library_binaries(sources).into_iter().map(|id| (id, why.clone())));
    let why = "it is generated from `plc.xml`".to_owned();
    selection.omitted.extend(solution.generated().iter().map(|id| (*id, why.clone())));
    let mappings = sources.files.iter_enumerated().filter(|(_, file)| lang::br::is_mapping(&file.name)).map(|(id, _)| id);
    let why = "its variables have any value at the beginning of a cycle, except for outputs";
    selection.omitted.extend(mappings.map(|id| (id, why.to_owned())));
    let is_needed = |file: &FileId| selection.needed.as_ref().is_none_or(|needed| needed.contains(file));
    let is_read = |finding: &Diagnostic| {
        let file = finding.span().file;
        !selection.omitted.contains_key(&file) && is_needed(&file)
    };
    let missing: Vec<Diagnostic> = excluded.findings.into_iter().filter(is_read).collect();
    selection.findings.extend(missing);
    selection
}

impl Selection {
    fn choose(&mut self, sources: &SourceSet, solution: &Solution, chosen: usize) {
        let Some(project) = solution.projects().get(chosen) else { return };
        self.is_loose = !project.is_listed;
        self.spaces = Arc::new(solution.spaces(chosen));
        self.needed = Some(solution.needed_files(chosen));
        self.settings = solution.settings(sources, chosen);
        if solution.projects().len() < 2 {
            return;
        }
        self.elsewhere = solution.files_beside(chosen);
        self.own.clone_from(&project.files);
        if project.controller.is_some() {
            // Headers hold no text in a language of controllers; what they name counts where code includes them.
            let headers = sources.files.iter_enumerated().filter(|(_, file)| lang::br::is_header(&file.name));
            self.omitted.extend(headers.map(|(id, _)| (id, "only code in C includes it".to_owned())));
        }
        let why = format!("it is no part of the project `{}`, which runs", solution.label(chosen));
        // Another program runs its own copy of a file that both compile.
        for (id, is_own) in lang::br::compiled_beside(sources, &lang::normal_folder(&project.folder)) {
            self.elsewhere.insert(id);
            if !is_own && !project.files.contains(&id) {
                self.omitted.insert(id, why.clone());
            }
        }
        for other in solution.projects() {
            // Stubs in the folder of another project are its own.
            let is_shared = |id: FileId| !other.is_listed && is_stub(sources, id);
            for id in &other.files {
                let is_own = project.files.contains(id) || self.spaces.is_library(*id) || is_shared(*id);
                if !is_own && is_of_user(sources, *id) {
                    self.omitted.insert(*id, why.clone());
                }
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

    /// Returns whether no system lists the files.
    pub(crate) fn is_loose(&self) -> bool {
        self.is_loose
    }

    /// Returns the project and its libraries.
    pub(crate) fn spaces(&self) -> Arc<Spaces> {
        Arc::clone(&self.spaces)
    }

    /// Returns the syntax trees of all files, and the findings of the parsers.
    pub(crate) fn units(&self, sources: &SourceSet) -> (Vec<Unit>, Vec<Diagnostic>) {
        let mut findings = self.findings.clone();
        let mut units = Vec::new();
        for (id, file) in sources.files.iter_enumerated() {
            let parsed = match self.omitted.get(&id) {
                Some(why) => lang::without_meaning(id, lang::NOT_COMPILED, why),
                None => lang::parse(id, file),
            };
            units.push(parsed.value);
            findings.extend(parsed.diagnostics);
        }
        if !self.spaces.of_file.is_empty() {
            // Variables of a program are its own.
            lang::br::assemble_programs(&mut units, sources, &mut findings);
            limit_libraries(&mut units, &self.spaces);
        }
        super::compiler_defines::refuse(sources, &mut findings);
        lang::note_task_times(&mut units, sources);
        self.settings.apply(&mut units);
        unqualify(sources, &mut units, &self.missing, &self.spaces);
        if let Some((name, unknown)) = &self.unknown
            && units.iter().all(|unit| application_names::named(unit, name).is_empty())
        {
            let names: Vec<String> = units.iter().flat_map(application_names::labels).map(|name| format!("`{name}`")).collect();
            let finding = unknown.clone();
            findings.push(if names.len() < 2 { finding } else { finding.help(format!("choose one of {}", names.join(", "))) });
        }
        (units, findings)
    }

    /// Returns the names in the programs of the same controller that are not read: they may write variables that they share.
    pub(crate) fn mentions(&self, sources: &SourceSet) -> Mentions {
        let mut mentions = Mentions::default();
        for (id, file) in self.elsewhere.iter().filter_map(|id| Some((*id, sources.files.get(*id)?))) {
            mentions.add_program(id, &lang::br::others_writes(sources, file));
        }
        self.add_included(sources, &mut mentions);
        self.panels.iter().for_each(|panel| mentions.add_panel(*panel));
        for file in sources.files.iter().filter(|file| lang::br::is_mapping(&file.name)) {
            mentions.add(&lang::br::mapped(file), Home::Unknown);
        }
        mentions
    }
}

impl Selection {
    /// Adds the files that code in C of the controller includes.
    ///
    /// Soundness: C includes a file whatever a list names.
    fn add_included(&self, sources: &SourceSet, mentions: &mut Mentions) {
        let runs = |id: FileId| self.elsewhere.contains(&id) || !self.is_omitted(id);
        let users = sources.files.iter_enumerated().filter(|(_, file)| file.origin == Origin::User);
        let in_c = users.filter(|(id, file)| lang::br::is_in_c(&file.name) && runs(*id));
        let lang::br::Included { files, missing } = lang::br::included(sources, in_c.map(|(id, _)| id));
        for (id, file) in files.iter().filter_map(|id| Some((*id, sources.files.get(*id)?))) {
            // Code of the project itself may include its own headers.
            if self.own.contains(&id) && self.is_omitted(id) {
                mentions.add_program(id, &file.text);
            } else if !self.elsewhere.contains(&id) && self.is_omitted(id) {
                mentions.add_program(id, &lang::br::others_writes(sources, file));
            }
        }
        missing.into_iter().for_each(|(name, place)| mentions.add_not_included(place, name));
    }
}

/// Returns the libraries that projects and exports reference and the upload lacks.
fn missing(sources: &SourceSet, solution: &Solution) -> MissingLibraries {
    let present = solution.projects().iter().flat_map(Project::names).cloned().collect();
    let mut missing = MissingLibraries { present, ..MissingLibraries::default() };
    for project in solution.projects() {
        let mut names = solution.missing_libraries(project);
        let exports = project.files.iter().filter_map(|id| Some((*id, sources.files.get(*id)?)));
        let listed: Vec<Reference> = exports.flat_map(|(id, file)| of_export(id, &file.text)).collect();
        names.extend(listed.into_iter().flat_map(|reference| reference.names));
        missing.of_file.extend(project.files.iter().map(|id| (*id, missing.rows.len())));
        missing.rows.push(names);
    }
    missing
}

/// Returns whether a text is one of those that `import --stubs` writes, corrected: a declaration for each project of an upload.
pub fn is_stub_file(text: &str) -> bool {
    let begins = |line: &str, word: &str| line.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word));
    let is_of_program = |line: &str| ["PROGRAM ", "CONFIGURATION "].iter().any(|word| begins(line.trim_start(), word));
    text.trim_start_matches('\u{feff}').trim_start().starts_with("{attribute 'stub'}") && !text.lines().any(is_of_program)
}

fn is_stub(sources: &SourceSet, id: FileId) -> bool {
    sources.files.get(id).is_some_and(|file| is_stub_file(&file.text))
}

fn is_of_user(sources: &SourceSet, id: FileId) -> bool {
    sources.files.get(id).is_some_and(|file| file.origin == Origin::User)
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
