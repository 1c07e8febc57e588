//! Laws and tables of the expression language.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::random::{Flavour, Random};
use super::*;

fn tape() -> impl Strategy<Value = Vec<u32>> {
    proptest::collection::vec(any::<u32>(), 0..120)
}

/// Returns `e` built again, bottom up, by the simplifying constructors.
fn rebuilt(pool: &mut ExprPool, e: ExprId) -> ExprId {
    let mut done: BTreeMap<ExprId, ExprId> = BTreeMap::new();
    let mut nodes = Vec::new();
    pool.visit(&[e], |e| {
        nodes.push(e);
        true
    });
    // Operands are older than their node.
    nodes.sort();
    for node in nodes {
        let mapped = pool.expr(node).map_children(|c| done[&c]);
        let new = pool.rebuild(mapped);
        done.insert(node, new);
    }
    done[&e]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn simplification_keeps_sort_and_value(tape in tape(), values in tape()) {
        let mut pool = ExprPool::new();
        let mut random = Random::new(&mut pool, &tape, Flavour::Floats);
        let sort = random.sort();
        let raw = random.expr(sort, 5);
        let simple = rebuilt(&mut pool, raw);
        prop_assert_eq!(pool.sort(simple), sort);
        let env = Random::new(&mut pool, &values, Flavour::Floats).assignment();
        let lookup = |var| env.get(&var).copied();
        prop_assert_eq!(pool.eval(raw, &lookup), pool.eval(simple, &lookup), "{} became {}", pool.show(raw), pool.show(simple));
        prop_assert!(pool.size(&[simple], usize::MAX) <= 2 * pool.size(&[raw], usize::MAX) + 4);
    }

    #[test]
    fn simplification_keeps_values_of_integers_arrays_and_odd_floats(tape in tape(), values in tape(), formats in any::<bool>()) {
        let flavour = if formats { Flavour::Formats } else { Flavour::Unbounded };
        let mut pool = ExprPool::new();
        let mut random = Random::new(&mut pool, &tape, flavour);
        let sort = random.sort();
        let raw = random.expr(sort, 5);
        let simple = rebuilt(&mut pool, raw);
        prop_assert_eq!(pool.sort(simple), sort);
        let env = Random::new(&mut pool, &values, flavour).assignment();
        let lookup = |var| env.get(&var).copied();
        let (before, after) = (pool.eval(raw, &lookup), pool.eval(simple, &lookup));
        // The evaluator may know the value of one only; if it knows both, they are the same.
        prop_assert!(before.is_none() || after.is_none() || before == after, "{} became {}", pool.show(raw), pool.show(simple));
        prop_assert!(after.is_none_or(|value| value.sort() == sort && value.canonical() == value));
    }

    #[test]
    fn evaluation_under_full_assignment_is_total_and_of_the_sort(tape in tape(), values in tape()) {
        let mut pool = ExprPool::new();
        let mut random = Random::new(&mut pool, &tape, Flavour::Floats);
        let sort = random.sort();
        let e = random.expr(sort, 5);
        let env = Random::new(&mut pool, &values, Flavour::Floats).assignment();
        let value = pool.eval(e, &|var| env.get(&var).copied());
        prop_assert_eq!(value.map(Value::sort), Some(sort));
        prop_assert_eq!(value.map(Value::canonical), value);
    }

    #[test]
    fn what_a_partial_assignment_decides_every_completion_gives(tape in tape(), values in tape(), keep in any::<u32>()) {
        let mut pool = ExprPool::new();
        let mut random = Random::new(&mut pool, &tape, Flavour::Bits);
        let sort = random.sort();
        let e = random.expr(sort, 5);
        let env = Random::new(&mut pool, &values, Flavour::Bits).assignment();
        let partial = |var: VarId| if keep >> (var.0 % 32) & 1 == 1 { env.get(&var).copied() } else { None };
        if let Some(decided) = pool.eval(e, &partial) {
            prop_assert_eq!(pool.eval(e, &|var| env.get(&var).copied()), Some(decided));
        }
    }

    #[test]
    fn substitution_then_evaluation_is_evaluation_in_the_extended_environment(tape in tape(), values in tape()) {
        let mut pool = ExprPool::new();
        let mut random = Random::new(&mut pool, &tape, Flavour::Floats);
        let sort = random.sort();
        let e = random.expr(sort, 4);
        // Every other variable is replaced, by an expression over all of them.
        let vars: Vec<(VarId, Sort)> = random.pool.vars().map(|(var, decl)| (var, decl.sort)).collect();
        let by: BTreeMap<VarId, ExprId> =
            vars.into_iter().filter(|(var, _)| var.0 % 2 == 0).map(|(var, sort)| (var, random.expr(sort, 2))).collect();
        let env = Random::new(&mut pool, &values, Flavour::Floats).assignment();
        let lookup = |var| env.get(&var).copied();
        let replaced = pool.subst(e, &by);
        let extended = |var| match by.get(&var) {
            Some(&by) => pool.eval(by, &lookup),
            None => lookup(var),
        };
        prop_assert_eq!(pool.eval(replaced, &lookup), pool.eval(e, &extended));
        let allowed: std::collections::BTreeSet<VarId> = pool
            .vars_of(&[e])
            .into_iter()
            .filter(|var| !by.contains_key(var))
            .chain(by.values().flat_map(|&by| pool.vars_of(&[by])))
            .collect();
        prop_assert!(pool.vars_of(&[replaced]).is_subset(&allowed));
    }
}

