//! Instructions of the system: their values are any values.

use super::*;

fn ledger(rung: &str, rest: &str, tags: &str) -> String {
    let mut sources = SourceSet::default();
    sources.add("test.L5X", export(rung, rest).replace("<Tags>", &format!("<Tags>{tags}")).as_str());
    let loaded = load(&sources, &LoadOptions::default());
    let errors: Vec<_> = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    format!("{:?}", loaded.value.ledger)
}

#[test]
fn values_of_the_system_are_any_values() {
    let structured = |line: &str| ledger("JSR(Other,0);", &structured("Other", &[line]), "");
    for line in
        ["GSV(Program, THIS, LastScanTime, x);", "GSV(WallClockTime, , LocalDateTime, l[0]);", "GSV(Module, IO, Mode, l[z]);"]
    {
        let ledger = structured(line);
        assert!(ledger.contains("SYSTEM__DINT") && !ledger.contains("instruction GSV"), "{line}: {ledger}");
    }
    assert!(structured("GSV(WallClockTime, , LocalDateTime, t.PRE);").contains("instruction GSV"));
    assert!(structured("SSV(Module, IO, Mode, x);").contains("instruction SSV: it changes no tag"));
    let long = "<Tag Name=\"now\" TagType=\"Base\" DataType=\"LINT\"/>";
    let of_long = ledger("GSV(WallClockTime,,CurrentValue,now);", "", long);
    assert!(of_long.contains("SYSTEM__LINT") && !of_long.contains("instruction GSV"), "{of_long}");
    let rung = "XIC(a)GSV(Program,THIS,LastScanTime,x);XIC(b)PID(m[0],x,0,r,0,0,0);";
    let ledger = ledger(rung, "", "");
    assert!(ledger.contains("SYSTEM__DINT") && ledger.contains("SYSTEM__REAL"), "{ledger}");
}

#[test]
fn messages_that_write_tags_are_gaps() {
    let message = |rest: &str| {
        format!(
            "<Tag Name=\"msg\" TagType=\"Base\" DataType=\"MESSAGE\"><Data Format=\"Message\"><MessageParameters \
             MessageType=\"CIP Generic\"{rest}/></Data></Tag>"
        )
    };
    let ledger = |tags: &str| ledger("XIC(a)MSG(msg);XIC(msg.DN)OTE(p);", "", tags);
    assert!(!ledger(&message("")).contains("instruction MSG"));
    assert!(ledger(&message("")).contains("MESSAGE"));
    assert!(ledger(&message(" DestinationTag=\"x\"")).contains("instruction MSG"));
}

#[test]
fn instructions_of_motion_give_any_bits() {
    let tag = "<Tag Name=\"mi\" TagType=\"Base\" DataType=\"MOTION_INSTRUCTION\"/>";
    let ledger = ledger("XIC(a)MSO(Axis,mi);XIC(mi.DN)OTE(p);", "", tag);
    assert!(ledger.contains("instruction of motion") && ledger.contains("MOTION_INSTRUCTION"), "{ledger}");
}
