//! Samples of Studio 5000: the same requirements have the same verdicts for rungs and for Structured Text of IEC 61131-3.

use std::path::Path;

use super::cli::scanproof;

/// Programs that stand in `samples/logix` in both languages.
const PROGRAMS: &[&str] = &["motor", "batch", "latch"];

#[test]
fn rungs_and_structured_text_have_the_same_verdicts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/logix");
    let verdicts = |file: &str| {
        let output = scanproof(&folder, &["verify", file, "--json"]);
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let results = document["programs"][0]["outcome"]["results"].as_array().unwrap().clone();
        results.iter().map(|result| (result["id"].clone(), result["verdict"].clone())).collect::<Vec<_>>()
    };
    for program in PROGRAMS {
        let rungs = verdicts(&format!("{program}.L5X"));
        assert!(3 <= rungs.len(), "{program}: {rungs:?}");
        assert_eq!(rungs, verdicts(&format!("{program}.st")), "{program}");
    }
    // The text export of a controller has the verdicts of its export as XML.
    assert_eq!(verdicts("motor.L5K"), verdicts("motor.L5X"));
}

/// Returns an export of a program with inputs `a`, `x`, `y` and these rungs; `rest` holds further routines.
pub(super) fn export(rung: &str, rest: &str) -> String {
    let input = |name: &str, ty: &str| format!("<Tag Name=\"{name}\" TagType=\"Base\" DataType=\"{ty}\" Usage=\"Input\"/>");
    let tags = [
        input("a", "BOOL"),
        input("x", "DINT"),
        input("y", "DINT"),
        "<Tag Name=\"z\" TagType=\"Base\" DataType=\"DINT\"/><Tag Name=\"p\" TagType=\"Base\" DataType=\"BOOL\"/>".to_owned(),
        "<Tag Name=\"l\" TagType=\"Base\" DataType=\"DINT\" Dimensions=\"4\"/>".to_owned(),
    ];
    format!(
        "<RSLogix5000Content TargetType=\"Program\"><Controller Use=\"Context\" Name=\"C\"><Programs><Program Use=\"Target\" Name=\"P\" \
         MainRoutineName=\"Main\"><Tags>{}</Tags><Routines><Routine Name=\"Main\" Type=\"RLL\"><RLLContent><Rung Number=\"0\" Type=\"N\">\
         <Text><![CDATA[{rung}]]></Text></Rung></RLLContent></Routine>{rest}</Routines></Program></Programs></Controller>\
         </RSLogix5000Content>",
        tags.concat()
    )
}

/// Returns an export with further tags of its program.
pub(super) fn with_tags(text: &str, tags: &[&str]) -> String {
    let tag = |form: &&str| format!("<Tag TagType=\"Base\" {form}</Tag>");
    text.replacen("<Tags>", &format!("<Tags>{}", tags.iter().map(tag).collect::<String>()), 1)
}

/// Faults after which a controller goes on, and those that stop it, break their checks.
#[test]
fn checks_find_zero_divisors_and_indices() {
    let folder = tempfile::tempdir().unwrap();
    let verdict = |rung: &str, rest: &str, check: &str| {
        let tags =
            ["Name=\"r\" DataType=\"REAL\">", "Name=\"w\" DataType=\"INT\">", "Name=\"b\" DataType=\"BOOL\" Usage=\"Input\">"];
        std::fs::write(folder.path().join("test.L5X"), with_tags(&export(rung, rest), &tags)).unwrap();
        let output = scanproof(folder.path(), &["verify", "test.L5X", "--json"]);
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let results = document["programs"][0]["outcome"]["results"].as_array().unwrap().clone();
        let result = results.into_iter().find(|result| result["id"] == check).unwrap_or_else(|| panic!("{rung}: {document}"));
        result["verdict"].as_str().unwrap().to_owned()
    };
    let text = |line: &str| {
        format!(
            "<Routine Name=\"Other\" Type=\"ST\"><STContent><Line Number=\"0\"><![CDATA[{line}]]></Line></STContent></Routine>"
        )
    };
    let divides = |rung: &str, rest: &str| verdict(rung, rest, "check-division_by_zero");
    let safe = divides("NEQ(y,0)DIV(x,y,z);", "");
    let broken = divides("DIV(x,y,z);", "");
    assert_ne!(safe, broken);
    assert_eq!(broken, "violated");
    for rung in ["XIC(a)MOD(x,y,z);", "XIC(a)CPT(z,x/y+1);", "CMP(x/y>1)OTE(p);"] {
        assert_eq!(divides(rung, ""), broken, "{rung}");
    }
    assert_eq!(divides("JSR(Other,0);", &text("IF a THEN z := 1; ELSIF x / y > 2 THEN z := 2; END_IF;")), broken);
    assert_eq!(divides("JSR(Other,0);", &text("WHILE z < 3 AND x / y > 2 DO z := z + 1; END_WHILE;")), broken);
    assert_eq!(divides("NEQ(y,0)JSR(Other,0);", &text("IF a THEN z := 1; ELSIF x / y > 2 THEN z := 2; END_IF;")), safe);
    let index = |rung: &str| verdict(rung, "", "check-index_out_of_bounds");
    // A REAL that does not fit is a minor fault at most, and the run goes on.
    let fits = |rung: &str, rest: &str| verdict(rung, rest, "check-conversion_range");
    let large = "XIC(a)MOV(1000000.0,r);";
    assert_eq!(fits(&format!("{large}MOV(r,x);"), ""), safe);
    assert_eq!(fits(&format!("{large}MOV(r,w);"), ""), broken);
    assert_eq!(fits("XIC(a)MOV(3000000000.0,r);TRN(r,x);", ""), broken);
    assert_eq!(fits("XIC(a)MOV(3000000000.0,r);XIO(a)XIC(b)MOV(2.0,r);LES(r,5.0)MOV(r,x);", ""), safe);
    assert_eq!(fits(&format!("{large}JSR(Other,0);"), &text("IF a THEN x := 2; ELSIF r > 5.0 THEN w := r; END_IF;")), broken);
    assert_eq!(index("MOV(x,l[y]);"), broken);
    assert_eq!(index("LIM(0,y,3)MOV(x,l[y]);"), safe);
}

