//! Add-On Instructions with an array of any length, as entries and with a caller.

use super::*;
use crate::Loaded;
use crate::hir::Extent;
use crate::text::Treatment;

/// Returns an export of the instruction `Fill` with this logic and this declaration of its array, and more programs.
fn instruction(array: &str, lines: &[&str], programs: &str) -> String {
    let parameter = |name: &str, ty: &str, usage: &str, is_required: bool| {
        format!("<Parameter Name=\"{name}\" TagType=\"Base\" DataType=\"{ty}\" Usage=\"{usage}\" Required=\"{is_required}\"/>")
    };
    let parameters = [
        parameter("EnableIn", "BOOL", "Input", false),
        parameter("EnableOut", "BOOL", "Output", false),
        parameter("n", "DINT", "Output", false),
        format!("<Parameter Name=\"List\" TagType=\"Base\" {array} Usage=\"InOut\" Required=\"true\"/>"),
    ];
    let logic = structured("Logic", lines);
    format!(
        "<?xml version=\"1.0\"?>\n<RSLogix5000Content TargetType=\"AddOnInstructionDefinition\"><Controller Use=\"Context\" Name=\"C\">\
         <AddOnInstructionDefinitions><AddOnInstructionDefinition Use=\"Target\" Name=\"Fill\"><Parameters>{}</Parameters>\
         <Routines>{logic}</Routines></AddOnInstructionDefinition></AddOnInstructionDefinitions>{programs}</Controller>\
         </RSLogix5000Content>",
        parameters.concat()
    )
}

fn loaded(text: &str, entry: Option<&str>) -> Loaded {
    let mut sources = SourceSet::default();
    sources.add("test.L5X", text);
    let parsed = load(&sources, &LoadOptions { entry: entry.map(str::to_owned), ..LoadOptions::default() });
    let errors: Vec<_> = parsed.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    parsed.value
}

/// Returns the leaf after one cycle; `None` where the run ends early.
fn run(loaded: &Loaded, leaf: &str) -> Option<i128> {
    let mut machine = Machine::new(&loaded.project, Limits::default());
    machine.begin(&BTreeMap::new(), 0).unwrap();
    machine.run(&mut Silent).ok()?;
    machine.leaf(leaf).and_then(|value| value.as_int())
}

const LOOP: &[&str] = &["SIZE(List, 0, n); FOR n := 0 TO n - 1 DO List[n] := n; END_FOR;"];

#[test]
fn the_array_of_an_entry_has_the_declared_length_which_answers_name() {
    for (array, n, words) in [
        ("DataType=\"DINT\" Dimensions=\"3\"", 3, "the array List has 3 elements, as the parameter declares"),
        ("DataType=\"SINT\" Dimensions=\"1\"", 1, "the array List has 1 element, as the parameter declares"),
        ("DataType=\"DINT\" Dimensions=\"2 5\"", 2, "the array List has 2 times 5 elements, as the parameter declares"),
    ] {
        let found = loaded(&instruction(array, &["SIZE(List, 0, n);"], ""), None);
        assert_eq!(run(&found, "Fill.n"), Some(n), "{array}");
        let conditions: Vec<_> = found.ledger.gaps.iter().filter(|gap| gap.construct == words).collect();
        assert_eq!(conditions.len(), 1, "{:#?}", found.ledger.gaps);
        assert_eq!(conditions[0].treatment, Treatment::Assumed);
        // No variable shows what depends on a length, so it is a condition of each answer.
        assert_eq!(found.project.beside.get(&conditions[0].span), Some(&Extent::All));
    }
}

#[test]
fn an_index_behind_the_declared_length_is_a_fault_of_the_entry() {
    let array = "DataType=\"DINT\" Dimensions=\"2\"";
    assert_eq!(run(&loaded(&instruction(array, &["n := 1; List[n] := 5; n := List[n];"], ""), None), "Fill.n"), Some(5));
    assert_eq!(run(&loaded(&instruction(array, &["n := 2; List[n] := 5; n := List[n];"], ""), None), "Fill.n"), None);
}

#[test]
fn calls_of_an_entry_have_the_length_of_their_arguments() {
    let tags = "<Tag Name=\"f\" TagType=\"Base\" DataType=\"Fill\"/>\
        <Tag Name=\"long\" TagType=\"Base\" DataType=\"DINT\" Dimensions=\"7\"/>";
    let main = routine("Main", "Fill(f,long);");
    let programs = format!(
        "<Programs><Program Use=\"Target\" Name=\"P\" MainRoutineName=\"Main\"><Tags>{tags}</Tags><Routines>{main}</Routines>\
         </Program></Programs>"
    );
    let text = instruction("DataType=\"DINT\" Dimensions=\"2\"", LOOP, &programs);
    assert_eq!(run(&loaded(&text, None), "P.long[6]"), Some(6));
    let entry = loaded(&text, Some("Fill"));
    assert_eq!(run(&entry, "Fill.List[1]"), Some(1));
    // The called instruction alone has the condition.
    let words = "as the parameter declares";
    assert!(entry.ledger.gaps.iter().any(|gap| gap.construct.ends_with(words)));
    assert!(!loaded(&text, None).ledger.gaps.iter().any(|gap| gap.construct.ends_with(words)));
}
