//! Strings as numbers: interpreter and model know the same ones, with the same values.

use std::collections::BTreeMap;

use plc_frontend::dialect::DialectId;
use plc_frontend::interp::{FaultEnd, Limits, Machine, Silent};
use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, load};

use super::lower::layout::value_of;
use super::simulate::Simulator;
use super::{ModelOptions, build};
use crate::expr::{Sort, Value};

/// Checks the value that a string converts to; `None` if it is not known.
#[track_caller]
fn check(dialect: DialectId, ty: &str, text: &str, expected: Option<i128>) {
    let wide = ["STRING[24]", "WSTRING[90]"].map(|string| {
        let (kind, quote) = if string.starts_with('W') { ("WSTRING", '"') } else { ("STRING", '\'') };
        let source = format!("VAR s : {string} := {quote}{text}{quote}; x : {ty}; END_VAR\nx := {kind}_TO_{ty}(s);");
        one(dialect, &format!("PROGRAM P\n{source}\nEND_PROGRAM\n"))
    });
    assert_eq!(wide, [expected; 2], "{dialect:?} {ty} '{text}'");
}

/// Returns the value of `x` behind one cycle, if it is known; in both.
#[track_caller]
fn one(dialect: DialectId, source: &str) -> Option<i128> {
    let mut sources = SourceSet::default();
    sources.add("main.st", source);
    let parsed = load(&sources, &LoadOptions { dialect: Some(dialect), ..LoadOptions::default() });
    assert!(!parsed.has_errors(), "{:#?}\n{source}", parsed.diagnostics);
    let project = parsed.value.project;
    let mut machine = Machine::new(&project, Limits::default());
    machine.begin(&BTreeMap::new(), 0).unwrap();
    let known = match machine.run(&mut Silent) {
        Ok(()) => machine.leaf("P.x"),
        Err(fault) => {
            assert!(matches!(fault.kind, FaultEnd::Unsupported(_)), "{fault:?}\n{source}");
            None
        }
    };
    let model = build(&project, &ModelOptions::default()).unwrap();
    let (_, x) = *model.leaves.iter().find(|(leaf, _)| leaf.name == "P.x").unwrap();
    let found = [false, true].map(|ones| {
        let mut simulator = Simulator::new(&model.pool, &model.cfa);
        let mut any = |var| match model.pool.var_decl(var).sort {
            Sort::Bool => Value::Bool(ones),
            Sort::BitVec(width) => Value::bv(width, if ones { u128::MAX >> (128 - width) } else { 0 }),
            sort @ (Sort::Float(_) | Sort::Int | Sort::Array(..)) => Value::zero(sort),
        };
        simulator.cycle(1, &mut any);
        simulator.cycle(10_000, &mut any);
        simulator.variable(x)
    });
    let ty = project.leaves().into_iter().find(|leaf| leaf.name == "P.x").unwrap().ty;
    match known {
        Some(value) => assert_eq!(found, [value_of(&project, ty, value); 2], "{source}"),
        None => assert_ne!(found[0], found[1], "{source}"),
    }
    known.map(|value| value.as_int().unwrap_or_else(|| i128::from(value.as_bool() == Some(true))))
}

#[test]
fn decimal_numbers_are_known_everywhere() {
    for dialect in [DialectId::Iec, DialectId::Codesys, DialectId::Twincat, DialectId::SiemensTia, DialectId::SiemensClassic] {
        for (ty, text, expected) in [
            ("INT", "0", Some(0)),
            ("INT", "00042", Some(42)),
            ("INT", "32767", Some(32767)),
            ("INT", "-32768", Some(-32768)),
            ("INT", "-0", Some(0)),
            ("INT", "32768", None),
            ("INT", "-32769", None),
            ("INT", "99999", None),
            ("INT", "000042", None),
            ("INT", "+5", None),
            ("INT", " 5", None),
            ("INT", "--5", None),
            ("INT", "-", None),
            ("INT", "16#FF", None),
            ("INT", "1_0", None),
            ("INT", "1E2", None),
            ("DINT", "-2147483648", Some(-2_147_483_648)),
            ("DINT", "2147483648", None),
        ] {
            check(dialect, ty, text, expected);
        }
    }
    let iec = |ty, text, expected| check(DialectId::Iec, ty, text, expected);
    for (ty, text, expected) in [
        ("SINT", "-128", Some(-128)),
        ("SINT", "128", None),
        ("SINT", "999", None),
        ("USINT", "255", Some(255)),
        ("USINT", "256", None),
        ("UINT", "-1", None),
        ("UINT", "-0", None),
        ("UINT", "65535", Some(65535)),
        ("UDINT", "4294967295", Some(4_294_967_295)),
        ("UDINT", "4294967296", None),
        ("LINT", "-9223372036854775808", Some(i128::from(i64::MIN))),
        ("LINT", "9223372036854775808", None),
        ("ULINT", "18446744073709551615", Some(i128::from(u64::MAX))),
        ("ULINT", "18446744073709551616", None),
        ("ULINT", "99999999999999999999", None),
        // Controllers differ in the rest; some read hexadecimal digits.
        ("INT", "34abc", None),
        ("INT", "abc34", None),
        ("INT", "", None),
        ("WORD", "34", None),
        ("BOOL", "TRUE", Some(1)),
        ("BOOL", "FALSE", Some(0)),
        ("BOOL", "TRUER", None),
        ("BOOL", "true", None),
        ("BOOL", "no", None),
    ] {
        iec(ty, text, expected);
    }
}

#[test]
fn codesys_takes_what_a_string_begins_with() {
    for dialect in [DialectId::Codesys, DialectId::Twincat] {
        for (ty, text, expected) in [
            ("WORD", "abc34", Some(0)),
            ("WORD", "34abc", Some(34)),
            ("INT", "-12 mm", Some(-12)),
            ("INT", "3.14", Some(3)),
            ("INT", "", Some(0)),
            ("INT", "INT#5", None),
            ("INT", "12#", None),
            ("INT", "0x10", None),
            ("INT", "123456 pieces", None),
            ("INT", "12345x", None),
            ("INT", ".5", None),
            ("BYTE", "500", None),
            ("BYTE", "250", Some(250)),
            ("DWORD", "-1", None),
            ("BOOL", "TRUE", Some(1)),
            ("BOOL", "FALSE", Some(0)),
            ("BOOL", "yes", Some(0)),
            ("BOOL", "", Some(0)),
            ("BOOL", "True", None),
            ("BOOL", "1", None),
            ("BOOL", "BOOL#TRUE", None),
        ] {
            check(dialect, ty, text, expected);
        }
    }
}
