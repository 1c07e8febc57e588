//! Names of declarations that are not modelled, and names of users that hide standard names.

use crate::ast;
use crate::resolve::calls::standard_table;
use crate::resolve::findings::Findings;
use crate::resolve::names::tables::{Names, key};
use crate::resolve::prepare::declaration_order;
use crate::text::{Diagnostic, Origin, SourceSet, codes};

/// Records the first words of declarations that are not modelled, and warns of hidden standard names.
pub(crate) fn note(names: &mut Names, findings: &mut Findings, units: &[ast::Unit], sources: &SourceSet) {
    for item in declaration_order::all(units) {
        if let Some(span) = item.not_modelled() {
            let head = sources.text(span).chars().take(200).collect::<String>();
            let words = head.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty());
            names.unmodelled.extend(words.take(4).map(key));
        } else if let ast::Item::Pou(pou) = item
            && names.full(&pou.name) == pou.name.text
        {
            note_standard_name(findings, pou, sources);
        }
    }
}

fn note_standard_name(findings: &mut Findings, pou: &ast::Pou, sources: &SourceSet) {
    let name = &pou.name.text;
    let is_users = sources.files.get(pou.span.file).is_some_and(|f| f.origin == Origin::User);
    let is_block = crate::stdlib::SOURCES.iter().any(|(block, _)| block.eq_ignore_ascii_case(name));
    let is_function = pou.kind == ast::PouKind::Function && standard_table::is_standard(name);
    if is_users && (is_block || is_function) {
        let kind = if is_block { "function block" } else { "function" };
        let message = format!("`{name}` is also the name of a standard {kind}");
        let finding = Diagnostic::error(codes::STANDARD_NAME_TAKEN, pou.name.span, message, "this one is used");
        findings.report(finding.warning().help("rename it if the standard one is meant"));
    }
}
