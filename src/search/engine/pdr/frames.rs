//! Frames: over-approximations of the states within k steps, as cubes of unreachable states. [`Steps`] gives the meaning of
//! literals and decides questions about one step.

use kernel::context::{Ctx, Stop};
use kernel::smt::bitblast::{Bits, StateLit};

/// A conjunction of values of literals, ascending.
pub(super) type Cube = Vec<StateLit>;

/// Returns whether every state of `b` is one of `a`.
pub(super) fn subsumes(a: &[StateLit], b: &[StateLit]) -> bool {
    let mut rest = b.iter();
    a.len() <= b.len() && a.iter().all(|l| rest.any(|other| other == l))
}

/// Step into a cube.
pub(super) struct Predecessor<I> {
    /// States from which the cube is entered.
    pub(super) from: Cube,
    /// One of them, in full.
    pub(super) state: Bits,
    pub(super) inputs: I,
}

/// Answer to the question for a step into a cube.
pub(super) enum Entered<I> {
    From(Predecessor<I>),
    /// It cannot be entered, and neither can this part of it.
    Never(Cube),
    /// Not decided within the small effort allowed.
    Undecided,
}

/// Strength of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// The search needs the answer.
    MustKnow,
    /// The answer would only shorten the search.
    IfEasy,
}

/// Questions about one step, with the known facts about the states before it.
pub(super) trait Steps {
    /// Inputs of a step.
    type Inputs;
    /// Returns the rank of a literal: of equally useful ones, those of lower rank are dropped first.
    fn rank(&self, l: StateLit) -> u16;
    /// Returns whether an initial state lies in the cube.
    fn meets_start(&mut self, cx: &mut Ctx<'_>, cube: &[StateLit]) -> Result<bool, Stop>;
    /// Adds a level that allows every state; level 0 allows the initial states.
    fn push(&mut self, cx: &mut Ctx<'_>) -> Result<(), Stop>;
    /// Excludes the states of the cube from levels 1 to this one.
    fn block(&mut self, cx: &mut Ctx<'_>, level: usize, cube: &[StateLit]) -> Result<(), Stop>;
    /// Makes the solver of a level anew if it was asked too often; `blocked[i]` are the cubes at level i.
    fn refresh(&mut self, cx: &mut Ctx<'_>, level: usize, blocked: &[Vec<Cube>]) -> Result<(), Stop>;
    /// Returns a step to a violation from a state of frame `level`.
    fn bad(&mut self, cx: &mut Ctx<'_>, level: usize) -> Result<Option<Predecessor<Self::Inputs>>, Stop>;
    /// Returns a step into the cube from a state of frame `level` outside of it. If there is none, returns a part of the cube
    /// that cannot be entered either and that no initial state lies in. No initial state may lie in the cube.
    fn enter(&mut self, cx: &mut Ctx<'_>, level: usize, cube: &[StateLit], asked: Asked) -> Result<Entered<Self::Inputs>, Stop>;
}

/// Frames `0..=top`. A cube stands at the highest level within which it is known to be unreachable; it counts for all lower ones.
pub(super) struct Frames<S> {
    pub(super) steps: S,
    levels: Vec<Vec<Cube>>,
}

impl<S: Steps> Frames<S> {
    pub(super) fn new(cx: &mut Ctx<'_>, steps: S) -> Result<Frames<S>, Stop> {
        let mut frames = Frames { steps, levels: Vec::new() };
        frames.push(cx)?;
        Ok(frames)
    }
    /// Returns the highest level.
    pub(super) fn top(&self) -> usize {
        self.levels.len() - 1
    }
    /// Adds a level that allows every state.
    pub(super) fn push(&mut self, cx: &mut Ctx<'_>) -> Result<(), Stop> {
        self.steps.push(cx)?;
        self.levels.push(Vec::new());
        Ok(())
    }
    /// Returns the cubes at exactly this level.
    pub(super) fn cubes(&self, level: usize) -> &[Cube] {
        self.levels.get(level).map_or(&[], Vec::as_slice)
    }
    /// Returns the cubes at this level and above.
    pub(super) fn from(&self, level: usize) -> impl Iterator<Item = &Cube> {
        self.levels.iter().skip(level).flatten()
    }
    /// Returns whether the frames exclude the cube within `level` steps, without a solver check.
    pub(super) fn is_blocked(&self, level: usize, cube: &[StateLit]) -> bool {
        self.from(level).any(|known| subsumes(known, cube))
    }
    /// Adds a cube that is unreachable within `level` steps.
    pub(super) fn block(&mut self, cx: &mut Ctx<'_>, level: usize, cube: Cube) -> Result<(), Stop> {
        for at in self.levels.iter_mut().take(level + 1).skip(1) {
            // Cubes that the new one contains are superfluous.
            at.retain(|known| !subsumes(&cube, known));
        }
        self.steps.block(cx, level, &cube)?;
        self.put(level, cube);
        Ok(())
    }
    /// Takes the cubes of a level out, to look at each again.
    pub(super) fn take(&mut self, level: usize) -> Vec<Cube> {
        self.levels.get_mut(level).map(std::mem::take).unwrap_or_default()
    }
    /// Puts a cube that was taken out back at its level, if no other one contains it.
    pub(super) fn put(&mut self, level: usize, cube: Cube) {
        if let Some(level) = self.levels.get_mut(level) {
            level.push(cube);
        }
    }
    /// Asks for a step into the cube, see [`Steps::enter`].
    pub(super) fn enter(
        &mut self,
        cx: &mut Ctx<'_>,
        level: usize,
        cube: &[StateLit],
        asked: Asked,
    ) -> Result<Entered<S::Inputs>, Stop> {
        cx.tick()?;
        self.steps.refresh(cx, level, &self.levels)?;
        self.steps.enter(cx, level, cube, asked)
    }
    /// Returns the highest level up to which a cube cannot be entered, with a sufficient part of it. Before `level` it cannot.
    pub(super) fn lift(&mut self, cx: &mut Ctx<'_>, mut level: usize, mut cube: Cube) -> Result<(usize, Cube), Stop> {
        while level < self.top()
            && let Entered::Never(core) = self.enter(cx, level, &cube, Asked::IfEasy)?
        {
            cube = core;
            level += 1;
        }
        Ok((level, cube))
    }
}
