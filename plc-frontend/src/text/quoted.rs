//! Names in quotes, which may have any character, as identifiers: `"My Tag"` is `Myː20ːTag`.
//!
//! Soundness: two names never have one identifier. [`MARK`] occurs in no identifier that a file writes without quotes, and a name
//! with it is written with its number. Messages and reports show the name in quotes ([`shown`]).

use std::borrow::Cow;

/// Letter around the number of a character that no identifier has. Two of them stand before a name that begins with a digit or is
/// a keyword.
const MARK: char = 'ː';

/// Returns the identifier of a name. A plain name is its own, if it `is_keyword` in no language.
pub(crate) fn identifier(name: &str, is_keyword: bool) -> String {
    let is_plain = |c: char| (c.is_alphanumeric() || c == '_') && c != MARK;
    let starts_well = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let mut identifier = String::with_capacity(name.len());
    if !starts_well || is_keyword {
        identifier.extend([MARK, MARK]);
    }
    for c in name.chars() {
        if is_plain(c) {
            identifier.push(c);
        } else {
            identifier.push_str(&format!("{MARK}{:x}{MARK}", u32::from(c)));
        }
    }
    identifier
}

/// Returns whether [`identifier`] made this identifier from a name that is none.
pub(crate) fn is_from_quotes(identifier: &str) -> bool {
    identifier.contains(MARK)
}

/// Returns the name of an identifier, without quotes.
pub(crate) fn original(identifier: &str) -> Cow<'_, str> {
    if !is_from_quotes(identifier) {
        return Cow::Borrowed(identifier);
    }
    let mut name = String::with_capacity(identifier.len());
    let mut pieces = identifier.split(MARK);
    name.push_str(pieces.next().unwrap_or_default());
    while let Some(number) = pieces.next() {
        name.extend(u32::from_str_radix(number, 16).ok().and_then(char::from_u32));
        name.push_str(pieces.next().unwrap_or_default());
    }
    Cow::Owned(name)
}

/// Returns a text for people: its identifiers that come from names in quotes are these names, in quotes.
pub fn shown(text: &str) -> Cow<'_, str> {
    if !is_from_quotes(text) {
        return Cow::Borrowed(text);
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut all = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        let (before, from) = rest.split_at(start);
        let (word, behind) = from.split_at(from.find(|c| !is_part(c)).unwrap_or(from.len()));
        all.push_str(before);
        if is_from_quotes(word) {
            all.push_str(&format!("\"{}\"", original(word)));
        } else {
            all.push_str(word);
        }
        rest = behind;
    }
    all.push_str(rest);
    Cow::Owned(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_can_be_told_apart() {
        let names = [
            "Motor 1",
            "Motor_1",
            "Motor-1",
            "Motor1",
            "MotorꞏX1",
            "Motorː20ː1",
            "Motor.1",
            "Motor__1",
            "Motor _1",
            "Motor x1",
            "20 1",
            "201",
            "_201",
            "ːː201",
            "ː",
            "ːː",
            "größe",
            "a\u{1f600}b",
            " ",
            "",
        ];
        let mut found = std::collections::BTreeSet::new();
        for name in names {
            let identifier = identifier(name, false);
            assert_eq!(original(&identifier), name);
            assert!(identifier.starts_with(|c: char| c.is_alphabetic() || c == '_'), "{identifier}");
            assert!(identifier.chars().all(|c| c.is_alphanumeric() || c == '_'), "{identifier}");
            assert!(found.insert(identifier), "{name}");
        }
        assert_eq!(identifier("Motor_1", false), "Motor_1");
        assert_eq!(original(&identifier("IF", true)), "IF");
        assert_ne!(identifier("IF", true), "IF");
    }

    #[test]
    fn people_see_the_name_in_quotes() {
        let check = |text: &str, expected: &str| assert_eq!(shown(text), expected);
        check("there is no variable `Myː20ːTag` here", "there is no variable `\"My Tag\"` here");
        check("DBː20ː1.aː2dːb[1] = ːː1st", "\"DB 1\".\"a-b\"[1] = \"1st\"");
        check("Motor_1, größe", "Motor_1, größe");
    }
}
