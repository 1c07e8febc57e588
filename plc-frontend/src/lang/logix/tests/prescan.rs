//! Prescan and skipped calls of Add-On Instructions, with the parameters of each call.

use super::*;

/// An instruction whose REAL output goes to a DINT, in ladder and in Structured Text, and in the prescan.
#[test]
fn outputs_are_converted_to_the_types_of_their_tags() {
    let parameter = |name: &str, ty: &str, usage: &str, required: bool| {
        format!("<Parameter Name=\"{name}\" TagType=\"Base\" DataType=\"{ty}\" Usage=\"{usage}\" Required=\"{required}\"/>")
    };
    let parameters = [
        parameter("EnableIn", "BOOL", "Input", false),
        parameter("EnableOut", "BOOL", "Output", false),
        parameter("In", "REAL", "Input", true),
        parameter("Out", "REAL", "Output", true),
    ];
    let logic = routine("Logic", "MUL(In,2.5,Out);");
    let definition = format!(
        "<AddOnInstructionDefinitions><AddOnInstructionDefinition Name=\"Scale\"><Parameters>{}</Parameters>\
         <Routines>{logic}</Routines></AddOnInstructionDefinition></AddOnInstructionDefinitions><Programs>",
        parameters.concat()
    );
    let tag = "<Tags><Tag Name=\"block\" TagType=\"Base\" DataType=\"Scale\"/>";
    let with = |text: String| text.replace("<Programs>", &definition).replace("<Tags>", tag);
    // The tag x is a DINT of 7, w an INT. The prescan passes the output of 0.
    for target in ["x", "w"] {
        check_export(&with(export(&format!("Scale(block,y,{target});"), "")), &[""], target, &[8]);
        check_export(&with(export(&format!("XIC(a)Scale(block,y,{target});"), "")), &["", "a"], target, &[0, 8]);
        let lines = structured("Other", &[&format!("IF a THEN Scale(block, y, {target}); END_IF;")]);
        check_export(&with(export("JSR(Other,0);", &lines)), &["", "a"], target, &[0, 8]);
    }
}

/// Returns an export with the Add-On Instruction `Unit`, its tag `unit`, and these rungs.
fn with_unit(rung: &str, logic: &str, rest: &str, on: &str) -> String {
    let parameter = |name: &str, ty: &str, usage: &str| {
        let data = format!("<DefaultData Format=\"Decorated\"><DataValue DataType=\"{ty}\" Value=\"0\"/></DefaultData>");
        let data = if usage == "InOut" { "" } else { data.as_str() };
        format!(
            "<Parameter Name=\"{name}\" TagType=\"Base\" DataType=\"{ty}\" Usage=\"{usage}\" Required=\"true\">{data}</Parameter>"
        )
    };
    let parameters = [
        parameter("In", "DINT", "Input"),
        parameter("Out", "DINT", "Output"),
        parameter("Bit", "BOOL", "InOut"),
        "<Parameter Name=\"EnableOut\" TagType=\"Base\" DataType=\"BOOL\" Usage=\"Output\" Required=\"false\"/>".to_owned(),
    ];
    let definition = format!(
        "<AddOnInstructionDefinitions><AddOnInstructionDefinition Name=\"Unit\"{on}><Parameters>{}</Parameters>\
         <Routines>{logic}{rest}</Routines></AddOnInstructionDefinition></AddOnInstructionDefinitions><Programs>",
        parameters.concat()
    );
    let text = export(rung, "").replace("<Programs>", &definition);
    text.replace("<Tags>", "<Tags><Tag Name=\"unit\" TagType=\"Base\" DataType=\"Unit\"/>")
}

