//! Rows over floats and mathematical integers: NaN, infinities, rounding, numbers without a bound.

use super::*;
use kernel::expr::{ExprPool, FloatSort, FpBin, FpCmp, FpTest, IntBin, IntCmp};

fn less(pool: &mut ExprPool, a: ExprId, b: ExprId) -> ExprId {
    if pool.sort(a) == Sort::Int { pool.int_cmp(IntCmp::Lt, a, b) } else { pool.fp_cmp(FpCmp::Lt, a, b) }
}

fn add(pool: &mut ExprPool, a: ExprId, b: ExprId, is_sum: bool) -> ExprId {
    if pool.sort(a) == Sort::Int {
        pool.int(if is_sum { IntBin::Add } else { IntBin::Sub }, a, b)
    } else {
        pool.fp(if is_sum { FpBin::Add } else { FpBin::Sub }, a, b)
    }
}

/// Returns an example that takes `less` from x and adds `more` to y while x is enough; y below `limit` is claimed.
pub(super) fn exchange(x: Value, y: Value, [give, take, limit]: [Value; 3]) -> Example {
    let mut b = Builder::new();
    let (go, x, y) = (b.var("go", Value::Bool(false)), b.var("x", x), b.var("y", y));
    let l = b.then(b.cfa.head, Op::Havoc(go));
    let (go_e, x_e, y_e) = (b.v(go), b.v(x), b.v(y));
    let [give, take, limit] = [give, take, limit].map(|v| b.pool.constant(v));
    let few = less(&mut b.pool, x_e, give);
    let enough = b.pool.not(few);
    let both = b.pool.and(go_e, enough);
    let (less_x, more_y) = (add(&mut b.pool, x_e, give, false), add(&mut b.pool, y_e, take, true));
    let l = b.when(l, both, Op::Assign(y, more_y));
    let l = b.when(l, both, Op::Assign(x, less_x));
    let below = less(&mut b.pool, y_e, limit);
    let bad = b.pool.not(below);
    b.close(l, bad);
    Example { name: "exchange of numbers", pool: b.pool, cfa: b.cfa, answer: Known::Safe }
}

/// Returns an example: `x` starts at `start`, and each cycle it is `next(x, input)`; the claim is that `bad(x)` never holds.
fn one(
    start: Value,
    next: impl FnOnce(&mut ExprPool, ExprId, ExprId) -> ExprId,
    bad: impl FnOnce(&mut ExprPool, ExprId) -> ExprId,
) -> Example {
    let mut b = Builder::new();
    let (input, x) = (b.var("input", start), b.var("x", start));
    let l = b.then(b.cfa.head, Op::Havoc(input));
    let (input_e, x_e) = (b.v(input), b.v(x));
    let e = next(&mut b.pool, x_e, input_e);
    let l = b.then(l, Op::Assign(x, e));
    let bad = bad(&mut b.pool, x_e);
    b.close(l, bad);
    Example { name: "one number", pool: b.pool, cfa: b.cfa, answer: Known::Safe }
}

const AI: [(&str, &str); 3] = [("mode", "ai"), ("domain", "intervals"), ("guards", "places")];

/// Returns x + input / 2 as far as it is in 0..100, else x.
fn clamped(pool: &mut ExprPool, x: ExprId, input: ExprId, sees_nan: bool) -> ExprId {
    let [half, zero, hundred] = [0.5f32, 0.0, 100.0].map(|v| pool.constant(Value::f32(v)));
    let step = pool.fp(FpBin::Mul, input, half);
    let sum = pool.fp(FpBin::Add, x, step);
    if sees_nan {
        let (low, high) = (pool.fp_cmp(FpCmp::Le, zero, sum), pool.fp_cmp(FpCmp::Le, sum, hundred));
        let inside = pool.and(low, high);
        return pool.ite(inside, sum, x);
    }
    // No comparison with NaN is true, so NaN comes through.
    let (low, high) = (pool.fp_cmp(FpCmp::Lt, sum, zero), pool.fp_cmp(FpCmp::Lt, hundred, sum));
    let outside = pool.or(low, high);
    pool.ite(outside, x, sum)
}

fn beyond_hundred(pool: &mut ExprPool, x: ExprId) -> ExprId {
    let limit = pool.constant(Value::f32(100.5));
    pool.fp_cmp(FpCmp::Lt, limit, x)
}

fn is_nan(pool: &mut ExprPool, x: ExprId) -> ExprId {
    pool.fp_test(FpTest::IsNan, x)
}

#[test]
fn bounds_of_floats_exclude_nan_where_they_hold() {
    for bad in [beyond_hundred as fn(&mut ExprPool, ExprId) -> ExprId, is_nan] {
        let example = one(Value::f32(0.0), |pool, x, i| clamped(pool, x, i, true), bad);
        assert!(matches!(say(&example, &AI), Said::Safe(_)));
    }
}

#[test]
fn nan_that_comes_through_is_no_bound() {
    // NaN is possible in the second cycle only: the input of the first is known to be finite by nothing, so in the first too.
    let example = one(Value::f32(0.0), |pool, x, i| clamped(pool, x, i, false), is_nan);
    assert_eq!(say(&example, &AI), Said::Unsafe(1));
    assert_eq!(say(&example, &[("mode", "kiki"), ("domain", "all")]), Said::Unsafe(1));
    // From NaN on, every comparison is false: no bound holds, and the claim that needs one is open.
    let example = one(
        Value::f32(0.0),
        |pool, x, i| clamped(pool, x, i, false),
        |pool, x| {
            let limit = pool.constant(Value::f32(100.5));
            let below = pool.fp_cmp(FpCmp::Le, x, limit);
            pool.not(below)
        },
    );
    assert_eq!(say(&example, &AI), Said::Unsafe(1));
}

