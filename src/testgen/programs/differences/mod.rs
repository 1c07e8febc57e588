//! Programs with different meanings in dialects, one for each difference in `docs/dialects.md`. The interpreter is tested against
//! the values here, the model against the interpreter.

mod data;
mod execution;

use plc_frontend::dialect::DialectId;

/// One program and its meanings.
#[derive(Clone, Copy, Debug)]
pub struct Difference {
    /// Name in the last column of `docs/dialects.md`.
    pub id: &'static str,
    /// Declarations in front of the program.
    pub before: &'static str,
    /// Variables of the program; `x` is observed.
    pub vars: &'static str,
    /// Its body.
    pub body: &'static str,
    /// Values of its input `n`, cycle by cycle of 100 ms.
    pub inputs: &'static [i128],
    /// Values of `x` behind each cycle, `gap` for a cycle that meets one, or the code of the finding that refuses the program.
    pub values: &'static [(DialectId, &'static [&'static str])],
}

impl Difference {
    /// Returns the source text.
    pub fn text(&self) -> String {
        let Difference { before, vars, body, .. } = self;
        format!("{before}\nPROGRAM Main\nVAR_INPUT\n n : INT;\nEND_VAR\nVAR\n {vars}\nEND_VAR\n{body}\nEND_PROGRAM\n")
    }
    /// Returns the dialects that read the whole program, each with the values of `x`.
    pub fn runs(&self) -> impl Iterator<Item = (DialectId, &'static [&'static str])> + '_ {
        self.values.iter().copied().filter(|(_, values)| !matches!(values, [word] if word.starts_with('P') || *word == "gap"))
    }
}

const BASE: Difference = Difference { id: "", before: "", vars: "", body: "", inputs: &[0], values: &[] };

/// Returns all differences.
pub fn differences() -> impl Iterator<Item = &'static Difference> {
    execution::DIFFERENCES.iter().chain(data::DIFFERENCES)
}
