//! Programs of tasks beside a chosen entry: those that no file declares, connections, and other runs of the entry itself; entries that no
//! task runs in each cycle.

use std::collections::BTreeSet;

use crate::ast;
use crate::hir::{Extent, PouId, PouKind, Section, Var};
use crate::lang::br::ListedProgram;
use crate::resolve::classes::inheritance;
use crate::resolve::prepare::declaration_order;
use crate::resolve::resolver::Resolver;
use crate::text::{Diagnostic, Gap, Key, SourceSet, Span, Treatment, codes, key};

/// Programs of tasks beside a chosen entry.
#[derive(Default)]
pub(crate) struct TaskPrograms {
    /// Place of the condition that those of other tasks run between two cycles only.
    pub(crate) interrupts: Option<Span>,
    /// Programs that tasks run; empty if they are not known.
    pub(crate) run: BTreeSet<PouId>,
    /// Places of conditions about connections that give values to the entry, with the names of its inputs.
    pub(crate) inputs: Vec<(Span, Vec<String>)>,
}

impl Resolver<'_> {
    /// Notes what programs of tasks do beside a chosen entry.
    ///
    /// Soundness: a program that no file declares may write what other programs can name. A connection writes its variable when a
    /// program ends. The entry may have several instances, or run in several tasks: only one run in each cycle is modelled.
    /// `called` are the programs that others call.
    ///
    /// Returns the programs of tasks.
    pub(crate) fn note_task_programs(&mut self, units: &[ast::Unit], called: &BTreeSet<PouId>) -> TaskPrograms {
        self.note_entry_without_cycle(units, called);
        let interrupts = self.note_interrupts(units);
        let configurations = declaration_order::all(units)
            .filter_map(|item| if let ast::Item::Configuration(configuration) = item { Some(configuration) } else { None });
        let programs = configurations.flat_map(|configuration| &configuration.resources).flat_map(|resource| &resource.programs);
        let (mut own_runs, mut run, mut is_known, mut inputs) = (0, BTreeSet::new(), true, Vec::new());
        for program in programs {
            let ident = inheritance::last_name(&program.program);
            inputs.extend(self.note_connected_inputs(program));
            if program.args.iter().any(|arg| self.may_write(program, arg)) {
                let construct = format!("the connections of `{}` write nothing", program.name.text);
                let effect = "connections of programs are left out where one program is chosen; leave out `entry` to have them";
                self.findings.record_assumed(program.name.span, construct, effect);
                self.project.beside.insert(program.name.span, Extent::Nameable);
            }
            let pou = self.names.pous.get(&self.names.meant(ident)).copied();
            run.extend(pou);
            match pou {
                None if self.note_member_of_task(units, ident) => is_known = false,
                None => self.note_missing_program(ident),
                Some(pou) if self.project.task.runs.iter().any(|run| self.project.instances[*run].pou == pou) => {
                    own_runs += 1;
                    if own_runs == 2 {
                        let construct = format!("`{}` runs once in each cycle, though tasks run it several times", ident.text);
                        let effect = "runs of other tasks and instances are not modelled, and neither are their intervals";
                        self.findings.record_assumed(ident.span, construct, effect);
                        self.project.beside.insert(ident.span, Extent::All);
                    }
                }
                Some(_) => {}
            }
        }
        TaskPrograms { interrupts, run: run.into_iter().filter(|_| is_known).collect(), inputs }
    }

    /// Returns whether a connection of a program may write its variable: that of an output, or of a VAR_IN_OUT.
    fn may_write(&self, program: &ast::ProgramConfig, arg: &ast::Arg) -> bool {
        match arg {
            ast::Arg::Output { target, .. } => target.is_some(),
            ast::Arg::Input(name, _) => self.section_of_connected(program, name) != Some(Section::Input),
            ast::Arg::Positional(_) => true,
        }
    }

    /// Notes connections that give values to inputs of the entry, which have any value here. Returns their place, and the inputs.
    ///
    /// Soundness: any value is one of more, so only answers by runs depend on it.
    fn note_connected_inputs(&mut self, program: &ast::ProgramConfig) -> Option<(Span, Vec<String>)> {
        let pou = self.names.pous.get(&self.names.meant(inheritance::last_name(&program.program))).copied()?;
        let mut entries = self.project.task.runs.iter().map(|run| &self.project.instances[*run]);
        let entry = entries.find(|instance| instance.pou == pou)?.name.clone();
        let inputs = program.args.iter().filter_map(|arg| if let ast::Arg::Input(name, _) = arg { Some(name) } else { None });
        let inputs: Vec<&ast::Ident> =
            inputs.filter(|name| self.section_of_connected(program, name) == Some(Section::Input)).collect();
        let span = inputs.first()?.span;
        let construct = format!("the connections of `{}` can give the values of the run to its inputs", program.name.text);
        let effect =
            "connections are left out where one program is chosen, and its inputs have any value; leave out `entry` to have them";
        self.findings.record(Gap { span, construct, treatment: Treatment::AssumedByRuns, effect: effect.to_owned() });
        Some((span, inputs.into_iter().map(|name| format!("{entry}.{}", name.text)).collect()))
    }

    /// Returns the section of a variable of a program, by its name.
    fn section_of_connected(&self, program: &ast::ProgramConfig, name: &ast::Ident) -> Option<Section> {
        let pou = self.names.pous.get(&self.names.meant(inheritance::last_name(&program.program)))?;
        self.project.pous[*pou].vars.iter().find(|var| key(&var.name) == key(&name.text)).map(|var| var.section)
    }

    /// Notes a program of a task that is a member of a program, or stands in a library that was not uploaded; `false` for all others.
    ///
    /// Soundness: what a member writes is an input unless the run calls it, too.
    pub(super) fn note_member_of_task(&mut self, units: &[ast::Unit], ident: &ast::Ident) -> bool {
        let Some((owner, member)) = ident.text.rsplit_once('.') else { return false };
        if self.names.pous.contains_key(&self.names.meant(ident)) {
            return false;
        }
        let is = |name: &ast::Ident, other: &str| key(&name.text) == key(other);
        let has_member = |pou: &ast::Pou| {
            is(&pou.name, owner)
                && (pou.actions.iter().any(|action| is(&action.name, member))
                    || pou.methods.iter().any(|method| is(&method.name, member)))
        };
        if !declaration_order::pous(units).any(has_member) {
            let of_library = format!("`{member}` of a library");
            if units.iter().flat_map(|unit| &unit.ignored).any(|row| row.what == of_library) {
                self.note_program_of_library(ident);
            } else {
                self.note_missing_program(ident);
            }
            return true;
        }
        let construct = format!("`{}`, which a task runs by itself, writes no variables but inputs", ident.text);
        let effect = "it runs between two cycles: what only such runs write is an input";
        self.findings.record_assumed(ident.span, construct, effect);
        self.project.beside.insert(ident.span, Extent::All);
        self.project.events.insert(ident.span);
        true
    }

    /// Notes that a task beside that of the entry runs between two cycles only, or that other programs of its task run before it.
    ///
    /// Soundness: what other programs write has any value at the beginning of a cycle. A task of higher priority writes it in the middle.
    fn note_interrupts(&mut self, units: &[ast::Unit]) -> Option<Span> {
        let configurations = declaration_order::all(units)
            .filter_map(|item| if let ast::Item::Configuration(configuration) = item { Some(configuration) } else { None });
        let (mut own, mut others) = (BTreeSet::new(), Vec::new());
        for (at, resource) in configurations.flat_map(|configuration| &configuration.resources).enumerate() {
            for program in &resource.programs {
                let pou = self.names.pous.get(&self.names.meant(inheritance::last_name(&program.program)));
                let task = (at, program.task.as_ref().map(|task| key(&task.text)));
                if pou.is_some_and(|pou| self.project.task.runs.iter().any(|run| self.project.instances[*run].pou == *pou)) {
                    own.insert(task);
                } else {
                    others.push((task, program.name.span, pou.is_some()));
                }
            }
        }
        // An entry that no task runs is called by one of them.
        let n_tasks = own.iter().chain(others.iter().map(|(task, ..)| task)).collect::<BTreeSet<_>>().len();
        if let Some((_, span, _)) = others.iter().find(|(task, ..)| 1 < n_tasks && !own.contains(task)) {
            let effect = "what they write is an input of each cycle; that it changes in the middle of one is not verified";
            self.findings.record_assumed(*span, "programs of other tasks run between two cycles".to_owned(), effect);
            self.project.beside.insert(*span, Extent::Nameable);
            return Some(*span);
        }
        // A program that no file declares has a condition of its own.
        let (_, span, _) = others.iter().find(|(task, _, is_declared)| own.contains(task) && *is_declared)?;
        let effect =
            "what they write is an input of each cycle; behind the last statement of this program they may write it again";
        self.findings.record_assumed(*span, "other programs of the task run before this one".to_owned(), effect);
        self.project.beside.insert(*span, Extent::Nameable);
        Some(*span)
    }

    /// Notes an Add-On Instruction that is the entry and has no logic for rungs that are FALSE: each scan calls it on one that is TRUE.
    pub(crate) fn note_enabled_entry(&mut self) {
        let runs: Vec<PouId> = self.project.task.runs.iter().map(|run| self.project.instances[*run].pou).collect();
        for pou in runs.into_iter().map(|pou| &self.project.pous[pou]) {
            let is_enable = |var: &Var| var.section == Section::Input && var.name.eq_ignore_ascii_case("EnableIn");
            if self.project.tags_are_outputs && pou.kind == PouKind::FunctionBlock && !pou.vars.iter().any(is_enable) {
                let construct = format!("each scan calls `{}` on a rung that is TRUE", pou.name);
                let effect = "on a rung that is FALSE its logic is not executed, and its outputs keep their values";
                self.findings.record_assumed(pou.span, construct, effect);
                self.project.beside.insert(pou.span, Extent::Entry);
            }
        }
    }

    /// Notes programs that run because nothing is found that tasks could run: they name actions, methods or missing programs only.
    ///
    /// Tasks that name nothing at all have a condition of their own.
    pub(crate) fn note_programs_without_cycle(&mut self, units: &[ast::Unit], called: &BTreeSet<PouId>) {
        let configurations = declaration_order::all(units)
            .filter_map(|item| if let ast::Item::Configuration(configuration) = item { Some(configuration) } else { None });
        if configurations.flat_map(|configuration| &configuration.resources).any(|resource| !resource.programs.is_empty()) {
            self.note_entry_without_cycle(units, called);
        }
    }

    /// Notes an entry that no task runs in each cycle, though the files have tasks.
    ///
    /// Soundness: the run is cyclic, with the time of the cycle task between two cycles. A call of another program is a cycle of its own.
    fn note_entry_without_cycle(&mut self, units: &[ast::Unit], called: &BTreeSet<PouId>) {
        let configurations = declaration_order::all(units)
            .filter_map(|item| if let ast::Item::Configuration(configuration) = item { Some(configuration) } else { None });
        let resources: Vec<&ast::Resource> = configurations.flat_map(|configuration| &configuration.resources).collect();
        let Some(first) = resources.iter().find_map(|resource| resource.tasks.first()) else { return };
        let entries: Vec<PouId> = self.project.task.runs.iter().map(|run| self.project.instances[*run].pou).collect();
        for entry in entries.into_iter().filter(|pou| self.project.pous[*pou].kind == PouKind::Program && !called.contains(pou)) {
            let name = self.project.pous[entry].name.clone();
            let mut found: Option<(Span, String)> = None;
            let mut is_cyclic = false;
            for (resource, program) in resources.iter().flat_map(|resource| resource.programs.iter().map(move |p| (resource, p)))
            {
                let ident = inheritance::last_name(&program.program);
                if self.names.pous.get(&self.names.meant(ident)) != Some(&entry) {
                    continue;
                }
                let is_its =
                    |task: &&ast::TaskConfig| program.task.as_ref().is_some_and(|it| key(&it.text) == key(&task.name.text));
                match resource.tasks.iter().find(is_its) {
                    None => found = Some((program.span, format!("`{name}` runs in each cycle, though it belongs to no task"))),
                    Some(task) if has_event(task) => {
                        let construct =
                            format!("`{name}` runs in each cycle, though an event starts its task `{}`", task.name.text);
                        found = Some((task.span, construct));
                    }
                    Some(_) => is_cyclic = true,
                }
            }
            let in_none = || (first.span, format!("`{name}` runs in each cycle, though no task of the upload runs it"));
            let (span, construct) = found.unwrap_or_else(in_none);
            if !is_cyclic {
                let effect = "the time between two runs is not known, and code with timers may do other things";
                self.findings.record_assumed(span, construct, effect);
                self.project.beside.insert(span, Extent::All);
            }
        }
    }

    /// Notes what the tasks of a software configuration of Automation Studio run: a program that runs here, several times, and those
    /// that the upload lacks.
    ///
    /// Soundness: each of several tasks has variables of its own, and all share the global ones.
    pub(crate) fn note_listed_programs(&mut self, sources: &SourceSet) -> Option<Span> {
        let runs: BTreeSet<Key> =
            self.project.task.runs.iter().map(|run| key(&self.project.pous[self.project.instances[*run].pou].name)).collect();
        let mut told: BTreeSet<Key> = BTreeSet::new();
        let mut interrupts = None;
        let all = crate::lang::br::listed_programs(sources);
        self.note_unlisted_entries(sources, &all);
        for listed in all {
            let name = key(&listed.name);
            if listed.is_again && runs.contains(&name) && told.insert(name.clone()) {
                let construct = format!("`{}` runs once in each cycle, though tasks run it several times", listed.name);
                let effect = "runs of other tasks and instances are not modelled, and neither are their intervals";
                self.findings.record_assumed(listed.span, construct, effect);
                self.project.beside.insert(listed.span, Extent::All);
            }
            let is_given = listed.has_files || self.names.pous.contains_key(&name);
            if is_given && interrupts.is_none() && !runs.contains(&name) {
                let effect = "what they write is an input of each cycle; that it changes in the middle of one is not verified";
                self.findings.record_assumed(listed.span, "programs of other tasks run between two cycles".to_owned(), effect);
                self.project.beside.insert(listed.span, Extent::Nameable);
                interrupts = Some(listed.span);
            }
            if !is_given && told.insert(name) {
                self.note_missing_program(&ast::Ident { text: listed.name, span: listed.span });
            }
        }
        interrupts
    }

    /// Notes programs that run here, and that no task of Automation Studio names.
    fn note_unlisted_entries(&mut self, sources: &SourceSet, listed: &[ListedProgram]) {
        let Some(span) = crate::lang::br::first_task_list(sources) else { return };
        let entries: Vec<PouId> = self.project.task.runs.iter().map(|run| self.project.instances[*run].pou).collect();
        for pou in entries.into_iter().map(|pou| &self.project.pous[pou]).filter(|pou| pou.kind == PouKind::Program) {
            if listed.iter().all(|it| key(&it.name) != key(&pou.name)) {
                let construct = format!("`{}` runs in each cycle, though no task class names it", pou.name);
                let effect = "the time between two runs is not known, and code with timers may do other things";
                self.findings.record_assumed(span, construct, effect);
                self.project.beside.insert(span, Extent::All);
            }
        }
    }

    fn note_program_of_library(&mut self, ident: &ast::Ident) {
        let construct =
            format!("`{}`, a program of a library that a task runs, writes no global variable and none of a program", ident.text);
        let effect = "the programs of libraries do not run here, and what it writes can break what holds here";
        self.findings.record_assumed(ident.span, construct, effect);
        self.project.beside.insert(ident.span, Extent::Nameable);
    }

    pub(super) fn note_missing_program(&mut self, ident: &ast::Ident) {
        self.findings.report(Diagnostic { code: codes::MISSING_PROGRAM, ..missing_program(ident).warning() });
        let construct =
            format!("`{}`, which a task runs and no file declares, writes no global variable and none of a program", ident.text);
        let effect = "what it writes can break what holds here; upload the file that declares it";
        self.findings.record_assumed(ident.span, construct, effect);
        self.project.beside.insert(ident.span, Extent::Nameable);
    }
}

/// Returns whether an event starts the task.
fn has_event(task: &ast::TaskConfig) -> bool {
    task.settings.iter().any(|setting| setting.name.text.eq_ignore_ascii_case("SINGLE"))
}

/// Returns the finding about a program of a task that no file declares.
pub(super) fn missing_program(ident: &ast::Ident) -> Diagnostic {
    let message = format!("there is no PROGRAM `{}`", ident.text);
    Diagnostic::error(codes::UNKNOWN_TYPE, ident.span, message, "not declared in any file")
        .help("upload the file that declares it")
}
