//! Tests for the controller: a run of an answer as a program that gives the inputs, cycle by cycle, and watches the requirement.
//!
//! Knows the HIR, the claim and the inputs of the run. [`PlcTest`] is the common form; `program` writes it as plain IEC text,
//! `tc_unit` as a test of TcUnit. Parts of the run that a program cannot express are listed in the file, never left out silently.

mod calls;
mod drive;
mod observer;
mod paths;
mod program;
mod tc_unit;
#[cfg(test)]
mod tests;
mod visibility;

use plc_frontend::hir::{Project, Value};
use plc_frontend::interp::Limits;
use plc_frontend::source::SourceSet;

use answer::replay::CycleInputs;
use kernel::property::claim::Claim;

pub use program::program;
pub use tc_unit::tc_unit;

use calls::{Call, calls};
use drive::{Drive, drive};
use observer::{Observer, observer};
use paths::Paths;

/// Run of an answer, with its words.
pub struct Recorded<'a> {
    /// The program.
    pub project: &'a Project,
    /// Its sources.
    pub sources: &'a SourceSet,
    /// Limits of the interpreter.
    pub limits: Limits,
    /// The claim that the run decides.
    pub claim: &'a Claim,
    /// The run; what it shows happens in the last cycle.
    pub cycles: &'a [CycleInputs],
    /// Id of the requirement.
    pub id: &'a str,
    /// Sentences for people: the requirement, its meaning, the answer, and the course of the run.
    pub notes: &'a [String],
}

/// Returns whether the controller restarts in a run.
fn restarts(run: &Recorded<'_>) -> bool {
    let input = run.project.restart.map(|id| run.project.globals[id].name.as_str());
    let restarts = |cycle: &CycleInputs| input.and_then(|input| cycle.inputs.get(input)) == Some(&Value::Bool(true));
    run.cycles.iter().skip(1).any(restarts)
}

/// Test that drives a program through a run.
pub struct PlcTest {
    /// Name of the test's POU.
    name: String,
    /// Id of the requirement.
    id: String,
    /// Sentences about the test, for its head.
    head: Vec<String>,
    /// Names of the test's own variables.
    own: OwnNames,
    /// Variables of the test besides those, with their types.
    declarations: Vec<(String, String)>,
    /// Assignments at the beginning of each cycle.
    given: Vec<Vec<String>>,
    /// Assignments at the beginning of every cycle.
    always_given: Vec<String>,
    /// Calls of the program, in their order.
    calls: Vec<Call>,
    /// Expected values that change, by cycle.
    expected: Vec<Vec<String>>,
    /// Condition under which the values are not those of the run; empty if nothing is compared.
    differs: String,
    /// Watch over the requirement.
    observer: Observer,
}

/// Names of variables that every test has. No name of the program hides them, and they hide none.
struct OwnNames {
    cycle: String,
    shown: String,
    shown_in: String,
    differs_in: String,
}

impl PlcTest {
    /// Returns the test of a run. The error says in one sentence why the program cannot be driven.
    ///
    /// Cost: one interpreted run, and a few passes over its cycles.
    pub fn new(run: &Recorded<'_>) -> Result<PlcTest, String> {
        if restarts(run) {
            return Err("the controller restarts in the run, and no program of it can do that".to_owned());
        }
        let mut paths = Paths::new(run.project)?;
        let name = paths.free(&format!("Test_{}", identifier(run.id)));
        let verb = if run.claim.is_possibility() { "Reached" } else { "Broken" };
        let own = OwnNames {
            cycle: paths.free("Cycle"),
            shown: paths.free(verb),
            shown_in: paths.free(&format!("{verb}InCycle")),
            differs_in: paths.free("DiffersInCycle"),
        };
        let observer = observer(run.claim, run.project, &mut paths)?;
        let Drive { given, always_given, declarations, expected, differs, ends_with, not_expressed, inner } =
            drive(run, &mut paths, &observer)?;
        let calls = calls(run, &paths)?;
        let mut all = paths.declarations();
        all.extend(observer.declarations.iter().cloned());
        all.extend(declarations);
        let mut head = run.notes.to_vec();
        head.extend(ends_with);
        head.extend(step_sentences(run.cycles));
        head.extend(paths.sentences());
        if !inner.is_empty() {
            let names = inner.into_iter().collect::<Vec<_>>().join(", ");
            head.push(format!(
                "The test writes inner variables of a program: {names}. Where your system refuses that, set them online."
            ));
        }
        let not_expressed: Vec<String> = not_expressed.into_iter().chain(observer.not_seen.clone()).collect();
        head.extend(not_expressed.iter().map(|what| format!("NOT EXPRESSED: {what}.")));
        if !not_expressed.is_empty() {
            head.push("Without these values this test may not show what the run shows.".to_owned());
        }
        let id = run.id.to_owned();
        Ok(PlcTest { name, id, head, own, declarations: all, given, always_given, calls, expected, differs, observer })
    }

    /// Returns the number of cycles.
    fn n_cycles(&self) -> usize {
        self.given.len()
    }
}

/// Returns the sentence about the time between cycles.
fn step_sentences(cycles: &[CycleInputs]) -> Vec<String> {
    let ms = |cycle: &CycleInputs| cycle.dt_ns / 1_000_000;
    let first = cycles.first().map_or(0, ms);
    if cycles.iter().all(|cycle| ms(cycle) == first) {
        return vec![format!("Run it in a task of {first} ms: the run has this time between cycles.")];
    }
    let steps: Vec<String> = cycles.iter().map(|cycle| ms(cycle).to_string()).collect();
    vec![format!("NOT EXPRESSED: the times between cycles differ; timers see them. In milliseconds: {}.", steps.join(", "))]
}

/// Returns a text as a part of an identifier.
fn identifier(text: &str) -> String {
    let word: String = text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let mut parts: Vec<&str> = word.split('_').filter(|part| !part.is_empty()).collect();
    if parts.is_empty() {
        parts.push("requirement");
    }
    parts.join("_")
}
