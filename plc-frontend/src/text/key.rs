//! Keys of names: IEC compares identifiers without case. This is the only case folding of identifiers.

/// A name in the form in which names are compared.
pub(crate) type Key = String;

/// Returns the key of a name.
pub(crate) fn key(name: &str) -> Key {
    name.to_lowercase()
}
