//! Names that the text of a program only reads.
//!
//! | language | text in which names are only read |
//! |---|---|
//! | Structured Text | right side of an assignment, condition of IF, ELSIF, WHILE, UNTIL and CASE, bounds of FOR |
//! | C | condition of `if`, `while` and `switch` |
//!
//! Soundness: an argument of a call may be VAR_IN_OUT, or its address may be taken, so names in the brackets of calls count as written. In C,
//! the right side of an assignment may give the address of an array away. Names in comments and strings stay.

use std::ops::Range;

use crate::lang::{C_ENDINGS, has_ending};

/// Endings of texts in Structured Text.
const ST: &[&str] = &["st"];
/// Words that begin a condition, and words that end one.
const BEGINS: &[&str] = &["IF", "ELSIF", "WHILE", "UNTIL", "CASE"];
const ENDS: &[&str] = &["THEN", "DO", "OF", "END_REPEAT", "ELSE", "END_IF", "END_FOR", "END_WHILE", "END_CASE"];
/// Words in front of a bracket that is no call's.
const OPERATORS: &[&str] = &["AND", "OR", "XOR", "NOT", "MOD", "TO", "BY"];
/// Words of C in front of a condition.
const CONDITIONS_OF_C: &[&str] = &["if", "while", "switch"];

/// Returns a text with blanks for the names that it only reads.
///
/// Cost: linear in the text.
pub(super) fn without_reads(name: &str, text: &str) -> Option<String> {
    let is_c = has_ending(name, C_ENDINGS);
    if !is_c && !has_ending(name, ST) {
        return None;
    }
    let tokens = tokens(text, is_c)?;
    let read = if is_c { conditions(text, &tokens) } else { reads(text, &tokens) };
    let mut found = text.as_bytes().to_vec();
    for place in read {
        found.get_mut(place)?.fill(b' ');
    }
    String::from_utf8(found).ok()
}

/// Token of a text: a word, a number, or one sign.
#[derive(Clone, Debug)]
struct Token {
    place: Range<usize>,
    is_word: bool,
}

/// Returns the tokens of a text without comments, pragmas and strings. `None`: one of these has no end.
fn tokens(text: &str, is_c: bool) -> Option<Vec<Token>> {
    /// Begins and ends of comments and pragmas.
    const ASIDES: &[(&str, &str)] = &[("(*", "*)"), ("/*", "*/"), ("//", "\n"), ("{", "}")];
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        // In C, a brace is a block, and a bracket may stand in front of a pointer.
        let mut asides = ASIDES.iter().filter(|(begin, _)| !is_c || !["{", "(*"].contains(begin));
        if let Some((begin, end)) = asides.find(|(begin, _)| rest.starts_with(begin)) {
            let inside = rest.get(begin.len()..).unwrap_or_default();
            let length = match inside.find(end) {
                None if *end == "\n" => inside.len(),
                // A comment in a comment may end it or not.
                Some(length) if *end == "\n" || !inside.get(..length)?.contains(begin) => length,
                Some(_) | None => return None,
            };
            at += begin.len() + length + end.len();
            continue;
        }
        if rest.starts_with(['\'', '"']) {
            at += length_of_string(rest, if is_c { '\\' } else { '$' })?;
            continue;
        }
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let first = rest.chars().next()?;
        if 0 < length {
            found.push(Token { place: at..at + length, is_word: !first.is_ascii_digit() });
            at += length;
        } else {
            if !first.is_whitespace() {
                found.push(Token { place: at..at + first.len_utf8(), is_word: false });
            }
            at += first.len_utf8();
        }
    }
    Some(found)
}

/// Returns the length of the string at the beginning of a text, with its quotes; `escape` takes the meaning from the next sign.
fn length_of_string(text: &str, escape: char) -> Option<usize> {
    let mut chars = text.char_indices();
    let (_, quote) = chars.next()?;
    while let Some((at, c)) = chars.next() {
        if c == escape {
            chars.next();
        } else if c == quote {
            return Some(at + 1);
        }
    }
    None
}

