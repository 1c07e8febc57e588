//! What people and machines read of a finished run: rendered from the stored outcome, never from engine state.

pub mod outcome;
pub mod words;
