//! Indices outside of their arrays: a major fault, also of transitional instructions whose rung is FALSE.

use super::*;

/// Returns whether some cycle of a program ends in a fault: `z` is the index, `l` and `m` have four elements.
fn faults(rung: &str, cycles: &[&str]) -> bool {
    let project = project(&export(rung, ""));
    let mut machine = Machine::new(&project, Limits::default());
    cycles.iter().any(|cycle| {
        let value = |name: &&str| (format!("P.{name}"), Value::Bool(cycle.contains(*name)));
        machine.begin(&INPUTS.iter().map(value).collect(), 100_000_000).unwrap();
        machine.run(&mut Silent).is_err()
    })
}

#[test]
fn transitional_instructions_look_at_indices_of_a_false_rung() {
    for (rung, expected) in [
        ("XIC(a)FFL(m[z],l[0],g,?,?)", true),
        ("XIC(a)LFL(m[z],l[0],g,?,?)", true),
        ("XIC(a)FFU(l[0],m[z],g,?,?)", true),
        ("XIC(a)LFU(l[0],m[z],g,?,?)", true),
        ("XIC(a)BSL(l[0],g,m[z].0,3)", true),
        ("XIC(a)BSR(l[0],g,m[z].0,3)", true),
        ("XIC(a)ONS(m[z].0)OTE(p)", true),
        ("XIC(a)OSR(m[z].0,p)", true),
        ("XIC(a)OSF(s,m[z].0)", true),
        ("XIC(a)OTE(m[z].0)", true),
        ("XIC(a)SQO(l[0],m[z],y,g,?,?)", true),
        ("XIC(a)FAL(g,4,0,all,l[0],m[z]+1)", true),
        ("XIC(a)FAL(g,4,0,all,m[z],y+1)", true),
        ("XIC(a)AVE(l[0],0,m[z],g,?,?)", true),
        // These do nothing where their rung is FALSE.
        ("XIC(a)OTL(m[z].0)", false),
        ("XIC(a)OTU(m[z].0)", false),
        ("XIC(a)MOV(m[z],x)", false),
        ("XIC(a)MOV(x,m[z])", false),
        ("XIC(a)DEG(m[z],r)", false),
        ("XIC(a)BTD(m[z],30,y,0,4)", false),
        // The position of the instruction itself is a part of its condition.
        ("XIC(a)FAL(g,4,0,all,l[0],m[g.POS]+1)", false),
    ] {
        let rung = format!("MOV(9,z);{rung};MOV(0,z);");
        assert_eq!(faults(&rung, &["", ""]), expected, "{rung}");
        let inside = rung.replace("MOV(9,z)", "MOV(1,z)");
        assert!(!faults(&inside, &["", "", "b"]), "{inside}");
    }
}

#[test]
fn instructions_without_a_model_look_at_indices() {
    for rung in ["DEG(m[z],r)", "BTD(m[z],30,y,0,4)", "XIC(a)CMP(m[z]>b)OTE(p)", "SQI(l[0],-1,m[z],g,?,?)OTE(p)"] {
        let rung = format!("MOV(9,z);{rung};");
        assert!(faults(&rung, &["a"]), "{rung}");
    }
    let text = export("JSR(Other,0);", &structured("Other", &["z := 9;", "DEG(m[z],r);"]));
    let project = project(&text);
    let mut machine = Machine::new(&project, Limits::default());
    let value = |name: &&str| (format!("P.{name}"), Value::Bool(false));
    machine.begin(&INPUTS.iter().map(value).collect(), 100_000_000).unwrap();
    assert!(machine.run(&mut Silent).is_err());
}

#[test]
fn input_instructions_look_at_indices_of_a_true_rung() {
    for rung in [
        "XIC(a)EQU(m[z],3)OTE(p)",
        "XIC(a)LIM(0,m[z],3)OTE(p)",
        "XIC(a)MEQ(m[z],1,1)OTE(p)",
        "XIC(a)CMP(m[z]+1>3)OTE(p)",
        "XIC(a)XIC(m[z].0)OTE(p)",
        "XIC(a)XIO(m[z].0)OTE(p)",
        "XIC(a)XIC(x.[z])OTE(p)",
        "XIC(a)[XIC(b),EQU(m[z],3)]OTE(p)",
    ] {
        let rung = format!("MOV(99,z);{rung};");
        assert!(!faults(&rung, &["", "b"]), "{rung}");
        assert!(faults(&rung, &["a"]), "{rung}");
    }
}
