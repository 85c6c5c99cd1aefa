//! Fuzzes a chunked body, cut anywhere.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| loadrig_engine::fuzzing::chunks(data));
