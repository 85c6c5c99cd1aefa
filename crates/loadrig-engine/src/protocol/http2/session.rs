//! The door to one HTTP/2 connection.

use std::fmt;
use std::ptr::{self, NonNull};

use libnghttp2_sys as sys;

use super::callbacks::{Callbacks, mark, on_body_wanted};
use super::fields;
use super::streams::{Fate, Streams};
use crate::protocol::{Asked, Whole};

/// Bytes that the server may send ahead of us on one stream, and on all streams of a connection.
/// Both are far more than a test server's answer; the first is Go's, which many servers meet.
const STREAM_WINDOW: u32 = 4 * 1024 * 1024;
const CONNECTION_WINDOW: i32 = 1024 * 1024 * 1024;

/// Bytes that are put together for the socket at a time.
const OUT_MOST: usize = 256 * 1024;

/// Requests that are put on a connection before the server has said how many it allows: it should
/// allow no fewer (RFC 9113, section 6.5.2). Only one of them is sent before, as a server that
/// allows fewer would refuse the others, and count them as errors of ours.
const STREAMS_AT_FIRST: u32 = 100;

/// Reason why a connection is of no use any more: what came breaks the protocol.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Broken(String);

/// A request that has ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The whole answer has come: [`Session::read`] reads it.
    Answered,
    /// The server has reset the stream.
    Reset(String),
    /// The server has said GOAWAY and never took the request up.
    NotTaken,
    /// Bytes that came for it break the protocol.
    Broken(String),
}

/// A HTTP/2 connection as its client sees it.
pub(crate) struct Session {
    raw: NonNull<sys::nghttp2_session>,
    /// Made by `Box::into_raw`: the callbacks reach it by this address, so that no reference to it
    /// may live while one of nghttp2's functions runs.
    streams: NonNull<Streams>,
    scheme: &'static str,
    /// Streams at once at most, as the plan wants it.
    most: u32,
    fields: Vec<sys::nghttp2_nv>,
    /// Bytes that the socket has taken.
    sent: u64,
    /// No number is left for another stream.
    is_used_up: bool,
    /// First bytes that came, to tell a server that does not speak HTTP/2.
    is_new: bool,
}

impl Session {
    /// A new connection, whose preface and settings wait to be sent. `most`: streams at once.
    pub(crate) fn new(scheme: &'static str, most: u32) -> Result<Self, Broken> {
        let no_memory = || Broken("there is no memory for another HTTP/2 connection".to_owned());
        let callbacks = Callbacks::new().ok_or_else(no_memory)?;
        let streams = NonNull::from(Box::leak(Box::new(Streams::default())));
        let mut option = ptr::null_mut();
        let mut raw = ptr::null_mut();
        // SAFETY: each address is of a live value; what could not be made stays null, and the
        // session copies callbacks and options.
        let made = unsafe {
            if sys::nghttp2_option_new(&raw mut option) == 0 {
                sys::nghttp2_option_set_peer_max_concurrent_streams(option, 1);
                sys::nghttp2_option_set_no_closed_streams(option, 1);
            }
            let made = sys::nghttp2_session_client_new2(
                &raw mut raw,
                callbacks.as_ptr(),
                streams.as_ptr().cast(),
                option,
            );
            sys::nghttp2_option_del(option);
            made
        };
        let Some(raw) = NonNull::new(raw).filter(|_| made == 0) else {
            // SAFETY: it was made by a box above, and nobody has it.
            drop(unsafe { Box::from_raw(streams.as_ptr()) });
            return Err(no_memory());
        };
        let session =
            Self { raw, streams, scheme, most, fields: Vec::new(), sent: 0, is_used_up: false, is_new: true };
        let settings = [
            entry(sys::NGHTTP2_SETTINGS_ENABLE_PUSH, 0),
            entry(sys::NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, STREAM_WINDOW),
        ];
        // SAFETY: the session is live, and it copies the settings.
        let said = unsafe {
            sys::nghttp2_submit_settings(session.raw(), 0, settings.as_ptr(), settings.len())
                | sys::nghttp2_session_set_local_window_size(session.raw(), 0, 0, CONNECTION_WINDOW)
        };
        if said == 0 { Ok(session) } else { Err(no_memory()) }
    }

    fn raw(&self) -> *mut sys::nghttp2_session {
        self.raw.as_ptr()
    }

    fn streams(&mut self) -> &mut Streams {
        // SAFETY: it lives as long as we do, and we are held exclusively.
        unsafe { self.streams.as_mut() }
    }

    fn streams_now(&self) -> &Streams {
        // SAFETY: as above; whoever could write it must hold us exclusively.
        unsafe { self.streams.as_ref() }
    }

