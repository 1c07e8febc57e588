//! Texts with their models or findings.

use std::collections::BTreeMap;

use plc_frontend::source::FileId;

use super::ast::StmtKind;
use super::evaluate::Evaluator;
use super::{Model, read};
use crate::expr::Value;

fn model(text: &str) -> Model {
    let parsed = read(FileId(0), text);
    assert!(parsed.diagnostics.is_empty(), "{text}\n{:#?}", parsed.diagnostics);
    parsed.value.model.unwrap()
}

/// Returns a model that assigns an expression of a type, and both readings of it: lowered and followed in the text.
fn both(ty: &str, e: &str) -> (Option<Value>, Option<Value>) {
    let mut model =
        model(&format!("main process p {{ var x : {ty} init loc A loc B error loc E A -> B {{ x := {e} }} B -> E }}"));
    let StmtKind::Assign(_, written) = model.process.edges[0].stmts[0].kind else { unreachable!() };
    let followed = Evaluator::new(&model.process).value(written, &[]);
    let mut findings = Vec::new();
    let lowered =
        super::lower::Lowering { pool: &mut model.pool, process: &model.process, vars: &model.vars, findings: &mut findings }
            .of_sort(written, model.process.vars[0].sort)
            .unwrap();
    (model.pool.eval(lowered, &|_| None), followed)
}

#[test]
fn every_operator_means_the_same_lowered_and_followed() {
    let check = |ty: &str, e: &str, expected: &str| {
        let (lowered, followed) = both(ty, e);
        assert_eq!(lowered.map(|v| v.to_string()).as_deref(), Some(expected), "{e}, lowered");
        assert_eq!(followed, lowered, "{e}, followed");
    };
    for (e, expected) in [
        ("2 + 3 * 4 - 1", "13"),
        ("10 - 3 - 2", "5"),
        ("11 / 5", "2"),
        ("-5 / 3", "-2"),
        ("5 / -3", "-1"),
        ("-5 / -3", "2"),
        ("-5 mod 3", "1"),
        ("5 mod -3", "2"),
        ("-5 rem 3", "1"),
        ("5 rem -3", "-2"),
        ("-5 rem -3", "-1"),
        ("if 1 < 2 then 3 else if true then 4 else 5", "3"),
        ("[1 <- 7, default <- 0][1]", "7"),
        ("[1 <- 7, default <- 9][2]", "9"),
        ("([<int> default <- 0][3 <- 4])[3]", "4"),
        ("+ - - 3", "3"),
    ] {
        check("int", e, expected);
    }
    for (e, expected) in [
        ("not 1 > 2 and 3 >= 3", "true"),
        ("true xor true xor true", "true"),
        ("false imply false imply false", "true"),
        ("false => false", "true"),
        ("true iff false", "false"),
        ("1 /= 2 or 1 = 2", "true"),
        ("5'b10011[5:3] = 2'b10", "true"),
        ("(2'b10 bv_zero_extend bv[4]) = 4'b0010", "true"),
        ("(2'b10 bv_sign_extend bv[4]) = 4'b1110", "true"),
        ("2'b10 ++ 2'b01 ++ 1'b1 = 5'b10011", "true"),
        ("4'd3 bvult 4'd-1", "true"),
        ("4'd3 bvsgt 4'd-1", "true"),
        ("8'xff = 8'd255", "true"),
        ("fpisnan 5'b11111.10'd1", "true"),
        ("-5'b00000.10'd0 = 5'd0.10'd0", "true"),
        ("5'b11111.10'd1 = 5'b11111.10'd1", "false"),
        ("[0 <- true, default <- false] = [1 <- false, 0 <- true, default <- false]", "true"),
    ] {
        check("bool", e, expected);
    }
    for (e, expected) in [
        ("4'd9 bvadd 4'd9", "2"),
        ("4'd1 bvsub 4'd2", "-1"),
        ("4'd3 bvmul 4'd3", "-7"),
        ("4'd-7 bvsdiv 4'd2", "-3"),
        ("4'd-7 bvsrem 4'd2", "-1"),
        ("4'd-7 bvsmod 4'd2", "1"),
        ("4'd7 bvsmod 4'd-2", "-1"),
        ("4'd-8 bvsmod 4'd-1", "0"),
        ("4'd-7 bvsmod 4'd0", "-7"),
        ("4'd7 bvudiv 4'd0", "-1"),
        ("4'd7 bvurem 4'd4", "3"),
        ("4'b0001 bvror 4'd1", "-8"),
        ("4'b1001 bvrol 4'd5", "3"),
        ("4'b1001 bvrol 4'd0", "-7"),
        ("4'b1000 bvashr 4'd1", "-4"),
        ("4'b1000 bvlshr 4'd1", "4"),
        ("4'b0011 bvshl 4'd2", "-4"),
        ("4'b0011 bvor 4'b0101 bvand 4'b0110", "7"),
        ("bvnot 4'b0101", "-6"),
        ("bvneg 4'd3", "-3"),
        ("fptobv[4's][RTZ] 5'b10000.10'b1000000000", "3"),
    ] {
        check("bv[4]", e, expected);
    }
    for (e, expected) in [
        ("2'b01.2'b00 fpdiv[RTP] 2'b10.2'b11", "0.5"),
        ("2'b01.2'b00 / 2'b10.2'b11", "0.25"),
        ("2'b01.2'b00 + 2'b01.2'b00", "2.0"),
        ("fpneg 2'b01.2'b00 fpsub 2'b01.2'b00", "-2.0"),
        ("fpsqrt[RTN] 2'b10.2'b00", "1.25"),
        ("fproundtoint[RNA] 2'b01.2'b10", "2.0"),
        ("fpabs - 2'b01.2'b10", "1.5"),
        ("fptofp[2,3][RTZ] 5'b01111.10'b0011111111", "1.0"),
        ("fpfrombv[2:3][s][RNE] 4'd-2", "-2.0"),
    ] {
        check("fp[2:3]", e, expected);
    }
    // Results that Theta leaves open have no value.
    for (ty, e) in [
        ("int", "1 / 0"),
        ("int", "1 mod 0"),
        ("int", "170141183460469231731687303715884105727 + 1"),
        ("bv[4]", "fptobv[4'u][RNE] 5'b11111.10'd1"),
    ] {
        assert_eq!(both(ty, e).1, None, "{e}");
    }
}

