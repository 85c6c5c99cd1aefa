//! A WebSocket as its client sees it (RFC 6455): the upgrade, then messages.
//!
//! Frames, masks, pings and the closing handshake are tungstenite's, which reads and writes through
//! a [`Wire`].

use std::io;

use httparse::{EMPTY_HEADER, Response, Status};
use tungstenite::handshake::client::generate_key;
use tungstenite::handshake::derive_accept_key;
use tungstenite::protocol::{Role, WebSocketConfig, WebSocketContext};
use tungstenite::{Bytes, Error, Message};

use crate::transport::{Fault, Wire};

/// Bytes of the answer to an upgrade at most.
const HEAD_MOST: usize = 64 * 1024;

/// Fields of the answer to an upgrade at most.
const FIELDS_MOST: usize = 128;

/// Bytes of a message at most.
const MESSAGE_MOST: usize = 64 * 1024 * 1024;

/// Bytes that are read at a time: what a connection costs while it has nothing to say.
const READ_BYTES: usize = 4 * 1024;

/// Reason why a WebSocket is of no use any more.
#[derive(Debug)]
pub(crate) enum Parted {
    /// The server has closed it, with these words.
    Closed(String),
    /// Bytes that are no WebSocket's.
    Broken(String),
    /// The connection failed.
    Fault(Fault),
}

/// Message that has come.
#[derive(Debug)]
pub(crate) enum Heard {
    /// A message: its payload.
    Message(Bytes),
    /// Nothing more for now.
    Nothing,
}

/// State of an upgrade.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Upgrade {
    /// Its answer is not whole yet.
    Awaited,
    /// The connection is a WebSocket now.
    Done,
    /// The server has answered with this status instead.
    Refused(u16),
}

/// A WebSocket, or a connection that is to become one.
#[derive(Debug)]
pub(crate) struct Socket {
    /// None until the server has agreed.
    context: Option<Box<WebSocketContext>>,
    /// Key that we sent for the server to prove that it understands.
    key: String,
    /// The answer to the upgrade, as far as it has come.
    head: Vec<u8>,
    /// The request that asks for it, until it was sent.
    pub ask: Vec<u8>,
    /// The message that waits for it.
    pub message: Vec<u8>,
}

impl Socket {
    /// A connection that is to become a WebSocket.
    pub(crate) fn new() -> Self {
        Self { context: None, key: generate_key(), head: Vec::new(), ask: Vec::new(), message: Vec::new() }
    }

    /// Key that we sent, or are to send, for the server to prove that it understands.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// Takes bytes of the answer to the upgrade. What follows it is the beginning of messages.
    pub(crate) fn agree(&mut self, bytes: &[u8]) -> Result<Upgrade, Parted> {
        self.head.extend_from_slice(bytes);
        let mut fields = [EMPTY_HEADER; FIELDS_MOST];
        let mut response = Response::new(&mut fields);
        let broken = |what: &str| Parted::Broken(format!("the answer to the upgrade {what}"));
        let len = match response.parse(&self.head) {
            Ok(Status::Complete(len)) => len,
            Ok(Status::Partial) if self.head.len() > HEAD_MOST => return Err(broken("has too long a head")),
            Ok(Status::Partial) => return Ok(Upgrade::Awaited),
            Err(error) => return Err(broken(&format!("is no HTTP: {error}"))),
        };
        let status = response.code.unwrap_or(0);
        if status != 101 {
            return Ok(Upgrade::Refused(status));
        }
        let is = |name: &str, wanted: &str| {
            let field = response.headers.iter().find(|field| field.name.eq_ignore_ascii_case(name));
            field.is_some_and(|field| field.value.trim_ascii().eq_ignore_ascii_case(wanted.as_bytes()))
        };
        if !is("upgrade", "websocket") || !is("sec-websocket-accept", &derive_accept_key(self.key.as_bytes()))
        {
            return Err(broken(
                "does not prove that the server understands WebSocket (Sec-WebSocket-Accept)",
            ));
        }
        let config = WebSocketConfig::default()
            .read_buffer_size(READ_BYTES)
            .write_buffer_size(0)
            .max_message_size(Some(MESSAGE_MOST))
            .max_frame_size(Some(MESSAGE_MOST));
        let rest = self.head.split_off(len);
        self.head = Vec::new();
        self.context =
            Some(Box::new(WebSocketContext::from_partially_read(rest, Role::Client, Some(config))));
        Ok(Upgrade::Done)
    }

    /// Sends a message, as much as the connection takes; true when it has taken all.
    pub(crate) fn say(&mut self, wire: &mut Wire<'_>, payload: &[u8], is_text: bool) -> Result<bool, Parted> {
        let payload = Bytes::copy_from_slice(payload);
        let message = if is_text {
            let text = payload.try_into().map_err(|_| Parted::Broken("our message is no text".to_owned()))?;
            Message::Text(text)
        } else {
            Message::Binary(payload)
        };
        let Some(context) = &mut self.context else { return Ok(false) };
        match context.write(wire, message) {
            Ok(()) => self.flush(wire),
            Err(error) => blocked(error, wire),
        }
    }

    /// Sends what is left; true when the connection has taken all.
    pub(crate) fn flush(&mut self, wire: &mut Wire<'_>) -> Result<bool, Parted> {
        let Some(context) = &mut self.context else { return Ok(true) };
        match context.flush(wire) {
            Ok(()) => Ok(true),
            Err(error) => blocked(error, wire),
        }
    }

    /// Reads the next message. Pings are answered with the next writing.
    pub(crate) fn hear(&mut self, wire: &mut Wire<'_>) -> Result<Heard, Parted> {
        let Some(context) = &mut self.context else { return Ok(Heard::Nothing) };
        loop {
            match context.read(wire) {
                Ok(Message::Text(text)) => return Ok(Heard::Message(text.into())),
                Ok(Message::Binary(payload)) => return Ok(Heard::Message(payload)),
                Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_)) => {}
                Ok(Message::Close(frame)) => {
                    let words = frame.map_or_else(String::new, |frame| format!(": {frame}"));
                    return Err(Parted::Closed(format!("the server closed the WebSocket{words}")));
                }
                Err(error) => return blocked(error, wire).map(|_| Heard::Nothing),
            }
        }
    }

    /// Says goodbye, as far as that goes without waiting.
    pub(crate) fn leave(&mut self, wire: &mut Wire<'_>) {
        if let Some(context) = &mut self.context {
            // The connection is closed right after, whatever comes of it.
            let _ = context.close(wire, None);
        }
    }
}

/// Nothing wrong if the connection only takes or has no more for now; else why it is over.
fn blocked(error: Error, wire: &mut Wire<'_>) -> Result<bool, Parted> {
    match error {
        Error::Io(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
        _ if wire.is_at_end() => Err(Parted::Closed("the connection was closed".to_owned())),
        Error::ConnectionClosed | Error::AlreadyClosed => {
            Err(Parted::Closed("the server closed the WebSocket".to_owned()))
        }
        error => Err(match wire.take_fault() {
            Some(fault) => Parted::Fault(fault),
            None => Parted::Broken(error.to_string()),
        }),
    }
}
