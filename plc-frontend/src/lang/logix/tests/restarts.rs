//! Restarts of the controller in the middle of a run: `R` among the inputs of a cycle.

use super::*;

/// Loads an export whose controller may restart.
pub(in crate::lang::logix) fn restarting(text: &str, entry: Option<&str>) -> crate::Loaded {
    let mut sources = SourceSet::default();
    sources.add("test.L5X", text);
    let options = LoadOptions { entry: entry.map(str::to_owned), ..LoadOptions::default() };
    let parsed = load(&sources, &options);
    let errors: Vec<_> = parsed.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{text}\n{errors:#?}");
    let mut loaded = parsed.value;
    loaded.make_restarting();
    loaded
}

/// Runs a program that restarts in cycles with `R`, and checks a leaf after each cycle.
fn check_leaf(loaded: &crate::Loaded, cycles: &[&str], leaf: &str, expected: &[i128]) {
    let restart = loaded.project.restart.map(|id| loaded.project.globals[id].name.clone()).unwrap();
    let mut machine = Machine::new(&loaded.project, Limits::default());
    let mut found = Vec::new();
    for cycle in cycles {
        let inputs = INPUTS.iter().map(|name| (format!("P.{name}"), Value::Bool(cycle.contains(*name))));
        let inputs = inputs.filter(|(name, _)| machine.leaf(name).is_some());
        let inputs = inputs.chain([(restart.clone(), Value::Bool(cycle.contains('R')))]);
        let inputs: BTreeMap<String, Value> = inputs.collect();
        machine.begin(&inputs, 100_000_000).unwrap();
        machine.run(&mut Silent).unwrap();
        found.push(match machine.leaf(leaf) {
            Some(Value::Bool(b)) => i128::from(b),
            Some(Value::Int(i)) => i,
            other => panic!("{leaf}: {other:?} of {:?}", machine.leaves()),
        });
    }
    assert_eq!(found, expected, "{leaf}");
}

pub(in crate::lang::logix) fn check_restarts(text: &str, cycles: &[&str], leaf: &str, expected: &[i128]) {
    check_leaf(&restarting(text, None), cycles, &format!("P.{leaf}"), expected);
}

#[test]
fn tags_are_kept_and_the_prescan_comes_again() {
    let cases: &[(&str, &[&str], &str, &[i128])] = &[
        // A coil and a seal-in are cleared, a latch stays.
        ("[XIC(a),XIC(p)]OTE(p);", &["a", "", "", ""], "p", &[1, 1, 1, 1]),
        ("[XIC(a),XIC(p)]OTE(p);", &["a", "", "R", ""], "p", &[1, 1, 0, 0]),
        ("XIC(b)OTU(q);XIC(a)OTL(q);XIC(b)OTE(p);", &["b", "a", "R", ""], "q", &[0, 1, 1, 1]),
        // Numbers are kept.
        ("ADD(z,1,z);", &["", "", "R", ""], "z", &[1, 2, 3, 4]),
        // A rung that is TRUE in the scan after a restart is no edge.
        ("XIC(a)ONS(s)ADD(z,1,z);", &["", "a", "", "a"], "z", &[0, 1, 1, 2]),
        ("XIC(a)ONS(s)ADD(z,1,z);", &["", "a", "", "aR"], "z", &[0, 1, 1, 1]),
        ("XIC(a)OSR(s,p);", &["", "aR"], "p", &[0, 0]),
        ("XIC(a)OSF(s,p);", &["a", ""], "p", &[0, 1]),
        ("XIC(a)OSF(s,p);", &["a", "R"], "p", &[0, 0]),
        ("XIC(a)CTU(k,?,?);", &["", "a", "", "a"], "k.ACC", &[0, 1, 1, 2]),
        ("XIC(a)CTU(k,?,?);", &["", "a", "", "aR"], "k.ACC", &[0, 1, 1, 1]),
        // TON begins again, RTO keeps ACC and has no time of the restart.
        ("XIC(a)TON(t,?,?);", &["a", "a", "aR", "a", "a"], "t.ACC", &[0, 100, 0, 100, 200]),
        ("XIC(a)RTO(t,?,?);", &["a", "a", "aR", "a"], "t.ACC", &[0, 100, 100, 200]),
        ("XIC(a)TOF(t,?,?);XIC(t.DN)OTE(p);", &["a", "", "R", ""], "p", &[1, 1, 0, 0]),
        // The first scan is one, whatever the input of the restart is there.
        ("XIC(S:FS)ADD(z,1,z);", &["", "", "R", ""], "z", &[1, 1, 2, 2]),
        ("XIC(S:FS)ADD(z,1,z);", &["R", "", "R", "R"], "z", &[1, 1, 2, 3]),
    ];
    for (rung, cycles, leaf, expected) in cases {
        check_restarts(&export(rung, ""), cycles, leaf, expected);
    }
}

#[test]
fn structured_text_and_its_blocks_begin_again() {
    let text = |lines: &[&str]| {
        let tag = |name: &str, ty: &str| format!("<Tag Name=\"{name}\" TagType=\"Base\" DataType=\"{ty}\"/>");
        let tags = [tag("f", "FBD_TIMER"), tag("o", "FBD_ONESHOT"), tag("n", "FBD_COUNTER")].concat();
        export("JSR(Other,0);", &structured("Other", lines)).replace("<Tags>", &format!("<Tags>{tags}"))
    };
    check_restarts(&text(&["IF a THEN x [:=] 5; END_IF;"]), &["a", "", "R"], "x", &[5, 5, 0]);
    let timer = |call: &str| text(&["f.PRE := 200; f.TimerEnable := a;", call, "x := f.ACC;"]);
    check_restarts(&timer("TONR(f);"), &["a", "a", "aR", "a"], "x", &[0, 100, 0, 100]);
    check_restarts(&timer("RTOR(f);"), &["a", "a", "aR", "a"], "x", &[0, 100, 100, 200]);
    let shot = text(&["o.InputBit := a; OSRI(o); p := o.OutputBit;"]);
    check_restarts(&shot, &["", "a", "", "a"], "p", &[0, 1, 0, 1]);
    check_restarts(&shot, &["", "a", "", "aR"], "p", &[0, 1, 0, 0]);
    let counter = text(&["n.CUEnable := a; CTUD(n); x := n.ACC;"]);
    check_restarts(&counter, &["", "a", "", "a"], "x", &[0, 1, 1, 2]);
    check_restarts(&counter, &["", "a", "", "aR"], "x", &[0, 1, 1, 1]);
}

/// An array of blocks: each element begins again.
#[test]
fn elements_of_arrays_begin_again() {
    let shots = "<Tag Name=\"o\" TagType=\"Base\" DataType=\"FBD_ONESHOT\" Dimensions=\"2 3\"/>";
    let lines = ["o[1,2].InputBit := a; OSRI(o[1,2]); p := o[1,2].OutputBit;"];
    let text = export("JSR(Other,0);", &structured("Other", &lines)).replace("<Tags>", &format!("<Tags>{shots}"));
    check_restarts(&text, &["", "a", "", "a"], "p", &[0, 1, 0, 1]);
    check_restarts(&text, &["", "a", "", "aR"], "p", &[0, 1, 0, 0]);
}

/// Two programs of one controller.
fn two(tasks: &str) -> String {
    let program = |name: &str, rungs: &str| {
        let tags = number("n", 0);
        let main = routine("Main", rungs);
        format!("<Program Name=\"{name}\" MainRoutineName=\"Main\"><Tags>{tags}</Tags><Routines>{main}</Routines></Program>")
    };
    let programs = program("P", "XIC(S:FS)ADD(n,1,n);") + &program("Q", "XIC(S:FS)ADD(n,10,n);ADD(n,1,n);");
    format!(
        "<?xml version=\"1.0\"?>\n<RSLogix5000Content TargetType=\"Controller\"><Controller Use=\"Target\" Name=\"C\">\
         <Programs>{programs}</Programs><Tasks>{tasks}</Tasks></Controller></RSLogix5000Content>"
    )
}

#[test]
fn all_tasks_begin_again_in_the_cycle_of_the_restart() {
    let task = |name: &str, rate: u8, program: &str| {
        format!(
            "<Task Name=\"{name}\" Type=\"PERIODIC\" Rate=\"{rate}\" Priority=\"1\"><ScheduledPrograms>\
             <ScheduledProgram Name=\"{program}\"/></ScheduledPrograms></Task>"
        )
    };
    let one = restarting(&two(&(task("A", 10, "P") + &task("B", 10, "Q"))), None);
    check_leaf(&one, &["", "", "R", ""], "P.n", &[1, 1, 2, 2]);
    check_leaf(&one, &["", "", "R", ""], "Q.n", &[11, 12, 23, 24]);
    // The slow program runs in the cycles 1, 4 and 7; after a restart in cycle 3 in 3 and 6.
    let slow = restarting(&two(&(task("A", 10, "P") + &task("B", 30, "Q"))), None);
    let cycles = ["", "", "R", "", "", "", ""];
    check_leaf(&slow, &[""; 7], "Q.n", &[11, 11, 11, 12, 12, 12, 13]);
    check_leaf(&slow, &cycles, "Q.n", &[11, 11, 22, 22, 22, 23, 23]);
    check_leaf(&slow, &cycles, "P.n", &[1, 1, 2, 2, 2, 2, 2]);
    let ledger = format!("{:?}", slow.ledger);
    assert!(ledger.contains("restart of several programs") && ledger.contains("restart of several tasks"), "{ledger}");
    assert!(!format!("{:?}", one.ledger).contains("restart of several tasks"));
}

/// A tag may have the name of the input.
#[test]
fn the_input_has_a_name_of_its_own() {
    let text = export("ADD(Controller_Restarts,1,Controller_Restarts)OTE(p);", "");
    let text = text.replace("<Tags>", &format!("<Tags>{}", number("Controller_Restarts", 0)));
    let loaded = restarting(&text, None);
    let name = |loaded: &crate::Loaded| loaded.project.restart.map(|id| loaded.project.globals[id].name.clone());
    assert_eq!(name(&loaded).as_deref(), Some("Controller_Restarts_"));
    check_leaf(&loaded, &["", "R", "R"], "P.Controller_Restarts", &[1, 2, 3]);
    // Where no scan differs from others, a restart changes nothing.
    let same = restarting(&export("ADD(x,1,x);", ""), None);
    assert_eq!(name(&same).as_deref(), Some("Controller_Restarts"));
    check_leaf(&same, &["", "R", ""], "P.x", &[8, 9, 10]);
}

/// Routines without a call make no difference where their coils start as FALSE, but where tags are kept.
#[test]
fn routines_without_a_call_are_a_condition() {
    let is_told = |rest: &str| {
        let text = export("XIC(a)OTE(q);JSR(Called,0);", &[rest, &routine("Called", "XIC(b)OTE(Late);")].concat());
        let text = text.replace("Name=\"p\" TagType=\"Base\" DataType=\"BOOL\"><Data Format=\"Decorated\"><DataValue DataType=\"BOOL\" Radix=\"Decimal\" Value=\"1\"", "Name=\"p\" TagType=\"Base\" DataType=\"BOOL\"><Data Format=\"Decorated\"><DataValue DataType=\"BOOL\" Radix=\"Decimal\" Value=\"0\"");
        let before = project(&text);
        assert!(before.restart.is_none());
        format!("{:?}", restarting(&text, None).ledger).contains("restart: routines that the main routine does not reach")
    };
    assert!(is_told(&routine("Unused", "XIC(b)OTE(p);")));
    // Such a routine may be the only one with a prescan.
    let text = export("MOV(x,y);", &routine("Unused", "XIC(b)OTE(p);"));
    assert!(format!("{:?}", restarting(&text, None).ledger).contains("restart: routines that the main routine does not reach"));
    assert!(!is_told(""));
}

/// The prescan has older values of inputs than the scan behind it.
#[test]
fn inputs_that_choose_an_element_are_a_condition() {
    let is_told = |usage: &str| {
        let index = format!("<Tags><Tag Name=\"i\" TagType=\"Base\" DataType=\"DINT\"{usage}/>");
        let text = export("XIC(a)OTE(l[i].0);", "").replace("<Tags>", &index);
        format!("{:?}", restarting(&text, None).ledger).contains("restart: inputs that choose an element")
    };
    assert!(is_told(" Usage=\"Input\""));
    assert!(!is_told(""));
}
