//! Tables: rows of a requirement file and the kinds of variables that follow.

use plc_frontend::hir::{Role, Start};
use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, Loaded, load};

use super::*;

const PLANT: &str = "TYPE HMI : STRUCT Open, Busy : BOOL; Limit : INT := 7; END_STRUCT END_TYPE\n\
    VAR_GLOBAL DB_Hmi : HMI; Speed : INT := 100; RETAIN_Total : INT; END_VAR\n\
    VAR_GLOBAL RETAIN Total : INT; END_VAR\n\
    VAR_GLOBAL CONSTANT Top : INT := 9; END_VAR\n\
    PROGRAM Main VAR_INPUT Go : BOOL; END_VAR VAR Steps : ARRAY [1..3] OF INT; w AT %MW0 : WORD; b AT %MB0 : BYTE; END_VAR VAR_OUTPUT n : INT; END_VAR\n\
    IF DB_Hmi.Open AND Go THEN Total := Total + Speed; END_IF; DB_Hmi.Busy := Go; Steps[1] := Steps[2]; n := DB_Hmi.Limit + Top; w := 1;\nEND_PROGRAM";

fn plant() -> Loaded {
    let mut sources = SourceSet::default();
    sources.add("p.st", PLANT);
    let parsed = load(&sources, &LoadOptions::default());
    assert!(!parsed.has_errors(), "{:?}", parsed.diagnostics);
    parsed.value
}

/// Returns the leaves of each kind after the rows, as `input: …; parameter: …; any: …`.
fn kinds(yaml: &str) -> Result<String, Vec<SpecProblem>> {
    let mut loaded = plant();
    let (_, problems) = apply(&Specification::from_yaml(yaml).unwrap(), &mut loaded);
    if !problems.is_empty() {
        return Err(problems);
    }
    let leaves = loaded.project.leaves();
    let names = |keep: &dyn Fn(&Leaf) -> bool| {
        let kept = leaves.iter().filter(|leaf| !leaf.constant && keep(leaf));
        kept.map(|leaf| leaf.name.as_str()).collect::<Vec<_>>().join(" ")
    };
    let (inputs, parameters) = (names(&|leaf| leaf.role == Role::Input), names(&|leaf| leaf.role == Role::Parameter));
    let any = names(&|leaf| leaf.start == Start::Any && leaf.role != Role::Parameter);
    Ok(format!("{inputs}; {parameters}; {any}"))
}

#[test]
fn paths_name_variables_parts_and_patterns() {
    let check = |yaml: &str, expected: &str| assert_eq!(kinds(yaml).as_deref(), Ok(expected), "{yaml}");
    check("", "DB_Hmi.Open Main.Go; ; ");
    check("inputs: [Speed]", "DB_Hmi.Open Speed Main.Go; ; ");
    check("inputs: [DB_Hmi]", "DB_Hmi.Open DB_Hmi.Busy DB_Hmi.Limit Main.Go; ; ");
    check("inputs: ['\"DB_Hmi\".Limit']", "DB_Hmi.Open DB_Hmi.Limit Main.Go; ; ");
    check("inputs: [db_hmi.*]", "DB_Hmi.Open DB_Hmi.Busy DB_Hmi.Limit Main.Go; ; ");
    check("inputs: ['*.Limit']", "DB_Hmi.Open DB_Hmi.Limit Main.Go; ; ");
    check("inputs: [Steps]", "DB_Hmi.Open Main.Go Main.Steps[1] Main.Steps[2] Main.Steps[3]; ; ");
    check(
        "inputs: ['*.Ste*s', 'DB*']",
        "DB_Hmi.Open DB_Hmi.Busy DB_Hmi.Limit Main.Go Main.Steps[1] Main.Steps[2] Main.Steps[3]; ; ",
    );
    check("inputs: ['instance.Steps[2]', 'main.Steps[3]']", "DB_Hmi.Open Main.Go Main.Steps[2] Main.Steps[3]; ; ");
    check("parameters: [Speed: 50..150, 'Steps[2]']", "DB_Hmi.Open Main.Go; Speed Main.Steps[2]; ");
    check("frozen: [DB_Hmi.Open, Go]", "; ; ");
    check("memory: [Total: any start]", "DB_Hmi.Open Main.Go; ; Total");
    check("memory: [Go, Steps: any start]", "DB_Hmi.Open; ; Main.Steps[1] Main.Steps[2] Main.Steps[3]");
    check("start: warm", "DB_Hmi.Open Main.Go; ; Total");
    check("start: warm\nmemory: [Total]", "DB_Hmi.Open Main.Go; ; ");
    // The longer path counts, however it is written.
    check("inputs: ['Main.*']\nfrozen: [Go]", "DB_Hmi.Open Main.Steps[1] Main.Steps[2] Main.Steps[3] Main.b Main.n; ; ");
    check("inputs: ['Main.Steps']\nfrozen: ['Steps[2]']", "DB_Hmi.Open Main.Go Main.Steps[1] Main.Steps[3]; ; ");
    check("inputs: [DB_Hmi.*]\nfrozen: [DB_Hmi.Limit]", "DB_Hmi.Open DB_Hmi.Busy Main.Go; ; ");
    check("inputs: [Main.n]", "DB_Hmi.Open Main.Go Main.n; ; ");
    // The word has the memory of the byte and of a byte without a name.
    check("inputs: [Main.w]", "DB_Hmi.Open __M1_0_8_5 Main.Go Main.b; ; ");
    check("inputs: [b]", "DB_Hmi.Open Main.Go Main.b; ; ");
}

