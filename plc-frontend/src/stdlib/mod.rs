//! The standard function blocks, written in the Structured Text that the front end itself reads.
//!
//! They follow IEC 61131-3 ed. 3 (tables 43 to 46): its bodies for bistables, edges and counters, its
//! timing diagrams for timers. Where the standard leaves a choice the `.st` file says which one was
//! made. This module only holds texts; names are compared without case by whoever looks them up.

use crate::dialect::{Dialect, FirstScan};

/// Each block's name with its source.
pub const SOURCES: &[(&str, &str)] = &[
    ("SR", include_str!("SR.st")),
    ("RS", include_str!("RS.st")),
    ("R_TRIG", include_str!("R_TRIG.st")),
    ("F_TRIG", include_str!("F_TRIG.st")),
    ("CTU", include_str!("CTU.st")),
    ("CTU_DINT", include_str!("CTU_DINT.st")),
    ("CTU_LINT", include_str!("CTU_LINT.st")),
    ("CTU_UDINT", include_str!("CTU_UDINT.st")),
    ("CTU_ULINT", include_str!("CTU_ULINT.st")),
    ("CTD", include_str!("CTD.st")),
    ("CTD_DINT", include_str!("CTD_DINT.st")),
    ("CTD_LINT", include_str!("CTD_LINT.st")),
    ("CTD_UDINT", include_str!("CTD_UDINT.st")),
    ("CTD_ULINT", include_str!("CTD_ULINT.st")),
    ("CTUD", include_str!("CTUD.st")),
    ("CTUD_DINT", include_str!("CTUD_DINT.st")),
    ("CTUD_LINT", include_str!("CTUD_LINT.st")),
    ("CTUD_UDINT", include_str!("CTUD_UDINT.st")),
    ("CTUD_ULINT", include_str!("CTUD_ULINT.st")),
    ("TON", include_str!("TON.st")),
    ("TOF", include_str!("TOF.st")),
    ("TP", include_str!("TP.st")),
    ("TON_TIME", include_str!("TON_TIME.st")),
    ("TON_LTIME", include_str!("TON_LTIME.st")),
    ("LTON", include_str!("LTON.st")),
    ("TOF_TIME", include_str!("TOF_TIME.st")),
    ("TOF_LTIME", include_str!("TOF_LTIME.st")),
    ("LTOF", include_str!("LTOF.st")),
    ("TP_TIME", include_str!("TP_TIME.st")),
    ("TP_LTIME", include_str!("TP_LTIME.st")),
    ("LTP", include_str!("LTP.st")),
    ("CTU_SINT", include_str!("CTU_SINT.st")),
    ("CTU_USINT", include_str!("CTU_USINT.st")),
    ("CTU_UINT", include_str!("CTU_UINT.st")),
    ("CTU_INT", include_str!("CTU_INT.st")),
    ("CTD_SINT", include_str!("CTD_SINT.st")),
    ("CTD_USINT", include_str!("CTD_USINT.st")),
    ("CTD_UINT", include_str!("CTD_UINT.st")),
    ("CTD_INT", include_str!("CTD_INT.st")),
    ("CTUD_SINT", include_str!("CTUD_SINT.st")),
    ("CTUD_USINT", include_str!("CTUD_USINT.st")),
    ("CTUD_UINT", include_str!("CTUD_UINT.st")),
    ("CTUD_INT", include_str!("CTUD_INT.st")),
    ("SEMA", include_str!("SEMA.st")),
    ("RTC", include_str!("RTC.st")),
    ("TONR", include_str!("TONR.st")),
    ("S_PULSE", include_str!("S_PULSE.st")),
    ("S_PEXT", include_str!("S_PEXT.st")),
    ("S_ODT", include_str!("S_ODT.st")),
    ("S_ODTS", include_str!("S_ODTS.st")),
    ("S_OFFDT", include_str!("S_OFFDT.st")),
    ("S_CU", include_str!("S_CU.st")),
    ("S_CD", include_str!("S_CD.st")),
    ("S_CUD", include_str!("S_CUD.st")),
    // What charts are lowered to; no program declares names with two underscores in front.
    ("__SFC_STEP", include_str!("SFC_STEP.st")),
    ("__ON_DELAY", include_str!("ON_DELAY.st")),
];

/// The text of a block where dialects differ.
pub(crate) fn of_dialect(name: &str, text: &'static str, dialect: &Dialect) -> &'static str {
    match dialect.f_trig {
        FirstScan::Pulse if name == "F_TRIG" => include_str!("F_TRIG_ED2.st"),
        FirstScan::Pulse | FirstScan::Silent => text,
    }
}

#[cfg(test)]
mod tests {
    use super::SOURCES;
    use crate::ast::{Item, PouKind};
    use crate::source::{FileId, Origin, SourceFile};

    #[test]
    fn each_source_is_one_function_block_of_its_name() {
        for (name, text) in SOURCES {
            let file = SourceFile { name: format!("{name}.st"), text: (*text).to_owned(), origin: Origin::Stdlib };
            let parsed = crate::lang::parse(FileId(0), &file);
            assert!(parsed.diagnostics.is_empty(), "{name}: {:#?}", parsed.diagnostics);
            match parsed.value.items.as_slice() {
                [Item::Pou(pou)] => assert_eq!((pou.kind, pou.name.text.as_str()), (PouKind::FunctionBlock, *name)),
                other => panic!("{name}: {other:?}"),
            }
        }
    }
}
