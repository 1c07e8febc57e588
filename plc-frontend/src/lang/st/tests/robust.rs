//! Laws for any text: it is read without panic, in linear time, with places inside of the text.

use proptest::prelude::*;

use super::soup::soup;
use super::spans::Check;
use crate::ast::{ExprKind, Item, StmtKind};
use crate::lang::st::parser::{LEVEL, TALLEST};
use crate::lang::st::{parse_expression, unit};
use crate::text::{Diagnostic, FileId, Span, decode};

/// Reads the text and checks the laws for all texts.
fn laws(text: &str) -> Vec<Diagnostic> {
    let parsed = unit(FileId(0), text);
    let mut check = Check { text, errors: 0 };
    check.unit(&parsed.value);
    // Mistakes in assertions are warnings: the program does not need them.
    let has_finding = parsed.has_errors() || (text.contains("#ASSERT") && !parsed.diagnostics.is_empty());
    assert!(check.errors == 0 || has_finding, "{text}");
    for diagnostic in &parsed.diagnostics {
        assert!(crate::text::codes::explain(diagnostic.code).is_some(), "{}", diagnostic.code);
        for label in &diagnostic.labels {
            let Span { start, end, .. } = label.span;
            assert!(text.get(start as usize..end as usize).is_some(), "{diagnostic:?}");
        }
    }
    let expr = parse_expression(FileId(0), text);
    if let Some(expr) = &expr.value {
        let mut check = Check { text, errors: 0 };
        check.expr(expr, Span::new(FileId(0), 0, text.len()));
        assert_eq!(check.errors, 0, "{text}");
    }
    assert_eq!(expr.value.is_none(), expr.has_errors(), "{:?}", expr.diagnostics);
    parsed.diagnostics
}

fn codes(diagnostics: &[Diagnostic]) -> Vec<&'static str> {
    diagnostics.iter().map(|d| d.code).collect()
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        laws(&decode(&bytes).0);
    }

    #[test]
    fn any_text_is_read(text in "\\PC{0,100}") {
        laws(&text);
    }

    #[test]
    fn any_sequence_of_pieces_is_read(text in soup()) {
        laws(&text);
    }

    #[test]
    fn any_sequence_of_pieces_is_read_in_each_place(text in soup()) {
        laws(&format!("PROGRAM P {text}\nEND_PROGRAM"));
        laws(&format!("PROGRAM P VAR {text}\nEND_VAR END_PROGRAM"));
        laws(&format!("TYPE {text}\nEND_TYPE"));
        laws(&format!("PROGRAM P x := {text}\n; CASE x OF {text}\nEND_CASE END_PROGRAM"));
    }

    #[test]
    fn a_mistake_costs_no_other_program(text in soup()) {
        // Open comments, strings, pragmas and constructs may swallow the rest.
        let closed = text.replace(['\'', '"', '{', '*'], " ");
        let closed = ["CONFIGURATION", "UNION", "STEP"].iter().fold(closed, |t, word| t.replace(word, "x"));
        let text = format!("PROGRAM Before x := 1; END_PROGRAM {closed}\nPROGRAM After y := 1; END_PROGRAM");
        let items = unit(FileId(0), &text).value.items;
        let has = |name: &str| has_program(&items, name);
        prop_assert!(has("Before") && has("After"), "{}", text);
    }
}

/// Returns whether a program of one statement is among the declarations, also in namespaces.
fn has_program(items: &[Item], name: &str) -> bool {
    items.iter().any(|item| match item {
        Item::Pou(pou) => pou.name.text == name && pou.body.stmts().len() == 1,
        Item::Namespace(namespace) => has_program(&namespace.items, name),
        Item::Type(_)
        | Item::Globals(_)
        | Item::Interface(_)
        | Item::Configuration(_)
        | Item::Using(_)
        | Item::Unsupported(..) => false,
    })
}

/// Stack of a production thread.
const STACK: usize = 8 << 20;

fn on_a_production_stack(check: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(STACK).spawn(check).unwrap().join().unwrap();
}

