//! Constructs of systems that are read and not modelled: each is a gap with its place, and no error.

use crate::resolve::testing::{check_run, loaded};

/// Asserts that a program has no error, and that one of its gaps has these words.
#[track_caller]
fn check(source: &str, words: &str) {
    let loaded = loaded(source);
    assert!(!loaded.has_errors(), "\n{source}\n{:#?}", loaded.diagnostics);
    let gaps: Vec<&str> = loaded.value.ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
    assert!(gaps.iter().any(|gap| gap.contains(words)), "{words}\n{source}\n{gaps:#?}");
}

/// Returns a program in the dialect of CODESYS with declarations in front of it.
fn codesys(before: &str, vars: &str, body: &str) -> String {
    format!("{{attribute 'x'}}\n{before}\nPROGRAM Main\nVAR {vars} END_VAR\n{body}\nEND_PROGRAM")
}

#[test]
fn questions_about_the_text_are_gaps() {
    check(&codesys("", "s : STRING;", "s := __POUNAME();"), "name of the POU (__POUNAME)");
    check(&codesys("", "s : STRING;", "s := __POSITION();"), "place in the text (__POSITION)");
    check(&codesys("", "s : STRING := __POUNAME(); t : STRING;", "t := s;"), "name of the POU (__POUNAME)");
}

#[test]
fn types_of_pointers_are_arguments() {
    check(&codesys("", "p : POINTER TO POINTER TO INT;", "p := __NEW(POINTER TO INT, 3);"), "dynamic memory (__NEW)");
    check(&codesys("", "n : UDINT;", "n := SIZEOF(POINTER TO INT);"), "type of a pointer as an argument");
}

#[test]
fn exception_handling_ends_with_its_own_word() {
    check(&codesys("", "x : INT;", "__TRY\n__TRY\nx := 1;\n__CATCH\n__ENDTRY\nx := 2;\n__ENDTRY\nx := 3;"), "exception handling");
}

#[test]
fn arguments_that_are_not_modelled_are_gaps() {
    let length = "FUNCTION Length : INT\nVAR_IN_OUT CONSTANT s : STRING; END_VAR\nLength := LEN(s);\nEND_FUNCTION";
    check(&codesys(length, "t : STRING(255); n : INT;", "n := Length(t);"), "as the VAR_IN_OUT CONSTANT `s`");
    let free = "FUNCTION Free : BOOL\nVAR_IN_OUT p : POINTER TO BYTE; END_VAR\nFree := p = 0;\nEND_FUNCTION";
    check(&codesys(free, "p : POINTER TO INT; b : BOOL;", "b := Free(p);"), "as the VAR_IN_OUT `p`");
    let log = "FUNCTION Log : BOOL\nVAR_INPUT a : INT; r : REFERENCE TO INT := 0; END_VAR\nLog := __ISVALIDREF(r);\nEND_FUNCTION";
    check(&codesys(log, "b : BOOL;", "b := Log(1);"), "without a variable for r");
    let find = "FUNCTION Seek : BOOL\nVAR_OUTPUT place : INT; END_VAR\nplace := 1;\nSeek := TRUE;\nEND_FUNCTION";
    check(&codesys(find, "b : BOOL; n : DINT;", "b := Seek(place => n);"), "target of another type");
    check(&codesys("FUNCTION F : INT\nF := 8;\nEND_FUNCTION", "n : INT;", "n := SHR(F(), 1);"), "call inside of an argument");
}

#[test]
fn parts_that_documentation_does_not_state_are_gaps() {
    let text = "{attribute 'x'}\nPROGRAM Main\nVAR c : __SYSTEM.TYPE_CLASS; n : INT; END_VAR\nc := __SYSTEM.TYPE_CLASS.TYPE_NEW;\nEND_PROGRAM";
    check(text, "use of `TYPE_CLASS`");
}

#[test]
fn variables_without_a_model_are_gaps() {
    check(&codesys("", "s : BYTE(0..7); n : BYTE;", "n := s;"), "subrange of BYTE");
    check(&codesys("", "s : STRING(0); t : STRING;", "t := s;"), "string of 0 characters");
    check(
        &codesys("", "x : LREAL;", "x := c;\nEND_PROGRAM\nVAR_GLOBAL CONSTANT c : LREAL := LOG(2.0); END_VAR\nPROGRAM Q"),
        "constant that calls LOG",
    );
    let block = "FUNCTION_BLOCK B\nVAR_OUTPUT q : BOOL; END_VAR\nq := TRUE;\nEND_FUNCTION_BLOCK\n";
    let function = format!("{block}FUNCTION F : BOOL\nVAR b : B; END_VAR\nb();\nF := b.q;\nEND_FUNCTION");
    check(&codesys(&function, "x : BOOL;", "x := F();"), "in memory that does not keep it");
}

#[test]
fn values_of_blocks_that_extend_one_another_are_gaps() {
    let blocks = "FUNCTION_BLOCK A\nVAR x : INT; END_VAR\nEND_FUNCTION_BLOCK\nFUNCTION_BLOCK B EXTENDS A\nEND_FUNCTION_BLOCK";
    check(&codesys(blocks, "a : A; b : B;", "a := b;"), "B as a value of type A");
}

