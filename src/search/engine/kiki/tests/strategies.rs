//! Strategy iteration beside binary search: invariants of random linear loops, wrap-around, and steps that are not linear.

use super::*;
use crate::engine::houdini::{inductive, is_inductive};
use crate::engine::kiki::row::Bound;
use kernel::expr::{BvBin, BvCmp, VarId};
use kernel::rng::Rng;

/// Result of one inference with k = 1.
struct Inferred {
    bounds: Vec<Bound>,
    /// Facts, and those of them that are inductive together.
    n_facts: (usize, usize),
    n_solved: u32,
    n_left: u32,
    is_inductive: bool,
}

/// Infers all rows of a domain.
fn infer(example: &Example, domain: Domain, strategy: bool) -> Inferred {
    let reduced = reduce(&example.pool, &example.cfa, Encoding::Lbe);
    let mut cx = Ctx::new(reduced.pool.clone(), Interrupt::default(), &|_| {});
    let make = default_solvers()(&reduced.pool, &reduced.cfa);
    let system = monolithic(&mut cx.pool, &reduced.cfa);
    let rows = template::template(&mut cx.pool, &system, &[], (domain, Guards::Places), &Matrix::default()).unwrap();
    let mut inference = Inference::new(&mut cx.pool, &system, rows, &[]);
    inference.strategies = strategy.then(strategy::Strategies::default);
    let mut frames = Frames::new(&mut cx, &system, &make, inference.parameters()).unwrap();
    inference.root(&mut cx, &system, &mut frames).unwrap();
    frames.step(&mut cx.pool, &system).unwrap();
    inference.begin(Stage::Whole);
    inference.run(&mut cx, &system, &mut frames).unwrap();
    let bounds = inference.rows.iter().map(|row| row.at).collect();
    let (n_solved, n_left) = inference.strategies.as_ref().map_or((0, 0), |own| (own.n_solved, own.n_left));
    let facts = inference.facts(&mut cx.pool);
    let kept = inductive(&mut cx, &system, &make, facts.clone()).unwrap();
    let is_inductive = is_inductive(&mut cx, &system, &make, &facts, 1).unwrap();
    Inferred { bounds, n_facts: (facts.len(), kept.len()), n_solved, n_left, is_inductive }
}

/// Returns a random loop over two or three words: guarded increments, copies with an offset, resets; comparisons of one word with
/// a constant.
fn linear_loop(rng: &mut Rng) -> Example {
    let mut b = Builder::new();
    let vars: Vec<VarId> =
        (0..2 + rng.below(2)).map(|i| b.var(["x", "y", "z"][i], Value::int(16, rng.below(20) as i128))).collect();
    let go = b.var("go", Value::Bool(false));
    let mut l = b.then(b.cfa.head, Op::Havoc(go));
    for _ in 0..2 + rng.below(3) {
        let (to, from) = (vars[rng.below(vars.len())], vars[rng.below(vars.len())]);
        let below = b.less(vars[rng.below(vars.len())], rng.below(400) as i128 - 100);
        let mut guard = if rng.below(2) == 0 { below } else { b.pool.not(below) };
        if rng.below(2) == 0 {
            let go = b.v(go);
            guard = b.pool.and(guard, go);
        }
        let change = rng.below(19) as i128 - 9;
        let e = if rng.below(5) == 0 { b.n(16, change) } else { b.plus(from, change) };
        l = b.when(l, guard, Op::Assign(to, e));
    }
    let bad = b.is(vars[0], 12_345);
    b.close(l, bad);
    // Nothing that reaches 12 345 matters: whatever the answer is.
    Example { name: "linear loop", pool: b.pool, cfa: b.cfa, answer: Known::Safe }
}

#[test]
fn both_searches_give_inductive_invariants_and_strategies_no_larger_ones() {
    let mut rng = Rng(0x5eed);
    let (mut n_solved, mut n_left, mut n_smaller) = (0, 0, 0);
    for i in 0..60 {
        let example = linear_loop(&mut rng);
        for domain in [Domain::Intervals, Domain::Zones] {
            let [strategy, binary] = [true, false].map(|strategy| infer(&example, domain, strategy));
            for own in [&strategy, &binary] {
                assert!(own.is_inductive, "{i} {domain:?}");
                assert_eq!(own.n_facts.0, own.n_facts.1, "{i} {domain:?}");
            }
            for (row, (a, b)) in strategy.bounds.iter().zip(&binary.bounds).enumerate() {
                assert!(a <= b, "{i} {domain:?} row {row}: {a:?} {b:?}");
            }
            n_smaller += usize::from(strategy.bounds != binary.bounds);
            n_solved += strategy.n_solved;
            n_left += strategy.n_left;
        }
    }
    println!("{n_solved} improvements, {n_left} left to the binary search, {n_smaller} smaller results");
    assert!(100 < n_solved && n_left <= n_solved / 10, "{n_solved} {n_left}");
}

