//! Exports of a part of a controller: components that are only named, and those whose source is protected.

use super::*;

fn ledger(text: &str) -> String {
    let mut sources = SourceSet::default();
    sources.add("test.L5X", text);
    format!("{:?}", load(&sources, &LoadOptions::default()).value.ledger)
}

/// Returns an export that calls the instruction `Secret`, which this element declares.
fn with_secret(rungs: &str, element: &str) -> String {
    let definitions = format!("<AddOnInstructionDefinitions>{element}</AddOnInstructionDefinitions><Programs>");
    let tag = "<Tags><Tag Name=\"secret\" TagType=\"Base\" DataType=\"Secret\"/>";
    export(rungs, "").replace("<Programs>", &definitions).replace("<Tags>", tag)
}

const PARAMETERS: &str = "<Parameters><Parameter Name=\"EnableIn\" TagType=\"Base\" DataType=\"BOOL\" Usage=\"Input\" Required=\"false\"/>\
    <Parameter Name=\"EnableOut\" TagType=\"Base\" DataType=\"BOOL\" Usage=\"Output\" Required=\"false\"/>\
    <Parameter Name=\"In\" TagType=\"Base\" DataType=\"DINT\" Usage=\"Input\" Required=\"true\"/>\
    <Parameter Name=\"Out\" TagType=\"Base\" DataType=\"DINT\" Usage=\"Output\" Required=\"true\"/>\
    <Parameter Name=\"Io\" TagType=\"Base\" DataType=\"DINT\" Usage=\"InOut\" Required=\"true\"/></Parameters>";

#[test]
fn a_protected_instruction_gives_its_parameters_any_values() {
    let encoded = format!(
        "<EncodedData EncodedType=\"AddOnInstructionDefinition\" Name=\"Secret\" Revision=\"1.0\" EncryptionConfig=\"3\">\
         {PARAMETERS}QUJD</EncodedData>"
    );
    let named =
        format!("<AddOnInstructionDefinition Use=\"Reference\" Name=\"Secret\">{PARAMETERS}</AddOnInstructionDefinition>");
    for element in [encoded, named] {
        let rungs = "XIC(a)Secret(secret,x,y,z);XIC(a)OTE(q);";
        let text = with_secret(rungs, &element);
        // The run takes zero for any value; what stands behind the call executes.
        check_export(&text, &["a", ""], "q", &[1, 0]);
        check_export(&text, &["a"], "y", &[0]);
        check_export(&text, &["a"], "z", &[0]);
        // Its routine EnableInFalse is not known, so a FALSE rung calls it, too.
        check_export(&with_secret(&rungs.replace("XIC(a)Secret", "AFI()Secret"), &element), &["a"], "y", &[0]);
        let found = ledger(&text);
        assert!(found.contains("Add-On Instruction `Secret` without its source: it writes only its parameters"), "{found}");
        assert!(!found.contains("Unsupported"), "{found}");
    }
    // Without parameters nothing is known of its interface.
    let bare = "<EncodedData EncodedType=\"AddOnInstructionDefinition\" Name=\"Secret\" Revision=\"1.0\">QUJD</EncodedData>";
    let found = ledger(&with_secret("XIC(a)Secret(secret,x,y,z);", bare));
    assert!(found.contains("call of an Add-On Instruction whose source is protected"), "{found}");
}

#[test]
fn components_that_are_only_named_are_no_part_of_the_export() {
    let whole = export("XIC(a)JSR(Other,0);XIC(b)OTE(p);", "");
    let program = "</Program><Program Use=\"Reference\" Name=\"Q\"/></Programs>";
    check_export(&whole.replace("JSR(Other,0)", "NOP()").replace("</Program></Programs>", program), &["b", ""], "p", &[1, 0]);
    let other = "<Routine Use=\"Reference\" Name=\"Other\"/></Routines></Program>";
    let found = ledger(&whole.replace("</Routines></Program>", other));
    assert!(found.contains("routine that the export does not hold"), "{found}");
}

