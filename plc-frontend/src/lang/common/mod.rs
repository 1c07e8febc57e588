//! Tokens, literals, addresses and bounded findings, shared by the textual languages.
//! Knows the AST's literals and the HIR's addresses; no grammar.

pub mod address;
pub mod date;
pub(crate) mod excluded;
pub mod findings;
pub mod lexer;
pub mod literal;
pub(crate) mod organization_blocks;
pub(crate) mod pragma;
pub(crate) mod state_chart;
pub mod string;
pub mod token;
mod trivia;

/// Returns whether a name ends with `.` and one of these, in any case.
pub(crate) fn has_ending(name: &str, endings: &[&str]) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    endings.iter().any(|e| ending.eq_ignore_ascii_case(e))
}

/// Returns whether a text starts like XML.
pub(crate) fn is_markup(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with('<')
}

/// Returns whether a text starts like XML, and `tag` stands near its start.
pub(crate) fn starts_with_tag(text: &str, tag: &str) -> bool {
    /// Room for a declaration, comments and the words of a tool, in bytes.
    const NEAR: usize = 64 << 10;
    let mut near = text.len().min(NEAR);
    while !text.is_char_boundary(near) {
        near -= 1;
    }
    is_markup(text) && text[..near].contains(tag)
}

/// Returns the beginning of a text, at most `longest` characters, with `…` behind it if it is cut.
pub(crate) fn clipped(mut text: String, longest: usize) -> String {
    if let Some((at, _)) = text.char_indices().nth(longest) {
        text.truncate(at);
        text.push('…');
    }
    text
}
