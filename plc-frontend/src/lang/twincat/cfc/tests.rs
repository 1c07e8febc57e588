//! Charts in the archive form of TwinCAT: the sample, and parts of it that are not known.

use std::path::Path;

use crate::text::SourceSet;
use crate::{LoadOptions, load};

/// Returns the chart of the samples.
fn sample() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/languages/two_hand.chart.TcPOU");
    std::fs::read_to_string(path).unwrap()
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
    check("\"Text\">\"IN\"", "\"Text\">\"\"", &chart("with an instance whose pins have no names"));
    check("<v n=\"AutoSizeCanvas\">", "<v n=\"Frequency\">", &chart("with a setting that is not known"));
    check("\"EnEno\">false", "\"EnEno\">true", &chart("with a setting that is not known"));
    check("t=\"SetReset\">None", "t=\"SetReset\">Toggle", &chart("with a modified pin that is not known"));
    check("t=\"SetResetRef\">None", "t=\"SetResetRef\">Ref", &chart("with a modified pin that is not known"));
    check("\"DestPinId\"", "\"Other\"", &chart("that is not complete"));
    check("t=\"CFCImplementationObject\"", "t=\"Other\"", &chart("that is not complete"));
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
