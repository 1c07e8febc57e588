//! Random charts and function block diagrams of Studio 5000.
//!
//! More cases: `CASES=10000 cargo test --release -p testgen --test laws drawn_routines`.

use super::agree_in;
use plc_frontend::dialect::DialectId;
use testgen::programs::drawn_routines;

#[test]
fn random_drawn_routines_behave_alike() {
    let n_cases: u64 = std::env::var("CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(40);
    let n_ended = (0..n_cases).filter(|seed| agree_in("main.L5X", &drawn_routines(*seed), Some(DialectId::Logix))).count();
    // Last scans of some actions have no rule, and such charts are gaps.
    assert!(n_cases as usize / 4 <= n_ended, "{n_ended} of {n_cases}");
}
