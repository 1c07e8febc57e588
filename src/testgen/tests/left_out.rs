//! The law of left-out parts: a proof about a project with an error holds for the project without the error.
//!
//! Program A is verified; program B has the error and runs elsewhere, between any two cycles of A, any number of times. All states of
//! both are visited on the interpreter, with B as it was before it got its error.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

use plc_frontend::hir::{Project, Value};
use plc_frontend::interp::{Limits, Machine, Silent};
use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, Loaded, condition, load, load_isolated};

use kernel::cfa::model::{ModelOptions, build};
use kernel::cfa::pass::reduce;
use kernel::context::{Ctx, default_solvers};
use kernel::property::claim::Claim;
use kernel::property::instrument::instrument;
use kernel::smt::Interrupt;
use kernel::verdict::Verdict;
use search::engine::{ENGINES, configure, encoding};
use testgen::programs::rng::Rng;

/// Parts of a project; B and the blocks can be replaced.
#[derive(Clone)]
struct Parts {
    globals: String,
    blocks: String,
    a: String,
    b: String,
    never: String,
}

/// Returns random statements over these variables, one on each line.
fn statements(rng: &mut Rng, read: &[&str], written: &[&str], n: u64) -> String {
    let mut text = String::new();
    for _ in 0..n {
        let value = |rng: &mut Rng| match rng.below(4) {
            0 => format!("NOT {}", rng.pick(read)),
            1 => format!("{} AND {}", rng.pick(read), rng.pick(read)),
            2 => format!("{} OR {}", rng.pick(read), rng.pick(read)),
            _ => (*rng.pick(&["TRUE", "FALSE"])).to_owned(),
        };
        let (target, first, second) = (*rng.pick(written), value(rng), value(rng));
        let _ = match rng.below(3) {
            0 => writeln!(text, "IF {} THEN\n{target} := {first};\nELSE\n{target} := {second};\nEND_IF;", rng.pick(read)),
            1 => writeln!(text, "IF {} THEN\n{target} := {first};\nEND_IF;", rng.pick(read)),
            _ => writeln!(text, "{target} := {first};"),
        };
    }
    text
}

fn parts(rng: &mut Rng) -> Parts {
    let inits: Vec<&str> = (0..4).map(|_| *rng.pick(&["", " := TRUE", " := FALSE"])).collect();
    let globals: String = inits.iter().enumerate().map(|(i, init)| format!("g{i} : BOOL{init};\n")).collect();
    let body = statements(rng, &["e", "x", "w", "k"], &["w", "k", "x"], 2);
    let blocks = format!(
        "FUNCTION_BLOCK S\nVAR_INPUT e : BOOL; END_VAR\nVAR_IN_OUT x : BOOL; END_VAR\nVAR_OUTPUT w : BOOL; END_VAR\n\
         VAR k : BOOL; END_VAR\n{body}END_FUNCTION_BLOCK\nFUNCTION Flip : BOOL\nVAR_IN_OUT x : BOOL; END_VAR\nFlip := x;\nx := NOT x;\n\
         END_FUNCTION\n"
    );
    let externals = "VAR_EXTERNAL g0, g1, g2, g3 : BOOL; s : S; p : POINTER TO BOOL; END_VAR\n";
    let call = *rng.pick(&["", "", "t(e := i0, x := g0);\n", "s(e := i0, x := a1);\n", "a1 := Flip(x := g3);\n"]);
    let body = statements(rng, &["g0", "g1", "g2", "g3", "i0", "a0", "s.w", "t.w"], &["a0", "a1", "g0"], 3);
    let a = format!(
        "PROGRAM A\nVAR_INPUT i0 : BOOL; END_VAR\nVAR a0, a1 : BOOL; t : S; END_VAR\n{externals}{call}{body}END_PROGRAM\n"
    );
    let written = *rng.pick(&[["b0", "g1"], ["b0", "g2"], ["g2", "g3"], ["b0", "b0"]]);
    let calls =
        ["", "", "s(e := b0, x := g1);\n", "s(e := TRUE, x := b0);\n", "b0 := Flip(x := g2);\n", "p := ADR(g1);\np^ := TRUE;\n"];
    let body = statements(rng, &["g0", "g1", "g2", "g3", "b0"], &written, 3) + *rng.pick(&calls);
    let b = format!("PROGRAM B\nVAR b0 : BOOL; b1 : INT; END_VAR\n{externals}{body}END_PROGRAM\n");
    let never = ["A.a0", "A.a1", "NOT A.a0", "NOT A.a1", "g1", "g2", "NOT g3", "g0", "s.w", "NOT s.k"];
    let never: Vec<String> = (0..2).map(|_| (*rng.pick(&never)).to_owned()).collect();
    let globals = format!("VAR_GLOBAL\n{globals}s : S;\np : POINTER TO BOOL;\nEND_VAR\n");
    Parts { globals, blocks, a, b, never: never.join(" AND ") }
}

/// Returns the parts with an error in B or in a block.
fn with_error(rng: &mut Rng, parts: &Parts) -> Parts {
    if rng.below(3) == 0 {
        let lines: Vec<&str> = parts.blocks.lines().collect();
        let body: Vec<usize> = (4..lines.len()).filter(|at| lines[*at].contains(":=")).collect();
        let at = *rng.pick(&body);
        let changed = match rng.below(3) {
            0 => lines[at].replacen(":= ", ":= unknown XOR ", 1),
            1 => lines[at].replacen(":=", ":= ;", 1),
            _ => lines[at].replace(';', ""),
        };
        let blocks = lines.iter().enumerate().map(|(i, line)| if i == at { changed.as_str() } else { line });
        return Parts { blocks: blocks.collect::<Vec<_>>().join("\n") + "\n", ..parts.clone() };
    }
    Parts { b: broken(rng, &parts.b), ..parts.clone() }
}

