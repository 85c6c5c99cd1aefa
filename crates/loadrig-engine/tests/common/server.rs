//! Servers that behave as a test wants, in the same process: a thread for each connection.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// A server that ends when it is dropped.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    seen: Arc<Seen>,
    thread: Option<JoinHandle<()>>,
}

/// Observations of a server.
#[derive(Default)]
pub(crate) struct Seen {
    is_over: AtomicBool,
    connections: AtomicU64,
    requests: AtomicU64,
}

impl Server {
    /// Lets `handle` have each connection. It ends the connection by returning.
    pub(crate) fn new(handle: impl Fn(&mut Line) + Send + Sync + 'static) -> Self {
        Self::at("127.0.0.1:0", handle).expect("this machine has a loopback")
    }

    /// The same at an address that the machine may not have.
    pub(crate) fn at(
        address: &str,
        handle: impl Fn(&mut Line) + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let seen = Arc::new(Seen::default());
        let (handle, theirs) = (Arc::new(handle), Arc::clone(&seen));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if theirs.is_over.load(Ordering::Acquire) {
                    return;
                }
                theirs.connections.fetch_add(1, Ordering::AcqRel);
                let (handle, seen) = (Arc::clone(&handle), Arc::clone(&theirs));
                std::thread::spawn(move || handle(&mut Line::new(stream, seen)));
            }
        });
        Ok(Self { address, seen, thread: Some(thread) })
    }

    /// Answers every request with this.
    pub(crate) fn answering(answer: impl AsRef<[u8]> + Send + Sync + 'static) -> Self {
        Self::new(move |line| while line.request().is_some() && line.say(answer.as_ref()) {})
    }

    /// Answers every request with `ok`.
    pub(crate) fn fine() -> Self {
        Self::answering(FINE)
    }

    /// Connections accepted so far.
    pub(crate) fn connections(&self) -> u64 {
        self.seen.connections.load(Ordering::Acquire)
    }

    /// Whole requests read so far.
    pub(crate) fn requests(&self) -> u64 {
        self.seen.requests.load(Ordering::Acquire)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.seen.is_over.store(true, Ordering::Release);
        // It waits for a connection: here is one. It is gone already if this does not work.
        let _ = TcpStream::connect(self.address);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// An answer that nobody can object to.
pub(crate) const FINE: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// A connection, as a server has it.
pub(crate) struct Line {
    stream: BufReader<TcpStream>,
    seen: Arc<Seen>,
}

impl Line {
    fn new(stream: TcpStream, seen: Arc<Seen>) -> Self {
        stream.set_nodelay(true).expect("it can be set");
        Self { stream: BufReader::new(stream), seen }
    }

    /// The next request, with its body; none at the end.
    pub(crate) fn request(&mut self) -> Option<String> {
        let request = read_request(&mut self.stream)?;
        self.seen.requests.fetch_add(1, Ordering::AcqRel);
        Some(request)
    }

    /// Says something; false if nobody listens.
    pub(crate) fn say(&mut self, bytes: &[u8]) -> bool {
        self.stream.get_mut().write_all(bytes).is_ok()
    }

    /// Says no more, but goes on listening.
    pub(crate) fn end(&mut self) {
        let _ = self.stream.get_mut().shutdown(Shutdown::Write);
    }

    /// Ends the connection with a reset.
    pub(crate) fn reset(&mut self) {
        let socket = self.stream.get_ref();
        rustix::net::sockopt::set_socket_linger(socket, Some(Duration::ZERO)).expect("it can be set");
    }

    /// Waits until the other side closes.
    pub(crate) fn wait_for_end(&mut self) {
        let _ = std::io::copy(&mut self.stream, &mut std::io::sink());
    }

    /// The bare stream, for TLS.
    pub(crate) fn stream(&mut self) -> TcpStream {
        self.stream.get_ref().try_clone().expect("there are descriptors")
    }
}

/// Reads a request from any stream, with its body; none at the end.
pub(crate) fn read_request(stream: &mut BufReader<impl Read>) -> Option<String> {
    let mut request = String::new();
    let mut length = 0;
    loop {
        let start = request.len();
        if stream.read_line(&mut request).ok()? == 0 {
            return None;
        }
        let line = request[start..].trim().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    request.push_str(&String::from_utf8_lossy(&body));
    Some(request)
}
