//! Fuzzes a place in a JSON body.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| loadrig_engine::fuzzing::json(data));
