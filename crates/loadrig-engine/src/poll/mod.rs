//! Waiting for sockets and for instants, by what the system has for it.
//!
//! On Linux that is epoll, called by ourselves: to the nanosecond, with no look-up between the kernel and a
//! worker. Everywhere else, and on Linux with the feature `portable` (so that what a Mac runs is tested
//! where the tests run), it is what mio has: kqueue on macOS and the BSDs.

#[cfg(all(target_os = "linux", not(feature = "portable")))]
mod epoll;
#[cfg(any(not(target_os = "linux"), feature = "portable"))]
mod portable;

#[cfg(all(target_os = "linux", not(feature = "portable")))]
pub use epoll::{Event, Poll};
#[cfg(any(not(target_os = "linux"), feature = "portable"))]
pub use portable::{Event, Poll};

/// Events that one waiting returns at most. More wait in the kernel, in order.
const EVENTS_MOST: usize = 512;

/// Events to be told of a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interest {
    /// Bytes to read.
    Reading,
    /// Bytes to read, and room to write.
    Both,
}

#[cfg(test)]
mod tests {
    use super::{Event, Interest, Poll};
    use loadrig_core::clock::{Clock as _, Monotonic};
    use std::io::{Read as _, Write as _};
    use std::os::fd::AsFd as _;
    use std::os::unix::net::UnixStream;

    /// Longer than any event here takes.
    const LONG_NS: u64 = 10_000_000_000;

    fn wait(poll: &mut Poll, at_most_ns: u64) -> Vec<Event> {
        let mut events = Vec::new();
        poll.wait(at_most_ns, &mut events).expect("waiting works");
        events
    }

    #[test]
    fn waiting_never_ends_before_its_time() {
        for mut poll in Poll::every_way() {
            for ns in [1, 50_000, 3_000_000] {
                let start = Monotonic.now_ns();
                assert!(wait(&mut poll, ns).is_empty());
                assert!(Monotonic.now_ns() - start >= ns, "{poll:?} woke before {ns} ns");
            }
        }
    }

    #[test]
    fn each_change_is_told_once() {
        for mut poll in Poll::every_way() {
            let (mut here, mut there) = UnixStream::pair().expect("sockets are there");
            poll.watch(&here, 7, Interest::Reading).expect("watching works");
            assert!(wait(&mut poll, 0).is_empty());
            there.write_all(b"a").expect("the pair is connected");
            let events = wait(&mut poll, LONG_NS);
            assert_eq!((events.len(), events[0].token), (1, 7));
            assert!(events[0].is_readable() && !events[0].is_ended());
            assert!(wait(&mut poll, 0).is_empty(), "nothing has changed since");
            here.read_exact(&mut [0]).expect("a byte is there");
            drop(there);
            assert!(wait(&mut poll, LONG_NS)[0].is_ended());
        }
    }

    #[test]
    fn a_full_socket_tells_when_there_is_room_again() {
        let mut poll = Poll::new().expect("a poll is there");
        let (mut here, mut there) = UnixStream::pair().expect("sockets are there");
        here.set_nonblocking(true).expect("it can be set");
        poll.watch(&here, 1, Interest::Reading).expect("watching works");
        while here.write(&[0; 4096]).is_ok() {}
        poll.watch_again(&here, 1, Interest::Both).expect("watching works");
        assert!(wait(&mut poll, 0).iter().all(|event| !event.is_writable()));
        there.set_nonblocking(true).expect("it can be set");
        while there.read(&mut [0; 4096]).is_ok() {}
        assert!(wait(&mut poll, LONG_NS)[0].is_writable());
    }

    #[test]
    fn what_is_watched_again_is_told_again() {
        let mut poll = Poll::new().expect("a poll is there");
        let (here, mut there) = UnixStream::pair().expect("sockets are there");
        poll.watch(&here, 1, Interest::Reading).expect("watching works");
        there.write_all(b"a").expect("the pair is connected");
        assert_eq!(wait(&mut poll, LONG_NS).len(), 1);
        poll.watch_again(&here, 1, Interest::Reading).expect("watching works");
        assert_eq!(wait(&mut poll, LONG_NS).len(), 1);
    }

    #[test]
    fn a_socket_that_is_closed_is_watched_no_more() {
        let mut poll = Poll::new().expect("a poll is there");
        for token in 0..3 {
            let (here, mut there) = UnixStream::pair().expect("sockets are there");
            // It has the number of the one before, which was closed without a word.
            poll.watch(&here, token, Interest::Both).expect("watching works");
            there.write_all(b"a").expect("the pair is connected");
            assert!(wait(&mut poll, LONG_NS).iter().all(|event| event.token == token));
        }
        assert!(wait(&mut poll, 0).is_empty());
    }

    #[test]
    fn what_is_watched_by_its_level_is_told_as_long_as_it_is_readable() {
        let mut poll = Poll::new().expect("a poll is there");
        let (mut here, mut there) = UnixStream::pair().expect("sockets are there");
        poll.watch_level(here.as_fd(), 9).expect("watching works");
        there.write_all(b"ab").expect("the pair is connected");
        for _ in 0..3 {
            assert_eq!(wait(&mut poll, LONG_NS).iter().map(|event| event.token).collect::<Vec<_>>(), [9]);
        }
        here.read_exact(&mut [0; 2]).expect("two bytes are there");
        assert!(wait(&mut poll, 0).is_empty());
        drop(here);
        assert!(wait(&mut poll, 0).is_empty());
    }
}
