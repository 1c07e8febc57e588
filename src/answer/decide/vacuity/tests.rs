//! Runs that put a requirement to the test, and assumptions that leave none.

use crate::VerdictWord;
use crate::decide::Decision;
use crate::decide::tests::decide_first;

const LATCH: &str = "PROGRAM P
    VAR_INPUT go, stop : BOOL; END_VAR
    VAR_OUTPUT run : BOOL; n : INT; END_VAR
    run := (run OR go) AND NOT stop;
    IF run AND n < 1000 THEN n := n + 1; END_IF;
    //#ASSERT NOT stop OR NOT run : stopped
    END_PROGRAM";

#[test]
fn what_holds_comes_with_a_run_in_which_its_condition_is_true() {
    let check = |requirement: &str, cycles: Option<usize>| {
        let decision = decide_first(LATCH, &format!("requirements: [{requirement}]"), None);
        assert_eq!(decision.word, VerdictWord::Holds, "{requirement}: {:?}", decision.reason);
        assert_eq!(decision.example.map(|run| run.cycles.len()), cycles, "{requirement}");
    };
    check("{ if: n = 3, then: n < 4 }", Some(3));
    check("{ at_start: run AND stop, then: NOT run }", Some(2));
    check("{ after: run, if: stop, then: NOT run }", Some(2));
    check("{ if: run, for: 300ms, then: n >= 3 }", Some(4));
    check("{ if: run AND PREVIOUS(run), then: n >= 2 }", Some(2));
    // Every cycle puts these to the test.
    check("{ always: n >= 0 }", None);
    check("{ never: stop AND run }", None);
    // The answer is a run itself.
    check("{ possible: n = 2 }", None);
}

#[test]
fn an_assertion_is_put_to_the_test_where_it_stands() {
    let decision = decide_first(LATCH, "", None);
    assert_eq!(decision.word, VerdictWord::Holds);
    let example = decision.example.unwrap();
    assert!(example.cycles.len() == 1 && example.place.is_some(), "{example:?}");
}

/// `for: 1h` at 100 ms: 36,000 cycles without an event.
#[test]
fn what_has_to_last_for_long_is_waited_for() {
    let check = |requirement: &str, word: VerdictWord, cycles: Option<usize>| {
        let decision = decide_first(LATCH, &format!("requirements: [{requirement}]"), None);
        assert_eq!(decision.word, word, "{requirement}: {:?}", decision.reason);
        assert_eq!(decision.example.map(|run| run.cycles.len()), cycles, "{requirement}");
        decision.reason.unwrap_or_default()
    };
    check("{ if: run, for: 1h, then: NOT stop }", VerdictWord::Holds, Some(36_001));
    check("{ if: run, for: 20s, then: n >= 200 }", VerdictWord::Holds, Some(201));
    let never = check("{ if: run AND stop, for: 1h, then: n = 0 }", VerdictWord::Vacuous, None);
    assert!(never.contains("can never be true"), "{never}");
}

#[test]
fn assumptions_that_exclude_runs_are_named() {
    let decide = |assumptions: &[&str], requirement: &str| -> Decision {
        let rows: Vec<String> = assumptions.iter().map(|a| format!("{{ expr: '{a}' }}")).collect();
        decide_first(LATCH, &format!("assumptions: [{}]\nrequirements: [{requirement}]", rows.join(", ")), None)
    };
    let check = |assumptions: &[&str], requirement: &str, word: VerdictWord, reason: &str| {
        let decision = decide(assumptions, requirement);
        let said = decision.reason.unwrap_or_default();
        assert_eq!(decision.word, word, "{assumptions:?}: {said}");
        assert_eq!(said, reason, "{assumptions:?}");
    };
    let holds = "{ always: n >= 0 }";
    check(
        &["go", "stop OR go", "NOT go"],
        holds,
        VerdictWord::Vacuous,
        "the assumptions exclude every run: `go` and `NOT go` cannot hold together in the first cycle",
    );
    check(
        &["stop", "go AND NOT go"],
        holds,
        VerdictWord::Vacuous,
        "the assumptions exclude every run: `go AND NOT go` cannot hold in the first cycle",
    );
    // The first cycle runs; its result is impossible before a second one.
    let short = "the assumptions leave no run of more than one cycle: `go AND NOT stop` and `NOT run OR stop` cannot hold \
                 together at the beginning of cycle 2";
    check(&["go AND NOT stop", "NOT run OR stop"], holds, VerdictWord::Vacuous, short);
    check(&["go AND NOT stop", "NOT run OR stop"], "{ never: run }", VerdictWord::Violated, short);
    check(
        &["go AND NOT stop", "n < 3 OR stop"],
        holds,
        VerdictWord::Vacuous,
        "the assumptions leave no run of more than 3 cycles: `go AND NOT stop` and `n < 3 OR stop` cannot hold together at the \
         beginning of cycle 4",
    );
    // They end some runs, not all.
    check(&["NOT run OR stop"], holds, VerdictWord::Holds, "");
    check(&["go"], holds, VerdictWord::Holds, "");
}

