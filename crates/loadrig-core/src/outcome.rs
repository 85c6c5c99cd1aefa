//! Outcome of a request. Every request that is due comes to exactly one of these, is unsent,
//! or is still under way.

use serde::{Deserialize, Serialize};

/// Outcome of a request that was taken up and could be sent, or tried to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Answered as expected.
    Ok,
    /// Answered with an unexpected status of 300 to 399.
    #[serde(rename = "http_3xx")]
    Http3xx,
    /// Answered with an unexpected status of 400 to 499.
    #[serde(rename = "http_4xx")]
    Http4xx,
    /// Answered with an unexpected status of 500 or more.
    #[serde(rename = "http_5xx")]
    Http5xx,
    /// Answered, but a check on the answer failed.
    CheckFailed,
    /// Answered, but the gRPC status is missing or not one of those allowed.
    GrpcError,
    /// No whole answer in time, counted from when it was due.
    Timeout,
    /// Nobody listens there.
    ConnectRefused,
    /// No connection in time.
    ConnectTimeout,
    /// The connection was reset while it was made.
    ConnectReset,
    /// No connection for another reason (no route, no such socket).
    ConnectFailed,
    /// The TLS handshake failed.
    TlsFailed,
    /// The connection was reset.
    Reset,
    /// The connection was closed before the whole answer had come.
    Closed,
    /// An answer that is not HTTP.
    NotHttp,
    /// More came than the answer's announced length.
    ExcessBody,
    /// The server reset the stream (`RST_STREAM`, RFC 9113, section 6.4).
    StreamReset,
    /// The server closed the connection to new streams (`GOAWAY`, RFC 9113, section 6.8) before it
    /// took the request up.
    GoAway,
    /// No local port is free (`EADDRNOTAVAIL`).
    NoPorts,
    /// No file descriptor is free (`EMFILE`, `ENFILE`).
    NoDescriptors,
    /// Another failure of input or output.
    Failed,
}

/// Whether an HTTP answer came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// An HTTP answer came, a welcome one or not.
    Answered,
    /// No answer, or nothing that deserves the name.
    Failed,
}

impl Outcome {
    /// All, in the order of [`Outcome::index`].
    pub const ALL: [Self; 21] = [
        Self::Ok,
        Self::Http3xx,
        Self::Http4xx,
        Self::Http5xx,
        Self::CheckFailed,
        Self::GrpcError,
        Self::Timeout,
        Self::ConnectRefused,
        Self::ConnectTimeout,
        Self::ConnectReset,
        Self::ConnectFailed,
        Self::TlsFailed,
        Self::Reset,
        Self::Closed,
        Self::NotHttp,
        Self::ExcessBody,
        Self::StreamReset,
        Self::GoAway,
        Self::NoPorts,
        Self::NoDescriptors,
        Self::Failed,
    ];

    /// Their number.
    pub const COUNT: usize = Self::ALL.len();

    /// Place in [`Outcome::ALL`], for tables.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// As written in frames and recordings.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Http3xx => "http_3xx",
            Self::Http4xx => "http_4xx",
            Self::Http5xx => "http_5xx",
            Self::CheckFailed => "check_failed",
            Self::GrpcError => "grpc_error",
            Self::Timeout => "timeout",
            Self::ConnectRefused => "connect_refused",
            Self::ConnectTimeout => "connect_timeout",
            Self::ConnectReset => "connect_reset",
            Self::ConnectFailed => "connect_failed",
            Self::TlsFailed => "tls_failed",
            Self::Reset => "reset",
            Self::Closed => "closed",
            Self::NotHttp => "not_http",
            Self::ExcessBody => "excess_body",
            Self::StreamReset => "stream_reset",
            Self::GoAway => "go_away",
            Self::NoPorts => "no_ports",
            Self::NoDescriptors => "no_descriptors",
            Self::Failed => "failed",
        }
    }

    /// Answered or failed.
    #[must_use]
    pub const fn class(self) -> Class {
        match self {
            Self::Ok
            | Self::Http3xx
            | Self::Http4xx
            | Self::Http5xx
            | Self::CheckFailed
            | Self::GrpcError => Class::Answered,
            _ => Class::Failed,
        }
    }

    /// Whether no connection came about, so that nothing could be sent.
    #[must_use]
    pub const fn is_of_connecting(self) -> bool {
        matches!(
            self,
            Self::ConnectRefused
                | Self::ConnectTimeout
                | Self::ConnectReset
                | Self::ConnectFailed
                | Self::TlsFailed
                | Self::NoPorts
                | Self::NoDescriptors
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{Class, Outcome};
    use std::collections::BTreeSet;

    #[test]
    fn the_index_is_the_place_in_the_list() {
        for (place, outcome) in Outcome::ALL.into_iter().enumerate() {
            assert_eq!(outcome.index(), place);
        }
    }

    #[test]
    fn what_was_answered_comes_before_what_failed() {
        let answered = Outcome::ALL.iter().take_while(|outcome| outcome.class() == Class::Answered);
        let last = answered.clone().last();
        assert_eq!(last, Some(&Outcome::GrpcError));
        assert!(Outcome::ALL[answered.count()..].iter().all(|outcome| outcome.class() == Class::Failed));
    }

    #[test]
    fn a_stream_that_ends_early_was_not_answered_but_had_a_connection() {
        for outcome in [Outcome::StreamReset, Outcome::GoAway] {
            assert_eq!(outcome.class(), Class::Failed);
            assert!(!outcome.is_of_connecting());
        }
    }

    #[test]
    fn every_outcome_has_a_name_of_its_own() {
        let names: BTreeSet<&str> = Outcome::ALL.iter().map(|outcome| outcome.as_str()).collect();
        assert_eq!(names.len(), Outcome::COUNT);
    }

    #[test]
    fn the_written_name_is_the_serialised_one() {
        use serde::de::value::{Error, StrDeserializer};
        use serde::{Deserialize as _, de::IntoDeserializer as _};
        for outcome in Outcome::ALL {
            let text: StrDeserializer<'_, Error> = outcome.as_str().into_deserializer();
            assert_eq!(Outcome::deserialize(text), Ok(outcome));
        }
    }
}
