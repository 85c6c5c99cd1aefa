//! Runs the config of a file as the parent process would, and writes the engine's messages to the
//! standard output: for measuring and profiling the engine without Python.
//!
//!     cargo run --release --example run_config -- config.json

use std::io::{BufReader, Write as _};
use std::os::unix::net::UnixStream;

use loadrig_core::clock::{Clock as _, Monotonic};

/// From reading the config to the first request: more than compiling and connecting threads takes.
const AHEAD_NS: u64 = 300_000_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which config? give its path")?;
    let config: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let start = serde_json::json!({"start_at_ns": Monotonic.now_ns() + AHEAD_NS});
    let (mut parent, engine) = UnixStream::pair()?;
    // Stays open until the end: to the engine a closed input means that the parent is gone.
    std::thread::spawn(move || {
        let said = parent.write_all(format!("{config}\n{start}\n").as_bytes());
        said.map(|()| std::thread::park())
    });
    let code = loadrig_engine::run::serve(BufReader::new(engine), std::io::stdout().lock());
    std::process::exit(code);
}
