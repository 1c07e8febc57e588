//! The standard function blocks against the standard's truth tables and timing diagrams.

use std::fmt::Write as _;

use super::{cycle, project};
use crate::dialect::DialectId;
use crate::hir::Value;
use crate::interp::{Limits, Machine};
use crate::text::SourceSet;
use crate::{LoadOptions, load};

/// Runs one instance cycle by cycle. `header` names the inputs and outputs, as in `CU R PV | Q CV`; a row has their
/// values in this order, and `-` behind a row means that the block is not called in this cycle.
pub(super) fn check(block: &str, header: &str, rows: &[&str]) {
    check_from(block, "", header, rows);
}

/// Checks an instance with initial values in the same way.
fn check_from(block: &str, init: &str, header: &str, rows: &[&str]) {
    let (inputs, outputs) = header.split_once('|').unwrap();
    let number = match block.split_once('_') {
        Some(("S", _)) => "WORD",
        Some((_, ty)) => ty,
        None => "INT",
    };
    let time = if block.starts_with('L') || block.ends_with("_LTIME") { "LTIME" } else { "TIME" };
    let ty = |name: &str| match name {
        "PV" | "CV" | "CV_BCD" => number.to_owned(),
        "PT" | "ET" | "TV" => time.to_owned(),
        "PDT" | "CDT" => "DT".to_owned(),
        _ => "BOOL".to_owned(),
    };
    let mut text = String::from("PROGRAM Main\nVAR_INPUT\n  call : BOOL;\n");
    for name in inputs.split_whitespace() {
        writeln!(text, "  i{name} : {};", ty(name)).unwrap();
    }
    let args: Vec<String> = inputs.split_whitespace().map(|name| format!("{name} := i{name}")).collect();
    let args = args.join(", ");
    writeln!(text, "END_VAR\nVAR\n  fb : {block}{init};\nEND_VAR\nIF call THEN fb({args}); END_IF;\nEND_PROGRAM").unwrap();
    let project = project(&text);
    let mut machine = Machine::new(&project, Limits::default());
    let value = |name: &str, text: &str| match ty(name).as_str() {
        "BOOL" => Value::Bool(text == "1"),
        // This table gives times in milliseconds.
        "LTIME" => Value::Int(text.parse::<i128>().unwrap() * 1_000_000),
        _ => Value::Int(text.parse().unwrap()),
    };
    for (n, row) in rows.iter().enumerate() {
        let (row, called) = row.strip_suffix('-').map_or((*row, true), |row| (row, false));
        let (given, expected) = row.split_once('|').unwrap();
        let given: Vec<(String, Value)> = inputs
            .split_whitespace()
            .zip(given.split_whitespace())
            .map(|(name, v)| (format!("i{name}"), value(name, v)))
            .collect();
        let mut given: Vec<(&str, Value)> = given.iter().map(|(name, v)| (name.as_str(), *v)).collect();
        given.push(("call", Value::Bool(called)));
        cycle(&mut machine, &given).unwrap();
        for (name, v) in outputs.split_whitespace().zip(expected.split_whitespace()) {
            let found = machine.leaf(&format!("Main.fb.{name}")).unwrap();
            assert_eq!(found, value(name, v), "{block}: {name} in row {n}: {row}");
        }
    }
}

#[test]
fn bistables() {
    check("SR", "S1 R | Q1", &["0 0 | 0", "1 0 | 1", "0 0 | 1", "0 1 | 0", "1 1 | 1", "0 1 | 0", "0 0 | 0"]);
    check("RS", "S R1 | Q1", &["0 0 | 0", "1 0 | 1", "0 0 | 1", "0 1 | 0", "1 1 | 0", "1 0 | 1", "1 1 | 0"]);
}

