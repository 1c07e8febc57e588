//! Intervals of tasks: the tick that they share, whole milliseconds, and tasks that run a chosen entry.

use crate::ast;
use crate::hir::Extent;
use crate::lang::br::class_of;
use crate::resolve::names::tables::key;
use crate::resolve::prepare::declaration_order;
use crate::resolve::resolver::Resolver;
use crate::resolve::startup::tasks::Task;
use crate::text::SourceSet;
use std::collections::BTreeSet;

/// Reason of the condition of a task whose interval is rounded.
const ROUNDED: &str = "cycles are whole milliseconds, and timers take more or fewer cycles on the controller";
/// Nanoseconds of a millisecond.
const MS: i128 = 1_000_000;

/// Tick of the tasks in nanoseconds: the longest time that all intervals are multiples of; `None` without intervals.
pub(crate) struct Tick(pub(crate) Option<i128>);

impl Resolver<'_> {
    /// Returns the interval of the tasks that run a chosen entry, or of all tasks if none does; `None` where they differ or one
    /// of them has none.
    pub(crate) fn tick_of(&mut self, units: &[ast::Unit], entry: &str) -> Tick {
        // What is wrong with tasks does not matter to a chosen entry.
        let mark = self.findings.mark();
        let (mut own, mut all, mut rounded) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
        for item in declaration_order::all(units) {
            let ast::Item::Configuration(configuration) = item else { continue };
            for resource in configuration.resources.iter().filter(|it| !it.is_of_one_task || !it.programs.is_empty()) {
                let is_entry = |program: &&ast::ProgramConfig| {
                    [&program.name, &program.program.root].iter().any(|name| key(&name.text) == key(entry))
                };
                let runs: Vec<&ast::ProgramConfig> = resource.programs.iter().filter(is_entry).collect();
                own.extend(runs.iter().filter(|program| program.task.is_none()).map(|_| None));
                for task in &resource.tasks {
                    let read = self.task(task);
                    let interval = read.interval;
                    rounded.extend(read.rounded.is_some().then_some(read));
                    all.insert(interval);
                    let is_its = |name: &ast::Ident| key(&name.text) == key(&task.name.text);
                    if runs.iter().any(|program| program.task.as_ref().is_some_and(is_its)) {
                        own.insert(interval);
                    }
                }
            }
        }
        self.findings.forget_since(mark);
        let found = if own.is_empty() { all } else { own };
        let tick = found.first().copied().flatten().filter(|_| found.len() == 1);
        rounded.iter().filter(|task| task.interval == tick).for_each(|task| self.note_rounded(task, &Extent::Time));
        Tick(tick)
    }

    /// Returns the tick of tasks of Automation Studio that run the entry, by the durations of their classes.
    pub(crate) fn tick_of_classes(&mut self, sources: &SourceSet) -> Tick {
        let runs = self.project.task.runs.iter().map(|run| key(&self.project.pous[self.project.instances[*run].pou].name));
        let Some(class) = class_of(sources, &runs.collect()) else { return Tick(None) };
        let interval = whole_ms(class.ns);
        let rounded = (interval != class.ns).then_some((class.ns, class.span));
        let mut task = Task::new(&class.name, class.span);
        (task.interval, task.rounded) = (Some(interval), rounded);
        self.note_rounded(&task, &Extent::Time);
        Tick(Some(interval))
    }

    /// Notes an interval that is no whole number of milliseconds: TIME and the time between two cycles count these.
    pub(super) fn note_rounded(&mut self, task: &Task<'_>, extent: &Extent) {
        let (Some((ns, span)), Some(interval)) = (task.rounded, task.interval) else { return };
        let ms = |ns: i128| ns as f64 / 1e6;
        let construct = format!("the interval of task `{}`, {} ms, is {} ms", task.name, ms(ns), ms(interval));
        self.findings.record_assumed(span, construct, ROUNDED);
        self.project.beside.insert(span, extent.clone());
    }
}

/// Returns a duration in nanoseconds that is no whole number of milliseconds.
pub(super) fn fraction(interval: &ast::Expr) -> Option<i128> {
    let ast::ExprKind::Literal(_, ast::Literal::Duration { ns, .. }) = interval.kind else { return None };
    (0 < ns && ns % MS != 0).then_some(ns)
}

/// Returns the nearest whole number of milliseconds, at least one.
pub(super) fn whole_ms(ns: i128) -> i128 {
    (ns.saturating_add(MS / 2) / MS).max(1).saturating_mul(MS)
}

/// Returns the greatest common divisor: the longest tick that both intervals are multiples of.
pub(super) fn common(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