    /// Whether it would take another request now.
    pub(crate) fn has_room(&self) -> bool {
        !self.is_leaving() && self.streams_now().busy() < self.allowed()
    }

    /// Streams at once, as plan and server allow.
    fn allowed(&self) -> usize {
        let id = sys::NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS;
        let by_server = if self.streams_now().is_greeted {
            // SAFETY: the session is live.
            unsafe { sys::nghttp2_session_get_remote_settings(self.raw(), id) }
        } else {
            STREAMS_AT_FIRST
        };
        self.most.min(by_server) as usize
    }

    /// Takes back a request that was put on the connection and not sent, should there be more of
    /// them than the server allows; returns its owner. One stays and waits in any case: a server
    /// that allows none for now would allow none on another connection.
    pub(crate) fn take_back(&mut self) -> Option<u32> {
        if self.streams_now().busy() <= self.allowed().max(1) {
            return None;
        }
        let lane = self.streams().last_unwritten()?;
        let owner = self.streams().lane(lane).owner;
        self.free(lane);
        Some(owner)
    }

    /// Whether it takes no more requests, ever.
    pub(crate) fn is_leaving(&self) -> bool {
        // SAFETY: the session is live.
        let is_allowed = unsafe { sys::nghttp2_session_check_request_allowed(self.raw()) } != 0;
        self.is_used_up || !is_allowed
    }

    /// Requests under way.
    pub(crate) fn busy(&self) -> usize {
        self.streams_now().busy()
    }

    /// Owners of the requests that are under way.
    pub(crate) fn owners(&self) -> Vec<u32> {
        self.streams_now().owners().collect()
    }

    /// Puts a composed request on a stream of its own; returns its lane. None if no stream is left
    /// on this connection, which takes a billion requests.
    ///
    /// # Panics
    /// If the request is none, which is the composer's fault.
    pub(crate) fn open(&mut self, owner: u32, request: &[u8], asked: Asked) -> Option<u32> {
        let mut fields = std::mem::take(&mut self.fields);
        let body = fields::fields(request, self.scheme, &mut fields).expect("a composed request is one");
        let lane = self.streams().take(owner, asked, body);
        let source = sys::nghttp2_data_provider2 {
            source: sys::nghttp2_data_source { ptr: ptr::null_mut() },
            read_callback: Some(on_body_wanted),
        };
        let source = if body.is_empty() { ptr::null() } else { &raw const source };
        // SAFETY: the session is live; it copies the fields, which point into `request`, and the source.
        let stream = unsafe {
            sys::nghttp2_submit_request2(
                self.raw(),
                ptr::null(),
                fields.as_ptr(),
                fields.len(),
                source,
                mark(lane),
            )
        };
        self.fields = fields;
        if stream <= 0 {
            self.is_used_up = true;
            self.streams().free(lane);
            return None;
        }
        self.streams().lane(lane).stream = stream;
        Some(lane)
    }

    /// Frees the lane of a request, and tells the server if the stream is of no more use to us.
    pub(crate) fn free(&mut self, lane: u32) {
        let stream = self.streams().lane(lane).stream;
        let is_open = match self.streams().lane(lane).fate {
            None => true,
            // The server may answer without waiting for the rest of the request's body.
            Some(Fate::Answered) => !self.streams().lane(lane).is_sent(),
            Some(_) => false,
        };
        if is_open {
            // SAFETY: the session is live. What fails is for a stream that has just been closed.
            unsafe {
                sys::nghttp2_submit_rst_stream(self.raw(), 0, stream, sys::NGHTTP2_CANCEL);
                sys::nghttp2_session_set_stream_user_data(self.raw(), stream, ptr::null_mut());
            }
        }
        self.streams().free(lane);
    }

    /// Instant at which the first byte of a request's answer came.
    pub(crate) fn first_byte_ns(&mut self, lane: u32) -> Option<u64> {
        self.streams().lane(lane).first_byte_ns
    }

    /// Takes bytes that came at this instant. What ended with them is told by [`Session::next_ended`].
    pub(crate) fn feed(&mut self, bytes: &[u8], now_ns: u64) -> Result<(), Broken> {
        self.streams().now_ns = now_ns;
        let speaks_http1 = std::mem::take(&mut self.is_new) && bytes.starts_with(b"HTTP/1.");
        if speaks_http1 {
            return Err(Broken("the server answers in HTTP/1".to_owned()));
        }
        // SAFETY: the session is live and reads no more than the bytes.
        let taken = unsafe { sys::nghttp2_session_mem_recv2(self.raw(), bytes.as_ptr(), bytes.len()) };
        if taken < 0 { Err(self.broken(taken)) } else { Ok(()) }
    }

