//! Certificates of proofs: right ones are accepted, wrong and broken ones are refused.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::certify::{Asked, Rejected, check_proof as check_inside};
use kernel::cfa::{Cfa, LocKind};
use kernel::expr::{BvCmp, ExprId, ExprPool, Sort, Value};
use kernel::smt::Interrupt;
use kernel::verdict::{Argument, Paths, Proof, Support};
use testgen::automata::examples::{Answer as Known, Example, all, by_name, saturating, wrapping};

fn identity() -> Identity {
    Identity {
        program: program_digest(["the program"].into_iter()),
        requirement: "R1".into(),
        means: "nothing\nbad".into(),
        settings: vec![("cycle", "100 ms to 100 ms".into())],
        is_possibility: false,
        conditions: Vec::new(),
    }
}

fn certificate(pool: &ExprPool, cfa: &Cfa, proof: &Proof) -> Result<String, Flaw> {
    whole(&identity(), pool, cfa, &stated(pool, cfa, proof)?, &["a\nnote".to_owned()])
}

fn check(text: &str, example: &Example) -> Answer {
    check_proof(text, &identity(), &example.pool, &example.cfa, Asked::Cvc5, &Interrupt::default())
}

/// Returns one word for an answer.
fn word(answer: &Answer) -> &'static str {
    match answer {
        Answer::Certified(_) => "certified",
        Answer::Conditional { .. } => "conditional",
        Answer::Refuted(_) => "refuted",
        Answer::Open(_) => "open",
        Answer::Unfit(_) => "unfit",
    }
}

fn inductive(example: &Example, make: impl Fn(&mut ExprPool, &[ExprId]) -> ExprId) -> Proof {
    let mut pool = example.pool.clone();
    let vars: Vec<ExprId> = example.cfa.vars.iter().map(|v| pool.var(*v)).collect();
    let invariant = make(&mut pool, &vars);
    Proof { pool, argument: Argument::Inductive(BTreeMap::from([(example.cfa.head, invariant)])) }
}

fn by_steps(example: &Example, k: u32, given: (Support, Paths), make: impl Fn(&mut ExprPool, &[ExprId]) -> ExprId) -> Proof {
    let Proof { pool, argument } = inductive(example, make);
    let Argument::Inductive(map) = argument else { unreachable!() };
    let (support, paths) = given;
    Proof { pool, argument: Argument::KInductive { k, invariants: map, support, paths } }
}

fn less(p: &mut ExprPool, x: ExprId, value: i128) -> ExprId {
    let c = p.constant(Value::int(16, value));
    p.bv_cmp(BvCmp::Slt, x, c)
}

/// Returns the answers of cvc5 to a whole file.
pub(super) fn answers(text: &str) -> Vec<String> {
    let terms = cvc5::TermManager::new();
    let mut solver = cvc5::Solver::new(&terms);
    let mut symbols = cvc5::SymbolManager::new(&terms);
    let mut parser = cvc5::InputParser::new(&mut solver, &mut symbols);
    parser.set_str_input(cvc5::InputLanguage::SmtLib26, text, "certificate").unwrap();
    let mut answers = Vec::new();
    while let Some(command) = parser.next_command().unwrap() {
        let said = parser.invoke(&command).unwrap();
        answers.extend(said.lines().map(str::to_owned));
    }
    answers
}

/// Checks the word for a proof's certificate; a certified one has `n` obligations, and cvc5 shows all questions in its text.
fn row(example: &Example, proof: &Proof, expected: &str, n: usize) {
    let text = certificate(&example.pool, &example.cfa, proof).unwrap();
    let answer = check(&text, example);
    assert_eq!(word(&answer), expected, "{}: {answer:?}\n{text}", example.name);
    if expected == "certified" {
        let n_questions = text.lines().filter(|line| *line == "(check-sat)").count();
        assert_eq!(answers(&text), vec!["unsat"; n_questions], "{text}");
        assert!(text.contains(&format!("prints `unsat` {n_questions} times")), "{text}");
        let names = ["initiation", "consecution", "safety", "base", "step", "end"];
        let is_obligation =
            |line: &&str| names.iter().any(|name| line.starts_with(&format!("; {name}: ")) && !line.contains("lines,"));
        assert_eq!(text.lines().filter(is_obligation).count(), n, "{text}");
    }
}

