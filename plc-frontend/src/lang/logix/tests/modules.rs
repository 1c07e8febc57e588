//! Modules and their tags as arguments of Add-On Instructions.

use super::*;

/// Returns an export with the Add-On Instruction `Reads`, whose InOut parameter has a type, and a call with an argument.
fn with_argument(ty: &str, argument: &str, logic: &str, modules: &str) -> String {
    let parameters = format!(
        "<Parameter Name=\"Ref\" TagType=\"Base\" DataType=\"{ty}\" Usage=\"InOut\" Required=\"true\"/>\
         <Parameter Name=\"Out\" TagType=\"Base\" DataType=\"BOOL\" Usage=\"Output\" Required=\"true\"/>\
         <Parameter Name=\"EnableOut\" TagType=\"Base\" DataType=\"BOOL\" Usage=\"Output\" Required=\"false\"/>"
    );
    let definition = format!(
        "{modules}<AddOnInstructionDefinitions><AddOnInstructionDefinition Name=\"Reads\"><Parameters>{parameters}</Parameters>\
         <Routines>{}</Routines></AddOnInstructionDefinition></AddOnInstructionDefinitions><Programs>",
        routine("Logic", logic)
    );
    let rungs = format!("XIC(a)OTE(p);Reads(reads,{argument},q);XIC(b)OTE(s);");
    let text = export(&rungs, "").replace("<Programs>", &definition);
    text.replace("<Tags>", "<Tags><Tag Name=\"reads\" TagType=\"Base\" DataType=\"Reads\"/>")
}

#[test]
fn a_module_is_an_argument() {
    let modules = "<Modules Use=\"Context\"><Module Use=\"Reference\" Name=\"Local\"/></Modules>";
    let text = with_argument("MODULE", "Local", "NOP()OTE(Out);", modules);
    check_export(&text, &["", "b"], "q", &[1, 1]);
    check_export(&text, &["", "ab"], "s", &[0, 1]);
    // A module that the export does not list.
    let text = with_argument("MODULE", "Local", "NOP()OTE(Out);", "");
    check_export(&text, &["", "b"], "q", &[1, 1]);
}

/// Nothing is known of its data: the call is a gap, and nothing else is left out.
#[test]
fn the_tag_of_a_module_as_an_argument_is_a_gap_of_its_call() {
    let text = with_argument("AB:1756_DI:I:0", "Local:1:I", "XIC(Ref.Data.0)OTE(Out);", "");
    let other = routine("Other", "NOP();");
    let project = project(
        &text
            .replace("XIC(a)OTE(p);Reads(", "XIC(a)OTE(p);XIC(c)Reads(")
            .replace("</Routines></Program>", &format!("{other}</Routines></Program>")),
    );
    let mut machine = Machine::new(&project, Limits::default());
    let inputs = BTreeMap::from([("P.a".to_owned(), Value::Bool(true)), ("P.b".to_owned(), Value::Bool(true))]);
    machine.begin(&inputs, 100_000_000).unwrap();
    assert!(matches!(machine.run(&mut Silent), Err(fault) if matches!(fault.kind, crate::interp::FaultEnd::Unsupported(_))));
}