fn bv(width: u16, value: i128) -> Value {
    Value::int(width, value)
}

#[test]
fn corner_cases_of_bit_vectors() {
    let check = |op: BvBin, width: u16, a: i128, b: i128, expected: i128| {
        let mut pool = ExprPool::new();
        let (x, y) = (pool.new_var("x", Sort::BitVec(width)), pool.new_var("y", Sort::BitVec(width)));
        let (ex, ey) = (pool.var(x), pool.var(y));
        let e = pool.bv(op, ex, ey);
        let value = pool.eval(e, &|var| Some(bv(width, if var == x { a } else { b })));
        assert_eq!(value, Some(bv(width, expected)), "{a} {op:?} {b} at width {width}");
        let (ka, kb) = (pool.constant(bv(width, a)), pool.constant(bv(width, b)));
        let folded = pool.bv(op, ka, kb);
        assert_eq!(pool.as_const(folded), value);
    };
    for (op, width, a, b, expected) in [
        (BvBin::Sdiv, 8, -128, -1, -128),
        (BvBin::Srem, 8, -128, -1, 0),
        (BvBin::Sdiv, 128, i128::MIN, -1, i128::MIN),
        (BvBin::Srem, 128, i128::MIN, -1, 0),
        (BvBin::Sdiv, 8, 5, 0, -1),
        (BvBin::Sdiv, 8, -5, 0, 1),
        (BvBin::Srem, 8, -5, 0, -5),
        (BvBin::Sdiv, 8, -7, 2, -3),
        (BvBin::Srem, 8, -7, 2, -1),
        (BvBin::Srem, 8, 7, -2, 1),
        (BvBin::Udiv, 8, 5, 0, 255),
        (BvBin::Urem, 8, 5, 0, 5),
        (BvBin::Udiv, 8, -1, 2, 127),
        (BvBin::Shl, 8, 1, 7, -128),
        (BvBin::Shl, 8, 1, 8, 0),
        (BvBin::Shl, 8, 1, 255, 0),
        (BvBin::Lshr, 8, -1, 8, 0),
        (BvBin::Ashr, 8, -128, 7, -1),
        (BvBin::Ashr, 8, -128, 8, -1),
        (BvBin::Ashr, 8, 127, 200, 0),
        (BvBin::Shl, 128, 1, 127, i128::MIN),
        (BvBin::Ashr, 128, i128::MIN, 128, -1),
        (BvBin::Mul, 16, 300, 300, 90000 - 65536),
        (BvBin::Sdiv, 1, -1, -1, -1),
        (BvBin::Sub, 16, -32768, 1, 32767),
    ] {
        check(op, width, a, b, expected);
    }
}

