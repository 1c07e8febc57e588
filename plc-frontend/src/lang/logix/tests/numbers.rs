//! Instructions with numbers.

use super::*;

#[test]
fn numbers() {
    check("MOV(x,y);", &[""], "y", &[7]);
    check("XIC(a)ADD(x,y,x);", &["", "a", "a"], "x", &[7, 10, 13]);
    check("SUB(y,x,x);", &[""], "x", &[-4]);
    check("MUL(y,x,x);", &[""], "x", &[21]);
    for (name, expected) in [("EQU", 0), ("NEQ", 1), ("LES", 0), ("GRT", 1), ("LEQ", 0), ("GEQ", 1)] {
        check(&format!("{name}(x,y)OTE(p);"), &[""], "p", &[expected]);
        check(&format!("{name}(x,7)OTE(p);"), &[""], "p", &[i128::from(matches!(name, "EQU" | "LEQ" | "GEQ"))]);
    }
}

/// Numbers with a base fill 32 bits: 1756-RM003N, page 646.
#[test]
fn numbers_with_a_base_have_32_bits() {
    let minus_one = "MOV(-1,x)";
    check(&format!("{minus_one}EQU(x,16#ffff_ffff)OTE(p);"), &[""], "p", &[1]);
    check(&format!("{minus_one}GRT(x,16#ffff_fffe)OTE(p);"), &[""], "p", &[1]);
    check(&format!("{minus_one}CMP(x=16#ffff_ffff)OTE(p);"), &[""], "p", &[1]);
    check(&format!("{minus_one}EQU(x,2#{})OTE(p);", "1".repeat(32)), &[""], "p", &[1]);
    check("LES(16#8000_0000,x)OTE(p);", &[""], "p", &[1]);
    check("MOV(16#ffff_ffff,x);", &[""], "x", &[-1]);
    check("AND(x,16#ffff_fffe,y);", &[""], "y", &[6]);
    check("EQU(x,16#7)OTE(p);", &[""], "p", &[1]);
    let text = structured("Other", &["p := x > 16#ffff_fff0; y := x AND 16#8000_0007;"]);
    check_export(&export("JSR(Other,0);", &text), &[""], "p", &[1]);
    check_export(&export("JSR(Other,0);", &text), &[""], "y", &[7]);
}

#[test]
fn division_by_zero_gives_the_dividend() {
    check("DIV(x,y,z);", &[""], "z", &[2]);
    check("DIV(-7,y,z);", &[""], "z", &[-2]);
    check("DIV(x,z,y);", &[""], "y", &[7]);
    check("MOD(x,y,z);", &[""], "z", &[1]);
    check("MOD(x,z,y);", &[""], "y", &[7]);
    check("CPT(y,x/z+1);", &[""], "y", &[8]);
    check_export(&export("JSR(Other,0);", &structured("Other", &["y := x / z; z := x MOD z;"])), &[""], "y", &[7]);
}

#[test]
fn moves_and_types() {
    check("CLR(x);", &[""], "x", &[0]);
    check("NEG(x,y);", &[""], "y", &[-7]);
    check("SUB(y,x,x)ABS(x,y);", &[""], "y", &[4]);
    // REAL is rounded, halves to the even neighbour.
    check("MOV(r,x);", &[""], "x", &[2]);
    check("ADD(r,1,r)MOV(r,x);", &[""], "x", &[4]);
    check("MOV(1.5,x);", &[""], "x", &[2]);
    check("DIV(x,2.0,r)MUL(r,2,x);", &[""], "x", &[7]);
    check("XIC(a)CPT(x,(x+y)*2);", &["", "a"], "x", &[7, 20]);
}

#[test]
fn integers_keep_the_low_bits_of_a_number_that_is_too_large() {
    // The tag w is an INT. The numbers of MOTION-RM002H, page 672.
    check("MOV(65665,w);", &[""], "w", &[129]);
    check("MOV(x,w)MUL(w,20000,w);", &[""], "w", &[140000 - 2 * 65536]);
    check("MOV(65665.0,w);", &[""], "w", &[129]);
    check("MUL(r,100000.0,w);", &[""], "w", &[250000 - 4 * 65536]);
    check("CPT(w,r*100000.0);", &[""], "w", &[250000 - 4 * 65536]);
    check("MOV(-2147483648.0,x);", &[""], "x", &[-2147483648]);
    check("MOV(2147483520.0,x);", &[""], "x", &[2147483520]);
    check_export(&export("JSR(Other,0);", &structured("Other", &["w := r * 100000.0;"])), &[""], "w", &[250000 - 4 * 65536]);
}

