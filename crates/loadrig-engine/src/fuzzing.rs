//! Readers of bytes from the network or from a user, for the fuzzers in `fuzz/`: one function a
//! target. Each takes any bytes at all, and panics if something is not as it must be.
//!
//! Only with the feature `fuzzing`, and in the tests of this crate, which play back the kept
//! corpus. No part of the crate's interface.

mod answers;
mod chunks;
mod sessions;

pub use crate::request::fuzzing::{cookies, css, exchange, inflate, json, redirect, template};
pub use answers::http1;
pub use chunks::chunks;
pub use sessions::http2;

use loadrig_core::histogram::{Encoder, Histogram};
use loadrig_core::schedule::Shard;

use crate::config::EngineConfig;
use crate::request::Book;

/// A target and its name: that of the program in `fuzz/fuzz_targets` and of the folder in
/// `fuzz/corpus`.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 12] = [
    ("chunks", chunks),
    ("config", config),
    ("cookies", cookies),
    ("css", css),
    ("exchange", exchange),
    ("histogram", histogram),
    ("http1", http1),
    ("http2", http2),
    ("inflate", inflate),
    ("json", json),
    ("redirect", redirect),
    ("template", template),
];

/// A config of any kind: what is taken makes requests that are HTTP.
///
/// # Panics
/// If it does not.
pub fn config(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(config) = EngineConfig::parse(text) else { return };
    let Ok(mut book) = Book::compile(&config, Shard::whole()) else { return };
    for (route, request) in book.sample() {
        crate::request::fuzzing::must_be_one_request(&request, &route);
    }
}

/// The text of a histogram, or the bytes that such a text stands for: what is read can be written
/// and read again.
///
/// # Panics
/// If it comes back as another one.
pub fn histogram(data: &[u8]) {
    use base64::Engine as _;
    let encoded = base64::engine::general_purpose::STANDARD.encode(data);
    for text in [std::str::from_utf8(data).unwrap_or_default(), &encoded] {
        let Ok(histogram) = Histogram::decode(text) else { continue };
        let again = Histogram::decode(&histogram.encode(&mut Encoder::default()));
        assert!(again.expect("our own text is right") == histogram);
        assert!(histogram.quantile_ns(0.5) <= histogram.max_ns());
    }
}

#[cfg(test)]
mod tests {
    use super::TARGETS;
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    fn fuzz(folder: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz").join(folder)
    }

    fn names(folder: &str) -> BTreeSet<String> {
        let entries = std::fs::read_dir(fuzz(folder)).expect("the folder is there");
        let paths = entries.map(|entry| entry.expect("it can be listed").path());
        paths.map(|path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn every_target_has_a_program_and_a_corpus() {
        let targets: BTreeSet<String> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(names("fuzz_targets"), targets);
        assert_eq!(names("corpus"), targets);
    }

    #[test]
    fn the_kept_corpus_is_survived() {
        for (name, target) in TARGETS {
            let entries = std::fs::read_dir(fuzz("corpus").join(name)).expect("the folder is there");
            let mut count = 0;
            for entry in entries {
                let path = entry.expect("it can be listed").path();
                // Shown only if it panics.
                println!("{}", path.display());
                target(&std::fs::read(path).expect("it can be read"));
                count += 1;
            }
            assert!(count > 0, "the corpus of {name} is empty");
        }
    }
}
