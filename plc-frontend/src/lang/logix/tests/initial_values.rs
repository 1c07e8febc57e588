//! Initial values in the forms of exports.

use super::*;

fn with(tag: &str, rung: &str) -> String {
    export(rung, "").replace("<Tags>", &format!("<Tags>{tag}"))
}

fn table(order: &[usize]) -> String {
    let element = |at: &usize| format!("<Element Index=\"[{},{}]\" Value=\"{}\"/>", at / 3, at % 3, 10 + at);
    let elements: String = order.iter().map(element).collect();
    let array = format!("<Array DataType=\"DINT\" Dimensions=\"2,3\" Radix=\"Decimal\">{elements}</Array>");
    tag("v", " Dimensions=\"2 3\"", "DINT", &array)
}

fn is_unread(text: &str) -> bool {
    let mut sources = SourceSet::default();
    sources.add("test.L5X", text);
    format!("{:?}", load(&sources, &LoadOptions::default()).value.ledger).contains("initial value in a form that is not read")
}

#[test]
fn tables_have_the_values_of_their_rows() {
    let text = with(&table(&[0, 1, 2, 3, 4, 5]), "MOV(v[1,2],x)MOV(v[0,1],y)MOV(v[1,0],z);");
    for (leaf, value) in [("x", 15), ("y", 11), ("z", 13)] {
        check_export(&text, &[""], leaf, &[value]);
    }
    assert!(!is_unread(&text));
    assert!(is_unread(&with(&table(&[0, 3, 1, 4, 2, 5]), "MOV(v[1,2],x);")));
}

#[test]
fn numbers_are_written_as_characters() {
    let scalar = |ty: &str, value: &str| {
        let data = format!("<DataValue DataType=\"{ty}\" Radix=\"ASCII\" Value=\"{value}\"/>");
        with(&tag("v", "", ty, &data), "MOV(v,z);")
    };
    let cases = [("SINT", "'0'", 48), ("SINT", "'$FF'", -1), ("INT", "'AM'", 16717), ("DINT", "'$00$00$01A'", 321)];
    for (ty, value, expected) in cases {
        check_export(&scalar(ty, value), &[""], "z", &[expected]);
        assert!(!is_unread(&scalar(ty, value)), "{value}");
    }
    // The place of fewer characters is not known.
    assert!(is_unread(&scalar("DINT", "'AM'")));
}
