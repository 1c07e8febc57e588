//! Projects without their libraries: declarations are taken from the uses of the names.

use crate::cli::{Case, json, text};

const MIXER: &[u8] =
    b"PROGRAM Mixer\nVAR_INPUT Start : BOOL; END_VAR\nVAR_OUTPUT On : BOOL; END_VAR\nVAR t : VendorTimer; END_VAR\n\
    t(In := Start AND NOT On, Time := T#5s);\nOn := Start AND t.Done;\nEND_PROGRAM\n";

/// The missing block has no name for the variables of a block that extends it. Answers name it, also if nothing calls the block.
#[test]
fn answers_about_heirs_of_missing_blocks_name_them() {
    let run = |members: &str| {
        let heir = format!(
            "FUNCTION_BLOCK Valve EXTENDS VendorValve\nVAR_OUTPUT Open : BOOL; END_VAR\n{members}END_FUNCTION_BLOCK\n\
             PROGRAM Main\nVAR v : Valve; out : BOOL; END_VAR\nout := v.Open;\nEND_PROGRAM\n"
        );
        let case = Case::new(&[("main.st", heir.as_bytes()), ("main.yaml", b"requirements: [{ never: out }]")]);
        text(&case.run(&["verify", "main.st", "--req", "main.yaml"]))
    };
    let said = run("");
    assert!(said.contains("Holds in every cycle under") && said.contains("`VendorValve` is declared in no file"), "{said}");
    // FB_init of the missing block may call it.
    let said = run("METHOD OnStart\nOpen := TRUE;\nEND_METHOD\n");
    assert!(said.contains("Holds in every cycle under"), "{said}");
    assert!(said.contains("`VendorValve` calls no member of `Valve`, which extends it"), "{said}");
}

/// Members that a block inherits from a missing one, and inputs and methods that its users name.
#[test]
fn blocks_that_use_inherited_members_are_verified() {
    let valve = "FUNCTION_BLOCK FB_Valve EXTENDS FB_DeviceBase\n\
        VAR_INPUT\n\
        Open : BOOL;\n\
        END_VAR\n\
        VAR_OUTPUT\n\
        Position : INT;\n\
        Faults : INT;\n\
        END_VAR\n\
        SUPER^();\n\
        Position := LIMIT(0, RawPosition, 100);\n\
        IF Open AND Position < 5 AND NOT Simulated THEN\n\
        SetFault(Code := 17);\n\
        IF Faults < 1000 THEN\n\
        Faults := Faults + 1;\n\
        END_IF\n\
        END_IF\n\
        END_FUNCTION_BLOCK\n\
        \n\
        PROGRAM Main\n\
        VAR_INPUT\n\
        OpenCommand : BOOL;\n\
        END_VAR\n\
        VAR\n\
        Valve : FB_Valve;\n\
        END_VAR\n\
        Valve.Simulated := FALSE;\n\
        Valve(Open := OpenCommand);\n\
        END_PROGRAM\n";
    let stated = "requirements:\n\
        - { id: clamped, always: Valve.Position >= 0 AND Valve.Position <= 100 }\n\
        - { id: opened, never: NOT OpenCommand AND Valve.Position > 90 }\n\
        - { id: counted, always: Valve.Faults >= 0 AND Valve.Faults <= 1000 }\n";
    let case = Case::new(&[("valve.st", valve.as_bytes()), ("valve.yaml", stated.as_bytes())]);
    let output = case.run(&["verify", "valve.st", "--json"]);
    assert_eq!(output.status.code(), Some(40), "{}", text(&output));
    let results = json(&output)["programs"][0]["outcome"]["results"].clone();
    let of = |id: &str| results.as_array().unwrap().iter().find(|row| row["id"] == id).unwrap().clone();
    for (id, verdict, n_conditions) in [("clamped", "holds", 1), ("opened", "violated", 2), ("counted", "holds", 1)] {
        let row = of(id);
        assert_eq!(row["verdict"], verdict, "{row}");
        let conditions = row["conditions"].as_array().unwrap();
        assert_eq!(conditions.len(), n_conditions, "{row}");
        let names_it = |row: &serde_json::Value| row.to_string().contains("`FB_DeviceBase` is declared in no file");
        assert!(conditions.iter().any(names_it), "{row}");
    }
}