#[test]
fn a_number_beyond_all_integers_has_any_result_and_is_no_fault() {
    for rung in ["MOV(2147483648.0,x);", "MUL(r,3.0E9,w);", "DIV(r,0.0,x);", "TRN(3.0E9,x);"] {
        let text = export(rung, "");
        check_export(&text, &[""], "y", &[3]);
        let mut sources = SourceSet::default();
        sources.add("test.L5X", text);
        let ledger = load(&sources, &LoadOptions::default()).value.ledger;
        let told = ledger.gaps.iter().filter(|gap| gap.treatment == crate::text::Treatment::AssumedByRuns);
        assert_eq!(told.filter(|gap| gap.construct == "value that its integer type cannot hold").count(), 1, "{rung}");
    }
}

#[test]
fn bits_of_numbers() {
    check("AND(x,5,y);", &[""], "y", &[5]);
    check("OR(x,8,y);", &[""], "y", &[15]);
    check("XOR(x,2,y);", &[""], "y", &[5]);
    check("AND(x,-2,y);", &[""], "y", &[6]);
    check("NOT(x,y);", &[""], "y", &[-8]);
    check("MVM(x,6,y);", &[""], "y", &[7]);
    check("MVM(8,12,y);", &[""], "y", &[11]);
    check("MEQ(x,3,y)OTE(p);", &[""], "p", &[1]);
    check("MEQ(x,4,y)OTE(p);", &[""], "p", &[0]);
    check("XIC(x.2)OTE(p);", &[""], "p", &[1]);
    check("OTL(x.3);", &[""], "x", &[15]);
    check_export(&export("JSR(Other,0);", &structured("Other", &["y := (x AND NOT y) OR 16#10;"])), &[""], "y", &[20]);
}

#[test]
fn logical_instructions_fill_short_numbers_with_zeros() {
    // The tag w is an INT.
    check("MOV(-1,w)AND(w,-1,y);", &[""], "y", &[65535]);
    check("MOV(-2,w)OR(w,0,y);", &[""], "y", &[65534]);
    check("MOV(-2,w)XOR(w,1,y);", &[""], "y", &[65535]);
    check("MOV(-1,w)NOT(w,y);", &[""], "y", &[-65536]);
    check("MOV(-1,w)MVM(w,-1,y);", &[""], "y", &[65535]);
    check("MOV(-1,w)MEQ(w,-1,-1)OTE(p);", &[""], "p", &[0]);
    check("MOV(-1,w)MOV(w,y);", &[""], "y", &[-1]);
    check("MOV(-1,w)ADD(w,0,y);", &[""], "y", &[-1]);
    check("MOV(-2,w)AND(w,-1,w)MOV(w,y);", &[""], "y", &[-2]);
    check("MOV(-1,w)CPT(y,w AND -1);", &[""], "y", &[65535]);
}

#[test]
fn a_real_destination_makes_arithmetic_real() {
    check("DIV(x,2,r)MUL(r,2,y);", &[""], "y", &[7]);
    check("ADD(x,2147483647,r)SUB(r,2147483000.0,y);", &[""], "y", &[640]);
    check("DIV(x,2,y)MOV(y,r)MOV(r,z);", &[""], "z", &[3]);
}

#[test]
fn counters_go_on_at_the_other_end_of_their_range() {
    let begin = "XIC(S:FS)MOV(2147483646,k.ACC);";
    check(&format!("{begin}XIC(a)CTU(k,?,?);"), &["", "a", "", "a"], "k.ACC", &[2147483646, 2147483647, 2147483647, -2147483648]);
    check(&format!("{begin}XIC(a)CTU(k,?,?);"), &["", "a", "", "a"], "k.OV", &[0, 0, 0, 1]);
}

#[test]
fn limits_and_expressions() {
    for (low, test, high, expected) in
        [(3, 7, 9, 1), (3, 2, 9, 0), (7, 7, 7, 1), (9, 5, 3, 0), (9, 9, 3, 1), (9, 3, 3, 1), (9, 2, 3, 1)]
    {
        check(&format!("LIM({low},{test},{high})OTE(p);"), &[""], "p", &[expected]);
    }
    check("LIM(2.0,r,3)OTE(p);", &[""], "p", &[1]);
    check("CMP(x>y+3)OTE(p);", &[""], "p", &[1]);
    check("CMP(x=y OR z=0)OTE(p);", &[""], "p", &[1]);
    check("XIC(a)EQU(r,2.5)OTE(p);", &["", "a"], "p", &[0, 1]);
}

