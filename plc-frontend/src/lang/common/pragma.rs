//! Pragmas: `{…}`. Most say something to an engineering system and nothing about the program.
//! `{stopwatch}` is ours; `{IF …} {ELSIF …} {ELSE} {END_IF}` choose which text is compiled.
//!
//! No name counts as defined: the branch for undefined names is read, and a warning names it.

use super::lexer::{Asides, Lexer};
use crate::text::{Diagnostic, Span, codes};

/// Conditional pragma.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Branch {
    /// `{IF condition}` with the value of the condition, `None` if it cannot be known.
    If(Option<bool>),
    /// `{ELSIF condition}`
    Elsif(Option<bool>),
    /// `{ELSE}`
    Else,
    /// `{END_IF}`
    End,
}

/// Returns the value that a pragma of Siemens gives to a name: `{ A := 'x'; B := 'y' }`.
pub(crate) fn value_of<'t>(words: &'t str, name: &str) -> Option<&'t str> {
    words.split(';').find_map(|part| {
        let (word, value) = part.split_once(":=")?;
        word.trim().eq_ignore_ascii_case(name).then(|| value.trim().trim_matches(['\'', '"']))
    })
}

impl Lexer<'_> {
    /// Skips a pragma, and the text that it excludes.
    pub(super) fn pragma(&mut self, asides: &mut Asides) {
        let start = self.pos;
        if self.c_code() {
            return asides.assertions.push_back(self.span(start));
        }
        let Some(words) = self.pragma_words() else {
            self.no_brace = true;
            self.pos += 1;
            let diagnostic =
                Diagnostic::error(codes::OPEN_PRAGMA, self.span(start), "this pragma has no end", "the pragma starts here");
            asides.findings.push(diagnostic.help("end it with `}`"));
            // The pragma most likely ends on this line; the next lines are program.
            self.take_while(|c| c != '\n' && c != '\r');
            return;
        };
        if words.eq_ignore_ascii_case("stopwatch") {
            self.stopwatch = true;
            return;
        }
        let named = first_word(words).len();
        asides.pragmas.extend((0 < named).then(|| self.span(start)));
        let Some(words) = self.text.get(start + 1..self.pos - 1).map(str::trim) else { return };
        if first_word(words).eq_ignore_ascii_case("define") {
            let message = "a name is defined for conditional compilation";
            let diagnostic = Diagnostic::error("P1030", self.span(start), message, "branches that ask for it are not read");
            asides.findings.push(diagnostic.help("upload the text that the controller runs, without {define …} and {IF …}"));
        } else if let Some(branch) = branch(words) {
            self.conditional(branch, start, asides);
        }
    }

    /// Skips `{{ … }}`, code in C of MATIEC, if it starts here. MATIEC copies what stands in single braces to C, too.
    fn c_code(&mut self) -> bool {
        let inside = self.rest().get(1..).and_then(|rest| rest.split_once('}')).map_or("", |(inside, _)| inside);
        if !self.no_brace && !self.rest().starts_with("{{") && is_c(inside) {
            self.pos += inside.len() + 2;
            return true;
        }
        if self.no_code || !self.rest().starts_with("{{") {
            return false;
        }
        let Some(length) = self.rest().find("}}") else {
            self.no_code = true;
            return false;
        };
        self.pos += length + 2;
        true
    }

    /// Reads the pragma that starts here and returns its words.
    fn pragma_words(&mut self) -> Option<&str> {
        if self.no_brace {
            return None;
        }
        let start = self.pos + 1;
        let length = self.rest().find('}')?;
        self.pos += length + 1;
        self.text.get(start..self.pos - 1).map(str::trim)
    }

    fn conditional(&mut self, branch: Branch, start: usize, asides: &mut Asides) {
        let place = self.span(start);
        match branch {
            Branch::If(value) => {
                let message = match value {
                    Some(true) => "the names of this condition are not defined: this branch is read",
                    Some(false) => "the names of this condition are not defined: this branch is not read",
                    None => "this condition cannot be evaluated: this branch is not read",
                };
                let diagnostic = Diagnostic::error("P1030", place, message, "this pragma chooses which text is compiled");
                asides.findings.push(diagnostic.warning().help("upload the text that the controller runs, without {IF …}"));
                if value != Some(true) {
                    self.excluded(place, true, asides);
                }
            }
            // The branch that was read ends here.
            Branch::Elsif(_) | Branch::Else => self.excluded(place, false, asides),
            Branch::End => {}
        }
    }

    /// Skips text up to the branch to read if one may follow, else up to `{END_IF}`.
    fn excluded(&mut self, opener: Span, may_follow: bool, asides: &mut Asides) {
        let mut inside = 0_usize;
        while !self.no_brace {
            let Some(ahead) = self.rest().find('{') else { break };
            self.pos += ahead;
            let Some(words) = self.pragma_words() else { break };
            match branch(words) {
                Some(Branch::If(_)) => inside += 1,
                Some(Branch::End) if inside == 0 => return,
                Some(Branch::End) => inside -= 1,
                Some(Branch::Else) if inside == 0 && may_follow => return,
                Some(Branch::Elsif(Some(true))) if inside == 0 && may_follow => return,
                Some(Branch::Else | Branch::Elsif(_)) | None => {}
            }
        }
        self.no_brace = true;
        self.pos = self.end;
        let diagnostic =
            Diagnostic::error(codes::OPEN_PRAGMA, opener, "this pragma has no {END_IF}", "excludes all text behind it");
        asides.findings.push(diagnostic.help("end the branches with `{END_IF}`"));
    }
}

