//! Programs with many calls of one recursive function.

use kernel::cfa::Cfa;
use kernel::cfa::pass::{Encoding, Reduced, reduce};
use kernel::cfa::{ModelOptions, RecursiveCalls, build};
use kernel::context::{Ctx, Stop, default_solvers};
use kernel::expr::ExprPool;
use kernel::property::instrument::instrument;
use kernel::smt::Interrupt;
use kernel::verdict::Verdict;
use testgen::stated::Stated;

use crate::engine::bam::tests::options;
use crate::engine::bam::{Bam, Counts};
use crate::engine::{Engine, Resumable};

/// Returns a program with `n` calls of McCarthy's function, and a requirement about all results. The last call has arguments up to
/// `most`; above 101 the requirement is violated.
fn levels(n: usize, most: usize) -> Reduced {
    let each = |text: &dyn Fn(usize) -> String| (1..=n).map(text).collect::<String>();
    let program = format!(
        "FUNCTION Level : DINT VAR_INPUT n : DINT; END_VAR
            IF n > 100 THEN Level := n - 10; ELSE Level := Level(Level(n + 11)); END_IF;
        END_FUNCTION
        PROGRAM Main VAR_INPUT {} END_VAR VAR_OUTPUT {} END_VAR {} END_PROGRAM",
        each(&|i| format!("w{i} : INT; ")),
        each(&|i| format!("r{i} : DINT := 91; ")),
        each(&|i| format!("IF w{i} <= {} THEN r{i} := Level(w{i}); END_IF; ", if i == n { most } else { 100 })),
    );
    let all: Vec<String> = (1..=n).map(|i| format!("r{i} = 91")).collect();
    let stated = Stated::new(&program, &format!("{{dialect: codesys, requirements: [{{always: '{}'}}]}}", all.join(" AND ")));
    let options = ModelOptions { recursive_calls: RecursiveCalls::Kept, ..ModelOptions::default() };
    let model = build(&stated.loaded.project, &options).unwrap();
    let question = instrument(&stated.loaded.project, &model, &stated.claims[0], &stated.assumptions).unwrap();
    reduce(&question.pool, &question.strict_cfa(), Encoding::LbeWithCalls)
}

/// Returns the answer and the engine after it.
fn run(given: &[(&str, &str)], pool: &ExprPool, cfa: &Cfa) -> (Result<Verdict, Stop>, Resumable<Bam>) {
    let mut engine = Bam::new(options(given), default_solvers()(pool, cfa));
    let answer = engine.run(&mut Ctx::new(pool.clone(), Interrupt::default(), &|_| {}), cfa);
    (answer, engine)
}

#[test]
fn images_refinements_and_predicates_do_not_grow_with_the_number_of_recursive_calls() {
    let configurations: [&[(&str, &str)]; 2] = [&[], &[("domain", "PRED_CART")]];
    for given in configurations {
        let numbers = |n: usize| -> (Counts, u32, usize) {
            let Reduced { pool, cfa, .. } = levels(n, 100);
            let (answer, engine) = run(given, &pool, &cfa);
            assert!(matches!(answer, Ok(Verdict::Safe(_))), "{given:?} {n}: {answer:?}");
            let last = engine.iterations().last().unwrap();
            (engine.counts(), last.number, last.n_tracked)
        };
        let (few, many) = (numbers(8), numbers(16));
        assert_eq!((few.1, few.2), (many.1, many.2), "{given:?}: {few:?} {many:?}");
        assert_eq!((few.0.images, few.0.refuted), (many.0.images, many.0.refuted), "{given:?}: {few:?} {many:?}");
        assert!(few.0.pieces + 8 <= many.0.pieces, "{given:?}: {few:?} {many:?}");
    }
}

#[test]
fn a_mistake_in_one_of_many_recursive_calls_is_found() {
    for (most, is_safe) in [(101, true), (102, false)] {
        let Reduced { pool, cfa, .. } = levels(5, most);
        let (answer, _) = run(&[], &pool, &cfa);
        assert_eq!(matches!(answer, Ok(Verdict::Safe(_))), is_safe, "{most}: {answer:?}");
        assert_eq!(matches!(answer, Ok(Verdict::Unsafe(_))), !is_safe, "{most}: {answer:?}");
    }
}
