//! The worked example of the paper: kIkI proves it with k = 2, and none of the algorithms that it generalises does.
//!
//! Source: Brain, Joshi, Kroening, Schrammel, SAS 2015 (extended version), Appendix A.

use super::*;
use kernel::cfa::EdgeId;
use kernel::expr::{BvBin, BvCmp, BvUn};

/// Returns the worked example, with words of 16 bits.
fn worked() -> Example {
    let mut b = Builder::new();
    let sort = Sort::BitVec(16);
    let w = b.var("w", Value::int(16, 0));
    let (x, y, z) = (b.input("x", sort), b.input("y", sort), b.input("z", sort));
    let (x_e, y_e, z_e, w_e) = (b.v(x), b.v(y), b.v(z), b.v(w));
    // x == y && y == z && -10 <= x && x < 0 at the start.
    let (xy, yz, low, negative) = (b.pool.eq(x_e, y_e), b.pool.eq(y_e, z_e), b.less(x, -10), b.less(x, 0));
    let high = b.pool.not(low);
    b.cfa.edges[EdgeId(0)].op = Op::Assume(b.pool.and_all([xy, yz, high, negative]));
    let (not_y, not_x) = (b.pool.bv_un(BvUn::Neg, y_e), b.pool.bv_un(BvUn::Neg, x_e));
    let more = b.plus(w, 1);
    let sum = b.pool.bv(BvBin::Add, x_e, w_e);
    let mut l = b.cfa.head;
    for (var, e) in [(z, not_y), (y, not_x), (w, more), (x, sum)] {
        l = b.then(l, Op::Assign(var, e));
    }
    let (one, two, three, zero) = (b.n(16, 1), b.n(16, 2), b.n(16, 3), b.n(16, 0));
    let rest = b.pool.bv(BvBin::Srem, w_e, two);
    let (is_even, third) = (b.pool.ne(rest, one), b.pool.bv(BvBin::Sdiv, w_e, three));
    l = b.when(l, is_even, Op::Assign(w, third));
    let below = b.less(x, 10);
    let beyond = b.pool.not(below);
    let (over, join) = (b.then(l, Op::Assume(beyond)), b.then(l, Op::Assume(below)));
    let over = b.then(over, Op::Assign(x, zero));
    let over = b.then(over, Op::Assign(y, zero));
    b.edge(over, join, Op::Assign(z, zero));
    let limit = b.pool.bv(BvBin::Add, z_e, three);
    let holds = b.pool.bv_cmp(BvCmp::Sle, x_e, limit);
    let bad = b.pool.not(holds);
    b.close(join, bad);
    Example { name: "worked", pool: b.pool, cfa: b.cfa, answer: Known::Safe }
}

#[test]
fn the_worked_example_needs_kiki_with_k_2() {
    let with = |mode| say(&worked(), &[("mode", mode), ("domain", "intervals"), ("guards", "places"), ("k", "4")]);
    for mode in ["ibmc", "kinduction", "ai"] {
        assert_eq!(with(mode), Said::Unknown, "{mode}");
    }
    assert_eq!(with("kiki"), Said::Safe(2));
}
