//! Names and addresses in texts that are not read.

use std::collections::{BTreeMap, BTreeSet};

use crate::text::quoted::original;
use crate::text::{Key, key};

/// Words that take the address of a variable.
const ADDRESS: &[&str] = &["ADR", "REF"];

/// Names in some texts.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    pub(super) names: BTreeSet<Key>,
    /// Names behind a point: parts of a variable, or variables of a program or an instance.
    pub(super) parts: BTreeSet<Key>,
    /// Names that stand alone as an argument or a value: `ADR(Main)`.
    whole: BTreeSet<Key>,
    /// Names that may be calls of programs: no point stands behind them, and no `PROGRAM` before.
    calls: BTreeSet<Key>,
    /// Direct addresses occur.
    pub(super) addresses: bool,
    /// Addresses in data blocks occur.
    pub(super) data_blocks: bool,
    /// There is such a text.
    pub(super) exist: bool,
    /// There is a text that cannot be read at all: it may name everything.
    pub(super) everything: bool,
}

/// Ways in which a text uses a word, at any of its places.
#[derive(Clone, Copy, Debug, Default)]
struct Uses {
    is_part: bool,
    is_whole: bool,
    is_call: bool,
}

impl Names {
    /// Adds the names of a text. Cost: n log n comparisons of words.
    pub(super) fn add(&mut self, text: &str) {
        self.exist = true;
        let text = with_characters(text);
        // SimaticML has an element for each part of a path.
        let is_divided = text.contains("<Component");
        // SimaticML has absolute addresses as elements, and POKE computes them.
        let has_elements = text.contains("<Address ");
        self.addresses |= has_elements;
        self.data_blocks |= has_elements;
        let mut before = "";
        let comments = LineComments::of(&text);
        let takes_address = words(&text).any(|word| ADDRESS.iter().any(|taker| taker.eq_ignore_ascii_case(word)));
        // A text has most of its words many times.
        let mut found: BTreeMap<&str, Uses> = BTreeMap::new();
        for word in words(&text) {
            let uses = found.entry(word).or_default();
            uses.is_whole = uses.is_whole || stands_alone(&text, word, takes_address);
            uses.is_part = uses.is_part || is_divided || is_behind_point(&text, word, &comments);
            if !uses.is_call {
                let is_heading = before.eq_ignore_ascii_case("PROGRAM") && is_next(&text, before, word);
                uses.is_call = !is_heading && !is_before_point(&text, word);
            }
            // STL may have a blank inside: `S M 0.0`.
            let is_divided_address = word.starts_with(|c: char| c.is_ascii_digit()) && is_next(&text, before, word);
            self.addresses |= is_divided_address && is_address(&format!("{before}0"));
            before = word;
        }
        for (word, uses) in found {
            self.everything |= word.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("POKE"));
            self.addresses |= is_address(word);
            self.data_blocks |= is_in_data_block(word);
            let word = key(word);
            for (set, is_member) in
                [(&mut self.whole, uses.is_whole), (&mut self.calls, uses.is_call), (&mut self.parts, uses.is_part)]
            {
                if is_member {
                    set.insert(word.clone());
                }
            }
            self.names.insert(word);
        }
        self.addresses |= text.contains('%');
    }

    pub(super) fn join(&mut self, other: &Names) {
        let own = [&mut self.names, &mut self.parts, &mut self.whole, &mut self.calls];
        for (own, others) in own.into_iter().zip([&other.names, &other.parts, &other.whole, &other.calls]) {
            if own.is_empty() {
                own.clone_from(others);
                continue;
            }
            for name in others {
                if !own.contains(name) {
                    own.insert(name.clone());
                }
            }
        }
        self.addresses |= other.addresses;
        self.data_blocks |= other.data_blocks;
        self.exist |= other.exist;
        self.everything |= other.everything;
    }

    /// Returns whether the texts have all words of a name. A name in quotes may have several.
    pub(super) fn name(&self, name: &str) -> bool {
        words(&original(name)).all(|word| self.names.contains(&key(word)))
    }

    /// Returns whether the texts have a name alone as an argument or a value.
    pub(super) fn name_alone(&self, name: &str) -> bool {
        self.name(name) && words(&original(name)).last().is_some_and(|word| self.whole.contains(&key(word)))
    }

    /// Returns whether the texts may call a program of this name.
    pub(super) fn calls(&self, name: &str) -> bool {
        self.name(name) && words(&original(name)).last().is_some_and(|word| self.calls.contains(&key(word)))
    }

    /// Returns whether the texts have a name behind a point. Of a name in quotes the first word is behind it.
    pub(super) fn name_part(&self, name: &str) -> bool {
        self.name(name) && words(&original(name)).next().is_none_or(|word| self.parts.contains(&key(word)))
    }
}

