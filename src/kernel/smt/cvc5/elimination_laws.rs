//! Elimination against enumeration, and a table.

use proptest::collection::vec;
use proptest::prelude::*;

use super::eliminate;
use crate::expr::random::{Flavour, Random};
use crate::expr::{BvBin, BvCmp, ExprId, ExprPool, Sort, Value};
use crate::smt::Interrupt;

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn what_is_eliminated_holds_exactly_where_some_value_exists(tape in vec(any::<u32>(), 0..40), values in vec(any::<u32>(), 0..20)) {
        let mut pool = ExprPool::new();
        let mut random = Random::new(&mut pool, &tape, Flavour::Bits).narrow();
        let formulas: Vec<ExprId> = (0..2).map(|_| random.expr(Sort::Bool, 2)).collect();
        let body = pool.and_all(formulas);
        let Some(&gone) = pool.vars_of(&[body]).iter().next() else { return Ok(()) };
        let Some(result) = eliminate(&mut pool, &[gone], body, 2000, &Interrupt::default()).unwrap() else { return Ok(()) };
        let env = Random::new(&mut pool, &values, Flavour::Bits).assignment();
        let is = pool.eval(result, &|var| (var != gone).then(|| env[&var])).unwrap().as_bool().unwrap();
        let range = match pool.var_decl(gone).sort {
            Sort::Bool => 2,
            Sort::BitVec(width) => 1u128 << width.min(12),
            Sort::Float(_) | Sort::Int | Sort::Array(..) => 0,
        };
        let exists = (0..range).any(|bits| {
            let value = match pool.var_decl(gone).sort {
                Sort::Bool => Value::Bool(bits == 1),
                Sort::BitVec(width) => Value::bv(width, bits),
                Sort::Float(_) | Sort::Int | Sort::Array(..) => unreachable!(),
            };
            pool.eval(body, &|var| Some(if var == gone { value } else { env[&var] })) == Some(Value::Bool(true))
        });
        prop_assert_eq!(is, exists, "some {} with {} is {}", gone, pool.show(body), pool.show(result));
    }
}

#[test]
fn elimination_leaves_what_people_would_say() {
    let mut pool = ExprPool::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| pool.new_var(name, Sort::BitVec(16)));
    let flag = pool.new_var("flag", Sort::Bool);
    let [ex, ey, ez] = [x, y, z].map(|var| pool.var(var));
    let one = pool.constant(Value::bv(16, 1));
    let next = pool.bv(BvBin::Add, ex, one);
    let defined = pool.eq(ey, next);
    let below = pool.bv_cmp(BvCmp::Slt, ey, ez);
    let solved = pool.and(defined, below);
    let set = pool.var(flag);
    let split = pool.ite(set, below, defined);
    let two_sided = pool.bv_cmp(BvCmp::Slt, ex, ey);
    let between = pool.and(two_sided, below);
    for (gone, body, expected) in [
        (vec![y], solved, "x + 1 < z"),
        (vec![z], solved, ""),
        (vec![flag], split, "y = x + 1 or y < z"),
        (vec![y], between, ""),
        (vec![x, y, z, flag], split, "true"),
    ] {
        let result = eliminate(&mut pool, &gone, body, 5000, &Interrupt::default()).unwrap();
        let Some(result) = result else { panic!("{} was not eliminated", pool.show(body)) };
        if !expected.is_empty() {
            assert_eq!(pool.show(result), expected);
        }
        assert!(pool.vars_of(&[result]).iter().all(|var| !gone.contains(var)));
    }
}
