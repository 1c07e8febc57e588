//! Aliases, consumed tags and tags of modules.

use super::*;
use crate::hir::Role;

const MODULES: &str = "<Modules><Module Name=\"Card\" ParentModule=\"Local\"><Ports><Port Id=\"1\" Address=\"1\" Upstream=\"true\"/></Ports>\
    <Communications><Connections><Connection><InputTag><Data Format=\"Decorated\"><Structure DataType=\"AB:1756_DI:I:0\">\
    <DataValueMember Name=\"Fault\" DataType=\"DINT\"/><DataValueMember Name=\"Data\" DataType=\"DINT\"/>\
    <ArrayMember Name=\"Ch\" DataType=\"REAL\" Dimensions=\"2\"/></Structure></Data></InputTag></Connection></Connections>\
    </Communications></Module></Modules>";

fn alias(name: &str, target: &str) -> String {
    format!("<Tag Name=\"{name}\" TagType=\"Alias\" AliasFor=\"{target}\"/>")
}

/// Returns an export with tags of the controller and further tags of the program.
fn with_tags(main: &str, controller: &str, program: &str) -> String {
    let text = export(main, "").replace("<Tags>", &format!("<Tags>{program}"));
    text.replace("<Programs>", &format!("{MODULES}<Tags>{controller}</Tags><Programs>"))
}

#[test]
fn aliases_are_their_targets() {
    let tags = [alias("low", "x.0"), alias("first", "l[0]"), alias("again", "first")].concat();
    let text = with_tags("XIC(a)OTE(low);MOV(5,again);XIC(low)ADD(first,1,l[1]);", "", &tags);
    check_export(&text, &["", "a"], "x", &[6, 7]);
    check_export(&text, &["", "a"], "l[0]", &[5, 5]);
    check_export(&text, &["", "a"], "l[1]", &[10, 6]);
    // Requirements name the alias.
    check_export(&text, &["", "a"], "low", &[0, 1]);
    check_export(&text, &["", "a"], "again", &[5, 5]);
    let lines = structured("Other", &["low := a; again := again + first;"]);
    let text = with_tags("JSR(Other,0);", "", &tags).replace("</Routines></Program>", &format!("{lines}</Routines></Program>"));
    check_export(&text, &["", "a"], "x", &[6, 7]);
    check_export(&text.replace("Index=\"[0]\" Value=\"0\"", "Index=\"[0]\" Value=\"3\""), &["", "a"], "l[0]", &[6, 12]);
}

#[test]
fn the_timer_of_an_alias_is_its_target() {
    let mut sources = SourceSet::default();
    let tags = alias("other", "t");
    sources.add("test.L5X", with_tags("XIC(a)TON(t,?,?);XIC(b)TOF(other,?,?);", "", &tags).as_str());
    let ledger = format!("{:?}", load(&sources, &LoadOptions::default()).value.ledger);
    assert!(ledger.contains("several kinds"), "{ledger}");
    check_export(&with_tags("XIC(a)TON(other,?,?);", "", &tags), &["a", "a"], "t.ACC", &[0, 100]);
}

#[test]
fn the_environment_writes_module_inputs_and_consumed_tags() {
    let consumed = "<Tag Name=\"Far\" TagType=\"Consumed\" DataType=\"DINT\"/>";
    let tags = [alias("Start", "Local:1:I.Data.3"), consumed.to_owned()].concat();
    let project = project(&with_tags(
        "XIC(Start)OTE(p);MOV(Far,x);MOV(Local:1:I.Ch[1],y);XIC(Q:O.Data.4)XIC(Drive:I.Ready)OTE(Q:O.Data.5);",
        &tags,
        "",
    ));
    let leaves = project.leaves();
    let role = |name: &str| {
        let leaf = leaves.iter().find(|leaf| leaf.name.eq_ignore_ascii_case(name));
        leaf.unwrap_or_else(|| panic!("{name}: {:#?}", leaves.iter().map(|leaf| &leaf.name).collect::<Vec<_>>())).role
    };
    for name in ["Local_1_I.Data", "Local_1_I.Ch[1]", "Far", "Drive_I.Ready"] {
        assert_eq!(role(name), Role::Input, "{name}");
    }
    assert_eq!(role("Q_O.Data"), Role::Output);
    let mut machine = Machine::new(&project, Limits::default());
    machine.begin(&BTreeMap::from([("Local_1_I.Data".to_owned(), Value::Int(8))]), 0).unwrap();
    machine.run(&mut Silent).unwrap();
    assert_eq!(machine.leaf("P.p"), Some(Value::Bool(true)));
    assert_eq!(machine.leaf("Start"), Some(Value::Bool(true)));
}

#[test]
fn uses_of_aliases_tell_the_types_of_module_data() {
    let tags = [alias("Guard", "Rack:2:I.Pt01.Data"), alias("Card", "Rack:3:I"), alias("Unused", "Rack:4:I.Pt07.Data")].concat();
    let text = with_tags("XIC(Guard)XIC(Card.Pt02.Data)XIO(Card.Word.5)OTE(p);", &tags, "");
    let project = project(&text);
    let names: Vec<String> =
        project.leaves().into_iter().map(|leaf| leaf.name).filter(|name| name.starts_with("Rack_")).collect();
    assert_eq!(names, ["Rack_2_I.Pt01.Data", "Rack_3_I.Pt02.Data", "Rack_3_I.Word", "Rack_4_I"]);
}

