//! From one cube that cannot be entered to a larger one: literals are dropped, and states that prevent it are blocked themselves,
//! if that is easy.
//!
//! Source: Bradley, Manna, "Checking safety by inductive generalization of counterexamples to induction", FMCAD 2007,
//! doi:10.1109/FMCAD.2007.15; Hassan, Bradley, Somenzi, "Better generalization in IC3", FMCAD 2013,
//! doi:10.1109/FMCAD.2013.6679405 (ctgDown).

use super::frames::{Asked, Cube, Entered, Frames, Steps};
use kernel::context::{Ctx, Stop};
use kernel::smt::bitblast::StateLit;

/// Limits of generalisation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// Obstructing states to block, per literal.
    pub(super) blocked: usize,
    /// Nesting of such blocking.
    pub(super) depth: usize,
}

/// Activity of literals.
#[derive(Default)]
pub(super) struct Activity(Vec<f32>);

impl Activity {
    pub(super) fn bump(&mut self, cube: &[StateLit]) {
        for score in &mut self.0 {
            *score *= 0.99;
        }
        for l in cube {
            if self.0.len() <= l.latch() {
                self.0.resize(l.latch() + 1, 0.0);
            }
            self.0[l.latch()] += 1.0;
        }
    }
    fn of(&self, l: StateLit) -> f32 {
        self.0.get(l.latch()).copied().unwrap_or_default()
    }
    /// Returns the literals in the order of attempts to drop them: useless ones first, and low bits of a word first, so that a
    /// range of its values stays.
    fn order<S: Steps>(&self, steps: &S, cube: &[StateLit]) -> Cube {
        let mut order = cube.to_vec();
        let key = |l: &StateLit| (steps.rank(*l), l.latch());
        order.sort_by(|a, b| self.of(*a).total_cmp(&self.of(*b)).then(key(a).cmp(&key(b))));
        order
    }
}

/// Returns a part of `cube` that cannot be entered from frame `level` outside of itself either.
pub(super) fn generalise<S: Steps>(
    cx: &mut Ctx<'_>,
    frames: &mut Frames<S>,
    activity: &Activity,
    (level, mut cube): (usize, Cube),
    effort: Effort,
) -> Result<Cube, Stop> {
    let mut n_failed = 0;
    for l in activity.order(&frames.steps, &cube) {
        /// Failed attempts in a row after which others rarely succeed.
        const PATIENCE: usize = 24;
        if cube.len() == 1 || PATIENCE < n_failed {
            break;
        }
        if !cube.contains(&l) {
            continue;
        }
        let fewer: Cube = cube.iter().copied().filter(|other| *other != l).collect();
        match down(cx, frames, activity, (level, fewer), effort)? {
            Some(smaller) => {
                cube = smaller;
                n_failed = 0;
            }
            None => n_failed += 1,
        }
    }
    Ok(cube)
}

/// Returns the largest part of the cube found that cannot be entered from frame `level`, if any.
fn down<S: Steps>(
    cx: &mut Ctx<'_>,
    frames: &mut Frames<S>,
    activity: &Activity,
    (level, mut cube): (usize, Cube),
    effort: Effort,
) -> Result<Option<Cube>, Stop> {
    let mut n_blocked = 0;
    loop {
        if frames.steps.meets_start(cx, &cube)? {
            return Ok(None);
        }
        let way = match frames.enter(cx, level, &cube, Asked::IfEasy)? {
            Entered::Never(core) => return Ok(Some(core)),
            Entered::From(way) => way,
            Entered::Undecided => return Ok(None),
        };
        if effort.depth == 0 {
            return Ok(None);
        }
        if 0 < level && n_blocked < effort.blocked && !frames.steps.meets_start(cx, &way.from)? {
            // An obstructing state, which may itself be unreachable.
            if let Entered::Never(core) = frames.enter(cx, level - 1, &way.from, Asked::IfEasy)? {
                n_blocked += 1;
                let (at, _) = frames.lift(cx, level, core.clone())?;
                let less = Effort { depth: effort.depth - 1, ..effort };
                let general = generalise(cx, frames, activity, (at - 1, core), less)?;
                frames.block(cx, at, general)?;
                continue;
            }
        }
        // The rest of the cube: its literals that hold in the obstructing state.
        n_blocked = 0;
        let before = cube.len();
        cube.retain(|l| way.state.get(l.latch()) == l.value());
        if cube.is_empty() || cube.len() == before {
            return Ok(None);
        }
    }
}
