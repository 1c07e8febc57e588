//! Programs with many instances of one block.

use super::{run, with_calls};
use crate::engine::Engine;
use kernel::cfa::ModelOptions;
use kernel::cfa::build;
use kernel::cfa::pass::Reduced;
use kernel::property::instrument::{Instrumented, instrument};
use kernel::verdict::Verdict;
use testgen::stated::Stated;

/// Returns the automaton of a program with a requirement, unreduced and reduced.
pub(super) fn question(program: &str, requirement: &str) -> (Instrumented, Reduced) {
    let stated = Stated::new(program, &format!("requirements: [{requirement}]"));
    let model = build(&stated.loaded.project, &ModelOptions::default()).unwrap();
    let instrumented = instrument(&stated.loaded.project, &model, &stated.claims[0], &stated.assumptions).unwrap();
    let reduced = with_calls(&instrumented.pool, &instrumented.cfa);
    (instrumented, reduced)
}

/// Returns a program with `n` motors that count their starts; a requirement about all of them; with a mistake in one if `broken`.
fn motors(n: usize, broken: bool) -> Reduced {
    let limit = |i: usize| if broken && i == n { 7 } else { 6 };
    let program = format!(
        "FUNCTION_BLOCK Motor
            VAR_INPUT start : BOOL; stop : BOOL; limit : INT; END_VAR
            VAR_OUTPUT on : BOOL; starts : INT; END_VAR
            IF stop THEN on := FALSE; starts := 0;
            ELSIF start AND NOT on AND starts < limit - 1 THEN on := TRUE; starts := starts + 1;
            ELSIF start THEN on := FALSE; END_IF;
        END_FUNCTION_BLOCK
        PROGRAM Main
        VAR_INPUT start : ARRAY [1..{n}] OF BOOL; stop : BOOL; END_VAR
        VAR m : ARRAY [1..{n}] OF Motor; ok : BOOL; END_VAR
        {}
        ok := {};
        END_PROGRAM",
        (1..=n).map(|i| format!("m[{i}](start := start[{i}], stop := stop, limit := {});", limit(i))).collect::<String>(),
        (1..=n).map(|i| format!("m[{i}].starts < 6")).collect::<Vec<_>>().join(" AND "),
    );
    question(&program, "{id: ok, always: ok}").1
}

/// Returns a program with `n` counters, and a requirement that does not hold of any.
pub(super) fn counters(n: usize) -> (Instrumented, Reduced) {
    let program = format!(
        "FUNCTION_BLOCK Count VAR_INPUT go : BOOL; END_VAR VAR_OUTPUT c : INT; END_VAR
            IF go AND c < 5 THEN c := c + 1; END_IF;
        END_FUNCTION_BLOCK
        PROGRAM Main VAR_INPUT go : BOOL; END_VAR VAR k : ARRAY [1..{n}] OF Count; END_VAR {} END_PROGRAM",
        (1..=n).map(|i| format!("k[{i}](go := go);")).collect::<String>(),
    );
    question(&program, "{id: ok, always: 'k[1].c < 5'}")
}

#[test]
fn images_refinements_and_predicates_do_not_grow_with_the_number_of_instances() {
    let numbers = |n: usize| {
        let Reduced { pool, cfa, .. } = motors(n, false);
        let (answer, counts, engine) = run(&[], &pool, &cfa);
        assert!(matches!(answer, Ok(Verdict::Safe(_))), "{n}: {answer:?}");
        let last = engine.iterations().last().unwrap().clone();
        (counts, last.number, last.n_tracked)
    };
    let (few, many) = (numbers(3), numbers(12));
    assert_eq!((few.1, few.2, few.0.explored), (many.1, many.2, many.0.explored), "{few:?} {many:?}");
    assert_eq!(few.0.refuted, many.0.refuted, "{few:?} {many:?}");
    assert!(few.0.pieces + 9 <= many.0.pieces, "{few:?} {many:?}");
    // The steps at the start and at the end of a cycle have a part for each motor, and one image for all of them.
    assert_eq!(few.0.images, many.0.images, "{few:?} {many:?}");
    assert!(4 * few.0.hits < many.0.hits, "{few:?} {many:?}");
}

