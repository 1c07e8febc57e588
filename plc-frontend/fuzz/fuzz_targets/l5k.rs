//! Text exports of Studio 5000.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| plc_frontend_fuzz::whole("Main.L5K", data));
