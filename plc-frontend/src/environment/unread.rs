//! Text that holds the names of what is not modelled.

use crate::lang::is_markup;
use crate::text::{SourceSet, Span};

/// Elements of XML formats that hold a POU, a routine or a network with all names that it uses.
const UNITS: &[&str] = &["pou", "routine", "encodeddata", "program", "addoninstructiondefinition"];

/// Returns the text that names all operands of a statement that is not modelled.
///
/// Soundness: in XML the operands of a box stand beside it, so the text of the whole unit counts; if there is none, that of the
/// file. Structured text inside of XML names them itself.
pub(super) fn of_statement(sources: &SourceSet, span: Span) -> &str {
    let Some(file) = sources.files.get(span.file).filter(|file| is_markup(&file.text)) else { return sources.text(span) };
    let before = file.text.get(..span.start as usize).unwrap_or_default();
    let is_text = before.rfind("<![CDATA[").is_some_and(|open| before.rfind("]]>").is_none_or(|close| close < open));
    if is_text && span.start < span.end { sources.text(span) } else { of_unit(sources, span) }
}

/// Returns whether a part of a text is protected by its author: it may name everything.
pub(super) fn is_encoded(text: &str) -> bool {
    ["EncodedData", "ENCODED_DATA"].iter().any(|word| text.contains(word))
}

/// Returns the text of a POU, with its bodies.
pub(super) fn of_unit(sources: &SourceSet, span: Span) -> &str {
    match sources.files.get(span.file) {
        Some(file) if is_markup(&file.text) => unit(&file.text, span.start as usize),
        Some(_) | None => sources.text(span),
    }
}

/// Returns the text of the innermost unit around a position; the whole text without one.
fn unit(text: &str, at: usize) -> &str {
    // Starts and names of the elements that are open.
    let mut open: Vec<(usize, &str)> = Vec::new();
    // Start of the unit, and the number of elements around it.
    let mut found: Option<(usize, usize)> = None;
    let mut next = 0;
    while let Some(start) = text.get(next..).and_then(|rest| rest.find('<')).map(|offset| next + offset) {
        if found.is_none() && at < start {
            found = open.iter().enumerate().rev().find(|(_, (_, name))| is_unit(name)).map(|(depth, (start, _))| (*start, depth));
            if found.is_none() {
                return text;
            }
        }
        let rest = &text[start..];
        let skip = |opener: &str, closer: &str| {
            rest.starts_with(opener).then(|| rest.find(closer).map_or(text.len(), |end| start + end + closer.len()))
        };
        if let Some(end) = skip("<!--", "-->").or_else(|| skip("<![CDATA[", "]]>")).or_else(|| skip("<?", "?>")) {
            next = end;
            continue;
        }
        let Some(end) = end_of_tag(rest).map(|end| start + end) else { break };
        let inner = &text[start + 1..end];
        if inner.starts_with('/') {
            open.pop();
            if let Some((from, depth)) = found
                && open.len() <= depth
            {
                return &text[from..=end];
            }
        } else if !inner.ends_with('/') {
            open.push((start, inner.split([' ', '\t', '\r', '\n', '>']).next().unwrap_or_default()));
        }
        next = end + 1;
    }
    found.map_or(text, |(from, _)| &text[from..])
}

/// Returns the position of the `>` that ends a tag; quotes may hide others.
fn end_of_tag(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '>') => return Some(at),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            (Some(_) | None, _) => {}
        }
    }
    None
}

fn is_unit(name: &str) -> bool {
    let local = name.rsplit(':').next().unwrap_or(name).to_ascii_lowercase();
    UNITS.contains(&local.as_str()) || local.starts_with("sw.blocks.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_xml() {
        let check = |text: &str, expected: &str| {
            let at = text.find('@').unwrap_or(0);
            assert_eq!(unit(text, at), expected, "{text}");
        };
        assert!(is_encoded("<Routine><EncodedData>x</EncodedData></Routine>") && !is_encoded("<Routine/>"));
        check("<a><POU n=\"1\">x<b>@</b></POU><POU/></a>", "<POU n=\"1\">x<b>@</b></POU>");
        check("<p:pou><pou><c k=\"@>\"/></pou>d</p:pou>", "<pou><c k=\"@>\"/></pou>");
        check("<a><!-- <pou> --><b>@</b></a>", "<a><!-- <pou> --><b>@</b></a>");
        check("<pou><![CDATA[</pou>]]>@</pou>e", "<pou><![CDATA[</pou>]]>@</pou>");
        check("<x><SW.Blocks.FC>@<y></x>", "<SW.Blocks.FC>@<y></x>");
    }
}