/// Returns a program with `n` tanks with a loop, and the requirement that none is above its limit; `broken`: the last may be.
fn tanks(n: usize, broken: bool) -> Reduced {
    let program = format!(
        "FUNCTION_BLOCK Tank VAR_INPUT fill : BOOL; amount : USINT; most : USINT; END_VAR VAR_OUTPUT level : USINT; END_VAR
            IF fill AND amount < 50 THEN level := level + amount; END_IF;
            WHILE level > most DO level := level - 10; END_WHILE;
        END_FUNCTION_BLOCK
        PROGRAM Main VAR_INPUT fill : BOOL; amount : ARRAY [1..{n}] OF USINT; END_VAR
        VAR t : ARRAY [1..{n}] OF Tank; ok : BOOL; END_VAR {} ok := {}; END_PROGRAM",
        (1..=n)
            .map(|i| format!("t[{i}](fill := fill, amount := amount[{i}], most := {});", if broken && i == n { 11 } else { 10 }))
            .collect::<String>(),
        (1..=n).map(|i| format!("t[{i}].level <= 10")).collect::<Vec<_>>().join(" AND "),
    );
    question(&program, "{id: ok, always: ok}").1
}

#[test]
fn loops_are_blocks_and_equal_ones_are_explored_once() {
    for (blocks, names) in [("both", &["Tank", "loop in Tank"] as &[_]), ("loops", &["loop in Tank"]), ("calls", &["Tank"])] {
        let numbers = |n: usize| {
            let Reduced { pool, cfa, .. } = tanks(n, false);
            let (answer, counts, engine) = run(&[("blocks", blocks)], &pool, &cfa);
            assert!(matches!(answer, Ok(Verdict::Safe(_))), "{blocks} {n}: {answer:?}");
            let mut found: Vec<&str> = engine.blocks().iter().map(|block| block.name.as_str()).collect();
            found.sort_unstable();
            assert!(names.iter().all(|name| found.contains(name)), "{blocks}: {found:?}");
            assert!(found.iter().all(|name| names.contains(name)), "{blocks}: {found:?}");
            counts
        };
        let (few, many) = (numbers(3), numbers(9));
        assert_eq!((few.explored, few.refuted), (many.explored, many.refuted), "{blocks}: {few:?} {many:?}");
        assert!(many.images <= few.images + 9 && 2 * few.hits < many.hits, "{blocks}: {few:?} {many:?}");
        let Reduced { pool, cfa, .. } = tanks(4, true);
        let (answer, ..) = run(&[("blocks", blocks)], &pool, &cfa);
        assert!(matches!(answer, Ok(Verdict::Unsafe(_))), "{blocks}: {answer:?}");
    }
}

#[test]
fn the_picture_has_each_block_with_its_numbers_and_its_calls() {
    let Reduced { pool, cfa, .. } = tanks(5, false);
    let (.., mut engine) = run(&[("blocks", "both")], &pool, &cfa);
    let picture = engine.explored(&pool).pop().unwrap().picture.unwrap();
    let names: Vec<&str> = picture.nodes.iter().map(|node| node.name.split(" (").next().unwrap()).collect();
    assert_eq!(names, ["the program", "Tank", "loop in Tank"]);
    assert!(picture.nodes[1].text.starts_with("Tank\n5 places · entered 10, known 8 · "), "{}", picture.nodes[1].text);
    let edges: Vec<_> = picture.edges.iter().map(|edge| (edge.from, edge.to, edge.text.as_str())).collect();
    let [program, tank, inner] = [0, 1, 2].map(|i| picture.nodes[i].id);
    assert_eq!(edges, [(program, tank, "5 times"), (tank, inner, "")]);
}

