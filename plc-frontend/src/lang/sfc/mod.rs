//! Sequential function charts become ordinary statements and hidden declarations, between parsing and resolving.
//!
//! In reading order: [`lower`] finds the charts, `check` reports mistakes in one, `transitions` and `actions` write their
//! statements, `targets` lists the controlled actions. `matiec` writes both for MATIEC, `build` makes small pieces of tree,
//! `draw` pictures. Knows the AST and no language's syntax.
//!
//! `matiec` documents the rules of MATIEC. The rules of the other dialects:
//!
//! One call of the POU is one evolution, then the actions ("evolve, then act"). In CODESYS and TwinCAT step 3 comes first, so a
//! step acts in the call after its activation:
//! 1. Each active step's `T` is brought up to date. All transitions are evaluated on the steps that are active now:
//!    a condition is evaluated only if its steps are active, in the order of priorities, then of the source. A step
//!    that one transition has taken is not taken by a later one (selective divergence).
//! 2. All steps before the fired transitions are deactivated, then all steps behind them are activated.
//! 3. Actions are controlled by the steps that are active now, and run: exit actions, last times of actions that have
//!    ended, entry actions, then active ones and BOOL variables; among equals in the order of the source. In CODESYS and
//!    TwinCAT: exit actions, entry actions, the steps' own actions, last times, active ones; the last two in the order of
//!    their names (their manual, "Processing Order in SFC").
//!
//! Decided here, where IEC 61131-3 (6.7) leaves room:
//! - The first call only acts: "testing of the successor transition of an active step is not performed until the
//!   effects of the step activation have propagated", and that holds for the initial step too.
//! - A step S is the instance `S` of a hidden block, so `S.X` and `S.T` can be read wherever the POU's variables can. `T` is 0 in
//!   the call that activates the step (for the initial step: the first call). It keeps its last value while the step is inactive.
//! - A step that one evolution both leaves and enters stays active: P sees no edge, and `T` starts at zero.
//! - P, P1 and P0 are edges of *each* step, not of the OR of several: two successive steps that pulse one action give two pulses.
//!   The timers of L, D, SD, DS, SL see the OR, as the standard's ACTION_CONTROL has it.
//! - With [`Rules::final_scan`] (the standard's first variant, as in CODESYS and TwinCAT) an action's statements
//!   run once more in the call in which it has ended; P1 and P0 run once. BOOL variables have no last time.

mod actions;
mod build;
mod check;
mod draw;
#[cfg(test)]
mod law;
mod matiec;
mod targets;
#[cfg(test)]
mod tests;
mod transitions;

use crate::ast::{ActionDecl, Body, Chart, Expr, Ident, Pou, PouKind, Section, Stmt, Unit, VarBlock, VarDecl};
use crate::dialect::ChartOrder;
use crate::text::{Diagnostic, Span, codes, key};

pub(crate) use draw::{diagram, draw};

/// Properties of charts in which dialects differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    /// An action's statements run once more when it has ended.
    pub(crate) final_scan: bool,
    /// Order of evolution and actions in one call.
    pub(crate) order: ChartOrder,
}

/// A chart whose first call evaluates no transition, though there is one to evaluate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FirstCall {
    /// Name of the POU or action.
    pub(crate) name: String,
    /// The chart.
    pub(crate) span: Span,
}

/// Replaces every chart of the unit by statements.
pub(crate) fn lower(unit: &mut Unit, rules: Rules, findings: &mut Vec<Diagnostic>) -> Vec<FirstCall> {
    let mut first_calls = Vec::new();
    for pou in unit.pous_mut() {
        if rules.order == ChartOrder::EvolveThenAct {
            first_calls.extend(silent_first_calls(pou));
        }
        of_pou(pou, rules, findings);
    }
    first_calls
}

/// Returns the charts of a POU with a transition that the first call could fire.
fn silent_first_calls(pou: &Pou) -> Vec<FirstCall> {
    let bodies = std::iter::once((&pou.name, &pou.body)).chain(pou.actions.iter().map(|action| (&action.name, &action.body)));
    let mut found = Vec::new();
    for (name, body) in bodies {
        let Body::Chart(chart) = body else { continue };
        let is_initial =
            |end: &crate::ast::Ident| chart.steps.iter().any(|step| step.initial && key(&step.name.text) == key(&end.text));
        if chart.transitions.iter().any(|transition| !transition.from.is_empty() && transition.from.iter().all(is_initial)) {
            found.push(FirstCall { name: name.text.clone(), span: chart.span });
        }
    }
    found
}

fn of_pou(pou: &mut Pou, rules: Rules, findings: &mut Vec<Diagnostic>) {
    let accessors = pou.properties.iter_mut().flat_map(|p| p.getter.iter_mut().chain(&mut p.setter));
    for method in pou.methods.iter_mut().chain(accessors) {
        if let Some(Body::Chart(chart)) = &method.body {
            method.body = Some(refused(chart, "a method", findings));
        }
    }
    if pou.kind == PouKind::Function {
        for body in std::iter::once(&mut pou.body).chain(pou.actions.iter_mut().map(|a| &mut a.body)) {
            if let Body::Chart(chart) = body {
                *body = refused(chart, "a function", findings);
            }
        }
        return;
    }
    let mut n = 0;
    if let Body::Chart(chart) = &pou.body {
        let chart = chart.clone();
        pou.body = Body::Statements(of_chart(pou, chart, n, rules, findings));
        n += 1;
    }
    for action in 0..pou.actions.len() {
        if let Some(ActionDecl { body: Body::Chart(chart), .. }) = pou.actions.get(action) {
            let chart = chart.clone();
            let body = Body::Statements(of_chart(pou, chart, n, rules, findings));
            n += 1;
            if let Some(action) = pou.actions.get_mut(action) {
                action.body = body;
            }
        }
    }
}

