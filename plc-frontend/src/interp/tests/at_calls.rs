//! Values that calls of stubs give: one for each call of a cycle.

use std::collections::BTreeMap;

use super::{DT, project};
use crate::hir::{ExprKind, StmtKind, Value, name_at_call};
use crate::interp::{BadInput, ByPath, Limits, Machine, Silent};

/// Two instances, and a function that is called in a loop.
const PROGRAM: &str = "
{attribute 'stub'}
FUNCTION_BLOCK FB_V
VAR_OUTPUT
    Level : INT;
END_VAR
END_FUNCTION_BLOCK

{attribute 'stub'}
FUNCTION F_S : INT
VAR_INPUT
    x : INT;
END_VAR
END_FUNCTION

PROGRAM Main
VAR
    a, b : FB_V;
    v : ARRAY [1..3] OF INT;
    i, sum : INT;
END_VAR
a();
b();
FOR i := 1 TO 3 DO
    v[i] := F_S(x := i);
END_FOR
sum := F_S(x := 0) - F_S(x := 1);
END_PROGRAM
";

/// Runs a cycle, and returns the values of the leaves with these names.
fn run(machine: &mut Machine<'_>, given: &[(&str, i128)], names: &[&str]) -> Vec<i128> {
    let inputs: BTreeMap<String, Value> = given.iter().map(|(name, value)| ((*name).to_owned(), Value::Int(*value))).collect();
    machine.begin(&inputs, DT).unwrap();
    machine.run(&mut Silent).unwrap();
    names.iter().map(|name| machine.leaf(&format!("Main.{name}")).unwrap().as_int().unwrap()).collect()
}

#[test]
fn each_call_of_a_cycle_has_a_value() {
    let project = project(PROGRAM);
    let mut machine = Machine::new(&project, Limits::default());
    let names = ["a.Level", "b.Level", "v[1]", "v[2]", "v[3]", "sum"];
    for (given, expected) in [
        // One value is that of all calls.
        (&[("FB_V.Level (at call)", 7), ("F_S (at call)", 2)][..], [7, 7, 2, 2, 2, 0]),
        (&[("FB_V.Level (at call 2)", 9), ("F_S (at call 2)", 5), ("F_S (at call 5)", 1)], [7, 9, 2, 5, 5, 4]),
        // The next cycle begins with the last value.
        (&[], [9, 9, 1, 1, 1, 0]),
        (&[("FB_V.Level (at call)", 1), ("FB_V.Level (at call 3)", 4)], [1, 1, 1, 1, 1, 0]),
    ] {
        assert_eq!(run(&mut machine, given, &names), expected, "{given:?}");
    }
}

#[test]
fn names_of_calls_belong_to_stubs_and_have_values_of_their_type() {
    let project = project(PROGRAM);
    let mut machine = Machine::new(&project, Limits::default());
    for (name, value, expected) in [
        ("Main.sum (at call 2)", Value::Int(1), BadInput::Unknown("Main.sum (at call 2)".to_owned())),
        ("FB_V.Level (at call 1)", Value::Int(1), BadInput::Unknown("FB_V.Level (at call 1)".to_owned())),
        ("FB_V.Level (at call 2)", Value::Int(70_000), BadInput::WrongType("FB_V.Level (at call 2)".to_owned())),
    ] {
        assert_eq!(machine.begin(&BTreeMap::from([(name.to_owned(), value)]), DT), Err(expected), "{name}");
    }
}

#[test]
fn a_condition_leaves_the_calls_of_the_cycle_as_they_are() {
    let project = project(PROGRAM);
    let mut machine = Machine::new(&project, Limits::default());
    machine.begin(&BTreeMap::from([("F_S (at call 2)".to_owned(), Value::Int(5))]), DT).unwrap();
    let of_call = |stmt: &StmtKind| {
        let StmtKind::Assign { value, .. } = stmt else { return None };
        matches!(value.kind, ExprKind::Binary(..)).then(|| value.clone())
    };
    let call = project.pous.iter().flat_map(|pou| &pou.body).find_map(|stmt| of_call(&stmt.kind));
    // It is computed from the first two values.
    assert_eq!(machine.eval(&call.unwrap()), Ok(Value::Int(-5)));
    machine.run(&mut Silent).unwrap();
    assert_eq!(machine.leaf("Main.v[1]"), Some(Value::Int(0)));
    assert_eq!(machine.leaf("Main.v[2]"), Some(Value::Int(5)));
}

#[test]
fn values_by_path_are_those_of_the_calls_in_their_order() {
    let project = project(PROGRAM);
    let mut machine = Machine::new(&project, Limits::default());
    machine.begin(&BTreeMap::from([("F_S (at call)".to_owned(), Value::Int(3))]), DT).unwrap();
    machine.give_by_path(ByPath::default());
    machine.run(&mut Silent).unwrap();
    let taken: Vec<(&str, Value)> = machine
        .taken()
        .iter()
        .map(|(leaf, value)| (project.leaves()[*leaf].name.clone(), *value))
        .map(|(name, value)| (if name == name_at_call("F_S (at call)", 1) { "F_S" } else { "FB_V" }, value))
        .collect();
    let expected = [("FB_V", 0), ("FB_V", 0), ("F_S", 3), ("F_S", 3), ("F_S", 3), ("F_S", 3), ("F_S", 3)];
    assert_eq!(taken, expected.map(|(name, value)| (name, Value::Int(value))));
}
