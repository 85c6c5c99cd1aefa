//! A proxy as its parent has it, and a dependency, for tests. No test of its own.
#![allow(dead_code, reason = "every test binary has this module and uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails, and says where")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Whatever takes so long hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A proxy that runs on a thread, with our hands on both ends of the conversation.
pub(crate) struct Proxy {
    to_it: UnixStream,
    from_it: BufReader<UnixStream>,
    thread: Option<JoinHandle<i32>>,
    pub port: u16,
}

impl Proxy {
    /// A proxy on a free port, in front of this address.
    pub(crate) fn before(to: SocketAddr) -> Self {
        let mut made = Self::told(&json!({"listen": 0, "to": to.to_string()}).to_string());
        let ready = made.hear();
        made.port = ready["ready"]["port"].as_u64().unwrap_or_else(|| panic!("{ready}")).try_into().unwrap();
        made
    }

    /// A proxy that was told this first.
    pub(crate) fn told(line: &str) -> Self {
        let (ours, its) = UnixStream::pair().unwrap();
        ours.set_read_timeout(Some(PATIENCE)).unwrap();
        let says = its.try_clone().unwrap();
        let thread = std::thread::spawn(move || loadrig_proxy::serve(its, says));
        let from_it = BufReader::new(ours.try_clone().unwrap());
        let mut made = Self { to_it: ours, from_it, thread: Some(thread), port: 0 };
        made.say(line);
        made
    }

    pub(crate) fn say(&mut self, line: &str) {
        self.to_it.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    pub(crate) fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.from_it.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// Lets these settings hold, and no others.
    pub(crate) fn set(&mut self, settings: &Value) -> Value {
        self.say(&json!({"set": settings}).to_string());
        let answer = self.hear();
        assert!(answer["set"]["t_ns"].as_u64().unwrap() > 0, "{answer}");
        answer["set"].clone()
    }

    /// Counter of the proxy by its name.
    pub(crate) fn count(&mut self, name: &str) -> u64 {
        self.say(r#"{"ask": "counters"}"#);
        let answer = self.hear();
        answer["counters"][name].as_u64().unwrap_or_else(|| panic!("{name} in {answer}"))
    }

    /// Waits until a counter is this much.
    pub(crate) fn await_count(&mut self, name: &str, count: u64) {
        let began = Instant::now();
        while self.count(name) != count {
            assert!(began.elapsed() < PATIENCE, "{name} is {} and not {count}", self.count(name));
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// A client of it.
    pub(crate) fn client(&self) -> TcpStream {
        client_of(self.port)
    }

    /// Lets the parent go; returns the exit code.
    pub(crate) fn leave(mut self) -> i32 {
        self.to_it.shutdown(Shutdown::Both).unwrap();
        self.thread.take().unwrap().join().unwrap()
    }

    /// Waits for its end; returns the exit code.
    pub(crate) fn ends(mut self) -> i32 {
        self.thread.take().unwrap().join().unwrap()
    }
}

/// A connection to a port of this machine that gives up after a while.
pub(crate) fn client_of(port: u16) -> TcpStream {
    let client = TcpStream::connect(("127.0.0.1", port)).unwrap();
    client.set_read_timeout(Some(PATIENCE)).unwrap();
    client.set_write_timeout(Some(PATIENCE)).unwrap();
    client.set_nodelay(true).unwrap();
    client
}

/// A dependency: every connection is served by this, on a thread of its own.
pub(crate) fn dependency(serve: impl Fn(TcpStream) + Send + Sync + Clone + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let serve = serve.clone();
            std::thread::spawn(move || serve(stream));
        }
    });
    address
}

/// A dependency that says everything back, as it comes.
pub(crate) fn echo() -> SocketAddr {
    dependency(|mut stream| {
        stream.set_nodelay(true).unwrap();
        let mut buffer = vec![0; 65536];
        while let Ok(count @ 1..) = stream.read(&mut buffer) {
            if stream.write_all(&buffer[..count]).is_err() {
                return;
            }
        }
    })
}

/// Asks an echo, and returns how long the answer took.
pub(crate) fn ask(client: &mut TcpStream, bytes: &[u8]) -> Duration {
    let began = Instant::now();
    client.write_all(bytes).unwrap();
    let mut answer = vec![0; bytes.len()];
    client.read_exact(&mut answer).unwrap();
    assert_eq!(answer, bytes);
    began.elapsed()
}
