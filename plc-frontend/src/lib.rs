//! IEC 61131-3 sources become one resolved, typed, flat-data program: [`hir::Project`].
//!
//! In reading order: [`source`] texts and spans ([`archive`] out of uploads), [`diagnostic`] what is wrong with them ([`codes`] their codes, [`render`] their text),
//! [`lang`] one folder per language (text → [`ast`]), [`resolve`] names and types
//! (AST → HIR) under a [`dialect`], [`rule`] semantic rules on the HIR, [`hir`] the program and its printer,
//! [`format`] writes it again, [`part`] programs cut out of projects, [`ledger`] what was modelled and what was not, [`environment`] what the program shares with the outside, [`interp`] the reference interpreter.
//!
//! **Invariant:** no IO and no panic on any input; parsing never fails, it returns what it
//! understood and its diagnostics. **Invariant:** this crate knows nothing of automata,
//! solvers or requirements' patterns.

pub mod archive;
pub mod ast;
pub mod codes;
mod decode;
pub mod diagnostic;
pub mod dialect;
pub mod environment;
pub mod format;
pub mod generate;
pub mod hir;
pub mod ids;
pub mod interp;
pub mod lang;
pub mod ledger;
pub mod part;
mod policy;
pub mod render;
pub mod resolve;
pub mod rule;
pub mod source;
pub mod stdlib;

pub use resolve::{LoadOptions, Loaded, condition, load, nearest};
