//! A field of the form.

/// A field with its entry and the mistake in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) value: String,
    pub(crate) error: Option<String>,
    pub(crate) help: Option<String>,
}

impl Field {
    pub(super) fn of(value: impl Into<String>) -> Field {
        Field { value: value.into(), ..Field::default() }
    }
    pub(super) fn text(&self) -> Option<String> {
        let text = self.value.trim();
        (!text.is_empty()).then(|| text.to_string())
    }
    pub(super) fn is_blank(&self) -> bool {
        self.value.trim().is_empty()
    }
}
