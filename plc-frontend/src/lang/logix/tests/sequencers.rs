//! Sequencers and FAL, cycle by cycle. `g` has the length 3; `l` is 0, 10, 20, 30.

use super::*;

#[test]
fn outputs_of_a_sequencer() {
    let rung = "XIC(a)SQO(l[0],-1,z,g,?,?);";
    // The prescan sets EN: a rung that is TRUE in the first scan puts out the step 0.
    check(rung, &["a", "a", "", "a", "", "a", "", "a", "", "a"], "g.POS", &[0, 0, 0, 1, 1, 2, 2, 3, 3, 1]);
    check(rung, &["a", "a", "", "a", "", "a", "", "a", "", "a"], "z", &[0, 0, 0, 10, 10, 20, 20, 30, 30, 10]);
    check(rung, &["", "a", "", "a", "", "a", "", "a"], "g.DN", &[0, 0, 0, 0, 0, 1, 1, 0]);
    check(rung, &["a", "", "a", ""], "g.EN", &[1, 0, 1, 0]);
    // The step is put out in each scan of a TRUE rung, through the mask.
    check("XIC(a)SQO(l[0],16#6,x,g,?,?);", &["", "a", "a"], "x", &[7, 3, 3]);
    check("XIC(a)SQO(l[0],16#6,x,g,?,?);MOV(7,l[1]);", &["", "a", "a"], "x", &[7, 7, 7]);
    // Behind the first element of the array.
    check("MOV(2,g.LEN);XIC(a)SQO(l[1],-1,z,g,?,?);", &["", "a", "", "a"], "z", &[0, 20, 20, 30]);
    check("XIC(a)SQO(l[0],-1,w,g,?,?);", &["", "a", "a"], "w", &[258, 10, 10]);
    // The rung goes on.
    check("XIC(a)SQO(l[0],-1,z,g,?,?)OTE(p);", &["", "a"], "p", &[0, 1]);
}

#[test]
fn steps_are_loaded() {
    let rung = "XIC(b)ADD(x,1,x);XIC(a)SQL(l[0],x,g,?,?);";
    // The prescan sets EN: a rung that is TRUE in the first scan loads the step 0.
    check(rung, &["a", "a", "", "a", "ab", "", "a"], "l[0]", &[7, 7, 7, 7, 7, 7, 7]);
    // The step at the position is loaded in each scan of a TRUE rung.
    check(rung, &["", "a", "ab", "b", "a"], "l[1]", &[10, 7, 8, 8, 8]);
    check(rung, &["", "a", "ab", "b", "a"], "l[2]", &[20, 20, 20, 20, 9]);
    // Behind the last step it goes on with the first one; the step 0 is left.
    check(rung, &["", "a", "", "a", "", "a", "", "ab"], "g.POS", &[0, 1, 1, 2, 2, 3, 3, 1]);
    check(rung, &["", "a", "", "a", "", "a", "", "ab"], "l[1]", &[10, 7, 7, 7, 7, 7, 7, 8]);
    check(rung, &["", "a", "", "a", "", "a"], "g.DN", &[0, 0, 0, 0, 0, 1]);
    check("XIC(a)SQL(l[1],x,g,?,?);MOV(2,g.LEN);", &["", "a"], "l[2]", &[20, 7]);
}

#[test]
fn a_sequencer_has_a_prescan_and_may_be_skipped() {
    let rest = routine("Other", "XIC(a)SQO(l[0],-1,z,g,?,?);");
    let text = export("XIC(b)JSR(Other,0);", &rest);
    // A skipped call keeps EN: the edge behind it is none.
    check_export(&text, &["ab", "b", "ab", "a", "ab", "b", "ab"], "g.POS", &[0, 0, 1, 1, 1, 1, 2]);
    // Without a prescan the first TRUE rung is an edge: EN is FALSE in the export.
    let fal = routine("Other", "XIC(a)FAL(g,3,0,ALL,m[g.POS],l[g.POS]+1);");
    let text = export("XIC(b)JSR(Other,0);", &fal);
    check_export(&text, &["a", "ab", "a", "ab", "b", "ab"], "g.POS", &[0, 3, 3, 3, 0, 3]);
}

