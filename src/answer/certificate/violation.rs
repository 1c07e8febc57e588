//! Certificates of violations: inputs of the program in each cycle. Checked by running the program.

use std::collections::BTreeMap;

use plc_frontend::hir::{Leaf, Value, leaf_at_call};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::check::Answer;
use super::conditions::agreed;
use super::header::{FORMAT, Identity, one_line};
use super::{Flaw, sexp, shorten};
use crate::replay::{Case, CycleInputs, Replayed};

/// Inputs of a program in one cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InputCycle {
    /// Nanoseconds since the cycle before.
    pub dt_ns: i64,
    /// Inputs that change, by their full names: `TRUE`, `42`, `1.5`. The others keep their values.
    #[serde(default)]
    pub inputs: BTreeMap<String, String>,
}

/// A certificate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Violation {
    /// [`FORMAT`].
    #[serde(rename = "certificate-format")]
    pub format: String,
    /// Program and requirement: keys and values as in the header of a proof's certificate.
    pub about: Vec<(String, String)>,
    /// `violated`; `possible` where the requirement asks for a run.
    pub answer: String,
    /// Sentences for people.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The cycles; the violation is in the last one.
    pub cycles: Vec<InputCycle>,
}

/// Cycles of the longest run that is replayed.
const MOST_CYCLES: usize = 1_000_000;

impl InputCycle {
    /// Writes inputs of a run.
    pub fn of(cycle: &CycleInputs) -> InputCycle {
        let text = |value: &Value| match value {
            Value::Bool(true) => "TRUE".to_owned(),
            Value::Bool(false) => "FALSE".to_owned(),
            Value::Int(v) => v.to_string(),
            // The shortest text of the number.
            Value::Real(bits) => format!("{:?}", f32::from_bits(*bits)),
            Value::LReal(bits) => format!("{:?}", f64::from_bits(*bits)),
        };
        InputCycle { dt_ns: cycle.dt_ns, inputs: cycle.inputs.iter().map(|(name, value)| (name.clone(), text(value))).collect() }
    }
    /// Returns whether its time may pass between cycles.
    pub(super) fn fits(&self, dt_ns: (i64, i64)) -> bool {
        dt_ns.0 <= self.dt_ns && self.dt_ns <= dt_ns.1 && self.dt_ns % 1_000_000 == 0
    }
    /// Reads the values for the inputs of a program.
    pub fn read(&self, leaves: &BTreeMap<String, Leaf>) -> Result<CycleInputs, Flaw> {
        let mut inputs = BTreeMap::new();
        for (name, text) in &self.inputs {
            let later = || leaf_at_call(name).and_then(|(names, _)| names.iter().find_map(|name| leaves.get(name)));
            let Some(leaf) = leaves.get(name).or_else(later) else {
                return Err(Flaw(format!("`{}` is no input of the program", shorten(name))));
            };
            let value = stated_value(leaf, text).ok_or_else(|| Flaw(format!("`{}` is no value of `{name}`", shorten(text))))?;
            inputs.insert(name.clone(), value);
        }
        Ok(CycleInputs { inputs, dt_ns: self.dt_ns })
    }
}

/// Returns the value of a scalar in the form of certificates: `TRUE`, `42`, `1.5`; `None` if it is none of the leaf's kind.
pub fn stated_value(leaf: &Leaf, text: &str) -> Option<Value> {
    match leaf.init? {
        Value::Bool(_) => match text {
            "TRUE" => Some(Value::Bool(true)),
            "FALSE" => Some(Value::Bool(false)),
            _ => None,
        },
        Value::Real(_) => text.parse().ok().map(Value::real),
        Value::LReal(_) => text.parse().ok().map(Value::lreal),
        Value::Int(_) => text.parse().ok().map(Value::Int),
    }
}

