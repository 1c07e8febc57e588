//! Work of the fuzz targets, and mutations that keep the shape of a text.

pub mod mutate;

mod work;

pub use work::{automaton, several, stated, unpacked, whole};
