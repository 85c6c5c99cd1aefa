//! Waits of a thread, by the system call that it is in, or by the function of the kernel where it is.
//!
//! Format of /proc/PID/task/TID/syscall: `proc_pid_syscall(5)`. The numbers are those of this machine's
//! system calls, by the libc crate.

use super::state::State;

/// The system call that a thread is in: its number, and those of its arguments that are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// As the kernel numbers it.
    pub number: i64,
    /// The first two arguments.
    pub args: [u64; 2],
}

/// Content of the file `syscall` of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocked {
    /// Running, or ready to run.
    No,
    /// Waiting outside of a system call: for a page, or because it is stopped.
    Outside,
    /// Waiting in a system call.
    In(Call),
}

/// Reads the text of /proc/PID/task/TID/syscall; None if it is none.
#[must_use]
pub fn parse_syscall(text: &str) -> Option<Blocked> {
    let mut words = text.split_ascii_whitespace();
    let number = match words.next()? {
        "running" => return Some(Blocked::No),
        number => number.parse::<i64>().ok()?,
    };
    if number < 0 {
        return Some(Blocked::Outside);
    }
    let mut argument = || u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok();
    Some(Blocked::In(Call { number, args: [argument()?, argument()?] }))
}

/// Wait in a system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// This, whatever the arguments.
    For(State),
    /// State by the descriptor.
    On(State, i32),
    /// The only descriptor of a list of one, which lies at this address of the program.
    OnOne(u64),
    /// The number alone does not tell.
    Unknown,
}

/// Wait in this call.
pub(crate) fn wait_of(call: &Call) -> Wait {
    // The low half of its register.
    let [a, b, c, d, ..] = call.args[0].to_le_bytes();
    let descriptor = i32::from_le_bytes([a, b, c, d]);
    match call.number {
        libc::SYS_futex | libc::SYS_futex_waitv => Wait::For(State::Futex),
        libc::SYS_flock | libc::SYS_semop | libc::SYS_semtimedop => Wait::For(State::Lock),
        libc::SYS_fcntl if WAITS_FOR_LOCK.contains(&call.args[1]) => Wait::For(State::Lock),
        libc::SYS_read
        | libc::SYS_readv
        | libc::SYS_pread64
        | libc::SYS_preadv
        | libc::SYS_preadv2
        | libc::SYS_recvfrom
        | libc::SYS_recvmsg
        | libc::SYS_recvmmsg => Wait::On(State::Reading, descriptor),
        libc::SYS_write
        | libc::SYS_writev
        | libc::SYS_pwrite64
        | libc::SYS_pwritev
        | libc::SYS_pwritev2
        | libc::SYS_sendto
        | libc::SYS_sendmsg
        | libc::SYS_sendmmsg
        | libc::SYS_sendfile => Wait::On(State::Writing, descriptor),
        libc::SYS_connect => Wait::On(State::Connecting, descriptor),
        libc::SYS_accept | libc::SYS_accept4 => Wait::On(State::Accepting, descriptor),
        libc::SYS_ppoll if call.args[1] == 1 => Wait::OnOne(call.args[0]),
        libc::SYS_ppoll
        | libc::SYS_pselect6
        | libc::SYS_epoll_pwait
        | libc::SYS_epoll_pwait2
        | libc::SYS_io_uring_enter
        | libc::SYS_io_getevents => Wait::For(State::Polling),
        libc::SYS_nanosleep | libc::SYS_clock_nanosleep => Wait::For(State::Sleeping),
        libc::SYS_fsync
        | libc::SYS_fdatasync
        | libc::SYS_sync_file_range
        | libc::SYS_msync
        | libc::SYS_sync
        | libc::SYS_syncfs => Wait::For(State::Disk),
        number => legacy(number, call.args),
    }
}

/// Commands of fcntl that wait for a lock: `F_SETLKW` and `F_OFD_SETLKW`.
const WAITS_FOR_LOCK: [u64; 2] = [7, 38];

