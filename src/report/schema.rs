//! The published JSON schemas, made from the types that are written and read.

use serde_json::{Value, json};
use utoipa::OpenApi;

use super::outcome::Outcome;
use super::verification::Verification;

#[derive(OpenApi)]
#[openapi(components(schemas(Outcome, Verification)))]
struct Formats;

/// Returns the JSON Schema (2020-12) of an outcome, as in the API and `report.json`.
pub fn outcome() -> Value {
    schema("Outcome")
}

/// Returns the JSON Schema (2020-12) of the output of `scanproof verify --json`.
pub fn verification() -> Value {
    schema("Verification")
}

fn schema(name: &str) -> Value {
    // Serializing our own plain data has no way to fail; an empty schema would accept everything, so say so loudly in tests.
    let components = serde_json::to_value(Formats::openapi().components).unwrap_or_default();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": name,
        "$ref": format!("#/components/schemas/{name}"),
        "components": components,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_name_their_types_and_refuse_other_documents() {
        for (schema, name) in [(outcome(), "Outcome"), (verification(), "Verification")] {
            assert!(schema["components"]["schemas"][name]["properties"]["format"].is_object(), "{schema:#}");
            let validator = jsonschema::validator_for(&schema).unwrap();
            assert!(!validator.is_valid(&json!({})), "{name}");
            assert!(!validator.is_valid(&json!({ "format": "one" })), "{name}");
        }
    }

    #[test]
    fn outcomes_are_valid_and_damaged_ones_are_not() {
        let validator = jsonschema::draft202012::new(&outcome()).unwrap();
        let whole = serde_json::to_value(crate::report::example::booster()).unwrap();
        let errors: Vec<String> = validator.iter_errors(&whole).map(|e| format!("{} at {}", e, e.instance_path())).collect();
        assert!(errors.is_empty(), "{errors:?}");
        let damage = |pointer: &str, value: Value| {
            let mut damaged = whole.clone();
            *damaged.pointer_mut(pointer).unwrap() = value;
            assert!(!validator.is_valid(&damaged), "{pointer}");
        };
        damage("/results/0/verdict", "perhaps".into());
        damage("/results/0/counterexample/cycles/0/number", "one".into());
        damage("/import", Value::Null);
        damage("/sources/0/text", 3.into());
    }

    #[test]
    fn verifications_are_valid() {
        let validator = jsonschema::draft202012::new(&verification()).unwrap();
        let outcome = Some(crate::report::example::booster());
        let program = crate::report::verification::ProgramReport {
            name: "a.st".into(),
            outcome,
            surprises: Some(Vec::new()),
            ..Default::default()
        };
        let whole =
            Verification { format: 1, tool: "0".into(), programs: vec![program], tally: Default::default(), exit_code: 40 };
        assert!(validator.is_valid(&serde_json::to_value(whole).unwrap()));
    }
}
