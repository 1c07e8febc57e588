//! SCL, from text to the AST and into a project.

use proptest::prelude::*;

use super::print;
use super::spans::Check;
use crate::lang::parse;
use crate::text::{FileId, Origin, SourceFile, SourceSet};

fn read(text: &str) -> (String, Vec<&'static str>) {
    let file = SourceFile::new("a.scl", text, Origin::User);
    let parsed = parse(FileId(0), &file);
    let mut check = Check { text, errors: 0 };
    check.unit(&parsed.value);
    assert!(check.errors == 0 || parsed.has_errors(), "{text}");
    (print::unit(&parsed.value), parsed.diagnostics.iter().map(|d| d.code).collect())
}

#[track_caller]
fn check(text: &str, expected: &str) {
    let (printed, codes) = read(text);
    assert_eq!(codes, [""; 0], "{text}\n{printed}");
    assert_eq!(printed, expected, "{text}");
}

#[track_caller]
fn check_body(text: &str, expected: &str) {
    check(
        &format!("FUNCTION \"F\" : Void VAR_TEMP a, b, c : Int; END_VAR BEGIN {text} END_FUNCTION"),
        &format!("(function F (temp a: Int; b: Int; c: Int) [{expected}])"),
    );
}

#[test]
fn blocks() {
    check(
        r#"FUNCTION_BLOCK "Motor 1"
TITLE = Don't stop "here
VERSION : 0.1
AUTHOR : me
{ S7_Optimized_Access := 'TRUE' }
VAR_INPUT
  Start { ExternalVisible := 'False'} : Bool;   // it's a comment
END_VAR
VAR CONSTANT k : Int := 3; END_VAR
BEGIN
  #Start := TRUE;
END_FUNCTION_BLOCK"#,
        "(fb Motorː20ː1 (input Start: Bool) (var constant k: Int := 3) [(:= Start true)])",
    );
    check(
        "ORGANIZATION_BLOCK \"Main\" TITLE = \"Main Program Sweep (Cycle)\"\nVERSION : 0.1\nBEGIN\n\"F\"();\nEND_ORGANIZATION_BLOCK",
        "(program Main [F()])",
    );
    check(
        "FUNCTION FC1 : INT CONST n := 5; r := -1.5; t := T#1s; END_CONST LABEL l1, l2; END_LABEL BEGIN FC1 := n; END_FUNCTION",
        "(function FC1 -> INT (var constant n: INT := 5; r: REAL := (neg 1.5r); t: TIME := 1000000000ns) [(:= FC1 n)])",
    );
    check(
        r#"TYPE "Point"
VERSION : 0.1
 STRUCT
 x : Int := 1; "y 2" : Array[0..3] of Real; END_STRUCT;
END_TYPE"#,
        "(type Point struct{x: Int := 1; yː20ː2: [0..3]Real})",
    );
}

#[test]
fn data_blocks() {
    check(
        "DATA_BLOCK \"Data\"\n{ S7_Optimized_Access := 'TRUE' }\nVERSION : 0.1\nNON_RETAIN\n STRUCT\n  a : Int := 5; s : Struct b : Bool; END_STRUCT;\n\
         END_STRUCT;\nBEGIN\n a := 7; s.b := TRUE;\nEND_DATA_BLOCK",
        "(global Data: struct{a: Int := 5; s: struct{b: Bool}} := (a=7,s=(b=true)))",
    );
    check(
        "DATA_BLOCK \"A\" VERSION : 0.1 Array[0..1] of Int BEGIN THIS[1] := 5; END_DATA_BLOCK",
        "(global A: struct{THIS: [0..1]Int} := (THIS=([1]=5)))",
    );
    check("DATA_BLOCK \"Inst\" VERSION : 0.1 \"Motor\" BEGIN END_DATA_BLOCK", "(global Inst: Motor)");
    check("DATA_BLOCK DB2 FB7 BEGIN x := 1; x := 2; END_DATA_BLOCK", "(global DB2: FB7 := (x=2))");
    check(
        "DATA_BLOCK \"D\" VAR a : Int; END_VAR VAR RETAIN b : Bool; END_VAR BEGIN END_DATA_BLOCK",
        "(global D: struct{a: Int; b: Bool})",
    );
    check(
        "DATA_BLOCK \"D\" STRUCT a : Array[0..1] of Int; END_STRUCT; BEGIN a[0] := 1; END_DATA_BLOCK",
        "(global D: struct{a: [0..1]Int} := (a=([0]=1)))",
    );
    assert_eq!(read("DATA_BLOCK \"D\" STRUCT a : Int; END_STRUCT; BEGIN a.%X0 := 1; END_DATA_BLOCK").1, ["P1037"]);
}

