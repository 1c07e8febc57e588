//! Blocks of vendors and of the standard's second edition, against their timing diagrams.

use super::blocks::check;

#[test]
fn semaphore() {
    // The first claim succeeds; later claims find the semaphore busy; a release frees it.
    check(
        "SEMA",
        "CLAIM RELEASE | BUSY",
        &["0 0 | 0", "1 0 | 0", "1 0 | 1", "0 0 | 1", "0 1 | 0", "0 0 | 0", "1 1 | 0", "1 1 | 1"],
    );
}

#[test]
fn real_time_clock() {
    let header = "IN PDT | Q CDT";
    let mut rows = vec!["0 500 | 0 0".to_owned(), "1 500 | 1 500".to_owned()];
    rows.extend((1..25).map(|n| format!("1 900 | 1 {}", 500 + n / 10)));
    rows.extend(["0 900 | 0 502".to_owned(), "0 900 | 0 502".to_owned(), "1 900 | 1 900".to_owned()]);
    check("RTC", header, &rows.iter().map(String::as_str).collect::<Vec<_>>());
    // Time goes on while the block is not called.
    let mut rows = vec!["1 0 | 1 0"];
    rows.extend(["1 0 | 1 0-"; 20]);
    rows.push("1 0 | 1 2");
    check("RTC", header, &rows);
}

#[test]
fn accumulating_on_delay() {
    let header = "IN R PT | Q ET";
    // The times with IN = TRUE add up; Q stays without IN; R resets everything.
    check(
        "TONR",
        header,
        &[
            "0 0 250 | 0 0",
            "1 0 250 | 0 0",
            "1 0 250 | 0 100",
            "0 0 250 | 0 200",
            "0 0 250 | 0 200",
            "1 0 250 | 0 200",
            "1 0 250 | 1 250",
            "0 0 250 | 1 250",
            "1 0 900 | 1 250",
            "1 1 250 | 0 0",
            "1 0 250 | 0 100",
        ],
    );
    check("TONR", header, &["0 0 0 | 0 0", "1 0 0 | 1 0", "0 0 0 | 1 0", "0 1 0 | 0 0", "0 0 0 | 0 0"]);
    // Time goes on while the block is not called.
    check("TONR", header, &["1 0 300 | 0 0", "1 0 300 | 0 0-", "1 0 300 | 0 200", "1 0 300 | 1 300"]);
    // PT changes while the time runs.
    check("TONR", header, &["1 0 300 | 0 0", "1 0 300 | 0 100", "1 0 150 | 1 150"]);
}

const TIMER: &str = "S R TV | Q";

#[test]
fn pulse_timer() {
    check(
        "S_PULSE",
        TIMER,
        &["0 0 200 | 0", "1 0 200 | 1", "1 0 200 | 1", "1 0 200 | 0", "1 0 200 | 0", "0 0 200 | 0", "1 0 200 | 1"],
    );
    // S ends the pulse, and so does R; afterwards only a new edge starts it.
    check(
        "S_PULSE",
        TIMER,
        &["1 0 200 | 1", "0 0 200 | 0", "1 0 200 | 1", "1 1 200 | 0", "1 0 200 | 0", "0 0 200 | 0", "1 0 200 | 1"],
    );
    check("S_PULSE", TIMER, &["1 1 200 | 0", "1 0 200 | 0"]);
    check("S_PULSE", TIMER, &["1 0 0 | 0", "1 0 0 | 0"]);
    // TV counts from the start of the pulse on.
    check("S_PULSE", TIMER, &["1 0 200 | 1", "1 0 900 | 1", "1 0 900 | 0"]);
    check("S_PULSE", TIMER, &["1 0 200 | 1", "1 0 200 | 1-", "1 0 200 | 0"]);
}

#[test]
fn extended_pulse_timer() {
    check("S_PEXT", TIMER, &["0 0 200 | 0", "1 0 200 | 1", "0 0 200 | 1", "0 0 200 | 0", "1 0 200 | 1"]);
    // Another edge starts the time again.
    check("S_PEXT", TIMER, &["1 0 200 | 1", "0 0 200 | 1", "1 0 200 | 1", "1 0 200 | 1", "1 0 200 | 0"]);
    check("S_PEXT", TIMER, &["1 0 200 | 1", "0 1 200 | 0", "0 0 200 | 0", "1 1 200 | 0", "1 0 200 | 0"]);
    check("S_PEXT", TIMER, &["1 0 0 | 0", "0 0 0 | 0"]);
}

