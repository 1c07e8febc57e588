//! Names with characters that no identifier has: one meaning in tag tables, exports, sources and conditions.

use super::{document, loaded};
use crate::hir::Value;
use crate::interp::{Limits, Machine, Silent};
use crate::resolve::condition;

/// Checks that conditions are TRUE at the end of the first cycle, in which all inputs are FALSE.
#[track_caller]
fn check(files: &[(&str, String)], conditions: &[&str]) {
    let parsed = loaded(files);
    assert!(!parsed.has_errors(), "{:#?}", parsed.diagnostics);
    let mut loaded = parsed.value;
    assert!(loaded.ledger.gaps.is_empty(), "{:#?}", loaded.ledger.gaps);
    for text in conditions {
        let parsed = condition(&mut loaded, "r", text);
        let e = parsed.value.unwrap_or_else(|| panic!("{text} {:#?}", parsed.diagnostics));
        let mut machine = Machine::new(&loaded.project, Limits::default());
        machine.begin(&std::collections::BTreeMap::new(), 100_000_000).unwrap();
        machine.run(&mut Silent).unwrap();
        assert_eq!(machine.eval(&e), Ok(Value::Bool(true)), "{text}\n{}", loaded.project.to_st());
    }
}

fn main(body: &str) -> String {
    format!("ORGANIZATION_BLOCK \"Main\"\nVERSION : 0.1\nBEGIN\n{body}\nEND_ORGANIZATION_BLOCK\n")
}

fn tags(names: &[&str]) -> String {
    let tag = |(at, name): (usize, &&str)| {
        format!(
            "<SW.Tags.PlcTag ID=\"1\"><AttributeList><DataTypeName>Bool</DataTypeName><LogicalAddress>%M20.{at}</LogicalAddress>\
             <Name>{name}</Name></AttributeList></SW.Tags.PlcTag>"
        )
    };
    let tags: String = names.iter().enumerate().map(tag).collect();
    document(&format!(
        "<SW.Tags.PlcTagTable ID=\"0\"><AttributeList><Name>T</Name></AttributeList><ObjectList>{tags}</ObjectList></SW.Tags.PlcTagTable>"
    ))
}

#[test]
fn tags_whose_names_differ_in_a_blank_are_two() {
    let body = "\"Motor_1\" := FALSE; \"Motor 1\" := TRUE; \"Motor-1\" := TRUE; \"1st\" := TRUE; \"IF\" := TRUE;";
    let files = [("T.xml", tags(&["Motor 1", "Motor_1", "Motor-1", "1st", "_1st", "IF"])), ("Main.scl", main(body))];
    let conditions = ["\"Motor 1\"", "NOT \"Motor_1\"", "NOT Motor_1", "\"motor-1\"", "\"1st\"", "NOT \"_1st\"", "\"IF\""];
    check(&files, &conditions);
}

#[test]
fn a_tag_that_is_missing_is_not_another_one() {
    let files = [("T.xml", tags(&["Motor_1"])), ("Main.scl", main("\"Motor 1\" := TRUE;"))];
    let parsed = loaded(&files);
    let messages: Vec<&str> = parsed.diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(messages, ["there is no variable `\"Motor 1\"` here"]);
}

#[test]
fn data_blocks_blocks_and_their_parts_keep_their_names() {
    let db = |name: &str, inside: &str| format!("DATA_BLOCK \"{name}\"\nVERSION : 0.1\n{inside}\nBEGIN\nEND_DATA_BLOCK\n");
    let part = "STRUCT \"a b\" : Int; a_b : Int; END_STRUCT;";
    let block = document(
        "<SW.Blocks.FB ID=\"0\"><AttributeList><Interface><Sections><Section Name=\"Static\"><Member Name=\"a b\" Datatype=\"Int\">\
         <StartValue>4</StartValue></Member><Member Name=\"a_b\" Datatype=\"Int\" /></Section></Sections></Interface>\
         <Name>FB X</Name><ProgrammingLanguage>LAD</ProgrammingLanguage></AttributeList><ObjectList></ObjectList></SW.Blocks.FB>",
    );
    let function = |name: &str, value: u32| {
        format!("FUNCTION \"{name}\" : Int\nVERSION : 0.1\nBEGIN\n#\"{name}\" := {value};\nEND_FUNCTION\n")
    };
    let body = "\"DB 1\".\"a b\" := 5; \"DB_1\".a_b := \"Calc 1\"(); \"DB_1\".\"a b\" := \"Calc-1\"(); \"DB X\"();";
    let files = [
        ("DB 1.db", db("DB 1", part)),
        ("DB_1.db", db("DB_1", part)),
        ("FB X.xml", block),
        ("DB X.db", db("DB X", "\"FB X\"")),
        ("Calc 1.scl", function("Calc 1", 1)),
        ("Calc-1.scl", function("Calc-1", 2)),
        ("Main.scl", main(body)),
    ];
    let conditions = [
        "\"DB 1\".\"a b\" = 5 AND \"DB 1\".a_b = 0",
        "\"DB_1\".a_b = 1",
        "\"DB_1\".\"a b\" = 2",
        "\"DB X\".\"a b\" = 4 AND \"DB X\".a_b = 0",
    ];
    check(&files, &conditions);
}
