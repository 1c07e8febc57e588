//! Filters of templates.

/// Escapes a text, and shows text between backticks as code.
#[askama::filter_fn]
pub(crate) fn words<T: std::fmt::Display>(text: T, _: &dyn askama::Values) -> askama::Result<askama::filters::Safe<String>> {
    Ok(askama::filters::Safe(marked(&text.to_string())))
}

/// Returns the text as HTML. A backtick without a second one on its line stays a backtick.
fn marked(text: &str) -> String {
    let mut html = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('`') {
        escape(before, &mut html);
        match behind.split_once('`') {
            Some((code, after)) if !code.contains('\n') && !code.is_empty() => {
                html.push_str("<code>");
                escape(code, &mut html);
                html.push_str("</code>");
                rest = after;
            }
            Some(_) | None => {
                html.push('`');
                rest = behind;
            }
        }
    }
    escape(rest, &mut html);
    html
}

fn escape(text: &str, html: &mut String) {
    for c in text.chars() {
        match c {
            '&' | '<' | '>' | '"' | '\'' => html.push_str(&format!("&#{};", u32::from(c))),
            c => html.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backticks_become_code_and_nothing_becomes_markup() {
        let check = |text: &str, html: &str| assert_eq!(marked(text), html, "{text}");
        check("only because `q` can never be true", "only because <code>q</code> can never be true");
        check("`a < b` and `'x' & \"y\"`", "<code>a &#60; b</code> and <code>&#39;x&#39; &#38; &#34;y&#34;</code>");
        check("<b>`<i>`</b>", "&#60;b&#62;<code>&#60;i&#62;</code>&#60;/b&#62;");
        check("a lone ` stays", "a lone ` stays");
        check("``", "``");
        check("one `\n` two", "one `\n` two");
        check("", "");
    }
}
