//! Tests for the controller on the worker's side.

use plc_frontend::interp::Limits;

use super::subject::{Statement, Subject};
use crate::report::format::{TestForm, WantedPlcTest};
use crate::report::plc_test::{PlcTest, Recorded, program, tc_unit};
use answer::certificate::StoredEvidence;

/// Returns the text of a test, or one sentence why there is none.
pub(super) fn written(subject: &Subject, wanted: &WantedPlcTest) -> Result<String, String> {
    let (StoredEvidence::Run(cycles), Statement::Program(loaded, requirement)) =
        (&wanted.evidence, subject.find(&wanted.requirement)?)
    else {
        return Err("only a run of a program becomes a test".to_owned());
    };
    let project = &loaded.loaded.project;
    let leaves = project.leaves().into_iter().map(|leaf| (leaf.name.clone(), leaf)).collect();
    let cycles = cycles.iter().map(|cycle| cycle.read(&leaves).map_err(|flaw| flaw.0)).collect::<Result<Vec<_>, _>>()?;
    let test = PlcTest::new(&Recorded {
        project,
        sources: &loaded.loaded.sources,
        limits: Limits { loop_rounds: loaded.model.options.loop_rounds, ..Limits::default() },
        claim: &requirement.claim,
        cycles: &cycles,
        id: &requirement.id,
        notes: &wanted.notes,
    })?;
    match wanted.form {
        TestForm::Program => Ok(program(&test)),
        TestForm::TcUnit => tc_unit(&test),
    }
}
