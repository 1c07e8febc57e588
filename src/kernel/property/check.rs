//! The automatic checks: one row each. A check is offered where the program has something it applies to.

use plc_frontend::hir::{FaultKind, LapseKind};

/// One automatic check.
#[derive(Debug)]
pub struct Check {
    /// Its name in requirement files: `division_by_zero`; its requirement's id is `check-` and this.
    pub name: &'static str,
    /// What it looks for.
    pub kind: Watched,
    /// As a sentence that must hold.
    pub text: &'static str,
    /// Condition of other answers where the check is not proved, as a noun phrase; `None` where runs go on.
    pub condition: Option<&'static str>,
    /// What is checked, precisely.
    pub meaning: &'static str,
}

/// What a check looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watched {
    /// What ends a run.
    Fault(FaultKind),
    /// What does not.
    Lapse(LapseKind),
    /// Statements that no run executes: a requirement for each of those that simulated runs do not come to.
    Statements,
    /// BOOL outputs that two statements write in one cycle.
    DoubleWrites,
    /// Outputs that have one value only: a requirement for each that keeps its value in simulated runs.
    Outputs,
}

impl Check {
    /// Whether a run shows that one of its requirements is met, and a proof that it is not.
    pub fn is_possibility(&self) -> bool {
        matches!(self.kind, Watched::Statements | Watched::Outputs)
    }
    /// Whether it is made where nobody says which checks are wanted. What ends runs is: every other answer needs it.
    pub fn is_default(&self) -> bool {
        matches!(self.kind, Watched::Fault(_))
    }
}

/// In place of the names of checks: all of them.
pub const ALL: &str = "all";

/// All automatic checks; those that are made without being asked for come first.
pub const CHECKS: &[Check] = &[
    Check {
        name: "division_by_zero",
        kind: Watched::Fault(FaultKind::DivisionByZero),
        text: "No integer is ever divided by zero.",
        condition: Some("no division by zero"),
        meaning: "At every integer `/` and MOD that is executed, the divisor is not 0.",
    },
    Check {
        name: "index_out_of_bounds",
        kind: Watched::Fault(FaultKind::IndexOutOfBounds),
        text: "Every array index is inside its bounds.",
        condition: Some("no index out of bounds"),
        meaning: "At every array access that is executed, each index is within the declared bounds; at every MUX, the selector names an input.",
    },
    Check {
        name: "conversion_range",
        kind: Watched::Fault(FaultKind::ConversionRange),
        text: "Every REAL that is converted to an integer fits it.",
        condition: Some("no conversion of a REAL that its integer cannot hold"),
        meaning: "At every conversion from REAL or LREAL to an integer, the rounded value is in the target's range (NaN and infinities are not).",
    },
    Check {
        name: "loop_wrap",
        kind: Watched::Fault(FaultKind::LoopWrap),
        text: "Every FOR loop ends by its own count.",
        condition: Some("no FOR loop beyond the range of its variable"),
        meaning: "No FOR loop's control variable leaves the range of its type, and no step is 0.",
    },
    Check {
        name: "null_reference",
        kind: Watched::Fault(FaultKind::NullReference),
        text: "Each reference that is followed refers to a variable of the program.",
        condition: Some("no use of a reference that leads to nothing, or to a variable whose address the program does not take"),
        meaning: "At every `^`, every use of a REFERENCE and every call through an interface, the reference refers to a variable or instance.",
    },
    Check {
        name: "watchdog",
        kind: Watched::Fault(FaultKind::Watchdog),
        text: "Every cycle ends.",
        condition: Some("no loop of more than 10,000 rounds"),
        meaning: "No loop runs for more than 10,000 rounds each time it is entered.",
    },
    Check {
        name: "overflow",
        kind: Watched::Lapse(LapseKind::Overflow),
        text: "No integer or time overflows.",
        condition: None,
        meaning: "At every `+`, `-`, `*`, `/` and ABS of integers and times that is executed, the exact result is in the range of \
                  the type that it is computed in; where an assignment cuts a result that has more bits than its target \
                  (CODESYS, TwinCAT), the target holds it, as an integer or as a bit string. (Bit strings that nothing cuts and \
                  points in time may wrap.)",
    },
    Check {
        name: "conversion_loss",
        kind: Watched::Lapse(LapseKind::ConversionLoss),
        text: "No conversion loses a part of its value.",
        condition: None,
        meaning: "At every conversion that is executed, also where an assignment converts by itself what was not just computed (that \
                  is `overflow`): an integer or time is in the \
                  range of its new type (between integers and bit strings: each bit that is cut off is 0, so -1 as a BYTE is a loss), an integer that becomes a REAL or \
                  LREAL is exactly that number, and a finite LREAL that becomes a REAL stays finite. (Rounding is no loss.)",
    },
    Check {
        name: "subrange",
        kind: Watched::Lapse(LapseKind::Subrange),
        text: "Every value that is assigned to a variable of a subrange is in it.",
        condition: None,
        meaning: "At every assignment and call that gives a value to a variable of a subrange type, the value is in the subrange. \
                  (Inputs from outside may have every value of the type below; a FOR loop may count one step beyond.)",
    },
    Check {
        name: "double_write",
        kind: Watched::DoubleWrites,
        text: "No BOOL output is given two different computed values in one cycle.",
        condition: None,
        meaning: "No statement gives a BOOL output a computed value after another one has given it a different computed value in the \
                  same cycle: two coils of one output. Constants do not count, so presetting (`q := FALSE;`) and setting \
                  (`IF x THEN q := TRUE;`) are fine. Where outputs may be written in ways that are not looked at (one statement that is \
                  executed several times, an index, a reference, single bits, whole structures, a call's output, memory that \
                  variables share), there is no proof.",
    },
    Check {
        name: "dead_code",
        kind: Watched::Statements,
        text: "Every statement can be executed.",
        condition: None,
        meaning: "Of every statement of the POUs that run, some run comes to it. Simulated runs strike off most; each block that they \
                  do not come to is a requirement of its own: a run shows that it is executed, or it is proved that it never is.",
    },
    Check {
        name: "output_never_changes",
        kind: Watched::Outputs,
        text: "Every output can change.",
        condition: None,
        meaning: "Each output has different values at the ends of cycles. Simulated runs strike off most; each output that keeps its \
                  value in them is a requirement of its own: a run shows another value, or it is proved that there is none.",
    },
];

/// The check of a name.
pub fn by_name(name: &str) -> Option<&'static Check> {
    CHECKS.iter().find(|c| c.name == name)
}