#[test]
fn true_proofs_are_certified_and_others_are_not() {
    let any = (Support::Alone, Paths::Any);
    let safe = saturating(5, 6);
    row(&safe, &inductive(&safe, |p, x| less(p, x[0], 6)), "certified", 3);
    row(&safe, &inductive(&safe, |p, _| p.bool(true)), "refuted", 0);
    row(&safe, &inductive(&safe, |p, x| less(p, x[0], 5)), "refuted", 0);
    row(&safe, &inductive(&safe, |p, x| less(p, x[0], 0)), "refuted", 0);
    row(&safe, &inductive(&safe, |p, _| p.bool(false)), "refuted", 0);
    let broken = saturating(5, 5);
    row(&broken, &inductive(&broken, |p, x| less(p, x[0], 6)), "refuted", 0);
    let round = wrapping(4, 7);
    row(&round, &by_steps(&round, 1, any, |p, _| p.bool(true)), "refuted", 0);
    row(&round, &by_steps(&round, 2, any, |p, _| p.bool(true)), "certified", 4);
    row(&round, &by_steps(&round, 1, any, |p, x| less(p, x[0], 5)), "certified", 4);
    row(&round, &by_steps(&round, 1, any, |p, x| less(p, x[0], 4)), "refuted", 0);
    let not = |n: i128| {
        move |p: &mut ExprPool, x: &[ExprId]| {
            let n = p.constant(Value::int(16, n));
            p.ne(x[0], n)
        }
    };
    row(&round, &by_steps(&round, 1, (Support::Steps, Paths::Any), not(6)), "refuted", 0);
    row(&round, &by_steps(&round, 2, (Support::Steps, Paths::Any), not(6)), "certified", 2);
    row(&round, &by_steps(&round, 3, (Support::Steps, Paths::Any), not(2)), "refuted", 0);
    row(&round, &by_steps(&round, 3, (Support::Steps, Paths::Any), |p, _| p.bool(false)), "refuted", 0);
    let early = wrapping(4, 3);
    row(&early, &by_steps(&early, 3, any, |p, _| p.bool(true)), "refuted", 0);
    row(&early, &by_steps(&early, 40, (Support::Alone, Paths::Simple), |p, _| p.bool(true)), "refuted", 0);
    // Of several possible edges one is taken, but any of them.
    let choice = by_name("choice", false);
    for n in [1, 3] {
        let proof = inductive(&choice, |p, x| {
            let n = p.constant(Value::int(8, n));
            p.ne(x[0], n)
        });
        row(&choice, &proof, "refuted", 0);
    }
}

#[test]
fn proofs_that_are_none_are_no_certificates() {
    let example = wrapping(4, 7);
    let flaw = |k: u32, given: (Support, Paths)| {
        certificate(&example.pool, &example.cfa, &by_steps(&example, k, given, |p, _| p.bool(true))).unwrap_err().0
    };
    assert!(flaw(0, (Support::Alone, Paths::Any)).contains("k is 0"));
    assert!(flaw(1_000_000, (Support::Alone, Paths::Any)).contains("k is 1000000"));
    assert!(flaw(2, (Support::Steps, Paths::Simple)).contains("all paths"));
    let mut foreign = inductive(&example, |p, _| p.bool(true));
    let y = foreign.pool.new_var("y", Sort::Bool);
    let y = foreign.pool.var(y);
    foreign.argument = Argument::Inductive(BTreeMap::from([(example.cfa.head, y)]));
    assert!(certificate(&example.pool, &example.cfa, &foreign).unwrap_err().0.contains("`y`"));
}

#[test]
fn loops_inside_a_cycle_have_invariants_of_their_own() {
    let example = by_name("inner loop", true);
    let loop_head = example.cfa.locs.iter_enumerated().find(|(_, l)| l.kind == LocKind::LoopHead).unwrap().0;
    for (bound, expected) in [(4, "certified"), (3, "refuted"), (5, "refuted")] {
        let mut pool = example.pool.clone();
        let (i, four) = (pool.var(example.cfa.vars[0]), pool.constant(Value::int(8, bound)));
        let invariant = pool.bv_cmp(BvCmp::Slt, i, four);
        let yes = pool.bool(true);
        let at = BTreeMap::from([(loop_head, invariant), (example.cfa.head, yes)]);
        let text = certificate(&example.pool, &example.cfa, &Proof { pool, argument: Argument::Inductive(at) }).unwrap();
        assert_eq!(word(&check(&text, &example)), expected, "{text}");
    }
}

