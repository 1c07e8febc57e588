//! The checks of anomalies: errors that a run survives.

use std::collections::BTreeMap;

use plc_frontend::hir::AnomalyKind;

use super::{Check, CheckKind, Event, event_never_happens};
use crate::cfa::{Op, SiteKind};
use crate::property::monitor::Monitor;

pub(super) const OVERFLOW: Check = Check {
    name: "overflow",
    kind: CheckKind::Event(Event::Anomaly(AnomalyKind::Overflow)),
    text: "No integer or time overflows.",
    condition: None,
    mistake: Some("the exact result is out of the range of its type, so it wraps"),
    meaning: "At every `+`, `-`, `*`, `/` and ABS of integers and times that is executed, the exact result is in the range of \
              the type that it is computed in; where an assignment cuts a result that has more bits than its target \
              (CODESYS, TwinCAT), the target holds it, as an integer or as a bit string. (Bit strings that nothing cuts and \
              points in time may wrap.)",
    requirements: event_never_happens,
};

pub(super) const CONVERSION_LOSS: Check = Check {
    name: "conversion_loss",
    kind: CheckKind::Event(Event::Anomaly(AnomalyKind::ConversionLoss)),
    text: "No conversion loses a part of its value.",
    condition: None,
    mistake: Some("the conversion loses a part of the value"),
    meaning: "At every conversion that is executed, also where an assignment converts by itself what was not just computed (that \
              is `overflow`): an integer or time is in the \
              range of its new type (between integers and bit strings: each bit that is cut off is 0, so -1 as a BYTE is a loss), an integer that becomes a REAL or \
              LREAL is exactly that number, and a finite LREAL that becomes a REAL stays finite. (Rounding is no loss.)",
    requirements: event_never_happens,
};

pub(super) const SUBRANGE: Check = Check {
    name: "subrange",
    kind: CheckKind::Event(Event::Anomaly(AnomalyKind::Subrange)),
    text: "Every value that is assigned to a variable of a subrange is in it.",
    condition: None,
    mistake: Some("the value is outside of the subrange"),
    meaning: "At every assignment and call that gives a value to a variable of a subrange type, the value is in the subrange. \
              (Inputs from outside may have every value of the type below; a FOR loop may count one step beyond.)",
    requirements: event_never_happens,
};

/// Leads operations with this kind of anomaly to the error location; other runs go on.
pub(super) fn monitor(monitor: &mut Monitor<'_, '_>, kind: AnomalyKind) {
    let (model, error) = (monitor.model, monitor.model.cfa.error);
    let mut passed = BTreeMap::new();
    for site in &model.sites {
        if let SiteKind::Anomaly { kind: of, condition } = site.kind
            && of == kind
        {
            passed.insert(site.loc, monitor.pool.not(condition));
            monitor.flat.edge(site.loc, error, Op::Assume(condition), Some(site.span));
        }
    }
    // The two edges exclude each other, so that inputs alone determine a run.
    for edge in monitor.flat.edges.iter_mut().filter(|e| e.target != error) {
        if let Some(passed) = passed.get(&edge.source) {
            edge.op = Op::Assume(*passed);
        }
    }
}
