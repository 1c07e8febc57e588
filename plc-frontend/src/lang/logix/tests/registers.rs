//! Shift registers, stacks, and parts of numbers.

use super::*;

#[test]
fn shifts_to_the_left() {
    let rung = "XIC(a)BSL(l[1],g,b,?);";
    // The prescan clears EN: a rung that is TRUE in the first scan shifts.
    check(rung, &["a", "a", "", "ab", "a"], "l[1]", &[20, 20, 20, 41, 41]);
    check(rung, &["a", "", "a"], "l[2]", &[20, 20, 20]);
    check(rung, &["a", ""], "g.POS", &[3, 0]);
    check(rung, &["a", ""], "g.DN", &[1, 0]);
    // Bit 2 of 10, 20 and 40.
    check(rung, &["a", "", "a", "", "a"], "g.UL", &[0, 0, 1, 1, 0]);
    let rung = "MOV(64,g.LEN);XIC(a)BSL(l[0],g,b,64);";
    check(&format!("MOV(-2,l[0]);{rung}"), &["a"], "l[1]", &[21]);
    check(&format!("MOV(-2,l[0]);{rung}"), &["ab"], "l[0]", &[-3]);
    check(&format!("MOV(-2,l[1]);{rung}"), &["a"], "g.UL", &[1]);
    check(rung, &["a"], "l[2]", &[20]);
}

#[test]
fn shifts_to_the_right() {
    let rung = "XIC(a)BSR(l[1],g,b,3);";
    check(rung, &["", "a", "a", "", "a"], "l[1]", &[10, 1, 1, 1, 0]);
    check(rung, &["ab", ""], "l[1]", &[5, 5]);
    check(rung, &["a", "", "ab"], "l[1]", &[1, 1, 4]);
    check(rung, &["a", "", "a"], "g.UL", &[0, 0, 1]);
    let rung = "MOV(64,g.LEN);MOV(3,l[1]);XIC(a)BSR(l[0],g,b,64);";
    check(rung, &["a"], "l[0]", &[-(1 << 31)]);
    check(rung, &["ab"], "l[1]", &[-(1 << 31) + 1]);
    check(rung, &["ab"], "l[2]", &[20]);
}

#[test]
fn first_in_first_out() {
    let rungs = "XIC(a)FFL(x,l[0],g,?,?);ADD(x,1,x);XIC(b)FFU(l[0],y,g,?,?);";
    // The prescan sets EN and EU: rungs that are TRUE in the first scan load and unload nothing.
    check(rungs, &["a", "", "a", "", "a", "", "a", "", "a"], "g.POS", &[0, 0, 1, 1, 2, 2, 3, 3, 3]);
    check(rungs, &["a", "", "a", "", "a", "", "a", "", "a"], "g.DN", &[0, 0, 0, 0, 0, 0, 1, 1, 1]);
    check(rungs, &["b", "", "a", "b"], "g.EM", &[1, 1, 0, 1]);
    check(rungs, &["b", "", "a", "", "a", "b", "", "b", "", "b"], "y", &[3, 3, 3, 3, 3, 9, 9, 11, 11, 0]);
    // The rest moves down, and 0 follows.
    check(rungs, &["", "b"], "l[0]", &[0, 0]);
    check(rungs, &["", "a", "", "a", "b"], "l[0]", &[0, 8, 8, 8, 10]);
    check(rungs, &["", "a", "", "a", "b"], "l[1]", &[10, 10, 10, 10, 20]);
    check(rungs, &["", "a", "", "a", "b"], "l[2]", &[20, 20, 20, 20, 0]);
    check(rungs, &["", "a", "", "a", "b"], "l[3]", &[30, 30, 30, 30, 30]);
}

#[test]
fn last_in_first_out() {
    let rungs = "XIC(a)LFL(x,l[1],g,?,?);ADD(x,1,x);XIC(b)LFU(l[1],r,g,?,?);MOV(r,y);";
    check(rungs, &["a", "a", "", "a", "", "a"], "l[2]", &[20, 20, 20, 20, 20, 12]);
    check(rungs, &["", "a", "", "a", "b", "", "b", "", "b"], "y", &[2, 2, 2, 2, 10, 10, 8, 8, 0]);
    check(rungs, &["", "a", "", "a", "b"], "l[2]", &[20, 20, 20, 10, 0]);
    check(rungs, &["", "a", "", "a", "b"], "g.POS", &[0, 1, 1, 2, 1]);
}

#[test]
fn a_stack_without_a_length_is_a_gap() {
    let project = project(&export("XIC(a)MOV(5,g.LEN);FFL(x,l[0],g,?,?);", ""));
    let mut machine = Machine::new(&project, Limits::default());
    let mut run = |a: bool| {
        machine.begin(&BTreeMap::from([("P.a".to_owned(), Value::Bool(a))]), 0).unwrap();
        machine.run(&mut Silent).is_ok()
    };
    assert!(run(false));
    assert!(!run(true));
}

