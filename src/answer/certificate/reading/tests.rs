//! Invariants are read as they were written, and other texts are refused.

use plc_frontend::ids::Id;
use proptest::prelude::*;

use super::super::{express, sexp};
use super::*;
use crate::certify::script::Sorts;
use kernel::cfa::LocId;
use kernel::expr::random::{Flavour, Random};
use kernel::expr::{ExprPool, FloatSort, Scalar};

/// Checks that an expression is read as it was written.
fn is_read_as_written(tape: &[u32], flavour: Flavour) {
    let mut pool = ExprPool::new();
    let mut random = Random::new(&mut pool, tape, flavour);
    let e = random.expr(Sort::Bool, 5);
    let assignments: Vec<_> = (0..4).map(|_| random.assignment()).collect();
    let vars = pool.vars().map(|(var, _)| var).collect::<Vec<_>>();
    let symbols = Symbols::new(&pool, &vars);
    let made = Predicate::of_expr(&pool, e, &symbols).unwrap();
    let written = made.definition("p", &symbols, &mut Sorts::default());
    let sexps = sexp::Sexps::read(&written).unwrap();
    let [_, _, params, _, body] = sexps.list(sexps.top[0]).unwrap() else { panic!("{written}") };
    let read = predicate(&sexps, *params, *body, &symbols).unwrap_or_else(|flaw| panic!("{flaw}: {written}"));
    assert_eq!((read.shape(), &read.params), (made.shape(), &made.params), "{written}");
    // The expression is simplified, so it may differ and has the same value.
    let expressed = express::expression(&mut pool, &read, &symbols).unwrap();
    for assignment in assignments {
        let value = |e| pool.eval(e, &|var| assignment.get(&var).copied());
        assert!(value(e).is_none() || value(e) == value(expressed), "{written} for {assignment:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn what_is_written_is_read_as_the_same(tape in prop::collection::vec(any::<u32>(), 0..120), flavour in 0..4_usize) {
        is_read_as_written(&tape, [Flavour::Bits, Flavour::Floats, Flavour::Formats, Flavour::Unbounded][flavour]);
    }
}

/// Bodies of invariants.
const READ: &[&str] = &[
    "b@",
    "(and b@ b@ true)",
    "(=> b@ b@)",
    "(ite b@ b@ false)",
    "(= v@ #xff)",
    "(= v@ #b00000001)",
    "(= i@ (- 5))",
    "(= (select a@ #b01) i@)",
    "(= a@ ((as const (Array (_ BitVec 2) Int)) (- 1)))",
    "(fp.lt f@ (_ +oo 8 24))",
    "(= (concat ((_ extract 3 0) v@) #x0) v@)",
    "(= (fp.add RNE f@ f@) (fp #b0 #x00 #b00000000000000000000000))",
    "(= ((_ to_fp 8 24) RTZ v@) f@)",
    "(bvult ((_ sign_extend 8) v@) #x0001)",
    "(distinct i@ 7)",
    "(< (- i@) (* i@ i@))",
    "(= (- (+ i@ 3)) i@)",
    "(= ((_ fp.to_sbv 8) RTZ f@) v@)",
    "(fp.leq ((_ to_fp 8 24) RNE ((_ to_fp 11 53) RNE f@)) (_ NaN 8 24))",
    "(= (concat ((_ extract 7 4) v@) ((_ zero_extend 4) v@)) #b0000000000000111)",
];

/// Texts that are no bodies of invariants.
const REFUSED: &[&str] = &[
    "",
    "b@ b@",
    "(and)",
    "(and b@)",
    "(not b@ b@)",
    "(= b@ v@)",
    "(= v@ #b1)",
    "(= v@ #xgg)",
    "(= v@ #x)",
    "(= i@ 007)",
    "(= i@ -5)",
    "(= i@ 5.0)",
    "(and RNE b@ b@)",
    "(fp.add f@ f@)",
    "(bvult RNE v@ v@)",
    "((_ extract 8 0) v@)",
    "(= ((_ extract 0 1) v@) #b1)",
    "(= ((_ zero_extend 200) v@) ((_ zero_extend 200) v@))",
    "(= ((_ repeat 2) v@) #x0000)",
    "(xor b@ b@ b@)",
    "(=> b@ b@ b@)",
    "(= (_ bv256 8) v@)",
    "(= (_ bv1 0) v@)",
    "(= (_ bv1 999999) v@)",
    "(= ((as const (Array Int Int)) b@) a@)",
    "(= ((as const (Array (_ BitVec 2) Int)) ((as const (Array (_ BitVec 2) Int)) 1)) a@)",
    "(select a@ #b01)",
    "(let (x) b@)",
    "(let ((x b@)) )",
    "(let ((x b@) (x b@)) x)",
    "(! b@ :named x)",
    "(exists ((x Bool)) x)",
    "(_ b@ 1)",
    "\"b@\"",
    "(",
    ")",
    "(not b@",
    "(not b@))",
    "()",
    "(b@)",
    "(not)",
    "(not v@)",
    "(and b@ f@)",
    "unknown",
    "|b@",
    "(bvult v@ (_ bv1 9))",
    "(= (_ bv1 129) (_ bv1 129))",
    "(= (_ bv1) v@)",
    "(= ((_ zero_extend 121) v@) ((_ zero_extend 121) v@))",
    "(= ((_ zero_extend 4294967295) v@) v@)",
    "(= (fp #b0 #b1 #b1) (fp #b0 #b1 #b1))",
    "(= (fp b@ b@ b@) f@)",
    "(fp.isNaN (_ NaN 0 0))",
    "(fp.isNaN ((_ to_fp 8 24) v@))",
    "(= ((_ fp.to_sbv 0) RNE f@) v@)",
    "(= v@ #b)",
    "(= v@ #b2)",
    "(= v@ #b+1)",
    "(= v@ #bü)",
    "(= i@ 99999999999999999999999999999999999999999)",
    "(let ((a v@)) a)",
    "(forall ((a Bool)) a)",
    "(define-fun a () Bool b@)",
    "(ite b@ f@ v@)",
    "RNE",
    "(fp.isNaN (fp.add RNE RNE f@))",
    "(_ )",
    "ü",
];

#[test]
fn words_of_any_form_are_read_or_refused() {
    let mut pool = ExprPool::new();
    let sorts =
        [Sort::Bool, Sort::BitVec(8), Sort::Float(FloatSort::F32), Sort::Int, Sort::Array(Scalar::BitVec(2), Scalar::Int)];
    let vars: Vec<_> = sorts.iter().zip(["b", "v", "f", "i", "a"]).map(|(sort, name)| pool.new_var(name, *sort)).collect();
    let symbols = Symbols::new(&pool, &vars);
    let params = "((b@ Bool) (v@ (_ BitVec 8)) (f@ (_ FloatingPoint 8 24)) (i@ Int) (a@ (Array (_ BitVec 2) Int)))";
    let read = |body: &str| {
        let text = format!("{params} {body}");
        let sexps = sexp::Sexps::read(&text).ok()?;
        let [params, body] = sexps.top[..] else { return None };
        predicate(&sexps, params, body, &symbols).ok()
    };
    for body in READ {
        assert!(read(body).is_some(), "{body}");
    }
    for body in REFUSED {
        assert!(read(body).is_none(), "{body}");
    }
    assert_eq!(LocId::new(7).to_string(), "l7");
}
