//! The states of a thread that are told apart.

/// State of a thread: what it does, or what it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum State {
    /// Running on a core.
    Running,
    /// Ready to run, and waiting for a core or for its group's quota.
    Runnable,
    /// Waiting for a lock, a condition or another thread (futex).
    Futex,
    /// Waiting for a lock on a file, or for a semaphore, that another process has.
    Lock,
    /// Waiting for bytes of a socket, a pipe, a terminal.
    Reading,
    /// Waiting until a socket, a pipe, a terminal takes its bytes.
    Writing,
    /// Waiting until a connection is open.
    Connecting,
    /// Waiting for a connection to accept.
    Accepting,
    /// Waiting for any of several descriptors: an event loop that has nothing to do.
    Polling,
    /// Waiting for a file or a disk.
    Disk,
    /// Sleeping until a time.
    Sleeping,
    /// Stopped, by a signal or by who traces it.
    Stopped,
    /// Waiting for something else: a child, a signal.
    Other,
    /// Waiting, and for what may not be seen.
    Unseen,
}

/// Number of states.
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
