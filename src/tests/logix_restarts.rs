//! Restarts of Studio 5000 in the answers of the real binary.

use super::cli::scanproof;
use super::logix::{export, with_tags};

/// Returns the result of a requirement about an export, with everything that the run prints as JSON.
fn outcome(text: &str, rows: &str, requirement: &str) -> serde_json::Value {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("test.L5X"), text).unwrap();
    let spec = format!("checks: []\n{rows}requirements:\n  - id: R1\n    text: It does not happen.\n    {requirement}\n");
    std::fs::write(folder.path().join("test.yaml"), spec).unwrap();
    let output = scanproof(folder.path(), &["verify", "test.L5X", "--json"]);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    document["programs"][0]["outcome"].clone()
}

#[test]
fn restarts_break_requirements_that_hold_without_them() {
    let bit = |name: &str| format!("Name=\"{name}\" DataType=\"BOOL\">");
    let input = "Name=\"b\" DataType=\"BOOL\" Usage=\"Input\">".to_owned();
    let tags = [bit("latch"), bit("motor"), bit("store"), input];
    let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
    // The rung, the requirement, whether it is broken without and with restarts.
    let cases = [
        ("XIC(a)OTL(latch)OTE(motor);[XIC(latch)]OTE(p);", "always: NOT latch OR p", [false, false]),
        ("[XIC(a),XIC(motor)]OTE(motor);XIC(a)OTL(latch);", "always: NOT latch OR motor", [false, true]),
        ("[XIC(a),XIC(motor)]OTE(motor);XIC(a)OTL(latch);", "always: NOT motor OR latch", [false, false]),
        // A number counts edges; a restart hides one.
        ("XIC(a)ONS(store)OTE(p);", "{ after: NOT a, if: a, then: p }", [false, true]),
        ("XIC(S:FS)ADD(z,1,z);", "always: z <= 1", [false, true]),
    ];
    for (rung, requirement, expected) in cases {
        let requirement = requirement.trim_matches(['{', '}', ' ']).replace(", ", "\n    ");
        for (row, is_broken) in ["restarts: never\n", "restarts: any\n"].into_iter().zip(expected) {
            let found = outcome(&with_tags(&export(rung, ""), &tags), row, &requirement);
            let result = &found["results"][0];
            let verdict = if is_broken { "violated" } else { "holds" };
            assert_eq!(result["verdict"], verdict, "{row}{rung}: {found}");
            let words = found.to_string();
            assert_eq!(words.contains("may restart at the start of any cycle"), row.contains("any"), "{words}");
            assert_eq!(words.contains("state `restarts: any`"), row.contains("never"), "{words}");
            if is_broken {
                let cex = &result["counterexample"];
                assert!(cex.to_string().contains("the controller restarts (tags are kept, prescan)"), "{rung}: {cex}");
                assert!(!cex.to_string().contains("__"), "{rung}: {cex}");
            }
        }
    }
}

/// A restart may be excluded where an input says so.
#[test]
fn assumptions_name_restarts() {
    let rung = "[XIC(a),XIC(p)]XIO(b)OTE(p);";
    let text = with_tags(&export(rung, ""), &["Name=\"b\" DataType=\"BOOL\" Usage=\"Input\">"]);
    let requirement = "after: p\n    if: NOT b\n    then: p";
    let verdict = |rows: &str| outcome(&text, rows, requirement)["results"][0]["verdict"].clone();
    assert_eq!(verdict("restarts: any\n"), "violated");
    assert_eq!(verdict("restarts: any\nassumptions:\n  - expr: b OR NOT Controller_Restarts\n"), "holds");
}

/// A run has no restart that is not needed, and each restart is told of its own cycle.
#[test]
fn one_restart_is_told_where_one_is_enough() {
    let preset = "<DataValueMember Name=\"PRE\" DataType=\"DINT\" Radix=\"Decimal\" Value=\"500\"/>";
    let timer = format!("<Data Format=\"Decorated\"><Structure DataType=\"TIMER\">{preset}</Structure></Data>");
    let tag = format!("Name=\"t\" DataType=\"TIMER\">{timer}");
    let text = with_tags(&export("XIC(a)TON(t,?,?)XIC(t.DN)OTE(p);", ""), &[&tag]);
    let found = outcome(&text, "restarts: any\n", "if: a\n    for: 700ms\n    then: p");
    let cex = &found["results"][0]["counterexample"];
    assert_eq!(cex.to_string().matches("the controller restarts").count(), 1, "{cex:#}");
    assert!(!cex.to_string().contains("prescan) (until"), "{cex:#}");
}
