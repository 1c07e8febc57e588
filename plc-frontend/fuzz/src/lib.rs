//! Work of the fuzz targets, and mutations that keep the shape of a text.

pub mod mutate;

pub use uploads::{automaton, several, stated, unpacked, whole};
