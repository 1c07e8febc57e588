//! Start values of single elements, and array data blocks.

use super::{document, loaded, main_with};

/// Returns a data block with these members.
fn data_block(kind: &str, members: &str) -> String {
    document(&format!(
        "<SW.Blocks.{kind} ID=\"0\"><AttributeList><Interface><Sections><Section Name=\"Static\">{members}</Section></Sections></Interface>\
         <Name>G</Name></AttributeList></SW.Blocks.{kind}>"
    ))
}

/// Checks the start values of the leaves of the data block, and the findings behind them.
#[track_caller]
fn check(kind: &str, members: &str, expected: &str) {
    let point = "<SW.Types.PlcStruct ID=\"0\"><AttributeList><Interface><Sections><Section Name=\"None\">\
        <Member Name=\"x\" Datatype=\"Int\"><StartValue>7</StartValue></Member><Member Name=\"y\" Datatype=\"Array[0..1] of Int\"/>\
        </Section></Sections></Interface><Name>Point</Name></AttributeList></SW.Types.PlcStruct>";
    let files = [("Main.xml", main_with("")), ("G.xml", data_block(kind, members)), ("P.xml", document(point))];
    let loaded = loaded(&files);
    let leaves = loaded.value.project.leaves();
    let value = |leaf: &crate::hir::Leaf| match leaf.init {
        Some(crate::hir::Value::Bool(value)) => u8::from(value).to_string(),
        other => other.and_then(crate::hir::Value::as_int).map_or_else(|| "-".to_owned(), |value| value.to_string()),
    };
    let of_block = leaves.iter().filter_map(|leaf| Some((leaf, leaf.name.strip_prefix("G.")?)));
    let found = of_block.map(|(leaf, name)| format!("{}={}", name.replace(", ", ","), value(leaf)));
    let codes = loaded.diagnostics.iter().map(|d| d.code.to_owned());
    let unread =
        loaded.value.ledger.gaps.iter().filter(|gap| gap.construct.contains("array data block")).map(|_| "gap".to_owned());
    assert_eq!(found.chain(codes).chain(unread).collect::<Vec<_>>().join(" "), expected, "{members}\n{:#?}", loaded.diagnostics);
}

fn element(path: &str, value: &str) -> String {
    format!("<Subelement Path=\"{path}\"><StartValue>{value}</StartValue></Subelement>")
}

fn member(name: &str, datatype: &str, inside: &str) -> String {
    format!("<Member Name=\"{name}\" Datatype=\"{}\">{inside}</Member>", datatype.replace('"', "&quot;"))
}

fn of_type(members: &str) -> String {
    format!("<Sections><Section Name=\"None\">{members}</Section></Sections>")
}

/// Indices count from the lower bound.
#[test]
fn start_values_of_elements() {
    check("GlobalDB", &member("a", "Array[0..2] of Int", &element("1", "6")), "a[0]=0 a[1]=6 a[2]=0");
    let two = element("2,0", "TRUE") + &element("1,1", "true");
    check("GlobalDB", &member("a", "Array[1..2, 0..1] of Bool", &two), "a[1,0]=0 a[1,1]=1 a[2,0]=1 a[2,1]=0");
    check("GlobalDB", &member("a", "Array[0..1] of Int", &element("0,1", "6")), "a[0]=0 a[1]=0 P1018");
}

#[test]
fn start_values_in_arrays_of_structures() {
    let x = member("x", "Int", &element("1", "5"));
    let default = member("z", "Int", "<StartValue>3</StartValue>");
    check("GlobalDB", &member("a", "Array[0..1] of Struct", &(x.clone() + &default)), "a[0].x=0 a[0].z=3 a[1].x=5 a[1].z=3");
    // The path has the indices of the outer array first.
    let inner = member("b", "Array[1..2] of Struct", &member("y", "Int", &(element("0,2", "8") + &element("1,1", "9"))));
    check("GlobalDB", &member("a", "Array[0..1] of Struct", &inner), "a[0].b[1].y=0 a[0].b[2].y=8 a[1].b[1].y=9 a[1].b[2].y=0");
    let points = of_type(&(x + &member("y", "Array[0..1] of Int", &element("0,1", "4"))));
    check(
        "GlobalDB",
        &member("a", "Array[0..1] of \"Point\"", &points),
        "a[0].x=7 a[0].y[0]=0 a[0].y[1]=4 a[1].x=5 a[1].y[0]=0 a[1].y[1]=0",
    );
    // An array inside of a structure in place has its own indices.
    let own = member("s", "Struct", &member("v", "Array[0..1] of Int", &element("1", "2")));
    check("GlobalDB", &own, "s.v[0]=0 s.v[1]=2");
    let wrong = member("x", "Int", &element("1,0", "5"));
    check("GlobalDB", &member("a", "Array[0..1] of Struct", &wrong), "a[0].x=0 a[1].x=0 P1018");
}

#[test]
fn array_data_blocks_are_arrays() {
    check("ArrayDB", &member("THIS", "Array[0..1] of Int", &element("1", "6")), "THIS[0]=0 THIS[1]=6");
    check("ArrayDB", "", "gap");
}
