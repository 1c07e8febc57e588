//! Texts of expressions have the expressions' values, as cvc5 reads them.

use super::super::smtlib::constant;
use super::*;
use kernel::expr::{BvBin, BvCmp, BvUn, ExprPool, FloatSort, FpBin, FpCmp, FpTest, FpUn, Rounding, Value};
use kernel::smt::{Mode, Sat, run_script};

/// Checks `make(x…) = expected` for these `values` of the variables: the negation must be unsatisfiable.
fn check(values: &[Value], expected: Value, make: impl Fn(&mut ExprPool, &[ExprId]) -> ExprId) {
    let mut pool = ExprPool::new();
    let vars: Vec<VarId> = values.iter().map(|v| pool.new_var("x|\\", v.sort())).collect();
    let args: Vec<ExprId> = vars.iter().map(|v| pool.var(*v)).collect();
    let e = make(&mut pool, &args);
    for (claim, sat) in [("(not (= {} {}))", Sat::Unsat), ("(= {} {})", Sat::Sat)] {
        let (mut script, mut names, mut asserts) = (Script::default(), BTreeMap::new(), String::new());
        for (var, value) in vars.iter().zip(values) {
            let name = script.any(&pool.var_decl(*var).name, value.sort());
            asserts.push_str(&format!("(assert (= {name} {}))\n", constant(*value)));
            names.insert(*var, name);
        }
        let text = script.expr(&pool, e, |var| names.get(&var).cloned()).unwrap();
        let claim = claim.replacen("{}", &text, 1).replacen("{}", &constant(expected), 1);
        let (lines, sorts) = script.finish();
        let script = format!("{}{lines}{asserts}(assert {claim})\n(check-sat)\n", sorts.logic());
        assert_eq!(run_script(&script, Mode::Lazy, 10_000), Ok(sat), "{script}");
    }
}

#[test]
fn every_operator_means_what_the_expression_means() {
    let bv = |v: i128| Value::int(8, v);
    let yes = Value::Bool(true);
    let two = |op: BvBin, a: i128, b: i128, r: i128| check(&[bv(a), bv(b)], bv(r), |p, x| p.bv(op, x[0], x[1]));
    two(BvBin::Add, 200, 100, 44);
    two(BvBin::Sub, 1, 2, -1);
    two(BvBin::Mul, 20, 20, 144);
    two(BvBin::Udiv, 200, 3, 66);
    two(BvBin::Udiv, 7, 0, 255);
    two(BvBin::Urem, 200, 3, 2);
    two(BvBin::Sdiv, -7, 2, -3);
    two(BvBin::Srem, -7, 2, -1);
    two(BvBin::And, 12, 10, 8);
    two(BvBin::Or, 12, 10, 14);
    two(BvBin::Xor, 12, 10, 6);
    two(BvBin::Shl, 3, 2, 12);
    two(BvBin::Lshr, -1, 7, 1);
    two(BvBin::Ashr, -128, 7, -1);
    check(&[bv(5)], bv(-5), |p, x| p.bv_un(BvUn::Neg, x[0]));
    check(&[bv(5)], bv(-6), |p, x| p.bv_un(BvUn::Not, x[0]));
    for (op, holds) in [(BvCmp::Ult, false), (BvCmp::Ule, false), (BvCmp::Slt, true), (BvCmp::Sle, true)] {
        check(&[bv(-1), bv(1)], Value::Bool(holds), |p, x| p.bv_cmp(op, x[0], x[1]));
    }
    check(&[bv(0b1010_0110)], Value::bv(3, 0b100), |p, x| p.extract(5, 3, x[0]));
    check(&[bv(1), bv(2)], Value::bv(16, 258), |p, x| p.concat(x[0], x[1]));
    check(&[bv(-1)], Value::bv(16, 255), |p, x| p.zero_extend(16, x[0]));
    check(&[bv(-1)], Value::int(16, -1), |p, x| p.sign_extend(16, x[0]));
    check(&[yes, Value::Bool(false)], Value::Bool(false), |p, x| p.and(x[0], x[1]));
    check(&[yes, Value::Bool(false)], yes, |p, x| p.or(x[0], x[1]));
    check(&[yes, bv(1), bv(2)], bv(1), |p, x| p.ite(x[0], x[1], x[2]));
}