/// Returns whether the text of a pragma is surely C: a declaration, a statement, or a macro of MATIEC.
fn is_c(words: &str) -> bool {
    let words = words.trim();
    // Pragmas have no semicolon, but for those of Siemens, which give values. Texts in them may have one.
    let code: String = words.split('\'').step_by(2).collect();
    let is_statement = code.contains(';') && !code.contains(":=") && !first_word(words).eq_ignore_ascii_case("attribute");
    is_statement || words.starts_with("extern ") || words.contains("__SET_VAR(") || words.contains("__GET_VAR(")
}

fn first_word(words: &str) -> &str {
    words.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("")
}

fn branch(words: &str) -> Option<Branch> {
    let first = first_word(words);
    let condition = || undefined(words.get(first.len()..).unwrap_or(""));
    Some(match first.to_ascii_uppercase().as_str() {
        "IF" => Branch::If(condition()),
        "ELSIF" => Branch::Elsif(condition()),
        "ELSE" => Branch::Else,
        "END_IF" | "ENDIF" => Branch::End,
        _ => return None,
    })
}

/// Returns whether a pragma chooses which text is compiled, by its words.
pub(crate) fn chooses_text(words: &str) -> bool {
    matches!(branch(words), Some(Branch::If(_) | Branch::Elsif(_)))
}

/// Returns the value of a condition in which no name is defined: `defined (a) AND NOT hasvalue (b, '1')`.
fn undefined(condition: &str) -> Option<bool> {
    /// Longer conditions are not evaluated.
    const LONGEST: usize = 1000;
    if LONGEST < condition.len() {
        return None;
    }
    let mut rest = condition.trim();
    let value = any(&mut rest, 0)?;
    rest.is_empty().then_some(value)
}

fn any(rest: &mut &str, depth: usize) -> Option<bool> {
    let mut value = all(rest, depth)?;
    while eat_word(rest, "OR") {
        value |= all(rest, depth)?;
    }
    Some(value)
}

fn all(rest: &mut &str, depth: usize) -> Option<bool> {
    let mut value = not(rest, depth)?;
    while eat_word(rest, "AND") {
        value &= not(rest, depth)?;
    }
    Some(value)
}

