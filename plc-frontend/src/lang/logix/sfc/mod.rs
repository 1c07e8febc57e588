//! Routines that are sequential function charts.
//!
//! In reading order: [`elements`] the boxes and lines of an export, [`paths`] the steps around each transition,
//! [`lower`] the statements of one scan, [`actions`] those of the actions.
//!
//! A scan of a chart has four phases. Active steps act; the transitions behind them are tested; steps that are left have their
//! last scan; the steps behind become active. So a step acts first in the scan after its activation.
//! Manual: Rockwell Automation, 1756-PM006 (sequential function charts). Rules without a source are conditions of every answer.

mod actions;
mod elements;
mod lower;
mod paths;
#[cfg(test)]
mod tests;

use super::calls::Scope;
use super::ladder::Ladder;
use super::values::value_at;
use super::{Reader, aliases, attribute, blocks, key};
use crate::ast::{self, Expr, Ident, Initializer, InitializerKind, NameElem, Qualifier, Stmt, StmtKind};
use crate::hir::Diagram;
use crate::lang::st::embedded;
use crate::lang::xml::Element;
use crate::text::Span;

/// Part of a chart that is not modelled: its words in the ledger, its place.
type Gap = (&'static str, Span);

/// Treatment of actions in the last scan of their step: a property of the controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LastScan {
    /// Only P and P0 actions execute.
    Pulses,
    /// All actions execute once more ("programmatic reset").
    All,
    /// P and P0 actions execute, the postscan of all others ("automatic reset").
    Postscan,
}

/// A chart, once its lines are followed.
struct Sequence {
    steps: Vec<Step>,
    stops: Vec<Ident>,
    /// In the order of their evaluation.
    transitions: Vec<Transition>,
    span: Span,
}

struct Step {
    name: Ident,
    is_initial: bool,
    actions: Vec<Action>,
    span: Span,
}

struct Action {
    /// Tag of the action.
    name: Ident,
    qualifier: Qualifier,
    /// Statements; `None` for a Boolean action.
    body: Option<Vec<Stmt>>,
    span: Span,
}

struct Transition {
    name: Option<Ident>,
    condition: Expr,
    /// Steps that must all be active.
    from: Vec<Ident>,
    /// Steps and stops that become active.
    to: Vec<Ident>,
    span: Span,
}

impl Reader {
    /// Reads a routine that is a chart.
    pub(super) fn chart(&mut self, routine: Element<'_>, scope: &Scope<'_>) -> Ladder {
        let span = routine.tag_span();
        let sequence = self.sequence(routine, scope).and_then(|sequence| {
            let last = self.chart_options(routine)?;
            let stmts = lower::scan(&sequence, last)?;
            // The automatic reset clears the targets where a step is left, too.
            if last == LastScan::Postscan && !scope.shapes.cleared.borrow().is_empty() {
                return Err(("assignment [:=] in a chart with automatic reset", span));
            }
            Ok((sequence, stmts))
        });
        let (sequence, mut stmts) = match sequence {
            Ok(chart) => chart,
            Err((words, span)) => {
                scope.shapes.cleared.borrow_mut().clear();
                return Ladder { stmts: vec![Stmt::unsupported(words, span)], ..Ladder::default() };
            }
        };
        let mut prescan = lower::start(&sequence);
        prescan.extend(self.cleared(scope, &mut stmts));
        self.note("order of a chart: active steps act, then their transitions are tested, then steps change", span);
        self.note("time of a step: it counts from the first scan of the step", span);
        if sequence.transitions.iter().any(|transition| 1 < transition.to.len()) {
            self.note("order of the steps of a simultaneous branch: they act from left to right", span);
        }
        if sequence.steps.iter().flat_map(|step| &step.actions).any(|action| action.qualifier.is_timed()) {
            self.note("time of an action beyond 24 days: it stays at its last number", span);
        }
        if let Some(name) = attribute(routine, "Name") {
            let drawn = picture(&sequence, scope.action_of(&name), &self.plain);
            self.pictures.extend(drawn.map(|diagram| Diagram { title: Some(name), ..diagram }));
        }
        Ladder { stmts, prescan, is_chart: true, ..Ladder::default() }
    }

    /// Returns the treatment of last scans, and notes options that the export does not state.
    fn chart_options(&mut self, routine: Element<'_>) -> Result<LastScan, Gap> {
        let span = routine.tag_span();
        let controller = std::iter::successors(routine.parent(), |e| e.parent()).find(|e| e.name() == "Controller");
        let option = |name: &str| controller.and_then(|controller| attribute(controller, name));
        match option("SFCExecutionControl").as_deref() {
            Some("CurrentActive") => {}
            Some(_) => return Err(("charts that execute until a FALSE transition", span)),
            None => self.note("execution of charts: the export does not state it, only the active steps execute", span),
        }
        if option("SFCRestartPosition").as_deref() != Some("InitialStep") {
            self.note("restart of charts: they begin at their initial step", span);
        }
        match option("SFCLastScan").as_deref() {
            Some("DontScan") => Ok(LastScan::Pulses),
            Some("ProgrammaticReset") => Ok(LastScan::All),
            Some("AutomaticReset") => Ok(LastScan::Postscan),
            Some(_) => Err(("treatment of last scans that is not known", span)),
            None => {
                self.note("last scan of steps: the export does not state it, only P and P0 actions execute", span);
                Ok(LastScan::Pulses)
            }
        }
    }