#[test]
fn corner_cases_of_floats() {
    let nan = Value::f32(f32::NAN);
    let check_bin = |op, a: f32, b: f32, expected: Value| {
        let mut pool = ExprPool::new();
        let (a, b) = (pool.constant(Value::f32(a)), pool.constant(Value::f32(b)));
        let e = pool.fp(op, a, b);
        assert_eq!(pool.as_const(e), Some(expected), "{op:?}");
    };
    for (op, a, b, expected) in [
        (FpBin::Add, -0.0, 0.0, Value::f32(0.0)),
        (FpBin::Add, -0.0, -0.0, Value::f32(-0.0)),
        (FpBin::Sub, f32::INFINITY, f32::INFINITY, nan),
        (FpBin::Mul, 0.0, f32::INFINITY, nan),
        (FpBin::Div, 1.0, -0.0, Value::f32(f32::NEG_INFINITY)),
        (FpBin::Div, 0.0, 0.0, nan),
        (FpBin::Add, f32::MAX, f32::MAX, Value::f32(f32::INFINITY)),
        (FpBin::Add, 16_777_216.0, 1.0, Value::f32(16_777_216.0)),
    ] {
        check_bin(op, a, b, expected);
    }
    let check_int = |v: f64, signed, width, rounding, expected: i128| {
        let mut pool = ExprPool::new();
        let a = pool.constant(Value::f64(v));
        let e = pool.fp_to_bv(signed, width, rounding, a);
        assert_eq!(pool.as_const(e), Some(bv(width, expected)), "{v} to {width} bits, {rounding:?}");
    };
    for (v, signed, width, rounding, expected) in [
        (2.5, true, 16, Rounding::NearestEven, 2),
        (3.5, true, 16, Rounding::NearestEven, 4),
        (-2.5, true, 16, Rounding::NearestEven, -2),
        (-2.9, true, 16, Rounding::TowardZero, -2),
        (32767.4, true, 16, Rounding::NearestEven, 32767),
        (32767.5, true, 16, Rounding::NearestEven, 0),
        (32767.9, true, 16, Rounding::TowardZero, 32767),
        (-32768.9, true, 16, Rounding::TowardZero, -32768),
        (-32769.0, true, 16, Rounding::TowardZero, 0),
        (-0.9, false, 16, Rounding::TowardZero, 0),
        (-1.0, false, 16, Rounding::TowardZero, 0),
        (65535.0, false, 16, Rounding::TowardZero, 65535),
        (65536.0, false, 16, Rounding::TowardZero, 0),
        (f64::NAN, true, 16, Rounding::NearestEven, 0),
        (f64::INFINITY, false, 16, Rounding::NearestEven, 0),
        (9.3e18, true, 64, Rounding::TowardZero, 0),
        (9.3e18, false, 64, Rounding::TowardZero, 9_300_000_000_000_000_000),
    ] {
        check_int(v, signed, width, rounding, expected);
    }
    let mut pool = ExprPool::new();
    let (nan, zero, minus) = (pool.constant(nan), pool.constant(Value::f32(0.0)), pool.constant(Value::f32(-0.0)));
    let noisy_nan = pool.constant(Value::F32(0x7fc0_0001));
    assert_eq!(nan, noisy_nan);
    for (e, expected) in [
        (pool.eq(nan, noisy_nan), true),
        (pool.eq(zero, minus), false),
        (pool.fp_cmp(FpCmp::Eq, nan, nan), false),
        (pool.fp_cmp(FpCmp::Eq, zero, minus), true),
        (pool.fp_cmp(FpCmp::Lt, minus, zero), false),
        (pool.fp_cmp(FpCmp::Le, nan, zero), false),
    ] {
        assert_eq!(pool.as_const(e), Some(Value::Bool(expected)));
    }
}