#[test]
fn edges() {
    check("R_TRIG", "CLK | Q", &["0 | 0", "1 | 1", "1 | 0", "0 | 0", "1 | 1", "0 | 0"]);
    // TRUE at the first scan is a rising edge; FALSE at the first scan is a falling edge, by the standard's own text.
    check("R_TRIG", "CLK | Q", &["1 | 1", "1 | 0"]);
    check("F_TRIG", "CLK | Q", &["0 | 1", "0 | 0", "1 | 0", "0 | 1", "0 | 0", "1 | 0"]);
    check("F_TRIG", "CLK | Q", &["1 | 0", "0 | 1"]);
    for (dialect, q) in
        [(DialectId::Iec, true), (DialectId::Codesys, false), (DialectId::Twincat, false), (DialectId::SiemensTia, false)]
    {
        let mut sources = SourceSet::default();
        sources.add("a.st", "PROGRAM Main VAR f : F_TRIG; END_VAR f(CLK := FALSE); END_PROGRAM");
        let loaded = load(&sources, &LoadOptions { dialect: Some(dialect), ..LoadOptions::default() });
        let mut machine = Machine::new(&loaded.value.project, Limits::default());
        cycle(&mut machine, &[]).unwrap();
        assert_eq!(machine.leaf("Main.f.Q"), Some(Value::Bool(q)), "{dialect:?}");
    }
    // An edge between two calls is seen at the next one; Q keeps its value meanwhile.
    check("R_TRIG", "CLK | Q", &["0 | 0", "1 | 0-", "1 | 1", "1 | 1-", "1 | 0"]);
}

#[test]
fn up_counters() {
    let rows = ["1 0 2 | 0 1", "1 0 2 | 0 1", "0 0 2 | 0 1", "1 0 2 | 1 2", "0 0 2 | 1 2", "1 0 2 | 1 3", "1 1 2 | 0 0"];
    for block in ["CTU", "CTU_SINT", "CTU_USINT", "CTU_INT", "CTU_UINT", "CTU_DINT", "CTU_LINT", "CTU_UDINT", "CTU_ULINT"] {
        check(block, "CU R PV | Q CV", &rows);
    }
    // R dominates, and an edge during R is not counted later.
    check("CTU", "CU R PV | Q CV", &["1 0 1 | 1 1", "0 0 1 | 1 1", "1 1 1 | 0 0", "1 0 1 | 0 0", "0 0 1 | 0 0", "1 0 1 | 1 1"]);
    // PV may change while counting. With PV = 0, Q is TRUE before anything is counted.
    check("CTU", "CU R PV | Q CV", &["0 0 0 | 1 0", "1 0 5 | 0 1", "1 0 1 | 1 1", "1 0 -3 | 1 1"]);
    let last = ["1 0 0 | 1 MAX", "0 0 0 | 1 MAX", "1 0 0 | 1 MAX"];
    for (block, max) in [
        ("CTU", "32767"),
        ("CTU_INT", "32767"),
        ("CTU_SINT", "127"),
        ("CTU_USINT", "255"),
        ("CTU_UINT", "65535"),
        ("CTU_DINT", "2147483647"),
        ("CTU_LINT", "9223372036854775807"),
        ("CTU_UDINT", "4294967295"),
        ("CTU_ULINT", "18446744073709551615"),
    ] {
        let rows = last.map(|row| row.replace("MAX", max));
        let before: i128 = max.parse::<i128>().unwrap() - 1;
        check_from(block, &format!(" := (CV := {before})"), "CU R PV | Q CV", &rows.each_ref().map(|row| row.as_str()));
    }
}

#[test]
fn down_counters() {
    let rows = ["0 1 2 | 0 2", "1 0 2 | 0 1", "1 0 2 | 0 1", "0 0 2 | 0 1", "1 0 2 | 1 0", "1 1 2 | 0 2"];
    for block in ["CTD", "CTD_SINT", "CTD_USINT", "CTD_INT", "CTD_UINT", "CTD_DINT", "CTD_LINT", "CTD_UDINT", "CTD_ULINT"] {
        check(block, "CD LD PV | Q CV", &rows);
    }
    check("CTD", "CD LD PV | Q CV", &["0 0 5 | 1 0", "1 0 5 | 1 -1"]);
    for (block, min, next) in [
        ("CTD", "-32768", "-32767"),
        ("CTD_INT", "-32768", "-32767"),
        ("CTD_SINT", "-128", "-127"),
        ("CTD_USINT", "0", "1"),
        ("CTD_UINT", "0", "1"),
        ("CTD_DINT", "-2147483648", "-2147483647"),
        ("CTD_LINT", "-9223372036854775808", "-9223372036854775807"),
        ("CTD_UDINT", "0", "1"),
        ("CTD_ULINT", "0", "1"),
    ] {
        let rows = [
            format!("0 1 {next} | Q {next}"),
            format!("1 0 0 | 1 {min}"),
            format!("0 0 0 | 1 {min}"),
            format!("1 0 0 | 1 {min}"),
        ];
        let q = if next.starts_with('-') { "1" } else { "0" };
        let rows = rows.map(|row| row.replace('Q', q));
        check(block, "CD LD PV | Q CV", &rows.each_ref().map(|row| row.as_str()));
    }
}

