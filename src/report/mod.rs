//! Reports of a finished run: rendered from the stored outcome, never from engine state.
//!
//! [`outcome`] is the format; `record`, `seen`, `choices`, `slice`, `justify`, `unchanged`, [`networks`], [`counterexample`], [`invariant`] and [`place`] make its parts while the worker still
//! has the program; [`class`] and [`words`] are the verdict vocabulary, [`tally`] counts it, [`conditions`] adds the conditions of answers; [`listing`], [`highlight`], [`diagram`], [`timing`], [`timeline`] and
//! [`explain`] are what people look at; [`witness`] the run that puts a requirement to the test, [`sensitivity`] the changes it would notice;
//! [`schema`] is what is published of the format.

pub mod advice;
mod causes;
mod choices;
pub mod conditions;
pub mod counterexample;
pub mod cycle_columns;
pub mod dependence;
pub mod diagram;
pub mod effort;
pub mod environment;
#[cfg(test)]
pub(crate) mod example;
pub mod explain;
pub mod exploration;
pub mod format;
pub mod highlight;
pub mod import;
pub mod invariant;
mod justify;
mod layout;
pub mod names;
pub mod networks;
pub mod outcome;
pub(crate) mod outside_write;
pub mod place;
mod record;
pub mod rests_on;
pub mod schema;
mod seen;
pub mod sensitivity;
mod slice;
pub mod source_listing;
mod strings;
mod subrange;
pub mod surprises;
pub mod tally;
#[cfg(test)]
mod tests;
pub mod theta;
pub mod timeline;
pub mod timing;
mod unchanged;
pub mod verdict_class;
pub mod verification;
mod wiring;
pub mod witness;
pub mod words;