#[test]
fn mistakes_are_told_where_they_are() {
    let check = |text: &str, place: &str, says: &str| {
        let parsed = read(FileId(0), text);
        assert!(parsed.value.model.is_none(), "{text}");
        let found = parsed.diagnostics.iter().any(|d| {
            let span = d.span();
            d.message.contains(says) && text.get(span.start as usize..span.end as usize) == Some(place)
        });
        assert!(found, "{text}\n{:#?}", parsed.diagnostics);
    };
    let within = |decl: &str, stmt: &str| format!("main process p {{ {decl} init loc A error loc E A -> E {{ {stmt} }} }}");
    check(&within("var x : rat", ""), "rat", "a rational number");
    check(&within("var x : [int] -> [int] -> int", ""), "[int] -> [int] -> int", "an array of arrays");
    check(&within("var x : (int) -> int", ""), "(", "a function type");
    check(&within("var x : bv[129]", ""), "[129]", "more than 128 bits");
    check(&within("var x : fp[1:5]", ""), "[1:5]", "a float of this format");
    check(&within("var x : int var x : bool", ""), "x", "declared twice");
    check(&within("", "assume forall (i : int) i = i"), "forall", "a quantifier");
    check(&within("var x : int", "x := x'"), "'", "a primed expression");
    check(&within("var x : int", "x := f(x)"), "(", "a function");
    check(&within("var x : int", "return x"), "return", "`return`");
    check(&within("var x : int", "x := 1 % 2"), "1", "a rational number");
    check(&within("var x : fp[5:11]", "x := x fprem x"), "fprem", "`fprem`");
    check(&within("var x : int", "x := y"), "y", "no variable");
    check(&within("var x : int", "x := true"), "true", "`int` is expected");
    check(&within("var x : int", "assume x"), "x", "`bool` is expected");
    check(&within("var x : bv[4]", "x := x + x"), "x + x", "does not apply to `bv[4]`");
    check(&within("var x : bv[4]", "x := 4'b10011"), "4'b10011", "does not fit");
    check(&within("var x : bv[4]", "x := x[5:0]"), "x[5:0]", "there are no bits");
    check(&within("var x : [int] -> int var y : int", "x := [0 <- 1, default <- y]"), "[0 <- 1, default <- y]", "not a constant");
    check("main process p { init loc A loc B A -> B }", "main process p", "nothing to check");
    check("process p { init loc A error loc E A -> E }", "process p", "no process is the main one");
    check("main process p { loc A error loc E A -> E }", "main process p", "no initial location");
    check("main process p { init loc A error loc E A -> F }", "F", "no location");
    check("(process (var x Int)\n (init L0))", "(process", "the older notation");
    check("", "", "no process is the main one");
}

