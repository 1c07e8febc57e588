//! The standard function blocks, written in the Structured Text that the front end itself reads.
//!
//! They follow IEC 61131-3 ed. 3 (tables 43 to 46): its bodies for bistables, edges and counters, its timing diagrams for
//! timers. Where the standard leaves a choice, the `.st` file states the choice made.

mod preset;
mod preset_constants;

use std::borrow::Cow;

pub(crate) use preset::{is_timer, timers, varies};

use crate::dialect::{Blocks, Dialect, FirstScan, Preset, ZeroTime};

/// Returns rows of names with the sources in files of these names.
macro_rules! sources {
    ($($name:literal),*; $($hidden:literal in $file:literal),*) => {
        &[$(($name, include_str!(concat!($name, ".st"))),)* $(($hidden, include_str!($file)),)*]
    };
}

/// Each block's name with its source. Charts are lowered to the blocks with two underscores, whose names no program declares.
pub const SOURCES: &[(&str, &str)] = sources![
    "SR", "RS", "R_TRIG", "F_TRIG", "CTU", "CTU_DINT", "CTU_LINT", "CTU_UDINT", "CTU_ULINT", "CTD", "CTD_DINT",
    "CTD_LINT", "CTD_UDINT", "CTD_ULINT", "CTUD", "CTUD_DINT", "CTUD_LINT", "CTUD_UDINT", "CTUD_ULINT", "TON", "TOF",
    "TP", "TON_TIME", "TON_LTIME", "LTON", "TOF_TIME", "TOF_LTIME", "LTOF", "TP_TIME", "TP_LTIME", "LTP", "CTU_SINT",
    "CTU_USINT", "CTU_UINT", "CTU_INT", "CTD_SINT", "CTD_USINT", "CTD_UINT", "CTD_INT", "CTUD_SINT", "CTUD_USINT",
    "CTUD_UINT", "CTUD_INT", "SEMA", "RTC", "TONR", "S_PULSE", "S_PEXT", "S_ODT", "S_ODTS", "S_OFFDT", "S_CU", "S_CD",
    "S_CUD";
    "__SFC_STEP" in "SFC_STEP.st", "__ON_DELAY" in "ON_DELAY.st"
];

/// Returns the text of a block in a dialect; `times_vary` if the program changes the times of its timers.
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

/// Timers that do not compare PT in the call in which their time begins.
const COMPARED_LATER: &[(&str, &str)] =
    &[("TON", include_str!("matiec/TON.st")), ("TOF", include_str!("matiec/TOF.st")), ("TP", include_str!("matiec/TP.st"))];

/// Counters between 0 and PV.
const WITHIN_PRESET: &[(&str, &str)] =
    &[("CTU", include_str!("matiec/CTU.st")), ("CTD", include_str!("matiec/CTD.st")), ("CTUD", include_str!("matiec/CTUD.st"))];

/// Returns a timer's text in the table, by one of its names.
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

/// Returns a counter's text in the table, by its name, with or without a type behind it.
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

/// Inputs of bistables and counters that have another name in some systems.
const SAME: &[(&str, &str)] = &[("S1", "SET1"), ("R", "RESET"), ("S", "SET"), ("R1", "RESET1"), ("LD", "LOAD")];

/// Returns the other name of an input of a standard block.
pub(crate) fn other_name(input: &str) -> Option<&'static str> {
    let pairs = SAME.iter().flat_map(|&(short, long)| [(short, long), (long, short)]);
    pairs.into_iter().find(|(name, _)| input.eq_ignore_ascii_case(name)).map(|(_, other)| other)
}

#[cfg(test)]
mod tests {
    use super::{COMPARED_LATER, LATCHED, SOURCES, WITHIN_PRESET, counter, of_dialect, timer};
    use crate::ast::{Item, PouKind};
    use crate::dialect::DIALECTS;
    use crate::text::{FileId, Origin, SourceFile};

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
            let file = SourceFile::new(format!("{name}.st"), text, Origin::Stdlib);
            let parsed = crate::lang::parse(FileId(0), &file);
            assert!(parsed.diagnostics.is_empty(), "{name}: {:#?}", parsed.diagnostics);
            match parsed.value.items.as_slice() {
                [Item::Pou(pou)] => assert_eq!((pou.kind, pou.name.text.as_str()), (PouKind::FunctionBlock, name)),
                other => panic!("{name}: {other:?}"),
            }
        }
    }
}
