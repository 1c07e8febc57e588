//! Hostile input: findings, but no panic, no stack overflow and no long wait.

use proptest::prelude::*;

use crate::resolve::condition;
use crate::resolve::testing::{findings, loaded};
use testgen::programs::{Size, program};

/// Returns the texts of a program's tokens.
fn tokens(source: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    for c in source.chars() {
        let joins = |last: &String| last.chars().all(|l| (l.is_alphanumeric() || l == '_') && (c.is_alphanumeric() || c == '_'));
        match tokens.last_mut() {
            Some(last) if joins(last) => last.push(c),
            Some(_) | None => tokens.push(c.to_string()),
        }
    }
    tokens
}

const WORDS: &[&str] = &[
    "PROGRAM",
    "END_PROGRAM",
    "VAR",
    "END_VAR",
    "VAR_GLOBAL",
    "CONSTANT",
    "FUNCTION",
    "END_FUNCTION",
    "FUNCTION_BLOCK",
    "END_FUNCTION_BLOCK",
    "TYPE",
    "END_TYPE",
    "STRUCT",
    "END_STRUCT",
    "ARRAY",
    "[",
    "]",
    "..",
    "OF",
    "INT",
    "BOOL",
    "REAL",
    "TIME",
    "STRING",
    "TON",
    "A",
    "B",
    "C",
    ":",
    ";",
    ",",
    "(",
    ")",
    ":=",
    "=>",
    "1",
    "70000",
    "1.5",
    "T#1s",
    "16#FF",
    "TRUE",
    "A#B",
    ".",
    "^",
    "%IX0.0",
    "AT",
    "IF",
    "THEN",
    "END_IF",
    "CASE",
    "END_CASE",
    "FOR",
    "TO",
    "DO",
    "END_FOR",
    "+",
    "/",
    "AND",
    "NOT",
    "=",
    "<",
    "-",
    "MAX",
    "SEL",
    "INT_TO_REAL",
    "SIN",
    "VAR_IN_OUT",
    "VAR_INPUT",
    "VAR_EXTERNAL",
    "//#ASSERT A\n",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_words_can_be_loaded(words in prop::collection::vec(prop::sample::select(WORDS), 0..120)) {
        let loaded = loaded(&words.join(" "));
        prop_assert!(loaded.value.project.leaves().len() <= crate::rule::MAX_SCALARS);
    }

    /// Programs with a few words deleted, doubled or exchanged: nearly right, so most of the resolver runs.
    #[test]
    fn mutated_programs_can_be_loaded(seed in 0u64..500, edits in prop::collection::vec((0u8..3, any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..6)) {
        let mut tokens = tokens(&program(seed, Size { floats: true, ..Size::default() }));
        for (edit, a, b) in edits {
            let (a, b) = (a.index(tokens.len()), b.index(tokens.len()));
            match edit {
                0 => { tokens.remove(a); }
                1 => { let copy = tokens[a].clone(); tokens.insert(b, copy); }
                _ => tokens.swap(a, b),
            }
        }
        let mut loaded = loaded(&tokens.concat());
        loaded.value.project.leaves();
        condition(&mut loaded.value, "c", &tokens[..tokens.len().min(9)].concat());
    }
}

fn nested(n: usize, open: &str, inner: &str, close: &str) -> String {
    format!("{}{inner}{}", open.repeat(n), close.repeat(n))
}

fn body(text: &str) -> String {
    format!("PROGRAM Main\nVAR\n x : INT; b : BOOL;\nEND_VAR\n{text}\nEND_PROGRAM")
}

#[test]
fn deep_and_long_programs_end_in_findings_or_load() {
    // Depths that the parser still reads.
    for n in [10, 150, 400, 100_000] {
        findings(&body(&format!("x := {};", nested(n, "(", "x", ")"))));
        findings(&body(&format!("x := {};", nested(n, "-(", "x", ")"))));
        findings(&body(&format!("x := {};", nested(n, "MAX(1, ", "x", ")"))));
        findings(&body(&format!("b := {};", nested(n, "NOT ", "b", ""))));
        findings(&body(&nested(n, "IF b THEN ", "x := 1;", " END_IF;")));
        findings(&body(&format!("x := 1{};", " + 1".repeat(n))));
        findings(&body(&format!("x := x{};", " + 1".repeat(n))));
        findings(&format!("TYPE T : {}; END_TYPE\n{}", nested(n, "ARRAY [1..1] OF ", "INT", ""), body("")));
        findings(&format!("TYPE T : {}; END_TYPE\n{}", nested(n, "STRUCT a : ", "INT;", " END_STRUCT;"), body("")));
        findings(&format!("{}VAR\n y : INT := {};\nEND_VAR", body(""), nested(n, "(", "1", ")")));
    }
    // Chains of declarations, each using the next.
    let n = 3_000;
    let aliases: String = (0..n).map(|i| format!("T{i} : T{};\n", i + 1)).collect();
    assert!(!findings(&format!("TYPE {aliases} T{n} : INT; END_TYPE {}", body(""))).is_empty());
    let constants: String = (0..n).map(|i| format!("c{i} : INT := c{} + 1;\n", i + 1)).collect();
    assert!(!findings(&format!("VAR_GLOBAL CONSTANT {constants} c{n} : INT := 1; END_VAR {}", body(""))).is_empty());
    let structures: String = (0..n).map(|i| format!("S{} : STRUCT s : S{i}; END_STRUCT;\n", i + 1)).collect();
    let found = findings(&format!("TYPE S0 : INT; {structures} END_TYPE {}", body("")));
    assert_eq!(found.iter().map(|d| d.code).collect::<Vec<_>>(), ["P5001"]);
}

#[test]
fn findings_are_counted_not_listed_without_end() {
    let many: String = (0..5_000).map(|i| format!("u{i} := 1;\n")).collect();
    let found = findings(&body(&many));
    assert_eq!(found.len(), 1_001);
    assert_eq!(found.last().map(|d| d.code), Some("P5003"));
}

#[test]
fn a_state_without_bounds_is_not_built() {
    let recursive = "FUNCTION_BLOCK A VAR a : A; END_VAR END_FUNCTION_BLOCK\nVAR_GLOBAL g : A; END_VAR\nPROGRAM Main VAR a : A; END_VAR END_PROGRAM";
    let loaded = loaded(recursive);
    assert!(loaded.has_errors());
    assert!(loaded.value.project.leaves().len() < 10);
    let many_inits: String = (0..40).map(|i| format!("T{i} : ARRAY [1..60000] OF L;\n")).collect();
    // The largest arrays are not kept.
    assert!(findings(&format!("TYPE L : INT := 5; {many_inits} END_TYPE {}", body(""))).is_empty());
}

#[test]
fn blocks_that_share_much_are_refused_in_time() {
    let vars = |n: usize, prefix: &str| (0..n).map(|i| format!(" {prefix}{i} : INT;\n")).collect::<String>();
    let methods: String = (0..1_000).map(|i| format!("METHOD m{i}\nEND_METHOD\n")).collect();
    let lent = format!(
        "FUNCTION_BLOCK B\nVAR_IN_OUT\n{}END_VAR\n{methods}END_FUNCTION_BLOCK\nPROGRAM Main\nEND_PROGRAM",
        vars(1_000, "v")
    );
    let mut heirs = format!("FUNCTION_BLOCK B0\nVAR\n{}END_VAR\nEND_FUNCTION_BLOCK\n", vars(5_000, "a"));
    for i in 1..60 {
        heirs.push_str(&format!("FUNCTION_BLOCK B{i} EXTENDS B{}\nEND_FUNCTION_BLOCK\n", i - 1));
    }
    heirs.push_str("PROGRAM Main\nEND_PROGRAM");
    let mut long = "FUNCTION_BLOCK B0\nEND_FUNCTION_BLOCK\n".to_owned();
    for i in 1..2_000 {
        long.push_str(&format!("FUNCTION_BLOCK B{i} EXTENDS B{}\nEND_FUNCTION_BLOCK\n", i - 1));
    }
    for (text, code) in [(lent, "P5002"), (heirs, "P5002"), (long, "P4101")] {
        let start = std::time::Instant::now();
        let codes: Vec<&str> = crate::resolve::testing::findings(&text).iter().map(|d| d.code).collect();
        assert!(codes.contains(&code), "{codes:?}");
        assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
    }
}