/// Returns program B with an error.
fn broken(rng: &mut Rng, b: &str) -> String {
    let lines: Vec<&str> = b.lines().collect();
    let body: Vec<usize> = (3..lines.len() - 1).filter(|at| lines[*at].contains(":=")).collect();
    let at = *rng.pick(&body);
    let mut changed: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    match rng.below(8) {
        0 if !lines[at].contains('(') => changed[at] = format!("Unknown({});", lines[at].split(' ').next().unwrap_or("b0")),
        0 | 1 => changed[at] = lines[at].replacen(":= ", ":= unknown XOR ", 1),
        2 => changed[at] = lines[at].replacen(":=", ":= (", 1),
        3 => changed[at] = lines[at].replace(';', ""),
        4 => changed[1] = lines[1].replacen("INT", "Missing", 1),
        5 => changed[1] = lines[1].replacen("BOOL", "Missing", 1),
        6 => changed[at] = format!("{}\nb1 := TRUE;", lines[at]),
        _ => changed[1] = lines[1].replacen("b0 :", "b0", 1),
    }
    changed.join("\n") + "\n"
}

fn sources(parts: &Parts) -> SourceSet {
    let mut set = SourceSet::default();
    set.add("a.st", parts.a.clone());
    set.add("b.st", parts.b.clone());
    set.add("blocks.st", parts.blocks.clone());
    set.add("globals.st", parts.globals.clone());
    set
}

/// Returns whether no run of A, with runs of B between the cycles, ends a cycle with the condition.
fn is_safe(parts: &Parts) -> bool {
    let mut loaded = load(&sources(parts), &LoadOptions::default());
    assert!(!loaded.has_errors(), "{:#?}", loaded.diagnostics);
    let never = condition(&mut loaded.value, "never", &parts.never).value.unwrap();
    let only = |at: usize| Project {
        task: plc_frontend::hir::Task { runs: vec![loaded.value.project.task.runs[at]], slow: Vec::new() },
        ..loaded.value.project.clone()
    };
    let (a, b) = (only(0), only(1));
    let (mut run_a, mut run_b) = (Machine::new(&a, Limits::default()), Machine::new(&b, Limits::default()));
    let mut seen: HashSet<Vec<Value>> = HashSet::new();
    let mut todo = vec![run_a.state().to_vec()];
    while let Some(state) = todo.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        run_b.resume(&state);
        run_b.begin(&BTreeMap::new(), 100_000_000).unwrap();
        run_b.run(&mut Silent).unwrap();
        todo.push(run_b.state().to_vec());
        for input in [false, true] {
            run_a.resume(&state);
            run_a.begin(&BTreeMap::from([("A.i0".to_owned(), Value::Bool(input))]), 100_000_000).unwrap();
            run_a.run(&mut Silent).unwrap();
            if run_a.eval(&never).unwrap() == Value::Bool(true) {
                return false;
            }
            todo.push(run_a.state().to_vec());
        }
    }
    true
}

/// Returns whether an engine proves that no cycle of A ends with the condition.
fn is_proved(loaded: &mut Loaded, never: &str) -> bool {
    let Some(never) = condition(loaded, "never", never).value else { return false };
    let model = build(&loaded.project, &ModelOptions::default()).unwrap();
    let instrumented = instrument(&loaded.project, &model, &Claim::Forbidden(never), &[]).unwrap();
    let cfa = instrumented.strict_cfa();
    let info = ENGINES.iter().find(|info| info.name == "cegar").unwrap();
    let options = BTreeMap::new();
    let reduced = reduce(&instrumented.pool, &cfa, encoding::wanted(info, &options).unwrap());
    let solvers = default_solvers()(&reduced.pool, &reduced.cfa);
    let mut engine = configure(ENGINES, "cegar", &options, &solvers).unwrap_or_else(|e| panic!("{e}"));
    let answer = engine.run(&mut Ctx::new(reduced.pool, Interrupt::default(), &|_| {}), &reduced.cfa);
    matches!(answer, Ok(Verdict::Safe(_)))
}

#[test]
fn proof_about_a_project_with_an_error_holds_without_the_error() {
    let wanted: u64 = std::env::var("PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(200);
    let (mut proved, mut open) = (0, 0);
    for seed in 0..wanted {
        let mut rng = Rng::new(seed ^ 0x1e_f7);
        let parts = parts(&mut rng);
        let with_error = with_error(&mut rng, &parts);
        let options = LoadOptions { entry: Some("A".to_owned()), ..LoadOptions::default() };
        let mut loaded = load_isolated(&sources(&with_error), &options);
        let told = || {
            let Parts { globals, blocks, a, b, never } = &with_error;
            format!("seed {seed}\n{globals}\n{blocks}\n{a}\n{b}\nnever {never}")
        };
        assert!(loaded.value.runs, "{}\n{:#?}", told(), loaded.diagnostics);
        assert!(loaded.has_errors() != loaded.value.left_out.is_empty(), "{}", told());
        if is_proved(&mut loaded.value, &parts.never) {
            assert!(is_safe(&parts), "{}", told());
            proved += 1;
        } else {
            open += 1;
        }
    }
    // The law is not empty.
    assert!(wanted < 20 || (wanted < 20 * proved && wanted < 20 * open), "{proved} proved, {open} open");
}
