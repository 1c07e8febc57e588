//! The automatic checks: one row each. A check is offered where the program has something it applies to.

use plc_frontend::hir::FaultKind;

/// One automatic check.
#[derive(Debug)]
pub struct Check {
    /// Its name in requirement files: `division_by_zero`; its requirement's id is `check-` and this.
    pub name: &'static str,
    /// What it looks for.
    pub kind: FaultKind,
    /// As a sentence that must hold.
    pub text: &'static str,
    /// What other answers take for granted where it is not proved, behind "as long as".
    pub granted: &'static str,
    /// What is checked, precisely.
    pub meaning: &'static str,
}

/// All automatic checks.
pub const CHECKS: &[Check] = &[
    Check {
        name: "division_by_zero",
        kind: FaultKind::DivisionByZero,
        text: "No integer is ever divided by zero.",
        granted: "no integer is divided by zero",
        meaning: "At every integer `/` and MOD that is executed, the divisor is not 0.",
    },
    Check {
        name: "index_out_of_bounds",
        kind: FaultKind::IndexOutOfBounds,
        text: "Every array index is inside its bounds.",
        granted: "every array index is inside its bounds",
        meaning: "At every array access that is executed, each index is within the declared bounds; at every MUX, the selector names an input.",
    },
    Check {
        name: "conversion_range",
        kind: FaultKind::ConversionRange,
        text: "Every REAL that is converted to an integer fits it.",
        granted: "every REAL that is converted to an integer fits it",
        meaning: "At every conversion from REAL or LREAL to an integer, the rounded value is in the target's range (NaN and infinities are not).",
    },
    Check {
        name: "loop_wrap",
        kind: FaultKind::LoopWrap,
        text: "Every FOR loop ends by its own count.",
        granted: "every FOR loop ends by its own count",
        meaning: "No FOR loop's control variable leaves the range of its type, and no step is 0.",
    },
    Check {
        name: "null_reference",
        kind: FaultKind::NullReference,
        text: "No reference is followed that refers to nothing.",
        granted: "no reference is followed that refers to nothing",
        meaning: "At every `^`, every use of a REFERENCE and every call through an interface, the reference refers to a variable or instance.",
    },
    Check {
        name: "watchdog",
        kind: FaultKind::Watchdog,
        text: "Every cycle ends.",
        granted: "no loop runs for more than 10,000 rounds",
        meaning: "No loop runs for more than 10,000 rounds each time it is entered.",
    },
];

/// The check of a name.
pub fn by_name(name: &str) -> Option<&'static Check> {
    CHECKS.iter().find(|c| c.name == name)
}
