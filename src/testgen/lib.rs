//! Random programs ([`programs`]) and automata ([`automata`]) for the tests of every crate, with their laws under `tests/`.
//!
//! Not part of the product.

#![allow(missing_docs, reason = "generators are documented where their names do not say it")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::new_without_default,
    clippy::should_implement_trait,
    reason = "a generator that fails ends its test"
)]

#[cfg(feature = "automata")]
pub mod automata;
pub mod programs;
#[cfg(feature = "automata")]
pub mod readings;
#[cfg(feature = "automata")]
pub mod stated;
