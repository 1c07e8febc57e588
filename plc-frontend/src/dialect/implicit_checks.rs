//! Functions that CODESYS and TwinCAT call before operations of a kind, if the user declares them.

use crate::ast::{Pou, PouKind};

/// Check of indices.
pub(crate) const BOUNDS: &str = "CheckBounds";
/// Checks whose calls are not made here, with the operations before which the controller calls them.
pub(crate) const OTHERS: &[(&[&str], &str)] = &[
    (&["CheckDivInt", "CheckDivDInt", "CheckDivLInt", "CheckDivReal", "CheckDivLReal"], "divisions"),
    (
        &["CheckRangeSigned", "CheckRangeUnsigned", "CheckLRangeSigned", "CheckLRangeUnsigned"],
        "assignments to variables of a subrange",
    ),
    (&["CheckPointer", "CheckPointerAligned"], "uses of a pointer or reference"),
];

/// Returns whether a function of this name is one that CODESYS and TwinCAT call by themselves.
pub(crate) fn is_implicit_check(name: &str) -> bool {
    OTHERS.iter().flat_map(|(names, _)| names.iter()).chain([&BOUNDS]).any(|check| name.eq_ignore_ascii_case(check))
}

/// Returns whether a declaration is one that CODESYS and TwinCAT call by themselves.
pub(crate) fn is_check(pou: &Pou) -> bool {
    pou.kind == PouKind::Function && is_implicit_check(&pou.name.text)
}
