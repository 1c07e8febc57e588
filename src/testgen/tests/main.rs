//! Laws that span crates, on random programs: both readings agree, monitors mean their requirements, engines agree.

#![allow(clippy::unwrap_used, clippy::panic, clippy::unreachable, reason = "tests")]

mod agreement;
mod anomalies;
mod assumed_of_stubs;
mod blocks;
mod bytes;
mod checks;
mod dialects;
mod inferred;
mod large_arrays;
mod left_out;
mod libraries;
mod memory;
mod model;
mod patterns;
mod pictures;
mod reductions;
mod requirements;
mod stubs;
mod values_at_calls;
mod verdicts;

use proptest::prelude::*;

fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig { cases: default.cases.div_ceil(3), failure_persistence: None, ..default }
}

/// Plants are larger.
fn fewer() -> ProptestConfig {
    let config = config();
    ProptestConfig { cases: config.cases.div_ceil(4), ..config }
}
