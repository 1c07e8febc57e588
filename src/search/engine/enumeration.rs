//! The option `maxenum` of engines with explicit values: limit on enumerated successors.

use std::num::NonZeroU32;

use super::{OptionInfo, Settings, Values};
use crate::domain::MaxEnum;

/// The word of [`MaxEnum::Auto`], the default.
const AUTO: &str = "auto";

/// Option of the limit.
pub(super) const MAX_ENUM: OptionInfo = OptionInfo {
    name: "maxenum",
    values: Values::Number { low: 0, high: 1_000_000, words: &[AUTO, "1*"] },
    default: AUTO,
    help: "With explicit values only: successors enumerated before unknown values stay unknown. 0 is no limit but time and \
           memory, auto is 1,024 and then those of assigned variables, 1* is no solver (JAR 2020, §3.1.1).",
};

/// Returns the limit; the error is a sentence for a domain without values.
pub(super) fn max_enum(settings: &Settings<'_>, tracks_values: bool) -> Result<MaxEnum, String> {
    let word = settings.word(MAX_ENUM.name);
    if !tracks_values && word != AUTO {
        return Err("option `maxenum` has a meaning only with a domain of explicit values".to_owned());
    }
    Ok(match settings.number(MAX_ENUM.name) {
        None if word == AUTO => MaxEnum::Auto,
        None => MaxEnum::NoSolver,
        Some(k) => NonZeroU32::new(k).map_or(MaxEnum::Unlimited, MaxEnum::UpTo),
    })
}
