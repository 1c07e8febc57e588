//! Law of values that calls of stubs give: a run of the automaton with another value at each call is one of the interpreter.
//! Its inputs are those that a replay makes of the trace.

use std::collections::BTreeMap;

use answer::replay::{Case, CycleInputs, at_calls};
use kernel::cfa::model::build;
use kernel::cfa::simulate::{End, Simulator};
use kernel::cfa::{Model, ModelOptions};
use kernel::expr::{Sort, Value, VarId};
use kernel::property::claim::Claim;
use kernel::verdict::Trace;
use plc_frontend::hir::{self, Leaf, Project, Root, leaf_at_call};
use plc_frontend::ids::Id;
use plc_frontend::interp::{Limits, Machine, Silent};
use testgen::programs::{Size, program};
use testgen::readings::{Inputs, Numbers, inputs, read};

const CYCLES: usize = 4;
const MAX_EDGES: usize = 200_000;

/// A run of the automaton.
struct Run {
    cycles: Vec<CycleInputs>,
    trace: Trace,
    /// Values of the leaves at the end of each cycle.
    ends: Vec<Vec<Value>>,
}

fn is_at_call(project: &Project, leaf: &Leaf) -> bool {
    matches!(leaf.root, Root::Global(global) if project.at_call.contains(&global))
}

/// Runs the automaton; the run ends where it takes a value that no trace has.
fn run(project: &Project, model: &Model, given: &Inputs, numbers: &mut Numbers) -> Run {
    let of_calls: BTreeMap<VarId, VarId> = model.at_calls.rows.iter().map(|row| (row.var, row.leaf)).collect();
    let mut simulator = Simulator::new(&model.pool, &model.cfa);
    simulator.cycle(1, &mut |_| unreachable!("nothing is havocked before the head"));
    simulator.start(&given.cycles[0].by_var);
    let mut run = Run { cycles: Vec::new(), trace: Trace::default(), ends: Vec::new() };
    let leaves = project.leaves();
    for given in given.cycles.iter().take(CYCLES) {
        let (mut is_told, number) = (true, run.trace.cycles.len());
        run.trace.cycles.push(BTreeMap::new());
        let trace = &mut run.trace;
        let end = simulator.cycle(MAX_EDGES, &mut |var| {
            if of_calls.contains_key(&var) {
                let value = match model.pool.var_decl(var).sort {
                    Sort::Bool => Value::Bool(numbers.below(2) == 0),
                    Sort::BitVec(width) => Value::int(width, i128::from(numbers.below(5))),
                    other @ (Sort::Float(_) | Sort::Int | Sort::Array(..)) => Value::zero(other),
                };
                trace.take(number, var, value);
                return value;
            }
            is_told &= given.by_var.contains_key(&var);
            given.by_var.get(&var).copied().unwrap_or_else(|| Value::zero(model.pool.var_decl(var).sort))
        });
        if end != End::Head || !is_told {
            run.trace.cycles.pop();
            break;
        }
        let by_leaf = given.by_leaf.iter().filter(|(leaf, _)| !is_at_call(project, &leaves[*leaf]));
        let inputs = by_leaf.map(|(leaf, value)| (leaves[*leaf].name.clone(), *value)).collect();
        run.cycles.push(CycleInputs { inputs, dt_ns: i64::from(given.dt_ms) * 1_000_000 });
        run.ends.push(model.leaves.iter().map(|(_, var)| simulator.variable(*var)).collect());
    }
    run
}

/// Returns a value of the interpreter as one of a sort.
fn value_of(value: hir::Value, sort: Sort) -> Option<Value> {
    match (value, sort) {
        (hir::Value::Bool(b), Sort::Bool) => Some(Value::Bool(b)),
        (hir::Value::Int(v), Sort::BitVec(width)) => Some(Value::int(width, v)),
        (hir::Value::Real(bits), Sort::Float(_)) => Some(Value::F32(bits)),
        (hir::Value::LReal(bits), Sort::Float(_)) => Some(Value::F64(bits)),
        (_, _) => None,
    }
}

