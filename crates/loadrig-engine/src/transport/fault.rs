//! Faults of connections, and the outcome of each: by error number, never by text.

use loadrig_core::outcome::Outcome;
use rustix::io::Errno;

/// Reason why a connection is of no use any more.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum Fault {
    /// The kernel says so.
    #[error("{}", said(*.0))]
    Errno(Errno),
    /// TLS says so.
    #[error("TLS: {0}")]
    Tls(#[from] rustls::Error),
    /// The server closed the connection during the TLS handshake.
    #[error("the connection was closed during the TLS handshake")]
    EndOfHandshake,
    /// The server has agreed to TLS, but not to HTTP/2.
    #[error("the server does not speak HTTP/2 over TLS: it did not choose h2 (ALPN)")]
    NoHttp2,
    /// The server closed a TLS connection without saying so first, which an attacker can do too:
    /// whether an answer without a length is whole cannot be known.
    #[error("the connection was closed without a TLS close_notify")]
    Truncated,
}

/// Stage to which the connection had come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Nothing of the request was sent yet.
    Connecting,
    /// Carrying a request.
    Connected,
}

impl Fault {
    /// The outcome for the request that the connection was for.
    pub(crate) fn outcome(&self, phase: Phase) -> Outcome {
        match (self, phase) {
            (Self::Errno(errno), phase) => of_errno(*errno, phase),
            (Self::Tls(_) | Self::EndOfHandshake | Self::NoHttp2, _) => Outcome::TlsFailed,
            (Self::Truncated, _) => Outcome::Closed,
        }
    }
}

fn of_errno(errno: Errno, phase: Phase) -> Outcome {
    match (errno, phase) {
        // Where a source address is given the kernel finds no port already at bind, and says
        // EADDRINUSE then.
        (Errno::ADDRNOTAVAIL | Errno::ADDRINUSE, Phase::Connecting) => Outcome::NoPorts,
        (Errno::MFILE | Errno::NFILE, _) => Outcome::NoDescriptors,
        (Errno::CONNREFUSED, Phase::Connecting) => Outcome::ConnectRefused,
        (Errno::TIMEDOUT, Phase::Connecting) => Outcome::ConnectTimeout,
        (Errno::CONNRESET | Errno::PIPE, Phase::Connecting) => Outcome::ConnectReset,
        (_, Phase::Connecting) => Outcome::ConnectFailed,
        (Errno::CONNRESET | Errno::PIPE, Phase::Connected) => Outcome::Reset,
        (_, Phase::Connected) => Outcome::Failed,
    }
}

/// The system's words for an error number.
fn said(errno: Errno) -> String {
    std::io::Error::from_raw_os_error(errno.raw_os_error()).to_string()
}

#[cfg(test)]
mod tests {
    use super::{Fault, Phase};
    use loadrig_core::outcome::Outcome;
    use rustix::io::Errno;

    #[test]
    fn error_numbers_are_told_apart_by_when_they_come() {
        use Phase::{Connected, Connecting};
        for (errno, phase, outcome) in [
            (Errno::CONNREFUSED, Connecting, Outcome::ConnectRefused),
            (Errno::TIMEDOUT, Connecting, Outcome::ConnectTimeout),
            (Errno::CONNRESET, Connecting, Outcome::ConnectReset),
            (Errno::HOSTUNREACH, Connecting, Outcome::ConnectFailed),
            (Errno::NOENT, Connecting, Outcome::ConnectFailed),
            (Errno::ADDRNOTAVAIL, Connecting, Outcome::NoPorts),
            (Errno::MFILE, Connecting, Outcome::NoDescriptors),
            (Errno::CONNRESET, Connected, Outcome::Reset),
            (Errno::PIPE, Connected, Outcome::Reset),
            (Errno::TIMEDOUT, Connected, Outcome::Failed),
        ] {
            assert_eq!(Fault::Errno(errno).outcome(phase), outcome, "{errno:?} while {phase:?}");
        }
    }
}
