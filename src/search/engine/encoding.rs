//! The options `encoding`, `blk` and `loop-bound` of several engines: extent of one step in the program.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use super::{EngineInfo, OptionInfo, Settings, Values, words};
use crate::arg::{Blk, Graph};
use kernel::cfa::Cfa;
use kernel::cfa::pass::Encoding;
use kernel::expr::ExprPool;

/// Extent of one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Automaton that the engine is given.
    pub encoding: Encoding,
    /// Ends of blocks that the search composes of its edges; `None` where a step is an edge.
    pub blk: Option<Blk>,
}

/// Words of `encoding`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    Sbe,
    Lbe,
    Abe,
}

const ENCODINGS: [(&str, Word); 3] = [("LBE", Word::Lbe), ("SBE", Word::Sbe), ("ABE", Word::Abe)];

/// Option of the encoding.
pub const ENCODING: OptionInfo = OptionInfo {
    name: "encoding",
    values: Values::OneOf(&words(&ENCODINGS)),
    default: "LBE",
    help: "One step is a whole loop-free piece of the program, a single operation (Beyer et al., FMCAD 2009), or as much as \
           `blk` says, composed during the search (Beyer, Dangl, Wendler, JAR 2018).",
};

/// Option of the ends of blocks.
pub const BLK: OptionInfo = OptionInfo {
    name: "blk",
    values: Values::Number { low: 1, high: 1_000_000, words: &["l", "lf", "never"] },
    default: "l",
    help: "With the encoding ABE only: a block ends at loop heads, at loop heads and calls, after n operations, or never: that \
           is bounded model checking and needs `loop-bound` (Beyer, Dangl, Wendler, JAR 2018, §3.1.6, §4.1).",
};

/// Option of the rounds of loops.
pub const LOOP_BOUND: OptionInfo = OptionInfo {
    name: "loop-bound",
    values: Values::Number { low: 1, high: 1_000_000, words: &["none"] },
    default: "none",
    help: "With `blk=never` only: rounds of each loop, each time that it is entered; the scan cycle is a loop. Nothing is proved.",
};

/// Returns the extent that the settings mean; the error is a sentence that names the option.
pub fn checked(settings: &Settings<'_>) -> Result<Extent, String> {
    let (blk, bound) = (settings.word("blk"), settings.number("loop-bound").and_then(NonZeroU32::new));
    let word = settings.choice("encoding", &ENCODINGS);
    if word != Word::Abe && blk != BLK.default {
        return Err("option `blk` has a meaning only with the encoding ABE".to_owned());
    }
    if blk != "never" && bound.is_some() {
        return Err("option `loop-bound` has a meaning only with `blk=never`".to_owned());
    }
    Ok(match (word, settings.number("blk").and_then(NonZeroU32::new), blk, bound) {
        (Word::Sbe, ..) => Extent { encoding: Encoding::Sbe, blk: None },
        (Word::Lbe, ..) => Extent { encoding: Encoding::Lbe, blk: None },
        (Word::Abe, Some(n), ..) => Extent { encoding: Encoding::Sbe, blk: Some(Blk::Operations(n)) },
        (Word::Abe, None, "lf", _) => Extent { encoding: Encoding::SbeWithCalls, blk: Some(Blk::CutPoints) },
        (Word::Abe, None, "never", Some(rounds)) => Extent { encoding: Encoding::Sbe, blk: Some(Blk::Never(rounds)) },
        (Word::Abe, None, "never", None) => {
            return Err("option `blk`: without the end of a block, loops need a bound, so `never` needs `loop-bound`".to_owned());
        }
        (Word::Abe, None, _, _) => Extent { encoding: Encoding::Sbe, blk: Some(Blk::CutPoints) },
    })
}

/// Returns the encoding of the automaton that an engine wants with these options.
pub fn wanted(info: &EngineInfo, options: &BTreeMap<String, String>) -> Result<Encoding, String> {
    if info.options.iter().any(|option| option.name == ENCODING.name) {
        Ok(checked(&Settings::new(info, options)?)?.encoding)
    } else {
        Ok(info.encoding)
    }
}

/// Prepares an automaton for a search with these ends of blocks.
pub(super) fn graph(pool: &mut ExprPool, cfa: &Cfa, blk: Option<Blk>) -> Graph {
    match blk {
        Some(blk) => Graph::unfolding(pool, cfa, blk),
        None => Graph::new(pool, cfa),
    }
}
