//! Reports of a finished run: rendered from the stored outcome, never from engine state.
//!
//! - [`outcome`]: the published format; [`schema`]: its JSON schema; [`format`]: the formats of report files.
//! - [`verdict_class`], [`words`]: the verdict vocabulary; [`tally`]: counts; [`headline`]: the sentence about a run;
//!   [`conditions`]: conditions of answers.
//! - `record`, `seen`, `choices`, `slice`, `justify`, `unchanged`, [`networks`], [`counterexample`], [`invariant`], [`place`]:
//!   parts of the outcome, made while the worker still has the program.
//! - [`cone`]: digest of the code that decides a requirement; [`plc_test`]: tests for the controller; [`signature`]: signed
//!   reports; [`suggestion`]: assumptions that exclude a counterexample.
//! - [`witness`]: the run that puts a requirement to the test; [`sensitivity`]: changes of the program that it notices.
//! - [`editor`]: texts in a file of TwinCAT; [`source_listing`], [`highlight`], [`diagram`], [`timing`], [`timeline`], [`explain`]: parts of pages.

pub mod address;
pub mod advice;
mod at_calls;
mod carried;
mod causes;
mod choices;
pub mod comparison;
pub mod conditions;
pub mod cone;
pub mod counterexample;
pub mod cycle_columns;
pub mod dependence;
pub mod diagram;
pub mod editor;
pub mod effort;
pub mod environment;
#[cfg(test)]
pub(crate) mod example;
pub mod explain;
pub mod exploration;
mod extended_stubs;
#[expect(unreachable_pub, reason = "askama writes it so")]
pub(crate) mod filters;
pub mod format;
pub mod headline;
pub mod highlight;
pub mod import;
pub mod inferred;
pub mod invariant;
mod justify;
mod layout;
pub mod left_out;
pub mod loop_values;
pub mod names;
pub mod networks;
pub mod outcome;
pub(crate) mod outside_write;
pub mod place;
pub mod plc_test;
mod reached_stubs;
mod record;
pub mod rests_on;
mod rung_layout;
pub mod schema;
mod seen;
pub mod sensitivity;
pub mod signature;
mod slice;
pub mod source_listing;
mod stretch;
mod strings;
mod subrange;
pub mod suggestion;
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
