//! Every writer against the automaton: a compiler, a solver or an interpreter of the format reads each file again.
//! It is executed beside the automaton on random programs and random expressions.

mod btor2;
mod c;
mod chc;
mod smv;
mod theta;
mod witness;

use std::collections::BTreeMap;

use plc_frontend::ids::IndexVec;
use testgen::programs::{Size, program};

use super::{Conditions, FORMATS, Question, format};
use kernel::cfa::pass::System;
use kernel::cfa::{Cfa, Edge, Loc, LocKind, ModelOptions, Op, build};
use kernel::expr::random::{Flavour, Random};
use kernel::expr::{Expr, ExprId, ExprPool, Sort, Value, VarId};
use testgen::readings::{Inputs, Numbers, behave_alike, error_cycle, inputs, read, with_question};

/// A random program with a question, inputs for some cycles, and the cycle in which they reach the error location.
struct Case {
    question: Question,
    inputs: Inputs,
    expected: Option<usize>,
    text: String,
}

fn case(seed: u64, floats: bool) -> Case {
    let mut numbers = Numbers(seed);
    let faults = numbers.below(4) == 0;
    let size = Size { statements: 4 + numbers.below(6) as usize, depth: 2, floats, faults, ..Size::default() };
    let text = program(seed, size);
    let project = read(&text).project;
    let model = build(&project, &ModelOptions { dt_min_ms: 10, dt_max_ms: 90, ..ModelOptions::default() }).unwrap();
    let inputs = inputs(&project, &model, &mut numbers);
    let cycles = behave_alike(&project, &model, &inputs, &text);
    let (pool, cfa) = with_question(&model, &inputs, &mut numbers, cycles);
    let expected = error_cycle(&pool, &cfa, &inputs);
    Case { question: question(pool, cfa), inputs, expected, text }
}

fn question(pool: ExprPool, cfa: Cfa) -> Question {
    Question {
        pool,
        cfa,
        about: vec!["A test with a \\ and */ and ??/ and ü".into()],
        places: BTreeMap::new(),
        is_goal: false,
        conditions: Conditions::default(),
    }
}

/// Returns an automaton that reaches its error location in the first cycle iff one of many random expressions has another value
/// than our evaluator says; with `wrong` the last one does.
fn operators(seed: u64, flavour: Flavour, n: usize, wrong: bool) -> Question {
    let mut numbers = Numbers(seed);
    let (mut pool, mut equal) = (ExprPool::new(), Vec::new());
    let mut initial = BTreeMap::new();
    while equal.len() < n {
        let tape: Vec<u32> = (0..60).map(|_| numbers.below(1 << 32) as u32).collect();
        let first_new = pool.n_vars();
        let mut random = Random::new(&mut pool, &tape, flavour);
        let sort = random.sort();
        let e = random.expr(sort, 4);
        let values: Vec<u32> = (0..400).map(|_| numbers.below(1 << 32) as u32).collect();
        let assignment = Random::new(&mut pool, &values, flavour).assignment();
        initial.extend(assignment.into_iter().filter(|(var, _)| first_new <= var.0 as usize));
        if says_nothing(&pool, e) {
            continue;
        }
        let value = pool.eval(e, &|var| initial.get(&var).copied()).unwrap();
        let is_last = equal.len() + 1 == n;
        let value = pool.constant(if wrong && is_last { other(value) } else { value });
        equal.push(pool.raw(Expr::Eq(e, value)));
    }
    chain(pool, initial, equal)
}

