//! Configurations: program instances, and the tasks that run them.
//!
//! All tasks share one clock, the longest tick that all their intervals are multiples of; a task whose interval is n ticks runs
//! in every n-th cycle, from the first on. In one cycle the tasks run one after the other, by priority, then in declared order;
//! no task interrupts another. Unless every program runs in every cycle, a hidden program calls the others.

use crate::ast::{self, Arg};
use crate::hir::{
    BinOp, Elem, Expr, Extent, InstanceId, Place, Pou, PouId, PouKind, ProgramInstance, Project, Root, Section, SlowTask, Stmt,
    StmtKind, UnOp, Var, VarId,
};
use crate::ids::IndexVec;
use crate::resolve::classes::inheritance;
use crate::resolve::findings::{Bad, Findings, Res, unsupported};
use crate::resolve::names::tables::{Names, key};
use crate::resolve::prepare::declaration_order;
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Uses, Want};
use crate::resolve::startup::intervals::{Tick, common, fraction, whole_ms};
use crate::resolve::startup::task_programs::missing_program;
use crate::resolve::types::elementary;
use crate::text::{Diagnostic, Span, codes};
use std::collections::BTreeSet;

/// Scope of code in a configuration: it sees global variables and program instances.
const SCOPE: Scope = Scope { owner: None, uses: Uses::Code };

/// A task as far as it is understood.
pub(super) struct Task<'a> {
    pub(super) name: &'a str,
    /// In nanoseconds; `None` for a task without one.
    pub(super) interval: Option<i128>,
    priority: i128,
    /// Its declaration states the priority.
    is_ranked: bool,
    single: Option<&'a ast::Expr>,
    programs: Vec<(InstanceId, &'a ast::ProgramConfig)>,
    /// Interval as it is written and its place, where the one here is another.
    pub(super) rounded: Option<(i128, Span)>,
    span: Span,
}

impl<'a> Task<'a> {
    pub(super) fn new(name: &'a str, span: Span) -> Task<'a> {
        Task { name, interval: None, priority: 0, is_ranked: false, single: None, programs: Vec::new(), rounded: None, span }
    }
}

impl Resolver<'_> {
    /// Makes the program instances of all configurations; `None` if there are none.
    pub(crate) fn configured(&mut self, units: &[ast::Unit]) -> Option<Tick> {
        let mut tasks: Vec<Task<'_>> = Vec::new();
        // Tasks of one controller that stand in a file each.
        let mut of_files: Vec<Task<'_>> = Vec::new();
        let mut n_resources = 0;
        let mut named = None;
        for item in declaration_order::all(units) {
            let ast::Item::Configuration(configuration) = item else { continue };
            let is_idle = |resource: &ast::Resource| resource.is_of_one_task && resource.programs.is_empty();
            named = named.or(configuration.name.as_ref().filter(|_| !configuration.resources.iter().any(is_idle)));
            for resource in configuration.resources.iter().filter(|r| !r.programs.is_empty()) {
                n_resources += usize::from(!resource.is_of_one_task || of_files.is_empty());
                self.resource(units, resource, if resource.is_of_one_task { &mut of_files } else { &mut tasks });
            }
        }
        of_files.retain(|task| !task.programs.is_empty());
        of_files.sort_by_key(|task| task.priority);
        let ranks: BTreeSet<i128> = of_files.iter().filter(|task| task.is_ranked).map(|task| task.priority).collect();
        let has_order = ranks.len() == of_files.len();
        tasks.append(&mut of_files);
        tasks.retain(|task| !task.programs.is_empty());
        let name = named.filter(|_| !tasks.is_empty())?;
        let extent = if tasks.len() == 1 { Extent::Time } else { Extent::All };
        tasks.iter().for_each(|task| self.note_rounded(task, &extent));
        if n_resources > 1 {
            let effect = "their programs run one behind the other in one cycle; that they run at the same time is not verified";
            self.findings.record_assumed(name.span, "several RESOURCEs", effect);
        }
        if tasks.len() > 1 {
            let effect = "in a cycle they run one behind the other, by priority; that one interrupts another is not verified";
            self.findings.record_assumed(name.span, "several TASKs", effect);
        }
        if !has_order && 1 < tasks.len() {
            let effect = "those without one run first, and equal ones in the order of their files; no file tells the order";
            self.findings.record_assumed(name.span, "order of TASKs without a priority of their own", effect);
        }
        self.note_idle_programs(units);
        let tick = tasks.iter().filter_map(|task| task.interval).reduce(common);
        let n_runs = tasks.iter().flat_map(|task| &task.programs).count();
        let n_instances = tasks.iter().flat_map(|task| &task.programs).map(|program| program.0).collect::<BTreeSet<_>>().len();
        let plain = n_runs == n_instances
            && tasks.iter().all(|task| {
                task.single.is_none()
                    && task.interval.is_none_or(|i| Some(i) == tick)
                    && task.programs.iter().all(|p| p.1.args.is_empty())
            });
        if plain {
            self.project.task.runs = tasks.iter().flat_map(|task| &task.programs).map(|p| p.0).collect();
        } else {
            self.scheduler(name, &tasks, tick);
        }
        Some(Tick(tick))
    }

