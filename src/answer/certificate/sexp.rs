//! A small reader of s-expressions, for certificates only. It never recurses and keeps expressions in one table: a deep, long or
//! broken file costs no more than its size.

use super::{Flaw, shorten};

/// Position of an expression in its [`Sexps`].
pub(super) type SexpId = usize;

/// One expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sexp<'t> {
    /// A symbol, numeral, keyword, string or `#` literal as it is written; quoted symbols without their bars.
    Atom(&'t str),
    /// Items in parentheses.
    List(Vec<SexpId>),
}

/// The expressions of a text.
#[derive(Debug, Default)]
pub(super) struct Sexps<'t> {
    table: Vec<Sexp<'t>>,
    /// Expressions outside of any list.
    pub(super) top: Vec<SexpId>,
}

/// Size of the largest certificate that is read.
pub(super) const MAX_BYTES: usize = 64 << 20;

impl<'t> Sexps<'t> {
    /// Reads a whole text. Comments are left out.
    ///
    /// Cost: linear in the text.
    pub(super) fn read(text: &'t str) -> Result<Sexps<'t>, Flaw> {
        if MAX_BYTES < text.len() {
            return Err(Flaw(format!("{} MB; the limit is {} MB", text.len() >> 20, MAX_BYTES >> 20)));
        }
        let mut read = Sexps::default();
        let mut open: Vec<Vec<SexpId>> = Vec::new();
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let start = at;
            at += 1;
            let made = match byte {
                b' ' | b'\t' | b'\n' | b'\r' => continue,
                b';' => {
                    at = end_of(bytes, at, |b| b == b'\n');
                    continue;
                }
                b'(' => {
                    open.push(Vec::new());
                    continue;
                }
                b')' => match open.pop() {
                    Some(list) => Sexp::List(list),
                    None => return Err(flaw(text, start, "`)` without `(`")),
                },
                b'|' | b'"' => {
                    let end = end_of(bytes, at, |b| b == byte);
                    if bytes.len() <= end {
                        return Err(flaw(text, start, "the text ends inside of a quoted word"));
                    }
                    let inside = if byte == b'|' { at..end } else { start..end + 1 };
                    at = end + 1;
                    Sexp::Atom(text.get(inside).unwrap_or_default())
                }
                _ => {
                    at = end_of(bytes, at, |b| b.is_ascii_whitespace() || b"();|\"".contains(&b));
                    Sexp::Atom(text.get(start..at).unwrap_or_default())
                }
            };
            read.table.push(made);
            match open.last_mut() {
                Some(list) => list.push(read.table.len() - 1),
                None => read.top.push(read.table.len() - 1),
            }
        }
        if open.is_empty() {
            Ok(read)
        } else {
            Err(Flaw(format!("the text ends before {} closing parentheses: it was cut", open.len())))
        }
    }

    /// Returns an expression.
    pub(super) fn get(&self, id: SexpId) -> &Sexp<'t> {
        &self.table[id]
    }
    /// Returns the word of an atom.
    pub(super) fn atom(&self, id: SexpId) -> Option<&'t str> {
        match self.get(id) {
            Sexp::Atom(word) => Some(word),
            Sexp::List(_) => None,
        }
    }
    /// Returns the items of a list.
    pub(super) fn list(&self, id: SexpId) -> Option<&[SexpId]> {
        match self.get(id) {
            Sexp::Atom(_) => None,
            Sexp::List(list) => Some(list),
        }
    }
    /// Returns its beginning, for messages.
    pub(super) fn show(&self, id: SexpId) -> String {
        let word = |id: SexpId| self.atom(id).map_or("(…)".to_owned(), shorten);
        match self.get(id) {
            Sexp::Atom(word) => shorten(word),
            Sexp::List(list) => format!("({} …)", list.first().map(|first| word(*first)).unwrap_or_default()),
        }
    }
}

/// Returns the position of the first byte of a kind, or the end.
fn end_of(bytes: &[u8], from: usize, is_it: impl Fn(u8) -> bool) -> usize {
    bytes[from..].iter().position(|b| is_it(*b)).map_or(bytes.len(), |n| from + n)
}

fn flaw(text: &str, at: usize, what: &str) -> Flaw {
    let line = text.as_bytes()[..at].iter().filter(|b| **b == b'\n').count() + 1;
    Flaw(format!("line {line}: {what}"))
}
