//! Configurations, resources, tasks and program instances.

use super::Reader;
use super::project::Waiting;
use crate::ast::{
    Assumed, Configuration, Expr, ExprKind, Ident, Item, Literal, Name, ProgramConfig, Resource, Setting, TaskConfig, VarBlock,
};
use crate::lang::xml::{Element, Value};
use crate::text::Diagnostic;

impl<'d> Reader<'d> {
    pub(super) fn configuration(&mut self, element: Element<'d>, waiting: &mut Vec<Waiting<'d>>) {
        let Some(name) = self.words_as_ident(element) else { return };
        let (mut vars, mut resources) = (Vec::new(), Vec::new());
        for part in element.children() {
            match part.name() {
                "resource" => resources.push(self.resource(part, waiting)),
                "globalVars" => self.own_globals(part, &mut vars, waiting),
                "accessVars" | "configVars" => self.gap("access paths or addresses of a configuration", part.tag_span()),
                "documentation" => {}
                "addData" => self.add_data(part, waiting),
                _ => self.unknown(part),
            }
        }
        let has_meaning = !vars.is_empty() || resources.iter().any(|r| !r.vars.is_empty() || !r.programs.is_empty());
        self.note_idle(&resources);
        if has_meaning {
            self.unit.items.push(Item::Configuration(Configuration { name: Some(name), vars, resources, span: element.span() }));
        }
    }

    /// Reads a resource without a configuration around it (CODESYS: an application).
    pub(super) fn lone_resource(&mut self, element: Element<'d>, waiting: &mut Vec<Waiting<'d>>) {
        let resource = self.resource(element, waiting);
        self.note_idle(std::slice::from_ref(&resource));
        if resource.vars.is_empty() && resource.programs.is_empty() {
            return;
        }
        let name = resource.name.clone().unwrap_or(Ident { text: "Configuration".to_owned(), span: element.tag_span() });
        let configuration = Configuration { name: Some(name), vars: Vec::new(), resources: vec![resource], span: element.span() };
        self.unit.items.push(Item::Configuration(configuration));
    }

    fn resource(&mut self, element: Element<'d>, waiting: &mut Vec<Waiting<'d>>) -> Resource {
        let name = self.words_as_ident(element);
        let mut resource = Resource {
            name,
            is_of_one_task: false,
            vars: Vec::new(),
            tasks: Vec::new(),
            programs: Vec::new(),
            span: element.span(),
        };
        for part in element.children() {
            match part.name() {
                "task" => self.task(part, &mut resource, waiting),
                "pouInstance" => resource.programs.extend(self.pou_instance(part, None)),
                "globalVars" => self.own_globals(part, &mut resource.vars, waiting),
                "documentation" => {}
                "addData" => self.add_data(part, waiting),
                _ => self.unknown(part),
            }
        }
        resource
    }

    /// Notes tasks none of which names a program: then the programs of the file run, which no controller would do.
    fn note_idle(&mut self, resources: &[Resource]) {
        let has_programs = resources.iter().any(|resource| !resource.programs.is_empty());
        if let Some(task) = resources.iter().flat_map(|resource| &resource.tasks).next().filter(|_| !has_programs) {
            let (condition, reason) = ("each program runs once in each cycle".to_owned(), "no task of the file names a program");
            self.unit.assumed.push(Assumed { is_cut: false, about: Vec::new(), condition, reason, span: task.name.span });
        }
    }

    /// Reads the global variables of a configuration or resource. Named lists (CODESYS) are visible everywhere.
    fn own_globals(&mut self, element: Element<'d>, own: &mut Vec<VarBlock>, waiting: &mut Vec<Waiting<'d>>) {
        for block in self.global_vars(element, waiting) {
            match block.list {
                Some(_) => self.unit.items.push(Item::Globals(block)),
                None => own.push(block),
            }
        }
    }

    fn task(&mut self, element: Element<'d>, resource: &mut Resource, waiting: &mut Vec<Waiting<'d>>) {
        let Some(name) = self.words_as_ident(element) else { return };
        let (mut settings, n_programs) = (Vec::new(), resource.programs.len());
        let words = element.descendants().find(|e| e.name() == "TaskSettings").and_then(|e| e.attribute("KindOfTask"));
        let kind = words.as_ref().map_or(String::new(), |kind| kind.text.trim().to_ascii_uppercase());
        for (attribute, setting) in [("interval", "INTERVAL"), ("priority", "PRIORITY"), ("single", "SINGLE")] {
            let Some(value) = element.filled(attribute) else { continue };
            if attribute == "interval" && kind == "FREEWHEELING" {
                // The export writes the interval of the kind Cyclic all the same.
                continue;
            }
            let expr = match attribute {
                "interval" => self.interval(&value),
                _ => self.expression_of(&value),
            };
            settings.push(Setting { name: Ident { text: setting.to_owned(), span: value.span }, value: expr });
        }
        for part in element.children() {
            match part.name() {
                "pouInstance" => resource.programs.extend(self.pou_instance(part, Some(name.clone()))),
                "documentation" => {}
                "addData" => {
                    if let Some(words) = words.as_ref().filter(|_| !matches!(kind.as_str(), "CYCLIC" | "FREEWHEELING" | "")) {
                        self.gap("task that an event starts", words.span);
                    }
                    self.add_data(part, waiting);
                }
                _ => self.unknown(part),
            }
        }
        if kind == "FREEWHEELING" {
            let what = format!("kind of the task `{}`, Freewheeling", name.text);
            let why = "it begins again as soon as it has ended, so the time between two cycles is not stated";
            self.unit.ignore(element.tag_span(), what, why);
            if element.parent().is_some_and(|resource| 1 < resource.children_named("task").count()) {
                self.gap("task of the kind Freewheeling beside other tasks: it runs once in each cycle", element.tag_span());
            }
        }
        if resource.programs.len() == n_programs {
            self.unit.ignore(element.tag_span(), format!("task `{}`", name.text), "it names no PROGRAM, so it runs nothing");
        }
        resource.tasks.push(TaskConfig { name, settings, span: element.span() });
    }

