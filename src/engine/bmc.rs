//! Bounded model checking: is there a violation in cycle 1, 2, 3 …? Finds shortest counterexamples, proves nothing.
//!
//! Source: Biere, Cimatti, Clarke, Zhu, "Symbolic model checking without BDDs", TACAS 1999, doi:10.1007/3-540-49059-0_14.

use super::unroll::{Answer, Start, Unrolling};
use super::{Ctx, Engine, EngineInfo, MakeSolver, OptionInfo, Progress, Stop, Values};
use crate::cfa::Cfa;
use crate::cfa::pass::monolithic;
use crate::verdict::{Reason, Verdict};

/// The engine.
pub struct Bmc {
    /// Cycles to look at; `None` for no bound.
    pub bound: Option<u32>,
    /// Its solvers.
    pub solvers: MakeSolver,
}

/// How to build one.
pub const INFO: EngineInfo = EngineInfo {
    name: "bmc",
    title: "Bounded model checking (finds violations, proves nothing)",
    source: "Biere, Cimatti, Clarke, Zhu, Symbolic model checking without BDDs, TACAS 1999",
    options: &[OptionInfo {
        name: "k",
        values: Values::Number { low: 1, high: 1_000_000, words: &["none"] },
        default: "none",
        help: "Cycles to look at (with a loop inside the cycle: steps between loop heads).",
    }],
    build: |settings, solvers| Ok(Box::new(Bmc { bound: settings.number("k"), solvers: solvers.clone() })),
};

impl Engine for Bmc {
    /// Cost:      one check per cycle, each harder than the one before.
    /// Soundness: never `Safe`. A trace is a model of the unrolled system and still has to be replayed.
    fn run(&mut self, cx: &mut Ctx<'_>, cfa: &Cfa) -> Result<Verdict, Stop> {
        let system = monolithic(&mut cx.pool, cfa);
        let mut frames = Unrolling::new(&self.solvers, cx, &system, Start::Initial)?;
        loop {
            let cycle = frames.last();
            if self.bound.is_some_and(|bound| bound <= cycle) {
                return Ok(Verdict::Unknown(Reason::Bound));
            }
            match frames.check(cx, &[(system.bad, cycle)])? {
                Answer::Yes => return Ok(Verdict::Unsafe(frames.trace(&mut cx.pool, &system, cfa.locs[cfa.head].origin)?)),
                Answer::No => {}
            }
            // With a loop inside the cycle, several steps make one.
            let (safe_cycles, unit) = match system.pc {
                None => (Some(cycle + 1), "cycles"),
                Some(_) => (None, "steps"),
            };
            let text = format!("no violation in the first {} {unit}", cycle + 1);
            (cx.events)(Progress { engine: INFO.name, safe_cycles, text });
            // Implied, as the check has just shown; it spares later checks the work of finding it again.
            let good = cx.pool.not(system.bad);
            frames.assert(&cx.pool, good, cycle)?;
            frames.step(&cx.pool, &system)?;
        }
    }
}
