//! Whole text of a declaration. In files of XML and L5K the place of a declaration is its first tag or line, which says little of it.

use super::{SourceSet, Span};

/// Marks of parts of XML in which `<` begins no tag.
const ASIDES: &[(&str, &str)] = &[("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">")];

impl SourceSet {
    /// Returns the text of a declaration: of XML the whole element that begins there, of L5K up to its last line.
    ///
    /// Soundness: equal texts are equal declarations. Where the end is not found, the rest of the file counts.
    pub(crate) fn declaration(&self, span: Span) -> &str {
        let span = self.whole_characters(span);
        let Some(file) = self.files.get(span.file) else { return "" };
        let (text, start, end) = (file.text.as_str(), span.start as usize, span.end as usize);
        let (Some(here), Some(rest)) = (text.get(start..end), text.get(start..)) else { return "" };
        let end = match here.starts_with('<') {
            true => end_of_element(rest),
            false if file.name.to_ascii_lowercase().ends_with(".l5k") => end_of_component(rest),
            false => return here,
        };
        end.and_then(|end| rest.get(..end.max(here.len()))).unwrap_or(rest)
    }

    /// Returns the text of a declaration with the pragmas directly in front of it.
    pub(crate) fn declaration_with_pragmas(&self, span: Span) -> &str {
        let own = self.declaration(span);
        let start = self.whole_characters(span).start as usize;
        let Some(text) = self.files.get(span.file).map(|file| file.text.as_str()) else { return own };
        let mut from = start;
        // The place of a type begins with its name.
        let before = text.get(..start).map(str::trim_end).unwrap_or_default();
        if before.get(before.len().saturating_sub(4)..).is_some_and(|word| word.eq_ignore_ascii_case("TYPE")) {
            from = before.len() - 4;
        }
        while let Some(before) = text.get(..from).map(str::trim_end).filter(|before| before.ends_with('}')) {
            let Some(open) = before.rfind('{') else { break };
            from = open;
        }
        text.get(from..start + own.len()).unwrap_or(own)
    }
}

/// Returns the length of the element at the beginning of a text.
fn end_of_element(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    loop {
        at += text.get(at..)?.find('<')?;
        let rest = text.get(at..)?;
        if let Some((_, end)) = ASIDES.iter().find(|(start, _)| rest.starts_with(start)) {
            at += rest.find(end)? + end.len();
            continue;
        }
        let length = tag(rest)?;
        let tag = rest.get(..length)?;
        at += length;
        if tag.starts_with("</") {
            depth = depth.checked_sub(1)?;
        } else if !tag.ends_with("/>") {
            depth += 1;
        }
        if depth == 0 {
            return Some(at);
        }
    }
}

/// Returns the length of a tag. A `>` in quotes does not end it.
fn tag(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '>') => return Some(at + 1),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            (None | Some(_), _) => {}
        }
    }
    None
}

/// Returns the length of a component of L5K: `DATATYPE … END_DATATYPE`.
fn end_of_component(text: &str) -> Option<usize> {
    let word = text.split(|c: char| !c.is_alphanumeric() && c != '_').next().filter(|word| !word.is_empty())?;
    let end = format!("END_{word}");
    let found = text.match_indices(&end).map(|(at, _)| at + end.len());
    found
        .into_iter()
        .find(|end| !text.get(*end..).is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::FileId;

    #[test]
    fn declarations_are_whole() {
        let check = |name: &str, text: &str, (start, end): (usize, usize), expected: &str| {
            let mut sources = SourceSet::default();
            sources.add(name, text);
            assert_eq!(sources.declaration(Span::new(FileId(0), start, end)), expected, "{text}");
        };
        check("a.xml", "<r><a n='1'><b/><c>x</c></a><d/></r>", (3, 12), "<a n='1'><b/><c>x</c></a>");
        check("a.xml", "<r><a n='>'/><d/></r>", (3, 13), "<a n='>'/>");
        check("a.xml", "<a><!-- </a> --><![CDATA[</a>]]></a><d/>", (0, 3), "<a><!-- </a> --><![CDATA[</a>]]></a>");
        check("a.xml", "<a><b></a", (0, 3), "<a><b></a");
        check("a.xml", "<a>VAR x : INT;</a>", (3, 15), "VAR x : INT;");
        check("a.l5k", "DATATYPE T (F := 1)\n DINT a;\nEND_DATATYPE\nTAG", (0, 8), "DATATYPE T (F := 1)\n DINT a;\nEND_DATATYPE");
        check("a.st", "TYPE T : INT; END_TYPE x", (0, 22), "TYPE T : INT; END_TYPE");
    }
}
