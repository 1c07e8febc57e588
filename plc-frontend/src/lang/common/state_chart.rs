//! State charts (UML) of CODESYS and TwinCAT. Exports hold a variable with their state, and no statements of theirs.

use crate::ast::{Body, Stmt, TypeSpecKind, VarBlock};
use crate::text::Span;

/// Beginnings and parts of the names of hidden types and variables, in lower case.
const HIDDEN: &[&str] = &["implicit_state_chart", "_uml_sc_"];

/// Puts a statement that is not modelled in front of a body whose variables show that it is a state chart.
///
/// Soundness: the export of such a body is empty, but the controller runs the chart. `place` is the place of the body.
pub(crate) fn mark(body: &mut Body, vars: &[VarBlock], place: Span) {
    let is_hidden = |name: &str| HIDDEN.iter().any(|hidden| name.to_ascii_lowercase().contains(hidden));
    let mut all = vars.iter().flat_map(|block| &block.vars);
    let is_chart = all.any(|var| {
        let of_type = matches!(&var.ty.kind, TypeSpecKind::Name(name) if is_hidden(&name.text));
        of_type || is_hidden(&var.name.text)
    });
    if let (true, Body::Statements(stmts)) = (is_chart, body) {
        stmts.insert(0, Stmt::unsupported("body in UML (state chart)", place));
    }
}
