//! Fuzzes a template of a plan.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| loadrig_engine::fuzzing::template(data));
