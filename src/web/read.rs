//! Extractors whose failures are ours: JSON and form bodies, parameters of addresses.

use axum::body::Bytes;
use axum::extract::multipart::Multipart;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::header;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use super::error::WebError;
use super::strict::Strict;

/// A JSON body.
#[derive(Debug)]
pub(crate) struct JsonBody<T>(pub(crate) T);

/// The fields of a form, in order.
#[derive(Debug, Default)]
pub(crate) struct FormBody(pub(crate) Vec<(String, String)>);

/// A body from this size on is read on a thread of its own: it takes longer than other requests shall wait.
const LARGE_BYTES: usize = 256 << 10;

/// Reads JSON.
fn json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, WebError> {
    let wrong = |error| WebError::BadRequest(format!("The body is not as expected: {error}."));
    let value = serde_json::from_slice(bytes).map_err(wrong)?;
    T::deserialize(Strict(value)).map_err(|strict| {
        // An error of the text itself has a line and a column.
        wrong(serde_json::from_slice::<T>(bytes).err().unwrap_or(strict))
    })
}

impl<S: Send + Sync, T: DeserializeOwned + Send + 'static> FromRequest<S> for JsonBody<T> {
    type Rejection = WebError;

    async fn from_request(request: Request, state: &S) -> Result<Self, WebError> {
        if !media_type(&request).is_some_and(|t| t == "application/json" || t.ends_with("+json")) {
            return Err(WebError::MediaType("The body has to be JSON, with Content-Type: application/json.".into()));
        }
        let bytes = bytes(request, state).await?;
        if bytes.len() < LARGE_BYTES {
            return json(&bytes).map(JsonBody);
        }
        let read = tokio::task::spawn_blocking(move || json(&bytes)).await;
        read.map_err(|error| WebError::Internal(error.to_string()))?.map(JsonBody)
    }
}

impl<S: Send + Sync> FromRequest<S> for FormBody {
    type Rejection = WebError;

    async fn from_request(request: Request, state: &S) -> Result<Self, WebError> {
        if media_type(&request).as_deref() != Some("application/x-www-form-urlencoded") {
            return Err(WebError::MediaType("The body has to be a form, as application/x-www-form-urlencoded.".into()));
        }
        let axum::Form(fields) = axum::Form::from_request(request, state)
            .await
            .map_err(|e| WebError::BadRequest(format!("The form cannot be read: {}.", e.body_text())))?;
        Ok(FormBody(fields))
    }
}

/// The parts of a form with files.
#[derive(Debug)]
pub(crate) struct FormParts(pub(crate) Multipart);

impl<S: Send + Sync> FromRequest<S> for FormParts {
    type Rejection = WebError;

    async fn from_request(request: Request, state: &S) -> Result<Self, WebError> {
        if media_type(&request).as_deref() != Some("multipart/form-data") {
            return Err(WebError::MediaType("The body has to be a form with files, as multipart/form-data.".into()));
        }
        Multipart::from_request(request, state)
            .await
            .map(FormParts)
            .map_err(|e| WebError::BadRequest(format!("The form cannot be read: {}.", e.body_text())))
    }
}

impl FormBody {
    /// Returns the value of a field; empty if it is absent.
    pub(crate) fn field(&self, name: &str) -> &str {
        self.0.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }
}

/// The parameters behind the question mark of an address.
#[derive(Debug)]
pub(crate) struct Parameters<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Parameters<T> {
    type Rejection = WebError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, WebError> {
        match Query::<T>::from_request_parts(parts, state).await {
            Ok(Query(values)) => Ok(Parameters(values)),
            Err(e) => {
                let words = e.body_text();
                let words = words.strip_prefix("Failed to deserialize query string: ").unwrap_or(&words);
                Err(WebError::Parameter(format!("A parameter is not valid: {words}.")))
            }
        }
    }
}

/// Most rows of a page of a list.
const MOST_ROWS: u32 = 200;

/// Returns the rows of a page; 50 if a request names no number.
pub(crate) fn page_size(wanted: Option<u32>) -> Result<u32, WebError> {
    match wanted.unwrap_or(50) {
        rows if (1..=MOST_ROWS).contains(&rows) => Ok(rows),
        _ => Err(WebError::Parameter(format!("limit: a page has 1 to {MOST_ROWS} rows."))),
    }
}

/// Checks that a cursor is an id that sorts by time. What it names may be deleted meanwhile.
pub(crate) fn check_cursor(cursor: Option<&str>) -> Result<(), WebError> {
    match cursor {
        Some(cursor) if !uuid::Uuid::try_parse(cursor).is_ok_and(|id| id.to_string() == cursor) => {
            Err(WebError::Parameter("cursor: it is no id; take the address that `next` gives.".into()))
        }
        Some(_) | None => Ok(()),
    }
}

async fn bytes<S: Send + Sync>(request: Request, state: &S) -> Result<Bytes, WebError> {
    Bytes::from_request(request, state).await.map_err(|e| WebError::BadRequest(e.body_text()))
}

/// Returns the media type without its parameters, in lower case.
pub(crate) fn media_type(request: &Request) -> Option<String> {
    let value = request.headers().get(header::CONTENT_TYPE)?.to_str().ok()?;
    Some(value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
}
