//! The answers of a job as SARIF 2.1.0 (OASIS): results with their places, counterexamples as code flows.
//!
//! `kind` and `level` follow the class of the answer. The schema ties a level other than `none` to the kind `fail`.

mod flow;

use serde_json::{Map, Value, json};

use super::{Content, ReportFormat};
use crate::report::address::encoded;
use crate::report::outcome::{Finding, Outcome, Place, RequirementResult, Step};
use crate::report::verdict_class::VerdictClass;
use answer::certificate::sha256;
use kernel::property::{check, pattern};

pub(super) const FORMAT: ReportFormat = ReportFormat {
    name: "sarif",
    title: "SARIF",
    media_type: "application/sarif+json",
    content: Content::Run { ending: "sarif", render: |outcome| Ok(log(outcome).to_string()) },
};

/// Returns the log: one run of one tool.
fn log(outcome: &Outcome) -> Value {
    let mut rules: Vec<&str> = outcome.results.iter().map(|result| result.pattern.as_str()).collect();
    rules.sort_unstable();
    rules.dedup();
    let artifacts = outcome.sources.iter().map(|source| {
        json!({ "location": { "uri": uri(&source.name) }, "hashes": { "sha-256": source.sha256 }, "roles": ["analysisTarget"] })
    });
    let stops = outcome.import.stops().next().is_some() || !outcome.problems.is_empty();
    let errors = outcome.results.iter().any(|result| VerdictClass::of(result) == VerdictClass::Error);
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Scanproof",
                "version": outcome.tool,
                "rules": rules.iter().map(|name| rule(name)).collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "artifacts": artifacts.collect::<Vec<_>>(),
            "invocations": [{
                "executionSuccessful": !stops && !errors,
                "toolExecutionNotifications": notifications(outcome),
            }],
            "results": outcome.results.iter().map(|result| answer(outcome, result)).collect::<Vec<_>>(),
            "properties": { "restsOn": outcome.rests_on },
        }],
    })
}

/// Returns the description of a pattern or an automatic check.
fn rule(name: &str) -> Value {
    let pattern = pattern::by_id(name).map(|pattern| pattern.title);
    match pattern.or_else(|| check::by_name(name).map(|check| check.text)) {
        Some(text) => json!({ "id": name, "shortDescription": { "text": text } }),
        None => json!({ "id": name }),
    }
}

/// Returns what stands in the way of the whole program: errors, parts that are left out, constructs that are not exact.
fn notifications(outcome: &Outcome) -> Vec<Value> {
    let notification = |level: &str, text: String, place: Option<&Place>| {
        let places: Vec<Value> = place.and_then(location).into_iter().collect();
        json!({ "level": level, "message": { "text": text }, "locations": places })
    };
    let level = |finding: &Finding| if finding.severity == "error" { "error" } else { "warning" };
    let findings = outcome.import.diagnostics.iter();
    let findings = findings.map(|f| notification(level(f), format!("{}: {}", f.code, f.message), Some(&f.place)));
    let gaps = outcome.import.gaps.iter();
    let gaps = gaps.map(|gap| notification("warning", format!("{}: {}", gap.construct, gap.effect), Some(&gap.place)));
    let problems = outcome.problems.iter().map(|p| notification("error", format!("{}: {}", p.pointer, p.message), None));
    findings.chain(gaps).chain(problems).collect()
}

fn answer(outcome: &Outcome, result: &RequirementResult) -> Value {
    let (kind, level) = match VerdictClass::of(result) {
        VerdictClass::Violated | VerdictClass::Impossible | VerdictClass::Finding => ("fail", "error"),
        VerdictClass::Holds | VerdictClass::Possible => ("pass", "none"),
        VerdictClass::Conditional | VerdictClass::Vacuous => ("review", "none"),
        VerdictClass::NotChecked => ("notApplicable", "none"),
        VerdictClass::HoldsBounded | VerdictClass::Unknown | VerdictClass::Cancelled | VerdictClass::Error => ("open", "none"),
    };
    let told = result.counterexample.iter().flat_map(|run| run.explanation.iter().map(String::as_str));
    let words: Vec<&str> = [result.headline.as_str(), result.text.as_str()].into_iter().chain(told).collect();
    let fingerprint = sha256(&format!("{}\n{}", result.pattern, result.text));
    let mut properties = Map::new();
    properties.insert("requirement".into(), result.id.as_str().into());
    properties.insert("verdict".into(), VerdictClass::of(result).name().into());
    properties.insert("meaning".into(), result.meaning.as_str().into());
    properties.insert("conditions".into(), result.conditions.iter().map(|condition| condition.text.as_str()).collect());
    properties.insert("safeCycles".into(), result.safe_cycles.into());
    properties.insert("engine".into(), result.engine.as_deref().into());
    properties.insert("durationMs".into(), result.duration_ms.into());
    let mut answer = json!({
        "ruleId": result.pattern,
        "kind": kind,
        "level": level,
        "message": { "text": words.join("\n") },
        "locations": place(outcome, result).and_then(location).into_iter().collect::<Vec<_>>(),
        "partialFingerprints": { "requirement/v1": fingerprint },
        "properties": properties,
    });
    if let Some(run) = &result.counterexample {
        answer["codeFlows"] = json!([flow::of(outcome, run)]);
    }
    answer
}

/// Returns the place of an answer: of its violation, or of the text that it is about.
///
/// Else it is the last write to a variable of the requirement, or the last cause. At least it is the program: some readers
/// show no result without a place.
fn place<'o>(outcome: &'o Outcome, result: &'o RequirementResult) -> Option<&'o Place> {
    let run = result.counterexample.as_ref();
    let last = run.and_then(|run| run.cycles.last()).map(|cycle| cycle.steps.as_slice()).unwrap_or_default();
    let goal = run.map(|run| run.goal.as_slice()).unwrap_or_default();
    let writes = |step: &&Step| step.values.iter().any(|value| value.written && goal.contains(&value.name));
    let steps = || last.iter().rev().filter(|step| step.place.source.is_some());
    let last = || steps().find(writes).or_else(|| steps().find(|step| step.cause)).map(|step| &step.place);
    let exact = run.and_then(|run| run.place.as_ref()).or(result.place.as_ref()).or_else(last);
    exact.filter(|place| place.source.is_some()).or_else(|| outcome.import.pous.first().map(|pou| &pou.place))
}

/// Returns a location; `None` in our standard function blocks, which are no file of the user.
fn location(place: &Place) -> Option<Value> {
    let index = place.source?;
    let (line, end) = (place.line.max(1), place.end_line.max(place.line).max(1));
    Some(json!({ "physicalLocation": {
        "artifactLocation": { "uri": uri(&place.file), "index": index },
        "region": { "startLine": line, "startColumn": place.column.max(1), "endLine": end },
    } }))
}

/// Returns the address of a source, relative to the root of the project.
fn uri(name: &str) -> String {
    encoded(&name.replace('\\', "/"), true)
}

#[cfg(test)]
mod tests;