/// Returns the places of names that Structured Text only reads.
fn reads(text: &str, tokens: &[Token]) -> Vec<Range<usize>> {
    let word = |at: usize| tokens.get(at).and_then(|token| text.get(token.place.clone())).unwrap_or_default();
    let is_one_of = |at: usize, all: &[&str]| all.iter().any(|one| one.eq_ignore_ascii_case(word(at)));
    let is_assignment = |at: usize| is_sign(text, tokens, at, ":=");
    let mut found = Vec::new();
    let (mut at, mut depth) = (0_usize, 0_usize);
    while at < tokens.len() {
        match word(at) {
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        let begins = is_one_of(at, BEGINS) || depth == 0 && is_assignment(at);
        if !begins || 0 < depth {
            at += 1;
            continue;
        }
        let start = if is_assignment(at) { at + 2 } else { at + 1 };
        let is_end = |at: &usize| word(*at) == ";" || is_one_of(*at, ENDS) || is_one_of(*at, BEGINS);
        let end = (start..tokens.len()).find(is_end).unwrap_or(tokens.len());
        // A second assignment or an output in the text is a statement that is not understood.
        let is_clear = !(start..end).any(|at| is_assignment(at) || is_sign(text, tokens, at, "=>"));
        if is_clear {
            found.extend(names(text, tokens.get(start..end).unwrap_or_default()));
        }
        at = end.max(at + 1);
        at = if is_one_of(end, BEGINS) { end } else { at };
    }
    found
}

/// Returns the places of the names in the conditions of C that have no call and no assignment.
fn conditions(text: &str, tokens: &[Token]) -> Vec<Range<usize>> {
    let word = |at: usize| tokens.get(at).and_then(|token| text.get(token.place.clone())).unwrap_or_default();
    let mut found = Vec::new();
    for at in (0..tokens.len()).filter(|at| CONDITIONS_OF_C.contains(&word(*at)) && word(at + 1) == "(") {
        let mut depth = 0_usize;
        let end = (at + 1..tokens.len()).find(|at| {
            match word(*at) {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        let inside = tokens.get(at + 2..end.unwrap_or(at)).unwrap_or_default();
        let sign = |at: usize, sign: &str| is_sign(text, inside, at, sign);
        let inner = |at: usize| inside.get(at).and_then(|token| text.get(token.place.clone())).unwrap_or_default();
        let is_comparison = |at: usize| {
            ["==", "!=", "<=", ">="]
                .iter()
                .any(|comparison| sign(at, comparison) || at.checked_sub(1).is_some_and(|at| sign(at, comparison)))
        };
        let is_shift = |at: usize| at.checked_sub(2).is_some_and(|at| sign(at, "<<") || sign(at, ">>"));
        let writes = |at: usize| {
            let is_set = inner(at) == "=" && (!is_comparison(at) || is_shift(at));
            is_set || sign(at, "++") || sign(at, "--") || inside[at].is_word && inner(at + 1) == "(" || inner(at) == ";"
        };
        if !(0..inside.len()).any(writes) {
            found.extend(names(text, inside));
        }
    }
    found
}

/// Returns the places of the names in an expression that stand outside of the brackets of calls.
fn names(text: &str, tokens: &[Token]) -> Vec<Range<usize>> {
    let word = |at: usize| tokens.get(at).and_then(|token| text.get(token.place.clone())).unwrap_or_default();
    let is_operator = |at: usize| OPERATORS.iter().any(|operator| operator.eq_ignore_ascii_case(word(at)));
    let mut found = Vec::new();
    // Brackets around a token, with whether a call has them.
    let mut around: Vec<bool> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match word(at) {
            "(" => {
                let before = at.checked_sub(1);
                let is_call = before.is_some_and(|before| {
                    tokens.get(before).is_some_and(|token| token.is_word) && !is_operator(before)
                        || [")", "]", "^"].contains(&word(before))
                });
                around.push(is_call);
            }
            ")" => _ = around.pop(),
            _ => {}
        }
        let is_read = token.is_word && !is_operator(at) && word(at + 1) != "(" && !around.contains(&true);
        if is_read && !leads_to_call(text, tokens, at) {
            found.push(token.place.clone());
        }
    }
    found
}

/// Returns whether the path from a name on ends with a call: `a.b[1].c(…)`.
fn leads_to_call(text: &str, tokens: &[Token], from: usize) -> bool {
    let word = |at: usize| tokens.get(at).and_then(|token| text.get(token.place.clone())).unwrap_or_default();
    let (mut depth, mut at) = (0_usize, from + 1);
    while let Some(token) = tokens.get(at) {
        match word(at) {
            "[" => depth += 1,
            "]" => depth = depth.saturating_sub(1),
            "(" if depth == 0 => return true,
            "." | "^" => {}
            _ if 0 < depth => {}
            _ if token.is_word && word(at - 1) == "." => {}
            _ => return false,
        }
        at += 1;
    }
    false
}

/// Returns whether two tokens that touch each other are this sign.
fn is_sign(text: &str, tokens: &[Token], at: usize, sign: &str) -> bool {
    let (Some(first), Some(second)) = (tokens.get(at), tokens.get(at + 1)) else { return false };
    first.place.end == second.place.start && text.get(first.place.start..second.place.end) == Some(sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, text: &str, expected: &str) {
        let found = without_reads(name, text);
        let signs = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        assert_eq!(found.as_deref().map(signs), Some(signs(expected)), "{text}");
    }

    #[test]
    fn names_that_structured_text_only_reads() {
        let check = |text: &str, expected: &str| check("L/T/Main.st", text, expected);
        check("x := g;", "x := ;");
        check("x := g.a[i].b AND NOT (h OR k);", "x := . [ ]. AND NOT ( OR );");
        check("x := F(g, h) + g;", "x := F(g, h) + ;");
        check("x := ADR(g);", "x := ADR(g);");
        check("x := F((g) + a[i]);", "x := F((g) + a[i]);");
        check("IF g THEN h := k; ELSIF m > 1 THEN n(); END_IF", "IF THEN h := ; ELSIF > 1 THEN n(); END_IF");
        check("WHILE g DO F(h); END_WHILE", "WHILE DO F(h); END_WHILE");
        check("REPEAT a := b; UNTIL c END_REPEAT", "REPEAT a := ; UNTIL END_REPEAT");
        check("CASE g OF 1: h := k; END_CASE", "CASE OF 1: h := ; END_CASE");
        check("FOR i := a TO b BY c DO d := e; END_FOR", "FOR i := TO BY DO d := ; END_FOR");
        check("f(IN := g, PT := T#1s); x := f.Q;", "f(IN := g, PT := T#1s); x := .;");
        check("f(IN := g, Q => h);", "f(IN := g, Q => h);");
        check("x := f.m[1].n(g);", "x := f.m[1].n(g);");
        check("p ACCESS ADR(g); p := h;", "p ACCESS ADR(g); p := ;");
        check("x := a b := c;", "x := a b := c;");
        check("a[g] := h; a[F(k)] := m;", "a[g] := ; a[F(k)] := ;");
        check("x := g (* g *) + 'g'; // g := 1\n y := h;", "x := (* g *) + 'g'; // g := 1\n y := ;");
        check("X1; x := g", "X1; x :=");
        assert_eq!(without_reads("a.st", "x := g; (* no end"), None);
        check("x := 'it$'s'; y := g;", "x := 'it$'s'; y := ;");
        assert_eq!(without_reads("a.st", "x := g; (* (* *) *)"), None);
        assert_eq!(without_reads("a.st", "x := 'g;"), None);
        assert_eq!(without_reads("a.typ", "x := g;"), None);
    }

    #[test]
    fn names_that_code_in_c_only_reads() {
        let check = |text: &str, expected: &str| check("L/T/main.c", text, expected);
        check("if (g && !h.x) x = 1;", "if ( && ! . ) x = 1;");
        check("while (g->a[i] == 3) { k = 1; }", "while ( -> [ ] == 3) { k = 1; }");
        check("if (g >= 1 || h != 2 || (k << 1) <= m) ;", "if ( >= 1 || != 2 || ( << 1) <= ) ;");
        for text in ["if (g = 1) ;", "if (g++) ;", "if (--g) ;", "if (set(&g)) ;", "if (g <<= 1) ;", "if (a == (g += 1)) ;"] {
            check(text, text);
        }
        check("x = g; p = &h;", "x = g; p = &h;");
        check("if (g", "if (g");
        check("log(\"\\\"if (g)\"); if (g) ;", "log(\"\\\"if (g)\"); if ( ) ;");
        check("/* if (g) */ if (h) // g\n;", "/* if (g) */ if ( ) // g\n;");
    }
}
