//! Interfaces, types, initial values, actions, methods, instances.

use super::{body, loaded, program, project, same};

#[test]
fn interfaces_are_declaration_sections() {
    let variable = |name: &str, rest: &str| format!("<variable name=\"{name}\"{rest}</variable>");
    let xml = project(
        "",
        &format!(
            "<pou name=\"F\" pouType=\"function\"><interface><returnType><INT/></returnType><inputVars>{}</inputVars></interface>\
             <body><ST><xhtml xmlns=\"http://www.w3.org/1999/xhtml\">F := a * 2;</xhtml></ST></body></pou>\
             <pou name=\"B\" pouType=\"functionBlock\"><interface><inputVars>{}</inputVars><inOutVars>{}</inOutVars>\
             <outputVars>{}</outputVars><tempVars>{}</tempVars></interface>\
             <body><ST>q := x &lt; io; IF x &lt;&gt; io AND q THEN t := F(x); END_IF</ST></body></pou>\
             <pou name=\"Main\" pouType=\"program\"><interface><localVars retain=\"true\">{}{}{}</localVars>\
             <localVars constant=\"true\">{}</localVars></interface><documentation><xhtml:p>words</xhtml:p></documentation>\
             <body><ST><![CDATA[ b(x := k, io := n, q => out); ]]></ST></body></pou>",
            variable("a", "><type><INT/></type>"),
            variable("x", "><type><INT/></type><initialValue><simpleValue value=\"-3\"/></initialValue>"),
            variable("io", "><type><INT/></type>"),
            variable("q", "><type><BOOL/></type>"),
            variable("t", "><type><INT/></type><documentation>x</documentation>"),
            variable("out", " address=\"%QX0.1\"><type><BOOL/></type>"),
            variable("n", "><type><INT/></type><initialValue><simpleValue value=\"16#F\"/></initialValue>"),
            variable("b", "><type><derived name=\"B\"/></type>"),
            variable("k", "><type><INT/></type><initialValue><simpleValue value=\"7\"/></initialValue>"),
        ),
        "",
    );
    same(
        &xml,
        "FUNCTION F : INT VAR_INPUT a : INT; END_VAR F := a * 2; END_FUNCTION
         FUNCTION_BLOCK B VAR_INPUT x : INT := -3; END_VAR VAR_IN_OUT io : INT; END_VAR VAR_OUTPUT q : BOOL; END_VAR
         VAR_TEMP t : INT; END_VAR q := x < io; IF x <> io AND q THEN t := F(x); END_IF END_FUNCTION_BLOCK
         PROGRAM Main VAR RETAIN out AT %QX0.1 : BOOL; n : INT := 16#F; b : B; END_VAR VAR CONSTANT k : INT := 7; END_VAR
         b(x := k, io := n, q => out); END_PROGRAM",
    );
}

/// Beremiz keeps texts without quotes.
#[test]
fn initial_values_of_strings_may_have_no_quotes() {
    let variable = |name: &str, ty: &str, value: &str| {
        format!(
            "<variable name=\"{name}\"><type>{ty}</type><initialValue><simpleValue value=\"{value}\"/></initialValue></variable>"
        )
    };
    let read = |value: &str, ty: &str, instances: &str| {
        let types = "<dataType name=\"Text\"><baseType><string/></baseType></dataType>";
        let pou = format!(
            "<pou name=\"Main\" pouType=\"program\"><interface><localVars constant=\"true\">{}</localVars><localVars>{}\
             <variable name=\"q\"><type><string/></type></variable></localVars></interface><body><ST>q := s;</ST></body></pou>",
            variable("abc", "<string/>", "'zz'"),
            variable("s", ty, value),
        );
        let loaded = loaded("plc.xml", &project(types, &pou, instances));
        let told: Vec<String> = loaded.value.ledger.gaps.iter().map(|gap| gap.construct.clone()).collect();
        let st = loaded.value.project.to_st();
        let line = st.lines().find(|line| line.trim_start().starts_with("s :")).unwrap_or(&st).trim().to_owned();
        (line.split(":=").nth(1).unwrap_or("").trim().to_owned(), told.join("; "))
    };
    let whole = "<configuration name=\"C\"><resource name=\"R\"><task name=\"t\" priority=\"0\" interval=\"T#10ms\">\
                 <pouInstance name=\"i\" typeName=\"Main\"/></task></resource></configuration>";
    for ty in ["<string/>", "<derived name=\"Text\"/>"] {
        assert_eq!(read("on air", ty, whole), ("'on air';".to_owned(), String::new()), "{ty}");
        assert_eq!(read("'abc'", ty, whole), ("'abc';".to_owned(), String::new()), "{ty}");
        let told = "the initial value `abc` of a string is this text, not the value of a constant `abc`";
        assert_eq!(read("abc", ty, whole), ("'abc';".to_owned(), told.to_owned()), "{ty}");
    }
}

