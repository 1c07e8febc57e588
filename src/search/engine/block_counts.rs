//! Numbers of the blocks of an exploration, for reports.

use std::fmt;

/// Numbers of one block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockCounts {
    /// Name of its procedure, or "loop in" and that name.
    pub name: String,
    /// Calls or loops of this form in the automaton.
    pub regions: usize,
    /// Times that it was entered.
    pub asked: u64,
    /// Of them, those whose result was known.
    pub hits: u64,
    /// Its own steps whose image was asked for.
    pub steps: u64,
    /// Of them, those that a domain had to compute.
    pub images: u64,
}

impl fmt::Display for BlockCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BlockCounts { regions, asked, hits, images, .. } = self;
        let places = if *regions == 1 { "place" } else { "places" };
        write!(f, "{regions} {places} · entered {asked}, known {hits} · {images} images")
    }
}
