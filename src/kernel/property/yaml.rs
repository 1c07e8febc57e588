//! Reads and writes requirement files. A text is plain if YAML reads it as the same text, otherwise quoted as a JSON string.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::spec::Specification;

/// The fields of assumptions and requirements, in reading order.
const FIELDS: [&str; 18] = [
    "id",
    "text",
    "expr",
    "pattern",
    "params",
    "always",
    "never",
    "possible",
    "always_possible",
    "at_start",
    "after",
    "if",
    "for",
    "from",
    "to",
    "earlier",
    "started",
    "then",
];

/// Reads YAML 1.2: only the words `true` and `false` are no texts, so variables may have the names `y`, `n` and `on`.
pub(super) fn read<T: DeserializeOwned>(text: &str) -> Result<T, serde_saphyr::Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_saphyr::from_str_with_options(text, serde_saphyr::options! { strict_booleans: true })
}

/// Returns the specification in block style, in reading order.
pub(super) fn write(spec: &Specification) -> String {
    let Ok(Value::Object(map)) = serde_json::to_value(spec) else { return String::new() };
    let mut out = String::new();
    let keys =
        ["entry", "project", "dialect", "cycle", "start", "sampling", "restarts", "inputs", "parameters", "memory", "frozen"];
    for key in keys.into_iter().chain(["assumptions", "requirements", "assertions", "checks", "mutants"]) {
        let value = map.get(key).filter(|value| !value.is_null());
        match value {
            Some(Value::Array(items)) if LISTS.contains(&key) => {
                if !items.is_empty() {
                    out.push_str(&format!("{key}:\n"));
                }
                items.iter().for_each(|item| out.push_str(&format!("  - {}\n", shared(item))));
            }
            Some(Value::Array(items)) if items.is_empty() && key != "checks" => {}
            Some(Value::Array(items)) if items.iter().all(Value::is_object) && !items.is_empty() => {
                out.push_str(&format!("{key}:\n"));
                for item in items {
                    if FIELDS.iter().all(|f| item.get(*f).is_none()) {
                        out.push_str("  - {}\n");
                    }
                    let mut lead = "  - ";
                    for (name, value) in FIELDS.iter().filter_map(|f| Some((f, item.get(*f)?))) {
                        out.push_str(&format!("{lead}{name}: {}\n", scalar(value)));
                        lead = "    ";
                    }
                }
            }
            // The order in a JSON map depends on features of serde_json; a range begins with its lower end.
            Some(Value::Object(range)) => {
                let ends = ["min", "max"].iter().filter_map(|end| Some(format!("{end}: {}", scalar(range.get(*end)?))));
                out.push_str(&format!("{key}: {{ {} }}\n", ends.collect::<Vec<_>>().join(", ")));
            }
            Some(value) => out.push_str(&format!("{key}: {}\n", scalar(value))),
            None => {}
        }
    }
    out
}

/// Keys whose rows are paths of variables.
const LISTS: [&str; 4] = ["inputs", "parameters", "memory", "frozen"];

/// Returns a path, or its fields in flow style.
fn shared(item: &Value) -> String {
    let Value::Object(fields) = item else { return scalar(item) };
    let known = ["path", "range", "start"].iter().filter_map(|name| Some((name, fields.get(*name)?)));
    let texts: Vec<String> = known.map(|(name, value)| format!("{name}: {value}")).collect();
    format!("{{ {} }}", texts.join(", "))
}

/// Lists and ranges in flow style; their texts stay quoted.
fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) if is_plain(text) => text.clone(),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            value.to_string()
        }
    }
}