#[test]
fn on_delay_timer() {
    check(
        "S_ODT",
        TIMER,
        &["0 0 200 | 0", "1 0 200 | 0", "1 0 200 | 0", "1 0 200 | 1", "1 0 200 | 1", "0 0 200 | 0", "1 0 200 | 0"],
    );
    check("S_ODT", TIMER, &["1 0 200 | 0", "0 0 200 | 0", "1 0 200 | 0", "1 0 200 | 0", "1 0 200 | 1"]);
    // R ends it though S is TRUE.
    check("S_ODT", TIMER, &["1 0 100 | 0", "1 0 100 | 1", "1 1 100 | 0", "1 0 100 | 0", "1 0 100 | 0"]);
    check("S_ODT", TIMER, &["1 0 0 | 1", "0 0 0 | 0"]);
    check("S_ODT", TIMER, &["1 0 200 | 0", "1 0 900 | 0", "1 0 900 | 1"]);
}

#[test]
fn retentive_on_delay_timer() {
    check(
        "S_ODTS",
        TIMER,
        &["0 0 200 | 0", "1 0 200 | 0", "0 0 200 | 0", "0 0 200 | 1", "0 0 200 | 1", "1 0 200 | 1", "0 1 200 | 0", "0 0 200 | 0"],
    );
    check("S_ODTS", TIMER, &["1 0 200 | 0", "0 0 200 | 0", "1 0 200 | 0", "0 0 200 | 0", "0 0 200 | 1"]);
    check("S_ODTS", TIMER, &["1 0 200 | 0", "0 1 200 | 0", "0 0 200 | 0", "0 0 200 | 0"]);
}

#[test]
fn off_delay_timer() {
    check("S_OFFDT", TIMER, &["0 0 200 | 0", "1 0 200 | 1", "0 0 200 | 1", "0 0 200 | 1", "0 0 200 | 0", "0 0 200 | 0"]);
    check("S_OFFDT", TIMER, &["1 0 200 | 1", "0 0 200 | 1", "1 0 200 | 1", "0 0 200 | 1", "0 0 200 | 1", "0 0 200 | 0"]);
    check("S_OFFDT", TIMER, &["1 0 200 | 1", "0 0 200 | 1", "0 1 200 | 0", "0 0 200 | 0", "1 1 200 | 0", "1 0 200 | 1"]);
    check("S_OFFDT", TIMER, &["1 0 0 | 1", "0 0 0 | 0"]);
}

#[test]
fn counters_of_s7() {
    // PV is BCD: 16#12 is 12.
    check(
        "S_CU",
        "CU S R PV | Q CV CV_BCD",
        &["0 0 0 18 | 0 0 0", "1 0 0 18 | 1 1 1", "0 1 0 18 | 1 12 18", "1 1 0 18 | 1 13 19", "1 0 1 18 | 0 0 0"],
    );
    check("S_CU", "CU S R PV | Q CV CV_BCD", &["0 1 0 2457 | 1 999 2457", "1 0 0 0 | 1 999 2457"]);
    check(
        "S_CD",
        "CD S R PV | Q CV",
        &["0 1 0 2 | 1 2", "1 1 0 2 | 1 1", "1 0 0 2 | 1 1", "0 0 0 2 | 1 1", "1 0 0 2 | 0 0", "0 0 0 2 | 0 0", "1 0 0 2 | 0 0"],
    );
    // Both edges in one call leave the count unchanged, also at its ends; a preset acts after them.
    check(
        "S_CUD",
        "CU CD S R PV | CV",
        &[
            "0 0 1 0 2457 | 999",
            "1 1 0 0 0 | 999",
            "0 0 0 0 0 | 999",
            "0 1 0 0 0 | 998",
            "1 0 0 0 0 | 999",
            "0 0 0 1 0 | 0",
            "1 1 0 0 0 | 0",
            "0 0 1 0 3 | 3",
        ],
    );
    // R dominates S, and the edge of S is lost.
    check("S_CUD", "CU CD S R PV | CV", &["0 0 1 1 5 | 0", "0 0 1 0 5 | 0", "0 0 0 0 5 | 0", "0 0 1 0 5 | 5"]);
}
