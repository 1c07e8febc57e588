//! Source text for people: ST split into coloured pieces, with the lines that can execute.
//!
//! Lexical only, and only for reading: it knows no grammar, and no verdict depends on it.

use plc_frontend::lang::common::token::{Spelling, spelling};

/// Kind of a piece of source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// IF, THEN, VAR …
    Keyword,
    /// `// …`, `(* … *)`, `/* … */`
    Comment,
    /// `'…'`, `"…"`
    Text,
    /// `42`, `T#100ms`, `TRUE`
    Literal,
    /// Names, operators and spaces.
    Plain,
}

impl Piece {
    /// Returns the class in the style sheet.
    pub fn class(self) -> &'static str {
        match self {
            Piece::Keyword => "kw",
            Piece::Comment => "com",
            Piece::Text => "str",
            Piece::Literal => "lit",
            Piece::Plain => "",
        }
    }
}

/// A line of source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its pieces; together they are the line.
    pub pieces: Vec<(Piece, String)>,
    /// A statement, or the condition of one, stands here.
    pub executable: bool,
}

/// Keywords beside those of the lexer: words that may also be names.
const SOFT_KEYWORDS: &[&str] = &["ABSTRACT", "ACTION", "CLASS", "CONFIGURATION", "EXTENDS", "METHOD", "RESOURCE", "TASK", "WITH"];

/// Keywords that stand at the head of something that executes.
const EXECUTES: &[&str] = &["CASE", "CONTINUE", "ELSIF", "EXIT", "FOR", "IF", "REPEAT", "RETURN", "UNTIL", "WHILE"];

/// Splits a source into lines and pieces. A line break at the end begins no line.
pub fn lines(text: &str) -> Vec<Line> {
    let mut scan = Scan::default();
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.split('\n').map(|line| scan.line(line.strip_suffix('\r').unwrap_or(line))).collect()
}

/// State of the scan between two lines.
#[derive(Default)]
struct Scan {
    /// The end of the comment that is open.
    comment: Option<&'static str>,
    /// In a declaration: nothing executes until its END_.
    declaration: Option<String>,
    /// In the body of a POU.
    in_pou: bool,
}

impl Scan {
    fn line(&mut self, line: &str) -> Line {
        let mut pieces: Vec<(Piece, String)> = Vec::new();
        let mut rest = line;
        while !rest.is_empty() {
            let (piece, length) = self.piece(rest);
            let (head, tail) = rest.split_at(length);
            match pieces.last_mut() {
                Some((last, text)) if *last == piece && piece != Piece::Keyword => text.push_str(head),
                _ => pieces.push((piece, head.to_string())),
            }
            rest = tail;
        }
        let executable = self.executes(&pieces);
        Line { pieces, executable }
    }

