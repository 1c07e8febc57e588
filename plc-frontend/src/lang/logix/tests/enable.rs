//! EnableIn of an entry, and parameters of Add-On Instructions named EN and ENO.

use super::*;

/// Returns an export in which `Inv` gives the negation of its input `from` to its output `to`, with a call for each scan.
fn inverter(from: &str, to: &str) -> String {
    let parameter = |name: &str, usage: &str| {
        let is_own = !name.starts_with("Enable");
        format!("<Parameter Name=\"{name}\" TagType=\"Base\" DataType=\"BOOL\" Usage=\"{usage}\" Required=\"{is_own}\"/>")
    };
    let enables = parameter("EnableIn", "Input") + &parameter("EnableOut", "Output");
    let logic = routine("Logic", &format!("XIO({from})OTE({to});"));
    let instruction = format!(
        "<AddOnInstructionDefinitions><AddOnInstructionDefinition Name=\"Inv\"><Parameters>{enables}{}{}</Parameters><Routines>{logic}\
         </Routines></AddOnInstructionDefinition></AddOnInstructionDefinitions><Programs>",
        parameter(from, "Input"),
        parameter(to, "Output")
    );
    let tag = "<Tags><Tag Name=\"i\" TagType=\"Base\" DataType=\"Inv\"/>";
    export("Inv(i,a,p);", "").replacen("<Programs>", &instruction, 1).replacen("<Tags>", tag, 1)
}

#[test]
fn en_and_eno_are_parameters_like_others() {
    for (from, to) in [("Other", "Out"), ("En", "Out"), ("EN", "Out"), ("Other", "ENO")] {
        check_export(&inverter(from, to), &["", "a", ""], "p", &[1, 0, 1]);
    }
}

#[test]
fn an_instruction_as_entry_has_a_rung_that_is_true() {
    let mut sources = SourceSet::default();
    sources.add("test.L5X", inverter("Other", "Out").as_str());
    let told = |entry: Option<&str>| {
        let loaded = load(&sources, &LoadOptions { entry: entry.map(str::to_owned), ..LoadOptions::default() });
        loaded.value.ledger.gaps.iter().any(|gap| gap.construct == "each scan calls `Inv` on a rung that is TRUE")
    };
    assert!(told(Some("Inv")) && !told(None));
}
