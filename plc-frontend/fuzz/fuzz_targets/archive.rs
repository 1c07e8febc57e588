//! Fuzz target: the import of project archives.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| plc_frontend_fuzz::unpacked(data));
