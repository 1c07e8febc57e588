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
fn values_of_the_controller_are_inputs() {
    let tags = "<Tag Name=\"now\" TagType=\"Base\" DataType=\"LINT\"/><Tag Name=\"name\" TagType=\"Base\" DataType=\"STRING\"/>\
                <Tag Name=\"date\" TagType=\"Base\" DataType=\"DINT\" Dimensions=\"8\"/>";
    let inputs = |text: &str| {
        let project = project(&text.replace("<Tags>", &format!("<Tags>{tags}")));
        assert!(project.stubs.is_empty(), "{text}");
        let leaves = project.leaves().into_iter().filter(|leaf| leaf.role == crate::hir::Role::Input);
        let named = leaves.map(|leaf| leaf.name).filter(|name| name.starts_with("GSV"));
        named.map(|name| name.split("_line_").next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    let check = |call: &str, name: &str, count: usize| {
        for text in [export(&format!("XIC(a){call};"), ""), export("JSR(Other,0);", &structured("Other", &[&format!("{call};")]))]
        {
            assert_eq!(inputs(&text), vec![name.to_owned(); count], "{call}");
        }
    };
    check("GSV(Program,THIS,LastScanTime,x)", "GSV__Program_THIS_LastScanTime", 1);
    check("GSV(WallClockTime, , LocalDateTime, date[1])", "GSV__WallClockTime_LocalDateTime", 7);
    check("GSV(WallClockTime,,CurrentValue,now)", "GSV__WallClockTime_CurrentValue", 1);
    check("GSV(WallClockTime,,CurrentValue,l[2])", "GSV__WallClockTime_CurrentValue", 2);
    // A tag that is too small, and one that is larger.
    check("GSV(WallClockTime,,LocalDateTime,m[1])", "GSV__WallClockTime_LocalDateTime", 3);
    check("GSV(Module,IO,Mode,l[z])", "GSV__Module_IO_Mode", 1);
    check("GSV(Program,THIS,Name,name)", "GSV__Program_THIS_Name", 83);
    check("GSV(Module,IO,Path,name.DATA[2])", "GSV__Module_IO_Path", 80);
}

#[test]
fn values_of_the_controller_that_are_not_known_are_gaps() {
    let structured = |line: &str| ledger("JSR(Other,0);", &structured("Other", &[line]), "");
    for (line, words) in [
        ("GSV(WallClockTime, , LocalDateTime, t.PRE);", "instruction GSV"),
        ("GSV(WallClockTime, , LocalDateTime, l[z]);", "instruction GSV"),
        ("GSV(Program, THIS, Name, x);", "instruction GSV"),
        ("GSV(Task, THIS, Moon, x);", "GSV of an unknown attribute"),
        ("GSV(Axis, A, ActualPosition, r);", "GSV of an unknown attribute"),
        ("SSV(Module, IO, Mode, x);", "instruction SSV: it changes no tag"),
    ] {
        let ledger = structured(line);
        assert!(ledger.contains(words), "{line}: {ledger}");
    }
    // An operand that is no tag of the type PID.
    assert!(ledger("XIC(b)PID(m[0],x,0,r,0,0,0);", "", "").contains("PID: operand `m[0]` is of the type DINT"));
}

#[test]
fn values_of_the_controller_are_within_their_ranges() {
    let tags = "<Tag Name=\"date\" TagType=\"Base\" DataType=\"DINT\" Dimensions=\"7\"/>";
    let text = export("GSV(WallClockTime,,LocalDateTime,date[0]);", "").replace("<Tags>", &format!("<Tags>{tags}"));
    let project = project(&text);
    let inputs: Vec<String> = project.leaves().into_iter().map(|leaf| leaf.name).filter(|name| name.starts_with("GSV")).collect();
    for (given, expected) in [(-5, [-5, 1, 1, 0, 0, 0, 0]), (7, [7; 7]), (2_000_000, [2_000_000, 12, 31, 23, 59, 59, 999_999])] {
        let mut machine = Machine::new(&project, Limits::default());
        let values = inputs.iter().map(|name| (name.clone(), Value::Int(given))).collect();
        machine.begin(&values, 100_000_000).unwrap();
        machine.run(&mut Silent).unwrap();
        for (at, expected) in expected.into_iter().enumerate() {
            assert_eq!(machine.leaf(&format!("P.date[{at}]")), Some(Value::Int(expected)), "{given}: {at}");
        }
    }
}

#[test]
fn each_execution_asks_again() {
    // Places that run several times in a cycle have a value for each execution, which no plain input has.
    let counts = |main: &str, rest: &str| {
        let project = project(&export(main, rest));
        (project.at_call.len(), project.leaves().iter().filter(|leaf| leaf.name.starts_with("GSV")).count())
    };
    let ask = "GSV(Program,THIS,LastScanTime,x);";
    assert_eq!(counts(ask, ""), (0, 1));
    assert_eq!(counts(&format!("{ask}{ask}"), ""), (0, 2));
    assert_eq!(counts("JSR(Other,0);", &routine("Other", ask)), (0, 1));
    assert_eq!(counts("JSR(Other,0);JSR(Other,0);", &routine("Other", ask)), (1, 1));
    assert_eq!(counts("FOR(Other,x,0,3,1);", &routine("Other", ask)), (1, 1));
    assert_eq!(counts(&format!("LBL(again){ask}LES(x,12)JMP(again);"), ""), (1, 1));
    assert_eq!(counts("JSR(Other,0);", &structured("Other", &["WHILE x < 3 DO", ask, "END_WHILE;"])), (1, 1));
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

/// PID writes its tag in each scan, also where its rung is FALSE.
#[test]
fn a_pid_gives_any_values_to_its_tag() {
    let tag = "<Tags><Tag Name=\"loop\" TagType=\"Base\" DataType=\"PID\"><Data Format=\"Decorated\"><Structure DataType=\"PID\">\
               <DataValueMember Name=\"CTL\" DataType=\"DINT\" Value=\"0\"/><DataValueMember Name=\"EN\" DataType=\"BOOL\" Value=\"1\"/>\
               <DataValueMember Name=\"OUT\" DataType=\"REAL\" Value=\"4.0\"/></Structure></Data></Tag>";
    let with = |rung: &str| export(rung, "").replace("<Tags>", tag);
    check_export(&with("GRT(loop.OUT,3.0)OTE(p);"), &[""], "p", &[1]);
    // No value is known behind the prescan: an input gives it, which is zero here.
    for rung in ["XIC(a)PID(loop,r,r,r,0,0,0);GRT(loop.OUT,3.0)OTE(p);", "GRT(loop.OUT,3.0)OTE(p);XIC(a)PID(loop,r,r,r,0,0,0);"] {
        check_export(&with(rung), &["", "a"], "p", &[0, 0]);
    }
    let mut sources = SourceSet::default();
    sources.add("test.L5X", with("PID(loop,r,r,r,0,0,0);MOV(loop.DATA[3],r);"));
    let loaded = load(&sources, &LoadOptions::default());
    let ledger = format!("{:?} {:?}", loaded.value.ledger, loaded.diagnostics);
    assert!(ledger.contains("tag of a PID") && !ledger.contains("declared in no file"), "{ledger}");
}
