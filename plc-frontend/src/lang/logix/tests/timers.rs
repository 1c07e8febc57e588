//! Timers and counters, with 100 ms from cycle to cycle.

use super::*;

#[test]
fn counters() {
    let cycles = ["a", "", "a", "a", "", "a", "b"];
    // The prescan sets CU: a rung that is TRUE in the first cycle does not count.
    check("XIC(a)CTU(k,?,?);XIC(b)RES(k);", &cycles, "k.ACC", &[0, 0, 1, 1, 1, 2, 0]);
    check("XIC(a)CTU(k,?,?);XIC(b)RES(k);", &cycles, "k.DN", &[0, 0, 0, 0, 0, 1, 0]);
}

#[test]
fn counters_down() {
    let cycles = ["a", "", "a", "a", "", "a", "b"];
    check("XIC(a)CTD(k,?,?);XIC(b)RES(k);", &cycles, "k.ACC", &[0, 0, -1, -1, -1, -2, 0]);
    // Only a scan of a TRUE rung compares.
    check("MOV(-1,k.PRE);XIC(a)CTD(k,?,?);", &["", "a", "", "a"], "k.DN", &[0, 1, 1, 0]);
}

#[test]
fn on_delays() {
    let cycles = ["a", "a", "a", "a", "", "a"];
    let rung = "XIC(a)TON(t,?,?)OTE(p);";
    check(rung, &cycles, "t.ACC", &[0, 100, 200, 200, 0, 0]);
    check(rung, &cycles, "t.EN", &[1, 1, 1, 1, 0, 1]);
    check(rung, &cycles, "t.TT", &[1, 1, 0, 0, 0, 1]);
    check(rung, &cycles, "t.DN", &[0, 0, 1, 1, 0, 0]);
    check(rung, &cycles, "p", &[1, 1, 1, 1, 0, 1]);
    // A preset of zero is reached at once.
    check("MOV(0,t.PRE);XIC(a)TON(t,?,?);", &["", "a", ""], "t.DN", &[0, 1, 0]);
    // The value behind a preset that is no multiple of the cycle.
    check("MOV(150,t.PRE);XIC(a)TON(t,?,?);", &["a", "a", "a", "a"], "t.ACC", &[0, 100, 200, 200]);
    check("XIC(a)TON(t,?,?);XIC(b)RES(t);", &["a", "a", "a", "ab", "a", "a"], "t.ACC", &[0, 100, 200, 0, 0, 100]);
}

#[test]
fn retentive_on_delays() {
    let cycles = ["a", "a", "", "", "a", "a", "", "b"];
    let rung = "XIC(a)RTO(t,?,?);XIC(b)RES(t);";
    check(rung, &cycles, "t.ACC", &[0, 100, 100, 100, 100, 200, 200, 0]);
    check(rung, &cycles, "t.DN", &[0, 0, 0, 0, 0, 1, 1, 0]);
    check(rung, &cycles, "t.TT", &[1, 1, 0, 0, 1, 0, 0, 0]);
    check(rung, &cycles, "t.EN", &[1, 1, 0, 0, 1, 1, 0, 0]);
}

#[test]
fn off_delays() {
    let cycles = ["", "a", "a", "", "", "", ""];
    let rung = "XIC(a)TOF(t,?,?);";
    // The prescan gives the value of the preset: nothing falls in the first scan.
    check(rung, &cycles, "t.ACC", &[200, 0, 0, 0, 100, 200, 200]);
    check(rung, &cycles, "t.DN", &[0, 1, 1, 1, 1, 0, 0]);
    check(rung, &cycles, "t.TT", &[0, 0, 0, 1, 1, 0, 0]);
    check(rung, &cycles, "t.EN", &[0, 1, 1, 0, 0, 0, 0]);
}

#[test]
fn a_timer_that_is_skipped_counts_the_time_of_the_next_scan() {
    let text = export("XIC(b)JSR(Other,0);", &routine("Other", "MOV(900,t.PRE);XIC(a)TON(t,?,?);"));
    // Manual: the value grows by the time since the last scan, and stays where nothing scans it.
    check_export(&text, &["ab", "ab", "a", "a", "ab", "ab"], "t.ACC", &[0, 100, 100, 100, 400, 500]);
}

#[test]
fn bits_of_timers_belong_to_their_instruction() {
    let ledger = |rung: &str| {
        let mut sources = SourceSet::default();
        sources.add("test.L5X", export(rung, "").as_str());
        format!("{:?}", load(&sources, &LoadOptions::default()).value.ledger)
    };
    assert!(ledger("XIC(a)TON(t,?,?);XIC(b)OTU(t.DN);").contains("write of a status bit"));
    assert!(ledger("XIC(a)TON(t,?,?);XIC(b)TOF(t,?,?);").contains("several kinds"));
    assert!(!ledger("XIC(a)TON(t,?,?);XIC(b)CLR(t.ACC);").contains("several kinds"));
}

