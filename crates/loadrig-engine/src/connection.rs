//! A connection: its owner, its state, and the bytes that are on their way.

use crate::protocol::{Broken, Reply, Session, Socket};
use crate::slab::NONE;
use crate::transport::{Fault, Transport, Wire};

/// State of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doing {
    /// There is none behind this number.
    Nothing,
    /// Being made; with TLS that includes the handshake.
    Connecting,
    /// Carrying a request; with HTTP/2 possibly several, each on a stream.
    Carrying,
    /// Waiting for the next request.
    Idling,
}

/// A connection. Its number and its buffers are used again for the next one.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "facts that do not depend on each other")]
pub(crate) struct Connection {
    transport: Option<Transport>,
    /// State of the connection.
    pub doing: Doing,
    /// Owner; NONE while it is idle in a pool, and where its streams have owners of their own.
    pub owner: u32,
    /// Number of the server that it leads to.
    pub server: usize,
    /// Requests that it has carried or carries.
    pub carried: u64,
    /// Instant at which it was begun.
    pub dialled_ns: u64,
    /// Whether the server has closed its side.
    pub is_ended: bool,
    /// Reason why no more can be written: it says more than the end that is read after it.
    pub fault: Option<Fault>,
    /// Whether more was there to read than one turn had time for.
    pub has_unread: bool,
    /// Whether room for writing is watched too.
    pub watches_room: bool,
    /// Protocol that is spoken on it.
    pub speech: Speech,
    /// The answer in the course of being read, of HTTP/1.
    pub reply: Reply,
    /// Whether the session may have something to send.
    pub is_unflushed: bool,
    /// Bytes of the request that the socket has not taken yet.
    out: Vec<u8>,
    written: usize,
    /// Connections that had this number before: events of theirs may still come.
    generation: u32,
}

impl Default for Connection {
    fn default() -> Self {
        Self {
            transport: None,
            doing: Doing::Nothing,
            owner: NONE,
            server: 0,
            carried: 0,
            dialled_ns: 0,
            is_ended: false,
            fault: None,
            has_unread: false,
            watches_room: false,
            speech: Speech::Http1,
            reply: Reply::default(),
            is_unflushed: false,
            out: Vec::new(),
            written: 0,
            generation: 0,
        }
    }
}

/// Bytes of a buffer that are kept for the next connection of the same number. A request that is
/// larger than that gives its memory back.
const KEPT_ROOM: usize = 64 * 1024;

impl Connection {
    /// Takes over a transport to a server for its owner.
    pub(crate) fn open(&mut self, transport: Transport, server: usize, owner: u32, now_ns: u64) {
        self.transport = Some(transport);
        self.doing = Doing::Connecting;
        self.owner = owner;
        self.server = server;
        self.carried = 0;
        self.dialled_ns = now_ns;
        self.is_ended = false;
        self.fault = None;
        self.has_unread = false;
        self.watches_room = false;
    }

    /// Closes it. Events that are still on their way will be those of an earlier generation.
    pub(crate) fn close(&mut self) {
        if let (Speech::WebSocket(socket), Some(transport)) = (&mut self.speech, &mut self.transport) {
            socket.leave(&mut Wire::new(transport));
        }
        self.transport = None;
        self.speech = Speech::Http1;
        self.is_unflushed = false;
        self.doing = Doing::Nothing;
        self.owner = NONE;
        self.generation = self.generation.wrapping_add(1);
        self.forget_out();
        self.out.shrink_to(KEPT_ROOM);
    }

    /// Token of its events: its number and its generation.
    pub(crate) fn token(&self, id: u32) -> u64 {
        u64::from(self.generation) << 32 | u64::from(id)
    }

    /// Number and generation of a token.
    #[expect(clippy::cast_possible_truncation, reason = "the two halves of the token")]
    pub(crate) fn of_token(token: u64) -> (u32, u32) {
        (token as u32, (token >> 32) as u32)
    }

    /// Whether this is the connection that the token was made for.
    pub(crate) fn is_generation(&self, generation: u32) -> bool {
        self.transport.is_some() && self.generation == generation
    }

    /// The transport. Only for connections that are doing something.
    pub(crate) fn transport(&mut self) -> &mut Transport {
        self.transport.as_mut().expect("whoever has a connection's number has an open connection")
    }

    /// The parts that reading needs at the same time.
    pub(crate) fn reading(&mut self) -> (&mut Transport, &mut Reply) {
        let transport = self.transport.as_mut().expect("whoever reads has an open connection");
        (transport, &mut self.reply)
    }

    /// Writes a request: as much as the socket takes, and the rest is kept. Returns the bytes that
    /// were written; none were if the connection is still being made.
    pub(crate) fn send(&mut self, request: &[u8]) -> Result<usize, Fault> {
        self.forget_out();
        let sent = self.transport().send(request)?;
        if sent < request.len() {
            self.out.extend_from_slice(&request[sent..]);
        }
        Ok(sent)
    }