#[test]
fn a_stack_is_reset() {
    check("XIC(a)FFL(x,l[0],g,?,?);XIC(b)RES(g);", &["", "a", "b"], "g.POS", &[0, 1, 0]);
}

#[test]
fn parts_of_numbers() {
    check("XIC(a)BTD(x,1,y,4,2);", &["", "a"], "y", &[3, 51]);
    check("BTD(x,0,y,31,1);", &[""], "y", &[3 - (1 << 31)]);
    check("BTD(x,0,y,30,3);", &[""], "y", &[3 - (1 << 30)]);
    check("BTD(w,8,y,0,8);", &[""], "y", &[1]);
    check("SWPB(w,REVERSE,w);", &[""], "w", &[513]);
    check("MOV(200,w);SWPB(w,WORD,x);", &[""], "x", &[-14336]);
    let order = |order: &str| format!("MOV(16#01020384,x);SWPB(x,{order},y);");
    check(&order("REVERSE"), &[""], "y", &[i128::from(0x8403_0201u32 as i32)]);
    check(&order("WORD"), &[""], "y", &[0x0384_0102]);
    for words in ["HIGHLOW", "HIGH/LOW"] {
        check(&order(words), &[""], "y", &[i128::from(0x0201_8403u32 as i32)]);
    }
    let text = export("JSR(Other,0);", &structured("Other", &["SWPB(w, HIGHLOW, w);"]));
    check_export(&text, &["", ""], "w", &[513, 258]);
}

#[test]
fn roots_and_sizes() {
    check("MOV(-6.25,r);SQR(r,r);MUL(r,2,x);", &[""], "x", &[5]);
    check_export(&export("JSR(Other,0);", &structured("Other", &["r := SQRT(r * r); x := r * 2.0;"])), &[""], "x", &[5]);
    check("XIC(a)SIZE(l,0,x);", &["", "a"], "x", &[7, 4]);
}

/// Returns an export with a block of Structured Text and these lines.
fn with_block(ty: &str, lines: &[&str]) -> String {
    export("JSR(Other,0);", &structured("Other", lines))
        .replace("<Tags>", &format!("<Tags><Tag Name=\"f\" TagType=\"Base\" DataType=\"{ty}\"/>"))
}

#[test]
fn one_shots_of_structured_text() {
    let text = |name: &str| with_block("FBD_ONESHOT", &["f.InputBit := a;", &format!("{name}(f);"), "p := f.OutputBit;"]);
    check_export(&text("OSRI"), &["a", "", "a", "a"], "p", &[0, 0, 1, 0]);
    check_export(&text("OSFI"), &["", "a", "", ""], "p", &[0, 0, 1, 0]);
    // A block that is skipped keeps its output.
    let lines = ["f.InputBit := a;", "IF NOT b THEN OSRI(f); END_IF;", "p := f.OutputBit;"];
    check_export(&with_block("FBD_ONESHOT", &lines), &["", "a", "ab", "b", "a"], "p", &[0, 1, 1, 1, 0]);
}

#[test]
fn counters_of_structured_text() {
    let lines = ["f.CUEnable := a; f.CDEnable := b; f.Reset := c; f.PRE := 2;", "CTUD(f);", "x := f.ACC; p := f.DN; q := f.CU;"];
    let text = with_block("FBD_COUNTER", &lines);
    let cycles = ["ab", "", "a", "a", "", "ab", "", "a", "", "b", "c"];
    check_export(&text, &cycles, "x", &[0, 0, 1, 1, 1, 1, 1, 2, 2, 1, 0]);
    check_export(&text, &cycles, "p", &[0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0]);
    check_export(&text, &cycles, "q", &[1, 0, 1, 1, 0, 1, 0, 1, 0, 0, 0]);
}

#[test]
fn off_delays_of_structured_text() {
    let lines = ["f.PRE := 200; f.TimerEnable := a; f.Reset := b;", "TOFR(f);", "x := f.ACC; p := f.DN; q := f.TT;"];
    let text = with_block("FBD_TIMER", &lines);
    let cycles = ["", "a", "a", "", "", "", "a", "", "b", ""];
    check_export(&text, &cycles, "x", &[200, 0, 0, 0, 100, 200, 0, 0, 200, 200]);
    check_export(&text, &cycles, "p", &[0, 1, 1, 1, 1, 0, 1, 1, 0, 0]);
    check_export(&text, &cycles, "q", &[0, 0, 0, 1, 1, 0, 0, 1, 0, 0]);
}