/// Runs a program in both, and returns the number of cycles, and of those in which an input has several values.
fn check(text: &str, seed: u64) -> (u64, u64) {
    let project = read(text).project;
    let model = build(&project, &ModelOptions::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut numbers = Numbers(seed);
    let given = inputs(&project, &model, &mut numbers);
    let Run { cycles, trace, ends } = run(&project, &model, &given, &mut numbers);
    let claim = Claim::Never(kernel::property::check::Event::DoubleWrite);
    let case = Case { project: &project, limits: Limits::default(), assumptions: &[], claim: &claim };
    let cycles = at_calls(&case, (&model.leaves, &model.at_calls), &trace, cycles);
    let mut machine = Machine::new(&project, Limits::default());
    let mut n_several = 0;
    for (number, (cycle, end)) in cycles.iter().zip(&ends).enumerate() {
        machine.begin(&cycle.inputs, cycle.dt_ns).unwrap_or_else(|e| panic!("{e}\n{text}"));
        machine.run(&mut Silent).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        n_several += u64::from(cycle.inputs.keys().any(|name| leaf_at_call(name).is_some()));
        for ((leaf, var), expected) in model.leaves.iter().zip(end) {
            if leaf.stopwatch || is_at_call(&project, leaf) {
                continue;
            }
            let found = value_of(machine.state()[var.index()], expected.sort());
            assert_eq!(found, Some(*expected), "`{}` in cycle {number}: {:?}\n{text}", leaf.name, cycle.inputs);
        }
    }
    (cycles.len() as u64, n_several)
}

#[test]
fn a_run_with_values_for_each_call_is_one_of_the_interpreter() {
    let wanted: u64 = std::env::var("PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let (mut n_cycles, mut n_several) = (0, 0);
    for seed in 0..wanted {
        let size = Size { objects: seed.is_multiple_of(2), ..Size::default() };
        let text = ["FUNCTION_BLOCK", "FUNCTION"].iter().fold(program(seed, size), |text, kind| {
            text.replace(&format!("\n{kind} "), &format!("\n{{attribute 'stub'}}\n{kind} "))
        });
        let (cycles, several) = check(&text, seed);
        (n_cycles, n_several) = (n_cycles + cycles, n_several + several);
    }
    eprintln!("{n_cycles} cycles, {n_several} with several values");
    // The law is not empty.
    assert!(wanted < n_cycles && wanted < 4 * n_several, "{n_cycles} cycles, {n_several} with several values");
}

/// Ways to a stub: its caller gets the instance, calls it in a loop, in a branch, twice, or by a method.
#[test]
fn calls_of_stubs_inside_of_other_code_have_values_of_their_own() {
    let stubs = "{attribute 'stub'}\nFUNCTION_BLOCK Stub\nVAR_OUTPUT q : INT; END_VAR\nMETHOD M : INT\nEND_METHOD\nEND_FUNCTION_BLOCK\n\
        {attribute 'stub'}\nFUNCTION F : INT\nVAR_INPUT a : INT; END_VAR\nEND_FUNCTION\n";
    let caller = "FUNCTION_BLOCK Caller\nVAR_IN_OUT io : Stub; END_VAR\nVAR_OUTPUT seen : INT; END_VAR\nVAR own : Stub; END_VAR\n\
        io(); seen := io.q + own.M();\nEND_FUNCTION_BLOCK\n";
    let twice = "FUNCTION Twice : INT\nVAR_INPUT a : INT; END_VAR\nTwice := F(a) - F(a);\nEND_FUNCTION\n";
    for body in [
        "c1(io := s1); c2(io := s2);",
        "c1(io := s1); c1(io := s2); n := c1.seen;",
        "FOR i := 1 TO 3 DO many[i](); END_FOR",
        "FOR i := 1 TO 3 DO c1(io := many[i]); row[i] := c1.seen; END_FOR",
        "FOR i := 1 TO 3 DO row[i] := F(i) + Twice(i); END_FOR",
        "i := 2; IF x THEN i := 1; END_IF; c1(io := many[i]); c2(io := many[i + 1]);",
        "i := 0; WHILE i < 3 DO s1(); n := n + s1.q + F(i); i := i + 1; END_WHILE; n := n - F(1);",
        "FOR i := 1 TO SEL(x, 2, 4) DO s1(); row[1] := s1.q - F(i); END_FOR; n := F(2);",
        "FOR i := 1 TO 3 DO IF x AND i = 2 THEN CONTINUE; END_IF; row[i] := F(i); END_FOR",
        "FOR i := 1 TO 2 DO n := 0; WHILE n < i DO c1(io := many[i]); n := n + 1; row[i] := row[i] + c1.seen; END_WHILE; END_FOR",
        "IF x THEN s1(); END_IF; s1(); n := s1.q; s2();",
        "p REF= s1; IF x THEN p REF= s2; END_IF; p(); n := p.M() - p.M();",
    ] {
        let text = format!(
            "{stubs}{caller}{twice}PROGRAM Main\nVAR_INPUT x : BOOL; END_VAR\nVAR s1, s2 : Stub; many : ARRAY [1..3] OF Stub; \
             c1, c2 : Caller; p : REFERENCE TO Stub; i, n : INT; row : ARRAY [1..3] OF INT; END_VAR\n{body}\nEND_PROGRAM\n"
        );
        let several: u64 = (0..4).map(|seed| check(&text, seed).1).sum();
        assert!(0 < several, "{body}");
    }
}
