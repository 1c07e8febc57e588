//! Texts, and members that are bits of visible members.

use super::*;

/// Returns an export with a text `str`, a short text `code`, and these lines.
fn with_texts(lines: &[&str]) -> String {
    let ty = "<DataTypes><DataType Name=\"STR_3\" Family=\"StringFamily\"><Members>\
              <Member Name=\"LEN\" DataType=\"DINT\" Dimension=\"0\" Hidden=\"false\"/>\
              <Member Name=\"DATA\" DataType=\"SINT\" Dimension=\"3\" Radix=\"ASCII\" Hidden=\"false\"/></Members></DataType></DataTypes>";
    let tags = "<Tags><Tag Name=\"str\" TagType=\"Base\" DataType=\"STRING\"><Data Format=\"String\" Length=\"4\"><![CDATA['a$$$41$N']]>\
                </Data></Tag><Tag Name=\"code\" TagType=\"Base\" DataType=\"STR_3\"><Data Format=\"Decorated\"><Structure DataType=\"STR_3\">\
                <DataValueMember Name=\"LEN\" DataType=\"DINT\" Radix=\"Decimal\" Value=\"2\"/><DataValueMember Name=\"DATA\" \
                DataType=\"STR_3\" Radix=\"ASCII\"><![CDATA['xy']]></DataValueMember></Structure></Data></Tag>";
    let text = export("JSR(Other,0);", &structured("Other", lines));
    text.replace("<Tags>", tags).replace("<Programs>", &format!("{ty}<Programs>"))
}

#[test]
fn texts_have_initial_values() {
    check_export(&with_texts(&["x := str.LEN; y := str.DATA[2]; z := str.DATA[4];"]), &[""], "x", &[4]);
    check_export(&with_texts(&["x := str.DATA[1]; y := str.DATA[2]; z := str.DATA[4];"]), &[""], "x", &[36]);
    check_export(&with_texts(&["x := str.DATA[1]; y := str.DATA[2]; z := str.DATA[4];"]), &[""], "y", &[0x41]);
    check_export(&with_texts(&["x := code.LEN; y := code.DATA[1]; z := code.DATA[2];"]), &[""], "y", &[i128::from(b'y')]);
}

#[test]
fn texts_are_assigned() {
    let text = with_texts(&["IF a THEN str := 'Hi'; code := '$FF'; END_IF; x := str.LEN; y := str.DATA[1]; z := code.DATA[0];"]);
    check_export(&text, &["", "a"], "x", &[4, 2]);
    check_export(&text, &["", "a"], "y", &[36, i128::from(b'i')]);
    check_export(&text, &["", "a"], "z", &[i128::from(b'x'), -1]);
    let ledger = |lines: &[&str]| {
        let mut sources = SourceSet::default();
        sources.add("test.L5X", with_texts(lines).as_str());
        format!("{:?}", load(&sources, &LoadOptions::default()).value.ledger)
    };
    assert!(ledger(&["code := 'long';"]).contains("assignment of a text"));
    assert!(ledger(&["code := 'fit';"]).contains("bytes of a text behind its length"));
}

#[test]
fn bits_of_visible_members_are_bits_of_their_host() {
    let member = |name: &str, ty: &str, rest: &str| {
        format!("<Member Name=\"{name}\" DataType=\"{ty}\" Dimension=\"0\" Hidden=\"false\"{rest}/>")
    };
    let members = [
        member("Flags", "INT", ""),
        member("Ready", "BIT", " Target=\"Flags\" BitNumber=\"0\""),
        member("Late", "BIT", " Target=\"Flags\" BitNumber=\"15\""),
    ];
    let ty = format!("<DataTypes><DataType Name=\"STATE\"><Members>{}</Members></DataType></DataTypes>", members.concat());
    let value =
        |name: &str, ty: &str, value: &str| format!("<DataValueMember Name=\"{name}\" DataType=\"{ty}\" Value=\"{value}\"/>");
    let values = [value("Flags", "INT", "4"), value("Ready", "BOOL", "0"), value("Late", "BOOL", "0")].concat();
    let tags = format!(
        "<Tags><Tag Name=\"state\" TagType=\"Base\" DataType=\"STATE\"><Data Format=\"Decorated\"><Structure DataType=\"STATE\">\
         {values}</Structure></Data></Tag><Tag Name=\"other\" TagType=\"Alias\" AliasFor=\"state.Late\"/>"
    );
    let build =
        |rungs: &str, rest: &str| export(rungs, rest).replace("<Tags>", &tags).replace("<Programs>", &format!("{ty}<Programs>"));
    // The prescan clears the coil.
    check_export(&build("XIC(a)OTE(state.Ready);MOV(state.Flags,x);", ""), &["", "a", ""], "x", &[4, 5, 4]);
    check_export(&build("XIC(a)OTL(state.Late);MOV(state.Flags,x);", ""), &["", "a"], "x", &[4, 4 - (1 << 15)]);
    check_export(&build("XIC(a)MOV(-1,state.Flags);XIC(other)OTE(p);", ""), &["", "a"], "p", &[0, 1]);
    let lines = ["state.Ready := NOT state.Ready; x := state.Flags;"];
    check_export(&build("JSR(Other,0);", &structured("Other", &lines)), &["", ""], "x", &[5, 4]);
}
