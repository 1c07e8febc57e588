//! Texts and their places, findings about them, and the ledger of constructs. Knows no language.
//!
//! `decode` turns bytes into UTF-8, [`source`] gives spans to texts. [`diagnostic`] holds findings, [`codes`] their codes,
//! [`render`] prints them with their lines. `key` compares names, `suggest` finds the nearest one, `duration` reads durations.
//! `export_places` names places in exports of Studio 5000, `quoted` makes identifiers of names in quotes. [`unseen`] knows
//! characters that are not seen.

pub mod codes;
mod decode;
pub mod diagnostic;
pub(crate) mod duration;
mod export_places;
mod inferred;
pub(crate) mod key;
pub mod ledger;
mod left_out;
mod lines;
pub(crate) mod quoted;
pub mod render;
pub mod source;
pub(crate) mod suggest;
pub mod unseen;
mod whole_declaration;

pub use decode::{TextProblem, decode};
pub use diagnostic::{Diagnostic, Label, Malformed, Parsed, Severity};
pub use inferred::Inferred;
pub(crate) use inferred::UNKNOWN;
pub(crate) use key::{Key, key};
pub use ledger::{
    EXTENDS_STUB, Gap, GapId, INHERITED, Ignored, KEPT_ADDRESS, Ledger, NO_FAULT, TIMING_BIT, Treatment, UNSTATED_CYCLE,
    WRONG_ASSERTION,
};
pub(crate) use left_out::STATEMENT;
pub use left_out::{LeftOut, PartKind};
pub use quoted::shown;
pub use source::{FileId, LineCol, Origin, SourceFile, SourceSet, Span, line_col};
pub use suggest::nearest;
pub(crate) use suggest::suggestion;
