//! Text that holds the names of what is not modelled.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::lang::is_markup;
use crate::text::{FileId, SourceSet, Span};

/// Elements of XML formats that hold a POU, a routine or a network with all names that it uses.
const UNITS: &[&str] = &["pou", "routine", "encodeddata", "program", "addoninstructiondefinition"];

/// Texts of units of the files, found once for each file.
pub(super) struct Texts<'s> {
    sources: &'s SourceSet,
    units: BTreeMap<FileId, Vec<Unit>>,
}

/// Element of a unit: its bytes, and the begin of its end tag.
struct Unit {
    bytes: Range<usize>,
    end_tag: usize,
}

/// Beginnings of the constructs of bodies whose text may not hold the names that they use, or is not there.
const HIDDEN: &[&str] = &[
    "body in UML",
    "body in an unknown language",
    "body in a vendor's own form",
    "network in an unknown language",
    "chart on one of several sheets",
    "routine in a language that is not known",
    "body of a know-how-protected block",
    "POU without a body",
    "method without a body",
    "action without a body",
];

/// Parts of a program of Automation Studio in other languages, and those that were not given.
const PART: &str = "a part of the program";

/// Beginnings of the constructs of bodies that are drawn, in a file with all names that they use.
const DRAWN: &[&str] =
    &["body in ladder", "body in function", "body in continuous", "continuous function chart", "body in sequential"];

/// Beginnings of the places in XML that name the block of a call.
const CALLS: &[&str] = &["typeName=\"", "n=\"BoxType\">\"", "<CallInfo Name=\""];

/// Words of STL in front of the block of a call.
const CALL_WORDS: &[&str] = &["CALL", "UC", "CC"];

impl<'s> Texts<'s> {
    pub(super) fn new(sources: &'s SourceSet) -> Self {
        Texts { sources, units: BTreeMap::new() }
    }

    /// Returns the text that names all operands of a statement that is not modelled.
    ///
    /// Soundness: in XML the operands of a box stand beside it, so the text of the whole unit counts; if there is none, that of the
    /// file. Structured text inside of XML names them itself.
    pub(super) fn of_statement(&mut self, span: Span) -> &'s str {
        let sources = self.sources;
        let Some(file) = sources.files.get(span.file).filter(|file| is_markup(&file.text)) else { return sources.text(span) };
        let before = file.text.get(..span.start as usize).unwrap_or_default();
        let is_text = before.rfind("<![CDATA[").is_some_and(|open| before.rfind("]]>").is_none_or(|close| close < open));
        if is_text && span.start < span.end { sources.text(span) } else { self.of_unit(span) }
    }

    /// Returns the text of the element at a place in XML; that of a file for its beginning.
    pub(super) fn of_body(&self, span: Span) -> &'s str {
        let Some(file) = self.sources.files.get(span.file) else { return "" };
        if !is_markup(&file.text) || file.text.get(span.start as usize..).is_none_or(|text| !text.starts_with('<')) {
            return if span.start == span.end { &file.text } else { self.sources.text(span) };
        }
        let rest = file.text.get(span.start as usize..).unwrap_or_default();
        let tag = end_of_tag(rest).map_or(rest, |end| rest.get(..=end).unwrap_or(rest));
        let name = tag.trim_start_matches('<').split([' ', '\t', '\r', '\n', '>', '/']).next().unwrap_or_default();
        if tag.ends_with("/>") {
            return tag;
        }
        rest.find(&format!("</{name}>")).and_then(|end| rest.get(..end)).unwrap_or(rest)
    }

    /// Returns the text of a POU, with its bodies.
    pub(super) fn of_unit(&mut self, span: Span) -> &'s str {
        match self.sources.files.get(span.file) {
            Some(file) if is_markup(&file.text) => {
                let units = self.units.entry(span.file).or_insert_with(|| units(&file.text));
                unit(&file.text, units, span.start as usize)
            }
            Some(_) | None => self.sources.text(span),
        }
    }
}

/// Returns whether a part of a text is protected by its author: it may name everything.
pub(super) fn is_encoded(text: &str) -> bool {
    ["EncodedData", "ENCODED_DATA"].iter().any(|word| text.contains(word))
}

/// Returns whether a body that is not read may write more than its text names: the text may lack names, or it calls a block that no
/// file declares.
pub(super) fn is_unread(construct: &str, text: &str, is_known: impl Fn(&str) -> bool) -> bool {
    let begins = |words: &[&str]| words.iter().any(|word| construct.starts_with(word));
    let is_empty = || begins(DRAWN) && !text.contains(">\"");
    begins(HIDDEN) || construct.contains(PART) || is_empty() || callees(text).iter().any(|name| !is_known(name))
}

