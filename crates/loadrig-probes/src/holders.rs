//! Holders of sockets, by the descriptors in /proc.
//!
//! Source: `proc_pid_fd(5)`: the descriptor of a socket is a link to `socket:[INODE]`. What is gone, or may
//! not be read, is left out.

use crate::processes::{Reader, numbers};
use rustix::fs::readlinkat_raw;
use rustix::path::DecInt;
use std::collections::HashSet;
use std::hash::BuildHasher;
use std::io;
use std::mem::MaybeUninit;
use std::path::Path;

/// The longest link that is looked at: one to a socket has no more than this many bytes.
const LINK_BYTES: usize = 32;

/// Returns a process and the sockets among `inodes` that it holds, for each that holds any.
///
/// pids: those that are looked at, None for all. proc: /proc, but in tests.
///
/// # Errors
/// Where there is no such folder.
pub fn socket_holders(
    inodes: &HashSet<u64, impl BuildHasher>,
    pids: Option<&[i32]>,
    proc: &Path,
) -> io::Result<Vec<(i32, Vec<u64>)>> {
    let reader = Reader::open(proc)?;
    let all = if pids.is_none() { reader.pids() } else { Vec::new() };
    let mut found = Vec::new();
    for &pid in pids.unwrap_or(&all) {
        let Ok(descriptors) = reader.folder(&format!("{pid}/fd")) else { continue };
        let mut held = Vec::new();
        for descriptor in numbers(&descriptors) {
            let mut room = [MaybeUninit::uninit(); LINK_BYTES];
            let Ok((link, _)) = readlinkat_raw(&descriptors, DecInt::new(descriptor), &mut room) else {
                continue;
            };
            held.extend(inode_of(link).filter(|inode| inodes.contains(inode)));
        }
        if !held.is_empty() {
            found.push((pid, held));
        }
    }
    Ok(found)
}

/// The inode in `socket:[INODE]`; None for a link to anything else.
fn inode_of(link: &[u8]) -> Option<u64> {
    std::str::from_utf8(link.strip_prefix(b"socket:[")?.strip_suffix(b"]")?).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;
    use std::os::fd::AsRawFd;

    #[test]
    fn a_link_to_a_socket_has_its_inode_and_no_other_has_one() {
        assert_eq!(inode_of(b"socket:[4294967295]"), Some(4_294_967_295));
        for other in [b"pipe:[12]".as_slice(), b"socket:[12", b"socket:[]", b"/dev/null", b""] {
            assert_eq!(inode_of(other), None);
        }
    }

    #[test]
    fn this_process_holds_its_own_socket_and_init_does_not() -> io::Result<()> {
        let socket = TcpListener::bind("127.0.0.1:0")?;
        let link = std::fs::read_link(format!("/proc/self/fd/{}", socket.as_raw_fd()))?;
        let inode = inode_of(link.as_os_str().as_encoded_bytes()).unwrap_or_default();
        let own = i32::try_from(std::process::id()).unwrap_or_default();
        let wanted = HashSet::from([inode]);
        for pids in [None, Some([1, own].as_slice())] {
            let found = socket_holders(&wanted, pids, Path::new("/proc"))?;
            assert_eq!(found, [(own, vec![inode])]);
        }
        assert_eq!(socket_holders(&wanted, Some(&[1]), Path::new("/proc"))?, []);
        assert_eq!(socket_holders(&HashSet::new(), None, Path::new("/proc"))?, []);
        Ok(())
    }
}
