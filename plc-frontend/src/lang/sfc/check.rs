//! Mistakes in a chart itself: in its steps, in the ends of its transitions, in the times of its actions.

use std::collections::BTreeMap;

use crate::ast::{Chart, ChartStep, ChartTransition, Ident};
use crate::text::{Diagnostic, codes, key};

/// Returns the steps by the key of their name. Of steps with one name only the first stays.
pub(super) fn index(chart: &mut Chart, findings: &mut Vec<Diagnostic>) -> BTreeMap<String, usize> {
    let mut index: BTreeMap<String, usize> = BTreeMap::new();
    let mut steps: Vec<ChartStep> = Vec::with_capacity(chart.steps.len());
    for step in chart.steps.drain(..) {
        match index.get(&key(&step.name.text)).and_then(|&first| steps.get(first)) {
            None => {
                index.insert(key(&step.name.text), steps.len());
                steps.push(step);
            }
            Some(first) => {
                let message = format!("two steps have the name `{}`", step.name.text);
                let finding = Diagnostic::error(codes::DUPLICATE_NAME, step.name.span, message, "declared again here");
                findings.push(finding.label(first.name.span, "declared first here").help("rename one of them"));
            }
        }
    }
    chart.steps = steps;
    index
}

/// Reports all other mistakes.
pub(super) fn check(chart: &Chart, steps: &BTreeMap<String, usize>, findings: &mut Vec<Diagnostic>) {
    initial(chart, findings);
    for transition in &chart.transitions {
        ends(transition, findings);
        for end in transition.from.iter().chain(&transition.to) {
            known(end, chart, steps, findings);
        }
    }
    reachable(chart, steps, findings);
    for step in &chart.steps {
        times(step, findings);
    }
}

fn initial(chart: &Chart, findings: &mut Vec<Diagnostic>) {
    let mut initial = chart.steps.iter().filter(|step| step.initial);
    match (initial.next(), initial.next()) {
        (None, _) => {
            let finding =
                Diagnostic::error(codes::INITIAL_STEP, chart.span, "this chart has no initial step", "where does it start?");
            findings.push(finding.help("declare the step that is active at cold start as INITIAL_STEP"));
        }
        (Some(first), Some(second)) => {
            let message = format!("`{}` and `{}` are both initial steps", first.name.text, second.name.text);
            let finding = Diagnostic::error(codes::INITIAL_STEP, second.name.span, message, "a second initial step");
            let finding = finding.label(first.name.span, "the first one");
            findings.push(finding.help("keep one INITIAL_STEP; several steps start together behind a simultaneous divergence"));
        }
        (Some(_), None) => {}
    }
}

fn ends(transition: &ChartTransition, findings: &mut Vec<Diagnostic>) {
    for (ends, word, help) in [(&transition.from, "from", "write FROM step"), (&transition.to, "to", "write TO step")] {
        if ends.is_empty() {
            let message = format!("this transition leads {word} no step");
            let finding = Diagnostic::error(codes::TRANSITION_ENDS, transition.span, message, "connected on one side only");
            findings.push(finding.help(help));
        }
        let mut seen: BTreeMap<String, &Ident> = BTreeMap::new();
        for end in ends {
            if seen.insert(key(&end.text), end).is_some() {
                let message = format!("this transition names the step `{}` twice", end.text);
                let finding = Diagnostic::error(codes::TRANSITION_ENDS, end.span, message, "named again");
                findings.push(finding.help("name each step once"));
            }
        }
    }
}

fn known(end: &Ident, chart: &Chart, steps: &BTreeMap<String, usize>, findings: &mut Vec<Diagnostic>) {
    if steps.contains_key(&key(&end.text)) {
        return;
    }
    let finding =
        Diagnostic::error(codes::UNKNOWN_STEP, end.span, format!("there is no step `{}`", end.text), "not in this chart");
    let names: Vec<&str> = chart.steps.iter().map(|step| step.name.text.as_str()).take(12).collect();
    findings.push(finding.help(format!("the steps of this chart are {}", names.join(", "))));
}

/// Reports steps that no run can make active: a transition can fire once all steps before it can be active.
fn reachable(chart: &Chart, steps: &BTreeMap<String, usize>, findings: &mut Vec<Diagnostic>) {
    let ids = |ends: &[Ident]| ends.iter().filter_map(|end| steps.get(&key(&end.text)).copied()).collect::<Vec<usize>>();
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); chart.steps.len()];
    let mut waits: Vec<usize> = Vec::with_capacity(chart.transitions.len());
    for (n, transition) in chart.transitions.iter().enumerate() {
        let from = ids(&transition.from);
        waits.push(from.len());
        from.iter().filter_map(|&step| leaving.get_mut(step).map(|row| row.push(n))).for_each(drop);
    }
    let mut reached = vec![false; chart.steps.len()];
    let mut waitlist: Vec<usize> = (0..chart.steps.len()).filter(|&n| chart.steps.get(n).is_some_and(|s| s.initial)).collect();
    if waitlist.is_empty() {
        return;
    }
    while let Some(step) = waitlist.pop() {
        match reached.get_mut(step) {
            Some(seen @ false) => *seen = true,
            Some(true) | None => continue,
        }
        for &transition in leaving.get(step).into_iter().flatten() {
            let Some(open) = waits.get_mut(transition) else { continue };
            *open = open.saturating_sub(1);
            if *open == 0 {
                waitlist.extend(chart.transitions.get(transition).map(|t| ids(&t.to)).unwrap_or_default());
            }
        }
    }
    for (step, _) in chart.steps.iter().zip(&reached).filter(|(_, reached)| !**reached) {
        let message = format!("no transition leads to the step `{}`", step.name.text);
        let finding = Diagnostic::error(codes::UNREACHABLE_STEP, step.name.span, message, "never active").warning();
        findings.push(finding.help("add a transition to it, or remove it"));
    }
}

fn times(step: &ChartStep, findings: &mut Vec<Diagnostic>) {
    for action in &step.actions {
        match (action.qualifier.is_timed(), &action.duration) {
            (true, None) => {
                let message = format!("the qualifier {} needs a time", action.qualifier.word());
                let finding = Diagnostic::error(codes::ACTION_TIME, action.span, message, "for how long?");
                findings.push(finding.help("write it behind the qualifier: (L, T#5s)"));
            }
            (false, Some(duration)) => {
                let message = format!("the qualifier {} has no time", action.qualifier.word());
                let finding = Diagnostic::error(codes::ACTION_TIME, duration.span, message, "has no effect").warning();
                findings.push(finding.help("remove it, or use L, D, SD, DS or SL"));
            }
            (true, Some(_)) | (false, None) => {}
        }
    }
}
