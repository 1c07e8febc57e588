//! Texts that many cycles of a run have in common: names of variables, and values that stay.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Texts of a thread that are remembered at most; then it begins anew.
const MOST: usize = 20_000;
/// Longest text that is remembered, in bytes: long ones are values of strings, and would be kept for long.
const LONGEST: usize = 100;

thread_local! {
    static KNOWN: RefCell<HashSet<Arc<str>>> = RefCell::new(HashSet::new());
}

/// An immutable text. Equal short texts that one thread makes are stored once.
///
/// Cost: 16 bytes for each use, and one copy of each different text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SharedText(Arc<str>);

impl SharedText {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for SharedText {
    fn from(text: &str) -> SharedText {
        if LONGEST < text.len() {
            return SharedText(Arc::from(text));
        }
        KNOWN.with_borrow_mut(|known| {
            if let Some(text) = known.get(text) {
                return SharedText(Arc::clone(text));
            }
            if MOST <= known.len() {
                known.clear();
            }
            let text: Arc<str> = Arc::from(text);
            known.insert(Arc::clone(&text));
            SharedText(text)
        })
    }
}

impl From<String> for SharedText {
    fn from(text: String) -> SharedText {
        SharedText::from(text.as_str())
    }
}

impl Deref for SharedText {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for SharedText {
    fn eq(&self, other: &str) -> bool {
        *self.0 == *other
    }
}

impl PartialEq<&str> for SharedText {
    fn eq(&self, other: &&str) -> bool {
        *self.0 == **other
    }
}

impl PartialEq<String> for SharedText {
    fn eq(&self, other: &String) -> bool {
        *self.0 == **other
    }
}

impl fmt::Display for SharedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&*self.0, f)
    }
}

impl fmt::Debug for SharedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

impl Serialize for SharedText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for SharedText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SharedText, D::Error> {
        // Most texts of JSON need no copy of their own to be looked up.
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = SharedText;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<SharedText, E> {
                Ok(SharedText::from(text))
            }
        }
        deserializer.deserialize_str(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_stored_once_and_survive_json() {
        let (one, other) = (SharedText::from("Motor"), SharedText::from("Motor".to_owned()));
        assert!(Arc::ptr_eq(&one.0, &other.0));
        let json = serde_json::to_string(&one).unwrap();
        assert_eq!(json, "\"Motor\"");
        let again: SharedText = serde_json::from_str(&json).unwrap();
        assert!(Arc::ptr_eq(&one.0, &again.0));
        for n in 0..=MOST {
            assert_eq!(SharedText::from(n.to_string()), n.to_string());
        }
        assert_eq!(one, SharedText::from("Motor"));
        let long = "x".repeat(LONGEST + 1);
        let pair = [SharedText::from(long.as_str()), SharedText::from(long)];
        assert!(pair[0] == pair[1] && !Arc::ptr_eq(&pair[0].0, &pair[1].0));
        assert_eq!(serde_json::from_str::<SharedText>("\"a\\nb\"").unwrap(), "a\nb");
    }
}