/// Returns whether a statement may write through an address, which may lead past the variable that it names.
pub(super) fn writes_by_address(text: &str) -> bool {
    let is_taker = |word: &str| {
        let word = word.to_ascii_uppercase();
        ["MEMSET", "MEMCPY", "MEMMOVE", "BRSMEM", "SYSMEM"].iter().any(|start| word.starts_with(start))
            || ["ADR", "REF", "ACCESS"].contains(&&*word)
    };
    text.contains('^') || text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(is_taker)
}

/// Returns whether code in C may write through an address. A product of brackets counts, too.
pub(super) fn writes_by_address_in_c(code: &str) -> bool {
    let around = |sign: char| {
        code.match_indices(sign).map(|(at, _)| (code.get(..at).unwrap_or_default(), code.get(at + 1..).unwrap_or_default()))
    };
    let is_reference = || around('&').any(|(before, behind)| !before.ends_with('&') && !behind.starts_with(['&', '=']));
    let is_followed = || {
        around('*').any(|(before, behind)| {
            let is_factor = |c: char| c.is_alphanumeric() || matches!(c, '_' | '*');
            !before.trim_end().ends_with(is_factor) || behind.trim_start().starts_with([')', '*'])
        })
    };
    code.contains('[') || code.contains("->") || is_reference() || is_followed()
}

/// Returns whether macros of C join words to names. `code`: without comments and strings.
pub(super) fn joins_names(code: &str) -> bool {
    ["##", "%:%:", "??=??="].iter().any(|sign| code.contains(sign))
}

/// Returns the names of blocks that a text calls, in STL and in forms of XML.
fn callees(text: &str) -> Vec<String> {
    let up_to = |rest: &str, ends: &[char]| rest.split(ends).next().unwrap_or_default().trim().to_owned();
    let in_xml = CALLS.iter().flat_map(|call| text.split(call).skip(1).map(|rest| up_to(rest, &['"', '<'])));
    let mut found: Vec<String> = in_xml.filter(|name| !name.is_empty()).collect();
    for line in text.lines().filter(|line| !line.contains('<')) {
        let code = line.split_once(':').filter(|(label, _)| !label.trim().contains(' ')).map_or(line, |(_, code)| code).trim();
        let Some((word, rest)) = code.split_once(char::is_whitespace) else { continue };
        if CALL_WORDS.iter().any(|call| word.eq_ignore_ascii_case(call)) {
            let rest = rest.trim_start();
            let name = match rest.strip_prefix('"') {
                Some(quoted) => up_to(quoted, &['"']),
                // `CALL FB 1, DB 2`, and `CALL #instance`.
                None => up_to(rest.trim_start_matches('#'), &[',', '(', ';', '.', '/']),
            };
            found.push(name);
        }
    }
    found
}

/// Returns the text of the innermost unit around a position; the whole text without one.
fn unit<'t>(text: &'t str, units: &[Unit], at: usize) -> &'t str {
    let before = units.partition_point(|unit| unit.bytes.start <= at);
    let found = units.get(..before).and_then(|units| units.iter().rev().find(|unit| at < unit.end_tag));
    found.and_then(|unit| text.get(unit.bytes.clone())).unwrap_or(text)
}