    /// Adds the tasks of a resource behind those of earlier ones, in the order in which they run.
    fn resource<'u>(&mut self, units: &[ast::Unit], resource: &'u ast::Resource, all: &mut Vec<Task<'u>>) {
        let mut tasks: Vec<Task<'u>> = resource.tasks.iter().map(|task| self.task(task)).collect();
        self.findings.repeated_tasks(&resource.tasks);
        let last = Task { priority: i128::MAX, ..Task::new("", resource.span) };
        tasks.push(last);
        let n_tasks = tasks.len();
        for program in &resource.programs {
            if self.note_member_of_task(units, inheritance::last_name(&program.program)) {
                continue;
            }
            if self.is_missing_beside_others(resource, program) {
                self.note_missing_program(inheritance::last_name(&program.program));
                continue;
            }
            let Some(instance) = self.names.program_instance(&mut self.project, &mut self.findings, program) else { continue };
            let at = match &program.task {
                None => n_tasks - 1,
                Some(name) => match resource.tasks.iter().position(|task| key(&task.name.text) == key(&name.text)) {
                    Some(at) => at,
                    None => {
                        let message = format!("there is no TASK `{}` in this resource", name.text);
                        self.findings.error(codes::BAD_TASK, name.span, message, "not declared");
                        continue;
                    }
                },
            };
            if let Some(task) = tasks.get_mut(at) {
                task.programs.push((instance, program));
            }
        }
        tasks.sort_by_key(|task| task.priority);
        all.append(&mut tasks);
    }

    /// Returns whether no file declares a program of a resource, while others of it run. One with connections is an error: these write.
    fn is_missing_beside_others(&self, resource: &ast::Resource, program: &ast::ProgramConfig) -> bool {
        let is_declared = |program: &ast::ProgramConfig| {
            self.names.pous.contains_key(&self.names.meant(inheritance::last_name(&program.program)))
        };
        !is_declared(program) && program.args.is_empty() && resource.programs.iter().any(is_declared)
    }

    pub(super) fn task<'u>(&mut self, task: &'u ast::TaskConfig) -> Task<'u> {
        let mut read = Task::new(&task.name.text, task.span);
        for setting in &task.settings {
            let name = setting.name.text.to_uppercase();
            match name.as_str() {
                "INTERVAL" => {
                    if let Some(ns) = fraction(&setting.value) {
                        read.interval = Some(whole_ms(ns));
                        read.rounded = Some((ns, setting.value.span));
                        continue;
                    }
                    let ns = match self.constant_int(None, &setting.value, Want::Ty(elementary::TIME)) {
                        Ok(ms) => ms.saturating_mul(1_000_000),
                        Err(_) => continue,
                    };
                    read.interval = (0 < ns).then_some(ns);
                }
                "PRIORITY" => {
                    read.priority = self.constant_int(None, &setting.value, Want::Any).unwrap_or(0);
                    read.is_ranked = true;
                }
                "SINGLE" => read.single = Some(&setting.value),
                _ => {
                    let message = format!("a task has no setting `{}`", setting.name.text);
                    let help = Some("its settings are INTERVAL, PRIORITY and SINGLE".to_owned());
                    self.findings.error_with_help(codes::BAD_TASK, setting.name.span, message, "not a setting", help);
                }
            }
        }
        if read.single.is_some() && read.interval.is_some() {
            let effect = "it runs when SINGLE becomes TRUE; its interval is not modelled";
            self.findings.record_assumed(task.span, "TASK with SINGLE and INTERVAL", effect);
            read.interval = None;
        }
        read
    }

    /// Makes a program that runs the others when their tasks are due.
    fn scheduler(&mut self, name: &ast::Ident, tasks: &[Task<'_>], tick: Option<i128>) {
        self.names.alias_programs(&self.project);
        let mut vars: IndexVec<VarId, Var> = IndexVec::new();
        let mut body = Vec::new();
        for task in tasks {
            let runs: Vec<Stmt> = task.programs.iter().flat_map(|(id, program)| self.run_program(*id, program)).collect();
            match (task.single, task.interval, tick) {
                (Some(single), _, _) => body.extend(self.on_edge(task, single, runs, &mut vars)),
                (None, Some(interval), Some(tick)) if tick < interval => {
                    let cycles = u32::try_from(interval / tick).unwrap_or(u32::MAX);
                    self.project.task.slow.push(SlowTask { name: task.name.to_owned(), cycles });
                    body.extend(every(task, cycles, runs, &mut vars));
                }
                (None, _, _) => body.extend(runs),
            }
        }
        let empty = Pou::hidden(name.text.clone(), PouKind::Program, vars, name.span);
        let pou = self.project.pous.push(Pou { body, ..empty });
        self.names.locals.push(std::collections::BTreeMap::new());
        let id = self.project.instances.push(ProgramInstance { name: name.text.clone(), pou });
        self.project.task.runs = vec![id];
    }

    /// Returns `instance.in := x; instance(); y := instance.out;`.
    fn run_program(&mut self, id: InstanceId, program: &ast::ProgramConfig) -> Vec<Stmt> {
        let pou = self.project.instances[id].pou;
        let ty = self.types.block(&mut self.project, pou);
        let span = program.span;
        let place = Place::of(Root::Instance(id), ty, span);
        let call = Stmt { kind: StmtKind::CallInstance { instance: place.clone(), pou, args: Box::default() }, span };
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for arg in &program.args {
            let (list, stmt) = match arg {
                Arg::Input(name, value) => (&mut before, self.connect_input(&place, pou, name, value)),
                Arg::Output { name, target: Some(target), negated } => {
                    (&mut after, self.connect_output(&place, pou, name, target, *negated))
                }
                Arg::Output { target: None, .. } => continue,
                Arg::Positional(e) => {
                    let message = "the variables of a program are connected by name: `name := value`, `name => variable`";
                    self.findings.error(codes::ARGUMENTS, e.span, message, "without a name");
                    continue;
                }
            };
            match stmt {
                Ok(stmt) => list.push(stmt),
                Err(Bad::Reported) => {}
                Err(Bad::Gap(gap)) => {
                    let span = gap.span;
                    list.push(self.findings.gap_stmt(*gap, span));
                }
            }
        }
        before.push(call);
        before.append(&mut after);
        before
    }

    fn connect_input(&mut self, place: &Place, pou: PouId, name: &ast::Ident, value: &ast::Expr) -> Res<Stmt> {
        let target = self.project.connected(&mut self.findings, place, pou, name, &[Section::Input, Section::InOut])?;
        let section = |id: &VarId| self.project.pous[pou].vars[*id].section;
        if matches!(target.path.first(), Some(Elem::Member(id)) if section(id) == Section::InOut) {
            return Err(unsupported(name.span, "VAR_IN_OUT of a program", "what it refers to is not modelled"));
        }
        let value = self.expr_as(SCOPE, value, target.ty, &format!("the input `{}`", name.text))?;
        Ok(Stmt::assign(target, value, name.span))
    }

    fn connect_output(&mut self, place: &Place, pou: PouId, name: &ast::Ident, target: &ast::Expr, negated: bool) -> Res<Stmt> {
        let output = self.project.connected(&mut self.findings, place, pou, name, &[Section::Output])?;
        let target = self.target(SCOPE, target)?;
        let value = self.read(SCOPE, output)?;
        let value = if negated { Expr::unary(UnOp::Not, value, name.span) } else { value };
        let value = self.coerce(value, target.ty, &format!("the output `{}`", name.text))?;
        Ok(Stmt::assign(target, value, name.span))
    }

    /// Returns statements that run a task when `single` becomes TRUE.
    fn on_edge(&mut self, task: &Task<'_>, single: &ast::Expr, runs: Vec<Stmt>, vars: &mut IndexVec<VarId, Var>) -> Vec<Stmt> {
        let span = single.span;
        let now = match self.expr_as(SCOPE, single, elementary::BOOL, "SINGLE") {
            Ok(now) => now,
            Err(Bad::Reported) => return Vec::new(),
            Err(Bad::Gap(gap)) => return vec![self.findings.gap_stmt(*gap, span)],
        };
        let boolean = |name: &str| Var::new(format!("{}.{name}", task.name), elementary::BOOL, Section::Local, span);
        let (now_var, was_var) = (vars.push(boolean("SINGLE")), vars.push(boolean("was")));
        let place = |id| Place::of(Root::Var(id), elementary::BOOL, span);
        let read = |id| Expr::read(place(id));
        let not_before = Expr::unary(UnOp::Not, read(was_var), span);
        let rises = Expr::binary(BinOp::And, read(now_var), not_before, elementary::BOOL, span);
        // The last value is written before the programs run, because they may change the condition.
        let due = vars.push(boolean("due"));
        let assign = |id, value| Stmt::assign(place(id), value, span);
        vec![
            assign(now_var, now),
            assign(due, rises),
            assign(was_var, read(now_var)),
            Stmt { kind: StmtKind::If { branches: vec![(read(due), runs)], otherwise: Vec::new() }, span },
        ]
    }
}

