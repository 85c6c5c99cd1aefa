//! An HTTP/2 server for tests, by another implementation than the engine's: the crate h2.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use h2::server::{Builder, Connection, SendResponse};
use http::{Request, Response};
use tokio::net::{TcpListener, TcpStream};

/// A request that has come whole.
pub(crate) struct Asked {
    pub request: Request<Vec<u8>>,
    /// Number of the request in its connection, from 0.
    pub n: u64,
    respond: SendResponse<Bytes>,
}

impl Asked {
    /// Answers, with a body and trailers if there are any.
    pub(crate) fn answer(mut self, response: Response<()>, body: &[u8], trailers: &[(&'static str, &str)]) {
        let is_all = body.is_empty() && trailers.is_empty();
        let Ok(mut stream) = self.respond.send_response(response, is_all) else { return };
        if is_all {
            return;
        }
        // The client may have gone meanwhile.
        let _ = stream.send_data(Bytes::copy_from_slice(body), trailers.is_empty());
        if !trailers.is_empty() {
            let pairs = trailers.iter().map(|(name, value)| {
                (http::HeaderName::from_static(name), http::HeaderValue::from_str(value).unwrap())
            });
            let _ = stream.send_trailers(pairs.collect());
        }
    }

    /// Answers with status 200 and two bytes.
    pub(crate) fn fine(self) {
        self.answer(Response::new(()), b"ok", &[]);
    }

    /// Answers with two bytes after a while.
    pub(crate) fn fine_after(self, pause: Duration) {
        tokio::spawn(async move {
            tokio::time::sleep(pause).await;
            self.fine();
        });
    }

    /// Begins an answer of so many bytes, sends fewer of them, and hands over the rest.
    pub(crate) fn begin(mut self, announced: usize, body: &[u8]) -> h2::SendStream<Bytes> {
        let response = Response::builder().header("content-length", announced).body(()).unwrap();
        let mut stream = self.respond.send_response(response, false).unwrap();
        stream.send_data(Bytes::copy_from_slice(body), false).unwrap();
        stream
    }

    /// Resets the stream.
    pub(crate) fn reset(mut self, reason: h2::Reason) {
        self.respond.send_reset(reason);
    }
}

/// Act of a server on its connection after a request was handed on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum After {
    Stay,
    /// Says GOAWAY, takes up nothing new, and closes when all is answered.
    GoAway,
}

/// A server that listens.
pub(crate) struct Http2Server {
    pub address: SocketAddr,
    connections: Arc<AtomicU64>,
}

impl Http2Server {
    /// Every request is handed to `handle`. `streams`: how many it allows at once.
    pub(crate) fn new(
        streams: Option<u32>,
        handle: impl Fn(Asked) -> After + Send + Sync + Clone + 'static,
    ) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&connections);
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                let listener = TcpListener::from_std(listener).unwrap();
                while let Ok((stream, _)) = listener.accept().await {
                    counted.fetch_add(1, Ordering::SeqCst);
                    tokio::spawn(serve(stream, streams, handle.clone()));
                }
            });
        });
        Self { address, connections }
    }

    /// Answers everything with two bytes.
    pub(crate) fn fine() -> Self {
        Self::new(None, |asked| {
            asked.fine();
            After::Stay
        })
    }

    /// Connections that were accepted.
    pub(crate) fn connections(&self) -> u64 {
        self.connections.load(Ordering::SeqCst)
    }
}

async fn serve(
    stream: TcpStream,
    streams: Option<u32>,
    handle: impl Fn(Asked) -> After + Clone + Send + 'static,
) {
    stream.set_nodelay(true).unwrap();
    let mut builder = Builder::new();
    if let Some(streams) = streams {
        builder.max_concurrent_streams(streams);
    }
    let Ok(mut connection): Result<Connection<_, Bytes>, _> = builder.handshake(stream).await else { return };
    let mut n = 0;
    while let Some(Ok((request, respond))) = connection.accept().await {
        let (head, mut body) = request.into_parts();
        if body.is_end_stream() {
            let asked = Asked { request: Request::from_parts(head, Vec::new()), n, respond };
            if handle(asked) == After::GoAway {
                connection.graceful_shutdown();
            }
        } else {
            let handle = handle.clone();
            // The connection reads for the body too, so it must not be waited for here.
            tokio::spawn(async move {
                let mut all = Vec::new();
                while let Some(Ok(part)) = body.data().await {
                    let _ = body.flow_control().release_capacity(part.len());
                    all.extend_from_slice(&part);
                }
                handle(Asked { request: Request::from_parts(head, all), n, respond });
            });
        }
        n += 1;
    }
}