/// Calls that only older machines' kernels have.
#[cfg(target_arch = "x86_64")]
fn legacy(number: i64, args: [u64; 2]) -> Wait {
    match number {
        libc::SYS_poll if args[1] == 1 => Wait::OnOne(args[0]),
        libc::SYS_poll | libc::SYS_select | libc::SYS_epoll_wait => Wait::For(State::Polling),
        _ => Wait::Unknown,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn legacy(_: i64, _: [u64; 2]) -> Wait {
    Wait::Unknown
}

/// Beginnings of the names of the kernel's functions in which threads wait, from Linux 4.18 to 6.18.
///
/// `wait_woken` and `schedule_timeout` are not among them: senders, readers and others wait there.
const PLACES: [(&str, State); 48] = [
    ("futex_", State::Futex),
    ("locks_lock_inode_wait", State::Lock),
    ("flock_lock_inode_wait", State::Lock),
    ("do_lock_file_wait", State::Lock),
    ("do_semtimedop", State::Lock),
    ("__do_semtimedop", State::Lock),
    ("ep_poll", State::Polling),
    ("do_epoll_wait", State::Polling),
    ("poll_schedule_timeout", State::Polling),
    ("do_poll", State::Polling),
    ("do_sys_poll", State::Polling),
    ("do_select", State::Polling),
    ("io_cqring_wait", State::Polling),
    ("read_events", State::Polling),
    ("inet_csk_accept", State::Accepting),
    ("inet_csk_wait_for_connect", State::Accepting),
    ("sk_wait_data", State::Reading),
    ("tcp_recvmsg", State::Reading),
    ("unix_stream_data_wait", State::Reading),
    ("unix_stream_read_generic", State::Reading),
    ("pipe_read", State::Reading),
    ("anon_pipe_read", State::Reading),
    ("eventfd_read", State::Reading),
    ("n_tty_read", State::Reading),
    ("pipe_write", State::Writing),
    ("anon_pipe_write", State::Writing),
    ("sk_stream_wait_memory", State::Writing),
    ("sock_alloc_send_pskb", State::Writing),
    ("sock_wait_for_wmem", State::Writing),
    ("inet_wait_for_connect", State::Connecting),
    ("__inet_stream_connect", State::Connecting),
    ("io_schedule", State::Disk),
    ("folio_wait", State::Disk),
    ("wait_on_page", State::Disk),
    ("__lock_page", State::Disk),
    ("wait_on_buffer", State::Disk),
    ("bit_wait_io", State::Disk),
    ("submit_bio_wait", State::Disk),
    ("blkdev_issue", State::Disk),
    ("jbd2_", State::Disk),
    ("xlog_", State::Disk),
    ("rq_qos_wait", State::Disk),
    ("balance_dirty_pages", State::Disk),
    ("hrtimer_nanosleep", State::Sleeping),
    ("do_nanosleep", State::Sleeping),
    ("do_signal_stop", State::Stopped),
    ("ptrace_stop", State::Stopped),
    ("do_wait", State::Other),
];

/// Functions in which a thread that cannot be interrupted waits for a lock of the kernel, not for a disk.
const KERNEL_LOCKS: [&str; 6] = ["rwsem_", "down_", "__down", "mutex_", "__mutex", "rt_mutex"];

/// Wait in this function of the kernel, the text of wchan; None where it does not tell.
#[must_use]
pub fn wait_in(place: &str) -> Option<State> {
    PLACES.iter().find(|(name, _)| place.starts_with(name)).map(|(_, state)| *state)
}

/// Wait of a thread that cannot be interrupted (state D).
pub(crate) fn uninterruptible_in(place: &str) -> State {
    let is_lock = KERNEL_LOCKS.iter().any(|name| place.starts_with(name));
    if is_lock { State::Other } else { State::Disk }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn waits(text: &str) -> Option<Wait> {
        match parse_syscall(text)? {
            Blocked::In(call) => Some(wait_of(&call)),
            Blocked::No | Blocked::Outside => None,
        }
    }

    #[test]
    fn the_text_of_the_kernel_tells_the_call_and_its_descriptor() {
        let rest = "0x2 0x0 0x0 0x7f5c 0x7ffd08 0x7f5c9e";
        let text = |number: i64, first: &str| format!("{number} {first} 0x400 {rest}\n");
        assert_eq!(waits(&text(libc::SYS_recvfrom, "0x7")), Some(Wait::On(State::Reading, 7)));
        assert_eq!(waits(&text(libc::SYS_accept4, "0x3")), Some(Wait::On(State::Accepting, 3)));
        assert_eq!(waits(&text(libc::SYS_futex, "0x7fea1000")), Some(Wait::For(State::Futex)));
        assert_eq!(waits(&text(libc::SYS_flock, "0x9")), Some(Wait::For(State::Lock)));
        assert_eq!(waits(&text(libc::SYS_fsync, "0x9")), Some(Wait::For(State::Disk)));
        assert_eq!(waits(&text(libc::SYS_wait4, "0x9")), Some(Wait::Unknown));
        assert_eq!(parse_syscall("running\n"), Some(Blocked::No));
        assert_eq!(parse_syscall("-1 0x7ffd08 0x7f5c9e\n"), Some(Blocked::Outside));
    }

    #[test]
    fn a_descriptor_is_the_low_half_of_its_register() {
        let call = Call { number: libc::SYS_write, args: [0xdead_beef_0000_0005, 0] };
        assert_eq!(wait_of(&call), Wait::On(State::Writing, 5));
    }

    #[test]
    fn a_call_that_sets_a_lock_waits_for_it_if_it_is_told_to() {
        let fcntl = |command| wait_of(&Call { number: libc::SYS_fcntl, args: [5, command] });
        assert_eq!(fcntl(7), Wait::For(State::Lock));
        assert_eq!(fcntl(38), Wait::For(State::Lock));
        assert_eq!(fcntl(6), Wait::Unknown);
    }

    #[test]
    fn a_poll_of_one_descriptor_is_a_wait_for_it_and_one_of_more_is_a_loop() {
        let poll = |number, args| wait_of(&Call { number, args });
        assert_eq!(poll(libc::SYS_ppoll, [0x7000, 1]), Wait::OnOne(0x7000));
        assert_eq!(poll(libc::SYS_ppoll, [0x7000, 2]), Wait::For(State::Polling));
        assert_eq!(poll(libc::SYS_epoll_pwait, [5, 1]), Wait::For(State::Polling));
    }

    #[test]
    fn short_and_foreign_texts_are_none() {
        for text in ["", "\n", "x", "0", "0 0x5", "0 5 6", "0 0x5 zz"] {
            assert_eq!(parse_syscall(text), None, "{text:?}");
        }
    }

    #[test]
    fn the_place_in_the_kernel_tells_where_the_call_may_not_be_seen() {
        assert_eq!(wait_in("futex_wait_queue_me"), Some(State::Futex));
        assert_eq!(wait_in("futex_do_wait"), Some(State::Futex));
        assert_eq!(wait_in("poll_schedule_timeout.constprop.0"), Some(State::Polling));
        assert_eq!(wait_in("wait_woken"), None);
        assert_eq!(wait_in("0"), None);
        assert_eq!(uninterruptible_in("folio_wait_bit_common"), State::Disk);
        assert_eq!(uninterruptible_in("rwsem_down_read_slowpath"), State::Other);
    }

    proptest! {
        #[test]
        fn no_text_makes_the_parser_panic(text in "[ -~\n]{0,80}", number in -2..500_i64, first in any::<u64>()) {
            let _ = (parse_syscall(&text), wait_in(&text));
            let _ = waits(&format!("{number} {first:#x} 0x1 0x0\n"));
        }
    }
}
