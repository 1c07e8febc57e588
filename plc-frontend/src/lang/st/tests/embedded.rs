//! Pieces of ST inside of other files: places are places of the file.

use super::print;
use super::spans::Check;
use crate::ast::Item;
use crate::lang::st::embedded::*;
use crate::text::{FileId, Span};

const FILE: FileId = FileId(7);

/// Returns a file in which `before` and `after` stand around the piece.
fn framed(piece: &str) -> (String, std::ops::Range<usize>) {
    let before = "<x a=\"'\">(* ";
    (format!("{before}{piece}]]>*) 'x"), before.len()..before.len() + piece.len())
}

#[test]
fn declarations_need_no_end() {
    let check = |piece: &str, expected: &str| {
        let (text, range) = framed(piece);
        let parsed = items(FILE, &text, range);
        assert!(parsed.diagnostics.is_empty(), "{piece}: {:?}", parsed.diagnostics);
        let unit = crate::ast::Unit { items: parsed.value, ..crate::ast::Unit::new(FILE) };
        Check { text: &text, errors: 0 }.unit(&unit);
        assert_eq!(print::unit(&unit), expected, "{piece}");
    };
    check(
        "FUNCTION_BLOCK FB_x EXTENDS FB_y IMPLEMENTS I VAR a : INT; END_VAR",
        "(fb FB_x extends FB_y implements I (var a: INT) [])",
    );
    check("PROGRAM MAIN\nVAR\nEND_VAR\n", "(program MAIN (var ) [])");
    check("FUNCTION F : BOOL\nVAR_INPUT x : INT; END_VAR", "(function F -> BOOL (input x: INT) [])");
    check("{attribute 'a'}\nINTERFACE I EXTENDS J", "(interface I extends J)");
    check(
        "VAR_GLOBAL a : INT; END_VAR VAR_GLOBAL CONSTANT b : INT := 1; END_VAR",
        "(global a: INT) (global constant b: INT := 1)",
    );
    check("TYPE A : (x, y); END_TYPE", "(type A enum(x,y))");
    check("", "");
}

#[test]
fn members_and_parts() {
    let (text, range) = framed("METHOD PROTECTED m : INT VAR_INPUT a : INT; END_VAR");
    let method = method_declaration(FILE, &text, range.clone());
    assert!(method.diagnostics.is_empty(), "{:?}", method.diagnostics);
    let method = method.value.unwrap();
    assert_eq!((method.name.text.as_str(), method.vars.len(), method.body.is_none()), ("m", 1, true));
    assert_eq!(method.span, Span::new(FILE, range.start, range.end));

    let (text, range) = framed("PROPERTY PUBLIC p : REAL");
    let property = property_declaration(FILE, &text, range);
    assert!(property.diagnostics.is_empty() && property.value.is_some_and(|p| p.getter.is_none()));

    let (text, range) = framed("PRIVATE VAR x : INT; END_VAR");
    let blocks = var_blocks(FILE, &text, range);
    assert!(blocks.diagnostics.is_empty() && blocks.value.len() == 1);

    let (text, range) = framed("a + 1");
    assert_eq!(expression(FILE, &text, range.clone()).value.map(|e| e.span), Some(Span::new(FILE, range.start, range.end)));
    let (text, range) = framed("ARRAY [0..1] OF INT");
    assert_eq!(type_spec(FILE, &text, range).value.map(|t| print::type_spec(&t)), Some("[0..1]INT".to_owned()));
}

#[test]
fn fillers_are_white_space() {
    let check = |piece: &str, expected: &str| {
        let (text, range) = framed(piece);
        let parsed = statements(FILE, &text, range);
        assert!(parsed.diagnostics.is_empty(), "{piece:?}: {:?}", parsed.diagnostics);
        assert_eq!(print::stmts(&parsed.value), expected, "{piece:?}");
    };
    check("x := a <\u{7f}\u{7f}\u{7f} b;", "[(:= x (< a b))]");
    check("x := a <=\u{7f}\u{7f}\u{7f}b AND c <>\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}d;", "[(:= x (and (<= a b) (<> c d)))]");
    check("f(q =>\u{7f}\u{7f}\u{7f} z);", "[f(q=>z)]");
    check("gr\u{f6}\u{7f}\u{7f}\u{7f}\u{7f}\u{df}e := 1;", "[(:= gr\u{f6}\u{df}e 1)]");
    check("\u{7f}x\u{7f}:=\u{7f}1\u{7f};\u{7f}", "[(:= x 1)]");
}

#[test]
fn mistakes_have_places_in_the_file() {
    let (text, range) = framed("x := ;");
    let parsed = statements(FILE, &text, range.clone());
    assert_eq!(parsed.diagnostics.first().map(|d| d.span()), Some(Span::new(FILE, range.start + 5, range.start + 6)));
    let (text, range) = framed("a b");
    assert!(expression(FILE, &text, range).has_errors());
    // A range beyond the text is cut.
    assert!(statements(FILE, "é", 1..900).has_errors());
    assert!(statements(FILE, "é", 7..9).value.is_empty());
    let declared = items(FILE, "FUNCTION f : INT", 0..16).value;
    let Some(Item::Pou(pou)) = declared.first() else { panic!("no POU") };
    assert_eq!(pou.span, Span::new(FILE, 0, 16));
}
