//! Table tests; see the module above.

use super::text::{Fate, files};
use super::*;
use crate::report::example::booster;
use crate::report::outcome::{Condition, Place, PouSummary};

fn outcome(verdict: VerdictWord) -> Outcome {
    let mut outcome = booster();
    outcome.results.truncate(1);
    let result = &mut outcome.results[0];
    (result.verdict, result.pattern, result.conditions) = (verdict, "pattern-invariant".into(), Vec::new());
    outcome
}

#[track_caller]
fn check(old: &Outcome, new: &Outcome, expected: &[(&str, Change)]) -> Comparison {
    let comparison = compare(old, new, ("", ""));
    let told: Vec<(&str, Change)> = comparison.rows.iter().map(|row| (row.id.as_str(), row.change)).collect();
    assert_eq!(told, expected);
    comparison
}

#[test]
fn verdicts_under_the_same_statement_are_compared() {
    use VerdictWord::{Cancelled, Error, Holds, HoldsBounded, NotChecked, Unknown, Vacuous, Violated};
    let id = outcome(Holds).results[0].id.clone();
    let pair = |old, new, change| {
        check(&outcome(old), &outcome(new), &[(&id, change)]);
    };
    pair(Holds, Violated, Change::Broken);
    pair(Unknown, Violated, Change::Broken);
    pair(Violated, Holds, Change::Mended);
    // Not decided is not mended.
    pair(Violated, Unknown, Change::Changed);
    pair(Holds, Unknown, Change::Changed);
    pair(Holds, Vacuous, Change::Changed);
    pair(Holds, HoldsBounded, Change::Changed);
    pair(Holds, Holds, Change::Unchanged);
    pair(Violated, Violated, Change::Unchanged);
    for missing in [NotChecked, Cancelled, Error] {
        pair(missing, missing, Change::NoVerdict);
        pair(Violated, missing, Change::NoVerdict);
        pair(missing, Violated, Change::NoVerdict);
    }
}

#[test]
fn an_unchanged_verdict_needs_the_same_basis() {
    let old = outcome(VerdictWord::Holds);
    let id = old.results[0].id.clone();
    let differs = |change: &dyn Fn(&mut Outcome)| {
        let mut new = old.clone();
        change(&mut new);
        check(&old, &new, &[(&id, Change::OtherBasis)])
    };
    assert!(!differs(&|o| o.rests_on.push("A pump has two speeds.".into())).basis.is_empty());
    assert!(!differs(&|o| o.tool.push('9')).basis.is_empty());
    let frozen = Condition { text: "`Speed` is 0".into(), detail: None, place: None };
    assert_eq!(differs(&|o| o.results[0].frozen.push(frozen.clone())).rows[0].conditions, ["now: `Speed` is 0"]);
    let other = compare(&old, &old, ("cycle: 10ms", "cycle: 10 ms"));
    assert_eq!(other.rows[0].change, Change::OtherBasis);
    // A bounded answer about fewer cycles is another one.
    let (mut few, mut many) = (outcome(VerdictWord::HoldsBounded), outcome(VerdictWord::HoldsBounded));
    (few.results[0].safe_cycles, many.results[0].safe_cycles) = (Some(10), Some(20));
    check(&many, &few, &[(&id, Change::Changed)]);
}

#[test]
fn statements_are_told_apart_from_verdicts() {
    let old = outcome(VerdictWord::Holds);
    let id = old.results[0].id.clone();
    let mut new = outcome(VerdictWord::Violated);
    new.results[0].meaning.push_str(" AND TRUE");
    check(&old, &new, &[(&id, Change::Restated)]);
    // The same statement under another number, behind a new one.
    let mut new = old.clone();
    new.results[0].id = "R2".into();
    let fresh = RequirementResult { id: "R1".into(), meaning: "new".into(), ..old.results[0].clone() };
    let mut named = old.clone();
    named.results[0].id = "R1".into();
    new.results.insert(0, fresh);
    check(&named, &new, &[("R1", Change::Added), ("R2", Change::Unchanged)]);
    check(&new, &named, &[("R1", Change::Removed), ("R1", Change::Unchanged)]);
}

