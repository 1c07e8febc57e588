//! Copies of bytes between types.

use super::*;

/// Returns an export with a data type `MIX`, tags of several types, and these lines.
fn with_mix(lines: &[&str]) -> String {
    let member = |name: &str, ty: &str, length: u32, rest: &str| {
        format!("<Member Name=\"{name}\" DataType=\"{ty}\" Dimension=\"{length}\"{rest}/>")
    };
    let bit =
        |name: &str, number: u32| member(name, "BIT", 0, &format!(" Hidden=\"false\" Target=\"ZZ0\" BitNumber=\"{number}\""));
    let members = [
        member("ZZ0", "SINT", 0, " Hidden=\"true\""),
        bit("First", 0),
        bit("Last", 7),
        member("Small", "INT", 0, ""),
        member("Text", "SINT", 3, ""),
        member("Whole", "DINT", 0, ""),
        member("Part", "REAL", 0, ""),
        member("Tail", "SINT", 0, ""),
    ];
    let types = format!("<DataTypes><DataType Name=\"MIX\"><Members>{}</Members></DataType></DataTypes>", members.concat());
    let plain = |name: &str, ty: &str| format!("<Tag Name=\"{name}\" TagType=\"Base\" DataType=\"{ty}\"/>");
    let array =
        |name: &str, ty: &str, n: u32| format!("<Tag Name=\"{name}\" TagType=\"Base\" DataType=\"{ty}\" Dimensions=\"{n}\"/>");
    let tags = [
        plain("mix", "MIX"),
        plain("other", "MIX"),
        array("bytes", "SINT", 32),
        array("few", "INT", 2),
        plain("wide", "LINT"),
        plain("positive", "UINT"),
    ];
    let text = export("JSR(Other,0);", &structured("Other", lines));
    text.replace("<Tags>", &format!("<Tags>{}", tags.concat())).replace("<Programs>", &format!("{types}<Programs>"))
}

fn check_mix(lines: &[&str], leaf: &str, expected: i128) {
    check_export(&with_mix(lines), &["a"], leaf, &[expected]);
}

/// Returns whether the first scan reaches a gap.
fn stops(lines: &[&str]) -> bool {
    let project = project(&with_mix(lines));
    let mut machine = Machine::new(&project, Limits::default());
    machine.begin(&BTreeMap::new(), 100_000_000).unwrap();
    machine.run(&mut Silent).is_err()
}

#[test]
fn numbers_are_little_endian() {
    check_mix(&["x := 16#81020384; COP(x, bytes[4], 4);"], "bytes[4]", -124);
    check_mix(&["x := 16#81020384; COP(x, bytes[4], 4);"], "bytes[7]", -127);
    check_mix(&["bytes[1] := 16#34; bytes[2] := -2; COP(bytes[1], w, 1);"], "w", -460);
    check_mix(&["bytes[1] := 1; bytes[4] := -128; COP(bytes[1], x, 1);"], "x", 1 - (1 << 31));
    check_mix(&["x := 16#3FC00000; COP(x, r, 1); r := r * 2.0; y := r;"], "y", 3);
    check_mix(&["r := 1.5; COP(r, x, 1);"], "x", 0x3FC0_0000);
    check_mix(&["r := -1.5; COP(r, bytes[0], 4);"], "bytes[3]", -65);
    check_mix(&["bytes[0] := -1; bytes[1] := -1; COP(bytes[0], positive, 1);"], "positive", 65535);
    check_mix(&["bytes[0] := 7; bytes[7] := -1; COP(bytes[0], wide, 1); COP(wide, x, 1);"], "x", 7);
    check_mix(&["bytes[0] := 7; bytes[7] := -1; COP(bytes[0], wide, 1); COP(wide, m[1], 2);"], "m[2]", -(1 << 24));
}

#[test]
fn members_stand_at_their_places() {
    // Bits, a gap, Small at 2, Text at 4 to 6, Whole at 8, Part at 12, Tail at 16, in all 20 bytes.
    let fill =
        "mix.First := 1; mix.Last := 1; mix.Small := 258; mix.Text[2] := 9; mix.Whole := 5; mix.Part := 1.5; mix.Tail := 3;";
    for (at, expected) in [(0, -127), (1, 0), (2, 2), (3, 1), (6, 9), (7, 0), (8, 5), (15, 63), (16, 3), (19, 0)] {
        check_mix(&["bytes[1] := 77; bytes[7] := 77;", fill, "COP(mix, bytes[0], 20);"], &format!("bytes[{at}]"), expected);
    }
    check_mix(&["bytes[20] := 77;", fill, "COP(mix, bytes[0], 20);"], "bytes[20]", 77);
    // Whole structures of bytes.
    check_mix(&["bytes[0] := 16#80; bytes[8] := 4; COP(bytes[0], mix, 1);"], "mix.Last", 1);
    check_mix(&["mix.First := 1; bytes[0] := 16#80; bytes[8] := 4; COP(bytes[0], mix, 1);"], "mix.First", 0);
    check_mix(&["bytes[0] := 16#80; bytes[8] := 4; COP(bytes[0], mix, 1);"], "mix.Whole", 4);
    // The copy goes on with the members behind.
    check_mix(&["l[0] := 6; l[1] := 16#40000000; COP(l[0], mix.Whole, 2); x := mix.Part;"], "x", 2);
}

