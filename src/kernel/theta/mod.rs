//! Theta's CFA text format: published models of control-flow automata.
//!
//! In reading order: `lex`, `parse` (with `cursor`, `sort`, `expression`, `operand` and `resolve`) read the text into a complete
//! [`ast`]; `lower` and [`model`] make the automaton for engines; `evaluate` and [`replay`] follow a violation in the ast, and
//! share no code with the lowering. Constructs that are not supported (rational numbers, functions, quantifiers, arrays of
//! arrays) are refused by name at their place. Knows the front end's sources and findings, [`crate::expr`] and [`crate::cfa`]; no
//! solver, no engine.
//!
//! Source: the grammar and semantics of <https://github.com/ftsrg/theta>, `subprojects/cfa` (read, not copied).

pub mod ast;
mod cursor;
pub mod evaluate;
mod expression;
mod lex;
mod lower;
pub mod model;
mod operand;
mod parse;
pub mod replay;
mod resolve;
mod sort;
#[cfg(test)]
mod tests;

use plc_frontend::diagnostic::{Diagnostic, Parsed};
use plc_frontend::source::{FileId, Span};

pub use model::Model;

/// Result of reading.
#[derive(Clone, Debug, Default)]
pub struct Read {
    /// `None` if there is an error among the findings.
    pub model: Option<Model>,
    /// Processes that do not run, because no process calls them.
    pub others: Vec<(String, Span)>,
}

/// Returns whether a file is a model of Theta, by its name or its beginning.
pub fn is_model(name: &str, text: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    if ending.eq_ignore_ascii_case("cfa") || ending.eq_ignore_ascii_case("theta") {
        return true;
    }
    let begins = text.trim_start();
    begins.strip_prefix("main").is_some_and(|rest| rest.trim_start().starts_with("process "))
}

/// Returns a type as a model writes it.
pub fn type_name(sort: crate::expr::Sort) -> String {
    lower::type_name(sort)
}

/// Reads a model. Never fails: mistakes are among the findings.
pub fn read(file: FileId, text: &str) -> Parsed<Read> {
    let mut findings = Vec::new();
    if text.trim_start().starts_with("(process") {
        let at = text.find('(').unwrap_or(0);
        let finding = Diagnostic::error(
            "P6005",
            Span::new(file, at, at + 8),
            "this is the older notation of Theta, in parentheses",
            "here",
        );
        findings.push(
            finding.help("write the model in today's notation: `main process name { var x : int init loc L0 … L0 -> L1 { … } }`"),
        );
        return Parsed { value: Read::default(), diagnostics: findings };
    }
    let tokens = lex::tokens(file, text, &mut findings);
    let parse::Read { main, others } = parse::parse(&tokens, &mut findings);
    let model = if findings.is_empty() { main.and_then(|process| model::build(process, &mut findings)) } else { None };
    findings.sort_by_key(|finding| finding.span().start);
    Parsed { value: Read { model, others }, diagnostics: findings }
}