/// The storage bit `s` has the value that the last one-shot of the prescan gives it.
#[test]
fn the_prescan_of_a_routine_stands_where_it_is_called() {
    let rises = routine("Rises", "XIC(b)ONS(s)OTE(p);");
    let falls = routine("Falls", "XIC(b)OSF(s,q);");
    let check = |main: &str, first: i128| {
        let text = export(main, &[rises.as_str(), falls.as_str()].concat());
        check_export(&text, &["ab"], "p", &[first]);
    };
    // Behind ONS the bit is TRUE, and nothing rises in the first scan. Behind OSF it is FALSE.
    check("XIC(a)JSR(Rises,0);XIC(c)OSF(s,q);", 1);
    check("XIC(c)JSR(Falls,0);XIC(a)JSR(Rises,0);", 0);
    check("XIC(a)JSR(Rises,0);XIC(c)JSR(Falls,0);", 1);
    check("XIC(c)FOR(Falls,z,1,2,1);XIC(a)JSR(Rises,0);", 0);
    // A routine that is called twice has its prescan twice.
    check("XIC(c)JSR(Rises,0);XIC(c)JSR(Falls,0);XIC(a)JSR(Rises,0);", 0);
}

#[test]
fn the_prescan_has_the_parameters_of_the_call() {
    // `p` starts as TRUE. The prescan of the coil clears it through the InOut parameter, whatever the rung.
    let coil = with_unit("XIC(a)Unit(unit,y,z,p);", &routine("Logic", "XIC(Bit)OTE(Bit);"), "", "");
    check_export(&coil, &["", ""], "p", &[0, 0]);
    // The routine sees the input, and its output is passed: before the first scan z is 3 + 40.
    let own = structured("Prescan", &["Out := In + 40;"]);
    let text = with_unit("XIC(a)Unit(unit,y,z,p);", &structured("Logic", &["Out := In;"]), &own, " ExecutePrescan=\"true\"");
    check_export(&text, &["", "a", ""], "z", &[43, 3, 3]);
    check_export(&text, &["", "a"], "p", &[1, 1]);
    // Without one, outputs are passed all the same: z was 9.
    let plain = with_unit("XIC(a)Unit(unit,y,z,p);", &structured("Logic", &["Out := In;"]), "", "");
    let plain = plain.replace(
        "Name=\"z\" TagType=\"Base\" DataType=\"DINT\"><Data Format=\"Decorated\"><DataValue DataType=\"DINT\" \
         Radix=\"Decimal\" Value=\"0\"",
        "Name=\"z\" TagType=\"Base\" DataType=\"DINT\"><Data Format=\"Decorated\"><DataValue \
         DataType=\"DINT\" Radix=\"Decimal\" Value=\"9\"",
    );
    assert!(plain.contains("Value=\"9\""));
    check_export(&plain, &["", "a", ""], "z", &[0, 3, 3]);
}

/// A restart comes with the prescan of each call. An instruction alone has no call.
#[test]
fn a_restart_has_the_prescan_of_instructions() {
    let own = structured("Prescan", &["Out := In + 40;"]);
    let logic = structured("Logic", &["Out := In;"]);
    let text = with_unit("XIC(a)Unit(unit,y,z,p);", &logic, &own, " ExecutePrescan=\"true\"");
    restarts::check_restarts(&text, &["a", "", "", "R", ""], "z", &[3, 3, 3, 43, 43]);
    let text = text.replace("Out := In;", "Out := Out + In;");
    let loaded = restarts::restarting(&text, Some("Unit"));
    let restart = loaded.project.restart.map(|id| loaded.project.globals[id].name.clone()).unwrap();
    let mut machine = Machine::new(&loaded.project, Limits::default());
    let found = [false, false, true, false].map(|restarts| {
        let inputs = BTreeMap::from([("Unit.In".to_owned(), Value::Int(1)), (restart.clone(), Value::Bool(restarts))]);
        machine.begin(&inputs, 100_000_000).unwrap();
        machine.run(&mut Silent).unwrap();
        machine.leaf("Unit.Out")
    });
    assert_eq!(found, [42, 43, 42, 43].map(|n| Some(Value::Int(n))));
}

