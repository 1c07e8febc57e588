//! Characters that are not seen themselves: control characters, and signs that change the direction of the text behind them.
//!
//! With a sign of direction a line is read in another order than it is compiled (Unicode Standard Annex 9; CVE-2021-42574).

/// Returns whether `c` changes the direction of the text behind it.
pub fn turns_text(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns whether `c` must not stand in a name that people read: it is not seen, and changes what is seen.
pub fn is_unseen(c: char) -> bool {
    c.is_control() || turns_text(c)
}

/// Returns `text` with a visible sign for each character that is unseen.
pub fn made_visible(text: &str) -> impl Iterator<Item = char> {
    text.chars().map(|c| if is_unseen(c) { char::REPLACEMENT_CHARACTER } else { c })
}

#[test]
fn names_show_what_they_hold() {
    for (text, expected) in [
        ("Pump_1.st", "Pump_1.st"),
        ("größe €.st", "größe €.st"),
        ("מנוע.st", "מנוע.st"),
        ("a\0b\n.st", "a\u{fffd}b\u{fffd}.st"),
        ("safe\u{202e}ts.exe", "safe\u{fffd}ts.exe"),
        ("a\u{2066}b\u{2069}\u{200f}", "a\u{fffd}b\u{fffd}\u{fffd}"),
    ] {
        assert_eq!(made_visible(text).collect::<String>(), expected, "{text:?}");
    }
}
