//! Tasks of a controller: the programs that run, their periods and their order.

use std::collections::BTreeMap;

use super::{Reader, attribute, ident_of, key};
use crate::ast::{Configuration, Expr, ExprKind, Ident, Item, Literal, Name, ProgramConfig, Resource, Setting, TaskConfig};
use crate::lang::xml::Element;
use crate::text::Span;

/// Priority behind that of every other task.
const LAST: i128 = 1_000;

/// Reason why a program that is inhibited itself does not run.
const DISABLED: &str = "it is inhibited";

/// Reason of the condition of a task whose period is rounded.
const PERIOD: &str = "cycles are whole milliseconds, and the task runs more or less often than others on the controller";
/// Reason of the condition of a program that does not run.
const STANDS: &str = "no program of the export runs on the controller, and each is verified as if it ran";

/// Numbers of tasks of a controller.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) n_tasks: usize,
    /// Tasks that an event starts.
    pub(super) n_events: usize,
}

impl Counts {
    pub(super) fn of(controller: Element<'_>) -> Self {
        let tasks: Vec<_> = controller.children_named("Tasks").flat_map(Element::children).collect();
        let is_event = |task: &&Element<'_>| attribute(**task, "Type").is_some_and(|ty| ty.eq_ignore_ascii_case("EVENT"));
        Self { n_tasks: tasks.len(), n_events: tasks.iter().filter(is_event).count() }
    }
}

/// Program that a task does not run.
struct Idle {
    /// Its name here.
    name: String,
    why: String,
    span: Span,
}

