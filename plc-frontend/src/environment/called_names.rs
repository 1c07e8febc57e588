//! Names that a text calls or declares, in texts that are not read as a whole.

use std::collections::BTreeSet;

use crate::lang::{is_keyword, is_markup};
use crate::text::{Key, key};

/// Names in a text of Structured Text, C or XML.
#[derive(Debug, Default)]
pub(super) struct CalledNames {
    /// Beginnings of paths with a bracket behind them, and names of types behind a colon, with their places.
    pub(super) called: Vec<(String, usize)>,
    /// Last names of paths with a bracket behind them.
    pub(super) members: Vec<(String, usize)>,
    /// Names behind a point.
    pub(super) parts: BTreeSet<Key>,
    /// Names that the text declares.
    pub(super) declared: BTreeSet<Key>,
    /// Text without comments and strings.
    pub(super) code: String,
}

/// Words in front of a name that a text declares.
const DECLARING: &[&str] =
    &["FUNCTION", "FUNCTION_BLOCK", "PROGRAM", "ACTION", "METHOD", "PROPERTY", "TYPE", "CLASS", "INTERFACE", "NAMESPACE"];
/// Words that stand in front of a bracket or behind a colon and name no block.
const OTHERS: &[&str] = &[
    "switch",
    "sizeof",
    "return",
    "if",
    "for",
    "while",
    "ADR",
    "SIZEOF",
    "REFERENCE",
    "POINTER",
    "ACCESS",
    "THIS",
    "SUPER",
    "STRING",
    "WSTRING",
];

/// Words of C that stand in front of a call.
const BEFORE_CALLS: &[&str] = &["return", "else", "do", "case", "goto", "sizeof"];

/// Words of C that stand in front of a bracket in declarations.
const TYPES_OF_C: &[&str] = &["void", "char", "short", "int", "long", "float", "double", "signed", "unsigned"];
/// Directive of C in front of the name of a macro.
const MACRO: &str = "define";
/// Longest list of parameters of a function of C that is looked at, in bytes.
const LONGEST_PARAMETERS: usize = 4096;
/// Longest type in front of a function of C, in bytes.
const LONGEST_TYPE: usize = 256;

impl CalledNames {
    /// Reads a text.
    ///
    /// Soundness: a word in front of a bracket counts as called, also in a declaration. A name counts as declared only where a
    /// declaration has it. In C, a definition has its type in front of it and a body behind it: `int twice(int a) {`.
    pub(super) fn of(text: &str, is_c: bool) -> CalledNames {
        let code = without_asides(text, is_c);
        let mut found = CalledNames::default();
        // Beginning of the path that the next word goes on.
        let mut root: Option<(String, usize)> = None;
        let (mut before, mut last_end, mut in_section) = (String::new(), 0, false);
        for (at, word) in words(&code) {
            let gap = code.get(last_end..at).unwrap_or_default().trim();
            let behind =
                code.get(at + word.len()..).unwrap_or_default().trim_start_matches(|c: char| c.is_whitespace() || c == '"');
            let is_part = matches!(gap.trim_matches('"'), "." | "->" | "^." | "::");
            let first = match root.take() {
                Some(first) if is_part => first,
                Some(_) | None => (word.to_owned(), at),
            };
            let upper = word.to_ascii_uppercase();
            in_section = (in_section || upper.starts_with("VAR") || upper == "STRUCT") && !upper.starts_with("END_");
            if is_part {
                found.parts.insert(key(word));
            }
            let is_type_of_c = is_c && TYPES_OF_C.contains(&word);
            let is_name = !is_keyword(word)
                && !is_type_of_c
                && !OTHERS.iter().any(|other| other.eq_ignore_ascii_case(word))
                && !word.starts_with(|c: char| c.is_ascii_digit());
            let is_type =
                gap.ends_with(':') && !is_part || ["TO", "OF"].iter().any(|word| before.eq_ignore_ascii_case(word)) && in_section;
            // A prototype of C neither calls nor declares: no statement is known.
            let is_heading = is_c && behind.starts_with('(') && is_heading(code.get(..at).unwrap_or_default());
            let is_definition = is_heading && has_body(behind) || is_c && before == MACRO && gap.is_empty();
            let is_declared = is_definition
                || DECLARING.iter().any(|word| before.eq_ignore_ascii_case(word)) && gap.is_empty()
                || (in_section && (behind.starts_with(',') || behind.starts_with(':') || starts_with_at(behind)) && !is_part);
            if is_name && is_declared && !is_type {
                found.declared.insert(key(word));
            } else if is_name && !is_heading && (behind.starts_with('(') || (is_type && in_section)) {
                found.called.push(first.clone());
                found.members.push((word.to_owned(), at));
            }
            (before, last_end) = (word.to_owned(), at + word.len());
            root = Some(first);
        }
        found.code = code;
        found
    }
}

