//! Names that several things of a controller may have: programs, data types, instructions, tags, routines.

use super::*;
use crate::Loaded;

fn loaded(text: &str) -> Loaded {
    let mut sources = SourceSet::default();
    sources.add("test.L5X", text);
    let parsed = load(&sources, &LoadOptions::default());
    assert!(!parsed.has_errors(), "{text}\n{:#?}", parsed.diagnostics);
    parsed.value
}

/// Checks a condition in the initial state.
fn holds_at_start(loaded: &mut Loaded, condition: &str) {
    let read = crate::condition(loaded, "test", condition);
    let condition = read.value.unwrap_or_else(|| panic!("{condition}: {:#?}", read.diagnostics));
    let mut machine = Machine::new(&loaded.project, Limits::default());
    assert_eq!(machine.eval(&condition), Ok(Value::Bool(true)));
}

/// Gives the program another name.
fn renamed(text: &str) -> String {
    text.replace("Name=\"P\" Main", "Name=\"Valve\" Main")
}

fn with_types(text: &str, types: &str) -> String {
    text.replace("<Programs>", &format!("<DataTypes>{types}</DataTypes><Programs>"))
}

const SWITCH: &str = "<DataType Name=\"Valve\"><Members><Member Name=\"On\" DataType=\"BOOL\" Dimension=\"0\" Hidden=\"false\"/></Members>\
    </DataType>";

#[test]
fn a_program_may_have_the_name_of_a_data_type() {
    let tag = "<Tags><Tag Name=\"sw\" TagType=\"Base\" DataType=\"Valve\"/>";
    let text = renamed(&with_types(&export("XIC(a)OTE(sw.On);", ""), SWITCH).replace("<Tags>", tag));
    let mut loaded = loaded(&text);
    assert_eq!(loaded.project.instances.iter().map(|i| i.name.as_str()).collect::<Vec<_>>(), ["Valve_Program"]);
    for condition in ["Valve.x = 7 AND NOT Valve.sw.On", "Valve_Program.x = 7", "x = 7", r"\Valve.x = 7"] {
        holds_at_start(&mut loaded, condition);
    }
}

#[test]
fn a_program_may_have_the_name_of_an_instruction() {
    let definition = format!(
        "<AddOnInstructionDefinitions><AddOnInstructionDefinition Name=\"Valve\"><Parameters>\
         <Parameter Name=\"EnableIn\" TagType=\"Base\" DataType=\"BOOL\" Usage=\"Input\" Required=\"false\"/>\
         <Parameter Name=\"EnableOut\" TagType=\"Base\" DataType=\"BOOL\" Usage=\"Output\" Required=\"false\"/>\
         <Parameter Name=\"In\" TagType=\"Base\" DataType=\"BOOL\" Usage=\"Input\" Required=\"true\"/>\
         <Parameter Name=\"Out\" TagType=\"Base\" DataType=\"BOOL\" Usage=\"Output\" Required=\"true\"/></Parameters>\
         <Routines>{}</Routines></AddOnInstructionDefinition></AddOnInstructionDefinitions><Programs>",
        routine("Logic", "XIC(In)OTE(Out);")
    );
    let tag = "<Tags><Tag Name=\"own\" TagType=\"Base\" DataType=\"Valve\"/>";
    let text = export("Valve(own,a,p);", "").replace("<Programs>", &definition).replace("<Tags>", tag);
    let task = "<Tasks><Task Name=\"T\" Type=\"CONTINUOUS\" Priority=\"10\"><ScheduledPrograms><ScheduledProgram Name=\"Valve\"/>\
        </ScheduledPrograms></Task></Tasks></Controller>";
    let mut loaded = loaded(&renamed(&text).replace("</Controller>", task));
    holds_at_start(&mut loaded, "Valve.x = 7 AND NOT Valve.own.Out");
}

#[test]
fn a_tag_may_have_the_name_of_a_routine_here() {
    let tag = "<Tags><Tag Name=\"Main_Routine\" TagType=\"Base\" DataType=\"BOOL\"/>";
    let text = export("XIC(a)OTE(Main_Routine);XIC(Main_Routine)JSR(Other,0);", &routine("Other", "XIC(b)OTE(p);"));
    check_export(&text.replace("<Tags>", tag), &["", "ab", "b"], "p", &[0, 1, 1]);
}

