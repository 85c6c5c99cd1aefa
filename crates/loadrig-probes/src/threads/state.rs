//! The states of a thread that are told apart.

/// What a thread does, or what it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum State {
    /// It runs on a core.
    Running,
    /// It could run, and waits for a core or for its group's quota.
    Runnable,
    /// It waits for a lock, a condition or another thread (futex).
    Futex,
    /// It waits for a lock on a file, or for a semaphore, that another process has.
    Lock,
    /// It waits for bytes of a socket, a pipe, a terminal.
    Reading,
    /// It waits until a socket, a pipe, a terminal takes its bytes.
    Writing,
    /// It waits until a connection is open.
    Connecting,
    /// It waits for a connection to accept.
    Accepting,
    /// It waits for any of several descriptors: an event loop that has nothing to do.
    Polling,
    /// It waits for a file or a disk.
    Disk,
    /// It sleeps until a time.
    Sleeping,
    /// It is stopped, by a signal or by who traces it.
    Stopped,
    /// It waits for something else: a child, a signal.
    Other,
    /// It waits, and for what may not be seen.
    Unseen,
}

/// How many states there are.
pub(crate) const STATES: usize = State::ALL.len();

impl State {
    /// All of them, in their order.
    pub const ALL: [Self; 14] = [
        Self::Running,
        Self::Runnable,
        Self::Futex,
        Self::Lock,
        Self::Reading,
        Self::Writing,
        Self::Connecting,
        Self::Accepting,
        Self::Polling,
        Self::Disk,
        Self::Sleeping,
        Self::Stopped,
        Self::Other,
        Self::Unseen,
    ];

    /// Its name in recordings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Runnable => "runnable",
            Self::Futex => "futex",
            Self::Lock => "lock",
            Self::Reading => "reading",
            Self::Writing => "writing",
            Self::Connecting => "connecting",
            Self::Accepting => "accepting",
            Self::Polling => "polling",
            Self::Disk => "disk",
            Self::Sleeping => "sleeping",
            Self::Stopped => "stopped",
            Self::Other => "other",
            Self::Unseen => "unseen",
        }
    }

    /// Its place in arrays of `STATES`.
    pub(crate) fn place(self) -> usize {
        self as usize
    }
}