#[test]
fn anything_is_read_without_a_panic() {
    let whole = "var g : int main process p (a : int) { var x : [int] -> bv[8] init loc A final loc B error loc E
        A -> E { assume (x[3 <- 8'd1])[a] = 8'b101 havoc g x := [0 <- 8'xff, <int> default <- 8'd0] } A -> B { } }
        process q { init loc A }";
    assert_eq!(model(whole).process.vars.len(), 3);
    assert_eq!(read(FileId(0), whole).value.others.len(), 1);
    for end in (0..whole.len()).filter(|end| whole.is_char_boundary(*end)) {
        read(FileId(0), &whole[..end]);
        read(FileId(0), &whole[end..]);
    }
    let deep = format!("main process p {{ var x : int init loc A error loc E A -> E {{ x := {}1", "(".repeat(100_000));
    assert!(read(FileId(0), &deep).value.model.is_none());
    let long = "1 + ".repeat(50_000) + "1";
    assert_eq!(both("int", &long).1, Some(Value::Int(50_001)));
    let not = "not ".repeat(50_000) + "true";
    assert_eq!(both("bool", &not).1, Some(Value::Bool(true)));
    let ifs = "if false then 1 else ".repeat(20_000) + "2";
    assert_eq!(both("int", &ifs).1, Some(Value::Int(2)));
}

#[test]
fn runs_are_followed_by_their_hints_and_not_beyond() {
    let model = model(
        "main process p { var x : int var y : int init loc A loc H loc M error loc E
            A -> H { x := 0 }
            H -> M { havoc y assume y /= 5 x := x + y }
            H -> M { x := x - 1 }
            M -> E { assume x = 7 }
            M -> H { assume not (x = 7) } }",
    );
    assert_eq!(model.process.locs[model.head].name, "H");
    let (havoc, choice) = (model.havocs[&(1, 0)], model.choices[&model.head]);
    let cycle = |edge: bool, y: i128| BTreeMap::from([(choice, Value::bv(1, edge.into())), (havoc, Value::Int(y))]);
    // 8, then one less.
    let run = super::replay::follow(&model, &[cycle(false, 8), cycle(true, 0)]).unwrap();
    assert_eq!(run.steps.iter().map(|step| step.edge).collect::<Vec<_>>(), [0, 1, 4, 2, 3]);
    // No run with these values arrives, and none is found.
    assert!(super::replay::follow(&model, &[cycle(false, 5), cycle(true, 0)]).is_err());
    assert!(super::replay::follow(&model, &[]).is_err());
}

#[test]
fn what_an_inner_loop_chose_is_not_taken_for_a_mistake() {
    let model = model(
        "main process p { var i : int var s : int var y : int
            init loc A loc Outer loc Inner loc Done error loc E
            A -> Outer { s := 0 i := 0 }
            Outer -> Inner { i := 0 s := 0 }
            Inner -> Inner { assume i < 2 havoc y s := s * 100 + y i := i + 1 }
            Inner -> Done { assume not (i < 2) }
            Done -> E { assume s = 102 }
            Done -> Outer { assume s /= 102 } }",
    );
    let hints = [BTreeMap::from([(model.havocs[&(2, 1)], Value::Int(2))])];
    assert_eq!(super::replay::follow(&model, &hints), Err(super::replay::NoRun::Vague));
}