/// Few tags have the usage Output, so any BOOL tag may have coils that matter; names of the import do not.
#[test]
fn tags_with_coils_are_outputs_of_the_check_for_double_writes() {
    let project = project(&export("XIC(a)OTE(p);XIC(b)OTE(p);", ""));
    let outputs: Vec<String> =
        project.leaves().into_iter().filter(|leaf| project.is_coil_output(leaf)).map(|leaf| leaf.name).collect();
    assert!(outputs.contains(&"P.p".to_owned()) && outputs.iter().all(|name| !name.contains("__")), "{outputs:?}");
}

#[test]
fn circles_of_aliases_are_errors() {
    let cases = [
        vec![alias("own", "own.1")],
        vec![alias("own", "own")],
        vec![alias("own", "own[0].1")],
        vec![alias("one", "two.Sub"), alias("two", "three[1]"), alias("three", "one.2")],
        (0..40).map(|at| alias(&format!("n{at}"), &format!("n{}[1]", (at + 1) % 40))).collect(),
    ];
    for tags in cases {
        let text = with_tags("XIC(a)OTE(p);", "", &tags.concat());
        let mut sources = SourceSet::default();
        let file = sources.add("test.L5X", text.as_str());
        let loaded = load(&sources, &LoadOptions::default());
        let errors: Vec<_> = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
        assert!(errors.iter().any(|d| d.message.contains("alias") && d.span().file == file), "{tags:?}: {errors:?}");
        assert!(errors.iter().any(|d| text.get(d.span().start as usize..).is_some_and(|rest| !rest.starts_with("<?xml"))));
    }
    // A long chain has an end.
    let tags: String = (0..40).map(|at| alias(&format!("n{at}"), &format!("n{}", at + 1))).chain([alias("n40", "x")]).collect();
    check_export(&with_tags("XIC(a)MOV(5,n0);", "", &tags), &["", "a"], "x", &[7, 5]);
}

/// A tag of the controller has the name of a program, and a part with the name of a tag of the program.
#[test]
fn a_program_gives_way_to_a_tag_of_its_name() {
    let types = "<DataTypes><DataType Name=\"Drive\"><Members><Member Name=\"p\" DataType=\"BOOL\" Dimension=\"0\"/></Members></DataType>\
                 </DataTypes><Programs>";
    let text = export("XIC(a)OTE(p);", "");
    let names = |text: &str| project(text).pous.iter().map(|pou| pou.name.clone()).collect::<Vec<_>>();
    let runs = project(&text).task.runs.clone();
    let program = project(&text).pous[project(&text).instances[runs[0]].pou].name.clone();
    let tag = format!("<Tags><Tag Name=\"{program}\" TagType=\"Base\" DataType=\"Drive\"/></Tags><Programs>");
    let text = text.replace("<Programs>", types).replacen("<Programs>", &tag, 1);
    let found = names(&text);
    assert!(found.contains(&format!("{program}_Program")) && !found.contains(&program), "{found:?}");
}

/// An alias is the same tag: a condition reads the tag before the program copies it, also where inputs change within a scan.
#[test]
fn conditions_read_the_targets_of_aliases() {
    let own = [alias("Own", "x.0"), alias("Other", "Start"), alias("First", "l[1]")].concat();
    let text = with_tags("XIC(Start)OTE(p);", &alias("Start", "Local:1:I.Data.3"), &own);
    for is_asynchronous in [false, true] {
        let mut sources = SourceSet::default();
        sources.add("test.L5X", text.as_str());
        let mut loaded = load(&sources, &LoadOptions::default()).value;
        if is_asynchronous {
            loaded.make_asynchronous(&std::collections::BTreeSet::new());
        }
        let bit = "Start AND Other AND P.Other AND Local:1:I.Data.3";
        for words in [bit, "Own AND P.Own", "First = 10 AND P.First + 1 > 10"] {
            let condition = crate::condition(&mut loaded, "test", words).value.unwrap();
            let mut machine = Machine::new(&loaded.project, Limits::default());
            machine.begin(&BTreeMap::from([("Local_1_I.Data".to_owned(), Value::Int(8))]), 0).unwrap();
            assert_eq!(machine.eval(&condition), Ok(Value::Bool(true)), "{words}, asynchronous: {is_asynchronous}");
            machine.run(&mut Silent).unwrap();
            // The copy has the value of the tag, not one of a read of its own.
            assert_eq!(machine.leaf("P.Other"), Some(Value::Bool(true)));
        }
    }
}

/// An alias of a whole timer or array has no value, but its members and elements have those of the tag.
#[test]
fn conditions_read_the_members_of_aliases_of_whole_tags() {
    let own = [alias("Wait", "t"), alias("List", "l"), alias("Again", "Wait")].concat();
    let text = with_tags("XIC(a)OTE(p);", &[alias("Card", "Local:1:I"), alias("Second", "Card")].concat(), &own);
    let mut sources = SourceSet::default();
    sources.add("test.L5X", text.as_str());
    let mut loaded = load(&sources, &LoadOptions::default()).value;
    for words in ["Wait.PRE = 200 AND NOT Wait.DN", "P.Again.PRE = 200", "List[2] = 20", "Card.Data = 8", "Second.Data.3"] {
        let read = crate::condition(&mut loaded, "test", words);
        let condition = read.value.unwrap_or_else(|| panic!("{words}: {:?}", read.diagnostics));
        let mut machine = Machine::new(&loaded.project, Limits::default());
        machine.begin(&BTreeMap::from([("Local_1_I.Data".to_owned(), Value::Int(8))]), 0).unwrap();
        assert_eq!(machine.eval(&condition), Ok(Value::Bool(true)), "{words}");
    }
}
