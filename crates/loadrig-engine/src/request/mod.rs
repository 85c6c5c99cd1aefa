//! Requests, and what is made of their answers: scenarios, templates, feeds, checks, cookies,
//! logins. Knows bytes and users, but neither sockets nor clocks.
//!
//! The life of one request, as the worker sees it:
//!
//! ```text
//! let mut walk = book.begin(&mut user, number);      // a loop through a scenario
//! match book.next(&mut user, &mut walk, now) {       // its next request
//!     Next::Request(route) => {
//!         book.compose(&mut user, &mut walk, route, &mut out);     // ... write, read ...
//!         // a redirect to follow: book.redirect(...) has put the next request into out
//!         book.judge(&mut user, &mut walk, route, &answer, now);   // or book.lost(...)
//!     }
//!     Next::Wait => { /* ask again when a login of this user has been judged or lost */ }
//!     Next::Done => book.again(&mut user, &mut walk),
//! }
//! ```
//!
//! Each composed request must end in exactly one `judge` or `lost`: else a login that never came
//! back would keep its user waiting for good.

mod book;
mod cache;
mod caching;
mod check;
mod comparison;
mod compose;
mod cookies;
mod descent;
mod encode;
mod extract;
mod feed;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzzing;
mod grpc;
mod headers;
mod html;
mod inflate;
mod json;
mod judge;
mod login;
mod names;
mod parts;
mod passage;
mod permutation;
mod population;
mod redirect;
mod scenario;
mod template;
#[cfg(test)]
mod tests;
pub(crate) mod upgrade;
mod user;
mod value;
mod withheld;
mod worth;

pub use book::Book;
pub use extract::check_expression;
pub use user::{User, Walk};

use crate::config::{RouteClass, RouteProtocol};
use loadrig_core::outcome::Outcome;

/// Number of a route; an index into [`Book::routes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RouteId(u16);

impl RouteId {
    /// The index into [`Book::routes`].
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The route at this place of a checked config, which has at most 65,535 of them.
    pub(crate) fn of(index: usize) -> Self {
        Self(u16::try_from(index).unwrap_or(u16::MAX))
    }
}

/// Facts on a route that a worker needs to send it and to read its answer.
#[derive(Debug, Clone)]
pub struct Route {
    /// As in the plan.
    pub name: String,
    /// Service or login.
    pub class: RouteClass,
    /// Number of the server that it goes to.
    pub server: usize,
    /// Protocol of the route.
    pub protocol: RouteProtocol,
    /// Whether what it sends is a text: a WebSocket wants to know.
    pub is_text: bool,
    /// Time-out instead of the general one.
    pub timeout_ns: Option<u64>,
    /// Redirects to follow at most; [`Book::redirect`] counts them. If 0, it need not be asked.
    pub redirects: u32,
    /// Whether [`Book::judge`] wants to see the body; else it is only counted.
    pub keeps_body: bool,
    /// Whether the method is HEAD: its answer has no body.
    pub is_head: bool,
}

/// The next thing to do in a loop through a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Send this.
    Request(RouteId),
    /// Another walk of this user is logging in. Ask again once that login was judged or lost.
    Wait,
    /// The loop is through.
    Done,
}

/// The status of an answer that has none: a message over a WebSocket.
pub const NO_STATUS: u16 = 0;

/// An answer, whole.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    /// Status code; [`NO_STATUS`] if it has none.
    pub status: u16,
    /// Header fields; after them the trailers, which say the status of a gRPC call.
    pub headers: &'a [httparse::Header<'a>],
    /// The body as received (transfer coding removed, content coding not); empty unless the
    /// route keeps it. For a bad status any first bytes are welcome, for the example.
    pub body: &'a [u8],
    /// Size of the body as received.
    pub body_bytes: u64,
    /// Response time: last byte minus due.
    pub response_ns: u64,
}

/// Result of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// Good, or what was wrong.
    pub outcome: Outcome,
    /// A sentence on what was wrong. Only for the first few of each route and outcome: the text
    /// costs more than the rest of the judgement.
    pub detail: Option<String>,
    /// Header lines of the answer beside the detail, `Name: value`, without secrets.
    pub headers: Vec<String>,
    /// Whether this answer was a login that worked.
    pub login: Option<LoginMark>,
}

impl Judgement {
    /// An answer with which all is well.
    pub(crate) const GOOD: Self =
        Self { outcome: Outcome::Ok, detail: None, headers: Vec::new(), login: None };
}

/// A login that worked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginMark {
    /// The user's first.
    First,
    /// Again, after the token expired or was refused.
    Again,
}

/// Reason why a redirect is not followed; the answer is then to be judged as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RedirectError {
    /// The status is not 301, 302, 303, 307 or 308.
    #[error("not a redirect")]
    NotOne,
    /// The route's number of redirects is used up.
    #[error("too many redirects")]
    TooMany,
    /// There is no Location, or it is no URL.
    #[error("no usable Location")]
    NoLocation,
    /// A scheme, host or port that is no server's of the plan: loadrig sends only where that says.
    #[error("it leads to another server")]
    OtherServer,
}
