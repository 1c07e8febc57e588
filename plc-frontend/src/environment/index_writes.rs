//! Writes to elements at computed indices, in Structured Text that is not resolved.

use std::collections::{BTreeMap, BTreeSet};

use crate::hir::{Project, Type};
use crate::lang::{is_keyword, is_markup};
use crate::text::{Key, key};

/// Words in front of a bracket that holds the bounds of a type.
const TYPES: &[&str] = &["ARRAY", "STRING", "WSTRING"];
/// Instructions of Instruction List that write their operand.
const STORES: &[&str] = &["ST", "STN", "S", "R", "CAL", "CALC", "CALCN"];
/// Words of assignments in front of a sign: `REF=`, `S=`, `R=`.
const ASSIGNING: &[&str] = &["REF", "S", "R"];
/// Word of Automation Studio that gives a reference its address.
const ACCESS: &str = "ACCESS";

/// Names in a text that write no element at a computed index.
pub(crate) struct FixedNames {
    /// Constants, values of enumerations, and types.
    pub(crate) constants: BTreeSet<Key>,
    /// Returns whether a name is that of a function that writes none of its arguments.
    pub(crate) is_reader: fn(&str) -> bool,
}

impl FixedNames {
    /// Returns the names of a project.
    ///
    /// Soundness: a name that a variable has, too, is that of no constant.
    pub(crate) fn of(project: &Project, is_reader: fn(&str) -> bool) -> FixedNames {
        let vars = || project.pous.iter().flat_map(|pou| pou.vars.iter()).chain(project.globals.iter());
        let last = |name: &str| key(name.rsplit('.').next().unwrap_or(name));
        let mut constants: BTreeSet<Key> = vars().filter(|var| var.constant).map(|var| last(&var.name)).collect();
        for def in project.types.iter() {
            constants.extend(def.name.as_deref().map(last));
            if let Type::Enum { variants, .. } = &def.ty {
                constants.extend(variants.iter().map(|(name, _)| last(name)));
            }
        }
        vars().filter(|var| !var.constant).for_each(|var| _ = constants.remove(&last(&var.name)));
        FixedNames { constants, is_reader }
    }
}

/// Most parts of a path that are looked at. A longer one counts as written.
const LONGEST_PATH: usize = 1000;

/// Returns the place of the first element at a computed index that a text may write.
///
/// Soundness: compilers check indices that are numbers or constants. An element counts as written at the left of an assignment, and as
/// the instance or an argument of a call. In a drawing each one counts.
/// Cost: linear in the text.
pub(crate) fn index_write(code: &str, known: &FixedNames) -> Option<usize> {
    let text = Text::of(code, known);
    let is_drawing = is_markup(code);
    let mut opens = text.tokens.iter().enumerate().filter(|(_, (_, token))| *token == "[").map(|(at, _)| at);
    let found = opens.find(|open| match text.partners.get(open) {
        _ if !text.is_element(*open) => false,
        Some(close) => !text.is_fixed(*open, *close) && (is_drawing || text.is_written(*open, *close)),
        None => true,
    });
    found.and_then(|at| text.tokens.get(at)).map(|(place, _)| *place)
}

/// Tokens of a text with their places.
struct Text<'t> {
    known: &'t FixedNames,
    tokens: Vec<(usize, &'t str)>,
    /// Square brackets that belong together, both ways.
    partners: BTreeMap<usize, usize>,
    /// For each token the round bracket around it.
    around: Vec<Option<usize>>,
    /// For each token the number of names before it that are neither numbers nor constants.
    n_variables: Vec<usize>,
}