#[test]
fn a_counter_costs_one_linear_program_for_each_path() {
    let own = infer(&far(), Domain::Intervals, true);
    assert!(own.n_solved <= 3 && own.n_left == 0, "{} {}", own.n_solved, own.n_left);
    assert_eq!(own.bounds, infer(&far(), Domain::Intervals, false).bounds);
}

/// Returns a byte that grows by `by` while it is below `limit`, read as unsigned.
fn byte(limit: i128, by: i128) -> Example {
    let mut b = Builder::new();
    let x = b.var("x", Value::bv(8, 0));
    let (x_e, limit, more) = (b.v(x), b.n(8, limit), b.plus(x, by));
    let below = b.pool.bv_cmp(BvCmp::Ult, x_e, limit);
    let l = b.when(b.cfa.head, below, Op::Assign(x, more));
    let five = b.n(8, 5);
    let bad = b.pool.eq(x_e, five);
    b.close(l, bad);
    Example { name: "byte", pool: b.pool, cfa: b.cfa, answer: Known::Safe }
}

#[test]
fn sums_that_wrap_are_another_path() {
    // 249 + 6 = 255 does not wrap; 249 + 10 = 3 does, and then every value is possible for the linear reading and for the words.
    for (limit, by, most) in [(250, 6, 255), (200, 10, 209), (250, 10, 255)] {
        let own = infer(&byte(limit, by), Domain::Intervals, true);
        assert!(own.is_inductive && own.n_left == 0, "{limit} {by}");
        assert_eq!(own.bounds, infer(&byte(limit, by), Domain::Intervals, false).bounds, "{limit} {by}");
        assert_eq!(own.bounds[0], Some(most), "{limit} {by}");
    }
}

#[test]
fn steps_that_are_not_linear_are_left_to_the_binary_search() {
    let mut b = Builder::new();
    let (x, y) = (b.var("x", Value::int(16, 2)), b.var("y", Value::int(16, 3)));
    let (x_e, y_e) = (b.v(x), b.v(y));
    let go = b.var("go", Value::Bool(false));
    let (product, low, go_e, four) = (b.pool.bv(BvBin::Mul, x_e, y_e), b.less(x, 50), b.v(go), b.n(16, 4));
    let l = b.then(b.cfa.head, Op::Havoc(go));
    let l = b.when(l, go_e, Op::Assign(y, four));
    let l = b.when(l, low, Op::Assign(x, product));
    let (zero, over) = (b.n(16, 2), b.less(x, 40));
    let over = b.pool.not(over);
    let l = b.when(l, over, Op::Assign(x, zero));
    let bad = b.is(x, 41);
    b.close(l, bad);
    let example = Example { name: "product", pool: b.pool, cfa: b.cfa, answer: Known::Safe };
    let own = infer(&example, Domain::Intervals, true);
    assert!(own.is_inductive && 0 < own.n_left, "{}", own.n_left);
    assert!(matches!(say(&example, &[("inference", "strategy")]), Said::Safe(_)));
}

#[test]
fn strategies_prove_what_binary_search_proves() {
    for example in examples() {
        for mode in ["ai", "kiki"] {
            let with = |inference| say(&example, &[("mode", mode), ("domain", "octagons"), ("inference", inference), ("k", "6")]);
            assert_eq!(with("strategy"), with("binary"), "{} {mode}", example.name);
        }
    }
}

#[test]
fn effort_names_the_strategies() {
    let texts = std::sync::Mutex::new(Vec::new());
    let listen = |progress: Progress| texts.lock().unwrap().push(progress.text);
    let reduced = reduce(&far().pool, &far().cfa, Encoding::Lbe);
    let options = BTreeMap::from([("inference".to_owned(), "strategy".to_owned())]);
    let mut engine = configure(ENGINES, "kiki", &options, &solvers()).unwrap();
    let mut cx = Ctx::new(reduced.pool, Interrupt::default(), &listen);
    assert!(matches!(engine.run(&mut cx, &reduced.cfa), Ok(Verdict::Safe(_))));
    assert_eq!(infer(&far(), Domain::Intervals, true).n_left, 0);
    let together = reduce(&together().pool, &together().cfa, Encoding::Lbe);
    let mut engine = configure(ENGINES, "kiki", &options, &solvers()).unwrap();
    let mut cx = Ctx::new(together.pool, Interrupt::default(), &listen);
    assert!(matches!(engine.run(&mut cx, &together.cfa), Ok(Verdict::Safe(_))));
    let texts = texts.lock().unwrap();
    assert!(
        texts.iter().any(|text| text.contains("strategy improvement") && text.ends_with("by binary search instead")),
        "{texts:?}"
    );
}
