//! Exports of Studio 5000.
#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use plc_frontend_fuzz::mutate::{Shape, mutate};

fuzz_target!(|data: &[u8]| plc_frontend_fuzz::whole("Main.L5X", data));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| { mutate(Shape::Xml, data, size, max_size, seed) });
