//! Checks the certificate of a proof: reads the invariants, makes the obligations from the model, asks a solver.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::conditions::agreed;
use super::end::is_complete;
use super::header::{FORMAT, Identity, kind, read};
use super::sexp::Sexps;
use super::summaries::{Closed, closed};
use super::{Flaw, invariants, shorten};
use crate::certify::stated::Stated;
use crate::certify::{Asked, Rejected, check_stated, failing_state};
use kernel::cfa::Cfa;
use kernel::expr::ExprPool;
use kernel::smt::Interrupt;

/// Result of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// It shows its answer; one line for each obligation.
    Certified(Vec<String>),
    /// It shows its answer, which holds under conditions.
    Conditional {
        /// One line for each obligation.
        shown: Vec<String>,
        /// Conditions, which it does not show.
        conditions: Vec<String>,
    },
    /// It does not show its answer; the obligations that fail.
    Refuted(Vec<String>),
    /// Undecided, with the reason.
    Open(String),
    /// It is no certificate of this program and requirement, with the reason.
    Unfit(String),
}

impl Answer {
    /// Returns the answer about a certificate whose obligations hold.
    pub(super) fn certified(shown: Vec<String>, conditions: Vec<String>) -> Answer {
        if conditions.is_empty() { Answer::Certified(shown) } else { Answer::Conditional { shown, conditions } }
    }
}

/// Checks a proof of `identity` for this automaton.
///
/// Cost:      reading is linear in the text; the solver's time is bounded by `interrupt`.
/// Soundness: `Certified` or `Conditional` iff the solver proves all obligations. They are made from the automaton, and imply
///            that no run of it arrives at its error location. `Conditional` iff the program or the file names a condition.
pub fn check_proof(
    text: &str,
    identity: &Identity,
    pool: &ExprPool,
    cfa: &Cfa,
    asked: Asked<'_>,
    interrupt: &Interrupt,
) -> Answer {
    let conditions = match is_about(text, identity) {
        Ok(conditions) => conditions,
        Err(answer) => return answer,
    };
    // An incomplete file is refused, even if its proof is sufficient.
    let stated = match read_proof(pool, cfa, text).and_then(|stated| is_complete(text).map(|()| stated)) {
        Ok(stated) => stated,
        Err(flaw) => return Answer::Unfit(flaw.0),
    };
    let Closed { pool, cfa, stated } = match closed(pool, cfa, &stated) {
        Ok(closed) => closed,
        Err(flaw) => return Answer::Unfit(flaw.0),
    };
    match check_stated(&pool, &cfa, &stated, asked, interrupt) {
        Ok(obligations) => {
            let shown = obligations.iter().map(|obligation| format!("{}: {}", obligation.name, obligation.text));
            let answer = format!("`{}`: {}", identity.requirement, identity.answer(conditions.len()));
            Answer::certified(std::iter::once(answer).chain(shown).collect(), conditions)
        }
        Err(Rejected::Refuted(obligation)) => {
            let mut lines = vec![format!("{} fails; it says: {}", obligation.name, obligation.text)];
            if matches!(asked, Asked::Cvc5) {
                lines.extend(failing_state(&obligation.script, &pool, &cfa));
            }
            Answer::Refuted(lines)
        }
        Err(Rejected::Undecided(name, why)) => Answer::Open(format!("{name}: {why}")),
        Err(Rejected::Stopped(name)) => Answer::Open(format!("{name}: the time was over")),
        Err(Rejected::Malformed(why)) => Answer::Unfit(why),
    }
}

/// Returns the id of the requirement that a certificate is about.
pub fn kind_of(text: &str) -> Result<String, Flaw> {
    let lines = read(text);
    let value = |key: &str| lines.iter().find(|(k, _)| *k == key).map(|(_, value)| value.clone());
    match value("certificate-format").as_deref() {
        None => return Err(Flaw("it is not a certificate: its first lines do not say `certificate-format`".into())),
        Some(FORMAT) => {}
        Some(other) => return Err(Flaw(format!("its format is `{}`; this program reads `{FORMAT}`", shorten(other)))),
    }
    value("requirement").ok_or_else(|| Flaw("its header names no `requirement`".into()))
}

/// Checks that a text is about `identity`. Returns its conditions.
fn is_about(text: &str, identity: &Identity) -> Result<Vec<String>, Answer> {
    kind_of(text).map_err(|flaw| Answer::Unfit(flaw.0))?;
    let lines = read(text);
    if let Some(difference) = identity.differs(&lines) {
        return Err(Answer::Unfit(difference));
    }
    let conditions = agreed(&identity.conditions, &lines)?;
    let answers: Vec<&str> = lines.iter().filter(|(key, _)| *key == "answer").map(|(_, value)| value.as_str()).collect();
    let expected = identity.answer(conditions.len());
    if answers != [expected.as_str()] {
        let said = shorten(&answers.join("; "));
        return Err(Answer::Unfit(format!("its `answer` is `{said}`; what a proof shows here is `{expected}`")));
    }
    Ok(conditions)
}

/// Reads the kind of proof and its invariants; the rest of the text is ignored.
pub(super) fn read_proof(pool: &ExprPool, cfa: &Cfa, text: &str) -> Result<Stated, Flaw> {
    let kind = kind(&read(text))?;
    let mut stated = Stated { kind, parts: Vec::new(), places: BTreeMap::new() };
    invariants::read(pool, cfa, &Sexps::read(text)?, &mut stated)?;
    if stated.places.is_empty() {
        return Err(Flaw("it has no `define-fun invariant`: it was cut, or is no certificate of a proof".into()));
    }
    Ok(stated)
}
