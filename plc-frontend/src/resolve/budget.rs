//! Limits of one resolution: nesting and initial values, so that no input exhausts stack or memory.

use crate::resolve::findings::{Bad, Findings, Res};
use crate::text::{Span, codes};

/// Most levels of expressions, statements, types and constants in each other.
const MAX_DEPTH: usize = 160;
/// Most listed findings of this kind: one long chain of declarations causes many.
const MAX_TOO_DEEP: usize = 3;
/// Most initial values of the whole project that are written out.
const MAX_INITIAL_VALUES: usize = 1_000_000;

/// Resources used so far.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    depth: usize,
    too_deep: usize,
    initial_values: usize,
}

impl Budget {
    /// Goes one level deeper; too deep is an error at `span`.
    pub(crate) fn enter(&mut self, findings: &mut Findings, span: Span) -> Res<()> {
        if self.depth < MAX_DEPTH {
            self.depth += 1;
            return Ok(());
        }
        self.too_deep += 1;
        if MAX_TOO_DEEP < self.too_deep {
            return Err(Bad::Reported);
        }
        let message = format!("more than {MAX_DEPTH} levels are nested in each other here");
        let help = Some("split it with an auxiliary variable or function".to_owned());
        Err(findings.error_with_help(codes::TOO_DEEP, span, message, "too deep from here on", help))
    }

    /// Goes back one level.
    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Allows `count` more initial values to be written out.
    pub(crate) fn allow_initial_values(&mut self, findings: &mut Findings, span: Span, count: usize) -> Res<()> {
        self.initial_values = self.initial_values.saturating_add(count);
        if self.initial_values <= MAX_INITIAL_VALUES {
            return Ok(());
        }
        findings.needs_smaller_arrays = true;
        let message = format!("the project has more than {MAX_INITIAL_VALUES} initial values in arrays and structures");
        Err(findings.error(codes::TOO_LARGE, span, message, "one too many here"))
    }
}
