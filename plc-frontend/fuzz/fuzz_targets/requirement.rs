//! Fuzz target: requirement files (YAML).
#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use plc_frontend_fuzz::mutate::{Shape, mutate};

fuzz_target!(|data: &[u8]| plc_frontend_fuzz::stated(data));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| { mutate(Shape::Words, data, size, max_size, seed) });
