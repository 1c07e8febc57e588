//! Instructions without a model: what they write has any value, and the rest of the program runs on.

use super::*;
use crate::text::{Gap, Treatment};

fn gaps(text: &str) -> Vec<Gap> {
    let mut sources = SourceSet::default();
    sources.add("test.L5X", text);
    load(&sources, &LoadOptions::default()).value.ledger.gaps
}

#[test]
fn an_instruction_without_a_model_writes_its_operands_only() {
    for (rung, words) in [
        ("XIC(b)SRT(l[0],0,g,?,?)", "instruction SRT"),
        ("FAL(g,4,0,inc,l[0],m[0]+1)", "instruction FAL"),
        ("XIC(b)COP(l[2],m[0],4)", "COP: it reads or writes beyond"),
        ("BTD(x,30,y,0,4)", "BTD: its bits are not all within the source"),
        ("DEG(r,r)", "instruction DEG"),
        ("CMP(r>b)NOP()", "CMP"),
    ] {
        let text = export(&format!("{rung};XIC(a)OTE(p);"), "");
        let gaps = gaps(&text);
        assert!(gaps.iter().all(|gap| gap.treatment != Treatment::Unsupported), "{rung}: {gaps:#?}");
        let condition = gaps.iter().find(|gap| gap.treatment == Treatment::Assumed && gap.construct.contains(words));
        assert!(condition.is_some_and(|gap| gap.construct.contains("only the tags among its operands")), "{rung}: {gaps:#?}");
        check_export(&text, &["", "a"], "p", &[0, 1]);
    }
    // These decide the state of the rung, and DTR writes its reference whatever the state is.
    for rung in ["FSC(g,4,0,all,l[0]=x)", "DTR(x,16#FF,y)"] {
        let inputs = format!("{:?}", project(&export(&format!("XIC(a){rung}OTE(p);"), "")).globals);
        assert!(inputs.matches("__not_modelled_line").count() > 1, "{rung}: {inputs}");
    }
    // The written tags are inputs of a run, which are zero here; others keep their values.
    let text = export("AVE(l[0],0,z,g,?,?);MOV(z,x);", "");
    check_export(&text, &[""], "x", &[0]);
    check_export(&export("XIC(a)COP(l[2],m[0],4);", ""), &["", "a"], "m[1]", &[10, 0]);
    check_export(&export("XIC(a)COP(l[2],m[0],4);", ""), &["", "a"], "l[1]", &[10, 10]);
}

/// A control structure inside of a tag changes in the prescan and where the rung is FALSE, too; flags are not known behind.
#[test]
fn control_structures_and_flags_have_any_values() {
    let station = "<DataTypes><DataType Name=\"Station\"><Members><Member Name=\"ctl\" DataType=\"CONTROL\" Dimension=\"0\"/>\
                   <Member Name=\"n\" DataType=\"DINT\" Dimension=\"0\"/></Members></DataType></DataTypes><Programs>";
    let text = export("MOV(st.n,x);XIC(a)AVE(l[0],0,z,st.ctl,?,?);MOV(5,st.n);MOV(st.n,y);", "");
    let text = text.replace("<Programs>", station);
    let text = text.replace("<Tags>", "<Tags><Tag Name=\"st\" TagType=\"Base\" DataType=\"Station\"/>");
    check_export(&text, &["", ""], "x", &[0, 5]);
    let before_first_scan = format!("{:?}", project(&text)).matches("AVE__not_modelled").count();
    assert!(before_first_scan > 0);
    check("CLR(x);MOV(k,y);XIC(S:Z)OTE(p);", &[""], "p", &[0]);
}

#[test]
fn instructions_that_act_later_or_elsewhere_stay_gaps() {
    for rung in ["MSG(q)", "ABCD(x)", "SFR(q,x)", "JSR(Nowhere,0)", "COP(x,t,1)", "FFL(x,t,g,?,?)"] {
        let gaps = gaps(&export(&format!("{rung};"), ""));
        assert!(gaps.iter().any(|gap| gap.treatment == Treatment::Unsupported), "{rung}: {gaps:#?}");
    }
}

#[test]
fn reasons_of_gaps_are_named() {
    for (rung, words) in [
        ("COP(t,x,1);", "COP: its source is of the type TIMER"),
        ("COP(nowhere,x,1);", "COP: the type of its source is not in this export"),
        ("FLL(x,l[0],y);", "FLL: its length changes"),
        ("FLL(t,l[0],2);", "FLL: its destination is no array of numbers of the type of its source"),
        ("COP(l[0],w,x);", "COP: its length changes"),
        ("SWPB(r,REVERSE,x);", "SWPB: operand `r`"),
        ("SWPB(x,SIDEWAYS,y);", "SWPB: operands other than INT and DINT, or the order `SIDEWAYS`"),
        ("SIZE(x,0,y);", "SIZE: `x` is no array with a dimension `0`"),
        ("BTD(x,0,w,0,4);", "BTD: the destination is no DINT"),
        ("BTD(x,y,z,0,4);", "BTD: operand `y` is no constant"),
        ("BSL(l[0],g,l[1].2,8);", "BSL: its source bit is a part of its array or CONTROL"),
        ("FFL(x,r,t,?,?);", "FFL: operand `t` is of the type TIMER"),
    ] {
        let gaps = gaps(&export(rung, ""));
        assert!(gaps.iter().any(|gap| gap.construct.starts_with(words)), "{rung}: {gaps:#?}");
    }
}