#[test]
fn timers_of_structured_text() {
    let text = |call: &str| {
        let lines = ["f.PRE := 200; f.TimerEnable := a; f.Reset := b;", call, "x := f.ACC; p := f.DN;"];
        export("JSR(Other,0);", &structured("Other", &lines))
            .replace("<Tags>", "<Tags><Tag Name=\"f\" TagType=\"Base\" DataType=\"FBD_TIMER\"/>")
    };
    let cycles = ["a", "a", "a", "a", "", "a", "a", "ab", "a"];
    check_export(&text("TONR(f);"), &cycles, "x", &[0, 100, 200, 200, 0, 0, 100, 0, 0]);
    check_export(&text("TONR(f);"), &cycles, "p", &[0, 0, 1, 1, 0, 0, 0, 0, 0]);
    let cycles = ["a", "a", "", "a", "a", "", "b", "a"];
    check_export(&text("RTOR(f);"), &cycles, "x", &[0, 100, 100, 100, 200, 200, 0, 0]);
    check_export(&text("RTOR(f);"), &cycles, "p", &[0, 0, 0, 0, 1, 1, 0, 0]);
}

/// The tag `Reset` has a condition of its own; its name is no name of a type.
#[test]
fn a_tag_named_as_a_member_of_a_block_leaves_the_block_declared() {
    let definition = |name: &str, locals: &str| {
        format!(
            "<AddOnInstructionDefinition Name=\"{name}\"><Parameters/><LocalTags>{locals}</LocalTags><Routines/>\
             </AddOnInstructionDefinition>"
        )
    };
    let inner = definition("Op_Reset", "<LocalTag Name=\"TmrHold\" DataType=\"FBD_TIMER\"/>");
    let outer = definition("Alarm", "<LocalTag Name=\"Reset\" DataType=\"Op_Reset\"/>");
    let definitions = format!("<AddOnInstructionDefinitions>{inner}{outer}</AddOnInstructionDefinitions><Programs>");
    let text = export("NOP();", "").replace("<Programs>", &definitions);
    let text = text.replace("<Tags>", "<Tags><Tag Name=\"alarm\" TagType=\"Base\" DataType=\"Alarm\"/>");
    let mut sources = SourceSet::default();
    sources.add("a.L5X", text.as_str());
    let ledger = format!("{:?}", load(&sources, &LoadOptions::default()).value.ledger);
    assert!(ledger.contains("those of its definition are taken"), "{ledger}");
    assert!(!ledger.contains("declared in no file"), "{ledger}");
}

#[test]
fn timers_and_counters_of_an_add_on_instruction_are_operands() {
    let parameter = |name: &str, usage: &str, required: bool| {
        format!(
            "<Parameter Name=\"{name}\" TagType=\"Base\" DataType=\"BOOL\" Usage=\"{usage}\" Required=\"{required}\">\
             <DefaultData Format=\"Decorated\"><DataValue DataType=\"BOOL\" Value=\"0\"/></DefaultData></Parameter>"
        )
    };
    let enable = [parameter("EnableIn", "Input", false), parameter("EnableOut", "Output", false)].concat();
    let parameters = [enable, parameter("In", "Input", true), parameter("Out", "Output", true)].concat();
    let local = "<LocalTag Name=\"t\" DataType=\"TIMER\"/><LocalTag Name=\"k\" DataType=\"COUNTER\"/>";
    let logic = routine("Logic", "MOV(200,t.PRE);XIC(In)TON(t,?,?);XIC(t.DN)CTU(k,?,?);GEQ(k.ACC,1)OTE(Out);");
    let definition = format!(
        "<AddOnInstructionDefinitions><AddOnInstructionDefinition Name=\"Delay\"><Parameters>{parameters}</Parameters>\
         <LocalTags>{local}</LocalTags><Routines>{logic}</Routines></AddOnInstructionDefinition></AddOnInstructionDefinitions><Programs>"
    );
    let text = export("Delay(delay,a,p);", "").replace("<Programs>", &definition);
    let text = text.replace("<Tags>", "<Tags><Tag Name=\"delay\" TagType=\"Base\" DataType=\"Delay\"/>");
    check_export(&text, &["a", "a", "a", ""], "p", &[0, 0, 1, 1]);
}

/// Members of timers are shown, what the import adds to them is not.
#[test]
fn members_of_timers_are_no_secret() {
    let project = project(&export("XIC(a)TON(t,?,?);", ""));
    let leaves = project.leaves();
    let shown: Vec<&str> =
        leaves.iter().filter(|leaf| leaf.name.starts_with("P.t.") && !leaf.hidden).map(|leaf| &leaf.name[4..]).collect();
    assert_eq!(shown, ["PRE", "ACC", "EN", "TT", "DN"]);
}