/// Places of the signs that begin comments up to the end of their line, and of the ends of lines.
struct LineComments {
    begins: Vec<usize>,
    ends: Vec<usize>,
}

impl LineComments {
    fn of(text: &str) -> LineComments {
        let places = |sign: &str| text.match_indices(sign).map(|(at, _)| at).collect();
        LineComments { begins: places("//"), ends: places("\n") }
    }

    /// Returns whether a line has a comment that begins before a place of it.
    fn is_before(&self, place: usize) -> bool {
        let last = |places: &[usize], least: usize| places.partition_point(|at| at + least <= place).checked_sub(1);
        let begin = last(&self.begins, 2).and_then(|at| self.begins.get(at));
        begin.is_some_and(|begin| last(&self.ends, 1).and_then(|at| self.ends.get(at)).is_none_or(|end| end < begin))
    }
}

/// Returns whether a word of a text stands behind a point, with blanks, quotes, backticks and `#` between them.
fn is_behind_point(text: &str, word: &str, comments: &LineComments) -> bool {
    let start = word.as_ptr() as usize - text.as_ptr() as usize;
    let before = text.get(..start).unwrap_or_default();
    let before = before.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '#' | '`'));
    // C has an arrow. A comment may stand between.
    let is_behind_comment = before.ends_with("*)") || before.ends_with("*/") || comments.is_before(before.len());
    before.ends_with('.') || before.ends_with("->") || is_behind_comment
}

/// Returns whether a point stands behind a word, with blanks, quotes and backticks between them.
fn is_before_point(text: &str, word: &str) -> bool {
    let start = word.as_ptr() as usize - text.as_ptr() as usize;
    let behind = text.get(start + word.len()..).unwrap_or_default();
    behind.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '`')).starts_with('.')
}

/// Returns whether a word is all of an argument or value. In XML an operand is the text of an element; there it counts in a text that
/// takes an address.
fn stands_alone(text: &str, word: &str, takes_address: bool) -> bool {
    let start = word.as_ptr() as usize - text.as_ptr() as usize;
    let is_free = |c: char| c.is_whitespace() || matches!(c, '"' | '`' | '#');
    let before = text.get(..start).unwrap_or_default().trim_end_matches(is_free);
    let behind = text.get(start + word.len()..).unwrap_or_default().trim_start_matches(is_free);
    let is_operand = before.ends_with(['(', ',', '=', '&']) && behind.starts_with([')', ',', ';']);
    is_operand || (takes_address && before.ends_with('>') && behind.starts_with('<'))
}

/// Returns whether only blanks stand between two words of a text.
fn is_next(text: &str, before: &str, word: &str) -> bool {
    let place = |word: &str| (word.as_ptr() as usize).checked_sub(text.as_ptr() as usize);
    let between = || text.get(place(before)? + before.len()..place(word)?);
    !before.is_empty() && between().is_some_and(|between| between.trim().is_empty())
}

pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

/// Returns a text with characters for their numbers in XML (`&#228;`).
fn with_characters(text: &str) -> String {
    let text = text.replace("&quot;", "\"");
    let mut parts = text.split("&#");
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (number, rest) = part.split_once(';').unwrap_or(("", part));
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => number.parse(),
        };
        match code.ok().and_then(char::from_u32) {
            Some(c) => all.extend([c]),
            None => all.push_str(&format!("&#{number} ")),
        }
        all.push_str(rest);
    }
    all
}

