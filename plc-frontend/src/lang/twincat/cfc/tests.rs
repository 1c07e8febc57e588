//! Charts in the archive form of TwinCAT: the sample, and parts of it that are not known.

use std::collections::BTreeMap;

use crate::hir::Value;
use crate::interp::{Limits, Machine, Silent};
use crate::text::SourceSet;
use crate::{LoadOptions, load};

/// Two-hand control as a chart; `samples/languages` has it in other languages.
const CHART: &str = include_str!("two_hand.TcPOU");

/// Returns the chart.
fn sample() -> String {
    CHART.to_owned()
}

/// Returns the constructs in the ledger of a chart.
fn gaps(text: &str) -> Vec<String> {
    let mut sources = SourceSet::default();
    sources.add("Press.TcPOU", text);
    let loaded = load(&sources, &LoadOptions::default());
    assert!(!loaded.has_errors(), "{:#?}", loaded.diagnostics);
    loaded.value.ledger.gaps.into_iter().map(|gap| gap.construct).collect()
}

/// Checks the only gap of the sample with one place changed.
#[track_caller]
fn check(from: &str, to: &str, expected: &str) {
    let text = sample();
    assert!(text.contains(from), "{from}");
    assert_eq!(gaps(&text.replacen(from, to, 1)), [expected], "{from} -> {to}");
}

const ORDER: &str = "elements of the chart `Press` run in the order of its file";

#[test]
fn a_chart_has_one_condition() {
    assert_eq!(gaps(&sample()), [ORDER]);
}

#[test]
fn parts_that_are_not_known_are_gaps() {
    let chart = |words: &str| format!("continuous function chart (CFC) {words}");
    check("CFCOutputElement", "CFCSelectorElement", &chart("with an element that is not known"));
    check("\"OwningPageId\">-1L", "\"OwningPageId\">7L", &chart("with pages"));
    check("<v n=\"AutoSizeCanvas\">", "<v n=\"Frequency\">", &chart("with a setting that is not known"));
    check("\"EnEno\">false", "\"EnEno\">true", &chart("with a setting that is not known"));
    check("t=\"SetReset\">None", "t=\"SetReset\">Toggle", &chart("with a modified pin that is not known"));
    check("t=\"SetResetRef\">None", "t=\"SetResetRef\">Ref", &chart("with a modified pin that is not known"));
    check("\"DestPinId\"", "\"Other\"", &chart("that is not complete"));
    check("t=\"CFCImplementationObject\"", "t=\"Other\"", &chart("that is not complete"));
}

/// Returns the sample whose timer has no names at its pins.
fn without_names() -> String {
    ["IN", "PT", "Q", "ET"].into_iter().fold(sample(), |text, pin| {
        let (named, unnamed) = (format!("\"Text\">\"{pin}\""), "\"Text\">\"\"");
        assert!(text.contains(&named), "{pin}");
        text.replacen(&named, unnamed, 1)
    })
}

const DECLARED: &str = "pins without names in the chart `Press` are the declared inputs and outputs of their blocks, in order";

#[test]
fn pins_without_names_are_those_of_the_declaration() {
    let text = without_names();
    assert_eq!(gaps(&text), [ORDER, DECLARED]);
    assert_eq!(run("Press.TcPOU", &text), run("Press.TcPOU", CHART));
}

#[test]
fn pins_that_no_declaration_names_are_a_gap() {
    let gap = "continuous function chart (CFC) with an instance whose pins have no names";
    // The chart shows another block than the instance is.
    for other in ["TP", "R_TRIG", "Absent"] {
        let text = without_names().replacen("\"Text\">\"TON\"", &format!("\"Text\">\"{other}\""), 1);
        let text = text.replacen("Window : TON;", "Window : TON; Pulse : TP; Edge : R_TRIG;", 1);
        assert!(text.contains("Pulse"));
        assert!(gaps(&text).contains(&gap.to_owned()), "{other}: {:?}", gaps(&text));
    }
}

#[test]
fn an_open_input_of_a_function_is_a_gap() {
    let text = sample();
    let at = text.find("t=\"CFCConnection\"").unwrap();
    let line = text[..at].rfind('\n').unwrap();
    let end = at + text[at..].find('\n').unwrap();
    let without = format!("{}{}", &text[..line], &text[end..]);
    assert_eq!(gaps(&without), ["continuous function chart (CFC) with an open input of a function"]);
}

/// Returns the outputs of 300 cycles of 100 ms with buttons that stay as they are for a while.
fn run(name: &str, text: &str) -> Vec<(Option<Value>, Option<Value>)> {
    let mut sources = SourceSet::default();
    sources.add(name, text);
    let loaded = load(&sources, &LoadOptions::default());
    assert!(!loaded.has_errors(), "{:#?}", loaded.diagnostics);
    let mut machine = Machine::new(&loaded.value.project, Limits::default());
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut buttons =
        BTreeMap::from([("Press.Left".to_owned(), Value::Bool(false)), ("Press.Right".to_owned(), Value::Bool(false))]);
    let mut outputs = Vec::new();
    for _ in 0..300 {
        for value in buttons.values_mut() {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if (random >> 33).is_multiple_of(4) {
                *value = Value::Bool(random >> 40 & 1 == 1);
            }
        }
        machine.begin(&buttons, 100_000_000).unwrap();
        machine.run(&mut Silent).unwrap();
        outputs.push((machine.leaf("Press.Enable"), machine.leaf("Press.Late")));
    }
    outputs
}

#[test]
fn a_chart_runs_as_its_text_does() {
    let text = "PROGRAM Press
        VAR_INPUT Left : BOOL; Right : BOOL; END_VAR VAR_OUTPUT Enable : BOOL; Late : BOOL; END_VAR VAR Window : TON; END_VAR
        Window(IN := Left OR Right, PT := T#500ms); Late := Window.Q; Enable := Left AND Right AND (Enable OR NOT Late);
        END_PROGRAM";
    let (chart, expected) = (run("Press.TcPOU", CHART), run("press.st", text));
    assert_eq!(chart, expected);
    let [enables, lates] = [0, 1].map(|output| {
        let outputs = chart.iter().map(|(enable, late)| [enable, late][output]);
        outputs.filter(|value| **value == Some(Value::Bool(true))).count()
    });
    assert!(10 < enables && 10 < lates, "{enables} {lates}");
}
