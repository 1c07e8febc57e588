//! Random rungs, timers, zones, shift registers, stacks, routines, tasks and Add-On Instructions of Studio 5000.
//!
//! More cases: `CASES=10000 cargo test --release -p testgen --test laws rungs`. `FIRST=2000` begins with another seed.

use super::agree_with;
use plc_frontend::dialect::DialectId;
use testgen::programs::rungs;

#[test]
fn random_rungs_behave_alike() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (first, n_cases) = (number("FIRST").unwrap_or(0), number("CASES").unwrap_or(40));
    // Every second controller restarts in the middle of its runs.
    let agrees = |seed: &u64| {
        agree_with("main.L5X", &rungs(*seed), Some(DialectId::Logix), |loaded| {
            if seed % 2 == 1 {
                loaded.make_restarting();
            }
        })
    };
    let n_ended = (first..first + n_cases).filter(agrees).count();
    // Some runs reach a timer with a negative value, or a fault.
    assert!(n_cases as usize / 4 <= n_ended, "{n_ended} of {n_cases}");
}