    /// Appends what is to be sent, as much as fits into a buffer of a reasonable size.
    pub(crate) fn put(&mut self, out: &mut Vec<u8>) -> Result<(), Broken> {
        while out.len() < OUT_MOST {
            let mut data = ptr::null();
            // SAFETY: the session is live; the bytes are good until its next function is called.
            let count = unsafe { sys::nghttp2_session_mem_send2(self.raw(), &raw mut data) };
            let Ok(len) = usize::try_from(count) else { return Err(self.broken(count)) };
            if len == 0 {
                break;
            }
            // SAFETY: as above, so many bytes are there.
            out.extend_from_slice(unsafe { std::slice::from_raw_parts(data, len) });
            self.streams().handed += len as u64;
        }
        Ok(())
    }

    /// So many of the bytes put were taken by the socket.
    pub(crate) fn was_sent(&mut self, bytes: usize) {
        self.sent += bytes as u64;
    }

    /// The owner of the next request of which the socket has taken the first byte.
    pub(crate) fn next_sent(&mut self) -> Option<u32> {
        let sent = self.sent;
        self.streams().next_sent(sent)
    }

    /// The next request that has ended: its lane, its owner, and how.
    pub(crate) fn next_ended(&mut self) -> Option<(u32, u32, Ended)> {
        let streams = self.streams();
        let lane = streams.next_ended()?;
        let ended = match streams.lane(lane).fate {
            Some(Fate::Answered) => Ended::Answered,
            Some(Fate::Reset(code)) => Ended::Reset(format!("the server reset the stream: {}", name(code))),
            Some(Fate::NotTaken) => Ended::NotTaken,
            Some(Fate::Broken(code)) => Ended::Broken(match streams.complaint.as_str() {
                "" => format!("the answer breaks HTTP/2: {}", name(code)),
                complaint => format!("the answer breaks HTTP/2: {}: {complaint}", name(code)),
            }),
            None => return None,
        };
        Some((lane, streams.lane(lane).owner, ended))
    }

    /// Hands over the answer of a request that was answered.
    pub(crate) fn read<R>(&mut self, lane: u32, read: impl FnOnce(&Whole<'_>) -> R) -> R {
        let keeps_alive = !self.is_leaving();
        self.streams().lane(lane).hand_over(keeps_alive, read)
    }

    /// Whether there is something to send.
    pub(crate) fn wants_write(&self) -> bool {
        // SAFETY: the session is live.
        unsafe { sys::nghttp2_session_want_write(self.raw()) != 0 }
    }

    /// Reason why it is over for good, if it is.
    pub(crate) fn is_over(&self) -> Option<Broken> {
        // SAFETY: the session is live.
        let wants_read = unsafe { sys::nghttp2_session_want_read(self.raw()) != 0 };
        (!wants_read && !self.wants_write()).then(|| Broken(self.complaint("the connection breaks HTTP/2")))
    }

    /// `RST_STREAM` and GOAWAY frames that came since the last time.
    pub(crate) fn take_counts(&mut self) -> (u64, u64) {
        let streams = self.streams();
        (std::mem::take(&mut streams.resets), std::mem::take(&mut streams.goaways))
    }

    fn broken(&self, code: isize) -> Broken {
        let code = std::ffi::c_int::try_from(code).unwrap_or(sys::NGHTTP2_ERR_FATAL);
        // SAFETY: it gives the address of a constant text, whatever the code.
        let text = unsafe { std::ffi::CStr::from_ptr(sys::nghttp2_strerror(code)) };
        Broken(self.complaint(&format!("the connection breaks HTTP/2: {}", text.to_string_lossy())))
    }

    fn complaint(&self, what: &str) -> String {
        match self.streams_now().complaint.as_str() {
            "" => what.to_owned(),
            complaint => format!("{what}: {complaint}"),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: both were made once and are freed once; the session first, as it may call back.
        unsafe {
            sys::nghttp2_session_del(self.raw());
            drop(Box::from_raw(self.streams.as_ptr()));
        }
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = formatter.debug_struct("Session");
        parts.field("busy", &self.busy()).field("most", &self.most).finish_non_exhaustive()
    }
}

fn entry(id: sys::nghttp2_settings_id, value: u32) -> sys::nghttp2_settings_entry {
    sys::nghttp2_settings_entry { settings_id: i32::try_from(id).unwrap_or(0), value }
}

/// The name of an error code, as RFC 9113, section 7 has it.
pub(super) fn name(code: u32) -> String {
    // SAFETY: it gives the address of a constant text, whatever the code.
    let text = unsafe { std::ffi::CStr::from_ptr(sys::nghttp2_http2_strerror(code)) };
    text.to_string_lossy().into_owned()
}
