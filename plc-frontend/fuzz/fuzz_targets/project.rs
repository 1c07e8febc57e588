//! Whole projects: several files of an upload, with the parts that have errors left out.
#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use plc_frontend_fuzz::mutate::{Shape, mutate};

fuzz_target!(|data: &[u8]| plc_frontend_fuzz::several(data));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let shape = if seed % 2 == 0 { Shape::Xml } else { Shape::Words };
    mutate(shape, data, size, max_size, seed)
});
