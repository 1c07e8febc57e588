//! Steps with very many successors: all of them come, or the step stops when it is told to.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Domain, Expl, ExplPrec, MaxEnum, Pred, PredKind, PredPrec, Split, Step, StepId};
use kernel::cfa::{Block, BlockInput};
use kernel::context::{Ctx, MakeSolver, Stop};
use kernel::expr::{ExprPool, Sort};
use kernel::smt::{BitBlaster, Interrupt, Solver};
use kernel::verdict::Reason;

fn solvers() -> MakeSolver {
    Arc::new(|_, interrupt| Ok(Box::new(BitBlaster::new(interrupt)) as Box<dyn Solver>))
}

/// Returns a block that gives `n` flags arbitrary values, with the precision of all flags.
fn flags(pool: &mut ExprPool, n: usize) -> (Block, PredPrec) {
    let (mut updates, mut inputs, mut preds) = (Vec::new(), Vec::new(), BTreeSet::new());
    for i in 0..n {
        let (flag, input) = (pool.new_var(format!("flag{i}"), Sort::Bool), pool.new_var(format!("input{i}"), Sort::Bool));
        inputs.push(BlockInput { var: input, origin: Some(flag) });
        updates.push((flag, pool.var(input)));
        preds.insert(pool.var(flag));
    }
    (Block { guard: pool.bool(true), updates, inputs }, PredPrec { preds })
}

/// Returns a block that gives one of two words of this width an arbitrary value, or both the same one, with their precision.
fn words(pool: &mut ExprPool, width: u16, both: bool) -> (Block, ExplPrec) {
    let sort = Sort::BitVec(width);
    let (x, y, input) = (pool.new_var("x", sort), pool.new_var("y", sort), pool.new_var("input", sort));
    let value = pool.var(input);
    let vars: Vec<_> = if both { vec![x, y] } else { vec![x] };
    let updates = vars.iter().map(|&var| (var, value)).collect();
    let block = Block { guard: pool.bool(true), updates, inputs: vec![BlockInput { var: input, origin: Some(x) }] };
    (block, ExplPrec { vars: vars.into_iter().collect() })
}

/// Returns the number of states after a step from TRUE.
fn successors<D: Domain>(
    mut domain: D,
    pool: ExprPool,
    block: &Block,
    prec: &D::Prec,
    time: Option<Duration>,
) -> Result<usize, Stop> {
    let interrupt = Interrupt { deadline: time.map(|time| Instant::now() + time), ..Interrupt::default() };
    let mut cx = Ctx::new(pool, interrupt, &|_| {});
    let top = domain.top();
    Ok(domain.post(&mut cx, &top, Step { id: StepId(0), block }, prec)?.len())
}

#[test]
fn every_combination_of_predicates_is_a_state() {
    let split = |n, time| {
        let mut pool = ExprPool::new();
        let (block, prec) = flags(&mut pool, n);
        successors(Pred::new(PredKind::Split, Split::Atoms, solvers()), pool, &block, &prec, time)
    };
    assert_eq!(split(3, None).unwrap(), 8);
    assert_eq!(split(11, None).unwrap(), 2_048);
    assert!(matches!(split(40, Some(Duration::from_millis(100))), Err(Stop::Reason(Reason::Cancelled))));
}

#[test]
fn every_value_that_is_used_is_a_state_without_a_limit() {
    let values = |max_enum, width, both, time| {
        let mut pool = ExprPool::new();
        let (block, prec) = words(&mut pool, width, both);
        successors(Expl::new(max_enum, solvers()), pool, &block, &prec, time)
    };
    assert_eq!(values(MaxEnum::Unlimited, 11, true, None).unwrap(), 2_048);
    // One state in which the values are unknown.
    assert_eq!(values(MaxEnum::Auto, 11, true, None).unwrap(), 1);
    assert_eq!(values(MaxEnum::Auto, 10, true, None).unwrap(), 1_024);
    // Nothing uses the value of a single word yet.
    assert_eq!(values(MaxEnum::Unlimited, 64, false, None).unwrap(), 1);
    let endless = values(MaxEnum::Unlimited, 64, true, Some(Duration::from_millis(100)));
    assert!(matches!(endless, Err(Stop::Reason(Reason::Cancelled))));
}
