//! Static files inside the binary. Their names contain their hash, so browsers may keep them for ever.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use axum::body::Body;
use axum::extract::Path;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use rust_embed::RustEmbed;

use super::error::WebError;

#[derive(RustEmbed)]
#[folder = "static/"]
struct Files;

struct Asset {
    /// `style.0123456789abcdef.css`
    hashed: String,
    content: Cow<'static, [u8]>,
    media_type: &'static str,
}

static ASSETS: LazyLock<BTreeMap<String, Asset>> = LazyLock::new(|| {
    let asset = |name: &Cow<'static, str>| {
        let file = Files::get(name)?;
        let (stem, extension) = name.rsplit_once('.')?;
        let hash: String = file.metadata.sha256_hash().iter().take(8).map(|b| format!("{b:02x}")).collect();
        let media_type = match extension {
            "css" => "text/css; charset=utf-8",
            "js" => "text/javascript; charset=utf-8",
            "svg" => "image/svg+xml",
            _ => "application/octet-stream",
        };
        Some((name.to_string(), Asset { hashed: format!("{stem}.{hash}.{extension}"), content: file.data, media_type }))
    };
    Files::iter().filter_map(|name| asset(&name)).collect()
});

/// Returns the address of a static file; `/static/` if there is no such file. A test checks all files that templates name.
pub fn url(name: &str) -> String {
    format!("/static/{}", ASSETS.get(name).map_or("", |a| a.hashed.as_str()))
}

/// Returns `GET /static/{file}`
pub(super) async fn get(Path(file): Path<String>) -> Result<Response, WebError> {
    let Some(asset) = ASSETS.values().find(|a| a.hashed == file) else {
        return Err(WebError::NotFound(format!("file {file}")));
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(asset.media_type)),
        (header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable")),
    ];
    Ok((headers, Body::from(asset.content.clone())).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_that_a_template_names_exists() {
        let template = include_str!("../../templates/base.html");
        let mut named = 0;
        for rest in template.split("assets::url(\"").skip(1) {
            let name = rest.split('"').next().unwrap();
            assert_ne!(url(name), "/static/", "{name}");
            named += 1;
        }
        assert_eq!(named, 3);
    }
}
