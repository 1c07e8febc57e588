//! Texts and their places, findings about them, and the ledger of constructs. Knows no language.
//!
//! `key` compares names. [`archive`] takes texts out of uploads, `decode` turns their bytes into UTF-8, [`source`] gives them spans.
//! [`diagnostic`] holds findings, [`codes`] their codes, [`render`] prints them with their lines.

pub mod archive;
pub mod codes;
mod decode;
pub mod diagnostic;
pub(crate) mod key;
pub mod ledger;
pub mod render;
pub mod source;
