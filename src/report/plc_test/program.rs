//! The test as a program in Structured Text of IEC 61131-3.

use std::fmt::Write as _;

use super::PlcTest;

/// Returns the text of the program.
pub fn program(test: &PlcTest) -> String {
    let own = &test.own;
    let mut out = String::new();
    for line in &test.head {
        let _ = writeln!(out, "(* {} *)", comment(line));
    }
    let _ = writeln!(out, "PROGRAM {}", test.name);
    out.push_str("VAR\n");
    let mut declare = |name: &str, ty: &str, what: &str| {
        let _ = writeln!(out, "    {name} : {ty};{what}");
    };
    declare(&own.cycle, "DINT", " (* number of the cycle *)");
    if test.observer.shown.is_some() {
        let shows =
            if own.shown.starts_with("Reached") { "the run reaches what is asked for" } else { "the requirement is broken" };
        declare(&own.shown, "BOOL", &format!(" (* TRUE once {shows} *)"));
        declare(&own.shown_in, "DINT", " (* the cycle in which that happens; 0: not yet *)");
    }
    if !test.differs.is_empty() {
        declare(&own.differs_in, "DINT", " (* first cycle with other values than in the run; 0: none *)");
    }
    test.declarations.iter().for_each(|(name, ty)| declare(name, ty, ""));
    out.push_str("END_VAR\n\n");
    let _ = writeln!(out, "IF {} < {} THEN", own.cycle, test.n_cycles());
    let _ = writeln!(out, "    {} := {} + 1;", own.cycle, own.cycle);
    body(test).lines().for_each(|line| {
        let _ = writeln!(out, "    {line}");
    });
    watch(test).lines().for_each(|line| {
        let _ = writeln!(out, "    {line}");
    });
    out.push_str("END_IF;\nEND_PROGRAM\n");
    out
}

/// Returns the statements of a cycle up to the end of the program's call.
pub(super) fn body(test: &PlcTest) -> String {
    let mut out = String::new();
    by_cycle(&mut out, &test.own.cycle, &test.given);
    for line in test.always_given.iter().chain(&test.observer.before) {
        let _ = writeln!(out, "{line}");
    }
    for call in &test.calls {
        match &call.cycles {
            None => {
                let _ = writeln!(out, "{}", call.text);
            }
            Some(cycles) => {
                let numbers: Vec<String> = cycles.iter().map(usize::to_string).collect();
                let _ = writeln!(out, "CASE {} OF\n{}:\n    {}\nEND_CASE;", test.own.cycle, numbers.join(", "), call.text);
            }
        }
    }
    for line in &test.observer.after {
        let _ = writeln!(out, "{line}");
    }
    out
}

/// Returns the statements that watch the requirement and compare values at the end of a cycle.
fn watch(test: &PlcTest) -> String {
    let own = &test.own;
    let mut out = String::new();
    if let Some(shown) = &test.observer.shown {
        let _ = writeln!(out, "(* {} *)", comment(&test.id));
        let _ = writeln!(out, "IF {shown} THEN\n    {} := TRUE;\n    IF {} = 0 THEN", own.shown, own.shown_in);
        let _ = writeln!(out, "        {} := {};\n    END_IF;\nEND_IF;", own.shown_in, own.cycle);
    }
    for line in &test.observer.last {
        let _ = writeln!(out, "{line}");
    }
    compare(&mut out, test);
    out
}

/// Writes the comparison with the values of the run.
fn compare(out: &mut String, test: &PlcTest) {
    if test.differs.is_empty() {
        return;
    }
    by_cycle(out, &test.own.cycle, &test.expected);
    let differs = test.differs.replace('\n', "\n    ");
    // A fault ends the last cycle of a run early: it has no values at its end.
    let compared = test.expected.len();
    let bound = if compared < test.n_cycles() { format!(" AND {} <= {compared}", test.own.cycle) } else { String::new() };
    let _ = writeln!(out, "IF {} = 0{bound} AND (\n    {differs}\n) THEN", test.own.differs_in);
    let _ = writeln!(out, "    {} := {};\nEND_IF;", test.own.differs_in, test.own.cycle);
}

/// Writes statements under the number of their cycle.
fn by_cycle(out: &mut String, cycle: &str, lines: &[Vec<String>]) {
    if lines.iter().all(Vec::is_empty) {
        return;
    }
    let _ = writeln!(out, "CASE {cycle} OF");
    for (at, lines) in lines.iter().enumerate().filter(|(_, lines)| !lines.is_empty()) {
        let _ = writeln!(out, "{}:", at + 1);
        lines.iter().for_each(|line| {
            let _ = writeln!(out, "    {line}");
        });
    }
    out.push_str("END_CASE;\n");
}

/// Returns a text that can stand in a comment.
pub(super) fn comment(text: &str) -> String {
    let mut text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    for mark in ["(*", "*)", "//", "/*", "*/"] {
        while text.contains(mark) {
            let apart: Vec<String> = mark.chars().map(String::from).collect();
            text = text.replace(mark, &apart.join(" "));
        }
    }
    text
}
