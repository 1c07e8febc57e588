//! JSON whose objects are objects: Serde takes an array for a struct, field by field in their order, and this does not.
//!
//! A body that names no fields would be read by their order, and no document of the API says so.

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, Error as _, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Error, Value};

/// A value, read strictly.
pub(super) struct Strict(pub(super) Value);

impl<'de> IntoDeserializer<'de, Error> for Strict {
    type Deserializer = Strict;

    fn into_deserializer(self) -> Strict {
        self
    }
}

impl<'de> Deserializer<'de> for Strict {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Array(items) => visitor.visit_seq(SeqDeserializer::new(items.into_iter().map(Strict))),
            Value::Object(fields) => {
                visitor.visit_map(MapDeserializer::new(fields.into_iter().map(|(key, value)| (key, Strict(value)))))
            }
            other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => other.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if self.0.is_array() {
            return Err(Error::custom(format!("an array stands where an object is expected, {name}")));
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.0.deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map
        identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;
    use crate::run::limits::Limits;
    use kernel::property::spec::Specification;

    fn specification(value: Value) -> Result<Specification, String> {
        Specification::deserialize(Strict(value)).map_err(|error| error.to_string())
    }

    #[test]
    fn an_array_is_no_object_at_any_depth() {
        let whole =
            json!({ "requirements": [{ "id": "R1", "if": "a", "for": "5s", "then": "b" }], "cycle": { "min": 5, "max": "9ms" } });
        let expected: Specification = serde_json::from_value(whole.clone()).unwrap();
        assert_eq!(specification(whole), Ok(expected));
        for wrong in [json!([]), json!({ "requirements": [["R1", "text"]] })] {
            assert!(serde_json::from_value::<Specification>(wrong.clone()).is_ok(), "Serde refuses it by itself: {wrong}");
            let said = specification(wrong.clone()).unwrap_err();
            assert!(said.starts_with("an array stands where an object is expected"), "{wrong}: {said}");
        }
        assert!(Option::<Limits>::deserialize(Strict(json!([10, 512]))).is_err());
        assert_eq!(Option::<Limits>::deserialize(Strict(Value::Null)).unwrap(), None);
    }
}