/// The callee may have a VAR_IN_OUT there.
#[test]
fn answers_name_callees_that_get_the_control_variable_of_a_loop() {
    let main = "PROGRAM Main\nVAR i, n : INT; END_VAR\nn := 0; FOR i := 1 TO 3 DO F_Step(i); n := n + 1; END_FOR\nEND_PROGRAM\n";
    let case = Case::new(&[("main.st", main.as_bytes()), ("main.yaml", b"requirements: [{ always: n = 3 }]")]);
    let said = text(&case.run(&["verify", "main.st", "--req", "main.yaml"]));
    let conditions = said.split_once("Conditions that are not proved:").unwrap().1.split_once("Rests on").unwrap().0;
    assert!(conditions.contains("`F_Step` gets the control variable of a FOR loop and does not write it"), "{said}");
}

/// A run with the result of a method, or with a property, has values that the stub gives.
#[test]
fn answers_by_results_of_members_name_the_stub() {
    let stub = "{attribute 'stub'}\nFUNCTION_BLOCK FB_S\nVAR_OUTPUT e : BOOL; END_VAR\nMETHOD Get : INT\nVAR_OUTPUT ok : BOOL; END_VAR\n\
        END_METHOD\nPROPERTY Pos : INT\nGET\nEND_GET\nEND_PROPERTY\nEND_FUNCTION_BLOCK\n";
    let run = |statement: &str, requirement: &str| {
        let main = format!("PROGRAM Main\nVAR s : FB_S; a : INT; b : BOOL; END_VAR\n{statement}\nEND_PROGRAM\n{stub}");
        let stated = format!("requirements: [{{ {requirement} }}]");
        let case = Case::new(&[("main.st", main.as_bytes()), ("main.yaml", stated.as_bytes())]);
        text(&case.run(&["verify", "main.st", "--req", "main.yaml"]))
    };
    let condition = "`FB_S` can give the values of the run (";
    for (statement, requirement) in [
        ("a := s.Get();", "never: a = 3"),
        ("a := s.Get();", "possible: a = 3"),
        ("s.Get(ok => b);", "never: b"),
        ("a := s.Pos;", "never: a = 3"),
    ] {
        let said = run(statement, requirement);
        assert!(said.contains(condition), "{statement} {requirement}\n{said}");
    }
    let said = run("a := s.Get(); b := TRUE;", "never: b");
    assert!(!said.contains(condition), "{said}");
}

/// An answer names an inferred declaration, until it is written as a file, checked and given with the program.
#[test]
fn missing_blocks_are_conditions_until_they_are_declared() {
    let case = Case::new(&[("mixer.st", MIXER), ("mixer.yaml", b"requirements: [{ if: NOT Start, then: NOT On }]")]);
    let condition = "`VendorTimer` is declared in no file";
    let guessed = case.run(&["verify", "mixer.st", "--req", "mixer.yaml"]);
    assert!(text(&guessed).contains(condition), "{}", text(&guessed));

    let written = case.run(&["import", "mixer.st", "--stubs", "library"]);
    assert_eq!(written.status.code(), Some(0), "{}", text(&written));
    assert!(
        text(&written).contains("VendorTimer: no file declares it") && text(&written).contains("wrote"),
        "{}",
        text(&written)
    );
    let again = case.run(&["import", "mixer.st", "--stubs", "library"]);
    assert_eq!(again.status.code(), Some(3), "{}", text(&again));
    assert!(text(&again).contains("nothing is written"), "{}", text(&again));

    let file = case.folder.path().join("library").join("VendorTimer.st");
    let declaration = std::fs::read_to_string(&file).unwrap();
    assert!(declaration.contains("Time : TIME;") && declaration.contains("Done : BOOL;"), "{declaration}");
    let kept = case.run(&["verify", "mixer.st", "library/VendorTimer.st", "--req", "mixer.yaml"]);
    assert!(text(&kept).contains(condition), "{}", text(&kept));
    std::fs::write(&file, declaration.replace("'stub' := 'inferred'", "'stub'")).unwrap();
    let declared = case.run(&["verify", "mixer.st", "library/VendorTimer.st", "--req", "mixer.yaml"]);
    assert_eq!(declared.status.code(), Some(0), "{}", text(&declared));
    assert!(!text(&declared).contains(condition), "{}", text(&declared));
}