/// Words that are truth values in YAML 1.1 are names of variables.
#[test]
fn paths_may_be_any_word() {
    for path in ["y", "n", "on", "off", "yes", "No", "Y"] {
        for row in [path.to_owned(), format!("{path}: 0..5"), format!("{{ path: {path}, range: 0..5 }}")] {
            let spec = Specification::from_yaml(&format!("inputs:\n  - {row}")).unwrap();
            assert_eq!(spec.inputs[0].path, path, "{row}");
            assert_eq!(Specification::from_yaml(&spec.to_yaml()), Ok(spec));
        }
    }
}

#[test]
fn a_warm_start_needs_sources_that_say_what_is_kept() {
    let mut sources = SourceSet::default();
    sources.add("p.scl", "DATA_BLOCK \"D\"\nSTRUCT\n n : Int;\nEND_STRUCT;\nBEGIN\nEND_DATA_BLOCK\nORGANIZATION_BLOCK \"Main\"\nBEGIN\n\"D\".n := 1;\nEND_ORGANIZATION_BLOCK");
    let parsed = load(&sources, &LoadOptions::default());
    assert!(!parsed.has_errors(), "{:?}", parsed.diagnostics);
    let mut loaded = parsed.value;
    let (_, problems) = apply(&Specification::from_yaml("start: warm").unwrap(), &mut loaded);
    assert_eq!(problems.iter().map(|p| p.pointer.as_str()).collect::<Vec<_>>(), ["/start"]);
    let (_, problems) = apply(&Specification::from_yaml("memory: [{path: D, start: any}]").unwrap(), &mut loaded);
    assert!(problems.is_empty(), "{problems:?}");
    assert!(loaded.project.leaves().iter().any(|leaf| leaf.name == "D.n" && leaf.start == Start::Any));
    // Controllers of Logix keep every tag.
    let mut sources = SourceSet::default();
    let program = "<Program Name=\"P\" MainRoutineName=\"M\"><Tags><Tag Name=\"x\" TagType=\"Base\" DataType=\"DINT\"/></Tags><Routines>\
                   <Routine Name=\"M\" Type=\"RLL\"/></Routines></Program>";
    let text =
        format!("<RSLogix5000Content><Controller Name=\"C\"><Programs>{program}</Programs></Controller></RSLogix5000Content>");
    sources.add("p.L5X", text.as_str());
    let mut loaded = load(&sources, &LoadOptions::default()).value;
    let (_, problems) = apply(&Specification::from_yaml("start: warm").unwrap(), &mut loaded);
    assert_eq!(problems.iter().map(|p| p.pointer.as_str()).collect::<Vec<_>>(), ["/start"]);
    assert!(problems[0].message.contains("Studio 5000"), "{problems:?}");
    let (_, problems) = apply(&Specification::from_yaml("memory: [{path: P.x, start: any}]").unwrap(), &mut loaded);
    assert!(problems.is_empty(), "{problems:?}");
}

