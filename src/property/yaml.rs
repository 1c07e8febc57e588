//! Writes requirement files. Scalars are always quoted as JSON strings, which YAML reads unchanged.

use serde_json::Value;

use super::spec::Specification;

/// The fields of assumptions and requirements, in reading order.
const FIELDS: [&str; 11] = ["id", "text", "expr", "pattern", "params", "always", "never", "at_start", "after", "if", "then"];

/// The specification in block style, in the order in which people read it.
pub(super) fn write(spec: &Specification) -> String {
    let Ok(Value::Object(map)) = serde_json::to_value(spec) else { return String::new() };
    let mut out = String::new();
    for key in ["entry", "cycle", "assumptions", "requirements", "checks"] {
        match map.get(key) {
            Some(Value::Array(items)) if items.is_empty() && key != "checks" => {}
            Some(Value::Array(items)) if items.iter().all(Value::is_object) && !items.is_empty() => {
                out.push_str(&format!("{key}:\n"));
                for item in items {
                    let mut lead = "  - ";
                    for (name, value) in FIELDS.iter().filter_map(|f| Some((f, item.get(*f)?))) {
                        out.push_str(&format!("{lead}{name}: {value}\n"));
                        lead = "    ";
                    }
                }
            }
            Some(value) => out.push_str(&format!("{key}: {value}\n")),
            None => {}
        }
    }
    out
}
