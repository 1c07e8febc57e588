//! The check `output_never_changes`: outputs that have one value only.

use plc_frontend::Loaded;
use plc_frontend::hir::Value;

use super::simulated::Output;
use super::{Asked, Check, CheckKind, too_many};
use crate::property::claim::Claim;
use crate::property::formula::Formula;
use crate::property::rejected::Rejected;
use crate::property::requirements::ResolvedRequirement;

pub(super) const ROW: Check = Check {
    name: "output_never_changes",
    kind: CheckKind::ConstantOutputs,
    text: "Every output can change.",
    condition: None,
    mistake: None,
    meaning: "Each output has different values at the ends of cycles. Simulated runs strike off most; each output that keeps its \
              value in them is a requirement of its own: a run shows another value, or it is proved that there is none.",
    requirements,
};

/// Returns the requirements that every output can change; the error is the reason why there are none.
fn requirements(check: &Check, asked: &mut Asked<'_>) -> Result<Vec<ResolvedRequirement>, String> {
    let (loaded, simulated) = asked.simulated();
    let (mut checked, mut refused) = (Vec::new(), Vec::new());
    let constant: Vec<&Output> = simulated.outputs.iter().filter(|output| !output.changed).collect();
    too_many(constant.len())?;
    let requirement = |loaded: &mut Loaded, output: &Output, id: String, text: String, meaning: String| {
        let (claim, place) = (Claim::Reachable(another_value(loaded, output)?), output.leaves.first().map(|leaf| leaf.span));
        Ok::<ResolvedRequirement, String>(ResolvedRequirement { id, text, meaning, pattern: check.name, claim, place })
    };
    if let (true, Some(output)) = (constant.is_empty(), simulated.outputs.last()) {
        let n = simulated.outputs.len();
        let text = format!("Every output can change: in simulated runs each of the {n} had different values.");
        let meaning = format!("For `{}` a run shows it.", output.name);
        checked.push(requirement(loaded, output, check.id(), text, meaning)?);
    }
    for (i, output) in constant.iter().enumerate() {
        let (name, value) = (&output.name, only_value(loaded, output));
        let text = format!("Output `{name}` can change.");
        let meaning = format!("At the end of some cycle `{name}` is not {value}, the value that it had in all simulated runs.");
        let id = format!("{}-{}", check.id(), i + 1);
        match requirement(loaded, output, id.clone(), text.clone(), meaning) {
            Ok(requirement) => checked.push(requirement),
            // Others are asked all the same.
            Err(why) => refused.push(Rejected { id, text, pattern: check.name, at: 0, why, problems: Vec::new() }),
        }
    }
    let at = asked.stated.requirements.len() + checked.len();
    asked.stated.rejected.extend(refused.into_iter().map(|refused| Rejected { at, ..refused }));
    Ok(checked)
}

fn only_value(loaded: &Loaded, output: &Output) -> String {
    output.first_to_st(&loaded.project).unwrap_or_default()
}

/// Returns the condition that the output does not have its first value.
fn another_value(loaded: &mut Loaded, output: &Output) -> Result<Formula, String> {
    let name = output.name.clone();
    let is_nan = match output.first().as_slice() {
        [Value::Real(bits)] => f32::from_bits(*bits).is_nan(),
        [Value::LReal(bits)] => f64::from_bits(*bits).is_nan(),
        _ => false,
    };
    let text = if is_nan { format!("{name} = {name}") } else { format!("{name} <> {}", only_value(loaded, output)) };
    let parsed = plc_frontend::condition(loaded, &format!("`{name}` changes"), &text);
    parsed.value.map(Formula::Now).ok_or_else(|| format!("`{name}` cannot be asked about"))
}
