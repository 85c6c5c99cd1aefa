//! Fuzzes the config that the parent sends.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| loadrig_engine::fuzzing::config(data));
