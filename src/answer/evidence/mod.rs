//! Answers and their evidence. No verdict leaves uncertified.

mod certified;
mod history;
pub mod inductive;
mod k_inductive;
pub mod kept;
pub mod lift;
mod live;
pub mod minimise;
pub mod nan;
mod region;
pub mod replay;
mod rewritten;
pub mod smtlib;

pub use certified::{Certified, CertifiedRun, Evidence};
