//! Elements of XML for all languages in XML: a flat tree with byte places, read from untrusted files.
//!
//! [`read`] never fails: it delivers the elements before and around a mistake, with findings. There are no DTDs, no
//! entities but the five of XML and characters by number, and limits on depth, number and size.
//! [`Document::plain`] is the file with entities replaced *in place*, of the same length. So a place in it is a place in the
//! file, and pieces of Structured Text are read at their own places.
//!
//! In reading order: [`document`] the tree, [`reader`] its construction, [`unescape`] the text in place,
//! [`build`] trees of files in other notations.
//! Knows sources and findings; no language.

mod build;
mod document;
mod reader;
#[cfg(test)]
mod tests;
mod unescape;

pub(crate) use build::Builder;
#[allow(unused_imports, reason = "used by the languages that come next")]
pub(crate) use document::{Document, Element, Value};
pub(crate) use reader::read;
#[allow(unused_imports, reason = "used by the languages that come next")]
pub(crate) use unescape::{FILLER, without_filler};
