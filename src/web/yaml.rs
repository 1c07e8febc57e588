//! Requirement files: how a specification is written as YAML, for people to keep beside their program.

use crate::property::spec::{CycleTimeText, Requirement, Specification};

/// What is wrong with a requirement file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct YamlError {
    /// One sentence, with line and column where they are known.
    pub(super) message: String,
}

/// Reads a requirement file. An empty one states nothing.
pub(super) fn read(text: &str) -> Result<Specification, YamlError> {
    if text.trim().is_empty() {
        return Ok(Specification::default());
    }
    serde_saphyr::from_str(text).map_err(|e| YamlError { message: e.without_snippet().to_string() })
}

/// Writes a requirement file.
pub(super) fn write(spec: &Specification) -> String {
    let mut out = String::new();
    let mut line = |text: &str| {
        out.push_str(text);
        out.push('\n');
    };
    if let Some(entry) = &spec.entry {
        line(&format!("entry: {}", scalar(entry)));
    }
    match CycleTimeText::from(spec.cycle) {
        CycleTimeText::Exact(time) => line(&format!("cycle: {time}")),
        CycleTimeText::Range { min, max } => line(&format!("cycle: {{ min: {min}, max: {max} }}")),
    }
    if !spec.assumptions.is_empty() {
        line("assumptions:");
    }
    for a in &spec.assumptions {
        let fields = [("text", a.text.as_ref()), ("expr", Some(&a.expr))];
        item(&mut line, fields.into_iter().filter_map(|(key, value)| Some((key, scalar(value?)))));
    }
    if !spec.requirements.is_empty() {
        line("requirements:");
    }
    for r in &spec.requirements {
        item(&mut line, fields(r));
    }
    if let Some(checks) = &spec.checks {
        line(&format!("checks: {}", sequence(checks)));
    }
    out
}

fn fields(r: &Requirement) -> impl Iterator<Item = (&'static str, String)> {
    let texts = [
        ("id", &r.id),
        ("text", &r.text),
        ("always", &r.always),
        ("never", &r.never),
        ("after", &r.after),
        ("if", &r.if_),
        ("at_start", &r.at_start),
        ("then", &r.then),
        ("pattern", &r.pattern),
    ];
    let params = (!r.params.is_empty()).then(|| ("params", sequence(&r.params)));
    texts.into_iter().filter_map(|(key, value)| Some((key, scalar(value.as_ref()?)))).chain(params)
}

/// An entry of a sequence: `  - key: value`, further keys below the first.
fn item(line: &mut impl FnMut(&str), fields: impl Iterator<Item = (&'static str, String)>) {
    let mut empty = true;
    for (key, value) in fields {
        let lead = if empty { "  - " } else { "    " };
        line(&format!("{lead}{key}: {value}"));
        empty = false;
    }
    if empty {
        line("  - {}");
    }
}

fn sequence(values: &[String]) -> String {
    format!("[{}]", values.iter().map(|v| quoted(v)).collect::<Vec<_>>().join(", "))
}

/// A text plain where YAML cannot read it as anything else, quoted otherwise.
fn scalar(text: &str) -> String {
    let plain_char = |c: char| c.is_ascii_alphanumeric() || " _.()<>=+*/-,;'".contains(c);
    let words = ["true", "false", "yes", "no", "on", "off", "null", "y", "n", "nan", "inf"];
    let plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(plain_char)
        && !text.ends_with(' ')
        && !words.contains(&text.to_ascii_lowercase().as_str());
    if plain { text.to_string() } else { quoted(text) }
}

/// JSON strings are YAML strings.
fn quoted(text: &str) -> String {
    serde_json::Value::String(text.to_string()).to_string()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::property::spec::{Assumption, CycleTime};

    #[test]
    fn a_requirement_file_reads_well() {
        let spec = Specification {
            entry: None,
            cycle: CycleTime { min_ms: 5, max_ms: 120 },
            assumptions: vec![Assumption { text: None, expr: "NOT (StartCmd AND StopCmd)".into() }],
            requirements: vec![Requirement {
                id: Some("R1".into()),
                text: Some("Pump A: never with a closed valve.".into()),
                never: Some("PumpA AND NOT ValveFB".into()),
                ..Requirement::default()
            }],
            checks: Some(vec!["division_by_zero".into()]),
        };
        let text = "cycle: { min: 5ms, max: 120ms }\nassumptions:\n  - expr: NOT (StartCmd AND StopCmd)\nrequirements:\n  - id: R1\n    \
                    text: \"Pump A: never with a closed valve.\"\n    never: PumpA AND NOT ValveFB\nchecks: [\"division_by_zero\"]\n";
        assert_eq!(write(&spec), text);
        assert_eq!(read(text), Ok(spec));
    }

    #[test]
    fn errors_say_where() {
        let check = |text: &str, words: &[&str]| {
            let error = read(text).unwrap_err().message;
            assert!(words.iter().all(|w| error.contains(w)), "{error}");
        };
        check("requirements:\n  - id: R1\n    nevr: x\n", &["nevr", "line 3"]);
        check("cycle: 0ms", &["cycle time `0ms`"]);
        check("requirements: [", &["line 1"]);
        check("[]", &[]);
        check("a: &a [*a]", &[]);
    }

    proptest! {
        #[test]
        fn what_is_written_reads_the_same(texts in prop::collection::vec("\\PC{0,12}|[ -~]{0,20}|[a-zA-Z: #'\"\\[\\]{}-]{0,12}|\n|\t", 9), min in 1u32..5000, more in 0u32..5000) {
            let t = |i: usize| Some(texts[i].clone());
            let spec = Specification {
                entry: t(0),
                cycle: CycleTime { min_ms: min, max_ms: min + more },
                assumptions: vec![Assumption { text: t(1), expr: texts[2].clone() }],
                requirements: vec![
                    Requirement { id: t(3), text: t(4), never: t(5), ..Requirement::default() },
                    Requirement::default(),
                    Requirement { at_start: t(6), if_: t(7), then: t(8), params: texts.clone(), ..Requirement::default() },
                ],
                checks: Some(texts.clone()),
            };
            prop_assert_eq!(read(&write(&spec)), Ok(spec));
        }
    }
}
