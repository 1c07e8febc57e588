//! Laws of every solver: it agrees with the evaluator bit for bit, scopes restore, cores suffice, definitions are equalities, and
//! a stopped check is reported.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use super::*;
use crate::expr::random::{Flavour, Random};
use crate::expr::{BvBin, BvCmp, Expr, Sort};

type Make = fn() -> Box<dyn Solver>;

fn bit_blaster() -> Box<dyn Solver> {
    Box::new(BitBlaster::new(&Interrupt::default()))
}

fn cramped_bit_blaster() -> Box<dyn Solver> {
    Box::new(BitBlaster::cramped(&Interrupt::default()))
}

fn short_lived_cvc5() -> Box<dyn Solver> {
    Box::new(Cvc5::short_lived(&Interrupt::default()).unwrap())
}

fn cvc5() -> Box<dyn Solver> {
    Box::new(Cvc5::new(&Interrupt::default()).unwrap())
}

/// The solvers that decide Bool and bit vectors.
const BITS: [(&str, Make); 2] = [("bit-blaster", bit_blaster), ("cvc5", cvc5)];

fn tape(length: usize) -> impl Strategy<Value = Vec<u32>> {
    proptest::collection::vec(any::<u32>(), 0..length)
}

fn raw_equal(pool: &mut ExprPool, e: ExprId, value: Value) -> ExprId {
    let constant = pool.raw(Expr::Const(value));
    pool.raw(Expr::Eq(e, constant))
}

/// Checks that, with all variables fixed, `e` can have the evaluator's value and no other.
fn agrees(name: &str, make: Make, tape: &[u32], values: &[u32], flavour: Flavour, depth: u32) -> TestCaseResult {
    let mut pool = ExprPool::new();
    let mut random = Random::new(&mut pool, tape, flavour);
    let sort = random.sort();
    let e = random.expr(sort, depth);
    let env = Random::new(&mut pool, values, flavour).assignment();
    let expected = pool.eval(e, &|var| env.get(&var).copied());
    // Division by zero and integers of more than 128 bits have no value that we could compare.
    let Some(expected) = expected else {
        prop_assert!(matches!(flavour, Flavour::Unbounded | Flavour::Formats), "{} has no value", pool.show(e));
        return Ok(());
    };
    let mut solver = make();
    for (&var, &value) in &env {
        let var = pool.var(var);
        let fixed = raw_equal(&mut pool, var, value);
        solver.assert(&pool, fixed, 3).unwrap();
    }
    prop_assert_eq!(solver.check(&pool, &[]).unwrap(), Sat::Sat, "{}: {}", name, pool.show(e));
    prop_assert_eq!(solver.value(&pool, e, 3).unwrap(), expected, "{}: {}", name, pool.show(e));
    let is = raw_equal(&mut pool, e, expected);
    let is_not = pool.raw(Expr::Not(is));
    prop_assert_eq!(solver.check(&pool, &[(is, 3)]).unwrap(), Sat::Sat, "{}: {}", name, pool.show(e));
    prop_assert_eq!(solver.check(&pool, &[(is_not, 3)]).unwrap(), Sat::Unsat, "{}: {} = {:?}", name, pool.show(e), expected);
    prop_assert_eq!(solver.core(), vec![0]);
    Ok(())
}

/// Checks a solver: a satisfiable formula has a model that the evaluator accepts; no random assignment satisfies an unsatisfiable one.
fn models_are_real(name: &str, make: Make, tape: &[u32], values: &[u32], flavour: Flavour, depth: u32) -> TestCaseResult {
    let mut pool = ExprPool::new();
    let e = Random::new(&mut pool, tape, flavour).narrow().expr(Sort::Bool, depth);
    let mut solver = make();
    solver.assert(&pool, e, 0).unwrap();
    match solver.check(&pool, &[]).unwrap() {
        Sat::Sat => {
            let mut model = BTreeMap::new();
            for var in pool.vars_of(&[e]) {
                let var_expr = pool.var(var);
                model.insert(var, solver.value(&pool, var_expr, 0).unwrap());
            }
            let value = pool.eval(e, &|var| model.get(&var).copied());
            prop_assert_eq!(value, Some(Value::Bool(true)), "{}: {} under {:?}", name, pool.show(e), model);
        }
        Sat::Unsat => {
            let env = Random::new(&mut pool, values, flavour).assignment();
            let value = pool.eval(e, &|var| env.get(&var).copied());
            prop_assert_eq!(value, Some(Value::Bool(false)), "{}: {} under {:?}", name, pool.show(e), env);
        }
        Sat::Unknown(unknown) => prop_assert!(false, "{}: {:?}", name, unknown),
    }
    Ok(())
}

