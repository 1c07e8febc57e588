//! One row for each instruction: its value after the prescan, after its execution, and in a scan that skips it.

use super::*;

/// Instructions whose exact meaning is asked for.
const ASKED: &str = "XIC XIO OTE OTL OTU ONS OSR OSF OSRI OSFI TON TOF RTO RES CTU CTD EQU NEQ LES GRT LEQ GEQ LIM CMP MEQ MOV MVM \
                     CLR COP CPS FLL BTD SWPB ADD SUB MUL DIV MOD SQR NEG ABS CPT AND OR XOR NOT BSL BSR FFL FFU SEL ESEL FOR BRK SIZE \
                     CONCAT MID DELETE INSERT UPPER LOWER FIND DTOS STOD";

/// Form of the routine of a row.
#[derive(Clone, Copy)]
enum Form {
    Rung,
    Text,
    Diagram,
}

use Form::{Diagram, Rung, Text};

/// An instruction, its routine, the leaf, and its values in three scans: the routine is called in the second one only.
type Row = (&'static str, Form, &'static str, &'static str, [i128; 3]);

const ROWS: &[Row] = &[
    ("XIC", Rung, "XIC(a)OTE(p);", "p", [0, 1, 1]),
    ("XIO", Rung, "XIO(b)OTE(p);", "p", [0, 1, 1]),
    ("OTE", Rung, "XIO(a)OTE(q);XIC(a)OTE(p);", "p", [0, 1, 1]),
    ("OTL", Rung, "XIC(a)OTL(x.3);", "x", [7, 15, 15]),
    ("OTU", Rung, "XIC(a)OTU(p);", "p", [1, 0, 0]),
    // The prescan sets storage bits, that of OSF it clears.
    ("ONS", Rung, "XIO(a)ONS(x.3)OTE(p);", "x", [15, 7, 7]),
    ("OSR", Rung, "XIO(a)OSR(x.3,p);", "x", [15, 7, 7]),
    ("OSF", Rung, "XIC(a)OSF(x.0,p);", "x", [6, 7, 7]),
    ("OSRI", Text, "f.InputBit := a; OSRI(f); p := f.OutputBit;", "p", [1, 0, 0]),
    ("OSFI", Text, "f.InputBit := a; OSFI(f); p := f.OutputBit;", "p", [1, 0, 0]),
    ("TON", Rung, "XIC(a)TON(t,?,?);", "t.EN", [0, 1, 1]),
    ("TOF", Rung, "XIC(a)TOF(t,?,?);", "t.ACC", [200, 0, 0]),
    ("RTO", Rung, "XIC(a)RTO(t,?,?);", "t.TT", [0, 1, 1]),
    ("RES", Rung, "ADD(k.ACC,5,k.ACC);XIC(b)RES(k);XIC(a)RES(k);ADD(k.ACC,1,k.ACC);", "k.ACC", [0, 1, 1]),
    ("CTU", Rung, "XIO(a)CTU(k,?,?);", "k.CU", [1, 0, 0]),
    ("CTD", Rung, "XIO(a)CTD(k,?,?);", "k.CD", [1, 0, 0]),
    ("EQU", Rung, "EQU(x,7)OTE(p);", "p", [0, 1, 1]),
    ("NEQ", Rung, "NEQ(x,y)OTE(p);", "p", [0, 1, 1]),
    ("LES", Rung, "LES(y,x)OTE(p);", "p", [0, 1, 1]),
    ("GRT", Rung, "GRT(x,y)OTE(p);", "p", [0, 1, 1]),
    ("LEQ", Rung, "LEQ(y,3)OTE(p);", "p", [0, 1, 1]),
    ("GEQ", Rung, "GEQ(x,7)OTE(p);", "p", [0, 1, 1]),
    ("LIM", Rung, "LIM(3,x,9)OTE(p);", "p", [0, 1, 1]),
    ("CMP", Rung, "CMP(x>y+3)OTE(p);", "p", [0, 1, 1]),
    ("MEQ", Rung, "MEQ(x,3,y)OTE(p);", "p", [0, 1, 1]),
    ("MOV", Rung, "MOV(x,z);", "z", [0, 7, 7]),
    ("MVM", Rung, "MVM(8,12,y);", "y", [3, 11, 11]),
    ("CLR", Rung, "CLR(x);", "x", [7, 0, 0]),
    ("COP", Rung, "COP(l[2],m[0],1);", "m[0]", [0, 20, 20]),
    ("CPS", Rung, "CPS(l[2],m[0],2);", "m[1]", [10, 30, 30]),
    ("FLL", Rung, "FLL(x,l[1],2);", "l[2]", [20, 7, 7]),
    ("BTD", Rung, "BTD(x,0,z,1,2);", "z", [0, 6, 6]),
    ("SWPB", Rung, "SWPB(w,HIGHLOW,w);", "w", [258, 513, 513]),
    ("ADD", Rung, "ADD(x,y,z);", "z", [0, 10, 10]),
    ("SUB", Rung, "SUB(y,x,z);", "z", [0, -4, -4]),
    ("MUL", Rung, "MUL(x,y,z);", "z", [0, 21, 21]),
    ("DIV", Rung, "DIV(x,y,z);", "z", [0, 2, 2]),
    ("MOD", Rung, "MOD(x,y,z);", "z", [0, 1, 1]),
    ("SQR", Rung, "SQR(6.25,r);MUL(r,2,z);", "z", [0, 5, 5]),
    ("NEG", Rung, "NEG(x,z);", "z", [0, -7, -7]),
    ("ABS", Rung, "ABS(-5,z);", "z", [0, 5, 5]),
    ("CPT", Rung, "CPT(z,(x+y)*2);", "z", [0, 20, 20]),
    ("AND", Rung, "AND(x,5,z);", "z", [0, 5, 5]),
    ("OR", Rung, "OR(x,8,z);", "z", [0, 15, 15]),
    ("XOR", Rung, "XOR(x,2,z);", "z", [0, 5, 5]),
    ("NOT", Rung, "NOT(x,z);", "z", [0, -8, -8]),
    ("BSL", Rung, "XIC(a)BSL(l[1],g,b,3);", "l[1]", [10, 20, 20]),
    ("BSR", Rung, "XIC(a)BSR(l[1],g,b,3);", "l[1]", [10, 1, 1]),
    // The prescan sets EN and EU; a FALSE rung clears them.
    ("FFL", Rung, "XIO(a)FFL(x,l[0],g,?,?);", "g.EN", [1, 0, 0]),
    ("FFU", Rung, "XIO(a)FFU(l[0],y,g,?,?);", "g.EU", [1, 0, 0]),
    ("SEL", Diagram, "SEL SELECT y-In1 x-In2 a-SelectorIn Out-z", "z", [0, 7, 7]),
    ("ESEL", Diagram, "ESEL SELECT_ENHANCED y-In1 x-In2 5-In3 3-InsUsed 1-SelectorMode Out-z", "z", [0, 7, 7]),
    ("FOR", Rung, "FOR(Count,z,0,3,1);", "y", [3, 7, 7]),
    ("BRK", Rung, "FOR(Stop,z,0,3,1);", "y", [3, 4, 4]),
    ("SIZE", Rung, "SIZE(l,0,x);", "x", [7, 4, 4]),
    ("CONCAT", Rung, "CONCAT(code,code,str);", "str.DATA[3]", [10, 121, 121]),
    ("MID", Rung, "MID(code,1,2,str);", "str.LEN", [4, 1, 1]),
    ("DELETE", Rung, "DELETE(str,1,1,str);", "str.DATA[0]", [97, 36, 36]),
    ("INSERT", Rung, "INSERT(code,code,2,str);", "str.DATA[1]", [36, 120, 120]),
    ("UPPER", Rung, "UPPER(code,str);", "str.DATA[0]", [97, 88, 88]),
    ("LOWER", Rung, "LOWER(str,str);", "str.DATA[2]", [65, 97, 97]),
    ("FIND", Text, "FIND(str, 'A', 1, x);", "x", [7, 3, 3]),
    ("DTOS", Rung, "DTOS(x,str);", "str.LEN", [4, 1, 1]),
    ("STOD", Text, "code := '42'; STOD(code, x);", "x", [7, 42, 42]),
];

/// Returns a diagram of one block from text: instruction, type of its tag, wires of inputs, the wire of its output.
fn diagram(text: &str) -> (String, String) {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [instruction, ty, wires @ .., output] = words.as_slice() else { panic!("{text}") };
    let refer = |kind: &str, id: usize, operand: &str| format!("<{kind} ID=\"{id}\" X=\"0\" Y=\"0\" Operand=\"{operand}\"/>");
    let mut sheet = format!("<Block Type=\"{instruction}\" ID=\"0\" X=\"0\" Y=\"0\" Operand=\"f\" VisiblePins=\"\"/>");
    for (id, wire) in (1..).zip(wires) {
        let (operand, pin) = wire.split_once('-').unwrap();
        sheet += &refer("IRef", id, operand);
        sheet += &format!("<Wire FromID=\"{id}\" ToID=\"0\" ToParam=\"{pin}\"/>");
    }
    let (pin, target) = output.split_once('-').unwrap();
    sheet += &refer("ORef", 99, target);
    sheet += &format!("<Wire FromID=\"0\" FromParam=\"{pin}\" ToID=\"99\"/>");
    let content = format!("<FBDContent SheetSize=\"A4\"><Sheet Number=\"1\">{sheet}</Sheet></FBDContent>");
    (format!("<Routine Name=\"Other\" Type=\"FBD\">{content}</Routine>"), (*ty).to_owned())
}

/// Returns the export of a row: its routine is called where `c` is TRUE.
fn export_of(form: Form, text: &str) -> String {
    let (other, ty) = match form {
        Rung => (routine("Other", text), "FBD_ONESHOT".to_owned()),
        Text => (structured("Other", &[text]), "FBD_ONESHOT".to_owned()),
        Diagram => diagram(text),
    };
    let rest = [other, routine("Count", "ADD(y,1,y);"), routine("Stop", "ADD(y,1,y);BRK();")].concat();
    let enabled = "<DataValueMember Name=\"EnableIn\" DataType=\"BOOL\" Radix=\"Decimal\" Value=\"1\"/>";
    let data = format!("<Data Format=\"Decorated\"><Structure DataType=\"{ty}\">{enabled}</Structure></Data>");
    let tag = format!("<Tags><Tag Name=\"f\" TagType=\"Base\" DataType=\"{ty}\">{data}</Tag>");
    super::texts::with_tags(&export("XIC(c)JSR(Other,0);", &rest).replace("<Tags>", &tag))
}

#[test]
fn names_of_tags_may_be_words_of_the_standard() {
    for name in [
        "Type", "Var", "AT", "End", "Program", "Step", "Action", "Function", "Struct", "Array", "Constant", "Retain", "Class",
        "Continue",
    ] {
        let rungs = format!("XIC(a)ADD({name},1,{name});XIC(b)CPT({name},{name}*2+1);JSR(Other,0);");
        let rest = structured("Other", &[&format!("IF c THEN {name} := {name} + 10; x := {name} MOD 7; END_IF;")]);
        let text = export(&rungs, &rest).replace("\"y\"", &format!("\"{name}\""));
        check_export(&text, &["a", "b", "c"], name, &[4, 9, 19]);
        check_export(&text, &["a", "b", "c"], "x", &[7, 7, 5]);
    }
}

#[test]
fn the_gap_of_an_operand_names_it_with_its_instruction_and_the_reason() {
    let gaps = |rung: &str| {
        let mut sources = SourceSet::default();
        sources.add("test.L5X", export(rung, ""));
        let ledger = load(&sources, &LoadOptions::default()).value.ledger;
        let words = |gap: &crate::text::Gap| {
            let written = gap.construct.split_once(": it writes only").map(|(words, _)| words.to_owned());
            written.or_else(|| (gap.treatment == crate::text::Treatment::Unsupported).then(|| gap.construct.clone()))
        };
        ledger.gaps.iter().filter_map(words).collect::<Vec<_>>()
    };
    for (rung, expected) in [
        ("MOV(k,x);", "MOV: operand `k` is of the type COUNTER, and a number (SINT, INT, DINT or REAL) is needed"),
        ("XIC(x)OTE(p);", "XIC: operand `x` is of the type DINT, and a BOOL or a bit of an integer is needed"),
        ("ADD(x,l,y);", "ADD: operand `l` is an array of DINT, and a number (SINT, INT, DINT or REAL) is needed"),
        (
            "EQU(x,nothing)OTE(p);",
            "EQU: operand `nothing` is no tag whose type this export states, and a number (SINT, INT, DINT or REAL) is needed",
        ),
        ("AND(r,1,x);", "AND: operand `r` is a REAL, and an integer is needed"),
        ("MOV(x,7);", "MOV: operand `7` is a constant, and a tag is needed"),
        ("CTU(t,?,?);", "CTU: operand `t` is of the type TIMER, and COUNTER is needed"),
        ("ADD(x+1,y,z);", "ADD: operand `x+1` is an expression, and a number (SINT, INT, DINT or REAL) is needed"),
    ] {
        assert_eq!(gaps(rung), [expected], "{rung}");
    }
}

#[test]
fn each_instruction_has_its_values_after_prescan_execution_and_a_skipped_call() {
    for (_, form, text, leaf, values) in ROWS {
        check_export(&export_of(*form, text), &["", "ac", ""], leaf, values);
    }
}

#[test]
fn the_rows_are_the_instructions_that_are_asked_for() {
    let mut rows: Vec<&str> = ROWS.iter().map(|row| row.0).collect();
    let mut asked: Vec<&str> = ASKED.split_whitespace().collect();
    rows.sort_unstable();
    asked.sort_unstable();
    assert_eq!(rows, asked);
    for (name, _, text, ..) in ROWS {
        let uses = |name: &str| text.contains(&format!("{name}(")) || text.starts_with(&format!("{name} "));
        assert!(uses(name) || *name == "BRK", "{name}");
    }
}