    /// Reads an interval: `T#20ms` as in the schema, `PT0.02S` as CODESYS writes it, or `00:00:00.020000` as Beremiz does.
    fn interval(&mut self, value: &Value<'_>) -> Expr {
        let text = value.text.trim();
        let duration = match (text.strip_prefix("PT"), clock(text)) {
            (Some(rest), _) => nanoseconds(rest),
            (None, Some(words)) => nanoseconds(&words),
            (None, None) => return self.expression_of(value),
        };
        match duration {
            Some(ns) => Expr { kind: ExprKind::Literal(None, Literal::Duration { ns, long: false }), span: value.span },
            None => {
                let message = format!("`{}` is not a duration", value.text);
                let finding = Diagnostic::error("P1005", value.span, message, "a duration was expected");
                self.findings.push(finding.help("write it as T#20ms or PT0.02S"));
                Expr::error(value.span)
            }
        }
    }

    fn pou_instance(&mut self, element: Element<'d>, task: Option<Ident>) -> Option<ProgramConfig> {
        let name = match element.filled("typeName") {
            Some(_) => self.ident(element, "name")?,
            // CODESYS: a program of a library, or an action of a program.
            None => {
                let value = self.required(element, "name")?;
                let is_path = value.text.contains('.');
                if is_path { Ident { text: value.text.trim().to_owned(), span: value.span } } else { self.as_ident(&value)? }
            }
        };
        let program = match element.filled("typeName") {
            Some(value) => self.path(&value)?,
            // CODESYS: the program is its own instance.
            None => Name { root: name.clone(), path: Vec::new(), span: name.span },
        };
        Some(ProgramConfig { name, task, program, args: Vec::new(), span: element.tag_span() })
    }

    /// Reads the name of a device or task: characters that no identifier has become `_`.
    fn words_as_ident(&mut self, element: Element<'d>) -> Option<Ident> {
        let value = self.required(element, "name")?;
        let text = value.text.trim().chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
        Some(Ident { text, span: value.span })
    }
}

/// Returns `1H2M3.5S` for `01:02:03.5`; `None` for all other texts.
fn clock(text: &str) -> Option<String> {
    let mut parts = text.split(':');
    let (hours, minutes, seconds) = (parts.next()?, parts.next()?, parts.next()?);
    let is_number = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
    let is_clock = parts.next().is_none() && [hours, minutes, seconds].into_iter().all(is_number);
    is_clock.then(|| format!("{hours}H{minutes}M{seconds}S"))
}

/// Returns the nanoseconds of `1H2M3.5S`.
fn nanoseconds(text: &str) -> Option<i128> {
    let mut total: i128 = 0;
    let mut rest = text;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let unit: i128 = match rest.as_bytes().get(end)? {
            b'H' => 3_600_000_000_000,
            b'M' => 60_000_000_000,
            b'S' => 1_000_000_000,
            _ => return None,
        };
        let (whole, fraction) = rest[..end].split_once('.').unwrap_or((&rest[..end], ""));
        let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        let digits: String = format!("{fraction:0<9}").chars().take(9).collect();
        let fraction: i128 = digits.parse().ok()?;
        total = total.checked_add(whole.checked_mul(unit)?)?.checked_add(fraction * unit / 1_000_000_000)?;
        rest = &rest[end + 1..];
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::{clock, nanoseconds};

    #[test]
    fn durations_of_xml_schema_are_read() {
        let check = |text: &str, expected: Option<i128>| assert_eq!(nanoseconds(text), expected, "{text}");
        check("0.05S", Some(50_000_000));
        check("10S", Some(10_000_000_000));
        check("1H2M3.5S", Some(3_723_500_000_000));
        check("0.000001S", Some(1_000));
        check(".5M", Some(30_000_000_000));
        for wrong in ["", "5", "S5", "1X", "1.2.3S", "99999999999999999999999999999999999999999S", "\u{e9}S"] {
            check(wrong, None);
        }
    }

    #[test]
    fn intervals_of_beremiz_are_clocks() {
        let check = |text: &str, expected: Option<i128>| {
            assert_eq!(clock(text).and_then(|words| nanoseconds(&words)), expected, "{text}");
        };
        check("00:00:00.100000", Some(100_000_000));
        check("01:02:03.5", Some(3_723_500_000_000));
        check("00:00:20", Some(20_000_000_000));
        for wrong in ["T#20ms", "00:20", "00:00:00:20", "00::20", "00:0x:20", "00:00:1e3"] {
            check(wrong, None);
        }
    }
}
