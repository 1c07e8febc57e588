//! Instructions that change the order of rungs.

use super::*;

#[test]
fn jumps_skip_rungs() {
    let rungs = "XIC(a)JMP(over);XIC(b)OTE(p);LBL(over)XIC(c)OTE(q);";
    check(rungs, &["b", "a", "", "c"], "p", &[1, 1, 0, 0]);
    check(rungs, &["b", "ac", "", "c"], "q", &[0, 1, 0, 1]);
}

#[test]
fn jumps_and_zones_stand_in_different_routines() {
    let ledger = |rungs: &str| {
        let mut sources = SourceSet::default();
        sources.add("test.L5X", export(rungs, "").as_str());
        format!("{:?}", load(&sources, &LoadOptions::default()).value.ledger)
    };
    assert!(ledger("XIC(a)JMP(in);XIC(b)MCR();LBL(in)OTL(p);MCR();").contains("MCR in a routine with jumps"));
    assert!(ledger("XIC(a)JMP(in);XIC(b)LBL(in)OTL(p);").contains("LBL that does not begin its rung"));
    // A jump back is a loop.
    check("LBL(again)ADD(x,1,x);LES(x,12)JMP(again);", &[""], "x", &[12]);
}

#[test]
fn a_routine_ends_early() {
    for end in ["TND()", "RET()"] {
        let text = export("JSR(Other,0);XIC(c)OTE(q);", &routine("Other", &format!("XIC(a){end};XIC(b)OTE(p);")));
        check_export(&text, &["b", "a", ""], "p", &[1, 1, 0]);
        check_export(&text, &["ac", "a", "c"], "q", &[1, 0, 1]);
    }
}

#[test]
fn a_zone_whose_rung_is_false_executes_with_false_rungs() {
    let rungs = "XIC(a)MCR();XIC(b)OTE(p);XIC(b)OTL(q);XIC(b)TON(t,?,?);MCR();XIC(c)OTE(s);";
    check(rungs, &["ab", "b", "", "a"], "p", &[1, 0, 0, 0]);
    check(rungs, &["ab", "b", "", "a"], "q", &[1, 1, 1, 1]);
    check(rungs, &["ab", "ab", "b", "ab"], "t.ACC", &[0, 100, 0, 0]);
    check(rungs, &["c", "bc", "ac", ""], "s", &[1, 1, 1, 0]);
    check("XIO(b)OTU(q);XIC(a)MCR();XIC(b)OTL(q);", &["b", "", "b", "ab"], "q", &[1, 0, 0, 1]);
}

/// Each MCR with a FALSE rung toggles the one bit that makes rungs FALSE.
#[test]
fn nested_and_conditional_zones_toggle_one_bit() {
    // The second MCR ends the zone of the first one, or begins one of its own; so does the third.
    let nested = "XIC(a)MCR();OTE(p);XIC(b)MCR();OTE(q);MCR();OTE(s);";
    check(nested, &["", "a", "b", "ab"], "p", &[0, 1, 0, 1]);
    check(nested, &["", "a", "b", "ab"], "q", &[1, 0, 1, 1]);
    check(nested, &["", "a", "b", "ab"], "s", &[1, 1, 1, 1]);
    let open = "XIC(a)MCR();OTE(p);XIC(b)MCR();OTE(q);XIC(c)MCR();OTE(s);";
    check(open, &["", "a", "b", "ab", "c", "ac", "abc"], "s", &[0, 1, 0, 0, 1, 1, 1]);
    // An MCR without a condition begins nothing.
    check("MCR();OTE(p);XIC(a)MCR();OTE(q);MCR();OTE(s);", &["", "a"], "q", &[0, 1]);
    let ledger = |rungs: &str| {
        let mut sources = SourceSet::default();
        sources.add("test.L5X", export(rungs, "").as_str());
        format!("{:?}", load(&sources, &LoadOptions::default()).value.ledger)
    };
    let (without_end, misplaced) = ("MCR zone without an end", "MCR that is not the last instruction");
    assert!(!ledger(nested).contains(without_end) && ledger(open).contains(without_end));
    assert!(ledger("XIC(a)MCR();OTE(p);").contains(without_end));
    assert!(ledger("XIC(a)MCR()OTE(p);MCR();").contains(misplaced));
    assert!(ledger("[XIC(a)MCR(),XIC(b)OTE(p)];MCR();").contains(misplaced));
    assert!(!ledger(nested).contains(misplaced));
}

