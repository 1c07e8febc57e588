//! The search: [`domain`] abstract domains, [`arg`] reachability graphs, [`refine`] refinement, [`engine`] the engines.
//!
//! Every answer of an engine is a claim; the crate `answer` certifies it.

pub mod arg;
pub mod domain;
pub mod engine;
pub mod refine;