/// Expressions over x, y: INT; a, b: BOOL; and their text after simplification.
#[test]
fn simplification_and_printing() {
    let mut p = ExprPool::new();
    let int = Sort::BitVec(16);
    let [x, y] = ["x", "y"].map(|name| p.new_var(name, int)).map(|var| p.var(var));
    let [a, b] = ["a", "b"].map(|name| p.new_var(name, Sort::Bool)).map(|var| p.var(var));
    let k = |p: &mut ExprPool, width, v| p.constant(bv(width, v));
    let mut rows: Vec<(ExprId, &str)> = Vec::new();
    let not_a = p.not(a);
    rows.push((p.and(a, not_a), "false"));
    rows.push((p.or(not_a, a), "true"));
    let a_or_b = p.or(a, b);
    rows.push((p.and(a, a_or_b), "a"));
    rows.push((p.and(not_a, a_or_b), "b and not a"));
    rows.push((p.ite(not_a, x, y), "if a then y else x"));
    rows.push((p.ite(a, b, not_a), "b or not a"));
    let one = k(&mut p, 16, 1);
    let inc = p.bv(BvBin::Add, x, one);
    rows.push((inc, "x + 1"));
    rows.push((p.bv(BvBin::Sub, inc, one), "x"));
    rows.push((p.bv(BvBin::Sub, x, one), "x - 1"));
    rows.push((p.eq(inc, one), "x = 0"));
    let (three, five) = (k(&mut p, 16, 3), k(&mut p, 16, 5));
    let choice = p.ite(a, three, five);
    rows.push((p.eq(choice, three), "a"));
    rows.push((p.eq(choice, five), "not a"));
    rows.push((p.eq(choice, one), "false"));
    // A sum computed in 32 bits and stored in 16 is a sum of 16 bits.
    let (wide_x, wide_y) = (p.sign_extend(32, x), p.sign_extend(32, y));
    let sum = p.bv(BvBin::Add, wide_x, wide_y);
    rows.push((p.extract(15, 0, sum), "x + y"));
    let limit = k(&mut p, 32, 100);
    rows.push((p.bv_cmp(BvCmp::Slt, wide_x, limit), "x < 100"));
    let beyond = k(&mut p, 32, 40000);
    rows.push((p.bv_cmp(BvCmp::Slt, wide_x, beyond), "true"));
    rows.push((p.bv_cmp(BvCmp::Sle, beyond, wide_x), "false"));
    let least = k(&mut p, 16, -32768);
    rows.push((p.bv_cmp(BvCmp::Sle, least, x), "true"));
    let minus_five = k(&mut p, 16, -5);
    let low = p.bv_cmp(BvCmp::Slt, x, minus_five);
    rows.push((p.not(low), "-5 <= x"));
    let product = p.bv(BvBin::Mul, inc, y);
    let both = p.bv(BvBin::Xor, product, inc);
    rows.push((both, "$1 ^ (y * $1) where $1 = x + 1"));
    for (e, expected) in rows {
        assert_eq!(p.show(e), expected);
    }
}

#[test]
fn deep_graphs_do_not_recurse() {
    // A small stack: recursion of depth 200,000 would overflow it.
    let work = || {
        let mut pool = ExprPool::new();
        let x = pool.new_var("x", Sort::BitVec(32));
        let flag = pool.new_var("flag", Sort::Bool);
        let (mut e, mut condition) = (pool.var(x), pool.var(flag));
        let start = e;
        for step in 0..100_000u32 {
            let k = pool.constant(Value::bv(32, u128::from(step) * 7 + 3));
            let product = pool.bv(BvBin::Mul, e, k);
            e = pool.bv(BvBin::Xor, product, start);
            let less = pool.bv_cmp(BvCmp::Ult, e, k);
            condition = pool.ite(less, condition, less);
            e = pool.ite(condition, e, start);
        }
        let one = pool.constant(Value::bv(32, 1));
        let replaced = pool.subst(e, &BTreeMap::from([(x, one)]));
        assert_eq!(pool.vars_of(&[e]), [x, flag].into());
        assert_eq!(pool.vars_of(&[replaced]), [flag].into());
        assert_eq!(pool.size(&[e], 1000), 1000);
        let env = |var| Some(if var == x { Value::bv(32, 1) } else { Value::Bool(true) });
        assert!(pool.eval(e, &env).is_some());
        assert_eq!(pool.eval(e, &env), pool.eval(replaced, &env));
        assert!(100_000 < pool.show(e).len());
        let (whole, beginning) = (pool.show(e), pool.show_up_to(e, 2000));
        assert!((2001..2100).contains(&beginning.len()) && pool.show_up_to(e, whole.len()) == whole, "{beginning}");
    };
    std::thread::Builder::new().stack_size(256 * 1024).spawn(work).unwrap().join().unwrap();
}