/// Returns an automaton that checks these conditions one after the other in every cycle, and asks for an input before.
fn chain(mut pool: ExprPool, initial: BTreeMap<VarId, Value>, conditions: Vec<ExprId>) -> Question {
    let vars: Vec<VarId> = initial.keys().copied().collect();
    let loc = |kind| Loc { kind, origin: kernel::cfa::LocId(0) };
    let mut cfa = Cfa {
        locs: IndexVec::new(),
        edges: IndexVec::new(),
        init: kernel::cfa::LocId(0),
        head: kernel::cfa::LocId(1),
        error: kernel::cfa::LocId(2),
        vars,
        initial,
        calls: Vec::new(),
        recursion: None,
    };
    for kind in [LocKind::Init, LocKind::Head, LocKind::Error] {
        cfa.locs.push(loc(kind));
    }
    let mut at = cfa.locs.push(loc(LocKind::Inner));
    cfa.edges.push(Edge { source: cfa.init, target: cfa.head, op: Op::Skip, span: None });
    let again = pool.new_var("again", Sort::Bool);
    cfa.vars.push(again);
    cfa.initial.insert(again, Value::Bool(false));
    cfa.edges.push(Edge { source: cfa.head, target: at, op: Op::Havoc(again), span: None });
    for e in conditions {
        let next = cfa.locs.push(loc(LocKind::Inner));
        let differs = pool.not(e);
        cfa.edges.push(Edge { source: at, target: next, op: Op::Assume(e), span: None });
        cfa.edges.push(Edge { source: at, target: cfa.error, op: Op::Assume(differs), span: None });
        at = next;
    }
    cfa.edges.push(Edge { source: at, target: cfa.head, op: Op::Skip, span: None });
    for id in cfa.locs.ids().collect::<Vec<_>>() {
        cfa.locs[id].origin = id;
    }
    question(pool, cfa)
}

/// Operations whose value SMT-LIB leaves open; programs guard these.
fn says_nothing(pool: &ExprPool, e: ExprId) -> bool {
    let mut open = false;
    pool.visit(&[e], |e| {
        open |= matches!(pool.expr(e), Expr::FpToBv { .. });
        true
    });
    open
}

fn other(value: Value) -> Value {
    match value {
        Value::Bool(b) => Value::Bool(!b),
        Value::BitVec { width, bits } => Value::bv(width, bits ^ 1),
        Value::F32(bits) => {
            if f32::from_bits(bits).is_nan() {
                Value::f32(0.0)
            } else {
                Value::f32(f32::NAN)
            }
        }
        Value::F64(bits) => {
            if f64::from_bits(bits).is_nan() {
                Value::f64(0.0)
            } else {
                Value::f64(f64::NAN)
            }
        }
        Value::Float(..) | Value::Int(_) | Value::Array(_) => unreachable!("{value}"),
    }
}

/// Returns the value of an input of the step relation in a cycle.
fn given(pool: &ExprPool, inputs: &BTreeMap<VarId, Value>, system: &System, var: VarId) -> Value {
    let origin = system.inputs.iter().find(|input| input.var == var).and_then(|input| input.origin);
    let value = origin.and_then(|origin| inputs.get(&origin).copied());
    value.unwrap_or_else(|| Value::zero(pool.var_decl(var).sort))
}

/// Returns a value as bits.
fn bits(value: Value) -> u128 {
    match value {
        Value::Bool(b) => u128::from(b),
        Value::BitVec { bits, .. } => bits,
        Value::F32(bits) => u128::from(bits),
        Value::F64(bits) => u128::from(bits),
        Value::Float(..) | Value::Int(_) | Value::Array(_) => unreachable!("{value}"),
    }
}

/// A format that executes steps.
trait Executes {
    /// Executes a step. `None`: the run ends. `Some(true)`: the error is reached.
    fn step(&mut self, inputs: &BTreeMap<String, u128>) -> Option<bool>;
    fn state(&self, name: &str) -> u128;
}

/// Runs a written step relation as `law::error_step` runs the one it was written from.
fn error_cycle_of(machine: &mut dyn Executes, pool: &ExprPool, system: &System, head: Value, inputs: &Inputs) -> Option<usize> {
    let mut cycle = None;
    for _ in 0..100_000 {
        if system.pc.is_none() || machine.state("v__pc") == bits(head) {
            cycle = Some(cycle.map_or(0, |c: usize| c + 1));
        }
        let of_cycle = &inputs.cycles.get(cycle?)?.by_var;
        let mut names = super::names::Names::default();
        let by_name = system.inputs.iter().map(|input| {
            names.add(pool, input.var, "in");
            (names.of(input.var).to_owned(), bits(given(pool, of_cycle, system, input.var)))
        });
        if machine.step(&by_name.collect())? {
            return cycle;
        }
    }
    None
}