#[test]
fn statements() {
    check_body("#a := #b + \"DB\".\"the field\"[1].x;", "(:= a (+ b DB.theː20ːfield[1].x))");
    check_body("#a += 2; #a -= #b; #a *= 3; #a /= 4;", "(:= a (+ a 2)) (:= a (- a b)) (:= a (* a 3)) (:= a (/ a 4))");
}

#[test]
fn regions_labels_and_cases() {
    check_body(
        "REGION it's \"free\n#a := 1; REGION inner\n #b := 2;\nEND_REGION\nEND_REGION;\n#c := 1;",
        "(:= a 1) (:= b 2) (:= c 1)",
    );
    check_body(
        "CASE #a OF\nREGION x\n1: #b := 1;\nEND_REGION\n2..3: ; ELSE: #c := 2; END_CASE;",
        "(case a {1: [(:= b 1)] 2..3: [;]} [(:= c 2)])",
    );
    check_body("IF #a = 1 THEN GOTO out; END_IF; out: #b := 1;", "(if (= a 1) [(goto out)] []) out: (:= b 1)");
    check_body("FOR #a := 1 TO 10 BY 2 DO CONTINUE; END_FOR;", "(for a 1 10 2 [continue])");
    check_body(
        "#a := %DB1.DBW2; %DB1.DBX0.0 := TRUE; %MW4 := #a;",
        "(:= a <absolute access to a data block>) <absolute access to a data block> (:= %MW4 a)",
    );
    check_body(
        "#a := \"D\".%DBW2 + 1; \"D\".%DBX2.0 := TRUE; #a := F(\"D\".%DBW2);",
        "(:= a (+ <absolute access to a data block> 1)) <absolute access to a data block> (:= a F(<absolute access to a data block>))",
    );
    let words = "<direct access to the periphery (`:P`)>";
    check_body("#a := %IW64:P; #a := \"Tag\":P + 1;", &format!("(:= a {words}) (:= a (+ {words} 1))"));
    check_body("%QW4:P := #a; \"Tag\":P := #a;", &format!("{words} {words}"));
    check_body("CASE #a OF \"K\": #b := 1; END_CASE;", "(case a {K: [(:= b 1)]} [])");
    check_body("#a := L#5 + B#16#1F;", "(:= a (+ DINT#5 BYTE#31))");
    check_body("#a := 'text'; \"inst\"(IN := #b, Q => #c);", "(:= a string[116, 101, 120, 116]) inst(IN:=b, Q=>c)");
}

#[test]
fn timers_are_the_standard_ones() {
    check(
        "FUNCTION_BLOCK \"F\" VAR t : IEC_TIMER; u {InstructionName := 'TON_TIME'} : TON_TIME; c : CTU_INT; END_VAR \
         BEGIN #t.TOF(IN := TRUE, PT := T#1s); #u(IN := #t.Q, PT := T#1s); END_FUNCTION_BLOCK",
        "(fb F (var t: TOF; u: TON; c: CTU) [t(IN:=true, PT:=1000000000ns) u(IN:=t.Q, PT:=1000000000ns)])",
    );
    // A structure may have parts with the names of timers.
    check(
        "FUNCTION_BLOCK \"F\" VAR s : Struct TON : TON_TIME; END_STRUCT; END_VAR BEGIN #s.TON(IN := TRUE); END_FUNCTION_BLOCK",
        "(fb F (var s: struct{TON: TON}) [s.TON(IN:=true)])",
    );
    let two = "FUNCTION_BLOCK \"F\" VAR t : IEC_TIMER; END_VAR BEGIN #t.TOF(IN := TRUE); #t.TON(IN := TRUE); END_FUNCTION_BLOCK";
    assert_eq!(read(two).1, ["P1037"]);
}