/// Returns whether a text of C ends with the type of a function: words and stars since the last statement or directive.
fn is_heading(text: &str) -> bool {
    let from = (text.len().saturating_sub(LONGEST_TYPE)..=text.len()).find(|at| text.is_char_boundary(*at));
    let near = from.and_then(|from| text.get(from..)).unwrap_or_default();
    let rest = near.rsplit([';', '{', '}']).next().unwrap_or_default();
    let rest =
        rest.rfind('#').map_or(rest, |at| rest.get(at..).and_then(|line| line.split_once('\n')).map_or("#", |(_, rest)| rest));
    let is_type = rest.chars().all(|c| c.is_alphanumeric() || c.is_whitespace() || matches!(c, '_' | '*'));
    let mut words = rest.split(|c: char| c.is_whitespace() || c == '*').filter(|word| !word.is_empty()).peekable();
    is_type && words.peek().is_some() && !words.any(|word| BEFORE_CALLS.contains(&word))
}

/// Returns whether the body of a function of C stands behind the parameters at the beginning of a text.
fn has_body(text: &str) -> bool {
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate().take(LONGEST_PARAMETERS) {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => return text.get(at + 1..).is_some_and(|rest| rest.trim_start().starts_with('{')),
            b')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => return false,
            _ => {}
        }
    }
    false
}

fn starts_with_at(text: &str) -> bool {
    text.get(..2).is_some_and(|word| word.eq_ignore_ascii_case("AT"))
        && text.get(2..).is_some_and(|rest| rest.starts_with(|c: char| c.is_whitespace() || c == '%'))
}

fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    words.map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

/// Begins and ends of what is left out of a text, with the sign that takes the meaning from an end.
type Aside = (&'static str, &'static str, Option<char>);

/// Comments and strings of Structured Text. Names and longer strings in double quotes stay.
const OF_TEXT: &[Aside] = &[("(*", "*)", None), ("/*", "*/", None), ("//", "\n", None), ("'", "'", Some('$'))];
/// The same of C, where `(*` begins no comment.
const OF_C: &[Aside] = &[("/*", "*/", None), ("//", "\n", None), ("'", "'", Some('\\')), ("\"", "\"", Some('\\'))];

/// Returns a text of the same length with blanks for comments and strings; XML has neither.
pub(crate) fn without_asides(text: &str, is_c: bool) -> String {
    if is_markup(text) {
        return text.to_owned();
    }
    let asides = if is_c { OF_C } else { OF_TEXT };
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let aside = asides.iter().find(|(open, ..)| rest.starts_with(open));
        let quoted =
            || if c == '"' { rest.get(1..).and_then(|inside| inside.find(['"', '\n'])).map(|end| end + 2) } else { None };
        let length = match aside {
            Some((open, close, escape)) => {
                let inside = rest.get(open.len()..).unwrap_or_default();
                end_of(inside, close, *escape).map_or(rest.len(), |end| open.len() + end)
            }
            None => quoted().unwrap_or(c.len_utf8()),
        };
        let (piece, behind) = rest.split_at(length);
        match aside {
            Some(_) => code.extend(piece.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' })),
            None => code.push_str(piece),
        }
        rest = behind;
    }
    code
}

