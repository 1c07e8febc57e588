//! The checks of faults: errors that end a run.

use plc_frontend::hir::{FaultKind, Project};

use super::{Check, CheckKind, Event, event_never_happens};
use crate::cfa::{Op, SiteKind};
use crate::property::monitor::Monitor;

pub(super) const DIVISION_BY_ZERO: Check = Check {
    name: "division_by_zero",
    kind: CheckKind::Event(Event::Fault(FaultKind::DivisionByZero)),
    text: "No integer is ever divided by zero.",
    condition: Some("no division by zero"),
    mistake: Some("the divisor is 0"),
    meaning: "At every integer `/` and MOD that is executed, the divisor is not 0, also where the controller goes on.",
    requirements: event_never_happens,
};

pub(super) const INDEX_OUT_OF_BOUNDS: Check = Check {
    name: "index_out_of_bounds",
    kind: CheckKind::Event(Event::Fault(FaultKind::IndexOutOfBounds)),
    text: "Every array index is inside its bounds.",
    condition: Some("no index out of bounds"),
    mistake: Some("the index is outside its bounds"),
    meaning: "At every array access that is executed, each index is within the declared bounds; at every MUX, the selector names an input.",
    requirements: event_never_happens,
};

pub(super) const CONVERSION_RANGE: Check = Check {
    name: "conversion_range",
    kind: CheckKind::Event(Event::Fault(FaultKind::ConversionRange)),
    text: "Every REAL that is converted to an integer fits it.",
    condition: Some("no conversion of a REAL that its integer cannot hold"),
    mistake: Some("the value does not fit the integer type"),
    meaning: "At every conversion from REAL or LREAL to an integer, the rounded value is in the target's range (NaN and infinities are not).",
    requirements: event_never_happens,
};

pub(super) const LOOP_WRAP: Check = Check {
    name: "loop_wrap",
    kind: CheckKind::Event(Event::Fault(FaultKind::LoopWrap)),
    text: "Every FOR loop ends by its own count.",
    condition: Some("no FOR loop beyond the range of its variable"),
    mistake: Some("the control variable leaves the range of its type"),
    meaning: "No FOR loop's control variable leaves the range of its type, and no step is 0.",
    requirements: event_never_happens,
};

pub(super) const NULL_REFERENCE: Check = Check {
    name: "null_reference",
    kind: CheckKind::Event(Event::Fault(FaultKind::NullReference)),
    text: "Each reference that is followed refers to a variable of the program.",
    condition: Some("no use of a reference that leads to nothing, or to a variable whose address the program does not take"),
    mistake: Some("the reference leads to no variable whose address the program takes"),
    meaning: "At every `^`, every use of a REFERENCE and every call through an interface, the reference refers to a variable or instance.",
    requirements: event_never_happens,
};

pub(super) const WATCHDOG: Check = Check {
    name: "watchdog",
    kind: CheckKind::Event(Event::Fault(FaultKind::Watchdog)),
    text: "Every loop ends.",
    condition: Some("no loop of more than 10,000 rounds"),
    mistake: Some("the loop runs for more than 10,000 rounds"),
    meaning: "No loop runs for more than 10,000 rounds each time it is entered, unless it is a FOR whose constant bounds give it more.",
    requirements: event_never_happens,
};

pub(super) const CALL_DEPTH: Check = Check {
    name: "call_depth",
    kind: CheckKind::Event(Event::Fault(FaultKind::CallDepth)),
    text: "No function calls itself too deeply.",
    condition: Some("no function that is open more than 24 times at once"),
    mistake: Some("the function is open 24 times already"),
    meaning: "At every call of a function that calls itself, directly or by way of others, at most 23 calls of it are open.",
    requirements: event_never_happens,
};

/// Leads the dead ends of this kind of fault to the error location, and the failures that runs survive.
pub(super) fn monitor(monitor: &mut Monitor<'_, '_>, project: &Project, kind: FaultKind) {
    monitor.assert(&project.survived(kind));
    let (model, error) = (monitor.model, monitor.model.cfa.error);
    for fault in model.sites.iter().filter(|site| site.kind == SiteKind::Fault(kind)) {
        monitor.flat.edge(fault.loc, error, Op::Skip, Some(fault.span));
    }
}
