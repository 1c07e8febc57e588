//! The file of expected answers: `model,safe`, one line each.

use std::collections::BTreeMap;
use std::path::Path;

/// Answers by model, in the order of names.
pub(super) struct Expected {
    rows: BTreeMap<String, bool>,
}

impl Expected {
    /// Reads the table. The error is one sentence that names the line.
    pub(super) fn read(text: &str) -> Result<Expected, String> {
        let mut rows = BTreeMap::new();
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let number = at + 1;
            let (model, safe) = line.rsplit_once(',').map_or((line.trim(), ""), |(model, safe)| (model.trim(), safe.trim()));
            match safe {
                "true" | "false" if !model.is_empty() => {
                    if rows.insert(model.to_owned(), safe == "true").is_some() {
                        return Err(format!("line {number}: `{model}` is there twice"));
                    }
                }
                "safe" if at == 0 => {}
                _ => return Err(format!("line {number}: `{line}` is not of the form `model,true` or `model,false`")),
            }
        }
        Ok(Expected { rows })
    }
    /// Returns the model of a program, whose name is the end of its path, and its expected answer.
    pub(super) fn of(&self, program: &str) -> Option<(&str, bool)> {
        let matching = self.rows.iter().filter(|(model, _)| Path::new(program).ends_with(model));
        matching.max_by_key(|(model, _)| model.len()).map(|(model, safe)| (model.as_str(), *safe))
    }
    /// Returns the models.
    pub(super) fn models(&self) -> impl Iterator<Item = &str> {
        self.rows.keys().map(String::as_str)
    }
}

#[test]
fn lines_are_models_and_whether_they_are_safe() {
    let expected = Expected::read("model,safe\na.cfa,true\nsub/a.cfa,false\n\nx, y.cfa , true\n").unwrap();
    assert_eq!(expected.of("bench/a.cfa"), Some(("a.cfa", true)));
    assert_eq!(expected.of("bench/sub/a.cfa"), Some(("sub/a.cfa", false)));
    assert_eq!(expected.of("x, y.cfa"), Some(("x, y.cfa", true)));
    assert_eq!(expected.of("bench/aa.cfa"), None);
    assert_eq!(expected.models().count(), 3);
    let check = |text: &str, words: &str| assert!(Expected::read(text).is_err_and(|e| e.contains(words)), "{text}");
    check("model,safe\na.cfa", "line 2");
    check("model,safe\na.cfa,yes", "line 2");
    check("a,true\na,false", "twice");
    check(",true", "line 1");
}
