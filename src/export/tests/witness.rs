//! Witnesses are read again: the values of a violation lead the C program to its error, invariants hold when it runs.

use std::collections::BTreeMap;

use super::c::{End, compile, execute};
use super::{Case, case, question};
use crate::export::{Naming, Shown, witness};
use kernel::cfa::Op;
use kernel::expr::{BvCmp, Sort, Value};
use testgen::automata::examples::saturating;

const NAMING: Naming<'static> = Naming { file: "model.c", created: "2026-01-31T12:00:00Z", left_out: "nothing \"at\" all" };

/// Reads kind, place and constraint of each waypoint, or place and text of each invariant.
fn entries(yaml: &str) -> Vec<(String, usize, usize, String)> {
    let mut entries: Vec<(String, usize, usize, String)> = Vec::new();
    let content = yaml.split_once("\n  content:\n").unwrap().1;
    for line in content.lines() {
        let Some((key, value)) = line.trim().trim_start_matches("- ").split_once(": ") else { continue };
        let value = value.trim_matches('"').replace("\\\\", "\\");
        match key {
            "type" => entries.push((value, 0, 0, String::new())),
            "line" => entries.last_mut().unwrap().1 = value.parse().unwrap(),
            "column" => entries.last_mut().unwrap().2 = value.parse().unwrap(),
            "value" => entries.last_mut().unwrap().3 = value,
            "file_name" => assert_eq!(value, "model.c"),
            _ => {}
        }
    }
    entries
}

/// Returns the bits of the value that a constraint asks for.
fn bits_of(constraint: &str, call: &str) -> u128 {
    let text = constraint.strip_prefix("\\result == ").unwrap();
    match call {
        "float" => text.trim_end_matches('f').parse::<f32>().unwrap().to_bits().into(),
        "double" => text.parse::<f64>().unwrap().to_bits().into(),
        _ => text.trim_end_matches(['u', 'l']).parse().unwrap(),
    }
}

#[test]
fn values_of_a_violation_lead_the_c_program_to_its_error() {
    let mut n_executed = 0;
    for seed in 60..80 {
        let Case { mut question, inputs, expected, text } = case(seed, seed % 2 == 0);
        let havocked = question.cfa.edges.iter().filter_map(|edge| match edge.op {
            Op::Havoc(var) => Some((var, Value::zero(question.pool.var_decl(var).sort))),
            Op::Skip | Op::Assume(_) | Op::Assign(..) | Op::Block(_) => None,
        });
        let zeros: BTreeMap<_, _> = havocked.collect();
        let given = |by_var: &BTreeMap<_, Value>| {
            let mut values = zeros.clone();
            values.extend(by_var.iter().map(|(var, value)| (*var, *value)));
            values
        };
        let cycles: Vec<_> = inputs.cycles.iter().map(|cycle| given(&cycle.by_var)).collect();
        let written = match witness(&mut question, Shown::Run(&cycles), NAMING) {
            Ok(written) => written,
            Err(_) => continue,
        };
        assert!(expected.is_some(), "{text}");
        assert!(written.yaml.contains("nothing \\\"at\\\" all"), "{}", written.yaml);
        let has_values = written.yaml.contains("function_return");
        assert_eq!(has_values, written.yaml.contains("format: \"acsl_expression\""), "{}", written.yaml);
        let lines: Vec<&str> = written.c.lines().collect();
        let mut values = Vec::new();
        let entries = entries(&written.yaml);
        for (kind, line, column, constraint) in &entries {
            let line = lines[line - 1];
            match kind.as_str() {
                "function_return" => {
                    let before = &line[..*column];
                    let call = before.rsplit_once("__VERIFIER_nondet_").unwrap().1.strip_suffix("()").unwrap();
                    values.push(bits_of(constraint, call));
                }
                "target" => assert!(line[column - 1..].starts_with("reach_error();"), "{line}"),
                other => panic!("{other}"),
            }
        }
        assert_eq!(entries.last().unwrap().0, "target");
        let folder = tempfile::tempdir().unwrap();
        let Some(program) = compile(folder.path(), &written.c, &[]) else { return };
        assert_eq!(execute(&program, &values), End::Error, "seed {seed}\n{text}\n{}", written.yaml);
        n_executed += 1;
    }
    assert!(2 <= n_executed, "{n_executed}");
}

#[test]
fn invariants_hold_where_the_witness_says() {
    for (bound, expected) in [(6, End::InputsOver), (3, End::Broken)] {
        let example = saturating(5, 6);
        let mut question = question(example.pool, example.cfa);
        let (x, pool) = (question.cfa.vars[0], &mut question.pool);
        let value = pool.var(x);
        let Sort::BitVec(width) = pool.sort(value) else { panic!("a counter") };
        let (low, high) = (pool.constant(Value::int(width, -1)), pool.constant(Value::int(width, bound)));
        let parts = [pool.bv_cmp(BvCmp::Slt, low, value), pool.bv_cmp(BvCmp::Slt, value, high)];
        let both = pool.and_all(parts);
        let at = BTreeMap::from([(question.cfa.head, both)]);
        let written = witness(&mut question, Shown::Invariants(&at), NAMING).unwrap();
        let entries = entries(&written.yaml);
        assert_eq!(entries.len(), 2, "{}", written.yaml);
        let mut lines: Vec<String> = written.c.lines().map(str::to_owned).collect();
        for (kind, line, column, text) in entries {
            assert_eq!((kind.as_str(), column), ("location_invariant", 1));
            assert!(lines[line - 1].contains(":;"), "{}", lines[line - 1]);
            lines[line - 1].push_str(&format!(" if (!({text})) exit(9);"));
        }
        let folder = tempfile::tempdir().unwrap();
        // The counter counts in every cycle, and cycles ask for nothing: the values of the test end it.
        let text = lines.join("\n").replace("int main(void) {", "static int n;\nint main(void) {");
        let head = format!("{}:;", question.cfa.head);
        let text = text.replacen(&head, &format!("{head} if (100 < ++n) exit(3);"), 1);
        let Some(program) = compile(folder.path(), &text, &[]) else { return };
        assert_eq!(execute(&program, &[1; 200]), expected, "{text}");
    }
}

#[test]
fn what_c_cannot_say_is_refused_or_left_out_by_name() {
    let example = saturating(5, 6);
    let mut question = question(example.pool, example.cfa);
    let x = question.cfa.vars[0];
    let value = question.pool.var(x);
    let zero = question.pool.constant(Value::int(16, 0));
    let divided = question.pool.bv(kernel::expr::BvBin::Udiv, value, value);
    let odd = question.pool.ne(divided, zero);
    let good = question.pool.bv_cmp(BvCmp::Sle, zero, value);
    let some = question.pool.and(odd, good);
    let head = question.cfa.head;
    let mut write = |e| witness(&mut question, Shown::Invariants(&BTreeMap::from([(head, e)])), NAMING);
    assert!(write(odd).unwrap_err().0.contains("no part"));
    assert!(write(some).unwrap().yaml.contains("1 parts of the invariants have no C expression"));
    let none: Vec<BTreeMap<_, _>> = vec![BTreeMap::new()];
    assert!(witness(&mut question, Shown::Run(&none), NAMING).unwrap_err().0.contains("no witness"));
}