#[test]
fn calls_in_structured_text_have_a_prescan() {
    let own = structured("Prescan", &["Out := In + 40;"]);
    let text = with_unit("JSR(Other,0);", &structured("Logic", &["Out := In;"]), &own, " ExecutePrescan=\"true\"");
    let other = structured("Other", &["IF a THEN Unit(unit,y,z,p); END_IF;"]);
    let text = text.replace("</Routines></Program>", &format!("{other}</Routines></Program>"));
    check_export(&text, &["", "a", ""], "z", &[43, 3, 3]);
}

#[test]
fn a_skipped_call_passes_its_inputs_and_no_outputs() {
    let text = with_unit("XIC(b)ADD(y,1,y);XIC(a)Unit(unit,y,z,p);", &structured("Logic", &["Out := In;"]), "", "");
    check_export(&text, &["", "a", "b", ""], "z", &[0, 3, 3, 3]);
    check_export(&text, &["", "a", "b", ""], "unit.In", &[3, 3, 4, 4]);
    check_export(&text, &["", "a", "b", ""], "unit.EnableOut", &[0, 1, 0, 0]);
}

#[test]
fn an_index_outside_of_its_array_is_no_fault_in_the_prescan() {
    // The tag x is 7 in the prescan, and l has four elements.
    check("MOV(2,x)OTE(l[x].0);", &["", ""], "l[2]", &[21, 21]);
}

/// Without a routine EnableInFalse the bit follows the rung, too.
#[test]
fn enable_in_follows_the_condition_of_each_call() {
    let enable = "<Parameter Name=\"EnableIn\" TagType=\"Base\" DataType=\"BOOL\" Usage=\"Input\" Required=\"false\"/><Parameter Name=\"EnableOut\"";
    let with = |rung: &str, rest: &str, on: &str| {
        let logic = structured("Logic", &["Out := In;"]);
        with_unit(rung, &logic, rest, on).replacen("<Parameter Name=\"EnableOut\"", enable, 1)
    };
    let rung = "XIC(b)Unit(unit,y,z,p);";
    // A rung before the first call sees the FALSE rung of the prescan.
    for rung in [rung, "XIC(unit.EnableIn)OTE(q);XIC(b)Unit(unit,y,z,p);"] {
        check_export(&with(rung, "", ""), &["", "b", "b", "", "b"], "unit.EnableIn", &[0, 1, 1, 0, 1]);
    }
    check_export(&with("XIC(unit.EnableIn)OTE(q);XIC(b)Unit(unit,y,z,p);", "", ""), &["b", "", "", "b"], "q", &[0, 1, 0, 0]);
    // A second call behind no condition, and one in Structured Text, make it TRUE again.
    check_export(&with(&format!("{rung}Unit(unit,y,z,p);"), "", ""), &["", "b"], "unit.EnableIn", &[1, 1]);
    let other = structured("Other", &["Unit(unit,y,z,p);"]);
    let text = with(&format!("{rung}XIC(a)JSR(Other,0);"), "", "");
    let text = text.replace("</Routines></Program>", &format!("{other}</Routines></Program>"));
    check_export(&text, &["", "a", "", "b"], "unit.EnableIn", &[0, 1, 0, 1]);
    // Its logic and its routine Prescan see the bit.
    let own = structured("Prescan", &["IF EnableIn THEN Out := 50; ELSE Out := 40; END_IF;"]);
    let text = with(rung, &own, " ExecutePrescan=\"true\"");
    check_export(&text, &["", "b", ""], "z", &[40, 3, 3]);
    check_export(&text, &["", "b", ""], "unit.EnableIn", &[0, 1, 0]);
    check_export(&text, &["", "b", ""], "unit.EnableOut", &[0, 1, 0]);
}

