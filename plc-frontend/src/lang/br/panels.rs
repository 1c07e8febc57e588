//! Bindings of mapp View (`.binding`): each one names a variable, and whether the panel writes it.

use std::borrow::Cow;

use crate::lang::has_ending;
use crate::text::SourceFile;

const ENDINGS: &[&str] = &["binding"];
/// Begin and end of a binding that only shows its variable.
const SHOWN: (&str, &str) = ("<Binding mode=\"oneWay\">", "</Binding>");

/// Returns the text of a panel without the bindings that only show a variable.
///
/// Soundness: a binding in another form stays.
pub(crate) fn writing(file: &SourceFile) -> Cow<'_, str> {
    if !has_ending(&file.name, ENDINGS) || !file.text.contains(SHOWN.0) {
        return Cow::Borrowed(&file.text);
    }
    let mut parts = file.text.split(SHOWN.0);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str(part.split_once(SHOWN.1).map_or(part, |(_, behind)| behind));
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Origin;

    #[test]
    fn bindings_that_only_show_a_variable() {
        let check = |name: &str, text: &str, expected: &str| {
            assert_eq!(writing(&SourceFile::new(name, text, Origin::User)), expected, "{text}");
        };
        let both = "<a><Binding mode=\"oneWay\"><Source refId=\"x\"/></Binding><Binding mode=\"twoWay\">y</Binding></a>";
        check("P.binding", both, "<a><Binding mode=\"twoWay\">y</Binding></a>");
        check("P.eventbinding", both, both);
        check("P.binding", "<Binding mode=\"oneWay\">x", "x");
    }
}