/// Returns the units of a text, by their begin. One that does not end reaches to the end of the text.
fn units(text: &str) -> Vec<Unit> {
    let mut found: Vec<Unit> = Vec::new();
    // Elements that are open: the place among the units for those that are one.
    let mut open: Vec<Option<usize>> = Vec::new();
    let mut next = 0;
    while let Some(start) = text.get(next..).and_then(|rest| rest.find('<')).map(|offset| next + offset) {
        let rest = text.get(start..).unwrap_or_default();
        let skip = |opener: &str, closer: &str| {
            rest.starts_with(opener).then(|| rest.find(closer).map_or(text.len(), |end| start + end + closer.len()))
        };
        if let Some(end) = skip("<!--", "-->").or_else(|| skip("<![CDATA[", "]]>")).or_else(|| skip("<?", "?>")) {
            next = end;
            continue;
        }
        let Some(end) = end_of_tag(rest).map(|end| start + end) else { break };
        let inner = text.get(start + 1..end).unwrap_or_default();
        if inner.starts_with('/') {
            if let Some(unit) = open.pop().flatten().and_then(|at| found.get_mut(at)) {
                (unit.bytes.end, unit.end_tag) = (end + 1, start);
            }
        } else if !inner.ends_with('/') {
            let name = inner.split([' ', '\t', '\r', '\n', '>']).next().unwrap_or_default();
            open.push(is_unit(name).then_some(found.len()));
            if is_unit(name) {
                found.push(Unit { bytes: start..text.len(), end_tag: text.len() });
            }
        }
        next = end + 1;
    }
    found
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
    fn bodies_that_may_write_more_than_they_name() {
        let check = |construct: &str, text: &str, expected: bool| {
            assert_eq!(is_unread(construct, text, |name| name.starts_with("Known")), expected, "{construct}: {text}");
        };
        check("body in UML", "<UML><v n=\"x\">\"bFlag\"</v>", true);
        check("body in UML (state chart)", "", true);
        check("body in an unknown language", "bFlag", true);
        check("`a.c`, a part of the program in C", "x = 1;", true);
        check("`a.c`, a part of the program that was not given", "", true);
        check("body in sequential function chart (SFC)", "<SFC><o t=\"SFCImplementationObject\"/>", true);
        check("body in ladder or function blocks (NWL)", "<NWL><v n=\"Operand\">\"bFlag\"</v>", false);
        check("body in ladder or function blocks (NWL)", "<v n=\"BoxType\">\"Known\"</v>", false);
        check("body in ladder or function blocks (NWL)", "<v n=\"BoxType\">\"FC_Other\"</v>", true);
        check("continuous function chart (CFC) that is not complete", "<CFC><Data>Main</Data></CFC>", true);
        check("continuous function chart (CFC) with pages", "<v n=\"Text\">\"Known\"</v>", false);
        check("network in statement list (STL)", "<CallInfo Name=\"FC_Other\" BlockType=\"FC\">", true);
        check("network in statement list (STL)", "<CallInfo Name=\"KnownFC\" BlockType=\"FC\">", false);
        check("statement", "A M 0.0\nM001: CALL \"FC Other\" (x := 1)", true);
        check("statement", "CALL FC 10", true);
        check("statement", "CALL #Known.x, \"d\"\nUC Known1\nL call\n= CC", false);
        check("statement", "p^ := 1;", false);
    }

    #[test]
    fn statements_that_write_through_addresses() {
        assert!(
            writes_by_address("MEMSET(ADR(b), 1, 50);") && writes_by_address("p ^ := 1;") && writes_by_address("q ACCESS x;")
        );
        assert!(!writes_by_address("b := adr2 + member;"));
    }

    #[test]
    fn code_in_c_that_writes_through_addresses() {
        let check = |code: &str, expected: bool| assert_eq!(writes_by_address_in_c(code), expected, "{code}");
        check("short *p = &b; p[-1] = 5;", true);
        check("memset(&b, 1, 50);", true);
        check("a[i] = 1;", true);
        check("p->n = 1;", true);
        check("if (a && b) c = a & b;", true);
        check("if (a && b) { c &= 1; d = c + 1; }", false);
        check("int twice(int a) { return 2 * a; }", false);
        check("void f(int *p) { *p = 5; }", true);
        check("n = 1 + (*(short*)0x100);", true);
    }

    #[test]
    fn macros_of_c_that_join_words() {
        assert!(joins_names("#define G(n) g##n") && joins_names("%:define G(n) g %:%: n"));
        assert!(!joins_names("#define S(n) #n\n#if A % 2 == 0"));
    }

    #[test]
    fn bodies_of_xml() {
        let check = |text: &str, expected: &str| {
            let mut sources = SourceSet::default();
            let file = sources.add("p.xml", text);
            let start = text.find("<b").unwrap_or(0) as u32;
            assert_eq!(Texts::new(&sources).of_body(Span { file, start, end: start + 1 }), expected, "{text}");
        };
        check("<?xml?><a><b><c/></b><d/></a>", "<b><c/>");
        check("<?xml?><a><b k='1'/><d/></a>", "<b k='1'/>");
        check("<?xml?><a><b>", "<b>");
    }

    #[test]
    fn units_of_xml() {
        let check = |text: &str, expected: &str| {
            let at = text.find('@').unwrap_or(0);
            assert_eq!(unit(text, &units(text), at), expected, "{text}");
        };
        assert!(is_encoded("<Routine><EncodedData>x</EncodedData></Routine>") && !is_encoded("<Routine/>"));
        check("<a><POU n=\"1\">x<b>@</b></POU><POU/></a>", "<POU n=\"1\">x<b>@</b></POU>");
        check("<p:pou><pou><c k=\"@>\"/></pou>d</p:pou>", "<pou><c k=\"@>\"/></pou>");
        check("<a><!-- <pou> --><b>@</b></a>", "<a><!-- <pou> --><b>@</b></a>");
        check("<pou><![CDATA[</pou>]]>@</pou>e", "<pou><![CDATA[</pou>]]>@</pou>");
        check("<x><SW.Blocks.FC>@<y></x>", "<SW.Blocks.FC>@<y></x>");
        check("<program><routine/><routine>x</routine>@</program>", "<program><routine/><routine>x</routine>@</program>");
        check("<program><routine>x</routine></program>@", "<program><routine>x</routine></program>@");
    }
}
