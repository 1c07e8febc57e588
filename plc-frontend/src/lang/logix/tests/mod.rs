//! Programs of rungs and of Structured Text with their results, cycle by cycle.

mod aliases;
mod connections;
mod enable;
mod entry_arrays;
mod flags;
mod flow;
mod indices;
mod initial_values;
mod initial_writes;
mod instructions;
mod memory;
mod modules;
mod names;
mod numbers;
mod other_programs;
mod parts;
mod prescan;
mod printed;
mod registers;
pub(in crate::lang::logix) mod restarts;
mod sequencers;
mod system;
mod tasks;
mod texts;
mod timers;
mod unmodelled;

use std::collections::BTreeMap;

use crate::hir::{Project, Value};
use crate::interp::{Limits, Machine, Silent};
use crate::text::{Severity, SourceSet};
use crate::{LoadOptions, load};

const INPUTS: &[&str] = &["a", "b", "c"];
const BITS: &[&str] = &["p", "q", "s", "Late"];

fn tag(name: &str, usage: &str, ty: &str, data: &str) -> String {
    format!("<Tag Name=\"{name}\" TagType=\"Base\" DataType=\"{ty}\"{usage}><Data Format=\"Decorated\">{data}</Data></Tag>\n")
}

fn number(name: &str, value: i32) -> String {
    tag(name, "", "DINT", &format!("<DataValue DataType=\"DINT\" Radix=\"Decimal\" Value=\"{value}\"/>"))
}

/// Returns an export of a program with bits, numbers, a counter and these rungs; `rest` holds further routines.
pub(in crate::lang::logix) fn export(main: &str, rest: &str) -> String {
    let bit = |name: &str, usage: &str, value: u8| {
        tag(name, usage, "BOOL", &format!("<DataValue DataType=\"BOOL\" Radix=\"Decimal\" Value=\"{value}\"/>"))
    };
    let inputs: String = INPUTS.iter().map(|name| bit(name, " Usage=\"Input\"", 0)).collect();
    let bits: String = BITS.iter().map(|name| bit(name, "", 1)).collect();
    let member = |name: &str, ty: &str, value: u8| {
        format!("<DataValueMember Name=\"{name}\" DataType=\"{ty}\" Radix=\"Decimal\" Value=\"{value}\"/>")
    };
    let flags: String = ["CU", "CD", "DN", "OV", "UN"].iter().map(|name| member(name, "BOOL", 0)).collect();
    let counter =
        format!("<Structure DataType=\"COUNTER\">{}{}{flags}</Structure>", member("PRE", "DINT", 2), member("ACC", "DINT", 0));
    let flags: String = ["EN", "TT", "DN"].iter().map(|name| member(name, "BOOL", 0)).collect();
    let timer =
        format!("<Structure DataType=\"TIMER\">{}{}{flags}</Structure>", member("PRE", "DINT", 200), member("ACC", "DINT", 0));
    let flags: String = ["EN", "EU", "DN", "EM", "ER", "UL", "IN", "FD"].iter().map(|name| member(name, "BOOL", 0)).collect();
    let control =
        format!("<Structure DataType=\"CONTROL\">{}{}{flags}</Structure>", member("LEN", "DINT", 3), member("POS", "DINT", 0));
    let word = "<DataValue DataType=\"INT\" Radix=\"Decimal\" Value=\"258\"/>";
    let real = "<DataValue DataType=\"REAL\" Radix=\"Float\" Value=\"2.5\"/>";
    let elements: String = (0..4).map(|at| format!("<Element Index=\"[{at}]\" Value=\"{}\"/>", 10 * at)).collect();
    let array = format!("<Array DataType=\"DINT\" Dimensions=\"4\" Radix=\"Decimal\">{elements}</Array>");
    let list = |name: &str| tag(name, " Dimensions=\"4\"", "DINT", &array);
    let numbers = [number("x", 7), number("y", 3), number("z", 0), tag("r", "", "REAL", real), list("l"), list("m")].concat();
    let tags = [inputs, bits, numbers, tag("k", "", "COUNTER", &counter), tag("t", "", "TIMER", &timer)].concat();
    let tags = [tags, tag("g", "", "CONTROL", &control), tag("w", "", "INT", word)].concat();
    let main = routine("Main", main);
    format!(
        "<?xml version=\"1.0\"?>\n<RSLogix5000Content TargetType=\"Program\"><Controller Use=\"Context\" Name=\"C\"><Programs>\
         <Program Use=\"Target\" Name=\"P\" MainRoutineName=\"Main\"><Tags>{tags}</Tags><Routines>{main}{rest}</Routines></Program>\
         </Programs></Controller></RSLogix5000Content>"
    )
}