#[test]
fn files_differ_by_lines_in_their_pous() {
    let pou = |name: &str, line| PouSummary {
        kind: "PROGRAM".into(),
        name: name.into(),
        place: Place { source: Some(0), file: "a.st".into(), line, column: 1, end_line: line, editor: None },
        n_statements: 1,
    };
    let old = [("a.st", "A\n1\n2\n3\n4\n5\n6\n7\nB\nx\nend\n"), ("gone.st", "g\n"), ("same.st", "s")];
    let new = [("a.st", "A\n1\n2\n3\n4\n5\n6\n7\nB\ny\nend\n"), ("new.st", "n\n"), ("same.st", "s")];
    let changes = files(&old, &new, &[pou("A", 1), pou("B", 9)]);
    let told: Vec<_> = changes.iter().map(|c| (c.name.as_str(), c.fate)).collect();
    assert_eq!(told, [("a.st", Fate::Changed), ("new.st", Fate::Added), ("gone.st", Fate::Removed)]);
    assert_eq!(changes[0].pous, ["PROGRAM B"]);
    let lines: Vec<_> = changes[0].lines.iter().map(|l| (l.sign, l.before, l.after, l.text.as_str())).collect();
    assert!(lines.contains(&('-', Some(10), None, "x")) && lines.contains(&('+', None, Some(10), "y")), "{lines:?}");
    // Three lines around it, on both sides.
    assert_eq!(lines.len(), 3 + 2 + 1);
    // Other line ends are a difference, too.
    assert_eq!(files(&[("a.st", "A\r\n")], &[("a.st", "A\n")], &[]).len(), 1);
}

/// A file of TwinCAT has its texts between marks, and lines that number the lines of a text.
#[test]
fn files_with_editors_differ_as_their_editors_show_them() {
    let file = |id: &str, body: &str, lines: &str| {
        format!(
            "<TcPlcObject>\n<POU Name=\"Main\" Id=\"{id}\">\n<Declaration><![CDATA[PROGRAM Main\nVAR a : INT; END_VAR\n]]></Declaration>\n\
            <Implementation>\n<ST><![CDATA[{body}]]></ST>\n</Implementation>\n<LineIds Name=\"Main\">\n<LineId Id=\"{lines}\" />\n\
            </LineIds>\n</POU>\n</TcPlcObject>\n"
        )
    };
    let check = |old: &str, new: &str, expected: &[(char, &str)]| {
        let changes = files(&[("Main.TcPOU", old)], &[("Main.TcPOU", new)], &[]);
        let lines = changes[0].lines.iter().filter(|line| line.sign != ' ');
        assert_eq!(lines.map(|line| (line.sign, line.text.as_str())).collect::<Vec<_>>(), expected);
        changes[0].lines.iter().filter_map(|line| line.after).max()
    };
    let old = file("1", "a := 1;\na := 2;\n", "3");
    let last = check(&old, &file("1", "a := 1;\na := 3;\n", "4"), &[('-', "a := 2;"), ('+', "a := 3;")]);
    assert_eq!(last, Some(8), "lines are those of the file");
    // What no editor shows is shown as it is in the file.
    check(
        &old,
        &file("2", "a := 1;\na := 2;\n", "3"),
        &[('-', "<POU Name=\"Main\" Id=\"1\">"), ('+', "<POU Name=\"Main\" Id=\"2\">")],
    );
    check(&old, &old.replace("\"3\"", "\"5\""), &[('-', "<LineId Id=\"3\" />"), ('+', "<LineId Id=\"5\" />")]);
}

/// Versions from two folders of a client have the same files.
#[test]
fn folders_around_a_whole_version_tell_no_files_apart() {
    let told = |old: &[&'static str], new: &[&'static str]| -> Vec<(String, Fate)> {
        let old: Vec<(&str, &str)> = old.iter().map(|name| (*name, "a\n")).collect();
        let new: Vec<(&str, &str)> = new.iter().map(|name| (*name, "b\n")).collect();
        files(&old, &new, &[]).into_iter().map(|change| (change.name, change.fate)).collect()
    };
    let changed = |name: &str| (name.to_owned(), Fate::Changed);
    assert_eq!(told(&["va/b.st"], &["vb/b.st"]), [changed("vb/b.st")]);
    assert_eq!(told(&["va/x/b.st", "va/c.st"], &["x/b.st", "c.st"]), [changed("x/b.st"), changed("c.st")]);
    // A name that both have is the same file.
    let added = ("a/x.st".to_owned(), Fate::Added);
    assert_eq!(told(&["a/b/x.st"], &["a/b/x.st", "a/x.st"]), [changed("a/b/x.st"), added]);
}