impl<'t> Text<'t> {
    fn of(code: &'t str, known: &'t FixedNames) -> Text<'t> {
        let tokens = tokens(code);
        let mut text = Text { known, tokens, partners: BTreeMap::new(), around: Vec::new(), n_variables: Vec::new() };
        let (mut squares, mut rounds, mut n): (Vec<usize>, Vec<usize>, usize) = (Vec::new(), Vec::new(), 0);
        for (at, (_, token)) in text.tokens.iter().enumerate() {
            text.n_variables.push(n);
            if *token == ")" {
                rounds.pop();
            }
            text.around.push(rounds.last().copied());
            match *token {
                "(" => rounds.push(at),
                "[" => squares.push(at),
                "]" => {
                    if let Some(open) = squares.pop() {
                        text.partners.extend([(open, at), (at, open)]);
                    }
                }
                ";" => rounds.clear(),
                word if !squares.is_empty() && is_word(word) => {
                    let is_number = word.starts_with(|c: char| c.is_ascii_digit());
                    // `16#F` and `Mode#Off` are constants.
                    let is_behind_type = text.before(at) == "#" && at.checked_sub(2).is_some_and(|at| is_word(text.token(at)));
                    n += usize::from(!is_number && !is_behind_type && !is_keyword(word) && !known.constants.contains(&key(word)));
                }
                _ => {}
            }
        }
        text
    }

    fn token(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |(_, token)| token)
    }

    fn before(&self, at: usize) -> &'t str {
        at.checked_sub(1).map_or("", |at| self.token(at))
    }

    /// Returns whether a bracket opens behind a variable.
    fn is_element(&self, open: usize) -> bool {
        let before = self.before(open);
        let is_name = is_word(before) && !is_one_of(before, TYPES) && before != "CDATA";
        is_name || matches!(before, "]" | "^" | ")" | "`" | "\"")
    }

    /// Returns whether all indices in brackets are numbers and constants.
    fn is_fixed(&self, open: usize, close: usize) -> bool {
        self.n_variables.get(open) == self.n_variables.get(close)
    }

    /// Returns whether a statement may write the path through an element.
    fn is_written(&self, open: usize, close: usize) -> bool {
        let (Some(start), Some(end)) = (self.start(open), self.end(close)) else { return true };
        let (before, behind, next) = (self.before(start), self.token(end), self.token(end + 1));
        let is_assigned = matches!(behind, ":=" | "(" | "+=" | "-=" | "*=" | "/=") || is_one_of(behind, &[ACCESS]);
        let is_set = is_one_of(behind, ASSIGNING) && next == "=";
        is_assigned || is_set || is_one_of(before, STORES) || self.is_argument(start, behind)
    }

    /// Returns the place behind the path through an element.
    fn end(&self, close: usize) -> Option<usize> {
        let mut end = close + 1;
        for _ in 0..LONGEST_PATH {
            end = match self.token(end) {
                "." => end + 2,
                "^" => end + 1,
                "[" => self.partners.get(&end)? + 1,
                _ => return Some(end),
            };
        }
        None
    }

    /// Returns the beginning of the path through an element.
    fn start(&self, open: usize) -> Option<usize> {
        let mut at = open;
        for _ in 0..LONGEST_PATH {
            let before = at.checked_sub(1)?;
            at = match self.token(before) {
                "]" => *self.partners.get(&before)?,
                "^" | "`" | "\"" => before,
                // Behind a call stands what it returns.
                ")" => return None,
                word if is_word(word) && self.before(before) == "." => before.checked_sub(1)?,
                word if is_word(word) => return Some(before),
                _ => return Some(at),
            };
        }
        None
    }

    /// Returns whether a path is all of an argument of a call that may write it.
    fn is_argument(&self, start: usize, behind: &str) -> bool {
        let is_whole = matches!(self.before(start), "(" | "," | ":=" | "=>") && matches!(behind, ")" | ",");
        let Some(open) = self.around.get(start).copied().flatten().filter(|_| is_whole) else { return false };
        let callee = self.before(open);
        let is_name = is_word(callee) && !is_keyword(callee);
        let is_path = 2 <= open && self.token(open - 2) == ".";
        matches!(callee, "]" | "^" | "\"" | "`") || is_name && (is_path || !(self.known.is_reader)(callee))
    }
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.iter().any(|other| other.eq_ignore_ascii_case(word))
}

/// Signs of two characters.
const SIGNS: &[&str] = &[":=", "=>", "<=", ">=", "<>", "..", "+=", "-=", "*=", "/="];

/// Returns the words and signs of a text, with their places.
fn tokens(code: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign)).map(|sign| sign.len());
        let length = match sign {
            Some(length) => length,
            None if is_part(first) => rest.find(|c| !is_part(c)).unwrap_or(rest.len()),
            None => first.len_utf8(),
        };
        let (token, behind) = rest.split_at(length);
        if !first.is_whitespace() {
            found.push((code.len() - rest.len(), token));
        }
        rest = behind;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_that_a_text_may_write() {
        let known = FixedNames { constants: BTreeSet::from([key("MAX_I")]), is_reader: |name| matches!(name, "ABS" | "LIMIT") };
        let check = |code: &str, expected: Option<&str>| {
            let found = index_write(code, &known).map(|at| code[..at].trim_end().rsplit([' ', '\n', '(', '"']).next().unwrap());
            assert_eq!(found, expected, "{code}");
        };
        check("a[i] := 1;", Some("a"));
        check("a[3] := 1; a[MAX_I - 1, 16#F] := b[i]; a[(3 + 4) MOD 2] := 0;", None);
        check("x := a[i]; IF a[i] > 3 THEN x := b[i].c; END_IF", None);
        check("a[1].b[i] := 1;", Some("a[1].b"));
        check("a[i].b[1].c^ := 1;", Some("a"));
        check("s.a[i]^ := p;", Some("s.a"));
        check("F(a[i]);", Some("a"));
        check("F(x := 1, q := s.a[i]); ", Some("s.a"));
        check("F(q => a[i]);", Some("a"));
        check("F(a[i] + 1); x := ABS(a[i]); x := LIMIT(0, a[i], 3); x := (a[i]);", None);
        check("fb.LIMIT(0, a[i], 3);", Some("a"));
        check("b := x AND (a[i]); IF (a[i]) THEN x := 1; END_IF WHILE (a[i]) DO x := 1; END_WHILE", None);
        check("t[i](IN := TRUE);", Some("t"));
        check("a[i].Next();", Some("a"));
        check("FOR a[i] := 0 TO 3 DO x := 1; END_FOR", Some("a"));
        check("a[i] REF= x;", Some("a"));
        check("a[i] ACCESS ADR(x);", Some("a"));
        check("VAR a : ARRAY [0..n] OF STRING[k]; END_VAR", None);
        check("a := [1, 2, n];", None);
        check("LD 1\nST a[i]", Some("a"));
        check("LD a[i]\nST b", None);
        check("x := a[i", Some("a"));
        check("<v n=\"Operand\">\"a[i]\"</v>", Some("a"));
        check("<![CDATA[x := a[3];]]>", None);
    }
}