#[test]
fn floats_are_written_bit_by_bit() {
    let f = Value::f32;
    let two = |op: FpBin, a: f32, b: f32, r: f32| check(&[f(a), f(b)], f(r), |p, x| p.fp(op, x[0], x[1]));
    two(FpBin::Add, 0.1, 0.2, 0.1 + 0.2);
    two(FpBin::Sub, 0.1, 0.2, 0.1 - 0.2);
    two(FpBin::Mul, 1e30, 1e30, f32::INFINITY);
    two(FpBin::Div, 0.0, 0.0, f32::NAN);
    check(&[f(-2.5)], f(2.5), |p, x| p.fp_un(FpUn::Abs, x[0]));
    check(&[f(2.5)], f(-2.5), |p, x| p.fp_un(FpUn::Neg, x[0]));
    check(&[f(2.0)], f(2.0f32.sqrt()), |p, x| p.fp_un(FpUn::Sqrt(Rounding::NearestEven), x[0]));
    check(&[f(f32::NAN), f(f32::NAN)], Value::Bool(true), |p, x| p.eq(x[0], x[1]));
    check(&[f(f32::NAN), f(f32::NAN)], Value::Bool(false), |p, x| p.fp_cmp(FpCmp::Eq, x[0], x[1]));
    check(&[f(0.0), f(-0.0)], Value::Bool(false), |p, x| p.eq(x[0], x[1]));
    check(&[f(1.0), f(2.0)], Value::Bool(true), |p, x| p.fp_cmp(FpCmp::Lt, x[0], x[1]));
    check(&[f(2.0), f(2.0)], Value::Bool(true), |p, x| p.fp_cmp(FpCmp::Le, x[0], x[1]));
    check(&[f(f32::NAN)], Value::Bool(true), |p, x| p.fp_test(FpTest::IsNan, x[0]));
    check(&[f(f32::INFINITY)], Value::Bool(true), |p, x| p.fp_test(FpTest::IsInfinite, x[0]));
    check(&[f(0.1)], Value::f64(f64::from(0.1f32)), |p, x| p.fp_to_fp(FloatSort::F64, x[0]));
    check(&[Value::f64(0.1)], f(0.1), |p, x| p.fp_to_fp(FloatSort::F32, x[0]));
    check(&[Value::int(8, -3)], f(-3.0), |p, x| p.bv_to_fp(true, FloatSort::F32, x[0]));
    check(&[Value::int(8, -3)], f(253.0), |p, x| p.bv_to_fp(false, FloatSort::F32, x[0]));
    check(&[f(-2.5)], Value::int(16, -2), |p, x| p.fp_to_bv(true, 16, Rounding::NearestEven, x[0]));
    check(&[f(2.9)], Value::int(16, 2), |p, x| p.fp_to_bv(false, 16, Rounding::TowardZero, x[0]));
    check(&[Value::bv(32, 0x3f80_0000)], f(1.0), |p, x| p.bits_to_fp(FloatSort::F32, x[0]));
}

#[test]
fn shared_parts_are_written_once() {
    let mut pool = ExprPool::new();
    let x = pool.new_var("x", Sort::BitVec(16));
    let mut e = pool.var(x);
    for _ in 0..5_000 {
        e = pool.bv(BvBin::Mul, e, e);
    }
    let mut script = Script::default();
    let symbol = script.any("x", Sort::BitVec(16));
    script.expr(&pool, e, |_| Some(symbol.clone())).unwrap();
    assert!(script.finish().0.len() < 500_000);
}

#[test]
fn variable_without_a_name_is_refused() {
    let mut pool = ExprPool::new();
    let x = pool.new_var("Main.x", Sort::Bool);
    let e = pool.var(x);
    assert_eq!(Script::default().expr(&pool, e, |_| None), Err(foreign(&pool, x)));
    assert!(foreign(&pool, x).0.contains("`Main.x`"));
}