#[test]
fn copies_end_with_their_target() {
    check_mix(&["few[0] := 1; few[1] := 1; COP(l[1], few[1], 4);"], "few[1]", 10);
    check_mix(&["bytes[0] := 4; COP(bytes[0], mix.Tail, 9);"], "mix.Tail", 4);
    let gap = |lines: &[&str]| {
        let mut sources = SourceSet::default();
        sources.add("test.L5X", with_mix(lines).as_str());
        format!("{:?}", load(&sources, &LoadOptions::default()).value.ledger)
    };
    // What stands behind the source is not known.
    assert!(gap(&["COP(bytes[30], x, 1);"]).contains("COP: "));
    assert!(gap(&["COP(t, bytes[0], 12);"]).contains("COP: "));
    assert!(gap(&["COP(a, bytes[0], 1);"]).contains("COP: "));
    // To higher places of one tag.
    assert!(gap(&["COP(bytes[0], bytes[1], 4);"]).contains("COP: "));
    assert!(gap(&["COP(mix, bytes[0], 20);"]).contains("bytes and bits of structures"));
    assert!(!gap(&["COP(bytes[1], x, 1);"]).contains("COP"));
}

#[test]
fn bytes_move_down_within_a_tag() {
    let fill = "bytes[2] := 2; bytes[3] := 3; bytes[4] := 4;";
    check_mix(&[fill, "COP(bytes[2], bytes[1], 3);"], "bytes[1]", 2);
    check_mix(&[fill, "COP(bytes[2], bytes[1], 3);"], "bytes[3]", 4);
    check_mix(&[fill, "x := 3; COP(bytes[2], bytes[1], x);"], "bytes[3]", 4);
    assert!(stops(&["x := 3; COP(bytes[0], bytes[1], x);"]));
    assert!(!stops(&["x := 3; COP(bytes[1], bytes[0], x);"]));
}

#[test]
fn places_and_lengths_are_tags() {
    let fill = "bytes[2] := 2; bytes[3] := 3; bytes[4] := 4; x := 3;";
    check_mix(&[fill, "COP(bytes[x], w, 1);"], "w", 1027);
    check_mix(&[fill, "COP(x, bytes[x + 1], 4);"], "bytes[5]", 0);
    check_mix(&[fill, "few[1] := 513; COP(few[y - 2], bytes[x + 1], 2);"], "bytes[5]", 2);
    check_mix(&[fill, "COP(bytes[2], mix.Text[0], x);"], "mix.Text[2]", 4);
    check_mix(&[fill, "COP(bytes[2], mix.Text[0], z);"], "mix.Text[2]", 0);
    assert!(stops(&["x := 4; COP(bytes[2], mix.Text[0], x);"]));
    assert!(stops(&["x := -1; COP(bytes[2], mix.Text[0], x);"]));
    assert!(stops(&["x := 29; COP(bytes[x], y, 1);"]));
    assert!(!stops(&["x := 28; COP(bytes[x], y, 1);"]));
    assert!(stops(&["x := 32; COP(bytes[x], mix.Text[0], z);"]));
}

#[test]
fn circular_types_have_no_layout() {
    let member = |name: &str, ty: &str| format!("<Member Name=\"{name}\" DataType=\"{ty}\" Dimension=\"900000000\"/>");
    let ty = |name: &str, inner: &str| {
        let members = [member("A", inner), member("B", inner)].concat();
        format!("<DataType Name=\"{name}\"><Members>{members}</Members></DataType>")
    };
    let types: String = (0..40).map(|at| ty(&format!("T{at}"), &format!("T{}", (at + 1) % 40))).collect();
    let text = with_mix(&["COP(big, x, 1);"]).replace("<DataTypes>", &format!("<DataTypes>{types}"));
    let text = text.replace("<Tags>", "<Tags><Tag Name=\"big\" TagType=\"Base\" DataType=\"T0\"/>");
    let mut sources = SourceSet::default();
    sources.add("test.L5X", text.as_str());
    load(&sources, &LoadOptions::default());
}