#[test]
fn types_and_initial_values_are_those_of_st() {
    let xml = project(
        "<dataType name=\"Color\"><baseType><enum><values><value name=\"Red\"/><value name=\"Blue\" value=\"5\"/></values></enum></baseType>\
         <initialValue><simpleValue value=\"Blue\"/></initialValue></dataType>\
         <dataType name=\"Level\"><baseType><subrangeSigned><range lower=\"-5\" upper=\"5\"/><baseType><INT/></baseType></subrangeSigned></baseType></dataType>\
         <dataType name=\"Row\"><baseType><array><dimension lower=\"0\" upper=\"2\"/><dimension lower=\"1\" upper=\"2\"/>\
         <baseType><DINT/></baseType></array></baseType></dataType>\
         <dataType name=\"Pair\"><baseType><struct><variable name=\"c\"><type><derived name=\"Color\"/></type></variable>\
         <variable name=\"n\"><type><derived name=\"Level\"/></type><initialValue><simpleValue value=\"1\"/></initialValue></variable></struct></baseType></dataType>",
        "<pou name=\"Main\" pouType=\"program\"><interface><localVars>\
         <variable name=\"r\"><type><derived name=\"Row\"/></type><initialValue><arrayValue>\
         <value repetitionValue=\"2\"><simpleValue value=\"1\"/></value><value><simpleValue value=\"2\"/></value>\
         <value repetitionValue=\"3\"><simpleValue value=\"0\"/></value></arrayValue></initialValue></variable>\
         <variable name=\"p\"><type><derived name=\"Pair\"/></type><initialValue><structValue>\
         <value member=\"n\"><simpleValue value=\"3\"/></value><value member=\"c\"><simpleValue value=\"Red\"/></value></structValue></initialValue></variable>\
         <variable name=\"t\"><type><TIME/></type><initialValue><simpleValue value=\"T#1s\"/></initialValue></variable>\
         </localVars></interface><body><ST>p.n := 2;</ST></body></pou>",
        "",
    );
    same(
        &xml,
        "TYPE Color : (Red, Blue := 5) := Blue; Level : INT (-5..5); Row : ARRAY [0..2, 1..2] OF DINT;
         Pair : STRUCT c : Color; n : Level := 1; END_STRUCT; END_TYPE
         PROGRAM Main VAR r : Row := [2(1), 2, 3(0)]; p : Pair := (n := 3, c := Red); t : TIME := T#1s; END_VAR p.n := 2; END_PROGRAM",
    );
}

/// Tools that write XML anew may put all paragraphs on one line of the file.
#[test]
fn a_comment_ends_with_its_paragraph() {
    for text in [
        "<xhtml:p>n := 1; // first</xhtml:p><xhtml:p>n := 2;</xhtml:p>",
        "<xhtml:p>n := 1; // first<xhtml:br/>n := 2;</xhtml:p>",
        "<xhtml:div>n := 1;// a</xhtml:div><xhtml:div><![CDATA[n := 2;]]></xhtml:div>",
    ] {
        body(&program("n : INT", &format!("<ST>{text}</ST>")), "n := 1;\nn := 2;");
    }
}

#[test]
fn members_of_blocks_are_read() {
    let body = |text: &str| format!("<body><ST><xhtml>{text}</xhtml></ST></body>");
    let data = |name: &str, inner: &str| {
        format!("<data name=\"http://www.3s-software.com/plcopenxml/{name}\" handleUnknown=\"implementation\">{inner}</data>")
    };
    let method = data(
        "method",
        &format!(
            "<Method name=\"Add\"><interface><returnType><INT/></returnType><inputVars><variable name=\"d\"><type><INT/></type></variable></inputVars>\
             <addData>{}</addData></interface>{}<addData/></Method>",
            data("accessmodifiers", "<AccessModifiers Public=\"true\"/>"),
            body("n := n + d; Add := n;")
        ),
    );
    let inherited = data("pouinheritance", "<Inheritance><Extends>Base</Extends></Inheritance>");
    let xml = project(
        "",
        &format!(
            "<pou name=\"Base\" pouType=\"functionBlock\"><interface><localVars><variable name=\"n\"><type><INT/></type></variable></localVars></interface>{}\
             <addData>{method}</addData></pou>\
             <pou name=\"More\" pouType=\"functionBlock\"><interface><addData>{inherited}</addData></interface>{}</pou>\
             <pou name=\"Main\" pouType=\"program\"><interface><localVars><variable name=\"m\"><type><derived name=\"More\"/></type></variable>\
             <variable name=\"x\"><type><INT/></type></variable></localVars></interface>\
             <actions><action name=\"Reset\">{}</action></actions>{}</pou>",
            body(""),
            body(""),
            body("x := 0;"),
            body("x := m.Add(2); IF 9 &lt; x THEN Reset(); END_IF"),
        ),
        "",
    );
    same(
        &xml,
        "FUNCTION_BLOCK Base VAR n : INT; END_VAR METHOD PUBLIC Add : INT VAR_INPUT d : INT; END_VAR n := n + d; Add := n; END_METHOD END_FUNCTION_BLOCK
         FUNCTION_BLOCK More EXTENDS Base END_FUNCTION_BLOCK
         PROGRAM Main VAR m : More; x : INT; END_VAR x := m.Add(2); IF 9 < x THEN Reset(); END_IF
         ACTION Reset: x := 0; END_ACTION END_PROGRAM",
    );
}

