//! What the textual languages share: tokens, literals, addresses, bounded findings.
//! Knows the AST's literals and the HIR's addresses; no grammar.

pub mod address;
pub mod date;
pub mod duration;
pub mod findings;
pub mod lexer;
pub mod literal;
pub(crate) mod pragma;
pub mod text;
pub mod token;
mod trivia;
