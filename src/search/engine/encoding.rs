//! The option `encoding` of several engines: extent of one step in the program.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use super::{EngineInfo, OptionInfo, Settings, Values, words};
use kernel::cfa::pass::{Blk, Encoding};

/// Words of the option. Blocks of ABE end as `blk` says.
const ENCODINGS: [(&str, Encoding); 3] = [("LBE", Encoding::Lbe), ("SBE", Encoding::Sbe), ("ABE", Encoding::Abe(Blk::Loops))];

/// Option of the encoding.
pub const ENCODING: OptionInfo = OptionInfo {
    name: "encoding",
    values: Values::OneOf(&words(&ENCODINGS)),
    default: "LBE",
    help: "One step is a whole loop-free piece of the program, a single operation (Beyer et al., FMCAD 2009), or as much as \
           `blk` says (Beyer, Dangl, Wendler, JAR 2018).",
};

/// Option of the ends of blocks.
pub const BLK: OptionInfo = OptionInfo {
    name: "blk",
    values: Values::Number { low: 1, high: 1_000_000, words: &["l", "lf"] },
    default: "l",
    help: "With the encoding ABE only: a block ends at loop heads, at loop heads and calls, or after n operations (§3.1.6).",
};

/// Returns the encoding that the settings mean; the error is a sentence that names the option.
pub fn checked(settings: &Settings<'_>) -> Result<Encoding, String> {
    let blk = settings.word("blk");
    match settings.choice("encoding", &ENCODINGS) {
        Encoding::Abe(_) => Ok(Encoding::Abe(match settings.number("blk").and_then(NonZeroU32::new) {
            Some(n) => Blk::Operations(n),
            None if blk == "lf" => Blk::LoopsAndCalls,
            None => Blk::Loops,
        })),
        Encoding::Sbe | Encoding::Lbe if blk != BLK.default => {
            Err("option `blk` has a meaning only with the encoding ABE".to_owned())
        }
        encoding @ (Encoding::Sbe | Encoding::Lbe) => Ok(encoding),
    }
}

/// Returns the encoding of the automaton that an engine wants with these options.
pub fn wanted(info: &EngineInfo, options: &BTreeMap<String, String>) -> Result<Encoding, String> {
    if info.options.iter().any(|option| option.name == ENCODING.name) {
        checked(&Settings::new(info, options)?)
    } else {
        Ok(info.encoding)
    }
}