/// Requirements about inputs, and whether they are broken: with inputs that are sampled once, and with asynchronous ones.
const SAMPLED: &[(&str, bool, bool)] = &[
    ("never: p", false, true),
    ("never: z = 1", false, true),
    // An instruction reads its operand once.
    ("always: q", false, false),
    // An alias is another name of the input.
    ("never: s", false, true),
    ("always: other = c", false, false),
    // The range of an input is that of its reads, of their bits and of its elements.
    ("never: u", false, false),
    ("never: v", false, false),
    ("never: w", false, false),
];

#[test]
fn inputs_change_within_a_scan() {
    let folder = tempfile::tempdir().unwrap();
    let consumed = |name: &str, ty: &str| format!("<Tag Name=\"{name}\" TagType=\"Consumed\" DataType=\"{ty}\"/>");
    let own = ["q", "s", "u", "v", "w"].map(|name| format!("<Tag Name=\"{name}\" TagType=\"Base\" DataType=\"BOOL\"/>")).concat();
    let rung = "XIC(c)XIO(c)OTE(p);LIM(4,n,3)OTE(q);XIC(c)XIO(other)OTE(s);GRT(n,9)OTE(u);XIC(n.4)OTE(v);AND(x,1,y);GRT(m[y],9)OTE(w);JSR(Other,0);";
    let rest = "<Routine Name=\"Other\" Type=\"ST\"><STContent><Line Number=\"0\"><![CDATA[IF c AND NOT c THEN z := 1; END_IF;]]></Line>\
                </STContent></Routine>";
    let text = export(rung, rest);
    let text = text.replace("<Tags>", &format!("<Tags>{own}<Tag Name=\"other\" TagType=\"Alias\" AliasFor=\"c\"/>"));
    let list = consumed("m", "DINT").replace("/>", " Dimensions=\"2\"/>");
    let globals = format!("<Tags>{}{}{list}</Tags><Programs>", consumed("c", "BOOL"), consumed("n", "DINT"));
    std::fs::write(folder.path().join("test.L5X"), text.replace("<Programs>", &globals)).unwrap();
    for (sampling, at) in [("snapshot", 0), ("asynchronous", 1)] {
        let rows = SAMPLED.iter().enumerate();
        let rows: String =
            rows.map(|(at, (row, ..))| format!("  - id: R{at}\n    text: It does not happen.\n    {row}\n")).collect();
        let spec = format!("sampling: {sampling}\ninputs:\n  - n: 0..9\n  - m: 0..9\nchecks: []\nrequirements:\n{rows}");
        std::fs::write(folder.path().join("test.yaml"), spec).unwrap();
        let output = scanproof(folder.path(), &["verify", "test.L5X", "--requirements", "test.yaml", "--json"]);
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let outcome = &document["programs"][0]["outcome"];
        for (number, (row, sampled, asynchronous)) in SAMPLED.iter().enumerate() {
            let result = &outcome["results"][number];
            let is_broken = result["verdict"] == "violated";
            assert_eq!(is_broken, [*sampled, *asynchronous][at], "{sampling}: {row}: {result}");
            assert_ne!(result["verdict"], "unknown", "{sampling}: {row}: {result}");
        }
        let words =
            if at == 0 { "at the start of every cycle; everything else" } else { "may change at any time within a cycle" };
        assert!(outcome.to_string().contains(words), "{sampling}");
    }
}

