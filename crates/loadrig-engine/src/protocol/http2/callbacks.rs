//! Functions that nghttp2 calls. Every function here gets the address of the session's [`Streams`] that
//! was given when the session was made, and nghttp2 calls none but while one of the session's own
//! functions runs, all of which hold the session exclusively.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;

use libnghttp2_sys as sys;

use super::session::name;
use super::streams::{Fate, Streams};

const DATA: u8 = byte(sys::NGHTTP2_DATA);
const HEADERS: u8 = byte(sys::NGHTTP2_HEADERS);
const SETTINGS: u8 = byte(sys::NGHTTP2_SETTINGS);
const RST_STREAM: u8 = byte(sys::NGHTTP2_RST_STREAM);
const GOAWAY: u8 = byte(sys::NGHTTP2_GOAWAY);
const ACK: u8 = byte(sys::NGHTTP2_FLAG_ACK);
const END_STREAM: u8 = byte(sys::NGHTTP2_FLAG_END_STREAM);

/// Kinds and flags are bytes in a frame, and wider numbers in the binding.
#[expect(clippy::cast_possible_truncation, reason = "checked right before")]
const fn byte(constant: u32) -> u8 {
    assert!(constant <= 0xff, "it is a byte in a frame");
    constant as u8
}

/// The set of all callbacks; freed when dropped.
pub(super) struct Callbacks(*mut sys::nghttp2_session_callbacks);

impl Callbacks {
    /// None if there is no memory.
    pub(super) fn new() -> Option<Self> {
        let mut callbacks = ptr::null_mut();
        // SAFETY: it writes the address of what it has made, or leaves null and says so.
        if unsafe { sys::nghttp2_session_callbacks_new(&raw mut callbacks) } != 0 {
            return None;
        }
        // SAFETY: the address is of the set that was just made.
        unsafe {
            sys::nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, Some(on_begin_head));
            sys::nghttp2_session_callbacks_set_on_header_callback(callbacks, Some(on_field));
            sys::nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, Some(on_data));
            sys::nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, Some(on_frame));
            sys::nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, Some(on_close));
            sys::nghttp2_session_callbacks_set_before_frame_send_callback(callbacks, Some(on_write));
            sys::nghttp2_session_callbacks_set_error_callback2(callbacks, Some(on_complaint));
        }
        Some(Self(callbacks))
    }

    pub(super) fn as_ptr(&self) -> *const sys::nghttp2_session_callbacks {
        self.0
    }
}

impl Drop for Callbacks {
    fn drop(&mut self) {
        // SAFETY: the address is of a set that was made and not freed yet.
        unsafe { sys::nghttp2_session_callbacks_del(self.0) };
    }
}

/// The lane of a stream as it is kept with the stream: its number and 1, as 0 means none.
pub(super) fn mark(lane: u32) -> *mut c_void {
    ptr::without_provenance_mut(lane as usize + 1)
}

/// The lane of a stream.
fn lane(session: *mut sys::nghttp2_session, stream: i32) -> Option<u32> {
    // SAFETY: the session is the one that calls us; an unknown stream gives null.
    let mark = unsafe { sys::nghttp2_session_get_stream_user_data(session, stream) };
    u32::try_from(mark.addr().checked_sub(1)?).ok()
}

/// # Safety
/// `user_data` is the address of the `Streams` of the session that calls, which nobody else uses
/// while it does.
unsafe fn streams<'a>(user_data: *mut c_void) -> &'a mut Streams {
    // SAFETY: as the caller promises.
    unsafe { &mut *user_data.cast::<Streams>() }
}

/// # Safety
/// `data` points to `len` bytes that stay as they are while the callback runs, or `len` is 0.
unsafe fn bytes<'a>(data: *const u8, len: usize) -> &'a [u8] {
    if len == 0 {
        return &[];
    }
    // SAFETY: as the caller promises.
    unsafe { std::slice::from_raw_parts(data, len) }
}

unsafe extern "C" fn on_begin_head(
    session: *mut sys::nghttp2_session,
    frame: *const sys::nghttp2_frame,
    user_data: *mut c_void,
) -> c_int {
    // SAFETY: every frame has a head, whatever its kind; the rest is said at `streams`.
    let (stream, streams) = unsafe { ((*frame).hd.stream_id, streams(user_data)) };
    let now_ns = streams.now_ns;
    if let Some(lane) = streams.lane_of(lane(session, stream), stream) {
        lane.begin_head(now_ns);
    }
    0
}

unsafe extern "C" fn on_field(
    session: *mut sys::nghttp2_session,
    frame: *const sys::nghttp2_frame,
    name: *const u8,
    name_len: usize,
    value: *const u8,
    value_len: usize,
    _flags: u8,
    user_data: *mut c_void,
) -> c_int {
    // SAFETY: as in `on_begin_head`, and name and value are nghttp2's for the time of the call.
    let (stream, streams, name, value) = unsafe {
        ((*frame).hd.stream_id, streams(user_data), bytes(name, name_len), bytes(value, value_len))
    };
    if let Some(lane) = streams.lane_of(lane(session, stream), stream) {
        lane.field(name, value);
    }
    0
}

