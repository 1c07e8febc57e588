//! Conditions of requirements.

use super::show::show_expr;
use crate::resolve::testing::{loaded, summary};
use crate::text::{Origin, SourceSet};
use crate::{LoadOptions, Loaded, condition, load};

const SOURCE: &str = "VAR_GLOBAL
 Total : INT; s : ANY_NUM;
END_VAR
TYPE Mode : (Off, On); END_TYPE
FUNCTION Twice : INT
VAR_INPUT
 x : INT;
END_VAR
Twice := 2 * x;
END_FUNCTION
FUNCTION Count : INT
Total := Total + 1;
Count := Total;
END_FUNCTION
FUNCTION_BLOCK Pump
VAR_INPUT
 Run : BOOL;
END_VAR
VAR
 Delay : TON; Mode1 : Mode;
END_VAR
END_FUNCTION_BLOCK
PROGRAM Main
VAR_INPUT
 Start : BOOL;
END_VAR
VAR
 PumpA : Pump; Levels : ARRAY [1..3] OF INT; Shared : BOOL; Door AT %IX0.0 : BOOL;
END_VAR
VAR_TEMP
 tmp : INT;
END_VAR
VAR_EXTERNAL
 Total : INT;
END_VAR
END_PROGRAM
PROGRAM Other
VAR
 Shared : BOOL; n : INT;
END_VAR
END_PROGRAM";

#[test]
fn conditions_see_globals_and_instances() {
    let mut loaded = loaded(SOURCE);
    assert!(!loaded.has_errors(), "{:#?}", loaded.diagnostics);
    let mut check = |text: &str, expected: &str| {
        let n_files = loaded.value.sources.files.len();
        let before = loaded.value.ledger.clone();
        let parsed = condition(&mut loaded.value, "requirement r1", text);
        let found = match &parsed.value {
            Some(e) => show_expr(&loaded.value.project, e),
            None => {
                assert_eq!(loaded.value.ledger, before, "{text}");
                summary(&loaded.value.sources, &parsed.diagnostics, 1)
            }
        };
        assert_eq!(found, expected, "{text}\n{:#?}", parsed.diagnostics);
        assert_eq!(loaded.value.sources.files.len(), n_files + 1);
        assert!(loaded.value.sources.files.iter().last().is_some_and(|f| f.origin == Origin::Condition && f.text == text));
    };
    check("Total > 5", "(@Total > 5:INT)");
    check("Main.Start", "#Main.Start");
    check("start", "#Main.Start");
    check("PumpA.Run --> NOT (other.n = 1)", "(NOT #Main.PumpA.Run OR NOT (#Other.n = 1:INT))");
    check(
        "Main.PumpA.Delay.Q AND PumpA.Delay.elapsed < T#1s",
        "(#Main.PumpA.Delay.Q AND (#Main.PumpA.Delay.elapsed < 1000:TIME))",
    );
    check("PumpA.Mode1 = On OR PumpA.Mode1 = Mode#Off", "((#Main.PumpA.Mode1 = 1:Mode) OR (#Main.PumpA.Mode1 = 0:Mode))");
    check("Levels[Total + 1] = 3", "(#Main.Levels[(@Total + 1:INT)] = 3:INT)");
    check("Main.Total = 1", "(@Total = 1:INT)");
    check("Twice(Total) < 10", "(Twice(x := @Total) < 10:INT)");
    check("%IX0.0", "#Main.Door");
    check("Shared", "P2008@1:1");
    check("Main.Shared XOR Other.Shared", "(#Main.Shared XOR #Other.Shared)");
    check("Main", "P2009@1:1");
    check("Main.nix", "P2004@1:6");
    check("Strat", "P2001@1:1");
    check("tmp = 1", "P2012@1:1");
    check("Total", "P3001@1:1");
    check("Total + 40000 > 1", "P3003@1:9");
    check("Count() > 1", "P3021@1:1");
    check("s = s", "P5004@1:1");
    check("%IX7.7", "P2001@1:1");
    check("Total >", "P1010@1:8");
    check("", "P1010@1:1");
}