/// The page of a counterexample draws rungs with the power, the operands and the instruction of the violation.
#[test]
fn rungs_of_a_counterexample_have_their_values() {
    let folder = tempfile::tempdir().unwrap();
    let rest = "<Routine Name=\"Other\" Type=\"RLL\"><RLLContent><Rung Number=\"0\" Type=\"N\"><Text><![CDATA[AFI()[XIC(a),XIO(a)]OTU(p);]]>\
                </Text></Rung></RLLContent></Routine>";
    let text = export("JSR(Other,0);", rest);
    let rung = "XIC(a)[XIC(a)[XIO(a),XIC(a)],XIO(a)]ADD(x,3,y)MOV(x,z)OTL(p);";
    let text = text.replace(
        "</RLLContent></Routine><Routine",
        &format!("<Rung Number=\"1\" Type=\"N\"><Text><![CDATA[{rung}]]></Text></Rung></RLLContent></Routine><Routine"),
    );
    std::fs::write(folder.path().join("test.L5X"), text).unwrap();
    let spec = "checks: []\ninputs:\n  - x: 40..42\nrequirements:\n  - id: R1\n    text: It stays small.\n    always: z < 42\n";
    std::fs::write(folder.path().join("test.yaml"), spec).unwrap();
    let output = scanproof(folder.path(), &["verify", "test.L5X", "--json"]);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let outcome = &document["programs"][0]["outcome"];
    let cycle = outcome["results"][0]["counterexample"]["cycles"].as_array().unwrap().last().unwrap();
    let diagrams = outcome["import"]["diagrams"].as_array().unwrap();
    let title = |number: u64| diagrams[number as usize]["title"].as_str().unwrap();
    let run = |wanted: &str| {
        let runs = cycle["networks"].as_array().unwrap();
        runs.iter().find(|run| title(run["diagram"].as_u64().unwrap()) == wanted).unwrap_or_else(|| panic!("{wanted}: {runs:?}"))
    };
    let diagram = |wanted: &str| diagrams.iter().find(|diagram| diagram["title"] == wanted).unwrap();
    let power = |wanted: &str| {
        let wires = run(wanted)["wires"].as_array().unwrap().clone();
        wires.iter().map(|wire| wire.as_str().unwrap_or("?") == "TRUE").collect::<Vec<_>>()
    };
    // Both contacts that are closed conduct, and all behind the branch; the rail, two contacts, and the open ones.
    let (drawn, values) = (diagram("Main, rung 1"), run("Main, rung 1"));
    let labels: Vec<&str> = drawn["elements"].as_array().unwrap().iter().map(|e| e["label"].as_str().unwrap_or("")).collect();
    assert_eq!(labels, ["", "a", "a", "a", "a", "a", "ADD", "MOV", "p", ""]);
    let live: Vec<(u64, u64)> = drawn["wires"]
        .as_array()
        .unwrap()
        .iter()
        .zip(power("Main, rung 1"))
        .filter(|(_, live)| *live)
        .map(|(wire, _)| (wire["from"].as_u64().unwrap(), wire["to"].as_u64().unwrap()))
        .collect();
    assert_eq!(live, [(0, 1), (1, 2), (2, 3), (2, 4), (1, 5), (4, 6), (6, 7), (7, 8), (8, 9)], "{values}");
    assert_eq!(drawn["elements"][6]["rows"], serde_json::json!(["Source A x", "Source B 3", "Dest y"]));
    assert_eq!(values["rows"][6], serde_json::json!(["42", "3", "45"]));
    assert_eq!(values["rows"][7], serde_json::json!(["42", "42"]));
    // The rung of another routine has hidden variables of its own.
    assert_eq!(power("Other, rung 0").iter().filter(|live| **live).count(), 1);
    // The step that wrote the value stands at the column of its instruction.
    let steps = cycle["steps"].as_array().unwrap();
    let writes = |step: &&serde_json::Value| {
        step["values"]
            .as_array()
            .unwrap()
            .iter()
            .any(|value| value["written"] == true && value["name"].as_str().unwrap().ends_with('z'))
    };
    let written = steps.iter().rev().find(writes).unwrap();
    let at: Vec<&str> = drawn["elements"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|e| e["line"] == written["place"]["line"] && e["column"] == written["place"]["column"])
        .map(|e| e["label"].as_str().unwrap())
        .collect();
    assert_eq!(at, ["MOV"]);
}

