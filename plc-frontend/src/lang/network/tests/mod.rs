//! Graphs written by hand, and the statements they become.

mod draw;
mod hostile;
mod order;
mod pictures;
mod pins;
pub(crate) mod print;
mod rungs;