/// Checks that a core is unsatisfiable, and that scopes, definitions and assumptions leave nothing behind.
fn sessions_agree_with_fresh_solvers(make: Make, tape: &[u32], steps: &[u32], flavour: Flavour) -> TestCaseResult {
    let mut pool = ExprPool::new();
    let mut random = Random::new(&mut pool, tape, flavour).narrow();
    let formulas: Vec<ExprId> = (0..4).map(|_| random.expr(Sort::Bool, 3)).collect();
    let vars: Vec<(VarId, Sort)> = pool.vars().map(|(var, decl)| (var, decl.sort)).collect();
    let mut random = Random::new(&mut pool, steps, flavour).narrow();
    let sources: Vec<(VarId, ExprId)> = vars.iter().map(|&(var, sort)| (var, random.expr(sort, 2))).collect();
    let equalities: Vec<ExprId> = sources
        .iter()
        .map(|&(var, _)| {
            let fresh = pool.new_var("old", pool.var_decl(var).sort);
            let (old, new) = (pool.var(fresh), pool.var(var));
            pool.raw(Expr::Eq(old, new))
        })
        .collect();
    let mut solver = make();
    // Assertions, scope by scope: a formula in a frame, or a definition.
    let mut open: Vec<Vec<(usize, Frame)>> = vec![Vec::new()];
    let mut defined: Vec<Vec<(usize, Frame)>> = vec![Vec::new()];
    for &step in steps {
        let (i, frame) = ((step >> 8) as usize % formulas.len(), step >> 16 & 1);
        match step % 6 {
            0 => {
                solver.push().unwrap();
                open.push(Vec::new());
                defined.push(Vec::new());
            }
            1 if 1 < open.len() => {
                solver.pop().unwrap();
                open.pop();
                defined.pop();
            }
            2 | 3 => {
                solver.assert(&pool, formulas[i], frame).unwrap();
                open.last_mut().unwrap().push((i, frame));
            }
            4 if !sources.is_empty() => {
                let i = (step >> 8) as usize % sources.len();
                let (var, e) = sources[i];
                solver.define(&pool, var, 1 - frame, e, frame).unwrap();
                defined.last_mut().unwrap().push((i, frame));
            }
            _ => {
                let assumptions: Vec<(ExprId, Frame)> =
                    (0..3).map(|k| (formulas[(step >> (8 + 3 * k)) as usize % formulas.len()], step >> (20 + k) & 1)).collect();
                let answer = solver.check(&pool, &assumptions).unwrap();
                // The same from scratch: each definition is an equality, through a variable of its own.
                let from_scratch = |assumptions: &[(ExprId, Frame)]| {
                    let mut fresh = make();
                    for &(i, frame) in open.iter().flatten() {
                        fresh.assert(&pool, formulas[i], frame).unwrap();
                    }
                    for &(i, frame) in defined.iter().flatten() {
                        let old = pool.expr(equalities[i]).children().next().unwrap();
                        let Expr::Var(old) = pool.expr(old) else { unreachable!() };
                        fresh.define(&pool, old, 1 - frame, sources[i].1, frame).unwrap();
                        fresh.assert(&pool, equalities[i], 1 - frame).unwrap();
                    }
                    for &(e, frame) in assumptions {
                        fresh.assert(&pool, e, frame).unwrap();
                    }
                    fresh.check(&pool, &[]).unwrap()
                };
                prop_assert_eq!(&answer, &from_scratch(&assumptions));
                if answer == Sat::Unsat {
                    let core: Vec<(ExprId, Frame)> = solver.core().into_iter().map(|i| assumptions[i]).collect();
                    prop_assert_eq!(from_scratch(&core), Sat::Unsat, "core {:?}", solver.core());
                } else {
                    let asserted = open.iter().flatten().map(|&(i, frame)| (formulas[i], frame));
                    for (e, frame) in assumptions.into_iter().chain(asserted) {
                        prop_assert_eq!(solver.value(&pool, e, frame).unwrap(), Value::Bool(true));
                    }
                }
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn solvers_agree_with_the_evaluator_on_bits(tape in tape(80), values in tape(60)) {
        for (name, make) in BITS {
            agrees(name, make, &tape, &values, Flavour::Bits, 4)?;
        }
    }

    #[test]
    fn models_of_bit_formulas_are_real(tape in tape(40), values in tape(40)) {
        for (name, make) in BITS {
            models_are_real(name, make, &tape, &values, Flavour::Bits, 4)?;
        }
    }

}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn cvc5_agrees_with_the_evaluator_on_floats(tape in tape(40), values in tape(60)) {
        agrees("cvc5", cvc5, &tape, &values, Flavour::Floats, 3)?;
    }

    #[test]
    fn cvc5_agrees_with_the_evaluator_on_odd_floats(tape in tape(30), values in tape(60)) {
        agrees("cvc5", cvc5, &tape, &values, Flavour::Formats, 2)?;
    }

    #[test]
    fn cvc5_agrees_with_the_evaluator_on_integers_and_arrays(tape in tape(40), values in tape(60)) {
        agrees("cvc5", cvc5, &tape, &values, Flavour::Unbounded, 3)?;
    }

    #[test]
    fn sessions_of_the_bit_blaster_agree_with_fresh_ones(tape in tape(60), steps in tape(60)) {
        sessions_agree_with_fresh_solvers(bit_blaster, &tape, &steps, Flavour::Bits)?;
        sessions_agree_with_fresh_solvers(cramped_bit_blaster, &tape, &steps, Flavour::Bits)?;
    }
}

proptest! {
    // Each of these makes dozens of cvc5s.
    #![proptest_config(ProptestConfig { cases: 30, ..ProptestConfig::default() })]

    #[test]
    fn sessions_of_cvc5_agree_with_fresh_ones(tape in tape(60), steps in tape(16)) {
        sessions_agree_with_fresh_solvers(cvc5, &tape, &steps, Flavour::Bits)?;
        sessions_agree_with_fresh_solvers(short_lived_cvc5, &tape, &steps, Flavour::Bits)?;
    }
}

/// Returns x · y = k for a product of two primes: far more than a second of work.
fn hard(pool: &mut ExprPool) -> ExprId {
    let [x, y] = ["x", "y"].map(|name| pool.new_var(name, Sort::BitVec(31))).map(|var| pool.var(var));
    let (wide_x, wide_y) = (pool.zero_extend(62, x), pool.zero_extend(62, y));
    let product = pool.bv(BvBin::Mul, wide_x, wide_y);
    let k = pool.constant(Value::bv(62, 1_500_450_271 * 2_038_074_743));
    let is = pool.eq(product, k);
    let less = pool.bv_cmp(BvCmp::Ult, x, y);
    pool.and(is, less)
}

fn stopped_checks_say_why(make: fn(&Interrupt) -> Box<dyn Solver>) {
    let mut pool = ExprPool::new();
    let hard = hard(&mut pool);
    let interrupt = Interrupt::default();
    let mut solver = make(&interrupt);
    solver.push().unwrap();
    solver.assert(&pool, hard, 0).unwrap();
    solver.limit(Some(30));
    assert_eq!(solver.check(&pool, &[]).unwrap(), Sat::Unknown(Unknown::Limit));
    assert!(solver.value(&pool, hard, 0).is_err());
    // Raised while it runs.
    solver.limit(None);
    let flag = interrupt.cancel.clone();
    let raise = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        flag.store(true, Ordering::Relaxed);
    });
    assert_eq!(solver.check(&pool, &[]).unwrap(), Sat::Unknown(Unknown::Interrupted));
    raise.join().unwrap();
    // Raised before.
    assert_eq!(solver.check(&pool, &[]).unwrap(), Sat::Unknown(Unknown::Interrupted));
    // It is usable afterwards.
    interrupt.cancel.store(false, Ordering::Relaxed);
    solver.pop().unwrap();
    assert_eq!(solver.check(&pool, &[]).unwrap(), Sat::Sat);
}