impl Findings {
    /// Reports tasks of one resource that have one name: which of them a program means is not known.
    fn repeated_tasks(&mut self, tasks: &[ast::TaskConfig]) {
        for (at, task) in tasks.iter().enumerate() {
            let same = |other: &&ast::TaskConfig| key(&other.name.text) == key(&task.name.text);
            if let Some(first) = tasks[..at].iter().find(same) {
                let message = format!("two tasks of this resource have the name `{}`", task.name.text);
                let finding = Diagnostic::error(codes::DUPLICATE_NAME, task.name.span, message, "declared again here");
                self.report(finding.label(first.name.span, "declared first here").help("rename one of them"));
            }
        }
    }
}

impl Names {
    fn program_instance(
        &mut self,
        project: &mut Project,
        findings: &mut Findings,
        program: &ast::ProgramConfig,
    ) -> Option<InstanceId> {
        let ident = inheritance::last_name(&program.program);
        let Some(&pou) = self.pous.get(&self.meant(ident)) else {
            let help = "upload the file that declares it; or choose another program with --entry NAME, which then runs alone";
            findings.report(missing_program(ident).help(help));
            return None;
        };
        if project.pous[pou].kind != PouKind::Program {
            findings.error(codes::BAD_TASK, ident.span, format!("`{}` is not a PROGRAM", ident.text), "tasks run programs");
            return None;
        }
        let name = program.name.text.clone();
        // A program that is its own instance has one memory for all its calls.
        let is_itself = key(&name) == key(&ident.text) && program.args.is_empty();
        if let Some(&id) = self.instances.get(&key(&name)).filter(|id| is_itself && project.instances[**id].pou == pou) {
            return Some(id);
        }
        if self.instances.contains_key(&key(&name)) {
            let message = format!("two program instances have the name `{name}`");
            let help = Some("rename one of them".to_owned());
            findings.error_with_help(codes::DUPLICATE_NAME, program.name.span, message, "declared again here", help);
            return None;
        }
        let id = project.instances.push(ProgramInstance { name: name.clone(), pou });
        self.instances.insert(key(&name), id);
        Some(id)
    }

