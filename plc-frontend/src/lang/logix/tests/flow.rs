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
}