#[test]
fn stopped_checks_of_the_bit_blaster_say_why() {
    stopped_checks_say_why(|interrupt| Box::new(BitBlaster::new(interrupt)));
}

#[test]
fn stopped_checks_of_cvc5_say_why() {
    stopped_checks_say_why(|interrupt| Box::new(Cvc5::new(interrupt).unwrap()));
}

#[test]
fn definitions_end_with_their_scope_and_never_override() {
    for (name, make) in BITS.into_iter().chain([("cramped", cramped_bit_blaster as Make), ("short-lived", short_lived_cvc5)]) {
        let mut pool = ExprPool::new();
        let var = pool.new_var("x", Sort::BitVec(8));
        let x = pool.var(var);
        let [one, two] = [1, 2].map(|k| pool.constant(Value::bv(8, k)));
        let (is_one, is_two) = (pool.eq(x, one), pool.eq(x, two));
        let mut solver = make();
        let check = |solver: &mut dyn Solver, e, expected: Sat, what| {
            assert_eq!(solver.check(&pool, &[(e, 1)]).unwrap(), expected, "{name}: {what}");
        };
        solver.push().unwrap();
        solver.define(&pool, var, 1, one, 0).unwrap();
        check(&mut *solver, is_two, Sat::Unsat, "defined to be 1");
        solver.push().unwrap();
        solver.define(&pool, var, 1, two, 0).unwrap();
        check(&mut *solver, is_two, Sat::Unsat, "also defined to be 2");
        check(&mut *solver, is_one, Sat::Unsat, "also defined to be 2");
        solver.pop().unwrap();
        check(&mut *solver, is_one, Sat::Sat, "the second definition is over");
        solver.pop().unwrap();
        check(&mut *solver, is_two, Sat::Sat, "both definitions are over");
        check(&mut *solver, is_one, Sat::Sat, "both definitions are over");
        // Mentioned in a past check; then asserted, then defined.
        solver.push().unwrap();
        solver.assert(&pool, is_one, 1).unwrap();
        solver.define(&pool, var, 1, two, 0).unwrap();
        check(&mut *solver, is_two, Sat::Unsat, "asserted to be 1, defined to be 2");
        solver.pop().unwrap();
        // In terms of itself.
        let next = pool.bv(BvBin::Add, x, one);
        solver.push().unwrap();
        solver.define(&pool, var, 1, next, 1).unwrap();
        assert_eq!(solver.check(&pool, &[]).unwrap(), Sat::Unsat, "{name}: x = x + 1");
        solver.pop().unwrap();
        assert!(solver.pop().is_err());
    }
}
