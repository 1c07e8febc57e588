//! The answers of a job as JUnit XML: a test case for each requirement, as build servers show them.
//!
//! An answer that breaks something is a failure, one that decides nothing is skipped. Conditions stand as properties.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite};

use super::{Content, ReportFormat};
use crate::report::outcome::{Outcome, RequirementResult};
use crate::report::verdict_class::VerdictClass;
use crate::report::words::known;

pub(super) const FORMAT: ReportFormat = ReportFormat {
    name: "junit",
    title: "JUnit",
    media_type: "application/xml; charset=utf-8",
    content: Content::Run { ending: "junit.xml", render: |outcome| suite(outcome).to_string().map_err(|e| e.to_string()) },
};

fn suite(outcome: &Outcome) -> Report {
    let program = outcome.sources.first().map_or("program", |source| source.name.as_str());
    let mut suite = TestSuite::new(program);
    suite.add_property(Property::new("scanproof.version", outcome.tool.as_str()));
    for line in &outcome.rests_on {
        suite.add_property(Property::new("scanproof.rests_on", line.as_str()));
    }
    for problem in &outcome.problems {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_message(problem.message.as_str()).set_description(problem.rendered.as_str());
        suite.add_test_case(TestCase::new(problem.pointer.as_str(), status));
    }
    for finding in outcome.import.stops() {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_message(finding.message.as_str()).set_type(finding.code.as_str()).set_description(finding.rendered.as_str());
        suite.add_test_case(TestCase::new(format!("{}, line {}", finding.place.file, finding.place.line), status));
    }
    suite.add_test_cases(outcome.results.iter().map(|result| case(program, result)));
    let mut report = Report::new("Scanproof");
    report.set_time(Duration::from_millis(outcome.duration_ms)).add_test_suite(suite);
    report
}

fn case(program: &str, result: &RequirementResult) -> TestCase {
    let mut case = TestCase::new(format!("{}: {}", result.id, result.text), status(result));
    case.set_classname(program).set_time(Duration::from_millis(result.duration_ms));
    let mut property = |name: &str, value: &str| {
        case.add_property(Property::new(format!("scanproof.{name}"), value));
    };
    property("verdict", &VerdictClass::of(result).name());
    property("meaning", &result.meaning);
    result.conditions.iter().for_each(|condition| property("condition", &condition.text));
    if let Some(run) = &result.counterexample {
        let mut lines = vec!["cycle by cycle, variables that matter:".to_owned()];
        for cycle in &run.cycles {
            let told = cycle.values.iter().filter(|value| run.relevant.iter().any(|name| value.name == *name));
            let told: Vec<String> = told.map(|value| format!("{} = {}", value.name, value.told())).collect();
            lines.push(format!("cycle {}: {}", cycle.number, told.join(", ")));
        }
        case.set_system_out(lines.join("\n"));
    }
    case
}

fn status(result: &RequirementResult) -> TestCaseStatus {
    let mut status = match VerdictClass::of(result) {
        VerdictClass::Holds | VerdictClass::Possible | VerdictClass::Conditional => return TestCaseStatus::success(),
        VerdictClass::Violated | VerdictClass::Impossible | VerdictClass::Finding | VerdictClass::Vacuous => {
            TestCaseStatus::non_success(NonSuccessKind::Failure)
        }
        VerdictClass::Error | VerdictClass::Cancelled => TestCaseStatus::non_success(NonSuccessKind::Error),
        VerdictClass::Unknown | VerdictClass::NotChecked | VerdictClass::HoldsBounded => TestCaseStatus::skipped(),
    };
    let told = result.counterexample.iter().flat_map(|run| run.explanation.iter().cloned());
    let details: Vec<String> = told.chain(known(result)).collect();
    status.set_message(result.headline.as_str()).set_type(result.pattern.as_str()).set_description(details.join("\n"));
    status
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example::booster;

    #[test]
    fn each_answer_has_the_status_of_its_class() {
        let mut outcome = booster();
        let mut conditional = outcome.results[1].clone();
        conditional.conditions.push(crate::report::outcome::Condition {
            text: "no division by zero (not checked)".into(),
            detail: None,
            place: None,
        });
        outcome.results.push(conditional);
        let report = suite(&outcome);
        let suite = &report.test_suites[0];
        assert_eq!((suite.tests, suite.failures, suite.errors, suite.skipped), (9, 2, 2, 3), "{suite:#?}");
        let text = report.to_string().unwrap();
        assert!(text.contains("no division by zero (not checked)"), "{text}");
        assert!(text.contains("in the first 23 cycles"), "{text}");
        assert!(text.contains("cycle 2: "), "{text}");
    }

    #[test]
    fn errors_of_the_upload_are_no_empty_success() {
        let mut outcome = booster();
        outcome.results.clear();
        outcome.problems.push(crate::report::outcome::Problem::new("/requirements/0/never", "there is no variable `x`"));
        let report = suite(&outcome);
        assert_eq!((report.tests, report.errors), (1, 1));
    }
}
