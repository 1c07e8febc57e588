//! All diagnostic codes: what each means and what to do, for reference pages and `--explain`.

/// Code, title, what to do. Codes are stable and never reused.
pub const CODES: &[(&str, &str, &str)] = &[
    // P0xxx: text.
    (
        "P0001",
        "The file is not UTF-8",
        "It was read as Windows-1252 or damaged UTF-16. Check names and comments with special characters, or save the file as UTF-8.",
    ),
    ("P0002", "The file is not text", "Export the program as text from the engineering system; project archives cannot be read."),
    (
        "P0003",
        "The file contains no program",
        "Upload the source that holds a PROGRAM, FUNCTION_BLOCK, FUNCTION, TYPE or VAR_GLOBAL.",
    ),
    ("P0004", "The file's language is unknown", "Export the program in one of the languages that the message names."),
    ("P0005", "The file is too large", "Upload the sources of the program only."),
    // P1xxx: syntax.
    ("P1001", "A character has no meaning", "Remove it; type plain quotes and dashes."),
    ("P1002", "A comment has no end", "End it with `*)` or `*/`; comments nest."),
    ("P1003", "A pragma has no end", "End it with `}`."),
    ("P1004", "A string has no end", "End it on the same line; a quote inside is written `$'`."),
    ("P1005", "A literal is malformed", "Write numbers as 10, 16#FF or 1.5E3, durations as T#1h30m."),
    ("P1006", "An address is malformed", "Write it as %IX0.3, %QW4 or %I*."),
    ("P1010", "Something else was expected", "The message names what was expected and what was found."),
    ("P1011", "A semicolon is missing", "End each statement and each declaration with `;`."),
    ("P1012", "A bracket has no partner", "Add the missing bracket or remove the superfluous one."),
    ("P1013", "THEN, DO or OF is missing", "Write IF … THEN, WHILE … DO, FOR … DO, CASE … OF, ARRAY […] OF."),
    ("P1014", "An end is missing", "Write END_IF, END_VAR, END_PROGRAM … where the construct ends."),
    ("P1015", "An end belongs to nothing", "Remove it, or add the start of what it ends."),
    ("P1016", "`=` stands where `:=` is meant", "Write `:=` to assign; `=` compares."),
    ("P1017", "`:=` stands in a condition", "Write `=` to compare; `:=` assigns."),
    ("P1018", "A word or operator of another language", "Write the one of Structured Text that the message names."),
    ("P1019", "ELSE IF instead of ELSIF", "Write ELSIF, or end the inner IF with its own END_IF."),
    ("P1020", "The program is nested too deeply", "Split long expressions; move inner statements into a function block."),
    ("P1021", "There are more errors than shown", "Mend the first ones; often they cause the others."),
    (
        "P1022",
        "Something stands outside of any program",
        "Put statements and variables into PROGRAM, FUNCTION_BLOCK or FUNCTION.",
    ),
    ("P1023", "A declaration follows statements", "Move declaration sections before the first statement."),
    ("P1024", "An assertion is misplaced", "Write //#ASSERT on a line of its own between statements."),
    ("P1025", "`-->` stands in a program", "Write NOT a OR b; `-->` is for assertions and requirements."),
    ("P1026", "A sign before a power is ambiguous", "Write -(a ** b) or (-a) ** b."),
    ("P1027", "A declaration is too large", "Declare the type in a TYPE block and use its name."),
    ("P1028", "A keyword is used as a name", "Choose another name."),
    ("P1029", "The wrong end", "Each construct has its own end: IF END_IF, FOR END_FOR, PROGRAM END_PROGRAM."),
    ("P1030", "Conditional compilation", "Upload the text that the controller runs, without {IF …} pragmas."),
    ("P1031", "A part of a call's result", "Assign the result to a variable and select the part from it."),
    ("P1032", "An output needs a variable", "Name a variable behind `=>`."),
    ("P1033", "A name alone is no statement", "Assign it with `:=` or call it with `(…)`."),
    ("P1034", "A name is too long", "Choose a shorter name."),
    // P2xxx: names.
];

/// Title and remedy of a code.
pub fn explain(code: &str) -> Option<(&'static str, &'static str)> {
    CODES.iter().find(|(c, _, _)| *c == code).map(|(_, title, remedy)| (*title, *remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_sorted() {
        for pair in CODES.windows(2) {
            assert!(pair[0].0 < pair[1].0, "{} before {}", pair[0].0, pair[1].0);
        }
        for (code, title, remedy) in CODES {
            assert!(code.len() == 5 && code.starts_with('P') && code[1..].bytes().all(|b| b.is_ascii_digit()), "{code}");
            assert!(!title.ends_with('.') && remedy.ends_with('.'), "{code}");
            assert_eq!(explain(code), Some((*title, *remedy)));
        }
        assert_eq!(explain("P9999"), None);
    }
}
