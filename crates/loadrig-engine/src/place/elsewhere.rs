//! Processors, waking and priority of a thread where the system lets no program choose them.

use std::io;

/// Refuses to keep a thread to processors; none named leaves it to the system.
pub(super) fn pin(cpus: &[usize]) -> io::Result<()> {
    if cpus.is_empty() {
        return Ok(());
    }
    Err(io::Error::other("this system lets no program choose its CPUs"))
}

/// Leaves the waking as it is: a wait by kqueue has no slack that could be taken away.
pub(super) fn wake_exactly(_: usize) -> Option<String> {
    None
}

/// Leaves the priority as it is: it would be that of the whole process.
pub(super) fn be_humble() {}
