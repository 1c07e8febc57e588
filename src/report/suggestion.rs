//! Assumption that excludes a counterexample: offered to the user, who knows the plant, and never asserted.

use super::outcome::{Counterexample, NamedValue};

/// Most inputs in one suggestion: a longer condition excludes nothing but this run.
const MOST_INPUTS: usize = 6;

/// Returns an expression that is FALSE at the beginning of the cycle whose inputs cause most; `None` without such inputs.
///
/// The last cycle wins among equals. Values without a literal are left out.
pub fn assumption(run: &Counterexample) -> Option<String> {
    let cause = run.causes.iter().max_by_key(|cause| (cause.inputs.len().min(MOST_INPUTS), cause.cycle))?;
    let cycle = run.cycles.iter().find(|cycle| cycle.number == cause.cycle)?;
    let value = |name: &String| cycle.values.iter().find(|value| value.name == *name);
    let parts: Vec<String> = cause.inputs.iter().filter_map(value).filter_map(condition).take(MOST_INPUTS).collect();
    if parts.is_empty() { None } else { Some(format!("NOT ({})", parts.join(" AND "))) }
}

/// Returns the condition that an input has its value at the beginning of the cycle.
fn condition(value: &NamedValue) -> Option<String> {
    let name = &value.name;
    match value.given.as_ref().unwrap_or(&value.value).as_str() {
        "TRUE" => Some(name.clone()),
        "FALSE" => Some(format!("NOT {name}")),
        "NaN" | "+Inf" | "-Inf" => None,
        other => Some(format!("{name} = {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example::booster;
    use crate::report::outcome::Cause;

    #[test]
    fn the_inputs_of_one_cycle_become_a_condition() {
        let outcome = booster();
        let mut run = outcome.results[0].counterexample.clone().unwrap();
        assert_eq!(assumption(&run).as_deref(), Some("NOT (StartCmd AND NOT ValveFB)"));
        run.cycles[1].values[0].given = Some("42".into());
        assert_eq!(assumption(&run).as_deref(), Some("NOT (StartCmd = 42 AND NOT ValveFB)"));
        run.causes = vec![Cause { cycle: 2, inputs: vec!["Nothing".into()] }];
        assert_eq!(assumption(&run), None);
        run.causes.clear();
        assert_eq!(assumption(&run), None);
    }
}
