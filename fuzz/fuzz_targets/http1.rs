//! Fuzzes an HTTP/1 answer, cut anywhere.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| loadrig_engine::fuzzing::http1(data));
