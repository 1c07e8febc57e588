//! The scalar types that random programs use.

use plc_frontend::hir::IntType;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ty {
    Bool,
    Int(&'static str, IntType),
    Bits(u8),
    Time,
    Real,
    Mode,
    /// TIME_OF_DAY
    Tod,
    /// DATE_AND_TIME
    Dt,
}

const fn int(name: &'static str, bits: u8, signed: bool) -> Ty {
    Ty::Int(name, IntType { bits, signed })
}

/// Integers, narrow ones more often: they overflow soon and are quick to decide.
pub(super) const INTEGERS: &[Ty] = &[
    int("SINT", 8, true),
    int("SINT", 8, true),
    int("USINT", 8, false),
    int("INT", 16, true),
    int("UINT", 16, false),
    int("DINT", 32, true),
    int("UDINT", 32, false),
];

impl Ty {
    pub(super) fn int(name: &str) -> Ty {
        INTEGERS.iter().copied().find(|ty| ty.name() == name).unwrap_or(Ty::Bool)
    }

    pub(super) fn bits(width: u8) -> Ty {
        Ty::Bits(width)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Ty::Bool => "BOOL",
            Ty::Int(name, _) => name,
            Ty::Bits(8) => "BYTE",
            Ty::Bits(16) => "WORD",
            Ty::Bits(_) => "DWORD",
            Ty::Time => "TIME",
            Ty::Real => "REAL",
            Ty::Mode => "Mode",
            Ty::Tod => "TOD",
            Ty::Dt => "DT",
        }
    }
}