/// A VAR_STAT exists once, for all instances and calls.
#[test]
fn conditions_name_static_variables_by_their_pou() {
    let text = "FUNCTION_BLOCK FB_A VAR_STAT s : INT; END_VAR s := 1; END_FUNCTION_BLOCK\n\
        FUNCTION F : INT VAR_STAT k : INT; END_VAR F := k; END_FUNCTION\n\
        PROGRAM Main VAR a : FB_A; i : INT; END_VAR a(); i := F(); END_PROGRAM";
    let mut loaded = loaded(text);
    let mut check = |text: &str, expected: &str| {
        let parsed = condition(&mut loaded.value, "r", text);
        let found = match &parsed.value {
            Some(e) => show_expr(&loaded.value.project, e),
            None => parsed.diagnostics.iter().filter_map(|finding| finding.help.clone()).collect(),
        };
        assert_eq!(found, expected, "{text}\n{:#?}", parsed.diagnostics);
    };
    check("FB_A.s = 1", "(@FB_A.s = 1:INT)");
    check("fb_a.S = F.k", "(@FB_A.s = @F.k)");
    check("a.s = 1", "write `FB_A.s`");
}

#[test]
fn an_unknown_name_has_a_suggestion() {
    let mut loaded = loaded(SOURCE);
    let parsed = condition(&mut loaded.value, "r", "Main.PumpA.Rnu OR Strat");
    let help: Vec<_> = parsed.diagnostics.iter().filter_map(|d| d.help.as_deref()).collect();
    assert_eq!(help, ["did you mean `Run`?", "did you mean `Start`?"]);
}

#[test]
fn a_program_does_not_hide_its_variable_of_the_same_name() {
    let source =
        "PROGRAM Motor VAR Motor : TON; IN : BOOL; END_VAR END_PROGRAM PROGRAM Level VAR Level : INT; END_VAR END_PROGRAM";
    let mut loaded = loaded(source);
    let mut check = |text: &str, expected: Option<&str>| {
        let found = condition(&mut loaded.value, "requirement r1", text).value;
        assert_eq!(found.map(|e| show_expr(&loaded.value.project, &e)).as_deref(), expected, "{text}");
    };
    check("Motor.Q", Some("#Motor.Motor.Q"));
    check("Motor.Motor.Q", Some("#Motor.Motor.Q"));
    // The program's own name comes first.
    check("Motor.IN", Some("#Motor.IN"));
    check("Level > 3", Some("(#Level.Level > 3:INT)"));
    check("Motor.nothing", None);
    check("Motor", None);
}

/// Checks a condition as it is resolved, or the place of its error.
#[track_caller]
fn check_condition(loaded: &mut Loaded, text: &str, expected: &str) {
    let parsed = condition(loaded, "requirement r1", text);
    let found = match &parsed.value {
        Some(e) => show_expr(&loaded.project, e),
        None => summary(&loaded.sources, &parsed.diagnostics, 1),
    };
    assert_eq!(found, expected, "{text}\n{:#?}", parsed.diagnostics);
}

/// Names in quotes are accepted as in sources of Siemens and in rows of the environment.
#[test]
fn names_may_be_quoted_where_the_dialect_quotes_them() {
    let source = r#"DATA_BLOCK "G 1" VAR n : Int; END_VAR BEGIN END_DATA_BLOCK
DATA_BLOCK "m" VAR n : Int; END_VAR BEGIN END_DATA_BLOCK
FUNCTION_BLOCK "Ctl" VAR_OUTPUT q : Bool; m : Int; END_VAR BEGIN
 #q := "G 1".n = 2; END_FUNCTION_BLOCK"#;
    let mut sources = SourceSet::default();
    sources.add("ctl.scl", source);
    let mut loaded = load(&sources, &LoadOptions { entry: Some("Ctl".to_owned()), ..LoadOptions::default() });
    assert!(!loaded.has_errors(), "{:#?}", loaded.diagnostics);
    let mut check = |text: &str, expected: &str| check_condition(&mut loaded.value, text, expected);
    check("\"G 1\".n = 1", "(@Gː20ː1.n = 1:INT)");
    check("#q --> \"Ctl\".q", "(NOT #Ctl.q OR #Ctl.q)");
    check("\"Ctl\".m = 3", "(#Ctl.m = 3:INT)");
    check("\"m\".n = 3", "(@m.n = 3:INT)");
    // A condition would read the data block.
    check("#m = 3", "P1037@1:1");
    check("\"G 1\".nix = 3", "P2004@1:7");
    check("\"G 1.n = 1", "P1004@1:1");
}

#[test]
fn names_of_a_global_and_of_a_program_are_ambiguous() {
    let mut loaded = loaded(
        "VAR_GLOBAL g, h : BOOL; END_VAR\nPROGRAM Main\nVAR g : BOOL; END_VAR\nVAR_EXTERNAL h : BOOL; END_VAR\nEND_PROGRAM\n",
    );
    let mut check = |text: &str, expected: &str| check_condition(&mut loaded.value, text, expected);
    check("g", "P2008@1:1");
    check("Main.g", "#Main.g");
    check("h", "@h");
}