#[test]
fn up_down_counters() {
    let rows = [
        "0 0 0 0 2 | 0 1 0",
        "1 0 0 0 2 | 0 0 1",
        "0 0 0 0 2 | 0 0 1",
        "1 1 0 0 2 | 0 0 1",
        "0 0 0 0 2 | 0 0 1",
        "0 1 0 0 2 | 0 1 0",
        "0 0 0 1 2 | 1 0 2",
        "1 0 0 0 2 | 1 0 3",
        "0 0 1 1 2 | 0 1 0",
    ];
    for block in
        ["CTUD", "CTUD_SINT", "CTUD_USINT", "CTUD_INT", "CTUD_UINT", "CTUD_DINT", "CTUD_LINT", "CTUD_UDINT", "CTUD_ULINT"]
    {
        check(block, "CU CD R LD PV | QU QD CV", &rows);
    }
    // An edge during R or LD is not counted later; the level of the other input does not matter.
    check("CTUD", "CU CD R LD PV | QU QD CV", &["1 0 0 1 5 | 1 0 5", "1 0 0 0 5 | 1 0 5", "1 1 0 0 5 | 0 0 4"]);
    for (block, min, max) in [
        ("CTUD", "-32768", "32767"),
        ("CTUD_INT", "-32768", "32767"),
        ("CTUD_SINT", "-128", "127"),
        ("CTUD_USINT", "0", "255"),
        ("CTUD_UINT", "0", "65535"),
        ("CTUD_DINT", "-2147483648", "2147483647"),
        ("CTUD_ULINT", "0", "18446744073709551615"),
        ("CTUD_UDINT", "0", "4294967295"),
        ("CTUD_LINT", "-9223372036854775808", "9223372036854775807"),
    ] {
        check(block, "CU CD R LD PV | CV", &[&format!("0 0 0 1 {max} | {max}"), &format!("1 0 0 0 0 | {max}")]);
        check(block, "CU CD R LD PV | CV", &[&format!("0 0 0 1 {min} | {min}"), &format!("0 1 0 0 0 | {min}")]);
    }
}

/// Checks a timer and its variants by type against the same table.
fn check_timers(block: &str, header: &str, rows: &[&str]) {
    for block in [block.to_owned(), format!("{block}_TIME"), format!("{block}_LTIME"), format!("L{block}")] {
        check(&block, header, rows);
    }
}

#[test]
fn on_delay() {
    let header = "IN PT | Q ET";
    check_timers(
        "TON",
        header,
        &["0 250 | 0 0", "1 250 | 0 0", "1 250 | 0 100", "1 250 | 0 200", "1 250 | 1 250", "1 250 | 1 250", "0 250 | 0 0"],
    );
    // The time starts at the first scan if IN is TRUE. Each further start begins at zero.
    check_timers(
        "TON",
        header,
        &["1 200 | 0 0", "1 200 | 0 100", "0 200 | 0 0", "1 200 | 0 0", "1 200 | 0 100", "1 200 | 1 200"],
    );
    // A delay of zero, and a negative one.
    check_timers("TON", header, &["0 0 | 0 0", "1 0 | 1 0", "1 0 | 1 0", "0 0 | 0 0"]);
    check_timers("TON", header, &["1 -100 | 1 0", "1 -100 | 1 0"]);
    // PT changes while the time runs; afterwards PT has no effect.
    check_timers(
        "TON",
        header,
        &["1 200 | 0 0", "1 500 | 0 100", "1 500 | 0 200", "1 250 | 1 250", "1 900 | 1 250", "0 900 | 0 0"],
    );
    check_timers("TON", header, &["1 500 | 0 0", "1 500 | 0 100", "1 50 | 1 50"]);
    // Time goes on while the block is not called; a pause of IN between two calls is not seen.
    check_timers("TON", header, &["1 300 | 0 0", "1 300 | 0 0-", "0 300 | 0 0-", "1 300 | 1 300"]);
    check_timers("TON", header, &["0 300 | 0 0", "1 300 | 0 0-", "1 300 | 0 0-", "1 300 | 0 0", "1 300 | 0 100"]);
    check_timers("TON", header, &["1 100 | 0 0", "1 100 | 1 100", "1 100 | 1 100-", "0 100 | 0 0"]);
}