#[test]
fn ladder_of_an_add_on_instruction_and_its_disabled_calls() {
    let parameter = |name: &str, usage: &str, required: bool| {
        format!(
            "<Parameter Name=\"{name}\" TagType=\"Base\" DataType=\"BOOL\" Usage=\"{usage}\" Required=\"{required}\">\
             <DefaultData Format=\"Decorated\"><DataValue DataType=\"BOOL\" Value=\"0\"/></DefaultData></Parameter>"
        )
    };
    let enable = [parameter("EnableIn", "Input", false), parameter("EnableOut", "Output", false)].concat();
    let parameters = [enable, parameter("Start", "Input", true), parameter("Run", "Output", true)].concat();
    let local = "<LocalTag Name=\"n\" DataType=\"DINT\"><DefaultData Format=\"Decorated\">\
                 <DataValue DataType=\"DINT\" Value=\"5\"/></DefaultData></LocalTag>";
    let build = |disabled: bool| {
        let logic = routine("Logic", "XIC(Start)OTE(Run);ADD(n,1,n);");
        let rest = routine("EnableInFalse", "OTU(Run);SUB(n,1,n);");
        let definition = format!(
            "<AddOnInstructionDefinitions><AddOnInstructionDefinition Name=\"Motor\" ExecuteEnableInFalse=\"{disabled}\">\
             <Parameters>{parameters}</Parameters><LocalTags>{local}</LocalTags><Routines>{logic}{rest}</Routines>\
             </AddOnInstructionDefinition></AddOnInstructionDefinitions><Programs>"
        );
        let text = export("XIC(b)Motor(motor,a,p)OTE(q);MOV(motor.n,x);", "").replace("<Programs>", &definition);
        text.replace("<Tags>", "<Tags><Tag Name=\"motor\" TagType=\"Base\" DataType=\"Motor\"/>")
    };
    // Without the routine a call behind a FALSE rung does nothing.
    check_export(&build(false), &["ab", "a", "b", ""], "x", &[6, 6, 7, 7]);
    check_export(&build(false), &["ab", "a", "b", ""], "p", &[1, 1, 0, 0]);
    check_export(&build(false), &["ab", "a", "b", ""], "q", &[1, 0, 1, 0]);
    check_export(&build(true), &["ab", "a", "b", ""], "x", &[6, 5, 6, 5]);
    check_export(&build(true), &["ab", "a", "ab", "ab"], "p", &[1, 0, 1, 1]);
    check_export(&build(true), &["ab", "a", "b", ""], "q", &[1, 0, 1, 0]);
}

#[test]
fn the_first_scan_has_a_bit() {
    check("XIC(S:FS)OTE(p);", &["", "", ""], "p", &[1, 0, 0]);
    let text = export("JSR(Other,0);", &structured("Other", &["IF S:FS THEN x := 1; ELSE x := x + 1; END_IF;"]));
    check_export(&text, &["", "", ""], "x", &[1, 2, 3]);
}

#[test]
fn routines_have_parameters() {
    let other = routine("Other", "SBR(z,q);ADD(z,1,z);XIC(q)RET(0,x);RET(z,x);");
    // Ends with other results.
    let text = export("XIC(a)JSR(Other,2,x,b,y,m[1]);", &other);
    let mut sources = SourceSet::default();
    sources.add("test.L5X", text.as_str());
    assert!(format!("{:?}", load(&sources, &LoadOptions::default()).value.ledger).contains("JSR with parameters"));
    let other = routine("Other", "SBR(z,q);ADD(z,1,z);XIC(q)RET(z,x);ADD(z,10,z);RET(z,x);");
    let text = export("XIC(a)JSR(Other,2,x,b,y,m[1]);", &other);
    check_export(&text, &["", "ab", "a", "b"], "y", &[3, 8, 18, 18]);
    check_export(&text, &["", "ab", "a", "b"], "m[1]", &[10, 7, 7, 7]);
    check_export(&text, &["", "ab", "a", "b"], "q", &[1, 1, 0, 0]);
    // All inputs are read before the first one is written.
    let text = export("JSR(Other,2,y,x,z);", &routine("Other", "SBR(x,y);SUB(x,y,z);RET(z);"));
    check_export(&text, &["", ""], "z", &[-4, 4]);
    let lines = ["SBR(z);", "IF z > 7 THEN z := z * 2; RET(z); END_IF;", "z := z + 1;", "RET(z);"];
    let text = export("JSR(Other,1,x,x);", &structured("Other", &lines));
    check_export(&text, &["", "", ""], "x", &[8, 16, 32]);
    let text =
        export("JSR(Other,0);", &[structured("Other", &["JSR(Sub, 1, x, y);"]), routine("Sub", "SBR(z);RET(z);")].concat());
    check_export(&text, &[""], "y", &[7]);
}

