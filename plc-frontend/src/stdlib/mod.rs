//! The standard function blocks, written in the Structured Text that the front end itself reads.
//!
//! They follow IEC 61131-3 ed. 3 (tables 43 to 46): its bodies for bistables, edges and counters, its
//! timing diagrams for timers. Where the standard leaves a choice the `.st` file says which one was
//! made. This module only holds texts; names are compared without case by whoever looks them up.

mod preset;

use std::borrow::Cow;

pub(crate) use preset::{is_timer, timers, varies};

use crate::dialect::{Blocks, Dialect, FirstScan, Preset, ZeroTime};

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

/// The text of a block where dialects differ; `times_vary` if the program changes the times of its timers.
pub(crate) fn of_dialect(name: &str, text: &'static str, dialect: &Dialect, times_vary: bool) -> Cow<'static, str> {
    let text = match (name, dialect.f_trig, dialect.blocks) {
        ("F_TRIG", FirstScan::Silent, _) => include_str!("F_TRIG_SILENT.st"),
        ("SR", _, Blocks::Words) => include_str!("words/SR.st"),
        ("RS", _, Blocks::Words) => include_str!("words/RS.st"),
        ("CTU", _, Blocks::Words) => include_str!("words/CTU.st"),
        ("CTD", _, Blocks::Words) => include_str!("words/CTD.st"),
        ("CTUD", _, Blocks::Words) => include_str!("words/CTUD.st"),
        ("SEMA", _, Blocks::WithinPreset) => include_str!("matiec/SEMA.st"),
        (_, _, _) => text,
    };
    let timers: &[(&str, &str)] = match (dialect.zero_time, dialect.preset) {
        (ZeroTime::NextCall, _) => COMPARED_LATER,
        (ZeroTime::AtOnce | ZeroTime::ControllerDependent, Preset::AtStart) if times_vary => LATCHED,
        (ZeroTime::AtOnce | ZeroTime::ControllerDependent, _) => &[],
    };
    let counters = if dialect.blocks == Blocks::WithinPreset { WITHIN_PRESET } else { &[] };
    timer(timers, name).or_else(|| counter(counters, name)).unwrap_or(Cow::Borrowed(text))
}

/// Timers that take their time when it begins.
const LATCHED: &[(&str, &str)] = &[
    ("TONR", include_str!("latched/TONR.st")),
    ("TON", include_str!("latched/TON.st")),
    ("TOF", include_str!("latched/TOF.st")),
    ("TP", include_str!("latched/TP.st")),
];

/// Timers that do not look at PT in the call in which their time begins.
const COMPARED_LATER: &[(&str, &str)] =
    &[("TON", include_str!("matiec/TON.st")), ("TOF", include_str!("matiec/TOF.st")), ("TP", include_str!("matiec/TP.st"))];

/// Counters between 0 and PV.
const WITHIN_PRESET: &[(&str, &str)] =
    &[("CTU", include_str!("matiec/CTU.st")), ("CTD", include_str!("matiec/CTD.st")), ("CTUD", include_str!("matiec/CTUD.st"))];

/// A timer of the table, under one of its names.
fn timer(table: &[(&'static str, &'static str)], name: &str) -> Option<Cow<'static, str>> {
    table.iter().find_map(|(base, text)| {
        let long = match name.strip_prefix(base) {
            Some("") => return Some(Cow::Borrowed(*text)),
            Some("_TIME") => false,
            Some("_LTIME") => true,
            Some(_) => return None,
            None if name.strip_prefix('L') == Some(*base) => true,
            None => return None,
        };
        let text = renamed(text, base, name);
        let text = if long { text.replace(": TIME;", ": LTIME;").replace("T#0s", "LTIME#0s") } else { text };
        Some(Cow::Owned(text))
    })
}

/// A counter of the table, under its name or with a type behind it.
fn counter(table: &[(&'static str, &'static str)], name: &str) -> Option<Cow<'static, str>> {
    table.iter().find_map(|(base, text)| match name.strip_prefix(base)? {
        "" => Some(Cow::Borrowed(*text)),
        suffix => {
            let ty = suffix.strip_prefix('_')?;
            let text = renamed(text, base, name);
            Some(Cow::Owned(text.replace(": INT;", &format!(": {ty};")).replace("INT#", &format!("{ty}#"))))
        }
    })
}

fn renamed(text: &str, base: &str, name: &str) -> String {
    text.replace(&format!("FUNCTION_BLOCK {base}"), &format!("FUNCTION_BLOCK {name}"))
}

/// Names of inputs of bistables and counters that some systems write instead of others.
const SAME: &[(&str, &str)] = &[("S1", "SET1"), ("R", "RESET"), ("S", "SET"), ("R1", "RESET1"), ("LD", "LOAD")];

/// What others call this input of a standard block.
pub(crate) fn other_name(input: &str) -> Option<&'static str> {
    SAME.iter().find_map(|(short, long)| match () {
        () if input.eq_ignore_ascii_case(short) => Some(*long),
        () if input.eq_ignore_ascii_case(long) => Some(*short),
        () => None,
    })
}

#[cfg(test)]
mod tests {
    use super::{COMPARED_LATER, LATCHED, SOURCES, WITHIN_PRESET, counter, of_dialect, timer};
    use crate::ast::{Item, PouKind};
    use crate::dialect::DIALECTS;
    use crate::text::source::{FileId, Origin, SourceFile};

    #[test]
    fn each_source_is_one_function_block_of_its_name() {
        let texts = |(name, text): &(&'static str, &'static str)| {
            let of = |vary| DIALECTS.iter().map(move |row| of_dialect(name, text, row, vary).into_owned());
            of(false).chain(of(true)).map(|text| (*name, text)).collect::<Vec<_>>()
        };
        for table in [LATCHED, COMPARED_LATER] {
            assert!(timer(table, "TON_LTIME").is_some_and(|text| text.contains("PT : LTIME;") && !text.contains(" T#0s")));
            assert!(timer(table, "LTOF").is_some() && timer(table, "TOF_TIME").is_some() && timer(table, "CTU").is_none());
        }
        assert!(
            counter(WITHIN_PRESET, "CTU_DINT").is_some_and(|text| text.contains("PV : DINT;") && text.contains(":= DINT#0;"))
        );
        assert!(counter(WITHIN_PRESET, "CTUD_UINT").is_some() && counter(WITHIN_PRESET, "CTX").is_none());
        for (name, text) in SOURCES.iter().flat_map(texts) {
            let file = SourceFile { name: format!("{name}.st"), text, origin: Origin::Stdlib };
            let parsed = crate::lang::parse(FileId(0), &file);
            assert!(parsed.diagnostics.is_empty(), "{name}: {:#?}", parsed.diagnostics);
            match parsed.value.items.as_slice() {
                [Item::Pou(pou)] => assert_eq!((pou.kind, pou.name.text.as_str()), (PouKind::FunctionBlock, name)),
                other => panic!("{name}: {other:?}"),
            }
        }
    }
}
