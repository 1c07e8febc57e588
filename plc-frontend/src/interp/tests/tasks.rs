//! Configurations: the programs of each cycle.

use std::collections::BTreeMap;

use crate::hir::Value;
use crate::interp::{Machine, Silent};

const COUNT: &str = "PROGRAM Count
VAR_INPUT
 d : INT := 1;
END_VAR
VAR_OUTPUT
 n : INT;
END_VAR
n := n + d;
END_PROGRAM
";

/// Returns the values of a leaf after each cycle; `start` is TRUE in every other cycle.
fn run(configuration: &str, leaf: &str, cycles: usize) -> Vec<i128> {
    let project = super::project(&format!("{COUNT}CONFIGURATION Plant\n{configuration}\nEND_CONFIGURATION\n"));
    let mut machine = Machine::new(&project, Default::default());
    let has_start = machine.leaf("start").is_some();
    let mut found = Vec::new();
    for cycle in 0..cycles {
        let mut inputs = BTreeMap::new();
        if has_start {
            inputs.insert("start".to_owned(), Value::Bool(cycle % 2 == 1));
        }
        machine.begin(&inputs, super::DT).unwrap();
        machine.run(&mut Silent).unwrap();
        let Some(Value::Int(value)) = machine.leaf(leaf) else { panic!("{leaf}: {:?}", machine.leaves()) };
        found.push(value);
    }
    found
}

#[test]
fn programs_run_in_their_tasks() {
    let check = |configuration: &str, leaf: &str, expected: &[i128]| {
        let inner = format!(
            r"VAR_GLOBAL
 start AT %IX0.0 : BOOL; x : INT := 5; total : INT;
END_VAR
RESOURCE r ON cpu
{configuration}
END_RESOURCE"
        );
        assert_eq!(run(&inner, leaf, expected.len()), expected, "{configuration}");
    };
    check("TASK t (INTERVAL := T#10ms, PRIORITY := 1);\nPROGRAM p WITH t : Count;\nPROGRAM q WITH t : Count;", "q.n", &[1, 2, 3]);
    check("PROGRAM p : Count;", "p.n", &[1, 2, 3]);
    let two = r"TASK a (INTERVAL := T#10ms, PRIORITY := 1);
TASK b (INTERVAL := T#30ms, PRIORITY := 0);
PROGRAM p WITH a : Count;
PROGRAM q WITH b : Count (d := x, n => total);";
    check(two, "p.n", &[1, 2, 3, 4, 5, 6, 7]);
    check(two, "q.n", &[5, 5, 5, 10, 10, 10, 15]);
    check(two, "total", &[5, 5, 5, 10, 10, 10, 15]);
    check("TASK t (SINGLE := start, PRIORITY := 1);\nPROGRAM p WITH t : Count;", "p.n", &[0, 1, 1, 2, 2]);
    // Priorities decide, not the order in the text.
    let order = r"TASK late (INTERVAL := T#10ms, PRIORITY := 9);
TASK early (INTERVAL := T#10ms, PRIORITY := 1);
PROGRAM p WITH late : Count (d := total);
PROGRAM q WITH early : Count (n => total);";
    check(order, "p.n", &[1, 3, 6]);
}
