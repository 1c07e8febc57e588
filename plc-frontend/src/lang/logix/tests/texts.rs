//! Texts, and members that are bits of visible members.

use super::*;

/// Returns an export with a text `str`, a short text `code`, and these lines.
fn with_texts(lines: &[&str]) -> String {
    with_tags(&export("JSR(Other,0);", &structured("Other", lines)))
}

/// Returns an export with a text `str`, which is `a$A` and a new line, and a short text `code`, which is `xy`.
pub(super) fn with_tags(text: &str) -> String {
    let ty = "<DataTypes><DataType Name=\"STR_3\" Family=\"StringFamily\"><Members>\
              <Member Name=\"LEN\" DataType=\"DINT\" Dimension=\"0\" Hidden=\"false\"/>\
              <Member Name=\"DATA\" DataType=\"SINT\" Dimension=\"3\" Radix=\"ASCII\" Hidden=\"false\"/></Members></DataType></DataTypes>";
    let tags = "<Tags><Tag Name=\"str\" TagType=\"Base\" DataType=\"STRING\"><Data Format=\"String\" Length=\"4\"><![CDATA['a$$$41$N']]>\
                </Data></Tag><Tag Name=\"code\" TagType=\"Base\" DataType=\"STR_3\"><Data Format=\"Decorated\"><Structure DataType=\"STR_3\">\
                <DataValueMember Name=\"LEN\" DataType=\"DINT\" Radix=\"Decimal\" Value=\"2\"/><DataValueMember Name=\"DATA\" \
                DataType=\"STR_3\" Radix=\"ASCII\"><![CDATA['xy']]></DataValueMember></Structure></Data></Tag>";
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
    // Reading changes these characters.
    assert!(ledger(&["code := '.[';"]).contains("assignment of a text"));
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
    // Diagrams and charts name them, too.
    let drawn = |ty: &str, content: &str| format!("<Routine Name=\"Other\" Type=\"{ty}\">{content}</Routine>");
    let refer = |kind: &str, id: u32, operand: &str| format!("<{kind} ID=\"{id}\" X=\"0\" Y=\"0\" Operand=\"{operand}\"/>");
    let sheet = [refer("IRef", 0, "a"), refer("ORef", 1, "state.Ready"), "<Wire FromID=\"0\" ToID=\"1\"/>".to_owned()].concat();
    let diagram = drawn("FBD", &format!("<FBDContent><Sheet Number=\"1\">{sheet}</Sheet></FBDContent>"));
    check_export(&build("JSR(Other,0);MOV(state.Flags,x);", &diagram), &["", "a"], "x", &[4, 5]);
    let lines = |text: &str| format!("<STContent><Line Number=\"0\"><![CDATA[{text}]]></Line></STContent>");
    let body = lines("state.Ready := a; x := state.Flags;");
    let chart = format!(
        "<SFCContent><Step ID=\"0\" Operand=\"One\" InitialStep=\"true\"><Action ID=\"1\" Operand=\"Act\" Qualifier=\"N\" \
         IsBoolean=\"false\"><Body>{body}</Body></Action></Step><Transition ID=\"2\" Operand=\"Tran\"><Condition>{}</Condition>\
         </Transition><DirectedLink FromID=\"0\" ToID=\"2\"/><DirectedLink FromID=\"2\" ToID=\"0\"/></SFCContent>",
        lines("state.Late")
    );
    let tags = ["One\" TagType=\"Base\" DataType=\"SFC_STEP", "Act\" TagType=\"Base\" DataType=\"SFC_ACTION"];
    let tags = tags.map(|tag| format!("<Tag Name=\"{tag}\"/>")).concat();
    let text = build("JSR(Other,0);", &drawn("SFC", &chart)).replace("<Tags>", &format!("<Tags>{tags}"));
    check_export(&text, &["", "a"], "x", &[4, 5]);
}

/// Returns what `code` and `str` hold after these lines: the length and the first three characters of `str`.
fn check_text(line: &str, expected: &str) {
    let lines = [line, "x := str.LEN;", "y := str.DATA[0]; z := str.DATA[1]; w := str.DATA[2];"];
    let text = with_texts(&lines);
    let leaves = ["x", "y", "z", "w"];
    let first = expected.bytes().take(3).map(i128::from);
    let values: Vec<i128> = std::iter::once(expected.len() as i128).chain(first).collect();
    for (leaf, value) in leaves.iter().zip(values) {
        check_export(&text, &[""], leaf, &[value]);
    }
}