/// Only controllers with a prescan restart so.
#[test]
fn restarts_are_those_of_studio_5000() {
    let (_, problems) = apply(&Specification::from_yaml("restarts: any").unwrap(), &mut plant());
    assert_eq!(problems.iter().map(|p| p.pointer.as_str()).collect::<Vec<_>>(), ["/restarts"]);
    assert!(problems[0].message.contains("Studio 5000") && problems[0].help.as_ref().unwrap().contains("Leave `restarts` out"));
    let (_, problems) = apply(&Specification::from_yaml("restarts: never").unwrap(), &mut plant());
    assert!(problems.is_empty(), "{problems:?}");
    let program = "<Program Name=\"P\" MainRoutineName=\"Main\"><Tags><Tag Name=\"q\" TagType=\"Base\" DataType=\"BOOL\"/></Tags><Routines>\
                   <Routine Name=\"Main\" Type=\"RLL\"><RLLContent><Rung Number=\"0\" Type=\"N\"><Text><![CDATA[XIC(q)OTE(q);]]></Text>\
                   </Rung></RLLContent></Routine></Routines></Program>";
    let text =
        format!("<RSLogix5000Content><Controller Name=\"C\"><Programs>{program}</Programs></Controller></RSLogix5000Content>");
    for (row, is_input) in [("restarts: any", true), ("restarts: never", false), ("restarts: any\nsampling: asynchronous", true)]
    {
        let mut sources = SourceSet::default();
        sources.add("p.L5X", text.as_str());
        let mut loaded = load(&sources, &LoadOptions::default()).value;
        let spec = Specification::from_yaml(row).unwrap();
        for _ in 0..2 {
            assert!(apply(&spec, &mut loaded).1.is_empty(), "{row}");
        }
        let found: Vec<Role> =
            loaded.project.leaves().iter().filter(|leaf| leaf.name == "Controller_Restarts").map(|leaf| leaf.role).collect();
        assert_eq!(found, vec![Role::Input; usize::from(is_input)], "{row}");
        assert_eq!(stated(&spec).contains(&"restarts: any".to_owned()), is_input, "{row}");
    }
}

#[test]
fn wrong_rows_are_told_with_a_way_out() {
    let check = |yaml: &str, pointer: &str, words: &str, way_out: &str| {
        let problems = kinds(yaml).unwrap_err();
        assert_eq!(problems.len(), 1, "{yaml}: {problems:?}");
        assert_eq!(problems[0].pointer, pointer, "{yaml}");
        assert!(problems[0].message.contains(words), "{yaml}: {}", problems[0].message);
        let help = problems[0].help.clone().unwrap_or_default();
        assert!(help.contains(way_out), "{yaml}: {help}");
    };
    check("inputs: [Sped]", "/inputs/0", "no variable fits the path `Sped`", "`Speed`");
    check("inputs: [Step]", "/inputs/0", "no variable fits", "");
    check("inputs: [Stop.*]", "/inputs/0", "no variable fits", "`Hmi.*`");
    check("inputs: ['']", "/inputs/0", "no variable fits", "");
    check("inputs: [Top]", "/inputs/0", "it is CONSTANT", "");
    check("parameters: [Total]", "/parameters/0", "the program writes `Total`", "memory");
    check("frozen: [DB_Hmi]", "/frozen/0", "the program writes `DB_Hmi.Busy`", "inputs");
    check("inputs: [Speed]\nfrozen: [Speed]", "/frozen/0", "stands under `inputs` and under `frozen`", "Keep one");
    check("inputs: [Go]\nfrozen: [Main.Go]", "/frozen/0", "stands under `inputs` and under `frozen`", "Keep one");
    check("inputs: [Steps]\nfrozen: ['Main.Steps*']", "/frozen/0", "stands under `inputs` and under `frozen`", "Keep one");
    check("inputs: [Speed: any start]", "/inputs/0", "only `memory` may begin", "memory");
    check("memory: [Total: 0..9]", "/memory/0", "its start only", "start: any");
    check("frozen: [Speed: 0..9]", "/frozen/0", "has no range", "parameters");
    check("inputs: [Speed: 10..1]", "/inputs/0", "no value is from 10 to 1", "1..10");
    check("inputs: [w: 0..9]", "/inputs/0", "shares the memory", "assumption");
}

