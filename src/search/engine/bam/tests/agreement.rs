//! Random programs with calls: never another answer than `cegar`.

use std::time::{Duration, Instant};

use super::engine;
use super::forms::automaton;
use crate::engine::{ENGINES, Engine, configure};
use kernel::cfa::pass::Reduced;
use kernel::context::{Ctx, Stop, default_solvers};
use kernel::smt::Interrupt;
use kernel::verdict::Verdict;
use testgen::programs::{Size, program};

/// Returns whether the error location can be reached; `None` if the engine does not say.
fn answer(mut engine: impl Engine, reduced: &Reduced) -> Option<bool> {
    let interrupt = Interrupt { deadline: Some(Instant::now() + Duration::from_millis(700)), ..Interrupt::default() };
    let mut cx = Ctx::new(reduced.pool.clone(), interrupt, &|_| {});
    match engine.run(&mut cx, &reduced.cfa) {
        Ok(Verdict::Safe(_)) => Some(false),
        Ok(Verdict::Unsafe(_)) => Some(true),
        Ok(Verdict::Unknown(_)) | Err(Stop::Reason(_)) => None,
        Err(Stop::Solver(e)) => panic!("{e}"),
    }
}

struct Boxed(Box<dyn Engine>);

impl Engine for Boxed {
    fn run(&mut self, cx: &mut Ctx<'_>, cfa: &kernel::cfa::Cfa) -> Result<Verdict, Stop> {
        self.0.run(cx, cfa)
    }
}

#[test]
fn random_programs_with_calls_have_the_answer_of_cegar() {
    let (mut safe, mut broken) = (0, 0);
    for seed in 0..60 {
        let reduced = automaton(&program(seed, Size { statements: 3, depth: 2, ..Size::default() }));
        let solvers = default_solvers()(&reduced.pool, &reduced.cfa);
        let given = [("domain".to_owned(), "PRED_BOOL".to_owned())].into();
        let expected = answer(Boxed(configure(ENGINES, "cegar", &given, &solvers).unwrap()), &reduced);
        let configurations = [&[] as &[_], &[("domain", "EXPL"), ("maxenum", "5")], &[("reduce", "identity")]];
        let found = answer(engine(configurations[seed as usize % configurations.len()]), &reduced);
        assert!(expected.is_none() || found.is_none() || expected == found, "seed {seed}: {expected:?}, {found:?}");
        match found {
            Some(true) => broken += 1,
            Some(false) => safe += 1,
            None => {}
        }
    }
    assert!(20 < safe + broken, "{safe} safe, {broken} broken");
}