#[test]
fn formats_are_found_by_name() {
    for row in FORMATS {
        assert_eq!(format(row.name).unwrap().title, row.title);
    }
    let refused = format("vhdl").err().unwrap().to_string();
    assert_eq!(refused, "there is no format `vhdl`; the formats: `theta`, `chc`, `btor2`, `smv`, `c`");
}

#[test]
fn what_a_format_cannot_say_is_refused_by_name() {
    let mut pool = ExprPool::new();
    let real = pool.new_var("Main.Level", Sort::Float(kernel::expr::FloatSort::F32));
    let x = pool.var(real);
    let is_nan = pool.fp_test(kernel::expr::FpTest::IsNan, x);
    let question = chain(pool, BTreeMap::from([(real, Value::f32(1.5))]), vec![is_nan]);
    for name in ["chc", "btor2", "smv"] {
        let refused = format(name).unwrap().write(&mut question.clone()).unwrap_err().to_string();
        let expected = format!("`{name}` has no floats, and the model computes with them; choose `theta` or `c`");
        assert!(refused.starts_with(&expected), "{refused}");
    }
    for name in ["theta", "c"] {
        format(name).unwrap().write(&mut question.clone()).unwrap();
    }
}

#[test]
fn a_refusal_offers_to_leave_out_what_has_no_influence() {
    let mut pool = ExprPool::new();
    let real = pool.new_var("Main.Level", Sort::Float(kernel::expr::FloatSort::F32));
    let flag = pool.new_var("Main.Flag", Sort::Bool);
    let holds = pool.var(flag);
    let initial = BTreeMap::from([(real, Value::f32(1.5)), (flag, Value::Bool(true))]);
    let question = chain(pool, initial, vec![holds]);
    let chc = format("chc").unwrap();
    let refused = chc.write(&mut question.clone()).unwrap_err().to_string();
    assert!(refused.ends_with("or have left out what cannot influence the answer (`--reduced`)"), "{refused}");
    chc.write(&mut question.reduced()).unwrap();
}

#[test]
fn a_float_by_its_bits_is_for_c_only() {
    let mut pool = ExprPool::new();
    let bits = pool.new_var("Main.Word", Sort::BitVec(32));
    let word = pool.var(bits);
    let float = pool.bits_to_fp(kernel::expr::FloatSort::F32, word);
    let is_nan = pool.fp_test(kernel::expr::FpTest::IsNan, float);
    let question = chain(pool, BTreeMap::from([(bits, Value::bv(32, 5))]), vec![is_nan]);
    let refused = format("theta").unwrap().write(&mut question.clone()).unwrap_err().to_string();
    assert!(
        refused.starts_with("`theta` has no floats by their bits, and the model computes with them; choose `c`,"),
        "{refused}"
    );
    format("c").unwrap().write(&mut question.clone()).unwrap();
}

#[test]
fn headers_cannot_end_a_comment_or_go_on() {
    for row in FORMATS {
        let text = row.write(&mut operators(7, Flavour::Bits, 2, false)).unwrap();
        let line = text.lines().next().unwrap();
        assert!(line.ends_with("A test with a . and ./ and ../ and ."), "{line}");
        assert!(text.is_ascii(), "{}", row.name);
    }
}

#[test]
fn the_header_says_what_an_answer_means_also_where_reaching_is_the_goal() {
    let mut pool = ExprPool::new();
    let always = pool.bool(true);
    let violation = chain(pool, BTreeMap::new(), vec![always]);
    let goal = Question { is_goal: true, ..violation.clone() };
    let conditions = Conditions { never: vec!["a".into(), "b".into()], reached: vec!["b".into()] };
    let conditional = Question { conditions, ..violation.clone() };
    for format in super::FORMATS {
        for (question, reached, never) in [
            (&violation, "the requirement can be violated", "the requirement holds"),
            (&goal, "what the requirement asks for is possible", "what the requirement asks for is impossible"),
            (&conditional, "the requirement can be violated under 1 condition", "the requirement holds under 2 conditions"),
            (&conditional, " Condition: b.\n", " Condition, if the requirement holds: a.\n"),
        ] {
            let text = format.write(&mut question.clone()).unwrap();
            assert!(text.contains(reached) && text.contains(never), "{}: {text}", format.name);
        }
    }
}
