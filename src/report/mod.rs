//! What people and machines read of a finished run: rendered from the stored outcome, never from engine state.
//!
//! [`outcome`] is the format; `record`, [`counterexample`], [`invariant`] and [`place`] make its parts while the worker still
//! has the program; [`words`] is the verdict vocabulary.

pub mod counterexample;
pub mod import;
pub mod invariant;
pub mod names;
pub mod outcome;
pub mod place;
mod record;
pub mod rests_on;
pub mod schema;
pub mod verification;
pub mod words;