#[test]
fn loops_call_a_routine() {
    let other = routine("Other", "ADD(x,z,x);XIC(b)GEQ(z,2)BRK();ADD(y,1,y);");
    let text = export("XIC(a)FOR(Other,z,1,4,1);", &other);
    check_export(&text, &["", "a", "ab"], "x", &[7, 17, 20]);
    check_export(&text, &["", "a", "ab"], "y", &[3, 7, 8]);
    check_export(&text, &["", "a", "ab"], "z", &[0, 5, 2]);
    check_export(&export("FOR(Other,z,4,1,-2);", &other), &[""], "x", &[13]);
    // The prescan reaches the routine.
    let text = export("XIC(a)FOR(Other,z,1,2,1);", &routine("Other", "XIC(b)OTE(p);"));
    check_export(&text, &["", "ab", "b"], "p", &[0, 1, 1]);
}

/// A BRK ends the loop that called its routine, and none around it.
#[test]
fn a_loop_in_a_loop_breaks_alone() {
    let rest = [routine("Row", "FOR(Col,y,1,5,1);"), routine("Col", "ADD(x,1,x);XIC(b)GEQ(y,2)BRK();")];
    let text = export("CLR(x);FOR(Row,z,1,3,1);", &rest.concat());
    // Three rows of two columns, or of five.
    check_export(&text, &["b", ""], "x", &[6, 15]);
    check_export(&text, &["b", ""], "z", &[4, 4]);
}

#[test]
fn assignments_that_the_prescan_clears() {
    let text = export("XIC(a)JSR(Other,0);", &structured("Other", &["x [:=] x + 1; p [:=] b; r [:=] 1.5;"]));
    check_export(&text, &["", "a", "ab"], "x", &[0, 1, 2]);
    check_export(&text, &["", "a", "ab", ""], "p", &[0, 0, 1, 1]);
}

#[test]
fn assertions_report_divisors_that_are_zero() {
    let zeros = |rung: &str, rest: &str| {
        let mut sources = SourceSet::default();
        sources.add("test.L5X", export(rung, rest).as_str());
        let loaded = load(&sources, &LoadOptions::default());
        assert!(loaded.diagnostics.iter().all(|d| d.severity != Severity::Error), "{:#?}", loaded.diagnostics);
        let text = loaded.value.project.to_st();
        let lines: Vec<&str> = text.lines().filter(|line| line.contains("zero_divisor")).collect();
        assert!(lines.iter().all(|line| line.contains("<>")), "{lines:?}");
        lines.len()
    };
    assert_eq!(zeros("XIC(a)DIV(x,y,z);", ""), 1);
    assert_eq!(zeros("DIV(x,2,z);CPT(z,x/y+x MOD z);", ""), 2);
    let of_text = |line: &str| zeros("JSR(Other,0);", &structured("Other", &[line]));
    assert_eq!(of_text("IF x / y > z THEN z := x MOD y; END_IF;"), 2);
    assert_eq!(of_text("IF a THEN z := 1; ELSIF x / y > 1 THEN z := 2; ELSIF b THEN z := 3; ELSE z := 4; END_IF;"), 1);
    // Before the loop and behind each round.
    assert_eq!(of_text("WHILE x / y > z DO z := z + 1; END_WHILE;"), 2);
    assert_eq!(of_text("REPEAT z := z + 1; UNTIL x / y < z END_REPEAT;"), 1);
}

#[test]
fn conditions_with_divisors_are_computed_in_their_order() {
    let text = |line: &str| export("JSR(Other,0);", &structured("Other", &[line]));
    let branches = text("IF a THEN z := 1; ELSIF x / y > 1 THEN z := 2; ELSIF b THEN z := 3; ELSE z := 4; END_IF; y := y + 1;");
    check_export(&branches, &["", "a", "", "b"], "z", &[2, 1, 4, 3]);
    check_export(&text("WHILE x / y > z DO z := z + 1; END_WHILE;"), &[""], "z", &[2]);
    check_export(&text("REPEAT z := z + 1; UNTIL x / y < z END_REPEAT;"), &[""], "z", &[3]);
}

#[test]
fn tags_may_have_the_names_of_keywords() {
    let lines = ["Var := x; Var := Var / y; IF Var > 1 THEN z := Var + Var; END_IF;"];
    let text = export("JSR(Other,0);", &structured("Other", &lines));
    check_export(&text.replace("<Tags>", &format!("<Tags>{}", number("Var", 0))), &[""], "z", &[4]);
}