/// Returns whether a text of C closes what it opens, and ends behind a statement, a body or a directive.
///
/// Soundness: a file that is cut between two functions is whole in itself.
pub(crate) fn is_whole_c(text: &str) -> bool {
    let is_open = text.rsplit_once("/*").is_some_and(|(_, comment)| !comment.contains("*/"));
    let code = without_asides(text, true);
    let end = code.trim_end();
    let has_directive = || end.rsplit('\n').next().is_some_and(|line| line.trim_start().starts_with('#'));
    let is_ended = end.is_empty() || end.ends_with([';', '}']) || has_directive();
    !is_open && is_ended && code.matches('{').count() == code.matches('}').count()
}

/// Returns the length of a text up to the end of an aside, with the end.
fn end_of(text: &str, close: &str, escape: Option<char>) -> Option<usize> {
    let Some(escape) = escape else { return text.find(close).map(|end| end + close.len()) };
    let mut is_escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let ends = !is_escaped && text.get(at..).is_some_and(|rest| rest.starts_with(close));
        is_escaped = !is_escaped && c == escape;
        ends.then_some(at + close.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_c_that_are_cut() {
        let check = |text: &str, expected: bool| assert_eq!(is_whole_c(text), expected, "{text}");
        for text in ["", "/* a */", "int f(int i) { return i; }", "int f(int i);\n#endif /* A_H */\n", "char c = '{';"] {
            check(text, true);
        }
        for text in ["int f(int i) { return i;", "int f(int i);\nint", "int a; /* g = 1;", "char *s = \"a; }"] {
            check(text, false);
        }
    }

    #[test]
    fn calls_types_and_declarations() {
        let check = |text: &str, called: &str, declared: &str| {
            let found = CalledNames::of(text, false);
            let names = found.called.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(" ");
            let own = found.declared.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
            assert_eq!((names.as_str(), own.as_str()), (called, declared), "{text}");
        };
        check("F(1); IF (a) THEN b.M (2); END_IF; x := G.H.I(3);", "F b G", "");
        check("VAR\n a, b : T; c AT %MX0.0 : BOOL; p : POINTER TO S; r : ARRAY [0..1] OF U;\nEND_VAR", "T BOOL S U", "a b c p r");
        check("VAR\n s : STRING[80]; t : STRING(5); w : ARRAY [0..1] OF WSTRING[M];\nEND_VAR", "", "s t w");
        check("FUNCTION F : INT\nCASE x OF 1: G(); END_CASE", "G", "f");
        check("(* F() *) x := 'ü F()'; // F()\ny := F2();", "F2", "");
        check("s := \"don't\"; F(); t := 'it$'s'; G(); // don't", "F G", "");
        check("if (a) { memset(&b, 0, sizeof(b)); }", "memset", "");
        let found = CalledNames::of("int twice(int a) { return other(a); }", true);
        assert_eq!(found.called.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["other"]);
        assert!(found.declared.contains(&key("twice")));
        let in_c = |text: &str| {
            let found = CalledNames::of(text, true);
            let called = found.called.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(" ");
            (called, found.declared.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
        };
        let check =
            |text: &str, called: &str, declared: &str| assert_eq!(in_c(text), (called.to_owned(), declared.to_owned()), "{text}");
        check("x = (*p).n; hide(); y = \"don't\"; more(); z = '\\''; last(); w = (*q).n;", "hide more last", "");
        check("void hide(void); void _CYCLIC Main(void) { hide(); }", "hide", "main");
        check(
            "#include <a.h>\nunsigned long *hide(void);\nint f(void) { x = a * f(1); if (x) g(2); else h(3); return k(4); }",
            "f g h k",
            "f",
        );
        check("void hide(int (*f)(void), int n)\n{ }", "", "hide");
        check("short *find(int n) { return &a[n]; }", "", "find");
        check("#define SET(x) y = x", "", "set");
    }
}