impl Violation {
    /// Makes the certificate of these cycles.
    pub fn new(identity: &Identity, notes: &[String], cycles: Vec<InputCycle>) -> Violation {
        let about = identity.about().into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        let answer = if identity.is_possibility { "possible" } else { "violated" };
        let notes = notes.iter().map(|note| one_line(note)).collect();
        Violation { format: FORMAT.to_owned(), about, answer: answer.to_owned(), notes, cycles }
    }
    /// Reads a certificate.
    pub fn read(text: &str) -> Result<Violation, Flaw> {
        if sexp::MAX_BYTES < text.len() {
            return Err(Flaw("it is too large".into()));
        }
        serde_json::from_str(text).map_err(|e| Flaw(format!("it is no certificate of a violation: {e}")))
    }
    /// Returns the id of its requirement.
    pub fn requirement(&self) -> Result<String, Flaw> {
        let found = self.about.iter().find(|(key, _)| key == "requirement");
        found.map(|(_, id)| id.clone()).ok_or_else(|| Flaw("it names no `requirement`".into()))
    }
}

/// Checks that a format, keys with values and an answer are those of a violation of `identity`. Returns its conditions.
pub(super) fn is_about(
    format: &str,
    about: &[(String, String)],
    answer: &str,
    identity: &Identity,
) -> Result<Vec<String>, Answer> {
    if format != FORMAT {
        return Err(Answer::Unfit(format!("its format is `{}`; this program reads `{FORMAT}`", shorten(format))));
    }
    let said: Vec<(&str, String)> = about.iter().map(|(key, value)| (key.as_str(), value.clone())).collect();
    if let Some(difference) = identity.differs(&said) {
        return Err(Answer::Unfit(difference));
    }
    let expected = if identity.is_possibility { "possible" } else { "violated" };
    if answer != expected {
        let said = shorten(answer);
        return Err(Answer::Unfit(format!("its answer is `{said}`, which a run cannot show about this requirement")));
    }
    agreed(&identity.conditions, &said)
}

/// Runs the program with the inputs of the certificate.
///
/// Soundness: `Certified` or `Conditional` iff the interpreter shows the violation in the last cycle.
pub fn check_violation(certificate: &Violation, identity: &Identity, case: &Case<'_>, dt_ns: (i64, i64)) -> Answer {
    let conditions = match is_about(&certificate.format, &certificate.about, &certificate.answer, identity) {
        Ok(conditions) => conditions,
        Err(answer) => return answer,
    };
    if MOST_CYCLES < certificate.cycles.len() {
        return Answer::Unfit(format!("it has {} cycles; the limit is {MOST_CYCLES}", certificate.cycles.len()));
    }
    let leaves: BTreeMap<String, Leaf> = case.project.leaves().into_iter().map(|leaf| (leaf.name.clone(), leaf)).collect();
    let mut cycles = Vec::with_capacity(certificate.cycles.len());
    for (n, cycle) in certificate.cycles.iter().enumerate() {
        if !cycle.fits(dt_ns) {
            return Answer::Refuted(vec![format!(
                "cycle {}: {} ns is no time between cycles of this program",
                n + 1,
                cycle.dt_ns
            )]);
        }
        match cycle.read(&leaves) {
            Ok(inputs) => cycles.push(inputs),
            Err(flaw) => return Answer::Unfit(format!("cycle {}: {flaw}", n + 1)),
        }
    }
    match case.replay(&cycles) {
        Replayed::Violated { cycle, .. } if cycle + 1 == cycles.len() => {
            let what = if identity.is_possibility { "what is asked for is there" } else { "the requirement is violated" };
            let shown = vec![format!("the program was run: {what} in cycle {}", cycle + 1)];
            Answer::certified(shown, conditions)
        }
        Replayed::Violated { cycle, .. } => Answer::Refuted(vec![format!(
            "the program was run: it happens in cycle {} already, not in the last one, cycle {}",
            cycle + 1,
            cycles.len()
        )]),
        Replayed::Held => Answer::Refuted(vec![format!("the program was run: in none of {} cycles it happens", cycles.len())]),
        Replayed::Ended { cycle, fault } => {
            Answer::Refuted(vec![format!("the program was run: the run ends in cycle {} before it: {:?}", cycle + 1, fault.kind)])
        }
        Replayed::Excluded { cycle, assumption } => Answer::Refuted(vec![format!(
            "the program was run: in cycle {} assumption {} does not hold",
            cycle + 1,
            assumption + 1
        )]),
        Replayed::Unfit(bad) => Answer::Refuted(vec![format!("the program was not run: {bad}")]),
    }
}
