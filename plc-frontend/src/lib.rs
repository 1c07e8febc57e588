//! IEC 61131-3 sources become one resolved, typed program: [`hir::Project`].
//!
//! In reading order:
//! - [`text`]: sources and spans, findings with their codes, the ledger of what is modelled.
//! - [`lang`]: one folder per language, text → [`ast`]; [`archive`] takes texts out of uploads.
//! - [`dialect`]: one row per vendor's reading of the same text.
//! - [`resolve`]: AST → HIR, names and types under a dialect; [`stdlib`] holds the standard blocks as ST.
//! - [`rule`]: semantic rules on the HIR, one per file.
//! - [`hir`]: the program and its printer; [`format`] writes a program again as ST.
//! - [`environment`]: the default kinds of the variables that the program shares with its environment.
//! - [`solution`]: the projects among the files of an upload, and the one that runs.
//! - [`isolation`]: a project with errors, without the parts that have them.
//! - [`part`]: one POU of a project as a program of its own.
//! - [`library`]: declarations of well-known libraries as ST.
//! - `stub`: POUs of which only the interface is known; `infer`: interfaces that no file declares, from the uses of the names.
//! - [`interp`]: the reference interpreter, which defines the meaning of a program.
//!
//! **Invariant:** no IO and no panic on any input. A parser never fails: it returns the part it understood and its
//! findings. **Invariant:** this crate knows nothing of automata, solvers or the patterns of requirements.

pub mod archive;
pub mod ast;
mod components;
pub mod dialect;
pub mod environment;
pub mod format;
pub mod hir;
pub mod ids;
mod infer;
pub mod interp;
pub mod isolation;
pub mod lang;
pub mod library;
pub mod part;
pub mod resolve;
pub mod rule;
pub mod solution;
pub mod stdlib;
mod stub;
pub mod text;

pub use isolation::load_isolated;
pub use lang::identifier;
pub use resolve::{LoadOptions, Loaded, condition};
pub use solution::load;
pub use text::suggest::nearest;
pub use text::{Inferred, LeftOut, PartKind};
pub use text::{codes, diagnostic, ledger, render, shown, source};
