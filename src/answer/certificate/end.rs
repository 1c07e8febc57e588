//! The last line of a certificate: the number of lines and obligations before it. So a file that was cut is recognized, even if
//! its brackets balance.

use super::{Flaw, shorten};

/// `; end: 120 lines, 3 obligations`.
const END: &str = "; end: ";

/// Adds the last line.
pub(super) fn ended(mut text: String) -> String {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    let end = said(&text);
    text + END + &end + "\n"
}

/// Fails if the last line is missing or wrong.
pub(super) fn is_complete(text: &str) -> Result<(), Flaw> {
    let text = text.trim_end();
    let (before, last) = text.rsplit_once('\n').unwrap_or(("", text));
    let Some(told) = last.trim().strip_prefix(END) else {
        return Err(Flaw("its last line does not say `end`: it was cut".into()));
    };
    let is = said(before);
    if told == is { Ok(()) } else { Err(Flaw(format!("its end says {}, but it has {is}: something is missing", shorten(told)))) }
}

fn said(text: &str) -> String {
    let obligations = text.lines().filter(|line| line.trim() == "(check-sat)").count();
    format!("{} lines, {obligations} obligations", text.lines().count())
}