#[test]
fn a_routine_is_exported_alone_or_protected() {
    let ledger = |text: &str| {
        let mut sources = SourceSet::default();
        sources.add("test.L5X", text);
        format!("{:?}", load(&sources, &LoadOptions::default()).value.ledger)
    };
    let whole = export("XIC(a)JSR(Other,0);", &routine("Other", "XIC(b)OTE(p);"));
    // Only the routine is the target: it runs, and answers say so.
    let alone = whole.replace("Program Use=\"Target\"", "Program Use=\"Context\"");
    let alone = alone.replace("<Routine Name=\"Other\"", "<Routine Use=\"Target\" Name=\"Other\"");
    check_export(&alone, &["a", "b"], "p", &[0, 1]);
    assert!(ledger(&alone).contains("runs alone"));
    // A program that is only context of an export is no part of it.
    let context = whole.replace("Program Use=\"Target\"", "Program Use=\"Context\"");
    let mut sources = SourceSet::default();
    sources.add("test.L5X", context.as_str());
    let codes: Vec<_> = load(&sources, &LoadOptions::default()).diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(codes, ["P0003"]);
    // A protected routine is a gap where it is called, not an empty routine.
    let start = whole.find("<Routine Name=\"Other\"").unwrap();
    let end = whole.find("</Routines>").unwrap();
    let secret = "<EncodedData EncodedType=\"Routine\" Name=\"Other\" Type=\"RLL\" EncryptionConfig=\"3\">QUJD</EncodedData>";
    let protected = [whole.get(..start).unwrap(), secret, whole.get(end..).unwrap()].concat();
    assert!(ledger(&protected).contains("routine whose source is protected"), "{}", ledger(&protected));
    // The same for one whose parts are not known, also inside of its content.
    let inside = "<EncodedData EncodedType=\"Routine\" EncryptionConfig=\"1\">QUJD</EncodedData>";
    for (language, content) in [("RLL", "RLLContent"), ("ST", "STContent"), ("FBD", "FBDContent"), ("SFC", "Text")] {
        for parts in [inside.to_owned(), format!("<{content}>{inside}</{content}>"), "<OtherContent/>".to_owned()] {
            let other = format!("<Routine Name=\"Other\" Type=\"{language}\">{parts}</Routine>");
            let text = [whole.get(..start).unwrap(), &other, whole.get(end..).unwrap()].concat();
            assert!(ledger(&text).contains("routine with parts that are not known"), "{other}: {}", ledger(&text));
        }
        let empty = format!("<Routine Name=\"Other\" Type=\"{language}\"><Description>Later.</Description></Routine>");
        let text = [whole.get(..start).unwrap(), &empty, whole.get(end..).unwrap()].concat();
        assert!(!ledger(&text).contains("parts that are not known"), "{empty}: {}", ledger(&text));
    }
}

#[test]
fn handlers_of_faults_are_conditions() {
    let words = |text: &str| {
        let mut sources = SourceSet::default();
        sources.add("test.L5X", text);
        format!("{:?}", load(&sources, &LoadOptions::default()).value.ledger)
    };
    let text = export("XIC(a)OTE(p);", &routine("Fault", "OTE(q);"));
    assert!(!words(&text).contains("major fault"));
    assert!(
        words(&text.replace("MainRoutineName", "FaultRoutineName=\"Fault\" MainRoutineName"))
            .contains("fault routine: no major fault")
    );
    let handled = text.replace("<Controller ", "<Controller MajorFaultProgram=\"H\" PowerLossProgram=\"L\" ");
    assert!(words(&handled).contains("controller fault handler: no major fault"));
    assert!(words(&handled).contains("power-up handler"));
}

/// A call that leads back to its routine is a gap at its place; the rungs around it run.
#[test]
fn a_routine_that_calls_itself_is_a_gap_of_this_call() {
    let ledger = |text: &str| {
        let mut sources = SourceSet::default();
        sources.add("test.L5X", text);
        let loaded = load(&sources, &LoadOptions::default());
        let errors: Vec<_> = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
        assert!(errors.is_empty(), "{errors:?}");
        loaded.value.ledger.gaps.iter().filter(|gap| gap.construct.contains("calls itself")).count()
    };
    let itself = export("XIC(a)OTE(p);XIC(b)JSR(Main,0);", "");
    check_export(&itself, &["a", ""], "p", &[1, 0]);
    assert_eq!(ledger(&itself), 1);
    let ring = [routine("One", "XIC(a)JSR(Two,0);"), structured("Two", &["IF b THEN JSR(One, 0); END_IF;", "x := 5;"])].concat();
    let ring = export("JSR(One,0);XIC(a)OTE(p);", &ring);
    check_export(&ring, &["a", ""], "p", &[1, 0]);
    check_export(&ring, &["", "a"], "x", &[7, 5]);
    assert_eq!(ledger(&ring), 1);
    // Calls that end are none.
    let twice = routine("One", "ADD(x,1,x);");
    assert_eq!(ledger(&export("JSR(One,0);JSR(One,0);", &twice)), 0);
}
