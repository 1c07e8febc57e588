//! The search itself, for both levels: obligations, blocking, and pushing cubes up until a frame closes.

use std::collections::BTreeSet;

use super::frames::{Asked, Cube, Entered, Frames, Predecessor, Steps};
use super::generalise::{Activity, Effort, generalise};
use kernel::context::{Ctx, Stop};

/// State of a search. A search that is stopped at a question goes on with it.
pub(super) struct Search<S: Steps> {
    pub(super) frames: Frames<S>,
    activity: Activity,
    obligations: Vec<Obligation<S::Inputs>>,
    /// Open obligations: the level to block at, and their position.
    open: BTreeSet<(usize, usize)>,
    effort: Effort,
}

/// States from which a violation is reached by known inputs.
pub(super) struct Obligation<I> {
    pub(super) cube: Cube,
    pub(super) inputs: I,
    /// Obligation that the step leads to; `None` for the violation itself.
    then: Option<usize>,
}

/// Result for the highest frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blocked {
    /// No state of it leads to a violation.
    All,
    /// There is a way from the initial states: [`Search::way`].
    NotAll,
}

impl<S: Steps> Search<S> {
    pub(super) fn new(cx: &mut Ctx<'_>, steps: S, effort: Effort) -> Result<Search<S>, Stop> {
        let frames = Frames::new(cx, steps)?;
        Ok(Search { frames, activity: Activity::default(), obligations: Vec::new(), open: BTreeSet::new(), effort })
    }
    /// Blocks the states of the highest frame that lead to a violation.
    pub(super) fn strengthen(&mut self, cx: &mut Ctx<'_>) -> Result<Blocked, Stop> {
        loop {
            if self.block_open(cx)? == Blocked::NotAll {
                return Ok(Blocked::NotAll);
            }
            let top = self.frames.top();
            cx.tick()?;
            let Some(way) = self.frames.steps.bad(cx, top)? else { break };
            let at_start = top == 0 || self.frames.steps.meets_start(cx, &way.from)?;
            self.oblige(top, way, None, at_start);
            if at_start {
                return Ok(Blocked::NotAll);
            }
        }
        self.forget();
        Ok(Blocked::All)
    }
    /// Returns the way from the initial states to the violation, after [`Blocked::NotAll`].
    pub(super) fn way(&self) -> impl Iterator<Item = &Obligation<S::Inputs>> {
        std::iter::successors(self.obligations.last(), |at| at.then.and_then(|then| self.obligations.get(then)))
    }
    /// Drops all obligations.
    pub(super) fn forget(&mut self) {
        self.obligations.clear();
        self.open.clear();
    }
    fn oblige(&mut self, level: usize, way: Predecessor<S::Inputs>, then: Option<usize>, at_start: bool) {
        if !at_start {
            self.open.insert((level, self.obligations.len()));
        }
        self.obligations.push(Obligation { cube: way.from, inputs: way.inputs, then });
    }
    /// Blocks the open obligations, unless the last one contains an initial state.
    fn block_open(&mut self, cx: &mut Ctx<'_>) -> Result<Blocked, Stop> {
        // An obligation leaves the queue only once it is decided: a stopped question is asked again.
        while let Some(&(level, which)) = self.open.first() {
            let cube = &self.obligations[which].cube;
            let top = self.frames.top();
            if self.frames.is_blocked(level, cube) {
                self.open.remove(&(level, which));
                if level < top {
                    self.open.insert((level + 1, which));
                }
                continue;
            }
            match self.frames.enter(cx, level - 1, cube, Asked::MustKnow)? {
                Entered::From(way) => {
                    let at_start = level == 1 || self.frames.steps.meets_start(cx, &way.from)?;
                    self.oblige(level - 1, way, Some(which), at_start);
                    if at_start {
                        return Ok(Blocked::NotAll);
                    }
                }
                Entered::Never(core) => {
                    let general = generalise(cx, &mut self.frames, &self.activity, (level - 1, core), self.effort)?;
                    let (at, general) = self.frames.lift(cx, level, general)?;
                    self.activity.bump(&general);
                    self.frames.block(cx, at, general)?;
                    self.open.remove(&(level, which));
                    if at < top {
                        self.open.insert((at + 1, which));
                    }
                }
                Entered::Undecided => return Err(kernel::smt::Unknown::Incomplete.into()),
            }
        }
        Ok(Blocked::All)
    }
    /// Moves cubes up where they cannot be entered one step later either. Returns the first level without cubes of its own.
    pub(super) fn propagate(&mut self, cx: &mut Ctx<'_>) -> Result<Option<usize>, Stop> {
        let frames = &mut self.frames;
        for level in 1..frames.top() {
            let mut cubes = frames.take(level);
            cubes.sort_by_key(Vec::len);
            let mut cubes = cubes.into_iter();
            while let Some(cube) = cubes.next() {
                if frames.is_blocked(level + 1, &cube) {
                    continue;
                }
                match frames.enter(cx, level, &cube, Asked::IfEasy) {
                    Ok(Entered::Never(core)) => frames.block(cx, level + 1, core)?,
                    Ok(Entered::From(_) | Entered::Undecided) => frames.put(level, cube),
                    Err(stop) => {
                        frames.put(level, cube);
                        cubes.for_each(|cube| frames.put(level, cube));
                        return Err(stop);
                    }
                }
            }
            if frames.cubes(level).is_empty() {
                return Ok(Some(level));
            }
        }
        Ok(None)
    }
}