    /// Reads the statements of an action.
    fn action_body(&mut self, element: Element<'_>, scope: &Scope<'_>) -> Vec<Stmt> {
        let mut stmts = self.structured_text(element);
        aliases::substitute(&scope.aliases, &mut stmts, element.tag_span());
        scope.shapes.put_hosts(&scope.variables, &mut stmts, element.tag_span());
        scope.statements(&mut stmts);
        stmts
    }

    /// Reads the condition of a transition; `None` unless it is one expression.
    fn condition(&mut self, element: Element<'_>, scope: &Scope<'_>) -> Option<Expr> {
        let content = element.child("STContent")?;
        let lines: Vec<_> = content.children_named("Line").filter_map(Element::text_range).collect();
        let range = lines.first()?.start..lines.last()?.end;
        let text = self.plain.get(range.clone())?.trim_end();
        let range = range.start..range.start + text.strip_suffix(';').unwrap_or(text).len();
        let parsed = embedded::logix_expression(self.unit.file, &self.plain, range);
        let condition = parsed.value.filter(|_| parsed.diagnostics.is_empty())?;
        let span = condition.span;
        let mut stmts = vec![Stmt { kind: StmtKind::Value(condition), span }];
        aliases::substitute(&scope.aliases, &mut stmts, span);
        scope.shapes.put_hosts(&scope.variables, &mut stmts, span);
        scope.statements(&mut stmts);
        if let StmtKind::Value(condition) = stmts.pop()?.kind { Some(condition) } else { None }
    }
}

/// Returns whether a type belongs to an element of a chart.
pub(super) fn is_chart_type(ty: &str) -> bool {
    matches!(key(ty).as_str(), "SFC_STEP" | "SFC_ACTION" | "SFC_STOP")
}

/// Returns the initial value of a tag of a step, action or stop: the members that are modelled.
///
/// The start of a chart that is executed replaces all but the preset.
pub(super) fn initial_value(tag: Element<'_>, ty: &str) -> Option<Initializer> {
    let span = tag.tag_span();
    let row = blocks::MEMBERS.iter().find(|(known, _)| *known == key(ty));
    let fields = row.into_iter().flat_map(|(_, members)| *members).filter_map(|(name, ..)| {
        let name = Ident::new(*name, span);
        let value = value_at(tag, &[NameElem::Field(name.clone())])?;
        Some((name, Initializer::value(value)))
    });
    let fields: Vec<_> = fields.collect();
    (!fields.is_empty()).then_some(Initializer { kind: InitializerKind::Struct(fields), span })
}

/// Returns the names of the tags of transitions, which hold their conditions there and are not declared here.
pub(super) fn transition_tags(owner: Element<'_>) -> Vec<String> {
    let is_chart = |e: &Element<'_>| e.name() == "Transition" && e.parent().is_some_and(|p| p.name() == "SFCContent");
    owner.descendants().filter(is_chart).filter_map(|e| Some(key(&attribute(e, "Operand")?))).collect()
}

/// Returns the drawing of a chart.
fn picture(sequence: &Sequence, home: String, text: &str) -> Option<Diagram> {
    let block = |action: &Action| ast::ActionBlock {
        qualifier: action.qualifier,
        is_bare: false,
        duration: None,
        action: ast::ActionBody::Named(action.name.clone()),
        span: action.span,
    };
    let stops = sequence.stops.iter().map(|name| ast::ChartStep {
        name: name.clone(),
        initial: false,
        actions: Vec::new(),
        span: name.span,
    });
    let steps = sequence.steps.iter().map(|step| ast::ChartStep {
        name: step.name.clone(),
        initial: step.is_initial,
        actions: step.actions.iter().map(block).collect(),
        span: step.span,
    });
    let transitions = sequence.transitions.iter().map(|transition| ast::ChartTransition {
        name: transition.name.clone(),
        priority: None,
        from: transition.from.clone(),
        to: transition.to.clone(),
        prelude: Vec::new(),
        condition: transition.condition.clone(),
        span: transition.span,
    });
    let chart = ast::Chart { steps: steps.chain(stops).collect(), transitions: transitions.collect(), span: sequence.span };
    crate::lang::sfc::diagram(&chart, Some(home), text)
}