#[test]
fn proofs_that_count_steps_have_places_at_loops() {
    let example = by_name("inner loop", true);
    let loop_head = example.cfa.locs.iter_enumerated().find(|(_, l)| l.kind == LocKind::LoopHead).unwrap().0;
    let mut pool = example.pool.clone();
    let invariants = BTreeMap::from([(example.cfa.head, pool.bool(true)), (loop_head, pool.bool(true))]);
    let (support, paths) = (Support::Alone, Paths::Any);
    let proof = Proof { pool, argument: Argument::KInductive { k: 1, invariants: invariants.clone(), support, paths } };
    row(&example, &proof, "certified", 4);
    for (k, expected) in [(5, "certified"), (4, "refuted")] {
        let argument = Argument::Exhaustive { k, places: invariants.keys().copied().collect(), paths: Paths::Simple };
        let proof = Proof { pool: example.pool.clone(), argument };
        row(&example, &proof, expected, 2);
        let text = stated(&example.pool, &example.cfa, &proof).unwrap();
        assert!(text.contains("; proof: exhaustive\n; k: "), "{text}");
        // Read again, it is the same.
        let again = super::express::proof(&example.pool, &example.cfa, &text).unwrap();
        assert_eq!(stated(&example.pool, &example.cfa, &again).unwrap(), text);
    }
}

#[test]
fn loops_without_a_place_are_passed() {
    // Variables: `never`, `i`, `c`.
    let dead = by_name("dead loop", true);
    let never = |p: &mut ExprPool, x: &[ExprId]| p.not(x[0]);
    let yes = |p: &mut ExprPool, _: &[ExprId]| p.bool(true);
    for paths in [Paths::Any, Paths::Simple] {
        row(&dead, &by_steps(&dead, 2, (Support::Alone, paths), never), "certified", 4);
        // The loop leaves the counter alone.
        row(&dead, &by_steps(&dead, 2, (Support::Alone, paths), yes), "certified", 4);
        row(&dead, &by_steps(&dead, 1, (Support::Alone, paths), never), "refuted", 0);
    }
    row(&dead, &by_steps(&dead, 2, (Support::Steps, Paths::Any), never), "certified", 2);
    // After the loop its variables may have any value.
    let inner = by_name("inner loop", true);
    row(&inner, &by_steps(&inner, 2, (Support::Alone, Paths::Any), yes), "refuted", 0);
}

/// Each setting that a question can have is a line of its header, and read again.
#[test]
fn every_setting_of_a_question_is_told_and_read() {
    let keys = ["cycle", "entry", "project", "dialect", "environment", "assumed"];
    let with = |value: &str| Identity { settings: keys.map(|key| (key, value.to_owned())).into(), ..identity() };
    let (own, other) = (with("Line"), with("Other"));
    let said = |identity: &Identity| identity.about();
    assert_eq!(own.differs(&said(&own)), None);
    for (at, key) in keys.into_iter().enumerate() {
        let mut changed = own.clone();
        changed.settings[at].1.clone_from(&other.settings[at].1);
        assert!(own.differs(&said(&changed)).is_some_and(|why| why.contains(key)), "{key}");
        changed.settings.remove(at);
        assert!(own.differs(&said(&changed)).is_some_and(|why| why.contains(key)), "{key}");
        assert!(changed.differs(&said(&own)).is_some_and(|why| why.contains(key)), "{key}");
    }
}