unsafe extern "C" fn on_data(
    session: *mut sys::nghttp2_session,
    _flags: u8,
    stream: i32,
    data: *const u8,
    len: usize,
    user_data: *mut c_void,
) -> c_int {
    // SAFETY: said at `streams`; the data are part of the bytes that are being read.
    let (streams, data) = unsafe { (streams(user_data), bytes(data, len)) };
    if let Some(lane) = streams.lane_of(lane(session, stream), stream) {
        lane.data(data);
    }
    0
}

unsafe extern "C" fn on_frame(
    session: *mut sys::nghttp2_session,
    frame: *const sys::nghttp2_frame,
    user_data: *mut c_void,
) -> c_int {
    // SAFETY: every frame has a head, and its kind says which member of the union is there.
    let (head, streams) = unsafe { (&(*frame).hd, streams(user_data)) };
    let place = lane(session, head.stream_id);
    match head.type_ {
        DATA | HEADERS if head.flags & END_STREAM != 0 => {
            streams.settle(place, head.stream_id, Fate::Answered);
        }
        SETTINGS if head.flags & ACK == 0 => streams.is_greeted = true,
        RST_STREAM => {
            streams.resets += 1;
            // SAFETY: as above.
            let code = unsafe { (*frame).rst_stream.error_code };
            if let Some(lane) = streams.lane_of(place, head.stream_id) {
                lane.reset = Some(code);
            }
        }
        GOAWAY => {
            streams.goaways += 1;
            // SAFETY: as above.
            streams.last_taken = Some(unsafe { (*frame).goaway.last_stream_id });
        }
        _ => {}
    }
    0
}

unsafe extern "C" fn on_close(
    session: *mut sys::nghttp2_session,
    stream: i32,
    code: u32,
    user_data: *mut c_void,
) -> c_int {
    // SAFETY: said at `streams`.
    let streams = unsafe { streams(user_data) };
    let place = lane(session, stream);
    let last_taken = streams.last_taken;
    let Some(lane) = streams.lane_of(place, stream) else { return 0 };
    let is_not_taken = last_taken.is_some_and(|last| stream > last || !lane.is_written);
    let fate = match lane.reset {
        Some(reason) => Fate::Reset(reason),
        None if is_not_taken => Fate::NotTaken,
        None => Fate::Broken(code),
    };
    streams.settle(place, stream, fate);
    0
}

unsafe extern "C" fn on_write(
    session: *mut sys::nghttp2_session,
    frame: *const sys::nghttp2_frame,
    user_data: *mut c_void,
) -> c_int {
    // SAFETY: every frame has a head; the rest is said at `streams`.
    let (head, streams) = unsafe { (&(*frame).hd, streams(user_data)) };
    if head.type_ == HEADERS
        && let Some(lane) = lane(session, head.stream_id)
    {
        streams.write(lane, head.stream_id);
    }
    if head.type_ == GOAWAY && streams.complaint.is_empty() {
        // SAFETY: the kind says which member of the union is there; its text is nghttp2's for the
        // time of the call.
        let (code, why) = unsafe {
            let goaway = &(*frame).goaway;
            (goaway.error_code, bytes(goaway.opaque_data, goaway.opaque_data_len))
        };
        // What we tell the server is all that nghttp2 says of most faults.
        streams.complaint = match String::from_utf8_lossy(why).as_ref() {
            "" => name(code),
            why => format!("{}: {why}", name(code)),
        };
    }
    0
}

unsafe extern "C" fn on_complaint(
    _session: *mut sys::nghttp2_session,
    _code: c_int,
    message: *const c_char,
    len: usize,
    user_data: *mut c_void,
) -> c_int {
    // SAFETY: said at `streams`; the message is nghttp2's for the time of the call.
    let (streams, message) = unsafe { (streams(user_data), bytes(message.cast(), len)) };
    String::from_utf8_lossy(message).trim_end_matches('\0').clone_into(&mut streams.complaint);
    0
}

/// Hands out the body of a request, from its lane.
pub(super) unsafe extern "C" fn on_body_wanted(
    session: *mut sys::nghttp2_session,
    stream: i32,
    room: *mut u8,
    len: usize,
    flags: *mut u32,
    _source: *mut sys::nghttp2_data_source,
    user_data: *mut c_void,
) -> sys::nghttp2_ssize {
    // SAFETY: said at `streams`; the room is nghttp2's own, which it has zeroed or written before.
    let (streams, room) = unsafe { (streams(user_data), std::slice::from_raw_parts_mut(room, len)) };
    let Some(lane) = streams.lane_of(lane(session, stream), stream) else {
        return sys::NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE as sys::nghttp2_ssize;
    };
    let (count, is_all) = lane.take_body(room);
    if is_all {
        // SAFETY: the address is nghttp2's own.
        unsafe { *flags |= sys::NGHTTP2_DATA_FLAG_EOF };
    }
    sys::nghttp2_ssize::try_from(count).unwrap_or(0)
}