#[test]
fn scopes_are_never_guessed() {
    let codes = |body: &str| read(&format!("FUNCTION \"F\" : Int VAR_INPUT x : Int; END_VAR BEGIN {body} END_FUNCTION")).1;
    assert_eq!(codes("\"F\" := #x; #F := \"y\"; x := 1;"), [""; 0]);
    assert_eq!(codes("#x := \"x\";"), ["P1037"]);
    assert_eq!(codes("#x := #y;"), ["P1037"]);
    assert_eq!(codes("#x := \"X \";"), [""; 0]);
    let (printed, codes) = read("FUNCTION \"F\" : Void BEGIN IF ENO THEN ENO := FALSE; END_IF; END_FUNCTION");
    assert_eq!((printed.as_str(), codes.len()), ("(function F (temp ENO: BOOL := true) [(if ENO [(:= ENO false)] [])])", 0));
}

#[test]
fn mistakes() {
    for (text, expected) in [
        ("FUNCTION \"F : Void\nEND_FUNCTION", &["P1004"][..]),
        ("DATA_BLOCK \"D\" STRUCT a : Int; END_STRUCT; BEGIN a = 1; END_DATA_BLOCK", &["P1010"]),
        ("DATA_BLOCK \"D\" STRUCT a : Int; END_STRUCT; BEGIN a := 1;", &["P1014"]),
        ("ORGANIZATION_BLOCK \"M\" BEGIN x := 1; FUNCTION \"F\" : Void END_FUNCTION", &["P1014"]),
        ("FUNCTION \"F\" : Void CONST x := y; END_CONST END_FUNCTION", &["P1010"]),
    ] {
        assert_eq!(read(text).1, expected, "{text}");
    }
    let deep = format!("DATA_BLOCK D STRUCT a : Int; END_STRUCT; BEGIN a{} := 1; END_DATA_BLOCK", ".a".repeat(20_000));
    assert_eq!(read(&deep).1, ["P1037"]);
    let long = format!("DATA_BLOCK D STRUCT a : Int; END_STRUCT; BEGIN {} END_DATA_BLOCK", "a := 1; b.c := 2;".repeat(20_000));
    assert_eq!(read(&long).1, [""; 0]);
}

#[test]
fn a_program_of_scl_is_loaded() {
    let mut sources = SourceSet::default();
    sources.add(
        "blocks.scl",
        r#"FUNCTION_BLOCK "Pump"
{ S7_Optimized_Access := 'TRUE' }
VERSION : 0.1
VAR_INPUT On : Bool; END_VAR VAR_OUTPUT Run : Bool; END_VAR
VAR t {InstructionName := 'TON_TIME'} : TON_TIME; n : Int; END_VAR
BEGIN
REGION Timer
 #t(IN := #On, PT := T#500ms);
END_REGION
 #Run := #t.Q; IF #Run THEN #n += 1; END_IF;
END_FUNCTION_BLOCK
ORGANIZATION_BLOCK "Main"
VERSION : 0.1
BEGIN
 "Pump_DB"(On := "Data".start); "Data".level := "Data".level + 1;
END_ORGANIZATION_BLOCK"#,
    );
    sources.add("data.db", "DATA_BLOCK \"Data\" STRUCT start : Bool; level : Int; END_STRUCT; BEGIN level := 7; END_DATA_BLOCK\nDATA_BLOCK \"Pump_DB\" \"Pump\" BEGIN END_DATA_BLOCK");
    let loaded = crate::load(&sources, &crate::LoadOptions::default());
    assert!(loaded.diagnostics.is_empty(), "{:#?}", loaded.diagnostics);
    assert!(loaded.value.ledger.gaps.is_empty(), "{:?}", loaded.value.ledger.gaps);
    assert_eq!(loaded.value.dialect, crate::dialect::DialectId::SiemensTia);
    let printed = loaded.value.project.to_st();
    assert!(printed.contains("level := 7"), "{printed}");
}