#[test]
fn copies_of_elements() {
    check("COP(l[2],m[0],2);", &[""], "m[1]", &[30]);
    check("COP(l[2],m[0],2);", &[""], "m[2]", &[20]);
    check("XIC(a)COP(x,y,1);", &["", "a"], "y", &[3, 7]);
    // It stops at the end of the target.
    check("COP(l[0],m[3],4);", &[""], "m[3]", &[0]);
    check("FLL(x,l[1],2);", &[""], "l[2]", &[7]);
    check("FLL(x,l[1],2);", &[""], "l[3]", &[30]);
    check("MOV(x,l[y]);", &[""], "l[3]", &[7]);
    // Single elements need no constant places.
    check("COP(l[y],l[z],1);", &[""], "l[0]", &[30]);
}

#[test]
fn an_operation_with_an_integer_and_a_real_is_done_in_real() {
    check("CPT(x,r*y);", &[""], "x", &[8]);
    check("CPT(x,y/r*10.0);", &[""], "x", &[12]);
    check("CPT(x,(x+y)*r);", &[""], "x", &[25]);
    check("CMP(r>y)OTE(p);", &[""], "p", &[0]);
    check("CMP(r*2>=5 AND y<r+1)OTE(p);", &[""], "p", &[1]);
    let condition = "operation on integers inside of an expression with REAL";
    for (rung, expected) in [("CPT(x,r*y);", false), ("CPT(x,(x/y)*r);", true)] {
        let mut sources = SourceSet::default();
        sources.add("test.L5X", export(rung, ""));
        let ledger = load(&sources, &LoadOptions::default()).value.ledger;
        assert_eq!(ledger.gaps.iter().any(|gap| gap.construct.starts_with(condition)), expected, "{rung}");
    }
}

#[test]
fn indices_outside_of_an_array_are_faults() {
    let project = project(&export("XIC(a)MOV(4,z);MOV(x,l[z]);", ""));
    let mut machine = Machine::new(&project, Limits::default());
    let mut run = |a: bool| {
        machine.begin(&BTreeMap::from([("P.a".to_owned(), Value::Bool(a))]), 0).unwrap();
        machine.run(&mut Silent).is_ok()
    };
    assert!(run(false));
    assert!(!run(true));
}

#[test]
fn bits_by_their_position() {
    check("XIC(x.[y])OTE(p);", &[""], "p", &[0]);
    check("XIC(x.[z])OTE(p);", &[""], "p", &[1]);
    let text = export("JSR(Other,0);", &structured("Other", &["FOR y := 0 TO 31 DO IF x.[y] THEN z := z + 1; END_IF; END_FOR;"]));
    check_export(&text, &[""], "z", &[3]);
    // A position outside of the number is a fault.
    let project = project(&export("XIC(a)MOV(32,z);XIC(x.[z])OTE(p);", ""));
    let mut machine = Machine::new(&project, Limits::default());
    machine.begin(&BTreeMap::from([("P.a".to_owned(), Value::Bool(true))]), 0).unwrap();
    assert!(machine.run(&mut Silent).is_err());
}

#[test]
fn whole_parts_and_powers() {
    check("TRN(r,x);", &[""], "x", &[2]);
    check("NEG(r,r)TRN(r,x);", &[""], "x", &[-2]);
    check("TRN(r,w);", &[""], "w", &[2]);
    check("XPY(x,2,y);", &[""], "y", &[49]);
    check("MOV(0.0,r);XPY(r,-1,x);", &[""], "x", &[0]);
    check("XPY(z,z,x);", &[""], "x", &[1]);
    check_export(&export("JSR(Other,0);", &structured("Other", &["x := TRUNC(r) + 1; y := 2.0 ** 3.0;"])), &[""], "x", &[3]);
    check_export(&export("JSR(Other,0);", &structured("Other", &["x := TRUNC(r) + 1; y := 2.0 ** 3.0;"])), &[""], "y", &[8]);
}