/// No change of a certificate is `certified` unless it is still a proof.
#[test]
fn broken_and_foreign_certificates_are_refused() {
    let example = saturating(5, 6);
    let good = certificate(&example.pool, &example.cfa, &inductive(&example, |p, x| less(p, x[0], 6))).unwrap();
    assert_eq!(word(&check(&good, &example)), "certified");
    let body = "(bvslt |c@| (_ bv6 16))";
    assert!(good.contains(body), "{good}");
    let with = |new: &str| good.replace(body, new);
    let deep = |n: usize| with(&format!("{}{body}{}", "(not (not ".repeat(n), "))".repeat(n)));
    let rows: Vec<(String, &str, &str)> = vec![
        (good.replace("R1", "R2"), "unfit", "`requirement` is `R2`"),
        (good.replace("nothing bad", "something bad"), "unfit", "`means`"),
        (good.replace("100 ms to 100 ms", "100 ms to 200 ms"), "unfit", "`cycle`"),
        (good.replace("program-sha256: ", "program-sha256: 0"), "unfit", "program-sha256"),
        (good.replace("; cycle: 100 ms to 100 ms\n", ""), "unfit", "cycle"),
        (good.replace("; cycle:", "; assumed: FALSE\n; cycle:"), "unfit", "assumed"),
        (good.replace("; cycle:", "; environment: frozen: x\n; cycle:"), "unfit", "environment"),
        (good.replace("certificate-format: 2", "certificate-format: 1"), "unfit", "format"),
        (String::new(), "unfit", "not a certificate"),
        (good.replace("proof: inductive", "proof: trust me"), "unfit", "trust me"),
        (good.replace("proof: inductive", "proof: k-inductive"), "unfit", "`k`"),
        (good.replace("proof: inductive", "proof: k-inductive\n; k: 99999999999999999999"), "unfit", "k"),
        (good.replace("proof: inductive", "proof: inductive\n; proof: inductive"), "unfit", "twice"),
        (with("true"), "refuted", "safety"),
        (with("false"), "refuted", "initiation"),
        (with("(bvslt |c@| (_ bv5 16))"), "refuted", "consecution"),
        (with("(bvsle |c@| #x0005)"), "certified", ""),
        (with("(not (bvsge |c@| #x0006))"), "certified", ""),
        (deep(30_000), "certified", ""),
        (with("(bvslt |d@| (_ bv6 16))"), "unfit", "neither a variable"),
        (with("(bvslt |c@0| (_ bv6 16))"), "unfit", "neither a variable"),
        (with("|violation 0|"), "unfit", "neither a variable"),
        (with("(not |violation 0|)"), "unfit", "neither a variable"),
        (with("(bvslt |c@| (_ bv6 8))"), "unfit", "cannot be applied"),
        (with("(bvslt |c@| (_ bv65536 16))"), "unfit", "no literal"),
        (with("(bvslt |c@| (_ bv99999999999999999999999999999999999999999999999999 16))"), "unfit", "no literal"),
        (with("(bvslt |c@| 6)"), "unfit", "cannot be applied"),
        (with("|c@|"), "unfit", "of sort"),
        (with("(eval |c@|)"), "unfit", "no operator"),
        (with("(forall ((x Bool)) x)"), "unfit", "no operator"),
        (with("()"), "unfit", "no term"),
        (with("(let ((x false)) (let ((x true)) x))"), "unfit", "given twice"),
        (with("(let ((|c@| (_ bv0 16))) (bvslt |c@| (_ bv6 16)))"), "unfit", "given twice"),
        (with("(let ((a x) (x true)) a)"), "unfit", "neither"),
        (with("(and (let ((x true)) x) x)"), "unfit", "neither"),
        (with("(let ((x (bvslt |c@| (_ bv6 16)))) (and x x))"), "certified", ""),
        (with(&format!("{body}) (assert false")), "certified", ""),
        (good.replace("((|c@| (_ BitVec 16)))", "((|c@| (_ BitVec 8)))"), "unfit", "of sort"),
        (good.replace("((|c@| (_ BitVec 16)))", "((|c@| (_ BitVec 16)) (|c@| (_ BitVec 16)))"), "unfit", "named twice"),
        (good.replace("((|c@| (_ BitVec 16)))", "((|e@| (_ BitVec 16)))"), "unfit", "not a variable"),
        (good.replace("define-fun invariant", "define-fun |invariant l0|"), "unfit", "no place"),
        (good.replace("define-fun invariant", "define-fun |invariant l2|"), "unfit", "no place"),
        (good.replace("define-fun invariant", "define-fun |invariant l4000000000|"), "unfit", "no place"),
        (good.replace("define-fun invariant", "define-fun other"), "unfit", "no `define-fun invariant`"),
        (good.replace("(define-fun invariant", "(define-fun invariant () Bool true)(define-fun invariant"), "unfit", "two"),
        (good.replace("(set-logic QF_BV)", "(set-logic QF_BV)(assert false)"), "certified", ""),
        (good.replace("; end: ", "; end: 1"), "unfit", "something is missing"),
        (good.replace("; end: ", "; fin: "), "unfit", "its last line"),
        (good.replace("(set-logic", "\"(set-logic"), "unfit", ""),
        (good.replace("(set-logic", ")(set-logic"), "unfit", "without"),
        (format!("{good}{}", "(".repeat(1_000_000)), "unfit", "cut"),
        (format!("{good}|"), "unfit", "quoted"),
    ];
    for (text, expected, why) in rows {
        let answer = check(&text, &example);
        assert_eq!(word(&answer), expected, "{why}: {answer:?}");
        assert!(format!("{answer:?}").contains(why), "{why}: {answer:?}");
    }
    // Cut anywhere, also where brackets balance; a missing line; other line endings, which are accepted.
    let whole = good.trim_end().len();
    for end in (0..whole).filter(|end| good.is_char_boundary(*end)).step_by(7) {
        let answer = check(&good[..end], &example);
        assert_eq!(word(&answer), "unfit", "{end}: {answer:?}");
    }
    for line in good.lines().filter(|line| !line.is_empty()) {
        let answer = check(&good.replacen(&format!("{line}\n"), "", 1), &example);
        assert_eq!(word(&answer), "unfit", "{line}: {answer:?}");
    }
    assert_eq!(word(&check(good.trim_end(), &example)), "certified");
    assert_eq!(word(&check(&good.replace('\n', "\r\n"), &example)), "certified");
}