#[test]
fn deep_nesting_is_one_finding() {
    const MANY: usize = 20_000;
    let in_program = |text: String| format!("PROGRAM P\n{text}\nEND_PROGRAM\nPROGRAM Q x := ; END_PROGRAM");
    let texts = [
        in_program(format!("x := {};", "(".repeat(MANY))),
        in_program(format!("x := {}1{};", "(".repeat(MANY), ")".repeat(MANY))),
        in_program(format!("x := {}1;", "NOT ".repeat(MANY))),
        in_program(format!("x := {}1;", "- ".repeat(MANY))),
        in_program(format!("x := 2 ** {}1;", "- ".repeat(MANY))),
        in_program(format!("x := {}1;", "a[".repeat(MANY))),
        in_program(format!("x := {}1;", "f(".repeat(MANY))),
        in_program(format!("{}1;", "f(a := ".repeat(MANY))),
        in_program(format!("x := {}1;", "a OR b AND (".repeat(MANY))),
        in_program(format!("x := a{};", " OR b".repeat(4 * MANY))),
        in_program(format!("x := a{};", " + b * c".repeat(4 * MANY))),
        in_program(format!("x := a{};", " ** b".repeat(MANY))),
        in_program("IF x THEN ".repeat(MANY)),
        in_program("IF x THEN ELSE ".repeat(MANY)),
        in_program(format!("{}{}", "IF x THEN ".repeat(MANY), "END_IF; ".repeat(MANY))),
        in_program("WHILE x DO REPEAT ".repeat(MANY)),
        in_program("CASE x OF 1: ".repeat(MANY)),
        in_program("FOR i := 0 TO 1 DO ".repeat(MANY)),
        format!("PROGRAM P VAR x : {}INT; END_VAR END_PROGRAM PROGRAM Q x := ; END_PROGRAM", "ARRAY [0..1] OF ".repeat(MANY)),
        format!("PROGRAM P VAR x : {} END_VAR END_PROGRAM PROGRAM Q x := ; END_PROGRAM", "STRUCT a : ".repeat(MANY)),
        format!("PROGRAM P VAR x : {}INT; END_VAR END_PROGRAM PROGRAM Q x := ; END_PROGRAM", "POINTER TO ".repeat(MANY)),
        format!("PROGRAM P VAR x : T := {}; END_VAR END_PROGRAM PROGRAM Q x := ; END_PROGRAM", "[".repeat(MANY)),
        format!("PROGRAM P VAR x : T := {}; END_VAR END_PROGRAM PROGRAM Q x := ; END_PROGRAM", "(a := ".repeat(MANY)),
    ];
    for text in texts {
        on_a_production_stack(move || {
            let start: String = text.chars().take(60).collect();
            let diagnostics = unit(FileId(0), &text).diagnostics;
            assert_eq!(codes(&diagnostics), ["P1020", "P1010"], "{start}");
        });
    }
}

/// Operators in a chain that is read.
const LONGEST_CHAIN: usize = (TALLEST * LEVEL) as usize - 8 * LEVEL as usize;

#[test]
fn trees_up_to_the_limit_are_read() {
    on_a_production_stack(|| {
        let high = TALLEST as usize - 2;
        for text in [
            format!("{}a{}", "(".repeat(high), ")".repeat(high)),
            format!("a{}", " OR b".repeat(high)),
            format!("a{}", " OR b + c * d".repeat(LONGEST_CHAIN)),
            format!("{}a{}{}", "(".repeat(400), " OR b".repeat(100 * LEVEL as usize), ")".repeat(400)),
            format!("{}a", "NOT ".repeat(high)),
            format!("{}a{}", "a XOR b AND f(c = d + e * ".repeat(high / 4), ")".repeat(high / 4)),
        ] {
            laws(&text);
            assert_eq!(codes(&parse_expression(FileId(0), &text).diagnostics), [""; 0]);
        }
        let text = format!("PROGRAM P {} x := 1; {} END_PROGRAM", "IF a THEN ".repeat(high), "END_IF; ".repeat(high));
        assert_eq!(codes(&laws(&text)), [""; 0]);
    });
}

#[test]
fn assertions_stand_as_deep_as_their_place() {
    let deep = TALLEST as usize - 10;
    let text = format!(
        "PROGRAM P {}\n//#ASSERT {}a{}\n{} END_PROGRAM",
        "IF a THEN ".repeat(deep),
        "(".repeat(20),
        ")".repeat(20),
        "END_IF; ".repeat(deep)
    );
    assert_eq!(codes(&unit(FileId(0), &text).diagnostics), ["P1020"]);
}

