//! Math status flags behind instructions, by the tag that a contact of the flag sets.

use super::*;

#[test]
fn flags_follow_the_value_that_is_stored() {
    // Tags of the tests: x is 7, y is 3, z is 0 and w an INT of 258.
    for (instruction, [v, z, n]) in [
        ("SUB(x,7,z)", [0, 1, 0]),
        ("SUB(y,x,z)", [0, 0, 1]),
        ("ADD(x,2147483640,z)", [0, 0, 0]),
        ("MUL(x,y,z)", [0, 0, 0]),
        ("MOV(0,z)", [0, 1, 0]),
        ("MOV(-2,z)", [0, 0, 1]),
        ("NEG(x,z)", [0, 0, 1]),
        ("ABS(-5,z)", [0, 0, 0]),
        ("CLR(x)", [0, 1, 0]),
        ("AND(x,8,z)", [0, 1, 0]),
        ("NOT(x,z)", [0, 0, 1]),
        ("DIV(y,x,z)", [0, 1, 0]),
        ("MOD(x,y,z)", [0, 0, 0]),
        ("ADD(w,1,w)", [0, 0, 0]),
        // Bit instructions and comparisons leave the flags.
        ("CLR(x);XIC(a)OTE(q);EQU(y,3)OTL(s)", [0, 1, 0]),
    ] {
        for (flag, expected) in [("S:V", v), ("S:Z", z), ("S:N", n)] {
            check(&format!("{instruction};XIC({flag})OTE(p);"), &[""], "p", &[expected]);
        }
    }
    for instruction in
        ["ADD(x,2147483647,z)", "SUB(-2,2147483647,z)", "MUL(65536,65536,z)", "NEG(-2147483648,z)", "ADD(x,70000,w)"]
    {
        check(&format!("{instruction};XIC(S:V)OTE(p);"), &[""], "p", &[1]);
    }
    // The tag r is a REAL of 2.5; a REAL is rounded before it is stored.
    for (instruction, [v, z]) in [
        ("MOV(r,w)", [0, 0]),
        ("MOV(0.5,w)", [0, 1]),
        ("MOV(32767.5,w)", [1, 0]),
        ("MOV(-32768.5,w)", [0, 0]),
        ("MUL(r,100000.0,w)", [1, 0]),
        ("MUL(r,100000.0,x)", [0, 0]),
        ("MOV(2147483648.0,x)", [1, 0]),
        ("MOV(70000,w)", [1, 0]),
    ] {
        check(&format!("{instruction};XIC(S:V)OTE(p);"), &[""], "p", &[v]);
        if v == 0 {
            check(&format!("{instruction};XIC(S:Z)OTE(p);"), &[""], "p", &[z]);
        }
    }
    // A rung that is FALSE executes nothing.
    check("CLR(x);XIC(a)MOV(5,z);XIC(S:Z)OTE(p);", &["", "a"], "p", &[1, 0]);
}

#[test]
fn flags_that_are_not_known_have_any_value() {
    let ledger = |text: &str| {
        let mut sources = SourceSet::default();
        sources.add("test.L5X", text);
        format!("{:?}", load(&sources, &LoadOptions::default()).value.ledger)
    };
    assert!(ledger(&export("XIC(S:V)OTE(p);", "")).contains("results of type BOOL"));
    assert!(!ledger(&export("XIC(a)OTE(p);", "")).contains("results of type BOOL"));
    let text = export("JSR(Other,0);", &structured("Other", &["x := x + 1; p := S:Z;"]));
    assert!(ledger(&text).contains("math status flag outside of ladder"));
}

/// Source: 1756-RM006K, page 540: expressions in array subscripts and conversions of mixed types set flags on some controllers.
#[test]
fn computed_indices_and_mixed_types_leave_any_flags() {
    let flag = |instruction: &str| check(&format!("CLR(x);{instruction};XIC(S:Z)OTE(p);"), &[""], "p", &[0]);
    // A run gives FALSE to a flag that has any value.
    for instruction in [
        "XIC(l[y-3].0)NOP()",
        "OTE(l[y-2].1)",
        "XIC(y.[z+1])NOP()",
        "MOV(0,l[y-2])",
        "EQU(r,x)NOP()",
        "GRT(w,y)NOP()",
        "LIM(0,r,5)NOP()",
        "MEQ(w,1,y)NOP()",
        "CMP(x>y)NOP()",
    ] {
        flag(instruction);
    }
    let kept = |instruction: &str| check(&format!("CLR(x);{instruction};XIC(S:Z)OTE(p);"), &[""], "p", &[1]);
    for instruction in ["XIC(l[y].0)NOP()", "EQU(r,2.5)NOP()", "LIM(0,x,5)NOP()", "EQU(l[y],l[0])NOP()"] {
        kept(instruction);
    }
}
