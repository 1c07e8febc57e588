//! Property-directed reachability (IC3) on the scan step.
//!
//! States that lead to a violation are blocked one by one, each with a clause that is inductive relative to the frame before.
//! Frames of clauses grow until one of them is an invariant. Facts of other engines restrict every frame. The search ([`search`],
//! [`generalise`]) is the same whether literals are bits ([`bits`]) or predicates over words ([`words`]); the invariant is
//! certified like any other.
//!
//! Source: Bradley, "SAT-based model checking without unrolling", VMCAI 2011, doi:10.1007/978-3-642-18275-4_7; Eén, Mishchenko,
//! Brayton, "Efficient implementation of property directed reachability", FMCAD 2011.

mod bits;
mod frames;
mod generalise;
mod search;
#[cfg(test)]
mod tests;
mod words;

use super::{Algorithm, EngineInfo, OptionInfo, Resumable, Values, words};
use bits::BitPdr;
use generalise::Effort;
use kernel::cfa::Cfa;
use kernel::cfa::pass::{Encoding, System, monolithic};
use kernel::context::{Ctx, MakeSolver, Progress, Stop, count};
use kernel::verdict::Verdict;
use words::WordPdr;

pub(super) use bits::circuit;

const LEVELS: [(&str, Level); 3] = [("auto", Level::Auto), ("bits", Level::Bits), ("words", Level::Words)];

/// Row of the engines' table.
pub const INFO: EngineInfo = EngineInfo {
    name: "pdr",
    title: "Property-directed reachability (IC3)",
    source: "Bradley, SAT-based model checking without unrolling, VMCAI 2011; \
             Eén, Mishchenko, Brayton, Efficient implementation of property directed reachability, FMCAD 2011; \
             Cimatti, Griggio, Mover, Tonetta, IC3 modulo theories via implicit predicate abstraction, TACAS 2014",
    options: &[
        OptionInfo {
            name: "level",
            values: Values::OneOf(&words(&LEVELS)),
            default: "auto",
            help: "Literals of clauses: bits of variables, or predicates over them, found by refinement. Default: bits, \
                   unless there are floats, mathematical integers or arrays.",
        },
        OptionInfo {
            name: "ctg",
            values: Values::Number { low: 0, high: 100, words: &[] },
            default: "3",
            help: "States in the way of a generalisation that are blocked themselves, per literal; 0 for none.",
        },
    ],
    absent: &[],
    encoding: Encoding::Lbe,
    build: |settings, solvers| {
        let blocked = settings.number("ctg").unwrap_or_default() as usize;
        let level = settings.choice("level", &LEVELS);
        let effort = Effort { blocked, depth: usize::from(0 < blocked) };
        Ok(Box::new(Resumable::new(Pdr { level, effort, solvers: solvers.clone() })))
    },
};

/// `level`: kind of the literals of clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// Bits, if the model consists of bits.
    Auto,
    Bits,
    Words,
}

/// Property-directed reachability.
pub struct Pdr {
    level: Level,
    effort: Effort,
    solvers: MakeSolver,
}

/// State between two calls of `run`, by the kind of literals.
pub enum Search {
    /// Bits of variables.
    Bits(Box<BitPdr>),
    /// Predicates.
    Words(Box<WordPdr>),
}

impl Algorithm for Pdr {
    type State = Search;

    fn begin(&self, cx: &mut Ctx<'_>, cfa: &Cfa) -> Result<Search, Stop> {
        let system = monolithic(&mut cx.pool, cfa);
        let on_bits = match self.level {
            Level::Auto => bits::supports(&cx.pool, &system),
            Level::Bits => true,
            Level::Words => false,
        };
        Ok(if on_bits {
            Search::Bits(Box::new(BitPdr::new(cx, system, self.effort)?))
        } else {
            Search::Words(Box::new(WordPdr::new(cx, system, &self.solvers, self.effort)?))
        })
    }
    /// Searches frame by frame.
    ///
    /// Cost:      without a useful bound; each question is about one step.
    /// Stops:     over words `NoProgress` if a path was refuted and no predicate is new, `SolverUnknown`; cancelled.
    /// Soundness: `Safe` is an inductive invariant, `Unsafe` a run; both are checked by others.
    fn search(&mut self, cx: &mut Ctx<'_>, cfa: &Cfa, state: &mut Search) -> Result<Verdict, Stop> {
        let head = cfa.locs[cfa.head].origin;
        loop {
            let verdict = match state {
                Search::Bits(bits) => bits.advance(cx, head)?,
                Search::Words(words) => words.advance(cx, head)?,
            };
            if let Some(verdict) = verdict {
                return Ok(verdict);
            }
        }
    }
}

/// Reports that no state of frame `top` leads to a violation: steps 1 to `top` + 1 have none.
fn tell(cx: &Ctx<'_>, system: &System, top: usize, known: String) {
    let safe_cycles = system.pc.is_none().then_some(top as u32 + 1);
    cx.board.safe(safe_cycles.unwrap_or_default());
    (cx.events)(Progress { engine: INFO.name, safe_cycles, text: format!("{}, {known}", count(top + 1, "frame")) });
}