/// Conditions of a whole program stand under answers that do not depend on variables or statements of the import.
#[test]
fn conditions_of_a_program_stand_under_all_its_answers() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("test.yaml"), "requirements: [{ id: R1, if: p, then: a }]\n").unwrap();
    let conditions = |rungs: &str| {
        let cdata = "]]></Text></Rung><Rung Number=\"1\" Type=\"N\"><Text><![CDATA[";
        let kept = "<Data Format=\"Decorated\"><DataValue DataType=\"BOOL\" Value=\"1\"/></Data>";
        let kept = format!("Name=\"q\" DataType=\"BOOL\">{kept}");
        let tags = ["Name=\"b\" DataType=\"BOOL\" Usage=\"Input\">", "Name=\"k\" DataType=\"COUNTER\">", &kept];
        let text = with_tags(&export(&rungs.replace('|', cdata), ""), &tags);
        std::fs::write(folder.path().join("test.L5X"), text).unwrap();
        let output = scanproof(folder.path(), &["verify", "test.L5X", "--json"]);
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let results = document["programs"][0]["outcome"]["results"].as_array().unwrap().clone();
        let result = results.into_iter().find(|result| result["id"] == "R1").unwrap_or_else(|| panic!("{rungs}: {document}"));
        assert_eq!(result["verdict"], "holds", "{rungs}: {document}");
        let texts = result["conditions"].as_array().unwrap().iter().map(|condition| condition["text"].to_string());
        texts.collect::<Vec<_>>().join(" ")
    };
    for rungs in ["XIC(a)OTE(p);", "XIC(a)OTE(p);|XIC(S:FS)MOV(1,z);", "XIC(a)OTE(p);|XIC(S:V)MOV(1,z);"] {
        assert!(conditions(rungs).contains("inputs that change within a scan"), "{rungs}: {}", conditions(rungs));
    }
    // Rules that no manual settles stand under the answers that depend on their instruction.
    let counts = "counter beyond its last number";
    assert!(!conditions("XIC(a)OTE(p);|XIC(b)CTU(k,?,?);").contains(counts));
    assert!(conditions("XIC(a)CTU(k,?,?);|XIC(k.DN)XIC(a)OTE(p);").contains(counts));
    // An operator may write a tag to which the program writes its initial value only.
    assert!(conditions("XIC(a)XIC(q)OTE(p);|XIC(b)OTL(q);").contains("`q` keeps its initial value TRUE"));
    // An instruction without a model may end the run by a fault.
    let conditions = conditions("XIC(a)OTE(p);|SIZE(x,0,z);");
    assert!(conditions.contains("has no fault"), "{conditions}");
}

/// Returns an export of the Add-On Instruction `Lamp` with these further parameters and rungs.
fn instruction(parameters: &[(&str, &str)], rungs: &[&str]) -> String {
    let parameter =
        |(name, form): &(&str, &str)| format!("<Parameter Name=\"{name}\" TagType=\"Base\" {form} Required=\"true\"/>");
    let enable = [("EnableIn", "DataType=\"BOOL\" Usage=\"Input\""), ("EnableOut", "DataType=\"BOOL\" Usage=\"Output\"")];
    let parameters: String = enable.iter().chain(parameters).map(parameter).collect();
    let rung = |text: &&str| format!("<Rung Number=\"0\" Type=\"N\"><Text><![CDATA[{text}]]></Text></Rung>");
    let rungs: String = rungs.iter().map(rung).collect();
    format!(
        "<RSLogix5000Content TargetType=\"AddOnInstructionDefinition\"><Controller Use=\"Context\" Name=\"C\"><AddOnInstructionDefinitions>\
         <AddOnInstructionDefinition Use=\"Target\" Name=\"Lamp\"><Parameters>{parameters}</Parameters><Routines><Routine Name=\"Logic\" \
         Type=\"RLL\"><RLLContent>{rungs}</RLLContent></Routine></Routines></AddOnInstructionDefinition></AddOnInstructionDefinitions>\
         </Controller></RSLogix5000Content>"
    )
}

