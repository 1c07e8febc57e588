//! The user guide inside the service: pages of `docs/guide`, for machines without internet.

use std::sync::LazyLock;

use askama::Template;
use axum::body::Body;
use axum::extract::Path;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, html};
use rust_embed::RustEmbed;

use super::page;
use crate::web::error::WebError;

#[derive(RustEmbed)]
#[folder = "docs/guide/"]
#[include = "*.md"]
#[include = "pictures/*.png"]
struct Guide;

/// A page of the guide.
struct GuidePage {
    /// Name of its file without the ending; its address is `/help/<slug>`.
    slug: String,
    title: String,
    html: String,
}

static PAGES: LazyLock<Vec<GuidePage>> = LazyLock::new(|| {
    let mut names: Vec<_> = Guide::iter().filter(|name| name.ends_with(".md")).collect();
    names.sort();
    names.iter().filter_map(|name| Some(guide_page(name.strip_suffix(".md")?, &Guide::get(name)?.data))).collect()
});

#[derive(Template)]
#[template(path = "pages/help.html")]
struct HelpPage {
    pages: &'static [GuidePage],
    at: usize,
}

/// Returns a page from its Markdown.
fn guide_page(slug: &str, markdown: &[u8]) -> GuidePage {
    let text = String::from_utf8_lossy(markdown);
    let title = text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(slug).to_owned();
    let mut html = String::new();
    html::push_html(&mut html, Parser::new_ext(&text, Options::ENABLE_TABLES).filter_map(served));
    // Keyboards scroll what is too wide.
    let html = html.replace("<pre>", "<pre tabindex=\"0\">").replace("<th>", "<th scope=\"col\">");
    GuidePage { slug: slug.to_owned(), title, html }
}

/// Returns an event with addresses of the service; `None` for raw HTML, which the guide does not use.
#[expect(clippy::wildcard_enum_match_arm, reason = "only links and pictures have addresses")]
fn served(event: Event<'_>) -> Option<Event<'_>> {
    let address = |to: CowStr<'_>| match to.strip_suffix(".md") {
        Some(slug) => format!("/help/{slug}").into(),
        None if to.starts_with("pictures/") => format!("/help/{to}").into(),
        None => to.into_string().into(),
    };
    Some(match event {
        Event::Html(_) | Event::InlineHtml(_) => return None,
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            Event::Start(Tag::Link { link_type, dest_url: address(dest_url), title, id })
        }
        Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
            Event::Start(Tag::Image { link_type, dest_url: address(dest_url), title, id })
        }
        other => other,
    })
}

/// Answers `GET /help`: the first page.
pub(crate) async fn first() -> Result<Response, WebError> {
    page(&HelpPage { pages: &PAGES, at: 0 })
}

/// Answers `GET /help/{page}`
pub(crate) async fn get(Path(slug): Path<String>) -> Result<Response, WebError> {
    let at = PAGES.iter().position(|page| page.slug == slug);
    let at = at.ok_or_else(|| WebError::NotFound(format!("page {slug} in the guide")))?;
    page(&HelpPage { pages: &PAGES, at })
}

/// Answers `GET /help/pictures/{file}`
pub(crate) async fn picture(Path(file): Path<String>) -> Result<Response, WebError> {
    let found = Guide::get(&format!("pictures/{file}")).filter(|_| file.ends_with(".png"));
    let found = found.ok_or_else(|| WebError::NotFound(format!("picture {file} in the guide")))?;
    let kind = [(header::CONTENT_TYPE, HeaderValue::from_static("image/png"))];
    Ok((kind, Body::from(found.data)).into_response())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_picture_and_link_of_the_guide_is_there() {
        assert_eq!(PAGES.len(), 10);
        let mut shown = BTreeSet::new();
        for page in PAGES.iter() {
            assert!(page.html.starts_with(&format!("<h1>{}</h1>", page.title)), "{}", page.slug);
            for address in page.html.split("src=\"").chain(page.html.split("href=\"")).skip(1) {
                let address = address.split('"').next().unwrap();
                if let Some(file) = address.strip_prefix("/help/pictures/") {
                    let picture =
                        Guide::get(&format!("pictures/{file}")).unwrap_or_else(|| panic!("{file}: `make guide-pictures`"));
                    assert!(picture.data.len() <= 60 << 10, "{file}: {} bytes", picture.data.len());
                    shown.insert(file.to_owned());
                } else if let Some(slug) = address.strip_prefix("/help/") {
                    assert!(PAGES.iter().any(|page| page.slug == slug), "{slug}");
                }
            }
        }
        let kept: BTreeSet<String> = Guide::iter().filter_map(|name| Some(name.strip_prefix("pictures/")?.to_owned())).collect();
        assert_eq!(kept, shown, "pictures without a page");
    }

    #[test]
    fn raw_html_is_left_out() {
        let page = guide_page("a", b"# A\n\n<script>x</script>\n\nb <b>c</b> [d](02-e.md)\n");
        assert_eq!(page.html, "<h1>A</h1>\n<p>b c <a href=\"/help/02-e\">d</a></p>\n");
    }
}