/// A run that ends by a fault of the program is no conflict of assumptions.
#[test]
fn a_program_that_ends_by_itself_is_not_blamed_on_assumptions() {
    let program = "PROGRAM P\nVAR_INPUT a : INT; END_VAR\nVAR n : INT; END_VAR\nn := 5 / n;\nEND_PROGRAM";
    let yaml = "assumptions: [{ expr: 'a > 0 OR n > 0' }]\nrequirements: [{ always: n >= 0 }]";
    let decision = decide_first(program, yaml, None);
    assert!(!decision.reason.unwrap_or_default().contains("leave no run"));
}

/// A call in a branch ends the runs that come to it; all others hold.
#[test]
fn assumptions_about_stubs_that_exclude_all_values_are_named() {
    let text = "{attribute 'stub'}
        FUNCTION_BLOCK FB_V
        VAR_OUTPUT L, M : INT; END_VAR
        END_FUNCTION_BLOCK
        PROGRAM P
        VAR_INPUT go : BOOL; END_VAR
        VAR v, w : FB_V; x : INT; END_VAR
        IF go THEN v(); x := v.L; END_IF;
        END_PROGRAM";
    let check = |assumptions: &[&str], words: Option<&str>| {
        let rows: Vec<String> = assumptions.iter().map(|a| format!("{{ expr: '{a}' }}")).collect();
        let spec = format!("assumptions: [{}]\nrequirements: [{{ always: x >= 0 }}]", rows.join(", "));
        let decision = decide_first(text, &spec, None);
        let reason = decision.reason.unwrap_or_default();
        match words {
            Some(words) => assert!(decision.word == VerdictWord::Vacuous && reason.contains(words), "{spec}: {reason}"),
            None => assert_eq!(decision.word, VerdictWord::Holds, "{spec}: {reason}"),
        }
    };
    check(&["FB_V.L >= 0"], None);
    check(&["v.L >= 0"], None);
    check(&["FB_V.L >= 0", "FB_V.L < 0"], Some("exclude all values that calls of `FB_V` could give"));
    check(&["v.L > 5 AND v.L < 3"], Some("the assumptions exclude every run"));
    check(&["FB_V.L >= 0", "FB_V.L > v.M", "FB_V.M > v.L"], Some("exclude all values"));
    // Nothing calls the other instance.
    check(&["FB_V.L >= 0", "w.M > 7"], None);
}

/// An assumption about an instance says nothing of what other code writes there between two calls.
#[test]
fn an_assumption_about_an_instance_excludes_no_write_of_the_program() {
    let text = |start: &str| {
        format!(
            "{{attribute 'stub'}}
            FUNCTION_BLOCK FB_V
            VAR_INPUT Level : INT{start}; END_VAR
            VAR_OUTPUT q : BOOL; END_VAR
            END_FUNCTION_BLOCK
            PROGRAM P
            VAR_INPUT go : BOOL; END_VAR
            VAR v : FB_V; was, bad : BOOL; END_VAR
            bad := was;
            was := go;
            v();
            IF go THEN v.Level := -1; END_IF;
            END_PROGRAM"
        )
    };
    let spec = "assumptions: [{ expr: v.Level >= 0 }]\nrequirements: [{ never: bad }]";
    for start in ["", " := 5"] {
        let decision = decide_first(&text(start), spec, None);
        assert_eq!(decision.word, VerdictWord::Violated, "{start}: {:?}", decision.reason);
    }
}
