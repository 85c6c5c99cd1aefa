//! A server that does nothing but answer: what a machine can do at most, for calibration.
//!
//! A thread, one loop of events, a fixed answer for every request head. Bodies are not understood:
//! calibration sends none. It ends when its standard input is closed, like the generator.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd};

use loadrig_core::units::NS_PER_S;

use crate::poll::{Event, Interest, Poll};

/// Answer to every request.
const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok";
// The largest token is the timer's own, of which nobody is told.
const LISTENER: u64 = u64::MAX - 1;
const STDIN: u64 = u64::MAX - 2;
/// Longest time between two looks, where nothing happens: ten years.
const WAIT_NS: u64 = 10 * 365 * 24 * 3600 * NS_PER_S;
/// A request head of the calibration is about 120 bytes; more than this in one read is not ours.
const READ_BYTES: usize = 16 * 1024;

/// Serve on a free port of 127.0.0.1, which is handed to `ready`, until `until_closed` is at its end.
pub fn serve(until_closed: impl AsFd, ready: impl FnOnce(u16)) -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    ready(listener.local_addr()?.port());
    let mut poll = Poll::new()?;
    poll.watch_level(listener.as_fd(), LISTENER)?;
    poll.watch_level(until_closed.as_fd(), STDIN)?;
    let mut streams: Vec<Option<TcpStream>> = Vec::new();
    let mut events: Vec<Event> = Vec::new();
    let mut buffer = vec![0_u8; READ_BYTES];
    loop {
        events.clear();
        poll.wait(WAIT_NS, &mut events)?;
        for event in &events {
            match event.token {
                STDIN => return Ok(()),
                LISTENER => accept(&listener, &poll, &mut streams)?,
                token => {
                    let slot = usize::try_from(token).unwrap_or(usize::MAX);
                    let Some(Some(stream)) = streams.get_mut(slot) else { continue };
                    // The end is told once, with the last bytes perhaps.
                    if !answer(stream, &mut buffer) || event.is_ended() {
                        streams[slot] = None;
                    }
                }
            }
        }
    }
}

fn accept(listener: &TcpListener, poll: &Poll, streams: &mut Vec<Option<TcpStream>>) -> io::Result<()> {
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(true)?;
                stream.set_nodelay(true)?;
                let slot = usize::try_from(stream.as_raw_fd()).unwrap_or(0);
                if streams.len() <= slot {
                    streams.resize_with(slot + 1, || None);
                }
                poll.watch(&stream, slot as u64, Interest::Reading)?;
                streams[slot] = Some(stream);
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

/// Answer every request head in what can be read now; false when the connection is over.
fn answer(stream: &mut TcpStream, buffer: &mut [u8]) -> bool {
    loop {
        match stream.read(buffer) {
            Ok(0) => return false,
            Ok(read) => {
                let heads = memchr::memmem::find_iter(&buffer[..read], b"\r\n\r\n").count();
                if !(0..heads).all(|_| stream.write_all(ANSWER).is_ok()) {
                    return false;
                }
                // A full buffer may have left something, which is not told of again.
                if read < buffer.len() {
                    return true;
                }
            }
            Err(error) => return error.kind() == io::ErrorKind::WouldBlock,
        }
    }
}
