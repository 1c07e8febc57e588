//! Random programs with calls: never another answer than `cegar`, and proofs that are certified on the unreduced automaton.

use std::time::{Duration, Instant};

use super::forms::unreduced;
use super::{engine, with_calls};
use crate::engine::{ENGINES, Engine, configure};
use answer::certify::check_proof;
use kernel::cfa::pass::Reduced;
use kernel::context::{Ctx, Stop, default_solvers};
use kernel::smt::Interrupt;
use kernel::verdict::{Verdict, lift_proof};
use testgen::programs::{Size, program};

/// Returns the answer, if there is one within its time.
fn answer(engine: &mut dyn Engine, reduced: &Reduced) -> Option<Verdict> {
    let interrupt = Interrupt { deadline: Some(Instant::now() + Duration::from_millis(700)), ..Interrupt::default() };
    let mut cx = Ctx::new(reduced.pool.clone(), interrupt, &|_| {});
    match engine.run(&mut cx, &reduced.cfa) {
        Ok(Verdict::Unknown(_)) | Err(Stop::Reason(_)) => None,
        Ok(verdict) => Some(verdict),
        Err(Stop::Solver(e)) => panic!("{e}"),
    }
}

/// `PROGRAMS` is their number, 60 if it is not given.
#[test]
fn random_programs_with_calls_have_the_answer_of_cegar() {
    let n_programs = std::env::var("PROGRAMS").map_or(60, |n| n.parse().unwrap());
    let (mut safe, mut broken) = (0, 0);
    for seed in 0..n_programs {
        let (pool, cfa) = unreduced(&program(seed, Size { statements: 3, depth: 2, ..Size::default() }));
        let reduced = with_calls(&pool, &cfa);
        let solvers = default_solvers()(&reduced.pool, &reduced.cfa);
        let given = [("domain".to_owned(), "PRED_BOOL".to_owned())].into();
        let expected = answer(&mut *configure(ENGINES, "cegar", &given, &solvers).unwrap(), &reduced);
        let expected = expected.map(|verdict| matches!(verdict, Verdict::Unsafe(_)));
        let configurations: [&[_]; 7] = [
            &[],
            &[("domain", "EXPL"), ("maxenum", "5")],
            &[("reduce", "identity"), ("blocks", "calls")],
            &[("blocks", "loops")],
            &[("domain", "EXPL_PRED_CART"), ("maxenum", "3")],
            &[("itp", "tree")],
            &[("itp", "tree"), ("domain", "EXPL"), ("maxenum", "5")],
        ];
        let given = configurations[seed as usize % configurations.len()];
        match answer(&mut engine(given), &reduced) {
            Some(Verdict::Safe(proof)) => {
                assert_ne!(expected, Some(true), "seed {seed}");
                let proof = lift_proof(&reduced.lift, proof);
                let certified = check_proof(&pool, &cfa, &proof, &Interrupt::default());
                assert!(certified.is_ok(), "seed {seed}: {certified:?}");
                safe += 1;
            }
            Some(Verdict::Unsafe(_)) => {
                assert_ne!(expected, Some(false), "seed {seed}");
                broken += 1;
            }
            Some(Verdict::Unknown(_)) | None => {}
        }
    }
    assert!(n_programs <= 3 * (safe + broken), "{safe} safe, {broken} broken of {n_programs}");
}