#[test]
fn results_that_are_references_are_gaps_as_targets() {
    let block = "TYPE S : STRUCT Result : INT; END_STRUCT END_TYPE\nFUNCTION_BLOCK A\nVAR s : S; END_VAR\n\
        PROPERTY Data : REFERENCE TO S\nGET\nData REF= s;\nEND_GET\nEND_PROPERTY\nPROPERTY Flag : REFERENCE TO INT\nGET\n\
        Flag REF= s.Result;\nEND_GET\nEND_PROPERTY\nMETHOD Result : INT\nEND_METHOD\nEND_FUNCTION_BLOCK";
    check(&codesys(block, "a : A;", "a.Flag := 1;"), "call's result as a variable");
    check(&codesys(block, "a : A;", "a.Data.Result := 1;"), "call's result as a variable");
}

#[test]
fn functions_of_wide_strings_have_names_of_their_own() {
    let text = codesys("", "a : WSTRING := \"abc\"; b : WSTRING; n : INT;", "b := WCONCAT(a, \"d\");\nn := WLEN(b);");
    let loaded = loaded(&text);
    assert!(!loaded.has_errors(), "{:#?}", loaded.diagnostics);
}

#[test]
fn characters_are_labels() {
    check(
        "PROGRAM Main\nVAR s : STRING; x : INT; END_VAR\nCASE s OF 'a', 'b': x := 1;\n'c': x := 2;\nEND_CASE;\nEND_PROGRAM",
        "CASE of a string",
    );
}

#[test]
fn calls_of_overloaded_functions_are_gaps() {
    let function = |ty: &str| format!("FUNCTION Count : INT\nVAR_INPUT v : {ty}; END_VAR\nCount := 1;\nEND_FUNCTION\n");
    let text = |other: &str| {
        format!("{}{}PROGRAM Main\nVAR n : INT; END_VAR\nn := Count(5);\nEND_PROGRAM", function("LINT"), function(other))
    };
    check(&text("ULINT"), "call of `Count`, which is overloaded");
    let same = loaded(&text("LINT").replacen(":= 1", ":= 2", 1));
    assert_eq!(same.diagnostics.iter().map(|d| d.code).collect::<Vec<_>>(), ["P4002"]);
}

#[test]
fn own_properties_hide_values_of_enumerations() {
    let text = "TYPE State : (Idle, Busy); END_TYPE\nFUNCTION_BLOCK B\nVAR n : INT; END_VAR\nIF Busy THEN n := 5; END_IF\n\
        PROPERTY Busy : BOOL\nGET\nBusy := TRUE;\nEND_GET\nEND_PROPERTY\nEND_FUNCTION_BLOCK\n\
        PROGRAM Main\nVAR b : B; x : INT; END_VAR\nb();\nx := b.n;\nEND_PROGRAM";
    check_run(text, &["Main.x"], &[5], &[]);
}

#[test]
fn halves_of_properties_keep_their_own_variables() {
    let text = "{attribute 'x'}\nFUNCTION_BLOCK B\nVAR seen : INT; END_VAR\nPROPERTY P : INT\nGET\nVAR_INST n : INT; END_VAR\nn := n + 1;\nP := n;\nEND_GET\n\
        SET\nVAR_INST n : INT := 10; END_VAR\nn := n + P;\nseen := n;\nEND_SET\nEND_PROPERTY\nMETHOD Told : INT\nTold := seen;\n\
        END_METHOD\nEND_FUNCTION_BLOCK\nPROGRAM Main\nVAR b, c : B; x, y, z : INT; END_VAR\nx := b.P;\nx := b.P;\nb.P := 5;\n\
        y := b.Told();\nz := c.P;\nEND_PROGRAM";
    check_run(text, &["Main.x", "Main.y", "Main.z"], &[2, 15, 1], &[]);
}

#[test]
fn arguments_that_calls_only_read_may_be_outputs_of_instances() {
    let block = "FUNCTION_BLOCK B\nVAR_OUTPUT q : INT := 3; END_VAR\nq := 4;\nEND_FUNCTION_BLOCK\n\
        FUNCTION F : INT\nVAR_IN_OUT CONSTANT v : INT; END_VAR\nF := v + 1;\nEND_FUNCTION\n";
    let text = |kind: &str| {
        format!("{block}PROGRAM Main\nVAR b : B; x : INT; END_VAR\nb();\nx := F(b.q);\nEND_PROGRAM")
            .replace("IN_OUT CONSTANT", kind)
    };
    check_run(&text("IN_OUT CONSTANT"), &["Main.x"], &[5], &[]);
    assert_eq!(loaded(&text("IN_OUT")).diagnostics.iter().map(|d| d.code).collect::<Vec<_>>(), ["P4010"]);
}

#[test]
fn constants_are_arguments_that_calls_only_read() {
    let text = "FUNCTION F : INT\nVAR_IN_OUT CONSTANT v : INT; s : STRING[10]; END_VAR\nF := v + LEN(s);\nEND_FUNCTION\n\
        PROGRAM Main\nVAR CONSTANT c : INT := 6; t : STRING[4] := 'ab'; END_VAR\nVAR x : INT; END_VAR\nx := F(c, t);\nEND_PROGRAM";
    check_run(text, &["Main.x"], &[8], &[]);
}

#[test]
fn empty_parentheses_are_the_initial_values_of_the_type() {
    let text = "FUNCTION_BLOCK B\nVAR_INPUT a : INT := 7; END_VAR\nEND_FUNCTION_BLOCK\n\
        PROGRAM Main\nVAR b : B := (); x : INT; END_VAR\nx := b.a;\nEND_PROGRAM";
    check_run(text, &["Main.x"], &[7], &[]);
}
