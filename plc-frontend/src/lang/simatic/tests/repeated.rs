//! Objects in several files: equal ones count once, others stay.

use super::{block, document, flgnet, section};
use crate::isolation::load_isolated;
use crate::resolve::{LoadOptions, Loaded};
use crate::text::{Parsed, SourceSet};

fn loaded(files: &[(&str, String)]) -> Parsed<Loaded> {
    let mut sources = SourceSet::default();
    files.iter().for_each(|(name, text)| _ = sources.add(*name, text.clone()));
    load_isolated(&sources, &LoadOptions::default())
}

/// Checks the kinds of what is left out as repeated, and whether there are errors.
#[track_caller]
fn check(files: &[(&str, String)], repeated: &[&str], has_errors: bool) {
    let loaded = loaded(files);
    let ignored = loaded.value.ledger.ignored.iter().map(|row| row.what.as_str());
    assert_eq!(ignored.filter(|what| what.starts_with("repeated")).collect::<Vec<_>>(), repeated, "{:#?}", loaded.diagnostics);
    assert_eq!(loaded.value.inferred.len(), 0, "{:#?}", loaded.diagnostics);
    assert_eq!(loaded.has_errors() || !loaded.value.left_out.is_empty(), has_errors, "{:#?}", loaded.diagnostics);
}

fn main(body: &str) -> String {
    format!("ORGANIZATION_BLOCK \"Main\"\nVERSION : 0.1\nVAR_TEMP\n x : Int;\nEND_VAR\nBEGIN\n{body}\nEND_ORGANIZATION_BLOCK\n")
}

/// The numbers of objects begin anew in each file, so the first tags of two tables begin with the same words.
#[test]
fn tags_of_several_tables_stay() {
    let table = |name: &str, address: &str| {
        document(&format!(
            "<SW.Tags.PlcTagTable ID=\"0\"><AttributeList><Name>T</Name></AttributeList><ObjectList><SW.Tags.PlcTag ID=\"1\" \
             CompositionName=\"Tags\"><AttributeList><DataTypeName>Bool</DataTypeName><LogicalAddress>{address}</LogicalAddress><Name>{name}\
             </Name></AttributeList></SW.Tags.PlcTag></ObjectList></SW.Tags.PlcTagTable>"
        ))
    };
    let main = main("IF \"Start\" AND NOT \"Stop\" THEN #x := 1; END_IF;");
    let files = [("Inputs.xml", table("Start", "%I0.0")), ("More.xml", table("Stop", "%I0.1")), ("Main.scl", main.clone())];
    check(&files, &[], false);
    let files = [("a/T.xml", table("Start", "%I0.0")), ("b/T.xml", table("Stop", "%I0.1")), ("Main.scl", main.clone())];
    check(&files, &[], false);
    let again = [("c/T.xml", table("Start", "%I0.0"))];
    check(&[files.as_slice(), &again].concat(), &["repeated global variables"], false);
}

#[test]
fn types_that_differ_inside_are_two() {
    let udt = |ty: &str| {
        document(&format!(
            "<SW.Types.PlcStruct ID=\"0\"><AttributeList><Interface><Sections><Section Name=\"None\"><Member Name=\"a\" Datatype=\"{ty}\"/>\
             </Section></Sections></Interface><Name>U</Name></AttributeList></SW.Types.PlcStruct>"
        ))
    };
    let db = "DATA_BLOCK \"D\"\nVERSION : 0.1\nVAR\n u : \"U\";\nEND_VAR\nBEGIN\nEND_DATA_BLOCK\n".to_owned();
    let files = |other: &str| {
        let main = main("\"D\".u.a := 1;");
        [("a/U.xml", udt("Int")), ("b/U.xml", udt(other)), ("D.db", db.clone()), ("Main.scl", main)]
    };
    check(&files("Int"), &["repeated declaration"], false);
    check(&files("DInt"), &[], true);
}

/// The place of a name in XML is that of its element.
#[test]
fn missing_names_of_drawings_are_inferred() {
    let parts = "<Part Name=\"Contact\" UId=\"23\" /><Part Name=\"Coil\" UId=\"24\" />";
    let wires = ["rail>23.in", "21>23.operand", "23.out>24.in", "22>24.operand"];
    let network = flgnet(&[(21, "Settings_DB.Enabled"), (22, "device.On")], parts, &wires);
    let network = network.replacen("LocalVariable", "GlobalVariable", 1);
    let block = block("FB", "Motor", &section("InOut", &[("device", "&quot;UDT_Device&quot;")]), &network);
    let loaded = loaded(&[("Motor.xml", block)]);
    let names: Vec<&str> = loaded.value.inferred.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["Settings_DB_values", "UDT_Device"], "{:#?}", loaded.diagnostics);
    assert!(loaded.value.left_out.is_empty(), "{:#?}", loaded.value.left_out);
}
