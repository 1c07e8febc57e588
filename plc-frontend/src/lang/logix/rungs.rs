//! Neutral text of rungs: instructions in series, and branches `[ , ]` of any depth.

use std::ops::Range;

/// Part of a rung.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// An instruction with its operands.
    Instruction { name: String, operands: Vec<Range<usize>>, all: Range<usize> },
    /// Levels of a branch, from top to bottom.
    Branch(Vec<Vec<Part>>),
}

/// Deepest nesting of branches that is read.
const DEEPEST: u32 = 64;

/// Returns the parts of all rungs in a text; `None` if it is not neutral text.
pub(super) fn read(text: &str, range: Range<usize>) -> Option<Vec<Vec<Part>>> {
    let end = range.end;
    let mut reader = Reader { text: text.get(..end)?, at: range.start };
    let mut rungs = Vec::new();
    while reader.peek().is_some() {
        rungs.push(reader.series(0)?);
        reader.take(';').then_some(())?;
    }
    Some(rungs)
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    /// Returns the next character that is no white space.
    fn peek(&mut self) -> Option<char> {
        let rest = self.text.get(self.at..)?;
        let is_space = |c: char| c.is_whitespace() || c == crate::lang::xml::FILLER;
        let rest = rest.trim_start_matches(is_space);
        self.at = self.text.len() - rest.len();
        rest.chars().next()
    }

    fn take(&mut self, c: char) -> bool {
        let is_next = self.peek() == Some(c);
        self.at += if is_next { c.len_utf8() } else { 0 };
        is_next
    }

    fn series(&mut self, depth: u32) -> Option<Vec<Part>> {
        let mut parts = Vec::new();
        loop {
            match self.peek()? {
                ';' | ',' | ']' => return Some(parts),
                '[' if depth < DEEPEST => {
                    self.take('[');
                    let mut levels = vec![self.series(depth + 1)?];
                    while self.take(',') {
                        levels.push(self.series(depth + 1)?);
                    }
                    self.take(']').then_some(())?;
                    parts.push(Part::Branch(levels));
                }
                _ => parts.push(self.instruction()?),
            }
        }
    }

    fn instruction(&mut self) -> Option<Part> {
        let start = self.at;
        let rest = self.text.get(start..)?;
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
        let name = rest.get(..length).filter(|name| !name.is_empty())?.to_ascii_uppercase();
        self.at += length;
        self.take('(').then_some(())?;
        let mut operands = Vec::new();
        let (mut depth, mut first, mut in_text) = (0u32, self.at, false);
        let inside = self.text.get(self.at..)?;
        for (offset, c) in inside.char_indices() {
            let at = self.at + offset;
            match c {
                '\'' => in_text = !in_text,
                _ if in_text => {}
                '(' | '[' => depth += 1,
                ')' if depth == 0 => {
                    if !operands.is_empty() || !self.text.get(first..at)?.trim().is_empty() {
                        operands.push(first..at);
                    }
                    self.at = at + 1;
                    return Some(Part::Instruction { name, operands, all: start..at + 1 });
                }
                ')' | ']' => depth = depth.checked_sub(1)?,
                ',' if depth == 0 => {
                    operands.push(first..at);
                    first = at + 1;
                }
                _ => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(parts: &[Part], text: &str) -> String {
        let word = |part: &Part| match part {
            Part::Instruction { name, operands, .. } => {
                format!("{name}{:?}", operands.iter().filter_map(|o| text.get(o.clone())).collect::<Vec<_>>())
            }
            Part::Branch(levels) => {
                format!("<{}>", levels.iter().map(|level| words(level, text)).collect::<Vec<_>>().join("|"))
            }
        };
        parts.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn rungs_are_series_and_branches() {
        let check = |text: &str, expected: Option<&str>| {
            let rungs = read(text, 0..text.len());
            let found = rungs.map(|r| r.iter().map(|rung| words(rung, text)).collect::<Vec<_>>().join(" ; "));
            assert_eq!(found.as_deref(), expected, "{text}");
        };
        check("XIC(a)OTE(b);", Some(r#"XIC["a"] OTE["b"]"#));
        check("[XIC(a) ,XIO(b.1) ][OTE(c),NOP()];", Some(r#"<XIC["a"]|XIO["b.1"]> <OTE["c"]|NOP[]>"#));
        check("[XIC(a)[,XIC(b)],]OTE(c[i,2]);", Some(r#"<XIC["a"] <|XIC["b"]>|> OTE["c[i,2]"]"#));
        check("CMP((a+b)>f(1,2))OTE(x);MOV(1,y);", Some(r#"CMP["(a+b)>f(1,2)"] OTE["x"] ; MOV["1", "y"]"#));
        check("XIC(a", None);
        check("XIC(a)OTE(b)", None);
        check("[XIC(a);", None);
        check("XIC(a)];", None);
        check("?", None);
        check("", Some(""));
    }
}