pub(in crate::lang::logix) fn routine(name: &str, rung: &str) -> String {
    let rung = format!("<Rung Number=\"0\" Type=\"N\"><Text><![CDATA[{rung}]]></Text></Rung>");
    format!("<Routine Name=\"{name}\" Type=\"RLL\"><RLLContent>{rung}</RLLContent></Routine>")
}

pub(in crate::lang::logix) fn structured(name: &str, lines: &[&str]) -> String {
    let line = |(at, text): (usize, &&str)| format!("<Line Number=\"{at}\"><![CDATA[{text}]]></Line>\n");
    let lines: String = lines.iter().enumerate().map(line).collect();
    format!("<Routine Name=\"{name}\" Type=\"ST\"><STContent>{lines}</STContent></Routine>")
}

pub(in crate::lang::logix) fn project(text: &str) -> Project {
    let mut sources = SourceSet::default();
    sources.add("test.L5X", text);
    let parsed = load(&sources, &LoadOptions::default());
    let errors: Vec<_> = parsed.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{text}\n{errors:#?}");
    parsed.value.project
}

/// Runs a program with these inputs, one letter for each that is TRUE, and checks a leaf after each cycle.
pub(in crate::lang::logix) fn check_export(text: &str, cycles: &[&str], leaf: &str, expected: &[i128]) {
    let project = project(text);
    let mut machine = Machine::new(&project, Limits::default());
    let mut found = Vec::new();
    for cycle in cycles {
        let value = |name: &&str| (format!("P.{name}"), Value::Bool(cycle.contains(*name)));
        let inputs: BTreeMap<String, Value> = INPUTS.iter().map(value).collect();
        machine.begin(&inputs, 100_000_000).unwrap();
        machine.run(&mut Silent).unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
        found.push(match machine.leaf(&format!("P.{leaf}")) {
            Some(Value::Bool(b)) => i128::from(b),
            Some(Value::Int(i)) => i,
            other => panic!("{leaf}: {other:?} of {:?}", machine.leaves()),
        });
    }
    assert_eq!(found, expected, "{leaf} of {text}");
}

fn check(rung: &str, cycles: &[&str], leaf: &str, expected: &[i128]) {
    check_export(&export(rung, ""), cycles, leaf, expected);
}

#[test]
fn bits_and_branches() {
    let all = ["", "a", "b", "ab", "abc"];
    check("XIC(a)XIO(b)OTE(p);", &all, "p", &[0, 1, 0, 0, 0]);
    check("[XIC(a),XIC(b)]OTE(p);", &all, "p", &[0, 1, 1, 1, 1]);
    check("XIC(c)[XIC(a)[XIC(b),XIO(b)],NOP()]OTE(p);", &all, "p", &[0, 0, 0, 0, 1]);
    check("XIC(a)[OTE(p),XIC(b)OTE(q)];", &all, "q", &[0, 0, 0, 1, 1]);
    // A coil inside of a rung: what follows sees its new value.
    check("XIC(a)OTE(p)XIO(p)OTE(q);", &all, "q", &[0, 0, 0, 0, 0]);
    check("AFI()OTE(p);", &all, "p", &[0, 0, 0, 0, 0]);
    check("OTU(p);XIC(a)OTL(p);XIC(b)OTU(p);", &["", "a", "b"], "p", &[0, 1, 0]);
    // The rung behind a latch: it holds.
    check("XIC(b)OTU(p);XIC(a)OTL(p);", &["", "b", "a", "", "b"], "p", &[1, 0, 1, 1, 0]);
}

#[test]
fn one_shots_and_their_prescan() {
    // A rung that is TRUE in the first cycle has no edge: the prescan has set the storage bit.
    check("XIC(a)ONS(s)OTE(p);", &["a", "a", "", "a", "a"], "p", &[0, 0, 0, 1, 0]);
    check("XIC(a)OSR(s,p);", &["a", "", "a", "a"], "p", &[0, 0, 1, 0]);
    check("XIC(a)OSF(s,p);", &["", "a", "", ""], "p", &[0, 0, 1, 0]);
}

#[test]
fn routines_that_are_called_and_skipped() {
    let text = export("XIC(b)JSR(Other,0);", &routine("Other", "XIC(a)OTE(p);"));
    // The prescan reaches called routines; a skipped coil keeps its value.
    check_export(&text, &["", "ab", "", "b"], "p", &[0, 1, 1, 0]);
    // A routine that nothing calls has no prescan, either.
    check_export(&export("NOP();", &routine("Other", "XIC(a)OTE(p);")), &["a"], "p", &[1]);
    let lines = ["IF a THEN // rise", "  p := 0; x := 16#10 + y;", "END_IF;"];
    let text = export("JSR(Other,0);", &structured("Other", &lines));
    check_export(&text, &["", "a"], "x", &[7, 19]);
    check_export(&text, &["", "a"], "p", &[1, 0]);
}

#[test]
fn instructions_without_a_model_are_gaps() {
    let check = |rung: &str, words: Option<&str>| {
        let mut sources = SourceSet::default();
        sources.add("test.L5X", export(rung, "").as_str());
        let loaded = load(&sources, &LoadOptions::default());
        let ledger = format!("{:?}", loaded.value.ledger);
        assert!(words.is_none_or(|words| ledger.contains(words)), "{rung}: {ledger}");
        assert_eq!(ledger.contains("operand ") || ledger.contains("instruction "), words.is_some(), "{rung}: {ledger}");
    };
    check("XIC(a)OTE(p);", None);
    check("XIC(a)TON(t,?,?);", None);
    check("XIC(a)BSL(l,x,p,4);", Some("operand `"));
    check("XIC(a)BSL(x.1,g,p,4);", Some("BSL: operand `x.1` is no"));
    check("XIC(a)BTD(x,30,y,0,4);", Some("BTD: its bits are not all within the source"));
    check("XIC(a)ABCD(p);", Some("instruction that is not known"));
    check("MOD(r,x,r);", Some("instruction MOD"));
    check("XIC(Local:1:I.Data.0)OTE(p);", None);
    check("MOV(Local:1:I.Data,x);", Some("operand `"));
    check("MOV(p,x);", Some("operand `"));
}

#[test]
fn an_add_on_instruction_has_aliases_and_a_prescan() {
    let value = |ty: &str, v: i32| {
        format!("<DefaultData Format=\"Decorated\"><DataValue DataType=\"{ty}\" Value=\"{v}\"/></DefaultData>")
    };
    let logic = structured("Logic", &["Sum := Sum + Step;", "Same := Sum = Total;"]);
    let prescan = structured("Prescan", &["Sum := 100;"]);
    let definition = format!(
        "<AddOnInstructionDefinitions><AddOnInstructionDefinition Name=\"Adder\" ExecutePrescan=\"true\"><Parameters>\
         <Parameter Name=\"Step\" TagType=\"Base\" DataType=\"DINT\" Usage=\"Input\" Required=\"true\">{}</Parameter>\
         <Parameter Name=\"EnableOut\" TagType=\"Base\" DataType=\"BOOL\" Usage=\"Output\" Required=\"false\"/>\
         <Parameter Name=\"Total\" TagType=\"Alias\" Usage=\"Output\" AliasFor=\"Sum\" Required=\"false\"/>\
         <Parameter Name=\"Same\" TagType=\"Base\" DataType=\"BOOL\" Usage=\"Output\" Required=\"true\">{}</Parameter></Parameters>\
         <LocalTags><LocalTag Name=\"Sum\" DataType=\"DINT\">{}</LocalTag></LocalTags>\
         <Routines>{logic}{prescan}</Routines></AddOnInstructionDefinition></AddOnInstructionDefinitions><Programs>",
        value("DINT", 0),
        value("BOOL", 0),
        value("DINT", 5),
    );
    let text = export("Adder(adder,y,p);MOV(adder.Total,x);", "").replace("<Programs>", &definition);
    let text = text.replace("<Tags>", "<Tags><Tag Name=\"adder\" TagType=\"Base\" DataType=\"Adder\"/>");
    check_export(&text, &["", ""], "x", &[103, 106]);
    check_export(&text, &["", ""], "p", &[1, 1]);
}

#[test]
fn damaged_exports_are_read() {
    let rungs = "XIC(a)[OTE(p),CTU(k,?,?),TON(t,?,?)];MCR();XIC(x.[y])JMP(l);LIM(1,x,Local:1:I.Data)COP(l[1],m[0],2);LBL(l);";
    let whole = export(rungs, &structured("Other", &["x := y / z; TONR(t); IF S:FS THEN x.[y] := 1; END_IF;"]));
    let read = |text: &str| {
        let mut sources = SourceSet::default();
        sources.add("test.L5X", text);
        load(&sources, &LoadOptions::default());
    };
    for end in (0..whole.len()).step_by(37) {
        read(whole.get(..end).unwrap());
    }
    // Each piece of the routines at another place.
    let start = whole.find("<Routines>").unwrap();
    for (from, to) in (start..whole.len() - 40).step_by(11).zip((start..whole.len() - 40).step_by(7)) {
        let (Some(piece), Some(before), Some(after)) = (whole.get(from..from + 9), whole.get(..to), whole.get(to..)) else {
            continue;
        };
        read(&[before, piece, after].concat());
    }
}