#[test]
fn texts_are_joined_and_cut() {
    check_text("CONCAT(code, code, str);", "xyxy");
    check_text("CONCAT('a', code, str);", "axy");
    check_text("str := 'ab'; CONCAT(str, code, str);", "abxy");
    check_text("str := 'q'; CONCAT(str, '=', str);", "q=");
    check_text("MID(code, 1, 2, str);", "y");
    check_text("str := 'abcde'; DELETE(str, 2, 2, str);", "ade");
    check_text("str := 'abcde'; DELETE(str, 5, 1, str);", "");
    check_text("DELETE(code, 1, 1, str);", "y");
}

#[test]
fn texts_are_inserted_and_change_their_case() {
    check_text("str := 'q'; INSERT(code, 'ab', 2, str);", "xaby");
    check_text("INSERT(code, code, 1, str);", "xyxy");
    check_text("str := 'aZ{9z'; UPPER(str, str);", "AZ{9Z");
    check_text("str := 'Az@9Z'; LOWER(str, str);", "az@9z");
    check_text("UPPER(code, str);", "XY");
}

#[test]
fn texts_are_compared() {
    let lines = ["IF a THEN str := 'Hi'; code := 'Hi'; END_IF; IF b THEN code := 'hi'; END_IF; IF c THEN str := 'Hi!'; END_IF;"];
    let text = with_texts(&lines).replace("JSR(Other,0);", "JSR(Other,0);EQU(str,code)OTE(p);NEQ(code,str)OTE(q);");
    check_export(&text, &["", "a", "ab", "a", "c", "ac"], "p", &[0, 1, 0, 1, 0, 0]);
    check_export(&text, &["", "a", "ab", "a", "c", "ac"], "q", &[1, 0, 1, 0, 1, 1]);
    // A rung that is FALSE compares nothing, so that it has no fault.
    let text = with_texts(&["str.LEN := -1;"]).replace("JSR(Other,0);", "JSR(Other,0);XIC(b)NEQ(str,code)OTE(q);");
    check_export(&text, &["", "a"], "q", &[0, 0]);
    let ledger = |rung: &str| {
        let mut sources = SourceSet::default();
        sources.add("test.L5X", with_texts(&[]).replace("JSR(Other,0);", rung));
        format!("{:?}", load(&sources, &LoadOptions::default()).value.ledger)
    };
    assert!(ledger("EQU(str,x)OTE(p);").contains("comparison of texts"));
    assert!(ledger("LES(str,code)OTE(p);").contains("LES: operand `str`"));
}

#[test]
fn texts_are_found() {
    let check = |line: &str, expected: i128| check_export(&with_texts(&[line]), &[""], "x", &[expected]);
    check("str := 'abcabc'; FIND(str, 'bc', 1, x);", 2);
    check("str := 'abcabc'; FIND(str, 'bc', 3, x);", 5);
    check("str := 'abcabc'; FIND(str, 'abd', 1, x);", 0);
    check("str := 'aabxy'; FIND(str, code, 1, x);", 4);
    check("str := 'ax'; FIND(str, code, 1, x);", 0);
    check("str := 'aaab'; FIND(str, 'aab', 1, x);", 2);
}

#[test]
fn numbers_become_texts() {
    for number in ["0", "7", "-1", "10", "-905", "123456", "2147483647"] {
        check_text(&format!("x := {number}; DTOS(x, str);"), number);
    }
    check_text("x := -2147483647 - 1; DTOS(x, str);", "-2147483648");
    check_text("DTOS(w, str);", "258");
}

#[test]
fn texts_that_do_not_fit_are_gaps() {
    let runs = |line: &str| {
        let project = project(&with_texts(&[line]));
        let mut machine = Machine::new(&project, Limits::default());
        machine.begin(&BTreeMap::new(), 0).unwrap();
        machine.run(&mut Silent).is_ok()
    };
    assert!(runs("MID(code, 2, 1, str);"));
    assert!(!runs("MID(code, 2, 2, str);"));
    assert!(!runs("CONCAT(code, 'ab', code);"));
    assert!(!runs("code.LEN := 4; CONCAT(code, 'a', str);"));
    assert!(!runs("DELETE(code, 1, 0, str);"));
    assert!(runs("INSERT(code, 'a', 2, str);") && !runs("INSERT(code, 'a', 3, str);"));
    assert!(!runs("INSERT(str, 'a', 0, code);") && !runs("INSERT(str, 'abc', 1, code);"));
    assert!(!runs("FIND(code, 'x', 0, x);") && !runs("str := ''; FIND(code, str, 1, x);"));
    assert!(!runs("UPPER(str, code);") && !runs("code.LEN := 4; LOWER(code, str);"));
    let ledger = |line: &str| {
        let mut sources = SourceSet::default();
        sources.add("test.L5X", with_texts(&[line]).as_str());
        format!("{:?}", load(&sources, &LoadOptions::default()).value.ledger)
    };
    // The second text would be overwritten before it is read.
    assert!(ledger("CONCAT(code, str, str);").contains("instruction CONCAT"));
    assert!(ledger("DTOS(x, code);").contains("instruction DTOS"));
}