    /// Returns the piece at the start of `rest`, which is not empty, and its length, which is not 0.
    fn piece(&mut self, rest: &str) -> (Piece, usize) {
        if let Some(end) = self.comment {
            return match rest.find(end) {
                Some(at) => {
                    self.comment = None;
                    (Piece::Comment, at + end.len())
                }
                None => (Piece::Comment, rest.len()),
            };
        }
        for (start, end) in [("(*", "*)"), ("/*", "*/")] {
            if rest.starts_with(start) {
                return match rest[2..].find(end) {
                    Some(at) => (Piece::Comment, at + 4),
                    None => {
                        self.comment = Some(end);
                        (Piece::Comment, rest.len())
                    }
                };
            }
        }
        if rest.starts_with("//") {
            return (Piece::Comment, rest.len());
        }
        let first = rest.chars().next().unwrap_or(' ');
        if first == '\'' || first == '"' {
            let end = rest[1..].find(first).map_or(rest.len(), |at| at + 2);
            return (Piece::Text, end);
        }
        let word_length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '#' || c == '.')).unwrap_or(rest.len());
        match rest[..word_length].chars().next() {
            None => (Piece::Plain, first.len_utf8()),
            Some(c) if c.is_ascii_digit() => (Piece::Literal, word_length),
            Some(_) => {
                let word = rest[..word_length].to_ascii_uppercase();
                if word == "TRUE" || word == "FALSE" || word.contains('#') {
                    (Piece::Literal, word_length)
                } else if matches!(spelling(&word), Spelling::Keyword(_)) || SOFT_KEYWORDS.contains(&word.as_str()) {
                    (Piece::Keyword, word_length)
                } else {
                    (Piece::Plain, word_length)
                }
            }
        }
    }

    fn executes(&mut self, pieces: &[(Piece, String)]) -> bool {
        let mut executable = false;
        let mut header = false;
        let mut other = String::new();
        for (piece, text) in pieces {
            let word = text.to_ascii_uppercase();
            match piece {
                Piece::Comment => {}
                Piece::Keyword if self.declaration.as_deref() == Some(word.as_str()) => self.declaration = None,
                Piece::Keyword if self.declaration.is_some() => {}
                Piece::Keyword if word == "VAR" || word.starts_with("VAR_") => self.declaration = Some("END_VAR".into()),
                Piece::Keyword if ["TYPE", "CONFIGURATION"].contains(&word.as_str()) => {
                    self.declaration = Some(format!("END_{word}"))
                }
                Piece::Keyword if ["PROGRAM", "FUNCTION", "FUNCTION_BLOCK", "METHOD", "ACTION"].contains(&word.as_str()) => {
                    (self.in_pou, header) = (true, true);
                }
                Piece::Keyword if ["END_PROGRAM", "END_FUNCTION", "END_FUNCTION_BLOCK"].contains(&word.as_str()) => {
                    self.in_pou = false
                }
                Piece::Keyword => executable |= EXECUTES.contains(&word.as_str()),
                Piece::Text | Piece::Literal | Piece::Plain if self.declaration.is_none() && !header => other.push_str(&word),
                Piece::Text | Piece::Literal | Piece::Plain => {}
            }
        }
        let other = other.trim();
        // `10:` and `Idle, Stopped:` are labels of CASE.
        let label = other.ends_with(':');
        let speaks = other.contains(|c: char| c.is_alphanumeric());
        self.in_pou && (executable || (speaks && !label))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> Vec<String> {
        let tag = |(piece, text): &(Piece, String)| match piece {
            Piece::Plain => text.clone(),
            Piece::Keyword | Piece::Comment | Piece::Text | Piece::Literal => format!("<{} {text}>", piece.class()),
        };
        lines(text).iter().map(|l| l.pieces.iter().map(tag).collect()).collect()
    }

    #[test]
    fn keywords_are_those_of_the_lexer_and_some_more() {
        assert_eq!(show("end_var Task Tasks"), ["<kw end_var> <kw Task> Tasks"]);
        assert!(SOFT_KEYWORDS.is_sorted());
    }

    #[test]
    fn pieces_are_told_apart() {
        let check = |text: &str, expected: &[&str]| assert_eq!(show(text), expected, "{text}");
        check("IF a THEN b := T#1s; END_IF;", &["<kw IF> a <kw THEN> b := <lit T#1s>; <kw END_IF>;"]);
        check("x(* a\nb *)y // c", &["x<com (* a>", "<com b *)>y <com // c>"]);
        check("s := 'it''s'; w := \"q", &["s := <str 'it''s'>; w := <str \"q>"]);
        check("a := 16#FF + 1.5 OR true;\r\n", &["a := <lit 16#FF> + <lit 1.5> <kw OR> <lit true>;"]);
        check("ü := '(*'; (*)*) z", &["ü := <str '(*'>; <com (*)*)> z"]);
    }

    #[test]
    fn only_statements_can_execute() {
        let text = "\
TYPE State : (Idle, Run); END_TYPE
PROGRAM Main
VAR_INPUT a : BOOL; END_VAR
VAR
  b : INT := 3; (* never *)
END_VAR
// comment
IF a THEN      // yes
  b := 1;      // yes
ELSIF b = 2    // yes
THEN
ELSE
END_IF;
CASE b OF      // yes
  1, 2:
  3: b := 4;   // yes
END_CASE;
RETURN;        // yes
;
END_PROGRAM
x := 1;";
        for (n, (line, source)) in lines(text).iter().zip(text.lines()).enumerate() {
            assert_eq!(line.executable, source.contains("// yes"), "line {}: {source}", n + 1);
        }
    }

    proptest::proptest! {
        #[test]
        fn nothing_is_lost(text in "([ -~\n]|\\PC|\\(\\*|\\*\\)|'|END_VAR|VAR|PROGRAM){0,80}") {
            let joined: Vec<String> = lines(&text).into_iter().map(|l| l.pieces.into_iter().map(|(_, t)| t).collect()).collect();
            let expected: Vec<&str> = text.strip_suffix('\n').unwrap_or(&text).split('\n').map(|l| l.strip_suffix('\r').unwrap_or(l)).collect();
            proptest::prop_assert_eq!(joined, expected);
        }
    }
}