/// Words of the conditions of a program.
fn conditions(text: &str) -> Vec<String> {
    let mut sources = SourceSet::default();
    sources.add("test.L5X", text);
    load(&sources, &LoadOptions::default()).value.ledger.gaps.iter().map(|gap| gap.construct.clone()).collect()
}

#[test]
fn arithmetic_beyond_32_bits_is_a_condition() {
    let wraps = |rung: &str| conditions(&export(rung, "")).iter().filter(|words| words.contains("wraps at 32 bits")).count();
    for rung in [
        "ADD(x,1,y);",
        "SUB(x,y,z);",
        "MUL(x,y,z);",
        "NEG(x,y);",
        "ABS(x,y);",
        "CPT(z,x+y);",
        "CPT(z,-x);",
        "CMP(x+y>3)OTE(p);",
        "MOV(x,l[y+1]);",
        "DIV(x,y,z);",
    ] {
        assert_eq!(wraps(rung), 1, "{rung}");
    }
    // Only the quotient by -1 wraps.
    for (rung, n) in [("DIV(x,-1,z);", 1), ("DIV(x,-3,z);", 0), ("DIV(100,x,z);", 0), ("CPT(z,x/-3);", 0), ("CPT(z,9/y);", 0)] {
        assert_eq!(wraps(rung), n, "{rung}");
    }
    let divisors = |rung: &str| conditions(&export(rung, "")).iter().any(|words| words.starts_with("divisors"));
    assert!(divisors("DIV(100,x,z);") && !divisors("DIV(x,-3,z);") && !divisors("CPT(z,x/-1);"));
    check("MOV(-7,x)DIV(x,-2,z);", &[""], "z", &[3]);
    check("MOV(-7,x)CPT(z,x/-2);", &[""], "z", &[3]);
    let text = export("JSR(Other,0);", &structured("Other", &["z := x + y;"]));
    assert!(conditions(&text).iter().any(|words| words.contains("wraps at 32 bits")));
    for rung in
        ["ADD(w,1,x);", "MUL(w,w,x);", "NEG(w,x);", "NOT(x,y);", "ADD(r,1,r);", "MOV(x,y);", "DIV(x,3,z);", "COP(l[2],m[0],2);"]
    {
        assert_eq!(wraps(rung), 0, "{rung}");
    }
}

#[test]
fn roots_of_integers_are_rounded_or_cut() {
    // Sources disagree, so both results are possible. A run takes the whole part.
    for (source, expected) in [
        ("0", 0),
        ("1", 1),
        ("3", 1),
        ("4", 2),
        ("8", 2),
        ("-9", 3),
        ("2147395599", 46339),
        ("2147395600", 46340),
        ("2147483647", 46340),
    ] {
        check(&format!("SQR({source},y);"), &[""], "y", &[expected]);
    }
    check("MOV(-2147483648,x)SQR(x,y);", &[""], "y", &[46340]);
    check("SQR(x,w);", &[""], "w", &[2]);
    check("SQR(x,r)MUL(r,1000.0,y);", &[""], "y", &[2646]);
    check("MOV(8.4,r)SQR(r,y);", &[""], "y", &[3]);
    assert!(conditions(&export("SQR(x,y);", "")).iter().any(|words| words.contains("SQR")));
    assert!(!conditions(&export("SQR(r,r);", "")).iter().any(|words| words.contains("SQR of")));
}

/// Each conversion of a REAL has an assertion where it executes: a run goes on behind a value that does not fit.
#[test]
fn conversions_are_looked_at() {
    let found = |rung: &str, rest: &str| project(&export(rung, rest)).survived(crate::hir::FaultKind::ConversionRange).len();
    assert_eq!(found("MOV(x,y);MOV(r,r);ADD(x,1,r);", ""), 0);
    assert_eq!(found("MOV(r,x);XIC(a)MOV(r,w);", ""), 2);

    assert_eq!(found("TRN(r,x);CPT(y,r*2.0);", ""), 2);
    let text = structured(
        "Other",
        &["IF a THEN x := r; ELSIF TRUNC(r) > 3 THEN y := 1; END_IF; WHILE TRUNC(r) < z DO z := z - 1; END_WHILE;"],
    );
    // Both assertions about the loop are one.
    assert_eq!(found("JSR(Other,0);", &text), 3);
    // The values are those of before.
    check("MUL(r,10000.0,r)MOV(r,w);MOV(w,x);", &["", ""], "x", &[25000, -19840]);
}
