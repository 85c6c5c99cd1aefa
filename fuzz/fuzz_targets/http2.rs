//! Fuzzes the bytes of an HTTP/2 server.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| loadrig_engine::fuzzing::http2(data));
