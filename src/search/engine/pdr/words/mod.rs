//! PDR over predicates on words: frames are clauses of predicates over the program's variables, whatever their types.
//!
//! A path that violates in the abstraction is executed ([`refine`]). If that is impossible, predicates are added, and the search
//! goes on with its frames: their clauses hold in the program itself, not only in its abstraction. The clauses of a closed frame
//! are the invariant.
//!
//! Source: Cimatti, Griggio, Mover, Tonetta, "IC3 modulo theories via implicit predicate abstraction", TACAS 2014,
//! doi:10.1007/978-3-642-54862-8_4.

mod predicates;
mod refine;
mod steps;

use super::frames::Cube;
use super::generalise::Effort;
use super::search::{Blocked, Search};
use crate::engine::kinduction::imports;
use crate::engine::trim::{Proved, trimmed};
use crate::engine::{concrete, houdini};
use kernel::cfa::LocId;
use kernel::cfa::pass::System;
use kernel::context::exchange::Cursor;
use kernel::context::{Ctx, MakeSolver, Stop, count};
use kernel::expr::ExprId;
use kernel::verdict::{Argument, Proof, Reason, Verdict};
use predicates::Time;
use refine::{Examined, Examiner};
use steps::WordSteps;

/// State of the search over predicates.
pub struct WordPdr {
    system: System,
    search: Search<WordSteps>,
    examiner: Examiner,
    /// An abstract path to a violation that was not examined to the end.
    pending: Option<Vec<Cube>>,
    n_spurious: usize,
    solvers: MakeSolver,
    read: Cursor,
}

impl WordPdr {
    pub(super) fn new(cx: &mut Ctx<'_>, system: System, solvers: &MakeSolver, effort: Effort) -> Result<WordPdr, Stop> {
        let mut steps = WordSteps::new(cx, solvers, &system)?;
        for e in predicates::first(&mut cx.pool, &system) {
            steps.predicates.add(&mut cx.pool, e);
        }
        let examiner = Examiner::new(&mut cx.pool, &system, solvers);
        let search = Search::new(cx, steps, effort)?;
        let (solvers, read) = (solvers.clone(), Cursor::default());
        Ok(WordPdr { system, search, examiner, pending: None, n_spurious: 0, solvers, read })
    }
    /// Adds a frame or some predicates. Returns the verdict, or `None` if it is not decided yet.
    pub(super) fn advance(&mut self, cx: &mut Ctx<'_>, head: LocId) -> Result<Option<Verdict>, Stop> {
        if self.pending.is_none() && self.search.strengthen(cx)? == Blocked::NotAll {
            self.pending = Some(self.search.way().map(|obligation| obligation.cube.clone()).collect());
            // Cubes without the new predicates would lead along the same path again.
            self.search.forget();
        }
        if let Some(way) = &self.pending {
            let predicates = &mut self.search.frames.steps.predicates;
            let examined = self.examiner.examine(cx, &self.system, predicates, way)?;
            self.pending = None;
            self.n_spurious += 1;
            return Ok(match examined {
                Examined::Run(run) => Some(Verdict::Unsafe(concrete::trace(&cx.pool, &self.system, head, &run))),
                Examined::Spurious(0) => Some(Verdict::Unknown(Reason::NoProgress)),
                Examined::Spurious(_) => None,
            });
        }
        let frames = &self.search.frames;
        let (n_predicates, n_cubes) = (frames.steps.predicates.len(), frames.from(1).count());
        let text = format!(
            "{} of {}, {} refuted",
            count(n_cubes, "clause"),
            count(n_predicates, "predicate"),
            count(self.n_spurious, "way")
        );
        super::tell(cx, &self.system, frames.top(), text);
        self.listen(cx)?;
        self.search.frames.push(cx)?;
        match self.search.propagate(cx)? {
            Some(level) => self.verdict(cx, level).map(Some),
            None => Ok(None),
        }
    }
    /// Reads the lemmas of other engines.
    fn listen(&mut self, cx: &mut Ctx<'_>) -> Result<(), Stop> {
        for fact in imports::news(cx, &self.system, &mut self.read) {
            self.search.frames.steps.fact(cx, fact)?;
        }
        Ok(())
    }
    /// Returns the verdict once `level` has no cubes: those above it are inductive, together with the facts of others.
    fn verdict(&self, cx: &mut Ctx<'_>, level: usize) -> Result<Verdict, Stop> {
        let steps = &self.search.frames.steps;
        let mut facts: Vec<ExprId> = Vec::new();
        for cube in self.search.frames.from(level + 1) {
            let inside = steps.predicates.cube(&mut cx.pool, cube, Time::Now);
            facts.push(cx.pool.not(inside));
        }
        facts.extend(&steps.facts);
        let kept = trimmed(cx, &self.solvers, Proved { system: &self.system, facts: &facts, k: 0, depth: 1 })?;
        let invariant = houdini::conjunction(&mut cx.pool, &kept);
        let argument = Argument::Inductive(self.system.per_cut(&mut cx.pool, invariant));
        Ok(Verdict::Safe(Proof { pool: cx.pool.clone(), argument }))
    }
}
