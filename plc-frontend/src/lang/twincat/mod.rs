//! TwinCAT 3: one XML file per object (`.TcPOU .TcGVL .TcDUT .TcIO`), with Structured Text inside.
//!
//! In reading order: [`object`] the file and its contents, [`pou`] POUs with their members, [`task`] tasks,
//! [`project`] the list of files of a `.plcproj`. Knows XML, pieces of ST and the AST.

mod cfc;
mod object;
mod pou;
mod project;
mod task;
mod task_times;
#[cfg(test)]
mod tests;

use super::common::findings::Findings;
use super::common::lexer::Flavour;
use super::common::starts_with_tag;
use super::{Ending, FileRole, Language, xml};
use crate::ast::Unit;
use crate::dialect::DialectId;
use crate::text::{Diagnostic, FileId, Parsed, SourceFile, Span};

pub(crate) use project::{compiled, exclude, is_of_twincat};
pub(crate) use task_times::{TWO_CYCLES, is_settings_of_tasks, note as note_task_times};

/// TwinCAT 3.
pub(super) const LANGUAGE: Language = Language {
    name: "TwinCAT 3",
    endings: &[
        ending("tcpou", FileRole::Object),
        ending("tcgvl", FileRole::Object),
        ending("tcdut", FileRole::Object),
        ending("tcio", FileRole::Object),
        ending("tctto", FileRole::Object),
        ending("plcproj", FileRole::Project),
    ],
    flavour: Flavour::Iec,
    accepts: |file| LANGUAGE.owns(&file.name) || starts_with_tag(&file.text, "<TcPlcObject"),
    is_object: None,
    parse,
};

const fn ending(text: &'static str, role: FileRole) -> Ending {
    Ending { text, role, dialect: Some(DialectId::Twincat) }
}

fn parse(id: FileId, file: &SourceFile) -> Parsed<Unit> {
    let mut findings = Findings::default();
    let document = findings.keep(xml::read(id, &file.text));
    let mut reader = Reader { plain: document.plain(), unit: Unit::new(id), findings };
    match document.root() {
        Some(root) if root.name() == "TcPlcObject" => reader.objects(root),
        Some(root) if root.name() == "Project" => reader.project(root),
        Some(root) => {
            let message = format!("`<{}>` is not an object of TwinCAT", root.qualified_name());
            let diagnostic = Diagnostic::error("P0010", root.tag_span(), message, "`<TcPlcObject>` was expected");
            reader.findings.push(diagnostic.help("take the files .TcPOU, .TcGVL, .TcDUT and .TcIO from the project's folder"));
        }
        // The XML reader has reported it.
        None => {}
    }
    Parsed { value: reader.unit, diagnostics: reader.findings.finish(id, &file.text) }
}

/// A file while it is read.
struct Reader<'d> {
    /// The text of the file with its entities replaced in place.
    plain: &'d str,
    unit: Unit,
    findings: Findings,
}

impl Reader<'_> {
    /// Reports a missing part of an object.
    fn missing(&mut self, span: Span, message: String) {
        let diagnostic = Diagnostic::error("P0011", span, message, "in this object");
        self.findings.push(diagnostic.help("open the object in TwinCAT, save it, and take the file again"));
    }
}