#[test]
fn inputs_of_a_sequencer() {
    let rung = "XIC(b)ADD(g.POS,1,g.POS);XIC(c)MOV(20,y);XIC(a)SQI(l[0],-1,y,g,?,?)OTE(p);";
    check(rung, &["a", "ab", "abc", "c", "ac"], "p", &[0, 0, 1, 0, 1]);
    check("XIC(a)SQI(l[0],4,x,g,?,?)OTE(p);MOV(2,g.POS);", &["a", "a"], "p", &[0, 1]);
    // A position outside of the length is an error, and the rung is FALSE.
    let rung = "XIC(b)MOV(4,g.POS);XIC(a)SQI(l[0],0,x,g,?,?)OTE(p);";
    check(rung, &["a", "ab", "a", ""], "p", &[1, 0, 0, 0]);
    check(rung, &["a", "ab", "", "a"], "g.ER", &[0, 1, 1, 1]);
    check("MOV(0,g.LEN);XIC(a)SQI(l[0],0,x,g,?,?)OTE(p);", &["a"], "p", &[0]);
}

#[test]
fn expressions_of_all_elements() {
    let rung = "XIC(a)FAL(g,3,0,ALL,m[g.POS],l[g.POS]*2+y);";
    for (at, value) in [(0, 3), (1, 23), (2, 43), (3, 30)] {
        check(rung, &["", "a"], &format!("m[{at}]"), &[10 * at, value]);
    }
    check(rung, &["a", "a", "", "a"], "g.POS", &[3, 3, 0, 3]);
    check(rung, &["a", "a", "", "a"], "g.DN", &[1, 1, 0, 1]);
    check(rung, &["a", "a", "", "a"], "g.EN", &[1, 1, 0, 1]);
    // A sum, once for each edge.
    check("XIC(a)FAL(g,3,0,ALL,z,z+l[g.POS]);", &["a", "a", "", "a"], "z", &[30, 30, 30, 60]);
    // A result of REAL is rounded, and a start behind the first element is kept while the rung is TRUE.
    check("XIC(a)FAL(g,3,0,ALL,z,r+1.0);", &["a"], "z", &[4]);
    check("XIC(b)MOV(1,g.POS);XIC(a)FAL(g,3,0,ALL,z,z+l[g.POS]);", &["ab"], "z", &[30]);
}

#[test]
fn sequencers_with_other_positions_are_gaps() {
    let words = |rung: &str| {
        let mut sources = SourceSet::default();
        sources.add("test.L5X", export(&format!("{rung};"), "").as_str());
        format!("{:?}", load(&sources, &LoadOptions::default()).value.ledger)
    };
    for (rung, expected) in [
        ("SQO(l[0],-1,g.LEN,g,?,?)", "a part of its CONTROL"),
        ("SQO(x,-1,z,g,?,?)", "is no array of integers"),
        ("SQO(l[0],-1,r,g,?,?)", "its destination is a REAL"),
        ("FAL(g,3,0,ALL,g.LEN,1)", "a part of its CONTROL"),
        ("FAL(g,3,0,ALL,z,x>a)", "an expression with bits and numbers"),
        ("FAL(g,3,0,INC,z,x)", "instruction FAL"),
        ("FAL(g,3,0,2,z,x)", "instruction FAL"),
    ] {
        assert!(words(rung).contains(expected), "{rung}: {}", words(rung));
    }
    // Ends where the position or length is none that the instruction takes.
    for rung in ["MOV(0,g.LEN);FAL(g,3,0,ALL,z,x);", "MOV(3,g.POS);FAL(g,3,0,ALL,z,x);", "MOV(-1,g.POS);SQO(l[0],-1,z,g,?,?);"] {
        let project = project(&export(rung, ""));
        let mut machine = Machine::new(&project, Limits::default());
        let value = |name: &&str| (format!("P.{name}"), Value::Bool(false));
        machine.begin(&INPUTS.iter().map(value).collect(), 100_000_000).unwrap();
        assert!(machine.run(&mut Silent).is_err(), "{rung}");
    }
}
