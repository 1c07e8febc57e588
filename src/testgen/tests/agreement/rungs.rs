//! Random rungs, timers, zones and Add-On Instructions of Studio 5000.
//!
//! More cases: `CASES=10000 cargo test --release -p testgen --test laws rungs`.

use super::agree_in;
use plc_frontend::dialect::DialectId;
use testgen::programs::rungs;

#[test]
fn random_rungs_behave_alike() {
    let n_cases: u64 = std::env::var("CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(40);
    let n_ended = (0..n_cases).filter(|seed| agree_in("main.L5X", &rungs(*seed), Some(DialectId::Logix))).count();
    // Some runs reach a timer with a negative value, or a fault.
    assert!(n_cases as usize / 4 <= n_ended, "{n_ended} of {n_cases}");
}