#[test]
fn a_formula_is_the_disjunction_of_its_disjuncts() {
    let mut pool = ExprPool::new();
    let vars: Vec<VarId> = ["a", "b", "c"].map(|name| pool.new_var(name, Sort::Bool)).into();
    let [a, b, c] = [vars[0], vars[1], vars[2]].map(|var| pool.var(var));
    let (a_and_b, b_or_c, not_c) = (pool.and(a, b), pool.or(b, c), pool.not(c));
    let (neither, either) = (pool.not(b_or_c), pool.or(a_and_b, not_c));
    let (not_both, both) = (pool.not(a_and_b), pool.and(either, b_or_c));
    let repeated = pool.or(not_both, not_c);
    for (e, expected) in [(a, 1), (b_or_c, 2), (neither, 1), (either, 2), (not_both, 2), (both, 1), (repeated, 3)] {
        let parts = pool.disjuncts(e);
        assert_eq!(parts.len(), expected, "{}", pool.show(e));
        let all: Vec<ExprId> = parts.into_iter().map(|(e, holds)| if holds { e } else { pool.not(e) }).collect();
        let again = pool.or_all(all);
        for bits in 0..8 {
            let env = |var: VarId| Some(Value::Bool(bits >> vars.iter().position(|v| *v == var)? & 1 == 1));
            assert_eq!(pool.eval(e, &env), pool.eval(again, &env), "{}", pool.show(e));
        }
    }
}

/// A quotient times its divisor, and the rest, are the dividend for all values: also by 0, and where the quotient wraps.
#[test]
fn quotient_and_rest_are_the_dividend() {
    for (div, rem) in [(BvBin::Udiv, BvBin::Urem), (BvBin::Sdiv, BvBin::Srem)] {
        let mut pool = ExprPool::new();
        let (x, y) = (pool.new_var("x", Sort::BitVec(4)), pool.new_var("y", Sort::BitVec(4)));
        let (ex, ey) = (pool.var(x), pool.var(y));
        let (quotient, rest) = (pool.bv(div, ex, ey), pool.bv(rem, ex, ey));
        for product in [pool.bv(BvBin::Mul, quotient, ey), pool.bv(BvBin::Mul, ey, quotient)] {
            assert_eq!((pool.bv(BvBin::Add, product, rest), pool.bv(BvBin::Add, rest, product)), (ex, ex));
            let other = pool.bv(rem, ey, ex);
            assert_ne!(pool.bv(BvBin::Add, product, other), ex);
            for (a, b) in (0..16).flat_map(|a| (0..16).map(move |b| (a, b))) {
                let of = |e| match pool.eval(e, &|var| Some(bv(4, if var == x { a } else { b }))) {
                    Some(Value::BitVec { bits, .. }) => bits,
                    value => panic!("{value:?}"),
                };
                assert_eq!((of(product) + of(rest)) & 15, of(ex), "{a} {div:?} {b}");
            }
        }
        let three = pool.constant(bv(4, 3));
        let (quotient, rest) = (pool.bv(div, ex, three), pool.bv(rem, ex, three));
        let product = pool.bv(BvBin::Mul, quotient, three);
        assert_eq!(pool.bv(BvBin::Add, product, rest), ex);
    }
}