fn is_plain(text: &str) -> bool {
    let words = ["true", "false", "yes", "no", "on", "off", "null", "y", "n", "nan", "inf"];
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || " _.()<>=+*/-,;'".contains(c))
        && !text.ends_with(' ')
        && !words.contains(&text.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use plc_frontend::dialect::DialectId;
    use proptest::prelude::*;

    use crate::property::shared_variable::SharedVariable;
    use crate::property::spec::{Assumption, CycleTime, Requirement, Restarts, RunStart, Sampling, Specification};

    #[test]
    fn a_requirement_file_reads_well() {
        let spec = Specification {
            entry: None,
            project: None,
            dialect: None,
            cycle: Some(CycleTime { min_ms: 5, max_ms: 120 }),
            start: Some(RunStart::Warm),
            sampling: Some(Sampling::Asynchronous),
            restarts: Some(Restarts::Any),
            inputs: vec![
                SharedVariable::at("Hmi.*"),
                SharedVariable { range: Some(("0".into(), "1000".into())), ..SharedVariable::at("Level") },
            ],
            parameters: Vec::new(),
            memory: vec![SharedVariable { any_start: true, ..SharedVariable::at("Stack") }],
            frozen: Vec::new(),
            assumptions: vec![Assumption { text: None, expr: "NOT (StartCmd AND StopCmd)".into() }],
            requirements: vec![Requirement {
                id: Some("R1".into()),
                text: Some("Pump A: never with a closed valve.".into()),
                never: Some("PumpA AND NOT ValveFB".into()),
                ..Requirement::default()
            }],
            assertions: Some(false),
            checks: Some(vec!["division_by_zero".into()]),
            mutants: true,
        };
        let text = "cycle: { min: \"5ms\", max: \"120ms\" }\nstart: warm\nsampling: asynchronous\nrestarts: any\ninputs:\n  - Hmi.*\n  - { path: \"Level\", range: \"0..1000\" }\n\
                    memory:\n  - { path: \"Stack\", start: \"any\" }\nassumptions:\n  - expr: NOT (StartCmd AND StopCmd)\nrequirements:\n  - id: R1\n    \
                    text: \"Pump A: never with a closed valve.\"\n    never: PumpA AND NOT ValveFB\nassertions: false\nchecks: [\"division_by_zero\"]\nmutants: true\n";
        assert_eq!(spec.to_yaml(), text);
    }

    #[test]
    fn a_requirement_without_any_field_is_written_too() {
        let spec = Specification { requirements: vec![Requirement::default(); 2], ..Specification::default() };
        assert_eq!(spec.to_yaml(), "requirements:\n  - {}\n  - {}\n");
        assert_eq!(Specification::from_yaml(&spec.to_yaml()), Ok(spec));
    }

    proptest! {
        #[test]
        fn what_is_written_reads_the_same(
            texts in prop::collection::vec("\\PC{0,12}|[ -~]{0,20}|[a-zA-Z: #'\"\\[\\]{}-]{0,12}|\n|\t", 9),
            min in 1u32..5000,
            more in 0u32..5000,
        ) {
            let t = |i: usize| Some(texts[i].clone());
            let spec = Specification {
                entry: t(0),
                project: (min % 11 != 0).then(|| texts[8].clone()),
                dialect: (min % 2 == 0).then_some(DialectId::SiemensTia),
                cycle: (min % 3 != 0).then_some(CycleTime { min_ms: min, max_ms: min + more }),
                start: (min % 7 == 0).then_some(RunStart::Warm),
                sampling: (min % 5 == 0).then_some(Sampling::Asynchronous),
                restarts: (min % 7 == 0).then_some(Restarts::Any),
                inputs: vec![SharedVariable::at(texts[3].clone())],
                parameters: vec![SharedVariable { range: Some(("-1".into(), "T#5s".into())), ..SharedVariable::at(texts[4].clone()) }],
                memory: vec![SharedVariable { any_start: true, ..SharedVariable::at(texts[5].clone()) }],
                frozen: vec![SharedVariable::at(texts[6].clone()), SharedVariable::at(texts[7].clone())],
                assumptions: vec![Assumption { text: t(1), expr: texts[2].clone() }],
                requirements: vec![
                    Requirement { id: t(3), text: t(4), never: t(5), ..Requirement::default() },
                    Requirement { at_start: t(6), if_: t(7), then: t(8), params: texts.clone(), ..Requirement::default() },
                ],
                assertions: [None, Some(false), Some(true)][min as usize % 3],
                checks: Some(texts.clone()),
                mutants: min % 5 == 0,
            };
            prop_assert_eq!(Specification::from_yaml(&spec.to_yaml()), Ok(spec));
        }
    }
}