#[test]
fn the_first_number_of_a_text() {
    for (text, expected) in [
        ("12ab", 12),
        ("a-34", -34),
        ("- 5", 5),
        ("-", 0),
        ("abc", 0),
        ("7.9", 7),
        ("--8", -8),
        ("1-2", 1),
        ("2147483647", i128::from(i32::MAX)),
        ("-2147483648", i128::from(i32::MIN)),
    ] {
        let text = with_texts(&[&format!("str := '{text}';"), "STOD(str, x);"]);
        check_export(&text, &[""], "x", &[expected]);
    }
    for text in ["2147483648", "-2147483649", "99999999999", ""] {
        let project = project(&with_texts(&[&format!("str := '{text}';"), "STOD(str, x);"]));
        let mut machine = Machine::new(&project, Limits::default());
        machine.begin(&BTreeMap::new(), 100_000_000).unwrap();
        assert!(machine.run(&mut Silent).is_err(), "{text}");
    }
}

#[test]
fn structured_text_compares_texts() {
    let tags = "<Tag Name=\"one\" TagType=\"Base\" DataType=\"STRING\"/><Tag Name=\"two\" TagType=\"Base\" DataType=\"STRING\"/>";
    let check_lines = |lines: &[&str], expected: [i128; 3]| {
        let text = export("JSR(Other,0);", &structured("Other", lines)).replace("<Tags>", &format!("<Tags>{tags}"));
        check_export(&text, &["", "a", "ab"], "p", &expected);
    };
    let set = "one := 'abc'; IF a THEN two := 'abc'; ELSE two := 'abd'; END_IF; IF b THEN two := 'ab'; END_IF;";
    check_lines(&[set, "p := one = two;"], [0, 1, 0]);
    check_lines(&[set, "p := NOT (one <> two) OR b;"], [0, 1, 1]);
    check_lines(&[set, "IF b THEN p := 0; ELSIF one = two THEN p := 1; ELSE p := 0; END_IF;"], [0, 1, 0]);
    check_lines(&[set, "p := two = 'ab';"], [0, 0, 1]);
    check_lines(&[set, "p := 'abd' = two;"], [1, 0, 0]);
    check_lines(&[set, "x := 0; WHILE one <> two AND x < 3 DO x := x + 1; two := 'abc'; END_WHILE; p := x = 1;"], [1, 0, 1]);
    check_lines(&[set, "x := 0; REPEAT x := x + 1; two := 'abc'; UNTIL one = two END_REPEAT; p := x = 1;"], [1, 1, 1]);
    let text = export("CMP(one=two)OTE(p);", &structured("Other", &[])).replace("<Tags>", &format!("<Tags>{tags}"));
    check_export(&text, &[""], "p", &[1]);
}

#[test]
fn an_alias_of_the_length_of_a_text_has_its_value() {
    let words = "<LocalTag Name=\"Words\" DataType=\"STRING\"><DefaultData Format=\"String\" Length=\"2\"><![CDATA['ab']]></DefaultData></LocalTag>";
    let parameter = |name: &str, ty: &str, usage: &str| {
        format!("<Parameter Name=\"{name}\" TagType=\"Base\" DataType=\"{ty}\" Usage=\"{usage}\" Required=\"false\"/>")
    };
    let parameters =
        [parameter("EnableIn", "BOOL", "Input"), parameter("EnableOut", "BOOL", "Output"), parameter("n", "DINT", "Output")];
    let alias = "<Parameter Name=\"Length\" TagType=\"Alias\" Usage=\"Input\" AliasFor=\"Words.LEN\" Required=\"false\"/>";
    let logic = structured("Logic", &["n := Length + Words.LEN;"]);
    let definition = format!(
        "<AddOnInstructionDefinitions><AddOnInstructionDefinition Name=\"Count\"><Parameters>{}{alias}</Parameters><LocalTags>{words}\
         </LocalTags><Routines>{logic}</Routines></AddOnInstructionDefinition></AddOnInstructionDefinitions><Programs>",
        parameters.concat()
    );
    let text = export("Count(f);MOV(f.n,x);", "").replace("<Programs>", &definition);
    check_export(&text.replace("<Tags>", "<Tags><Tag Name=\"f\" TagType=\"Base\" DataType=\"Count\"/>"), &[""], "x", &[4]);
}
