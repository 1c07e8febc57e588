//! Tasks (`.TcTTO`): the PROGRAMs that run, their cycle times and their order.

use super::Reader;
use super::object::name_of;
use crate::ast::{Configuration, Expr, ExprKind, Ident, Item, Literal, Name, ProgramConfig, Resource, Setting, TaskConfig};
use crate::lang::xml::Element;
use crate::text::{Diagnostic, Span};

impl Reader<'_> {
    pub(super) fn task(&mut self, object: Element<'_>) -> bool {
        let Some(name) = name_of(object) else {
            self.missing(object.tag_span(), "this task has no name".to_owned());
            return true;
        };
        let mut settings = Vec::new();
        // `CycleTime` is in microseconds.
        if let Some((us, span)) = self.number(object, "CycleTime") {
            settings.push(setting("INTERVAL", Literal::Duration { ns: us.saturating_mul(1000), long: false }, span));
        }
        if let Some((priority, span)) = self.number(object, "Priority") {
            settings.push(setting("PRIORITY", Literal::Int(priority), span));
        }
        let mut programs = Vec::new();
        for call in object.children_named("PouCall") {
            let called = call.child("Name").and_then(|n| Some((n.text().trim().to_owned(), n.text_span()?)));
            let Some((text, span)) = called.filter(|(text, _)| !text.is_empty()) else {
                self.missing(call.tag_span(), "this call of a task names no PROGRAM".to_owned());
                continue;
            };
            let root = Ident { text, span };
            let program = Name::plain(root.clone());
            programs.push(ProgramConfig { name: root, task: Some(name.clone()), program, args: Vec::new(), span });
        }
        let span = object.span();
        let task = TaskConfig { name: name.clone(), settings, span };
        let resource = Resource { name: None, is_of_one_task: true, vars: Vec::new(), tasks: vec![task], programs, span };
        self.unit.items.push(Item::Configuration(Configuration {
            name: Some(name),
            vars: Vec::new(),
            resources: vec![resource],
            span,
        }));
        true
    }

    /// Reads the number in a part of the task; any other text is an error.
    fn number(&mut self, object: Element<'_>, part: &str) -> Option<(i128, Span)> {
        let element = object.child(part)?;
        let span = element.text_span()?;
        let number = element.text().trim().parse::<u32>().ok();
        if number.is_none() {
            let diagnostic = Diagnostic::error("P0011", span, format!("`<{part}>` is not a number"), "here");
            self.findings.push(diagnostic.help("open the task in TwinCAT, save it, and take the file again"));
        }
        Some((i128::from(number?), span))
    }
}

fn setting(name: &str, value: Literal, span: Span) -> Setting {
    let value = Expr { kind: ExprKind::Literal(None, value), span };
    Setting { name: Ident { text: name.to_owned(), span }, value }
}
