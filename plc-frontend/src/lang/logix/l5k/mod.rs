//! Text exports of Studio 5000 (`.L5K`): the same components as in an `.L5X` export, in another notation.
//!
//! The text becomes the elements that XML of the same controller has, and is then read as such. In reading order: [`scan`] words
//! and attribute lists, [`components`] controllers, types, programs and tasks, [`tags`] tags with their data, [`routines`].
//! Last [`lost_parts`], components without an end.
//! Manual: Rockwell Automation, 1756-RM084 (import and export). Drawn routines and modules are not read; routines are gaps.

mod components;
mod lost_parts;
mod routines;
mod scan;
mod tags;
#[cfg(test)]
mod tests;

use super::read;
use crate::ast::Unit;
use crate::dialect::DialectId;
use crate::lang::common::findings::Findings;
use crate::lang::common::lexer::Flavour;
use crate::lang::{Ending, FileRole, Language};
use crate::text::{Diagnostic, FileId, Parsed, SourceFile, Span};

/// Text exports of Studio 5000.
pub(crate) const LANGUAGE: Language = Language {
    name: "L5K",
    endings: &[Ending { text: "l5k", role: FileRole::Program, dialect: Some(DialectId::Logix) }],
    flavour: Flavour::Iec,
    accepts: |file| LANGUAGE.owns(&file.name) || scan::is_export(&file.text),
    is_object: None,
    parse,
};

fn parse(id: FileId, file: &SourceFile) -> Parsed<Unit> {
    let (document, open) = components::document(id, &file.text);
    let mut findings = Findings::default();
    if let Some(open) = open {
        findings.push(open.error(id, &file.text));
    }
    if document.root().and_then(|root| root.child("Controller")).is_none() {
        let message = "this text export holds no controller";
        let diagnostic = Diagnostic::error("P0010", Span::new(id, 0, 0), message, "`CONTROLLER` was expected");
        findings.push(diagnostic.help("export the whole project from Studio 5000 as L5K or L5X"));
    }
    read(id, file, &document, findings)
}