impl Reader {
    /// Adds the tasks that run programs; returns whether there are any.
    ///
    /// `programs` are the programs of the file that are read, with their names here. If none runs, all are verified as if they ran.
    ///
    /// Soundness: each of those is a condition, unless the export is a part of a project, which has no tasks.
    pub(super) fn tasks(&mut self, controller: Element<'_>, programs: &[(Element<'_>, Ident)]) -> bool {
        let span = controller.tag_span();
        let mut resource =
            Resource { name: None, is_of_one_task: false, vars: Vec::new(), tasks: Vec::new(), programs: Vec::new(), span };
        let mut continuous: Option<Span> = None;
        let mut idle: Vec<Idle> = Vec::new();
        let is_named = |own: Element<'_>, name: &Ident| ident_of(own).is_some_and(|own| key(&own.text) == key(&name.text));
        for task in controller.children_named("Tasks").flat_map(Element::children) {
            let Some(name) = ident_of(task) else { continue };
            if attribute(task, "InhibitTask").as_deref() == Some("true") {
                self.unit.ignore(task.tag_span(), format!("task {}", name.text), "it is inhibited");
                let why = format!("its task `{}` is inhibited", name.text);
                for program in task.children_named("ScheduledPrograms").flat_map(Element::children).filter_map(ident_of) {
                    let own = programs.iter().find(|(own, _)| is_named(*own, &program));
                    idle.extend(own.map(|(_, own)| Idle { name: own.text.clone(), why: why.clone(), span: program.span }));
                }
                continue;
            }
            let scheduled = task.children_named("ScheduledPrograms").flat_map(Element::children).filter_map(ident_of);
            for program in scheduled {
                // Names as declared: only one program has it.
                let Some((own, declared)) = programs.iter().find(|(own, _)| is_named(*own, &program)) else {
                    self.missing_program(&program);
                    continue;
                };
                if is_disabled(*own) {
                    idle.push(Idle { name: declared.text.clone(), why: DISABLED.to_owned(), span: program.span });
                    continue;
                }
                let (root, span) = (Ident::new(declared.text.clone(), program.span), program.span);
                let program = Name::plain(root.clone());
                let task = Some(name.clone());
                resource.programs.push(ProgramConfig { name: root, task, program, args: Vec::new(), span });
            }
            let settings = self.settings(task);
            if attribute(task, "Type").as_deref() == Some("CONTINUOUS") {
                continuous = Some(task.tag_span());
            }
            resource.tasks.push(TaskConfig { name, settings, span: task.tag_span() });
        }
        if resource.programs.is_empty() {
            let is_whole = controller.children_named("Tasks").next().is_some();
            let mut reasons: BTreeMap<&str, Vec<(&str, Span)>> = BTreeMap::new();
            for (program, name) in programs {
                let why = match idle.iter().find(|idle| idle.name == name.text) {
                    _ if is_disabled(*program) => "the export inhibits it",
                    Some(idle) => &idle.why,
                    None if is_whole => "no task runs it",
                    None => continue,
                };
                reasons.entry(why).or_default().push((&name.text, program.tag_span()));
            }
            for (why, programs) in reasons {
                let names: Vec<String> = programs.iter().map(|(name, _)| format!("`{name}`")).collect();
                let condition = match names.as_slice() {
                    [name] => format!("{name} runs, though {why}"),
                    names => {
                        let of_several = match why.strip_prefix("its ") {
                            Some(rest) => format!("their {rest}"),
                            None => why.replace(" it", " them"),
                        };
                        format!("{} run, though {of_several}", names.join(", "))
                    }
                };
                let place = programs.first().map_or(span, |(_, span)| *span);
                self.assumption(condition, STANDS, place);
            }
            return false;
        }
        for Idle { name, why, span } in idle {
            self.unit.ignore(span, format!("program {name}"), &why);
        }
        if let Some(span) = continuous.filter(|_| 1 < resource.tasks.len()) {
            self.note("continuous task beside others: it runs once in each cycle, not as often as time allows", span);
        }
        let name = ident_of(controller).unwrap_or_else(|| Ident::new("Controller", span));
        let name = Ident::new(format!("{}_Tasks", name.text), name.span);
        let configuration = Configuration { name: Some(name), vars: Vec::new(), resources: vec![resource], span };
        self.unit.items.push(Item::Configuration(configuration));
        true
    }

    /// Returns whether a program runs: one of a task, or any where no task runs one.
    pub(super) fn runs(&self, program: &str) -> bool {
        let configurations =
            self.unit.items.iter().filter_map(|item| if let Item::Configuration(all) = item { Some(all) } else { None });
        let mut scheduled = configurations.flat_map(|all| &all.resources).flat_map(|resource| &resource.programs).peekable();
        scheduled.peek().is_none() || scheduled.any(|own| key(&own.name.text) == key(program))
    }

    /// Returns the period and the priority of a task; the continuous task is the last one.
    fn settings(&mut self, task: Element<'_>) -> Vec<Setting> {
        let span = task.tag_span();
        let number = |name: &str| attribute(task, name).and_then(|text| text.parse::<f64>().ok());
        let priority = number("Priority").map_or(LAST, |number| number as i128);
        match attribute(task, "Type").as_deref() {
            Some("PERIODIC") => {
                let Some(rate) = number("Rate").filter(|rate| rate.is_finite() && 0.0 < *rate && *rate < 1e7) else {
                    self.note("period of a task: it runs in every cycle", span);
                    return vec![setting("PRIORITY", Literal::Int(priority), span)];
                };
                let whole_ms = rate.round().max(1.0);
                if rate.to_bits() != whole_ms.to_bits() {
                    let condition = format!("the period of a task, {rate} ms, is {whole_ms} ms");
                    self.assumption(condition, PERIOD, span);
                }
                let period = Literal::Duration { ns: whole_ms as i128 * 1_000_000, long: false };
                vec![setting("INTERVAL", period, span), setting("PRIORITY", Literal::Int(priority), span)]
            }
            Some("CONTINUOUS") => vec![setting("PRIORITY", Literal::Int(LAST), span)],
            _ => {
                self.note("task that an event starts: it runs in every cycle", span);
                vec![setting("PRIORITY", Literal::Int(priority), span)]
            }
        }
    }
}

/// Returns whether a program is inhibited itself.
fn is_disabled(program: Element<'_>) -> bool {
    attribute(program, "Disabled").as_deref() == Some("true")
}

fn setting(name: &str, value: Literal, span: Span) -> Setting {
    let value = Expr { kind: ExprKind::Literal(None, value), span };
    Setting { name: Ident::new(name, span), value }
}
