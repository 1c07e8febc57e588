//! Models for other tools: the question of one requirement as Theta CFA, constrained Horn clauses, btor2, SMV or C.
//! So a verdict can be checked without trusting this program.
//!
//! [`question`]: the question. [`names`] and [`terms`]: parts of all writers. One writer per file: [`theta`] and [`c`] follow
//! the edges of the automaton; [`chc`], [`btor2`] and [`smv`] its large blocks, so that one step is one cycle. [`witness`]:
//! evidence about the C file in the format of SV-COMP.
//! Knows automata and expressions; knows no engine. **Invariant:** what a format cannot say exactly is refused by name; a
//! file never means something else than the automaton.

mod btor2;
mod c;
mod chc;
mod feature;
mod machine;
mod names;
mod question;
mod smv;
mod terms;
#[cfg(test)]
mod tests;
mod theta;
mod witness;

use feature::Feature;
pub use question::{Conditions, Question};
pub use witness::{Naming, Shown, Witness, witness};

/// A row of [`FORMATS`].
pub struct Format {
    /// Name on the command line and in addresses.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// Ending of its files.
    pub ending: &'static str,
    /// Meaning of another tool's answer, with `{reached}` and `{never}` for its meaning for the requirement.
    pub reading: &'static str,
    /// Features that it cannot say.
    lacks: &'static [Feature],
    write: fn(&mut Question) -> Result<String, Refused>,
}

/// All formats.
pub const FORMATS: &[Format] = &[theta::FORMAT, chc::FORMAT, btor2::FORMAT, smv::FORMAT, c::FORMAT];

/// Reason why there is no file, as one sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub String);

/// Returns the format of this name. The error is one sentence that names the formats.
pub fn format(name: &str) -> Result<&'static Format, Refused> {
    FORMATS.iter().find(|format| format.name == name).ok_or_else(|| {
        let known: Vec<String> = FORMATS.iter().map(|format| format!("`{}`", format.name)).collect();
        Refused(format!("there is no format `{name}`; the formats: {}", known.join(", ")))
    })
}

impl Format {
    /// Writes the file. Grows the question's pool.
    ///
    /// Cost:      linear in the automaton and its expressions; shared parts are written once.
    /// Stops:     [`Refused`] where the format cannot say an operation of the automaton.
    /// Soundness: as the file's header says, its error is reachable iff the question's is.
    pub fn write(&self, question: &mut Question) -> Result<String, Refused> {
        self.can_say(question)?;
        (self.write)(question)
    }
}
