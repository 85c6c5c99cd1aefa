//! Fuzzes a histogram of a recording.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| loadrig_engine::fuzzing::histogram(data));