#[test]
fn declarations_as_text_say_more_than_elements() {
    let text = r#"<addData><data name="http://www.3s-software.com/plcopenxml/interfaceasplaintext" handleUnknown="implementation"><InterfaceAsPlainText><xhtml>PROGRAM Main
VAR
 x : INT := 3; // words &lt;
END_VAR
</xhtml></InterfaceAsPlainText></data></addData>"#;
    let pou = |text: &str| {
        let interface = "<interface><localVars><variable name=\"x\"><type><INT/></type></variable></localVars></interface>";
        project("", &format!("<pou name=\"Main\" pouType=\"program\">{interface}<body><ST>x := 1;</ST></body>{text}</pou>"), "")
    };
    same(&pou(text), "PROGRAM Main VAR x : INT := 3; END_VAR x := 1; END_PROGRAM");
    // The elements are used if the text cannot be read.
    let loaded = loaded("main.xml", &pou(&text.replace("INT := 3", "INT := := 3")));
    assert_eq!(loaded.diagnostics.len(), 1, "{:?}", loaded.diagnostics);
    assert!(loaded.value.project.to_st().contains("x : INT;"));
}

#[test]
fn lists_of_globals_are_found_where_codesys_puts_them() {
    let variable = "<variable name=\"g\"><type><INT/></type><initialValue><simpleValue value=\"4\"/></initialValue></variable>";
    let mixed = format!(
        "<globalVars name=\"Pumps\">{variable}<addData><data name=\"x/mixedattrsvarlist\"><MixedAttrsVarList><globalVars name=\"Pumps\" constant=\"true\">{variable}</globalVars></MixedAttrsVarList></data></addData></globalVars>"
    );
    let pou = "<addData><data name=\"x/pou\"><pou name=\"Main\" pouType=\"program\"><interface><localVars><variable name=\"x\"><type><INT/></type></variable></localVars></interface>\
               <body><ST>x := g;</ST></body></pou></data></addData>";
    let xml = project(
        "",
        "",
        &format!("<configuration name=\"Device\"><resource name=\"App\">{mixed}{pou}</resource></configuration>"),
    );
    let loaded = loaded("main.xml", &xml);
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
    let text = loaded.value.project.to_st();
    assert!(text.contains("VAR_GLOBAL CONSTANT") && text.contains("PROGRAM Main"), "{text}");
}

#[test]
fn tasks_and_instances_are_configurations() {
    use crate::ast::{ExprKind, Item, Literal};
    use crate::text::{FileId, Origin, SourceFile};
    let xml = project(
        "",
        "",
        "<configuration name=\"C 1\"><resource name=\"R\"><task name=\"T\" priority=\"2\" interval=\"PT0.05S\"><pouInstance name=\"Prg\" typeName=\"\"/>\
         <pouInstance name=\"VisuElems.Visu_Prg\" typeName=\"\"/></task><pouInstance name=\"i\" typeName=\"Other\"/></resource></configuration>",
    );
    let file = SourceFile::new("a.xml", xml, Origin::User);
    let parsed = crate::lang::parse(FileId(0), &file);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let [Item::Configuration(c)] = parsed.value.items.as_slice() else { panic!("{:?}", parsed.value.items) };
    let resource = &c.resources[0];
    assert_eq!((c.title(), resource.tasks[0].settings.len(), resource.programs.len()), ("C_1", 2, 3));
    let interval = &resource.tasks[0].settings[0].value.kind;
    assert!(matches!(interval, ExprKind::Literal(None, Literal::Duration { ns: 50_000_000, .. })), "{interval:?}");
    assert_eq!(
        resource.programs.iter().map(|p| p.program.root.text.as_str()).collect::<Vec<_>>(),
        ["Prg", "VisuElems.Visu_Prg", "Other"]
    );
}

#[test]
fn variables_of_channels_are_inputs_and_outputs() {
    let device = |name: &str| {
        let parameter = |channel: &str, ty: &str, mapping: &str| {
            format!("<Parameter type=\"{ty}\"><Attributes channel=\"{channel}\"/><Mapping>{mapping}</Mapping></Parameter>")
        };
        let device =
            parameter("input", "local:Bit4", &format!("<Element name=\"BIT0\">{name}</Element><Element name=\"BIT1\"/>"))
                + &parameter("output", "std:INT", "speed");
        format!(
            "<configuration name=\"D\"><addData><data name=\"Device\" handleUnknown=\"discard\"><Device>{device}</Device></data></addData></configuration>"
        )
    };
    let pou = "<pou name=\"Main\" pouType=\"program\"><body><ST>IF start THEN speed := 5; END_IF</ST></body></pou>";
    same(
        &project("", pou, &device("start")),
        "VAR_GLOBAL start AT %I* : BOOL; END_VAR VAR_GLOBAL speed AT %Q* : INT; END_VAR
         PROGRAM Main IF start THEN speed := 5; END_IF END_PROGRAM",
    );
    super::check(&project("", "", &device("App.GVL.start")), "P1006@5");
}