#[test]
fn a_mistake_in_one_of_many_calls_is_found() {
    for given in [&[] as &[_], &[("domain", "EXPL"), ("maxenum", "8")], &[("cache", "off"), ("reduce", "identity")]] {
        let Reduced { pool, cfa, .. } = motors(4, true);
        let (answer, _, engine) = run(given, &pool, &cfa);
        let Ok(Verdict::Unsafe(trace)) = answer else { panic!("{given:?}: {answer:?}") };
        // A motor starts in every second cycle.
        assert!(11 <= trace.cycles.len(), "{given:?}: {trace:?}");
        assert!(engine.blocks().iter().all(|block| block.name == "Motor" && 0 < block.asked), "{:?}", engine.blocks());
    }
}

/// Comparisons of drives are no part of the bound. On the first path all drives are equal by chance.
#[test]
fn maxima_are_bounded_without_predicates_that_compare_blocks() {
    let program = |n: usize| {
        format!(
            "FUNCTION_BLOCK Drive VAR_INPUT go : BOOL; reset : BOOL; END_VAR VAR_OUTPUT steps : INT; END_VAR
                IF reset THEN steps := 0; ELSIF go AND steps < 8 THEN steps := steps + 1; END_IF;
            END_FUNCTION_BLOCK
            FUNCTION_BLOCK Station VAR_INPUT go : BOOL; reset : BOOL; END_VAR VAR_OUTPUT most : INT; END_VAR
                VAR left : Drive; right : Drive; END_VAR
                left(go := go, reset := reset); right(go := NOT go, reset := reset); most := MAX(left.steps, right.steps);
            END_FUNCTION_BLOCK
            FUNCTION_BLOCK Line VAR_INPUT go : BOOL; reset : BOOL; END_VAR VAR_OUTPUT most : INT; END_VAR
                VAR first : Station; second : Station; END_VAR
                first(go := go, reset := reset); second(go := first.most > 4, reset := reset); most := MAX(first.most, second.most);
            END_FUNCTION_BLOCK
            PROGRAM Main VAR_INPUT go : BOOL; reset : BOOL; END_VAR VAR l : ARRAY [1..{n}] OF Line; ok : BOOL; END_VAR {} ok := {};
            END_PROGRAM",
            (1..=n).map(|i| format!("l[{i}](go := go, reset := reset);")).collect::<String>(),
            (1..=n).map(|i| format!("l[{i}].most <= 8")).collect::<Vec<_>>().join(" AND "),
        )
    };
    let tracked = |n: usize| {
        let Reduced { pool, cfa, .. } = question(&program(n), "{id: ok, always: ok}").1;
        let (answer, _, engine) = run(&[], &pool, &cfa);
        assert!(matches!(answer, Ok(Verdict::Safe(_))), "{n}: {answer:?}");
        engine.iterations().last().unwrap().n_tracked
    };
    let (one, four) = (tracked(1), tracked(4));
    assert!(one == four && one <= 12, "{one} {four}");
}

#[test]
fn conditional_calls_have_few_blocks() {
    let n_edges = |n: usize| {
        let program = format!(
            "FUNCTION_BLOCK Count VAR_INPUT go : BOOL; END_VAR VAR_OUTPUT c : INT; END_VAR
                IF go AND c < 5 THEN c := c + 1; END_IF;
            END_FUNCTION_BLOCK
            PROGRAM Main VAR_INPUT go : ARRAY [1..{n}] OF BOOL; END_VAR VAR k : ARRAY [1..{n}] OF Count; END_VAR {} END_PROGRAM",
            (1..=n).map(|i| format!("IF go[{i}] THEN k[{i}](go := TRUE); END_IF;")).collect::<String>(),
        );
        let all: Vec<String> = (1..=n).map(|i| format!("k[{i}].c < 6")).collect();
        question(&program, &format!("{{id: ok, always: '{}'}}", all.join(" AND "))).1.cfa.edges.len()
    };
    let (few, many) = (n_edges(20), n_edges(40));
    assert!(many <= 2 * few + 10, "{few} blocks for 20 calls, {many} for 40");
}
