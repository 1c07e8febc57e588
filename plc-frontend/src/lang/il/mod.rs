//! Instruction List (IEC 61131-3, 7.2): lists of instructions become statements.
//!
//! In reading order: `read` text → instructions, one per line, `lower` instructions → statements, `result` the current
//! result, `call` calls and operands. Declarations around a list are those of ST, and so are the operands.
//!
//! The current result is an expression until something needs it twice or something has an effect before it is used;
//! then it becomes a hidden variable (`StmtKind::Let`), so that everything is computed once, when it stands there.
//!
//! Decided here, where the standard leaves room:
//! - S and R act while the result is TRUE; ST, S, R, CAL and conditional jumps leave it as it is.
//! - An input operator (`S1 x`, `IN x`, `PV x` …) assigns the result to that input and calls the instance.
//! - A function written without parentheses takes the result as its first argument; with parentheses its arguments have
//!   names, and it does not take the result.
//! - A result is not carried over a label that something jumps to: this is an error, not a guess.

mod call;
mod lower;
mod read;
mod result;
#[cfg(test)]
mod tests;

use std::ops::Range;

use super::common::lexer::{Asides, Flavour, Lexer};
use super::common::token::Tok;
use super::{BodyLanguage, Ending, FileRole, Language};
use crate::ast::Stmt;
use crate::text::{FileId, Parsed};

/// Instruction List in files of its own.
pub(super) const LANGUAGE: Language = Language {
    name: "Instruction List",
    endings: &[Ending { text: "il", role: FileRole::Program, dialect: None }],
    flavour: Flavour::Iec,
    accepts: |file| super::detection::is_text_of(&LANGUAGE, file),
    is_object: None,
    parse: |id, file| super::st::with_bodies(id, &file.text, &BODY),
};

/// Instruction List in bodies of other languages.
pub(super) const BODY: BodyLanguage = BodyLanguage { starts: looks_like_il, read: body_before };

/// Reads the instructions in a range of a file's text.
pub(crate) fn body(file: FileId, text: &str, range: Range<usize>) -> Parsed<Vec<Stmt>> {
    body_before(file, text, range, &|_| false).0
}

/// Reads instructions up to the first token that `ends`; also returns that token's place.
fn body_before(file: FileId, text: &str, range: Range<usize>, ends: &dyn Fn(Tok) -> bool) -> (Parsed<Vec<Stmt>>, usize) {
    let (list, end) = read::instructions(file, text, range, ends);
    let lowered = lower::lower(file, text, list.instructions, list.findings);
    (Parsed { value: lowered.stmts, diagnostics: lowered.findings.finish(file, text) }, end)
}

/// Returns whether a text starts with an instruction: a word that only Instruction List has, then an operand on its line.
fn looks_like_il(text: &str) -> bool {
    const FIRST: &[&str] = &["LD", "LDN", "CAL", "CALC", "CALCN", "ST", "STN"];
    let mut lexer = Lexer::new(FileId(0), text, 0, text.len());
    let mut asides = Asides::default();
    let mut next = || lexer.next(&mut asides);
    let (mut first, mut second) = (next(), next());
    if second.kind == Tok::Colon {
        // A label.
        (first, second) = (next(), next());
    }
    let word = text.get(first.start as usize..first.end as usize).unwrap_or("");
    let between = text.get(first.end as usize..second.start as usize).unwrap_or("\n");
    let is_operand = [Tok::Word, Tok::Number, Tok::Typed, Tok::Address, Tok::True, Tok::False, Tok::Minus, Tok::Text];
    FIRST.iter().any(|op| word.eq_ignore_ascii_case(op)) && !between.contains('\n') && is_operand.contains(&second.kind)
}
