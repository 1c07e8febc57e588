//! Frequent mistakes of engineers and their findings: `//^^^ P1016` stands under the place.

use crate::lang::st::{parse_expression, unit};
use crate::text::{Diagnostic, FileId, SourceSet, line_col};

/// Line, first column, width, code; a place of several lines counts its first.
type Place = (u32, u32, usize, String);

fn found(text: &str, diagnostics: &[Diagnostic]) -> Vec<Place> {
    let mut places: Vec<Place> = diagnostics
        .iter()
        .map(|d| {
            let span = d.span();
            let at = line_col(text, span.start as usize);
            let place = &text[span.start as usize..span.end as usize];
            let width = place.lines().next().unwrap_or("").chars().count();
            (at.line, at.column, width.max(1), d.code.to_owned())
        })
        .collect();
    places.sort();
    places
}

fn expected(text: &str) -> Vec<Place> {
    let mut places = Vec::new();
    let mut code_line = 0;
    for (number, line) in (1..).zip(text.lines()) {
        let marks = line.trim_start().strip_prefix("//").filter(|rest| rest.trim_start().starts_with('^'));
        let Some(marks) = marks else {
            code_line = number;
            continue;
        };
        let width = marks.trim_start().chars().take_while(|c| *c == '^').count();
        let column = line.chars().position(|c| c == '^').unwrap() + 1;
        places.push((code_line, column as u32, width, marks.trim_start()[width..].trim().to_owned()));
    }
    places.sort();
    places
}

fn check(title: &str, text: &str) {
    let parsed = unit(FileId(0), text);
    let mut sources = SourceSet::default();
    sources.add(title, text);
    let shown = crate::text::render::plain(&sources, &parsed.diagnostics);
    assert_eq!(found(text, &parsed.diagnostics), expected(text), "{title}\n{text}\n{shown}");
    assert!(!parsed.diagnostics.is_empty(), "a mistake");
    for diagnostic in &parsed.diagnostics {
        assert!(crate::text::codes::explain(diagnostic.code).is_some(), "{} is in the table", diagnostic.code);
        assert!(diagnostic.help.as_ref().is_some_and(|h| !h.is_empty()), "{} helps", diagnostic.code);
    }
}

/// Files with marks under each mistake, separated by lines that start with `===`.
const FIXTURES: &str = include_str!("mistakes.fixture");

#[test]
fn each_mistake_is_reported_at_its_place_and_nothing_else() {
    for fixture in FIXTURES.split("=== ").skip(1) {
        let (title, text) = fixture.split_once('\n').unwrap();
        check(title, text);
    }
}

#[test]
fn copies_of_a_large_type_are_bounded() {
    let names = "x,".repeat(3000) + "x";
    let text = format!("PROGRAM P VAR {names} : ({}B); END_VAR END_PROGRAM", "Aaaaaaaaaaaaaaaaa,".repeat(99));
    assert_eq!(unit(FileId(0), &text).diagnostics.iter().map(|d| d.code).collect::<Vec<_>>(), ["P1027"]);
}

#[test]
fn conditions_of_requirements() {
    let check = |text: &str, codes: &[&str]| {
        let parsed = parse_expression(FileId(0), text);
        assert_eq!(parsed.diagnostics.iter().map(|d| d.code).collect::<Vec<_>>(), codes, "{text}");
        assert_eq!(parsed.value.is_none(), !codes.is_empty(), "{text}");
    };
    check("a --> b AND NOT c", &[]);
    check("", &["P1010"]);
    check("a b", &["P1010"]);
    check("a;", &["P1010"]);
    check("a := b", &["P1017"]);
    check("(a", &["P1012"]);
    check("a \0", &["P0002"]);
    check("x @ = 1 # 2", &["P1001", "P1001", "P1010"]);
}

#[test]
fn findings_are_bounded_and_in_order() {
    let text = format!("PROGRAM P\n{}END_PROGRAM", "x := ;\n".repeat(1000));
    let diagnostics = unit(FileId(0), &text).diagnostics;
    assert_eq!(diagnostics.len(), 201);
    assert!(diagnostics.windows(2).all(|w| w[0].span().start <= w[1].span().start));
    let last = diagnostics.last().unwrap();
    assert_eq!((last.code, last.message.as_str()), ("P1021", "800 more errors are not shown"));
}