#[test]
fn other_programs_may_write_tags_of_the_controller() {
    let with_tag = |rung: &str| {
        let tag = number("Shared", 0);
        export(rung, "").replace("<Programs>", &format!("<Tags>{tag}</Tags><Programs>"))
    };
    let words = "tags of the controller in an export of a part of it";
    assert!(ledger(&with_tag("XIC(Shared.0)OTE(p);OTU(Shared.0);")).contains(words));
    assert!(!ledger(&export("XIC(a)OTE(p);", "")).contains(words));
    // The export of a whole controller has all programs.
    let whole = with_tag("XIC(Shared.0)OTE(p);").replace("Controller Use=\"Context\"", "Controller Use=\"Target\"");
    assert!(!ledger(&whole).contains(words));
    let constant = with_tag("XIC(Shared.0)OTE(p);").replace("Name=\"Shared\"", "Name=\"Shared\" Constant=\"true\"");
    assert!(!ledger(&constant).contains(words));
}

#[test]
fn tags_of_other_programs_are_named_as_such() {
    let found = ledger(&export("XIC(\\Other.go)OTE(p);", ""));
    assert!(found.contains("XIC: operand `\\\\Other.go` is a tag of another program, which does not run here"), "{found}");
}

#[test]
fn a_data_type_that_is_only_named_is_no_empty_structure() {
    let named = "<DataType Use=\"Reference\" Name=\"Valve\"/>";
    let types = "<DataTypes><DataType Use=\"Reference\" Name=\"Valve\"/></DataTypes><Programs>";
    let tags =
        "<Tags><Tag Name=\"one\" TagType=\"Base\" DataType=\"Valve\"/><Tag Name=\"two\" TagType=\"Base\" DataType=\"Valve\"/>";
    let ledger = |text: &str| {
        let mut sources = SourceSet::default();
        sources.add("test.L5X", text);
        format!("{:?}", crate::load_isolated(&sources, &LoadOptions::default()).value.ledger)
    };
    let with = |rungs: &str, rest: &str| export(rungs, rest).replace("<Programs>", types).replace("<Tags>", tags);
    // It is as a type that the export does not hold.
    for (rungs, rest) in [
        ("XIC(one.Open)OTE(p);", String::new()),
        ("COP(one,two,1)XIC(a)OTE(p);", String::new()),
        ("JSR(Other,0);", structured("Other", &["two := one; p := one.Open;"])),
    ] {
        let text = with(rungs, &rest);
        let found = ledger(&text);
        assert_eq!(found, ledger(&text.replace(named, &" ".repeat(named.len()))), "{rungs}");
        assert!(found.contains("Valve") || found.contains("Unsupported"), "{rungs}: {found}");
    }
    // A file that declares it counts.
    let member = "<Member Name=\"Open\" DataType=\"BOOL\" Dimension=\"0\" Hidden=\"false\"/>";
    let whole = with("NOP();", "").replace(
        "<DataType Use=\"Reference\" Name=\"Valve\"/>",
        &format!("<DataType Use=\"Reference\" Name=\"Valve\"><Members>{member}</Members></DataType>"),
    );
    assert!(!ledger(&whole).contains("Valve"));
}

/// An export of rungs has a routine without a language, and not the other rungs.
#[test]
fn rungs_that_are_exported_alone_run_alone() {
    let text = export("XIC(a)OTE(p);", "").replace("TargetType=\"Program\"", "TargetType=\"Rung\"");
    let text = text.replace("<Program Use=\"Target\"", "<Program Use=\"Context\"").replace(" MainRoutineName=\"Main\"", "");
    let text = text.replace(
        "<Routine Name=\"Main\" Type=\"RLL\"><RLLContent>",
        "<Routine Use=\"Context\" Name=\"Main\"><RLLContent Use=\"Context\">",
    );
    let text = text.replace("<Rung Number", "<Rung Use=\"Target\" Number");
    check_export(&text, &["a", ""], "p", &[1, 0]);
    let found = ledger(&text);
    assert!(found.contains("without the others of their routine") && !found.contains("without its program"), "{found}");
}
