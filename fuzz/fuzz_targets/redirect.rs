//! Fuzzes where a redirect leads.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| loadrig_engine::fuzzing::redirect(data));