/// A timer inside of a structure is called with its block's name behind it. Another block is an error.
#[test]
fn calls_may_name_the_block_of_a_timer_again() {
    let errors = |kind: &str| {
        let mut sources = crate::text::SourceSet::default();
        let text = format!(
            "TYPE \"Valve\" STRUCT open : TON_TIME; END_STRUCT; END_TYPE\nFUNCTION_BLOCK \"F\"\nVAR v : \"Valve\"; q : Bool; END_VAR\nBEGIN\n\
             #v.open.{kind}(IN := TRUE, PT := T#1s); #q := #v.open.Q;\nEND_FUNCTION_BLOCK"
        );
        sources.add("v.scl", text);
        let options = crate::LoadOptions { entry: Some("F".into()), ..crate::LoadOptions::default() };
        let loaded = crate::load(&sources, &options);
        loaded.diagnostics.iter().map(|d| d.code.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(errors("TON"), [""; 0]);
    assert_eq!(errors("TOF"), ["P2004"]);
}

const PIECES: &[&str] = &[
    "FUNCTION",
    "\"F\"",
    ":",
    "Void",
    "END_FUNCTION",
    "DATA_BLOCK",
    "END_DATA_BLOCK",
    "ORGANIZATION_BLOCK",
    "END_ORGANIZATION_BLOCK",
    "TYPE",
    "END_TYPE",
    "STRUCT",
    "END_STRUCT",
    "VERSION",
    "TITLE",
    "=",
    "BEGIN",
    "#x",
    "x",
    "\"x y\"",
    ":=",
    "+=",
    ";",
    "REGION",
    "END_REGION",
    "\n",
    "CASE",
    "OF",
    "ELSE",
    "END_CASE",
    "1",
    ".",
    "[",
    "]",
    "(",
    ")",
    "VAR",
    "END_VAR",
    "CONST",
    "END_CONST",
    "LABEL",
    "Int",
    "AT",
    "%DB1.DBX0.0",
    "%MW1",
    "IF",
    "THEN",
    "END_IF",
    "'",
    "\"",
    "#",
    ".TON(",
    "IEC_TIMER",
    "NETWORK",
    "{",
    "}",
    "ENO",
];

proptest! {
    #[test]
    fn any_sequence_of_pieces_is_read(parts in proptest::collection::vec(proptest::sample::select(PIECES), 0..60)) {
        read(&parts.join(" "));
        read(&format!("FUNCTION_BLOCK F VAR x : Int; END_VAR BEGIN {} END_FUNCTION_BLOCK", parts.join(" ")));
        read(&format!("DATA_BLOCK D {} END_DATA_BLOCK", parts.join(" ")));
    }
}

#[test]
fn long_texts_are_read_in_linear_time() {
    for piece in [
        "REGION x ",
        "REGION\n",
        "TITLE = \n",
        "VERSION : 1 ",
        "DATA_BLOCK ",
        "DATA_BLOCK x ",
        "BEGIN ",
        "CONST ",
        "LABEL x ",
        "\"",
        "#",
        "#\"",
        "NETWORK ",
        "x.TON( ",
    ] {
        let text = piece.repeat((1 << 15) / piece.len());
        for frame in
            ["", "FUNCTION F : Void ", "FUNCTION F : Void BEGIN ", "DATA_BLOCK D ", "DATA_BLOCK D STRUCT END_STRUCT; BEGIN "]
        {
            read(&format!("{frame}{text}"));
        }
    }
}