/// A reader that is not linear would not end on these texts.
#[test]
fn long_texts_are_read_in_linear_time() {
    const LONG: usize = 1 << 15;
    for piece in [
        "(",
        ")",
        "[",
        "{\n",
        "(*",
        "(* *)",
        "(*@KEY@:DESCRIPTION*)",
        "'\n",
        "x ",
        "x y:",
        "x.",
        "x,",
        "x : ",
        "x := ",
        "x + ",
        "1 ",
        ";",
        "IF x THEN ",
        "END_IF ",
        "ELSE ",
        "CASE x OF ",
        "VAR ",
        "VAR x := ",
        "VAR x : STRUCT ",
        "END_VAR ",
        "PROGRAM ",
        "PROGRAM P ",
        "TYPE ",
        "TYPE x : (",
        "METHOD x ",
        "METHOD x END_METHOD ",
        "PROPERTY x : INT GET ",
        "ACTION x ",
        "INTERFACE x ",
        "INTERFACE x METHOD y ",
        "CLASS x ",
        "NAMESPACE x ",
        "NAMESPACE x END_NAMESPACE ",
        "USING x.",
        "STEP x: ",
        "STEP x: a(N); END_STEP ",
        "TRANSITION FROM ",
        "TRANSITION FROM a TO b := x; END_TRANSITION ",
        "RESOURCE x ON y ",
        "TASK x (",
        "CONFIGURATION x PROGRAM ",
        "VAR_CONFIG x.",
        "a := b := ",
        "a := b := c; ",
        "f(x).",
        "f(x).g(",
        "p^.",
        "__TRY ",
        "x : F(a := 1)[(",
        "{IF defined(x)} ",
        "{IF NOT defined(x)} {ELSE} ",
        "{ELSE} ",
        "{IF ",
        "{END_IF}",
        "{define x}",
        "'$",
        "LD x\n",
        "PROGRAM P { ",
        "UNION ",
        "CONFIGURATION x ",
        "//#ASSERT x\n",
        "//#ASSERT x + //#ASSERT\n",
        "@ ",
        "é",
        "$",
        "16#",
        "1.",
        "1e",
        "%IX0.",
        "x S= ",
        "a : STRUCT x := 1; ",
        "a : x := 1; ",
        "x\n",
        "x.y\n",
        "GOTO x ",
        "x : x ",
    ] {
        let text = piece.repeat(LONG / piece.len());
        for frame in ["", "PROGRAM P ", "PROGRAM P VAR ", "PROGRAM P CASE x OF a: ", "TYPE "] {
            let diagnostics = unit(FileId(0), &format!("{frame}{text}")).diagnostics;
            assert!(diagnostics.len() <= 201, "{piece}");
        }
    }
}

#[test]
fn long_programs_are_read_whole() {
    const MANY: usize = 50_000;
    let text = format!(
        "PROGRAM P {} CASE x OF {} END_CASE END_PROGRAM",
        "x := x + 1; ".repeat(MANY),
        "1..5, Red: y := 2; ".repeat(MANY)
    );
    let parsed = unit(FileId(0), &text);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let Some(Item::Pou(pou)) = parsed.value.items.first() else { panic!("no POU") };
    assert_eq!(pou.body.stmts().len(), MANY + 1);
    let Some(StmtKind::Case(selector, arms, _)) = pou.body.stmts().last().map(|s| &s.kind) else { panic!("no CASE") };
    assert!(matches!(selector.kind, ExprKind::Name(_)));
    assert_eq!(arms.len(), MANY);
}

#[test]
fn what_is_quoted_of_a_long_text_is_short() {
    let long = "9".repeat(100_000);
    for text in [
        format!("x{long};"),
        format!("x := {long};"),
        format!("x := T#{long};"),
        format!("x{long} y;"),
        format!("x.{long} y;"),
        format!("x := {long}x;"),
    ] {
        let diagnostics = unit(FileId(0), &format!("PROGRAM P {text} END_PROGRAM")).diagnostics;
        assert!(!diagnostics.is_empty());
        for d in diagnostics {
            assert!(d.message.len() < 1000 && d.help.is_none_or(|h| h.len() < 1000));
        }
    }
}