    /// Makes the name of a program mean its instance, if there is only one.
    pub(crate) fn alias_programs(&mut self, project: &Project) {
        let instances: Vec<(InstanceId, PouId)> = project.instances.iter_enumerated().map(|(id, i)| (id, i.pou)).collect();
        for &(id, pou) in &instances {
            if instances.iter().filter(|other| other.1 == pou).count() == 1 {
                let name = key(&project.pous[pou].name);
                self.instances.entry(name).or_insert(id);
            }
        }
    }
}

impl Project {
    fn connected(
        &self,
        findings: &mut Findings,
        place: &Place,
        pou: PouId,
        name: &ast::Ident,
        sections: &[Section],
    ) -> Res<Place> {
        let vars = self.pous[pou].vars.iter_enumerated();
        let found = vars.filter(|(_, v)| sections.contains(&v.section)).find(|(_, v)| key(&v.name) == key(&name.text));
        match found {
            Some((id, var)) => Ok(Place { span: name.span, ..place.part(Elem::Member(id), var.ty) }),
            None => {
                let message = format!("`{}` has no such parameter `{}`", self.pous[pou].name, name.text);
                Err(findings.error(codes::UNKNOWN_PARAMETER, name.span, message, "not a parameter"))
            }
        }
    }
}

/// Returns statements that run a task in the first cycle and in every `n`-th from there on.
fn every(task: &Task<'_>, n: u32, runs: Vec<Stmt>, vars: &mut IndexVec<VarId, Var>) -> Vec<Stmt> {
    let (ty, span) = (elementary::UDINT, task.span);
    let counter = vars.push(Var::new(format!("{}.cycle", task.name), ty, Section::Local, span));
    let place = || Place::of(Root::Var(counter), ty, span);
    let with = |op, i, ty| Expr::binary(op, Expr::read(place()), Expr::int(i, elementary::UDINT, span), ty, span);
    let is = |i| with(BinOp::Eq, i, elementary::BOOL);
    let assign = |value| Stmt::assign(place(), value, span);
    let branch = |condition, body, otherwise| Stmt { kind: StmtKind::If { branches: vec![(condition, body)], otherwise }, span };
    let last = i128::from(n) - 1;
    // Reports know a choice by the place of its condition: each needs one of its own.
    let is_last = Expr { span: Span { end: span.start, ..span }, ..is(last) };
    vec![
        branch(is(0), runs, Vec::new()),
        branch(is_last, vec![assign(Expr::int(0, ty, span))], vec![assign(with(BinOp::Add, 1, ty))]),
    ]
}