#[test]
fn a_data_type_may_have_the_name_of_a_type_of_the_standard() {
    let types = |name: &str| SWITCH.replace("\"Valve\"", &format!("\"{name}\""));
    let tags =
        "<Tags><Tag Name=\"sw\" TagType=\"Base\" DataType=\"TIME\"/><Tag Name=\"day\" TagType=\"Base\" DataType=\"Date\"/>";
    let text =
        with_types(&export("XIC(a)OTE(sw.On);XIC(sw.On)OTE(day.On);XIC(day.On)OTE(p);", ""), &(types("TIME") + &types("DATE")));
    check_export(&text.replace("<Tags>", tags), &["", "a"], "p", &[0, 1]);
    // Words of literals here keep their type.
    let tag = "<Tags><Tag Name=\"sw\" TagType=\"Base\" DataType=\"DWORD\"/>";
    let text = with_types(&export("XIC(a)OTE(sw.On);XIC(sw.On)MVM(x,12,y)OTE(p);", ""), &types("DWORD"));
    check_export(&text.replace("<Tags>", tag), &["", "a"], "p", &[0, 1]);
    check_export(&text.replace("<Tags>", tag), &["", "a"], "y", &[3, 7]);
}

#[test]
fn tags_of_the_controller_and_of_a_program_have_names_of_their_own() {
    let tags = format!("<Tags>{}{}</Tags><Programs>", number("x", 70), number("only", 9));
    let text = export("NOP();", "").replace("<Programs>", &tags);
    let mut loaded = loaded(&text);
    for condition in
        [r"\x = 70 AND P.x = 7", r"\X = 70 AND \P.x = 7", r"\only = 9 AND only = 9", r"(\x)=70", r"\x.1 AND NOT \x.0"]
    {
        holds_at_start(&mut loaded, condition);
    }
    let read = crate::condition(&mut loaded, "test", "x = 7");
    let found = format!("{:?}", read.diagnostics);
    assert!(read.value.is_none() && found.contains("`P.x` is that of the program; `\\\\x` that of the controller"), "{found}");
}

#[test]
fn regions_of_structured_text_are_folds_of_the_editor() {
    let lines = ["#region Alpha (* beta", "x := 1;", "  #EndRegion Alpha", "#region", "(* x := 2;", "#endregion *)", "y := x;"];
    check_export(&export("JSR(Other,0);", &structured("Other", &lines)), &[""], "y", &[1]);
}

/// Tools that write XML anew may put all lines of a routine on one line of the file.
#[test]
fn a_comment_ends_with_its_line() {
    let lines = ["x := 1; // first", "// x := 2;", "y := x; // second", "x := 3;"];
    for between in ["\n", "", "\r", "  "] {
        let other = structured("Other", &lines).replace("</Line>\n", &format!("</Line>{between}"));
        let text = export("JSR(Other,0);", &other);
        check_export(&text, &[""], "x", &[3]);
        check_export(&text, &[""], "y", &[1]);
    }
}

#[test]
fn a_program_without_a_main_routine_runs_nothing() {
    let idle = |ty: &str| {
        let program =
            format!("<Program Name=\"Idle\"{ty}><Tags/><Routines>{}</Routines></Program></Programs>", routine("R", "OTL(q);"));
        let task = "<Tasks><Task Name=\"T\" Type=\"CONTINUOUS\" Priority=\"10\"><ScheduledPrograms><ScheduledProgram Name=\"Idle\"/>\
            <ScheduledProgram Name=\"P\"/></ScheduledPrograms></Task></Tasks></Controller>";
        export("XIC(a)OTE(p);", "").replace("</Programs>", &program).replace("</Controller>", task)
    };
    check_export(&idle(""), &["", "a"], "p", &[0, 1]);
    let found = format!("{:?}", loaded(&idle("")).ledger);
    assert!(!found.contains("program without a main routine"), "{found}");
    let phase = format!("{:?}", loaded(&idle(" Type=\"EquipmentPhase\"")).ledger);
    assert!(phase.contains("program without a main routine"), "{phase}");
}

/// A tag whose name is that of a module's tag with `_` for its colons could be taken for it.
#[test]
fn a_tag_with_the_name_of_a_module_is_a_gap() {
    let tag = "<Tag Name=\"Local_1_I\" TagType=\"Base\" DataType=\"DINT\"/>";
    let text = export("XIC(Local:1:I.0)OTE(p);MOV(Local_1_I,x);", "");
    let of_program = text.replace("<Tags>", &format!("<Tags>{tag}"));
    let of_controller = text.replace("<Programs>", &format!("<Tags>{tag}</Tags><Programs>"));
    for text in [of_program, of_controller] {
        let ledger = format!("{:?}", loaded(&text).ledger);
        assert!(ledger.contains("tag with the name of a module's tag"), "{ledger}");
    }
    assert!(!format!("{:?}", loaded(&text).ledger).contains("tag with the name of a module's tag"));
}
