//! Texts of sentences, which hold no program.
//!
//! Soundness: a text in which anything may be a statement, a call, an instruction or a declaration is no prose.

use super::common::is_markup;

/// Shortest text with an unknown ending that is taken for prose, in words, and the fewest words of its lines.
const SHORTEST: usize = 20;
const FEWEST_OF_A_LINE: usize = 5;

/// Longest line that may be an instruction of a list, in words.
const LONGEST_INSTRUCTION: usize = 3;

/// Longest call in STL, in words: `CALL FB 1 , DB 2`.
const LONGEST_CALL: usize = 7;

/// Words that call a block.
const CALLS: &[&str] = &["call", "cal", "calc", "calcn", "uc", "cc"];

/// Operators of IL and STL, without the negation at their end.
const INSTRUCTIONS: &[&str] = &[
    "ld", "ldn", "ldi", "st", "stn", "s", "r", "l", "t", "u", "un", "a", "an", "and", "andn", "o", "on", "or", "orn", "x", "xn",
    "xor", "xorn", "not", "add", "sub", "mul", "div", "mod", "gt", "ge", "eq", "ne", "le", "lt", "jmp", "jmpc", "jmpcn", "cal",
    "calc", "calcn", "ret", "retc", "retcn", "call", "uc", "cc", "set", "clr", "spa", "spb", "spbn", "ju", "jc", "jcn", "inc",
    "dec", "mov", "let", "fp", "fn", "sd", "se", "ss", "sf", "sp", "zv", "zr", "bld", "nop", "be", "bea", "beb", "opn", "auf",
    "tar", "lar",
];

/// Words that begin declarations.
const DECLARATIONS: &[&str] = &[
    "program",
    "function",
    "function_block",
    "method",
    "property",
    "action",
    "type",
    "struct",
    "class",
    "interface",
    "namespace",
    "configuration",
    "resource",
    "task",
    "data_block",
    "organization_block",
    "network",
    "var",
];

/// Returns whether a text is words without anything that may be code.
pub(super) fn is_prose(text: &str) -> bool {
    let words = || text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let is_end = |word: &str| begins(word, "end_") || begins(word, "var_");
    let is_code = text.contains(":=") || is_markup(text) || words().any(is_end) || has_assignment(text) || has_call(text);
    !is_code && words().next().is_some() && !text.lines().any(may_be_instruction)
}

/// Returns whether a text is sentences that are long enough to be no program in any language.
pub(super) fn is_long_prose(text: &str) -> bool {
    let n_words = text.split_whitespace().count();
    let n_lines = text.lines().filter(|line| !line.trim().is_empty()).count();
    is_prose(text) && SHORTEST <= n_words && FEWEST_OF_A_LINE * n_lines <= n_words
}

fn begins(word: &str, start: &str) -> bool {
    word.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start))
}

/// Returns whether a text may assign, count, follow an address, or name one. Rulers (`=====`) and lines of them do not.
fn has_assignment(text: &str) -> bool {
    let is_ruler = |line: &str| line.trim().chars().all(|c| matches!(c, '=' | '-' | '*' | '+' | '_' | '#' | '~'));
    let has_sign = |line: &str| {
        let signs = ["=", "++", "--;", "^", "{", "}"];
        let may_be_address =
            |(at, _): (usize, &str)| line.get(at + 1..).is_some_and(|rest| rest.starts_with(char::is_alphabetic));
        signs.iter().any(|sign| line.contains(sign))
            || line.trim_end().ends_with(';')
            || line.match_indices('%').any(may_be_address)
    };
    text.lines().any(|line| !is_ruler(line) && has_sign(line))
}

/// Returns whether a name has a bracket directly behind it. Plurals (`file(s)`) do not count.
fn has_call(text: &str) -> bool {
    text.match_indices('(').any(|(at, _)| {
        let is_behind_name = text.get(..at).is_some_and(|before| before.ends_with(|c: char| c.is_alphanumeric() || c == '_'));
        let inside = text.get(at + 1..).and_then(|rest| rest.split_once(')')).map_or("", |(inside, _)| inside);
        is_behind_name && !matches!(inside, "s" | "es" | "n" | "en")
    })
}

/// Returns whether a line may be an instruction of a list, behind a label or without, or the head of a declaration.
fn may_be_instruction(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default().split("(*").next().unwrap_or_default().trim();
    let code = code.split_once(':').filter(|(label, _)| !label.trim().contains(' ')).map_or(code, |(_, code)| code.trim());
    let n_words = code.split_whitespace().count();
    let Some(first) = code.split_whitespace().next() else { return false };
    let first = first.trim_end_matches([';', '(']);
    let is = |known: &&str| known.eq_ignore_ascii_case(first);
    let is_sentence = code.ends_with('.');
    let is_call = n_words <= LONGEST_CALL && CALLS.iter().any(is);
    let is_instruction = n_words <= LONGEST_INSTRUCTION && INSTRUCTIONS.iter().chain(DECLARATIONS).any(is);
    !is_sentence && (is_call || is_instruction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_may_be_code_are_no_prose() {
        let check = |text: &str, expected: bool| assert_eq!(is_prose(text), expected, "{text}");
        check("Call John (service) before the start; see page 3.", true);
        check("Notes\n=====\nVersion 1.2: first line\n- the pump(s)", true);
        check("", false);
        check("LD a\nST n", false);
        check("The list\nof a part\n  STN g.n\n", false);
        check("M001: S M 0.0", false);
        check("Notes\nCALL FB 1 , DB 2\n", false);
        check("n = 5", false);
        check("Reset()", false);
        check("n++", false);
        check("Set n 5", false);
        check("The outputs are %QX0.0 and 50 % of the others", false);
        check("PROGRAM p", false);
        check("VAR_GLOBAL", false);
        check("see p^", false);
        check("a\tb;\n", false);
    }

    #[test]
    fn long_prose_has_long_lines() {
        let line = "This text tells in many words what the program is for.\n";
        assert!(is_long_prose(&line.repeat(3)) && !is_long_prose(line) && is_prose(line));
        assert!(!is_long_prose(&"one two\n".repeat(30)));
    }
}