#[test]
fn off_delay() {
    let header = "IN PT | Q ET";
    check_timers(
        "TOF",
        header,
        &["0 200 | 0 0", "1 200 | 1 0", "0 200 | 1 0", "0 200 | 1 100", "0 200 | 0 200", "0 200 | 0 200", "1 200 | 1 0"],
    );
    check_timers(
        "TOF",
        header,
        &[
            "1 250 | 1 0",
            "1 250 | 1 0",
            "0 250 | 1 0",
            "1 250 | 1 0",
            "0 250 | 1 0",
            "0 250 | 1 100",
            "0 250 | 1 200",
            "0 250 | 0 250",
        ],
    );
    check_timers("TOF", header, &["1 0 | 1 0", "0 0 | 0 0", "0 0 | 0 0"]);
    check_timers("TOF", header, &["1 -100 | 1 0", "0 -100 | 0 0"]);
    check_timers(
        "TOF",
        header,
        &["1 200 | 1 0", "0 200 | 1 0", "0 500 | 1 100", "0 500 | 1 200", "0 300 | 0 300", "0 900 | 0 300"],
    );
    check_timers("TOF", header, &["1 200 | 1 0", "0 200 | 1 0-", "0 200 | 1 0", "0 200 | 1 0-", "0 200 | 0 200"]);
}

#[test]
fn pulse() {
    let header = "IN PT | Q ET";
    check_timers(
        "TP",
        header,
        &["0 250 | 0 0", "1 250 | 1 0", "1 250 | 1 100", "1 250 | 1 200", "1 250 | 0 250", "1 250 | 0 250", "0 250 | 0 0"],
    );
    // A short IN gives the whole pulse; edges during it are lost.
    check_timers("TP", header, &["1 200 | 1 0", "0 200 | 1 100", "0 200 | 0 0", "1 200 | 1 0"]);
    check_timers(
        "TP",
        header,
        &["1 300 | 1 0", "0 300 | 1 100", "1 300 | 1 200", "1 300 | 0 300", "1 300 | 0 300", "0 300 | 0 0", "1 300 | 1 0"],
    );
    // An edge in the cycle that ends the pulse is lost too.
    check_timers("TP", header, &["1 200 | 1 0", "0 200 | 1 100", "1 200 | 0 200", "1 200 | 0 200"]);
    check_timers("TP", header, &["1 0 | 0 0", "1 0 | 0 0", "0 0 | 0 0", "1 100 | 1 0"]);
    check_timers("TP", header, &["1 -100 | 0 0"]);
    check_timers("TP", header, &["1 200 | 1 0", "1 500 | 1 100", "1 500 | 1 200", "1 250 | 0 250", "1 900 | 0 250"]);
    check_timers("TP", header, &["1 200 | 1 0", "1 200 | 1 0-", "1 200 | 0 200", "0 200 | 0 200-", "0 200 | 0 0"]);
}

#[test]
fn stopwatches_stop_at_the_largest_time() {
    let most = "2147483647";
    let project = project(
        "PROGRAM Main VAR_INPUT on : BOOL; END_VAR VAR t : TON := (PT := T#24d20h31m23s647ms); END_VAR t(IN := on); END_PROGRAM",
    );
    let mut machine = Machine::new(&project, Limits::default());
    let on = std::collections::BTreeMap::from([("Main.on".to_owned(), Value::Bool(true))]);
    for (dt_days, q, et) in [(1, false, "0"), (24, false, "2073600000"), (1, true, most), (90_000, true, most)] {
        machine.begin(&on, dt_days * 86_400_000_000_000).unwrap();
        machine.run(&mut crate::interp::Silent).unwrap();
        assert_eq!(machine.leaf("Main.t.Q"), Some(Value::Bool(q)));
        assert_eq!(machine.leaf("Main.t.ET"), Some(Value::Int(et.parse().unwrap())));
    }
}
