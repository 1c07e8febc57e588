//! A counterexample as a code flow: its statements in the order of their execution, with the values that they write.

use serde_json::{Map, Value, json};

use super::location;
use crate::report::outcome::{Counterexample, Cycle, Outcome, Step};

/// Most statements of a flow. Viewers draw each as a row; the last ones lead to the violation.
const MOST: usize = 5_000;

/// Returns the flow.
///
/// Shape:     one thread. Each cycle begins with the values of its inputs; a statement of the user's code follows the other.
pub(super) fn of(outcome: &Outcome, run: &Counterexample) -> Value {
    let mut locations: Vec<Value> = Vec::new();
    for cycle in &run.cycles {
        locations.extend(start(outcome, run, cycle));
        locations.extend(cycle.steps.iter().filter_map(|step| statement(run, cycle, step)));
    }
    let left_out = locations.len().saturating_sub(MOST);
    locations.drain(..left_out);
    for (n, location) in locations.iter_mut().enumerate() {
        location["executionOrder"] = (n + 1).into();
    }
    let said = match left_out {
        0 => format!("{} scan cycles", run.cycles.len()),
        n => format!("{} scan cycles; the first {n} statements are left out", run.cycles.len()),
    };
    // A flow of no statement is none: a program whose first cycle breaks it may have run nothing.
    if locations.is_empty() {
        let place = outcome.import.pous.first().and_then(|pou| location(&pou.place)).unwrap_or_else(|| json!({}));
        locations.push(json!({ "location": place }));
    }
    json!({ "message": { "text": said }, "threadFlows": [{ "locations": locations }] })
}

/// Returns the start of a cycle, with its inputs.
fn start(outcome: &Outcome, run: &Counterexample, cycle: &Cycle) -> Option<Value> {
    let mut place = location(&outcome.import.pous.first()?.place)?;
    let is_input = |name: &str| {
        use crate::report::outcome::VariableRole::{Input, Parameter};
        outcome.import.variables.iter().any(|variable| variable.name == name && matches!(variable.role, Input | Parameter))
    };
    let inputs = cycle.values.iter().filter(|value| is_input(&value.name));
    let state = state(inputs.map(|value| (value.name.as_str(), value.given.as_ref().unwrap_or(&value.value).as_str())));
    place["message"] = json!({ "text": format!("cycle {} begins, after {} ms", cycle.number, cycle.dt_ms) });
    let essential = run.causes.iter().any(|cause| cause.cycle == cycle.number);
    Some(json!({ "location": place, "state": state, "importance": importance(essential), "nestingLevel": 0 }))
}

fn statement(run: &Counterexample, cycle: &Cycle, step: &Step) -> Option<Value> {
    let mut place = location(&step.place)?;
    let told = |value: &crate::report::outcome::StepValue| {
        let from = match value.from_cycle {
            Some(0) => " (initial value)".to_owned(),
            Some(n) => format!(" (from cycle {n})"),
            None => String::new(),
        };
        format!("{}{}{}{from}", value.name, if value.written { " := " } else { " = " }, value.value)
    };
    let told: Vec<String> = step.values.iter().map(told).collect();
    place["message"] = json!({ "text": format!("cycle {}: {}", cycle.number, told.join(", ")) });
    let essential = step.cause || run.place.as_ref() == Some(&step.place);
    let state = state(step.values.iter().map(|value| (value.name.as_str(), value.value.as_str())));
    Some(json!({ "location": place, "state": state, "importance": importance(essential), "nestingLevel": 1 }))
}

fn state<'v>(values: impl Iterator<Item = (&'v str, &'v str)>) -> Value {
    let state: Map<String, Value> = values.map(|(name, value)| (name.to_owned(), json!({ "text": value }))).collect();
    Value::Object(state)
}

fn importance(essential: bool) -> &'static str {
    if essential { "essential" } else { "unimportant" }
}
