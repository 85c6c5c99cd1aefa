//! Fuzzes the cookies of an answer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| loadrig_engine::fuzzing::cookies(data));