/// Returns the printed answer to one requirement.
pub(super) fn answer(text: &str, requirement: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("test.L5X"), text).unwrap();
    let spec = format!("checks: []\nrequirements:\n  - id: R1\n    text: It does not happen.\n    {requirement}\n");
    std::fs::write(folder.path().join("test.yaml"), spec).unwrap();
    String::from_utf8(scanproof(folder.path(), &["verify", "test.L5X"]).stdout).unwrap()
}

/// An instruction whose statements write a place and do not write it, at one place of the text.
#[test]
fn an_instruction_that_wrote_a_place_did_not_leave_it_out() {
    let length = "<DataValueMember Name=\"LEN\" DataType=\"DINT\" Value=\"8\"/>";
    let control = format!(
        "<Tag Name=\"g\" TagType=\"Base\" DataType=\"CONTROL\"><Data Format=\"Decorated\"><Structure DataType=\"CONTROL\">{length}\
         </Structure></Data></Tag></Tags>"
    );
    let text = export("XIC(a)BSL(l[0],g,x.0,8);", "").replacen("</Tags>", &control, 1);
    let shown = answer(&text, "never: l[0] = 3");
    assert!(shown.contains("l[0] was written on rung 0 of P.Main") && !shown.contains("no write of l[0] there"), "{shown}");
}

/// Bits that the import adds are no reason that a user knows.
#[test]
fn reasons_of_a_proof_do_not_name_bits_of_the_import() {
    let output = "DataType=\"BOOL\" Usage=\"Output\"";
    let parameters = [("On", "DataType=\"BOOL\" Usage=\"Input\""), ("Out", output), ("Off", output)];
    let shown = answer(&instruction(&parameters, &["XIC(On)OTE(Out);", "XIO(Out)OTE(Off);"]), "never: Out AND Off");
    assert!(shown.contains("Holds in every cycle") && !shown.contains("__"), "{shown}");
}

/// An instruction that is verified alone has arrays of the declared length, which its answers name.
#[test]
fn arrays_of_an_instruction_alone_have_a_length_that_answers_name() {
    let parameters = [
        ("List", "DataType=\"DINT\" Dimensions=\"2\" Usage=\"InOut\""),
        ("n", "DataType=\"DINT\" Usage=\"Output\""),
        ("Out", "DataType=\"BOOL\" Usage=\"Output\""),
    ];
    let text = instruction(&parameters, &["SIZE(List,0,n)GRT(n,2)OTE(Out);", "MOV(List[1],n);"]);
    let words = "the array List has 2 elements, as the parameter declares";
    for (requirement, verdict) in [("never: Out", "Holds"), ("never: n = 7", "Can be broken")] {
        let shown = answer(&text, requirement);
        assert!(shown.contains(verdict) && shown.contains(words), "{shown}");
    }
}

/// A requirement about a tag of a program that does not run says so.
#[test]
fn tags_of_an_inhibited_task_have_no_values() {
    let whole = export("XIC(a)OTE(p);", "");
    let (_, rest) = whole.split_once("<Program ").unwrap();
    let (program, _) = rest.split_once("</Program>").unwrap();
    let idle = format!("<Program {}</Program></Programs>", program.replace("Name=\"P\"", "Name=\"Q\""));
    let task = |name: &str, program: &str, form: &str| {
        format!(
            "<Task Name=\"{name}\" Type=\"PERIODIC\" Rate=\"10\" Priority=\"5\" {form}><ScheduledPrograms><ScheduledProgram \
             Name=\"{program}\"/></ScheduledPrograms></Task>"
        )
    };
    let tasks = format!("<Tasks>{}{}</Tasks></Controller>", task("A", "P", ""), task("B", "Q", "InhibitTask=\"true\""));
    let text = whole.replace("</Programs>", &idle).replace("</Controller>", &tasks);
    let shown = answer(&text, "never: Q.p");
    assert!(shown.contains("the program `Q` does not run, so its variables have no values"), "{shown}");
    assert!(answer(&text, "never: P.p").contains("Can be broken"));
}

/// The bit before the first scan is no cause that a user knows, and neither is the bit that asks an instruction for its prescan.
#[test]
fn causes_of_a_run_do_not_name_bits_of_the_import() {
    let tags = "<Tags><Tag Name=\"q\" TagType=\"Base\" DataType=\"BOOL\"/><Tag Name=\"s\" TagType=\"Base\" DataType=\"BOOL\"/>";
    let text = export("XIC(q)OTE(p);XIC(s)OTE(q);XIC(a)OTE(s);", "").replace("<Tags>", tags);
    let shown = answer(&text, "if: p\n    then: PREVIOUS(s)");
    assert!(shown.contains("Can be broken") && !shown.contains("__"), "{shown}");
}
