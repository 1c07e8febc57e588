//! Assumption that excludes a counterexample: offered to the user, who knows the plant, and never asserted.

use std::collections::BTreeSet;

use super::outcome::{Counterexample, Cycle, NamedValue, VariableRole, VariableSummary};

/// Most inputs in one suggestion: a longer condition excludes nothing but this run.
const MOST_INPUTS: usize = 6;

/// Reason why no assumption is suggested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoAssumption {
    /// No value from outside is a cause.
    NoCause,
    /// Causes are values of stubs or of memory, which assumptions do not restrict in each cycle.
    NoInput,
    /// The values have no literals that say them exactly.
    NotExpressible,
}

impl NoAssumption {
    /// Returns the reason as a sentence.
    pub fn words(self) -> &'static str {
        match self {
            NoAssumption::NoCause => "No input of one cycle is a cause, so no assumption is suggested.",
            NoAssumption::NoInput => {
                "Its causes from outside are values of stubs or first values of memory. An assumption about inputs cannot exclude \
                 it, so none is suggested. Upload the code of the block, or state the requirement without it."
            }
            NoAssumption::NotExpressible => "No expression says the values of its causes exactly, so no assumption is suggested.",
        }
    }
}

/// Returns an expression about inputs that is FALSE at the beginning of the cycle whose inputs cause most.
///
/// The last cycle wins among equals. Values without a literal are left out.
///
/// Soundness: an assumption holds at the beginning of each cycle, when the inputs are new. So only variables that have their value
///            then may stand in it: inputs and parameters. All parts are TRUE in that cycle.
pub fn assumption(run: &Counterexample, variables: &[VariableSummary]) -> Result<String, NoAssumption> {
    if run.causes.iter().all(|cause| cause.inputs.is_empty()) {
        return Err(NoAssumption::NoCause);
    }
    let is_given = |role: VariableRole| matches!(role, VariableRole::Input | VariableRole::Parameter);
    let inputs: BTreeSet<&str> =
        variables.iter().filter(|v| is_given(v.role) && is_path(&v.name)).map(|v| v.name.as_str()).collect();
    let named = |cause: &super::outcome::Cause| -> Vec<String> {
        cause.inputs.iter().filter(|name| inputs.contains(name.as_str())).take(MOST_INPUTS).cloned().collect()
    };
    let causes = run.causes.iter().map(|cause| (named(cause), cause.cycle)).filter(|(names, _)| !names.is_empty());
    let (names, number) = causes.max_by_key(|(names, cycle)| (names.len(), *cycle)).ok_or(NoAssumption::NoInput)?;
    let cycle = run.cycles.iter().find(|cycle| cycle.number == number).ok_or(NoAssumption::NoCause)?;
    let parts: Vec<String> = names.iter().filter_map(|name| condition(cycle, name)).collect();
    if parts.is_empty() {
        return Err(NoAssumption::NotExpressible);
    }
    Ok(format!("NOT ({})", parts.join(" AND ")))
}

/// Returns whether a name can stand in an expression: values at a call of a stub have words behind their names.
fn is_path(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']' | ',' | '-'))
}

/// Returns the condition that an input has its value at the beginning of a cycle; `None` for a value without a literal.
fn condition(cycle: &Cycle, name: &str) -> Option<String> {
    match begun(cycle, name)? {
        "TRUE" => Some(name.to_owned()),
        "FALSE" => Some(format!("NOT {name}")),
        "NaN" | "+Inf" | "-Inf" => None,
        other => Some(format!("{name} = {other}")),
    }
}

/// Returns the value of an input at the beginning of a cycle.
fn begun<'c>(cycle: &'c Cycle, name: &str) -> Option<&'c str> {
    let value: &NamedValue = cycle.values.iter().find(|value| value.name == name)?;
    Some(value.given.as_ref().unwrap_or(&value.value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example::booster;
    use crate::report::outcome::Cause;

    #[test]
    fn the_inputs_of_one_cycle_become_a_condition() {
        let outcome = booster();
        let variables = &outcome.import.variables;
        let mut run = outcome.results[0].counterexample.clone().unwrap();
        assert_eq!(assumption(&run, variables).as_deref(), Ok("NOT (StartCmd AND NOT ValveFB)"));
        run.cycles[1].values[0].given = Some("42".into());
        assert_eq!(assumption(&run, variables).as_deref(), Ok("NOT (StartCmd = 42 AND NOT ValveFB)"));
        run.cycles[1].values[0].given = Some("NaN".into());
        assert_eq!(assumption(&run, variables).as_deref(), Ok("NOT (NOT ValveFB)"));
        run.causes = vec![Cause { cycle: 2, inputs: vec!["Nothing".into()] }];
        assert_eq!(assumption(&run, variables), Err(NoAssumption::NoInput));
        run.causes.clear();
        assert_eq!(assumption(&run, variables), Err(NoAssumption::NoCause));
    }

    #[test]
    fn outputs_memory_and_values_of_stubs_are_never_assumed() {
        let outcome = booster();
        let mut variables = outcome.import.variables.clone();
        let mut run = outcome.results[0].counterexample.clone().unwrap();
        // A stub gives its value at a call, after the assumption was looked at.
        let at_call = "Vendor.Open (at call)".to_owned();
        variables.push(VariableSummary { name: at_call.clone(), ..variables[0].clone() });
        run.cycles[1].values[0].name = at_call.as_str().into();
        for name in [at_call.as_str(), "PumpA", "RunLatch"] {
            run.causes = vec![Cause { cycle: 2, inputs: vec![name.to_owned()] }];
            assert_eq!(assumption(&run, &variables), Err(NoAssumption::NoInput), "{name}");
        }
        run.causes = vec![Cause { cycle: 2, inputs: vec![at_call, "PumpA".into(), "ValveFB".into()] }];
        assert_eq!(assumption(&run, &variables).as_deref(), Ok("NOT (NOT ValveFB)"));
    }
}
