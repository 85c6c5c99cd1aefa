//! Waiting by Linux's epoll, to the nanosecond as far as the kernel goes.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};

use loadrig_core::units::NS_PER_S;

use super::{EVENTS_MOST, Interest};

/// The timer's own event, which nobody is told of.
const TIMER: u64 = u64::MAX;

/// Event of a watched descriptor.
#[derive(Debug, Clone, Copy)]
pub struct Event {
    /// As given when the watching began.
    pub token: u64,
    flags: u32,
}

#[expect(clippy::cast_sign_loss, reason = "libc's constants are the kernel's bits as signed numbers")]
const fn bits(flags: libc::c_int) -> u32 {
    flags as u32
}

impl Event {
    /// The descriptor may be written to.
    #[must_use]
    pub fn is_writable(self) -> bool {
        self.flags & bits(libc::EPOLLOUT | libc::EPOLLERR | libc::EPOLLHUP) != 0
    }

    /// There is something to read: bytes, the end, or an error.
    #[must_use]
    pub fn is_readable(self) -> bool {
        self.flags & bits(libc::EPOLLIN | libc::EPOLLERR | libc::EPOLLHUP | libc::EPOLLRDHUP) != 0
    }

    /// The other side will send nothing more.
    #[must_use]
    pub fn is_ended(self) -> bool {
        self.flags & bits(libc::EPOLLERR | libc::EPOLLHUP | libc::EPOLLRDHUP) != 0
    }
}

/// An epoll instance of one thread. Sockets are watched edge-triggered: told once of each change,
/// so that a connection needs one system call for its whole life and not two for each request.
#[derive(Debug)]
pub struct Poll {
    epoll: OwnedFd,
    how: How,
    raw: Vec<libc::epoll_event>,
}

/// Way of waiting until an instant.
#[derive(Debug)]
enum How {
    /// `epoll_pwait2` takes nanoseconds.
    Precise,
    /// The kernel has no such call (before 5.11), or a sandbox forbids it: a timer is among the
    /// things that are watched.
    Timer(OwnedFd),
}

impl Poll {
    /// An instance that watches nothing yet.
    pub fn new() -> io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let mut poll = Self { epoll, how: How::Precise, raw: Vec::with_capacity(EVENTS_MOST) };
        if let Err(error) = poll.wait_precisely(0) {
            if !matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::EPERM)) {
                return Err(error);
            }
            poll.use_timer()?;
        }
        Ok(poll)
    }

    /// Every way in which this system waits.
    #[cfg(test)]
    pub(crate) fn every_way() -> Vec<Self> {
        let mut coarse = Self::new().expect("epoll is there");
        coarse.use_timer().expect("timers are there");
        vec![Self::new().expect("epoll is there"), coarse]
    }

    fn use_timer(&mut self) -> io::Result<()> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        let when = EventFlags::IN | EventFlags::ET;
        epoll::add(&self.epoll, &timer, EventData::new_u64(TIMER), when)?;
        self.how = How::Timer(timer);
        Ok(())
    }

    /// Begins to watch a socket; ends when the socket is closed.
    pub fn watch(&self, socket: impl AsFd, token: u64, interest: Interest) -> io::Result<()> {
        Ok(epoll::add(&self.epoll, socket, EventData::new_u64(token), edges(interest))?)
    }

    /// Changes what is told of a socket; what is the case already is told once more.
    pub fn watch_again(&self, socket: impl AsFd, token: u64, interest: Interest) -> io::Result<()> {
        Ok(epoll::modify(&self.epoll, socket, EventData::new_u64(token), edges(interest))?)
    }

    /// Watches something that is told of as long as it is readable.
    pub fn watch_level(&mut self, what: BorrowedFd<'_>, token: u64) -> io::Result<()> {
        Ok(epoll::add(&self.epoll, what, EventData::new_u64(token), EventFlags::IN)?)
    }

    /// Waits until something happens, or `at_most_ns` have passed. What happened is appended.
    pub fn wait(&mut self, at_most_ns: u64, events: &mut Vec<Event>) -> io::Result<()> {
        let waited = match (&self.how, at_most_ns) {
            (How::Precise, _) => self.wait_precisely(at_most_ns),
            (How::Timer(_), 0) => self.wait_coarsely(0),
            (How::Timer(timer), ns) => {
                let once = Itimerspec { it_interval: timespec(0), it_value: timespec(ns) };
                timerfd_settime(timer, TimerfdTimerFlags::empty(), &once)?;
                self.wait_coarsely(-1)
            }
        };
        match waited {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(()),
            other => other?,
        }
        for event in &self.raw {
            // The struct is packed: its fields may be copied but not borrowed.
            let (token, flags) = (event.u64, event.events);
            if token != TIMER {
                events.push(Event { token, flags });
            }
        }
        Ok(())
    }

    fn wait_precisely(&mut self, at_most_ns: u64) -> io::Result<()> {
        self.raw.clear();
        let room = self.raw.spare_capacity_mut();
        let timeout = KernelTimespec::of(at_most_ns);
        // SAFETY: the events' pointer and number describe room that is ours, the kernel writes no
        // further than that, and nothing after it has returned. The time is alive until then and
        // laid out as the kernel wants it. No signal mask is given (null), whose size is 8.
        let found = unsafe {
            libc::syscall(
                libc::SYS_epoll_pwait2,
                self.epoll.as_raw_fd(),
                room.as_mut_ptr(),
                room.len().min(EVENTS_MOST),
                &raw const timeout,
                std::ptr::null::<libc::c_void>(),
                8_usize,
            )
        };
        self.found(found)
    }

    fn wait_coarsely(&mut self, at_most_ms: libc::c_int) -> io::Result<()> {
        self.raw.clear();
        let room = self.raw.spare_capacity_mut();
        let most = libc::c_int::try_from(room.len().min(EVENTS_MOST)).unwrap_or(1);
        // SAFETY: as above; the events' pointer and number describe room that is ours.
        let found =
            unsafe { libc::epoll_wait(self.epoll.as_raw_fd(), room.as_mut_ptr().cast(), most, at_most_ms) };
        self.found(found.into())
    }

    /// Takes the events which the kernel says it has written; a negative number is an error.
    fn found(&mut self, found: libc::c_long) -> io::Result<()> {
        let Ok(found) = usize::try_from(found) else {
            return Err(io::Error::last_os_error());
        };
        // SAFETY: the kernel has written the first `found` events, which is within the capacity.
        unsafe { self.raw.set_len(found) };
        Ok(())
    }
}

fn edges(interest: Interest) -> EventFlags {
    let reading = EventFlags::IN | EventFlags::RDHUP | EventFlags::ET;
    match interest {
        Interest::Reading => reading,
        Interest::Both => reading | EventFlags::OUT,
    }
}

/// A span of time as every kernel takes it, on 32 bits too.
#[repr(C)]
struct KernelTimespec {
    seconds: i64,
    nanoseconds: i64,
}

impl KernelTimespec {
    fn of(ns: u64) -> Self {
        let span = timespec(ns);
        Self { seconds: span.tv_sec, nanoseconds: span.tv_nsec }
    }
}

fn timespec(ns: u64) -> Timespec {
    // 2^64 ns are 584 years, and the remainder is below 10^9: both fit whatever their type.
    Timespec {
        tv_sec: i64::try_from(ns / NS_PER_S).unwrap_or(i64::MAX),
        tv_nsec: (ns % NS_PER_S).try_into().unwrap_or(0),
    }
}
