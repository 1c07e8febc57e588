//! Attributes of the controller that GSV gives: their words, and the ranges that the manuals state.
//!
//! After 1756-RM003N-EN-P, pages 199 to 212, and the help "Access the … object" of Studio 5000 Logix Designer 37.

/// Words of an attribute: bytes of each, and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Words {
    /// This number of words.
    Numbers(u64, u64),
    /// All words of the array that gets it, of this size.
    Array(u64),
    /// A text with at most this number of characters.
    Text(i128),
}

/// An attribute of a class.
pub(super) struct Attribute {
    class: &'static str,
    name: &'static str,
    pub(super) words: Words,
    /// Ranges of its words; words without one have any value.
    pub(super) ranges: &'static [Option<(i128, i128)>],
}

const BYTE: Words = Words::Numbers(1, 1);
const SHORT: Words = Words::Numbers(2, 1);
const LONG: Words = Words::Numbers(4, 1);
/// Words for times of 64 bits.
const TIME: Words = Words::Numbers(4, 2);
const FAULT: Words = Words::Numbers(4, 11);
/// Names have at most 40 characters.
const NAME: Words = Words::Text(40);

/// Year, month, day, hour, minute, second and microsecond.
const DATE: Words = Words::Numbers(4, 7);
const DATE_RANGES: &[Option<(i128, i128)>] =
    &[None, Some((1, 12)), Some((1, 31)), Some((0, 23)), Some((0, 59)), Some((0, 59)), Some((0, 999_999))];

const fn row(class: &'static str, name: &'static str, words: Words) -> Attribute {
    Attribute { class, name, words, ranges: &[] }
}

const fn ranged(class: &'static str, name: &'static str, words: Words, ranges: &'static [Option<(i128, i128)>]) -> Attribute {
    Attribute { class, name, words, ranges }
}

/// Attributes that are known.
const ATTRIBUTES: &[Attribute] = &[
    row("AddOnInstructionDefinition", "LastEditDate", Words::Numbers(8, 1)),
    row("AddOnInstructionDefinition", "MajorRevision", LONG),
    row("AddOnInstructionDefinition", "MinorRevision", LONG),
    row("AddOnInstructionDefinition", "Name", NAME),
    row("AddOnInstructionDefinition", "SafetySignatureID", LONG),
    row("AddOnInstructionDefinition", "SignatureID", LONG),
    row("Controller", "AuditValue", TIME),
    row("Controller", "Name", NAME),
    row("ControllerDevice", "ProductCode", SHORT),
    row("ControllerDevice", "ProductRev", SHORT),
    row("ControllerDevice", "SerialNumber", LONG),
    row("ControllerDevice", "Status", SHORT),
    row("ControllerDevice", "Type", SHORT),
    row("ControllerDevice", "Vendor", SHORT),
    row("CST", "CurrentStatus", SHORT),
    row("CST", "CurrentValue", TIME),
    row("FaultLog", "MajorEvents", SHORT),
    row("FaultLog", "MajorFaultBits", LONG),
    row("FaultLog", "MinorEvents", SHORT),
    row("FaultLog", "MinorFaultBits", LONG),
    row("Module", "EntryStatus", SHORT),
    row("Module", "FaultCode", SHORT),
    row("Module", "FaultInfo", LONG),
    row("Module", "FirmwareSupervisorStatus", SHORT),
    row("Module", "ForceStatus", SHORT),
    row("Module", "Instance", LONG),
    ranged("Module", "LEDStatus", SHORT, &[Some((0, 3))]),
    row("Module", "Mode", SHORT),
    row("Module", "Path", Words::Array(1)),
    row("Program", "DisableFlag", BYTE),
    row("Program", "Instance", LONG),
    row("Program", "LastScanTime", LONG),
    row("Program", "MajorFaultRecord", FAULT),
    row("Program", "MaxScanTime", LONG),
    row("Program", "MinorFaultRecord", FAULT),
    row("Program", "Name", NAME),
    ranged("Routine", "Instance", LONG, &[Some((0, 65_535))]),
    row("Routine", "Name", NAME),
    ranged("Routine", "SFCPaused", SHORT, &[Some((0, 1))]),
    ranged("Routine", "SFCResuming", SHORT, &[Some((0, 1))]),
    row("Task", "DisableUpdateOutputs", LONG),
    row("Task", "EnableTimeOut", LONG),
    row("Task", "InhibitTask", LONG),
    row("Task", "Instance", LONG),
    row("Task", "LastScanTime", LONG),
    row("Task", "MaximumInterval", TIME),
    row("Task", "MaximumScanTime", LONG),
    row("Task", "MaxInterval", TIME),
    row("Task", "MaxScanTime", LONG),
    row("Task", "MinimumInterval", TIME),
    row("Task", "MinInterval", TIME),
    row("Task", "Name", NAME),
    row("Task", "OverlapCount", LONG),
    ranged("Task", "Priority", SHORT, &[Some((0, 15))]),
    row("Task", "Rate", LONG),
    row("Task", "StartTime", TIME),
    row("Task", "Status", LONG),
    row("Task", "Watchdog", LONG),
    row("TimeSynchronize", "ClockType", LONG),
    row("TimeSynchronize", "DomainNumber", BYTE),
    row("TimeSynchronize", "IsSynchronized", LONG),
    row("TimeSynchronize", "Priority1", BYTE),
    row("TimeSynchronize", "Priority2", BYTE),
    row("TimeSynchronize", "PTPEnable", LONG),
    row("TimeSynchronize", "StepsRemoved", LONG),
    row("WallClockTime", "ApplyDST", BYTE),
    row("WallClockTime", "CSTOffset", TIME),
    row("WallClockTime", "CurrentValue", TIME),
    ranged("WallClockTime", "DateTime", DATE, DATE_RANGES),
    row("WallClockTime", "DSTAdjustment", SHORT),
    ranged("WallClockTime", "LocalDateTime", DATE, DATE_RANGES),
];

/// Returns an attribute of a class; `None` for those that are not known.
pub(super) fn find(class: &str, name: &str) -> Option<&'static Attribute> {
    ATTRIBUTES.iter().find(|row| row.class.eq_ignore_ascii_case(class) && row.name.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_found_by_class_and_name() {
        for (class, name, words) in [
            ("wallclocktime", "LOCALDATETIME", Some(Words::Numbers(4, 7))),
            ("Task", "Priority", Some(SHORT)),
            ("Program", "Priority", None),
            ("Module", "Path", Some(Words::Array(1))),
        ] {
            assert_eq!(find(class, name).map(|row| row.words), words, "{class}.{name}");
        }
        for row in ATTRIBUTES.iter().filter(|row| !row.ranges.is_empty()) {
            assert!(matches!(row.words, Words::Numbers(_, n) if n == row.ranges.len() as u64), "{}.{}", row.class, row.name);
        }
    }
}