#[test]
fn other_solvers_are_believed_for_one_plain_word_only() {
    let example = saturating(5, 6);
    let good = certificate(&example.pool, &example.cfa, &inductive(&example, |p, x| less(p, x[0], 6))).unwrap();
    let ask = |command: &str| {
        let answer = check_proof(
            &good,
            &identity(),
            &example.pool,
            &example.cfa,
            Asked::Other(command),
            &Interrupt { deadline: Some(std::time::Instant::now() + std::time::Duration::from_secs(20)), ..Interrupt::default() },
        );
        word(&answer)
    };
    assert_eq!(ask("echo unsat"), "certified");
    assert_eq!(ask("echo sat"), "refuted");
    for command in
        ["echo unknown", "echo", "printf unsat\\nunsat\\n", "printf (error)\\nunsat\\n", "/no/such/solver", " ", "false"]
    {
        assert_eq!(ask(command), "open", "{command}");
    }
}

/// Checks that a random invariant is certified here iff the check inside of a run certifies it.
fn both_checks_agree(example: &Example, tape: &[u32], k: u32) {
    let mut pool = example.pool.clone();
    let vars: Vec<ExprId> = example.cfa.vars.iter().map(|v| pool.var(*v)).collect();
    let mut words = tape.iter().copied();
    let mut below = |n: usize| words.next().unwrap_or(0) as usize % n;
    // A few bounds, equalities and flags, weakened and strengthened at random.
    let mut clauses = Vec::new();
    for _ in 0..1 + below(3) {
        let mut clause = pool.bool(false);
        for _ in 0..1 + below(2) {
            let x = vars[below(vars.len())];
            let atom = match pool.sort(x) {
                Sort::Bool => x,
                Sort::BitVec(width) => {
                    let c = pool.constant(Value::int(width, below(9) as i128 - 1));
                    let op = [BvCmp::Slt, BvCmp::Sle, BvCmp::Ult, BvCmp::Ule][below(4)];
                    if below(4) == 0 { pool.eq(x, c) } else { pool.bv_cmp(op, x, c) }
                }
                Sort::Float(_) | Sort::Int | Sort::Array(..) => pool.bool(true),
            };
            let literal = if below(3) == 0 { pool.not(atom) } else { atom };
            clause = pool.or(clause, literal);
        }
        clauses.push(clause);
    }
    let invariant = pool.and_all(clauses);
    let invariants = BTreeMap::from([(example.cfa.head, invariant)]);
    let argument = match (k, below(4)) {
        (0, _) => Argument::Inductive(invariants),
        (k, 0) => Argument::KInductive { k, invariants, support: Support::Steps, paths: Paths::Any },
        (k, 1) => Argument::KInductive { k, invariants, support: Support::Alone, paths: Paths::Simple },
        (k, 2) => Argument::Exhaustive { k, places: invariants.into_keys().collect(), paths: Paths::Simple },
        (k, _) => Argument::KInductive { k, invariants, support: Support::Alone, paths: Paths::Any },
    };
    let proof = Proof { pool, argument };
    let inside = check_inside(&example.pool, &example.cfa, &proof, &Interrupt::default());
    let outside = certificate(&example.pool, &example.cfa, &proof).map(|text| check(&text, example));
    match (inside, outside) {
        (Ok(_), Ok(answer)) => {
            assert_eq!(word(&answer), "certified", "{}: {answer:?}", example.name);
            assert_eq!(example.answer, Known::Safe, "{}", example.name);
        }
        (Err(Rejected::Refuted(_)), Ok(answer)) => assert_eq!(word(&answer), "refuted", "{}: {answer:?}", example.name),
        (Err(Rejected::Malformed(_)), Err(_)) => {}
        (inside, outside) => panic!("{}: {inside:?} but {outside:?}", example.name),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn certificates_are_certified_where_proofs_are(tape in prop::collection::vec(any::<u32>(), 1..30), k in 0..4_u32) {
        let examples = all();
        both_checks_agree(&examples[tape[0] as usize % examples.len()], &tape[1..], k);
    }
}
