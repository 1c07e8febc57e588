//! Programs whose recursive calls are too many to be written out: proofs by summaries, violations, and what is refused.

use super::cli::{json, scanproof};

/// McCarthy's function, and the number of ways to climb stairs: each calls itself twice on one way.
const TREES: &str = "{attribute 'estimated-stack-usage' := '2000'}
FUNCTION Level : DINT
VAR_INPUT n : DINT; END_VAR
IF n > 100 THEN Level := n - 10; ELSE Level := Level(Level(n + 11)); END_IF;
END_FUNCTION
{attribute 'estimated-stack-usage' := '2000'}
FUNCTION Ways : DINT
VAR_INPUT n : DINT; END_VAR
VAR one, two : DINT; END_VAR
IF n < 2 THEN Ways := 1; ELSE one := Ways(n - 1); two := Ways(n - 2); Ways := MIN(one + two, 1000); END_IF;
END_FUNCTION
PROGRAM Main
VAR_INPUT Wanted : INT; Stairs : INT; END_VAR
VAR_OUTPUT Reached : DINT := 91; Number : DINT := 1; END_VAR
Reached := 91;
IF Wanted <= 100 THEN Reached := Level(Wanted); END_IF;
Number := Ways(Stairs);
END_PROGRAM
";

const REQUIREMENTS: &str = "dialect: codesys
checks: [call_depth]
requirements:
  - { id: always-91, always: Reached = 91 }
  - { id: positive, always: Number >= 1 AND Number <= 1000 }
  - { id: never-two, never: Number = 2 }
";

#[test]
fn recursion_that_is_too_large_to_be_written_out_is_decided_at_any_depth() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("p.st"), TREES).unwrap();
    std::fs::write(folder.path().join("p.yaml"), REQUIREMENTS).unwrap();
    let answers = |engine: &[&str]| -> Vec<(String, String, String)> {
        let all = [&["verify", "p.st", "--json"], engine].concat();
        let document = json(&scanproof(folder.path(), &all));
        let results = document.pointer("/programs/0/outcome/results").and_then(|all| all.as_array()).unwrap().clone();
        let word = |of: &serde_json::Value, key: &str| of[key].as_str().unwrap_or_default().to_owned();
        results.iter().map(|of| (word(of, "id"), word(of, "verdict"), word(of, "reason"))).collect()
    };
    let found = answers(&[]);
    let words: Vec<(&str, &str)> = found.iter().map(|(id, word, _)| (id.as_str(), word.as_str())).collect();
    let expected =
        [("always-91", "holds"), ("positive", "holds"), ("never-two", "violated"), ("check-call_depth", "not_checked")];
    assert_eq!(words, expected, "{found:?}");
    let output = scanproof(folder.path(), &["verify", "p.st", "--requirement", "never-two"]);
    let text = String::from_utf8_lossy(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("Nothing is claimed about a cycle in which such a call never returns."), "{text}");
    // To other engines the results of such calls are arbitrary.
    let found = answers(&["--engine", "cegar"]);
    assert!(found.iter().all(|(_, word, _)| ["unknown", "not_checked"].contains(&word.as_str())), "{found:?}");
    assert!(found.iter().any(|(.., why)| why.contains("`bam`")), "{found:?}");
    // A model for another tool has all calls written out.
    let output = scanproof(folder.path(), &["export", "p.st", "--format", "btor2", "--requirement", "positive"]);
    assert!(!output.status.success() && output.stdout.is_empty(), "{output:?}");
}
