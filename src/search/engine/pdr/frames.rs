//! Frames: over-approximations of what can be reached within k steps, as cubes that cannot. What a literal means and how a
//! question about one step is decided is the level's: [`Steps`].

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
pub(super) struct Way<I> {
    /// States from which the cube is entered.
    pub(super) from: Cube,
    /// One of them, in full.
    pub(super) state: Bits,
    pub(super) inputs: I,
}

/// Answer to the question for a step into a cube.
pub(super) enum Entered<I> {
    From(Way<I>),
    /// It cannot, and neither can this part of it.
    Never(Cube),
    /// Not decided, as it was not to cost much.
    Open,
}

/// Strength of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// Without it there is no going on.
    MustKnow,
    /// It would make the search shorter.
    IfEasy,
}

/// Questions about one step, and what is known of the states before it.
pub(super) trait Steps {
    /// Inputs of a step.
    type Inputs;
    /// Of literals that were as useful as each other the ones of lower rank are dropped first.
    fn rank(&self, l: StateLit) -> u16;
    /// Returns whether an initial state lies in the cube.
    fn meets_start(&mut self, cx: &mut Ctx<'_>, cube: &[StateLit]) -> Result<bool, Stop>;
    /// One level more, which allows every state; the first one allows the initial states.
    fn push(&mut self, cx: &mut Ctx<'_>) -> Result<(), Stop>;
    /// The levels from 1 to this one allow no state of the cube from now on.
    fn block(&mut self, cx: &mut Ctx<'_>, level: usize, cube: &[StateLit]) -> Result<(), Stop>;
    /// Makes the solver of a level anew if it was asked too often; `blocked[i]` are the cubes at level i.
    fn refresh(&mut self, cx: &mut Ctx<'_>, level: usize, blocked: &[Vec<Cube>]) -> Result<(), Stop>;
    /// Returns a step to a violation from a state of frame `level`.
    fn bad(&mut self, cx: &mut Ctx<'_>, level: usize) -> Result<Option<Way<Self::Inputs>>, Stop>;
    /// Returns a step into the cube from a state of frame `level` outside of it. If there is none, returns a part of the cube
    /// that cannot be entered either and that no initial state lies in. No initial state may lie in the cube.
    fn enter(&mut self, cx: &mut Ctx<'_>, level: usize, cube: &[StateLit], asked: Asked) -> Result<Entered<Self::Inputs>, Stop>;
}

/// Frames `0..=top`. A cube stands at the highest level it is known to be unreachable within; it counts for all lower ones.
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
    /// One level more, which allows every state.
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
    /// From now on the cube is unreachable within `level` steps.
    pub(super) fn block(&mut self, cx: &mut Ctx<'_>, level: usize, cube: Cube) -> Result<(), Stop> {
        for at in self.levels.iter_mut().take(level + 1).skip(1) {
            // Cubes that are part of the new one say nothing any more.
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
    /// Puts a cube that was taken out back, where it counts still.
    pub(super) fn put(&mut self, level: usize, cube: Cube) {
        if let Some(level) = self.levels.get_mut(level) {
            level.push(cube);
        }
    }
    /// See [`Steps::enter`].
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
    /// Returns the highest level up to which the cube, which cannot be entered before `level`, cannot be entered either; with the
    /// part of it that cannot.
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