#[test]
fn ranges_become_conditions_about_each_leaf() {
    let mut loaded = plant();
    let spec = Specification::from_yaml("inputs: [Steps: 0..5]\nparameters: [Speed: 1..9]").unwrap();
    let (ranges, problems) = apply(&spec, &mut loaded);
    assert_eq!(problems, []);
    let conditions: Vec<String> = ranges.iter().flat_map(Range::conditions).collect();
    let steps = "0 <= Main.Steps[1] AND Main.Steps[1] <= 5 AND 0 <= Main.Steps[2] AND Main.Steps[2] <= 5 AND \
                 0 <= Main.Steps[3] AND Main.Steps[3] <= 5";
    assert_eq!(conditions, [steps, "1 <= Speed AND Speed <= 9"]);
    assert_eq!(ranges[1].text(), "Speed is from 1 to 9");
}

/// Rows name tags of Studio 5000 as it writes them.
#[test]
fn rows_name_tags_of_modules() {
    let text = "<RSLogix5000Content TargetType=\"Program\"><Controller Use=\"Context\" Name=\"C\"><Programs><Program Use=\"Target\" Name=\"P\" \
        MainRoutineName=\"Main\"><Tags><Tag Name=\"q\" TagType=\"Base\" DataType=\"BOOL\"/></Tags><Routines><Routine Name=\"Main\" \
        Type=\"RLL\"><RLLContent><Rung Number=\"0\" Type=\"N\"><Text><![CDATA[XIC(Local:1:I.Data.0)OTE(q);]]></Text></Rung></RLLContent>\
        </Routine></Routines></Program></Programs></Controller></RSLogix5000Content>";
    for row in ["Local:1:I.Data: 0..9", "local:1:i: 0..9", "'\\Local_1_I.*': 0..9"] {
        let mut sources = SourceSet::default();
        sources.add("p.L5X", text);
        let mut loaded = load(&sources, &LoadOptions::default()).value;
        let spec = Specification::from_yaml(&format!("inputs: [{{ {row} }}]")).unwrap();
        let (ranges, problems) = apply(&spec, &mut loaded);
        assert!(problems.is_empty(), "{row}: {problems:?}");
        assert_eq!(ranges[0].conditions(), ["0 <= Local_1_I.Data AND Local_1_I.Data <= 9"], "{row}");
    }
}

/// Rows tell a tag of the controller from one of a program of the same name.
#[test]
fn rows_name_one_of_two_tags() {
    let text = "<RSLogix5000Content TargetType=\"Controller\"><Controller Use=\"Target\" Name=\"C\"><Tags><Tag Name=\"X\" \
        TagType=\"Base\" DataType=\"DINT\"/></Tags><Programs><Program Name=\"P\" MainRoutineName=\"Main\"><Tags><Tag Name=\"X\" \
        TagType=\"Base\" DataType=\"DINT\"/></Tags><Routines><Routine Name=\"Main\" Type=\"RLL\"><RLLContent><Rung Number=\"0\" \
        Type=\"N\"><Text><![CDATA[NOP();]]></Text></Rung></RLLContent></Routine></Routines></Program></Programs></Controller>\
        </RSLogix5000Content>";
    let check = |row: &str, expected: Result<&str, &str>| {
        let mut sources = SourceSet::default();
        sources.add("p.L5X", text);
        let mut loaded = load(&sources, &LoadOptions::default()).value;
        let spec = Specification::from_yaml(&format!("inputs: [{{ {row}: 0..9 }}]")).unwrap();
        let (ranges, problems) = apply(&spec, &mut loaded);
        match expected {
            Ok(condition) => {
                assert!(problems.is_empty(), "{row}: {problems:?}");
                assert_eq!(ranges[0].conditions(), [condition], "{row}");
                assert!(plc_frontend::condition(&mut loaded, "range", condition).value.is_some(), "{row}");
            }
            Err(words) => assert!(format!("{problems:?}").contains(words), "{row}: {problems:?}"),
        }
    };
    check("P.X", Ok("0 <= P.X AND P.X <= 9"));
    check("'\\P.X'", Ok("0 <= P.X AND P.X <= 9"));
    check("'\\X'", Ok("0 <= \\X AND \\X <= 9"));
    check("X", Err("`X` is a global variable, and `P` has a variable of this name"));
}
