//! Values that a requirement file may write in two forms: a list or its only element, a text or a number.

use serde::Deserialize;
use utoipa::ToSchema;

/// Returns a list, or a text as a list of one.
pub(super) fn one_or_many<'d, D: serde::Deserializer<'d>>(from: D) -> Result<Option<Vec<String>>, D::Error> {
    Ok(Option::<CheckNames>::deserialize(from)?.map(|names| match names {
        CheckNames::One(name) => vec![name],
        CheckNames::Many(names) => names,
    }))
}

/// Names of automatic checks.
#[derive(Deserialize, ToSchema)]
#[serde(untagged, expecting = "checks: write a list of names, as in `[overflow, watchdog]`, or `all`")]
pub(super) enum CheckNames {
    /// A name, or `all`.
    One(String),
    /// Several.
    Many(Vec<String>),
}

/// Returns a text, or a number as one.
pub(super) fn maybe_number<'d, D: serde::Deserializer<'d>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<TextOrNumber>::deserialize(from)?.map(TextOrNumber::text))
}

pub(super) fn text_or_number<'d, D: serde::Deserializer<'d>>(from: D) -> Result<String, D::Error> {
    TextOrNumber::deserialize(from).map(TextOrNumber::text)
}

/// Time as a text, or as a number of milliseconds.
#[derive(Deserialize, ToSchema)]
#[serde(untagged)]
pub(super) enum TextOrNumber {
    /// A number of milliseconds.
    Number(Milliseconds),
    /// `500ms`, `5s`, `T#5s`.
    Text(String),
}

/// Milliseconds.
#[derive(Deserialize, ToSchema)]
#[schema(value_type = i64, minimum = 0, maximum = 4294967295i64)]
pub(super) struct Milliseconds(u32);

impl TextOrNumber {
    fn text(self) -> String {
        match self {
            TextOrNumber::Number(ms) => ms.0.to_string(),
            TextOrNumber::Text(text) => text,
        }
    }
}