/// Reports a chart at a place where its state would be lost, and returns a body instead.
fn refused(chart: &Chart, place: &str, findings: &mut Vec<Diagnostic>) -> Body {
    let message = format!("{place} cannot hold a sequential function chart");
    let finding = Diagnostic::error(codes::CHART_PLACE, chart.span, message, "its steps would be forgotten between two calls");
    findings.push(finding.help("move the chart into a FUNCTION_BLOCK or PROGRAM"));
    Body::Statements(vec![Stmt::unsupported("sequential function chart", chart.span)])
}

fn of_chart(pou: &mut Pou, mut chart: Chart, n: usize, rules: Rules, findings: &mut Vec<Diagnostic>) -> Vec<Stmt> {
    let steps = check::index(&mut chart, findings);
    check::check(&chart, &steps, findings);
    let mut lowering =
        Lowering { prefix: format!("__sfc{n}"), kept: Vec::new(), temporary: Vec::new(), actions: Vec::new(), stmts: Vec::new() };
    for step in &chart.steps {
        let init = step.initial.then(|| build::with_true("X", step.name.span));
        lowering.kept.push(VarDecl { init, ..build::declared(&step.name, "__SFC_STEP") });
    }
    flags(pou, chart.span, &mut lowering);
    let running = lowering.keep("running", "BOOL", chart.span);
    let is_running = || build::variable(&running, chart.span);
    transitions::measure(&chart, &running, &mut lowering);
    match rules.order {
        ChartOrder::EvolveThenAct => {
            let evolution = transitions::evolution(&chart, &steps, &mut lowering);
            if !evolution.is_empty() {
                lowering.stmts.push(Stmt::when(is_running(), evolution, chart.span));
            }
            actions::act(pou, &chart, rules, &mut lowering);
        }
        ChartOrder::ActThenEvolve => {
            let evolution = transitions::evolution(&chart, &steps, &mut lowering);
            actions::act(pou, &chart, rules, &mut lowering);
            lowering.stmts.extend(evolution);
        }
        ChartOrder::StepByStep => matiec::lower(pou, &chart, &steps, &running, &mut lowering),
    }
    lowering.stmts.push(Stmt::assign(is_running(), Expr::truth(true, chart.span), chart.span));
    let Lowering { kept, temporary, actions, stmts, .. } = lowering;
    // They stand in front: if a step and a variable have one name, the statements mean the step.
    pou.vars.insert(0, VarBlock::new(Section::Var, kept, chart.span));
    pou.vars.push(VarBlock::new(Section::Temp, temporary, chart.span));
    pou.actions.extend(actions);
    stmts
}

/// Variables of these names steer a chart in CODESYS and TwinCAT.
const FLAGS: &[(&str, &str)] = &[
    ("SFCInit", "chart under SFCInit"),
    ("SFCReset", "chart under SFCReset"),
    ("SFCPause", "chart under SFCPause"),
    ("SFCTip", "chart under SFCTip"),
    ("SFCTipMode", "chart under SFCTipMode"),
];

/// Ends runs in which one of these variables is TRUE: their effect is not modelled.
fn flags(pou: &Pou, span: Span, lowering: &mut Lowering) {
    for var in pou.vars.iter().flat_map(|block| &block.vars) {
        if let Some((_, words)) = FLAGS.iter().find(|(name, _)| name.eq_ignore_ascii_case(&var.name.text)) {
            let ends = vec![Stmt::unsupported(*words, span)];
            lowering.stmts.push(Stmt::when(build::variable(&var.name.text, span), ends, span));
        }
    }
}

/// Declarations and statements that a chart becomes.
struct Lowering {
    /// Two underscores in front: no program declares such a name.
    prefix: String,
    kept: Vec<VarDecl>,
    temporary: Vec<VarDecl>,
    actions: Vec<ActionDecl>,
    stmts: Vec<Stmt>,
}

impl Lowering {
    /// Declares a hidden variable that keeps its value.
    fn keep(&mut self, word: &str, ty: &str, span: Span) -> String {
        let name = self.name(word);
        self.kept.push(build::declared(&Ident::new(&name, span), ty));
        name
    }
    /// Declares a hidden BOOL variable of one call.
    fn temporary(&mut self, word: &str, span: Span) -> String {
        let name = self.name(word);
        self.temporary.push(build::declared(&Ident::new(&name, span), "BOOL"));
        name
    }
    /// Declares a hidden action.
    fn action(&mut self, word: &str, body: Vec<Stmt>, span: Span) -> String {
        let name = self.name(word);
        self.actions.push(ActionDecl { name: Ident::new(&name, span), body: Body::Statements(body), span });
        name
    }
    fn name(&self, word: &str) -> String {
        format!("{}_{word}", self.prefix)
    }
}