fn not(rest: &mut &str, depth: usize) -> Option<bool> {
    /// Deeper conditions are not evaluated.
    const DEEPEST: usize = 20;
    let mut negated = false;
    while eat_word(rest, "NOT") {
        negated = !negated;
    }
    if let Some(inner) = rest.strip_prefix('(') {
        *rest = inner.trim_start();
        let value = if depth < DEEPEST { any(rest, depth + 1)? } else { return None };
        *rest = rest.strip_prefix(')')?.trim_start();
        return Some(value != negated);
    }
    // No name is defined: `defined (name)` is FALSE. For objects of the program (`defined (variable: x)`) the answer is not
    // known.
    if !eat_word(rest, "defined") {
        return None;
    }
    let (name, behind) = rest.strip_prefix('(')?.split_once(')')?;
    if name.contains(':') {
        return None;
    }
    *rest = behind.trim_start();
    Some(negated)
}

/// Eats `word`, in any case.
fn eat_word(rest: &mut &str, word: &str) -> bool {
    let first = first_word(rest);
    let found = first.eq_ignore_ascii_case(word);
    if found {
        *rest = rest.get(first.len()..).unwrap_or("").trim_start();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Severity;

    #[test]
    fn conditions_without_definitions() {
        let check = |condition: &str, expected: Option<bool>| assert_eq!(undefined(condition), expected, "{condition}");
        check("defined (x)", Some(false));
        check("DEFINED(x)", Some(false));
        check("NOT defined (x)", Some(true));
        check("not (defined(a) or not defined(b)) or defined (c)", Some(false));
        check("defined(a) AND x", None);
        check("defined (a) defined (b)", None);
        check("defined (variable: x)", None);
        check("hasattribute (pou: p, 'a')", None);
        check("", None);
        check("(defined(a)", None);
        check(&"(".repeat(900), None);
        check(&"NOT ".repeat(10_000), None);
    }

    /// Checks the words that are read, and the codes of errors.
    #[track_caller]
    fn check(text: &str, expected: &str, errors: &[&str]) {
        let mut lexer = Lexer::new(crate::text::FileId(0), text, 0, text.len());
        let mut asides = Asides::default();
        let mut words = Vec::new();
        loop {
            let token = lexer.next(&mut asides);
            if token.start == token.end {
                break;
            }
            words.push(&text[token.start as usize..token.end as usize]);
        }
        assert_eq!(words.join(" "), expected, "{text}");
        let found = asides.findings.finish(crate::text::FileId(0), text);
        let found: Vec<&str> = found.iter().filter(|d| d.severity == Severity::Error).map(|d| d.code).collect();
        assert_eq!(found, errors, "{text}");
    }

    #[test]
    fn the_branch_of_undefined_names_is_read() {
        check("a {IF defined(x)} b {ELSE} c {END_IF} d", "a c d", &[]);
        check("a {IF NOT defined(x)} b {ELSE} c {END_IF} d", "a b d", &[]);
        check("a {if defined(x)} b {endif} d", "a d", &[]);
        check("{IF defined(x)} b {ELSIF NOT defined(y)} c {ELSIF NOT defined(z)} d {ELSE} e {END_IF} f", "c f", &[]);
        check("{IF defined(x)} {IF defined(y)} a {ELSE} b {END_IF} c {ELSE} d {END_IF} e", "d e", &[]);
        check("{IF NOT defined(x)} a {IF defined(y)} b {ELSE} c {END_IF} d {ELSE} e {END_IF} f", "a c d f", &[]);
        check("{IF hasattribute(pou: p, 'x')} a {ELSE} b {END_IF}", "b", &[]);
        check("{attribute 'x'} a {region} b", "a b", &[]);
    }

    #[test]
    fn branches_that_cannot_be_chosen_are_errors() {
        check("a {IF defined(x)} b", "a", &["P1003"]);
        check("a {ELSE} b", "a", &["P1003"]);
        check("{define x} a", "a", &["P1030"]);
        check("a { b\n c", "a c", &["P1003"]);
        check("{IF defined(x)} { b\n c", "", &["P1003"]);
    }
}