    /// Writes more of what was kept. Returns the bytes that were written.
    pub(crate) fn send_more(&mut self) -> Result<usize, Fault> {
        let transport = self.transport.as_mut().expect("whoever has bytes to send has a connection");
        if !transport.flush()? {
            return Ok(0);
        }
        let rest = &self.out[self.written..];
        if rest.is_empty() {
            return Ok(0);
        }
        let sent = transport.send(rest)?;
        self.written += sent;
        if self.written == self.out.len() {
            self.forget_out();
        }
        Ok(sent)
    }

    /// The streams. Only for connections that have some.
    pub(crate) fn session(&mut self) -> &mut Session {
        let Speech::Http2(session) = &mut self.speech else {
            unreachable!("whoever asks for streams knows that there are some")
        };
        session
    }

    /// Whether it would carry another request: always, unless it has streams and all are taken.
    pub(crate) fn has_room(&self) -> bool {
        match &self.speech {
            Speech::Http2(session) => session.has_room(),
            Speech::Http1 | Speech::WebSocket(_) => true,
        }
    }

    /// The `WebSocket` and what it reads and writes by. Only for connections that are one.
    pub(crate) fn socket(&mut self) -> (&mut Socket, Wire<'_>) {
        let (Speech::WebSocket(socket), Some(transport)) = (&mut self.speech, &mut self.transport) else {
            unreachable!("whoever asks for a WebSocket knows that it is one")
        };
        (socket, Wire::new(transport))
    }

    /// Writes what the session has to say, as much as the socket takes. Returns the bytes that were
    /// written; none were if the connection is still being made.
    pub(crate) fn flush_session(&mut self) -> Result<usize, Trouble> {
        let (Speech::Http2(session), Some(transport)) = (&mut self.speech, &mut self.transport) else {
            return Ok(0);
        };
        self.is_unflushed = false;
        let mut sent_in_all = 0;
        while transport.flush()? {
            if self.written == self.out.len() {
                self.out.clear();
                self.written = 0;
                session.put(&mut self.out)?;
            }
            if self.out.is_empty() {
                break;
            }
            let sent = transport.send(&self.out[self.written..])?;
            self.written += sent;
            session.was_sent(sent);
            sent_in_all += sent;
            if self.written < self.out.len() {
                break;
            }
        }
        if self.written == self.out.len() {
            self.forget_out();
        }
        Ok(sent_in_all)
    }

    /// Whether some of the request is still to be written.
    pub(crate) fn has_out(&self) -> bool {
        !self.out.is_empty()
    }

    fn forget_out(&mut self) {
        self.out.clear();
        self.written = 0;
    }
}

/// Protocol that is spoken on a connection.
#[derive(Debug)]
pub(crate) enum Speech {
    /// Requests one after the other.
    Http1,
    /// Several requests at once, each on a stream.
    Http2(Box<Session>),
    /// Messages, after an upgrade from HTTP/1.
    WebSocket(Box<Socket>),
}

/// Reason why a connection with streams is of no use any more.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    /// The socket, or TLS.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The protocol.
    #[error(transparent)]
    Broken(#[from] Broken),
}

#[cfg(test)]
mod tests {
    use super::{Connection, Doing};
    use crate::transport::{Received, Transport};
    use std::io::Read as _;
    use std::os::unix::net::UnixStream;

    fn pair() -> (Connection, UnixStream) {
        let (here, there) = UnixStream::pair().expect("sockets are there");
        here.set_nonblocking(true).expect("it can be set");
        let mut connection = Connection::default();
        connection.open(Transport::Plain(here.into()), 0, 3, 10);
        (connection, there)
    }

    #[test]
    fn a_request_larger_than_the_socket_goes_out_in_pieces_and_in_order() {
        let (mut connection, mut there) = pair();
        let request: Vec<u8> = (0..4_000_000_u32).map(|n| n.to_le_bytes()[n as usize % 3]).collect();
        let reader = std::thread::spawn(move || {
            let mut all = Vec::new();
            there.read_to_end(&mut all).map(|_| all)
        });
        let mut sent = connection.send(&request).expect("the pair is connected");
        assert!(connection.has_out());
        while connection.has_out() {
            sent += connection.send_more().expect("the pair is connected");
            std::thread::yield_now();
        }
        assert_eq!(sent, request.len());
        connection.close();
        assert!(reader.join().expect("it reads").expect("it reads") == request);
    }

    #[test]
    fn a_connection_that_took_over_a_number_is_not_taken_for_the_old_one() {
        let (mut connection, _there) = pair();
        let (id, generation) = Connection::of_token(connection.token(9));
        assert_eq!(id, 9);
        assert!(connection.is_generation(generation));
        connection.close();
        assert_eq!(connection.doing, Doing::Nothing);
        assert!(!connection.is_generation(generation));
    }

    #[test]
    fn the_other_sides_end_is_seen() {
        let (mut connection, there) = pair();
        let mut room = [0; 8];
        let nothing = connection.transport().receive(&mut room).expect("reading works");
        assert_eq!(nothing, Received::Nothing);
        drop(there);
        let end = connection.transport().receive(&mut room).expect("reading works");
        assert_eq!(end, Received::End);
    }
}