/// Returns whether a word is an address of Siemens without a percent sign: `MW10`, `DBX0`, `E1`.
fn is_address(word: &str) -> bool {
    let known = ["m", "q", "a", "i", "e", "mb", "mw", "md", "qb", "qw", "qd", "ab", "aw", "ad"];
    is_numbered(word, &known)
}

/// Returns whether a word is an address in a data block of Siemens (`DB10`, `DBX0`), or begins one (`DBW`).
fn is_in_data_block(word: &str) -> bool {
    let known = ["db", "di", "dbx", "dbb", "dbw", "dbd", "dix", "dib", "diw", "did", "dw", "dx"];
    is_numbered(word, &known) || known.iter().skip(2).any(|known| known.eq_ignore_ascii_case(word))
}

fn is_numbered(word: &str, known: &[&str]) -> bool {
    let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
    letters.len() < word.len() && known.iter().any(|known| known.eq_ignore_ascii_case(letters))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_of_xml_are_part_of_words() {
        let check =
            |text: &str, expected: &str| assert_eq!(words(&with_characters(text)).collect::<Vec<_>>().join(" "), expected);
        check("a&#228;b := c&#xE4;;", "aäb cä");
        check("&#x110000; x &# y &#z; &", "x110000 x y z");
        check("&quot;a b&quot;", "a b");
    }

    #[test]
    fn writes_without_a_name_are_noticed() {
        let check = |text: &str, expected: (bool, bool)| {
            let mut names = Names::default();
            names.add(text);
            assert_eq!((names.addresses, names.everything), expected, "{text}");
        };
        check("S M 0.0;", (true, false));
        check("T MB\t0;", (true, false));
        check("= M0.0", (true, false));
        check("m := 0; i = 1 q", (false, false));
        check("<Address Area=\"Memory\" Type=\"Bool\" BitOffset=\"0\"/>", (true, false));
        check("POKE_BOOL(area := 16#83, dbNumber := 0)", (false, true));
    }

    #[test]
    fn names_of_whole_variables_stand_alone() {
        let check = |text: &str, expected: &str| {
            let mut names = Names::default();
            names.add(text);
            assert_eq!(names.whole.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "), expected, "{text}");
        };
        check("MEMSET(ADR(Main), 1, SIZEOF( Main ));", "1 main");
        check("r REF= Main; f(x := Main.n, y := g.m);", "main");
        check("memset(&Main, 0, 4);", "0 4 main");
        check("PROGRAM Main // about Main\nMain(); x := Main.n + 1;", "");
        check("<expression>Main</expression>", "");
        check("<block typeName=\"ADR\"/><expression>Main</expression><v>\"O\"</v><p name=\"Q\"/>", "main o");
    }

    #[test]
    fn programs_are_called_by_their_name_alone() {
        let check = |text: &str, expected: &str| {
            let mut names = Names::default();
            names.add(text);
            assert_eq!(names.calls.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "), expected, "{text}");
        };
        check("Main(); Main.n := Other . x", "main n x");
        check("PROGRAM Main\nVAR END_VAR `Other`.y := Main.z;", "end_var program var y z");
        check("<v n=\"BoxType\">\"MAIN\"</v>", "boxtype main n v");
    }

    #[test]
    fn parts_of_paths_stand_behind_points() {
        let check = |text: &str, expected: &str| {
            let mut names = Names::default();
            names.add(text);
            assert_eq!(names.parts.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "), expected, "{text}");
        };
        check("a.b := c; d [2] . e.f^.g", "b e f g");
        check("#x.&quot;y z&quot; := THIS^.\n  w", "w y");
        check("a..b (* 1. c *) d->e", "b c d e");
        check("Main.`n` := 1", "n");
        check("a. // b\n c := d;\ne /// f\n/ g", "b c f");
        check("<Component Name=\"DB\"/><Component Name=\"n\"/>", "component db n name");
    }
}