fn ledger(text: &str) -> String {
    let mut sources = SourceSet::default();
    sources.add("test.L5X", text);
    format!("{:?}", load(&sources, &LoadOptions::default()).value.ledger)
}

/// Sources disagree whether a routine that is called twice has its prescan twice.
#[test]
fn several_prescans_of_a_routine_are_named_where_they_differ() {
    let several = "prescan of a routine that is called several times";
    let check = |main: &str, rest: &str, is_named: bool| {
        let text = export(main, rest);
        assert_eq!(ledger(&text).contains(several), is_named, "{main}: {}", ledger(&text));
    };
    let (rises, falls) = (routine("Rises", "XIC(b)ONS(s)OTE(p);"), routine("Falls", "XIC(b)OSF(s,q);"));
    let both = [rises.as_str(), falls.as_str()].concat();
    check("JSR(Rises,0);XIC(a)JSR(Rises,0);", &rises, false);
    check("JSR(Rises,0);JSR(Falls,0);", &both, false);
    check("JSR(Rises,0);JSR(Falls,0);JSR(Rises,0);", &both, true);
    check("JSR(Rises,0);XIC(c)OSF(s,q);JSR(Rises,0);", &rises, true);
    check("JSR(Rises,0);XIC(c)TON(t,?,?)CTU(k,?,?);JSR(Rises,0);", &rises, false);
    check("FOR(Rises,z,0,3,1);", &rises, false);
    // The bits of one number are not the number.
    check("JSR(Bits,0);OTE(x.1);JSR(Bits,0);", &routine("Bits", "XIC(a)OTE(x.0);"), false);
    check("JSR(Bits,0);ONS(x.0);JSR(Bits,0);", &routine("Bits", "XIC(a)OTE(x.0);"), true);
    // A timer whose preset is copied, and a place that is not known.
    check("JSR(Time,0);JSR(Time,0);", &routine("Time", "XIC(a)TOF(t,?,?);"), false);
    check("JSR(Place,0);JSR(Place,0);", &routine("Place", "XIC(a)OTE(l[x].0);"), true);
    // The prescan of an instruction counts.
    let counts = |main: &str| {
        let own = structured("Prescan", &["Out := Out + 1;"]);
        let text = with_unit(main, &structured("Logic", &["Out := In;"]), &own, " ExecutePrescan=\"true\"");
        let call = routine("Calls", "XIC(b)Unit(unit,y,z,p);");
        ledger(&text.replace("</Routines></Program>", &format!("{call}</Routines></Program>"))).contains(several)
    };
    assert!(!counts("JSR(Calls,0);") && counts("JSR(Calls,0);JSR(Calls,0);") && counts("FOR(Calls,x,0,1,1);"));
}

/// The help scans "all routines": one that nothing calls is named where its prescan would change something.
#[test]
fn the_prescan_of_routines_that_nothing_calls_is_named() {
    let is_named = |main: &str, rung: &str| {
        let text = export(main, &routine("Other", rung)).replacen("Name=\"q\" TagType=\"Base\" DataType=\"BOOL\"><Data Format=\"Decorated\"><DataValue DataType=\"BOOL\" Radix=\"Decimal\" Value=\"1\"", "Name=\"q\" TagType=\"Base\" DataType=\"BOOL\"><Data Format=\"Decorated\"><DataValue DataType=\"BOOL\" Radix=\"Decimal\" Value=\"0\"", 1);
        ledger(&text).contains("prescan of routines that the main routine does not reach")
    };
    // The tag p starts as TRUE, q as FALSE.
    assert!(is_named("NOP();", "XIC(a)OTE(p);"));
    assert!(!is_named("NOP();", "XIC(a)OTE(q);"));
    assert!(!is_named("NOP();", "XIC(a)OTL(p)MOV(3,x);"));
    assert!(is_named("ONS(q)OTE(s);", "XIC(a)OTE(q);"));
    assert!(!is_named("JSR(Other,0);", "XIC(a)OTE(p);"));
}