#[test]
fn infinity_is_a_value() {
    // Doubles for ever: 1, 2, 4 … +infinity, and never NaN.
    let double = |pool: &mut ExprPool, x: ExprId, _| pool.fp(FpBin::Add, x, x);
    let example = one(Value::f32(1.0), double, is_nan);
    assert!(matches!(say(&example, &AI), Said::Safe(_)));
    let infinite = |pool: &mut ExprPool, x: ExprId| pool.fp_test(FpTest::IsInfinite, x);
    let example = one(Value::f32(1.0), double, infinite);
    assert!(matches!(say(&example, &[("mode", "ai"), ("domain", "intervals")]), Said::Unknown));
}

#[test]
fn bounds_of_mathematical_integers() {
    let count = |to: i128| {
        move |pool: &mut ExprPool, x: ExprId, _| {
            let (end, one) = (pool.int_const(to), pool.int_const(1));
            let (low, more) = (pool.int_cmp(IntCmp::Lt, x, end), pool.int(IntBin::Add, x, one));
            let zero = pool.int_const(0);
            pool.ite(low, more, zero)
        }
    };
    let is = |v: i128| {
        move |pool: &mut ExprPool, x: ExprId| {
            let v = pool.int_const(v);
            pool.eq(x, v)
        }
    };
    for inference in ["binary", "strategy"] {
        let given = [AI[0], AI[1], AI[2], ("inference", inference)];
        for to in [10, 30_000, 3_000_000_000] {
            assert!(matches!(say(&one(Value::Int(0), count(to), is(to + 70)), &given), Said::Safe(_)), "{inference} {to}");
            assert!(matches!(say(&one(Value::Int(0), count(to), is(-3)), &given), Said::Safe(_)), "{inference} {to}");
        }
        // No bound above: the search ends.
        let up = |pool: &mut ExprPool, x: ExprId, _| {
            let one = pool.int_const(1);
            pool.int(IntBin::Add, x, one)
        };
        assert!(matches!(say(&one(Value::Int(0), up, is(-1)), &given), Said::Safe(_)), "{inference}");
        assert_eq!(say(&one(Value::Int(0), up, is(77)), &given), Said::Unknown, "{inference}");
        // Numbers near the end of 128 bits have no upper bound; the lower one is that of all large numbers.
        let far = i128::MAX - 5;
        assert!(matches!(say(&one(Value::Int(far), up, is(0)), &given), Said::Safe(_)), "{inference}");
        assert_eq!(say(&one(Value::Int(far), up, is(far - 1)), &given), Said::Unknown, "{inference}");
    }
}

/// Returns an example: y is what x lacks of ten, and both together are hardly more two cycles later.
///
/// Its floats have nine bits: sums of larger ones take solvers minutes.
pub(super) fn complement() -> Example {
    let mut b = Builder::new();
    let sort = FloatSort::new(4, 5).unwrap();
    let [zero, ten, limit] = [0.0, 10.0, 10.5].map(|v| {
        let wide = b.pool.constant(Value::f32(v));
        b.pool.fp_to_fp(sort, wide)
    });
    let start = b.pool.as_const(zero).unwrap();
    let [x, y, old_x, old_y, sum, input] = ["x", "y", "old_x", "old_y", "sum", "input"].map(|name| b.var(name, start));
    let [x_e, y_e, old_x_e, old_y_e, sum_e, input_e] = [x, y, old_x, old_y, sum, input].map(|var| b.v(var));
    let both = b.pool.fp(FpBin::Add, old_x_e, old_y_e);
    let mut l = b.cfa.head;
    for (var, e) in [(sum, both), (old_x, x_e), (old_y, y_e), (x, zero)] {
        l = b.then(l, Op::Assign(var, e));
    }
    let l = b.then(l, Op::Havoc(input));
    let (low, high) = (b.pool.fp_cmp(FpCmp::Le, zero, input_e), b.pool.fp_cmp(FpCmp::Le, input_e, ten));
    let inside = b.pool.and(low, high);
    let l = b.when(l, inside, Op::Assign(x, input_e));
    let rest = b.pool.fp(FpBin::Sub, ten, x_e);
    let l = b.then(l, Op::Assign(y, rest));
    let below = b.pool.fp_cmp(FpCmp::Le, sum_e, limit);
    let bad = b.pool.not(below);
    b.close(l, bad);
    Example { name: "complement", pool: b.pool, cfa: b.cfa, answer: Known::Safe }
}

#[test]
fn sums_of_floats_and_integers() {
    let int = exchange(Value::Int(20), Value::Int(0), [1, 1, 21].map(Value::Int));
    for example in [int, complement()] {
        let domain = |domain| say(&example, &[("mode", "ai"), ("domain", domain), ("guards", "places")]);
        assert!(matches!(domain("octagons"), Said::Safe(_)), "{}", example.name);
        assert_eq!(domain("zones"), Said::Unknown, "{}", example.name);
    }
}
