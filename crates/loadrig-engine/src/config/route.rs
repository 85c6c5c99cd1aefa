//! Requests as templates, and what is expected of their answers.

use super::ValueCheck;
use serde::Deserialize;
use std::num::NonZeroU32;
use std::sync::Arc;

/// A source of values for the hole of the same name.
///
/// Exactly one of `values`, `counter` and `random` is given.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feed {
    /// Name of the hole.
    pub name: String,
    /// Sharing of the values among users.
    pub order: FeedOrder,
    /// How long a drawn value holds.
    #[serde(default)]
    pub per: FeedSpan,
    /// Feeds of the same `row_of` are columns of one table: a draw takes one row of all of them.
    #[serde(default)]
    pub row_of: Option<String>,
    /// The values themselves.
    #[serde(default)]
    pub values: Option<Arc<[Box<str>]>>,
    /// Whole numbers from this one on.
    #[serde(default)]
    pub counter: Option<i64>,
    /// Random whole numbers from the first to the second, both included.
    #[serde(default)]
    pub random: Option<(i64, i64)>,
}

/// Sharing of the values of a feed among users.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FeedOrder {
    /// In order, for all users together.
    Sequential,
    /// In order, for each user from the first value on.
    #[serde(rename = "sequential_per_user")]
    SequentialPerUser,
    /// In a random order, every value once before any comes again.
    Shuffled,
    /// Each user its own value, for good.
    Unique,
    /// Each user a value for good that chance has drawn; others may have the same.
    #[serde(rename = "per_user")]
    PerUser,
    /// Each arrival the value of its own number; of users and sessions, each of them.
    Arrival,
}

/// How long a value that was drawn from a feed holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FeedSpan {
    /// For one request.
    #[default]
    Request,
    /// For all requests of a loop through a scenario.
    Loop,
}

/// Whether a route is what the trial is about, or the login that makes it possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RouteClass {
    /// Requests that the trial measures.
    Service,
    /// Gets a token; left out of the service's figures.
    Login,
}

impl RouteClass {
    /// As written in frames.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Service => "service",
            Self::Login => "login",
        }
    }
}

/// Protocol of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RouteProtocol {
    /// A request and its answer.
    #[default]
    Http,
    /// A message sent and a message awaited over a `WebSocket` (RFC 6455).
    WebSocket,
    /// A unary call of gRPC.
    Grpc,
}

/// A kind of request.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Route {
    /// Unique among the routes.
    pub name: String,
    /// Service or login.
    pub class: RouteClass,
    /// Number of the server that it goes to: 0 is the target, others are further ones.
    #[serde(default)]
    pub server: usize,
    /// Protocol of the route.
    #[serde(default)]
    pub protocol: RouteProtocol,
    /// Full names of the message types that a gRPC call sends and is answered with.
    #[serde(default)]
    pub messages: Option<(String, String)>,
    /// Time-out of this route instead of the general one, in seconds.
    pub timeout_s: Option<f64>,
    /// Method, in capitals.
    pub method: String,
    /// Template of the request's target.
    pub target: String,
    /// Names and templates of the headers, sent in this order.
    pub headers: Vec<(String, String)>,
    /// Body that is sent along; for gRPC a template of the message in JSON.
    pub body: Option<Body>,
    /// Checks of the answer.
    pub expect: Expect,
    /// Variables taken from the answer.
    pub extract: Vec<Extract>,
    /// Pause after this route instead of the general one.
    pub think: Option<Think>,
    /// Redirects to follow at most.
    pub redirects: u32,
}

/// The body of a request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Body {
    /// A template.
    Text(String),
    /// Bytes that are sent as they are.
    Bytes(Base64Body),
}

/// A body that is no text.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Base64Body {
    /// The bytes in base64 (RFC 4648, section 4).
    pub base64: String,
}

/// Checks on an answer.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// Allowed status codes; empty allows 200 to 399. Of gRPC its own codes; empty allows 0.
    pub status: Vec<u16>,
    /// Texts that the body must contain.
    pub contains: Vec<String>,
    /// Regular expressions that must match somewhere in the body.
    pub matches: Vec<String>,
    /// JSON pointer or path, and the value it must have.
    pub json: Vec<(String, serde_json::Value)>,
    /// Checks of values in the answer.
    #[serde(default)]
    pub values: Vec<ValueCheck>,
    /// Least size of the body as it came over the wire, in bytes.
    pub size_min: Option<u64>,
    /// Greatest size of the body as it came over the wire, in bytes.
    pub size_max: Option<u64>,
    /// Longest response time in seconds.
    pub time_s: Option<f64>,
}

/// Place of a value in an answer, and the variable that gets it.
///
/// Exactly one of `json`, `regex`, `header`, `cookie`, `css` and `part` is given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extract {
    /// Name of the variable; only a route's extractions have one.
    #[serde(default)]
    pub into: String,
    /// JSON pointer (`/a/0`) or path (`$.a[0]`).
    #[serde(default)]
    pub json: Option<String>,
    /// Regular expression; its first group, else the whole match.
    #[serde(default)]
    pub regex: Option<String>,
    /// Name of a header.
    #[serde(default)]
    pub header: Option<String>,
    /// Name of a cookie that the answer sets.
    #[serde(default)]
    pub cookie: Option<String>,
    /// Selector of an element of HTML.
    #[serde(default)]
    pub css: Option<String>,
    /// Part of the answer that is there whatever else is in it.
    #[serde(default)]
    pub part: Option<AnswerPart>,
    /// Attribute of the selected element; without it its text is taken.
    #[serde(default)]
    pub attribute: Option<String>,
    /// Number of the match of `regex` or `css` that is taken, from 1; without it the first.
    #[serde(default, rename = "match")]
    pub nth: Option<NonZeroU32>,
    /// Value of the variable where nothing is there to be taken, which is then no failure.
    #[serde(default)]
    pub default: Option<String>,
    /// Whether it is no failure where nothing is there; the variable has no value then.
    #[serde(default)]
    pub optional: bool,
}

/// Part of every answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerPart {
    /// Its status, of gRPC the call's own: also of an answer that its checks refuse.
    Status,
}

impl Extract {
    /// The places that have a text, of which one is given where no part is.
    pub(crate) fn places(&self) -> [&Option<String>; 5] {
        [&self.json, &self.regex, &self.header, &self.cookie, &self.css]
    }
}

/// Routes in the order in which a user asks them.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Unique among the scenarios.
    pub name: String,
    /// Share among the scenarios' weights.
    pub weight: f64,
    /// Indices of routes.
    pub steps: Vec<usize>,
    /// Places in `steps` of those that are sent at once with the step before them, in order.
    #[serde(default)]
    pub beside: Vec<usize>,
    /// Steps that are made, or made again, as variables say.
    #[serde(default)]
    pub passages: Vec<Passage>,
}

/// Steps that follow each other and are made, or made again, as variables say.
///
/// Two of them have no step in common, or the steps of the one are all among those of the other.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Passage {
    /// Place of its first step in `steps`.
    pub first: usize,
    /// Place of its last step.
    pub last: usize,
    /// Condition under which its first round is made; always without one.
    #[serde(default)]
    pub enter: Option<Condition>,
    /// Condition under which another round is made after each; never without one.
    #[serde(default)]
    pub again: Option<Again>,
}

/// Rounds beyond the first.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Again {
    /// Condition under which another one is made.
    pub when: Condition,
    /// Rounds at most, the first included.
    pub most: u32,
}

/// A condition on variables that answers gave.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// Its parts.
    pub terms: Vec<Term>,
    /// Whether all parts must be true; else not all of them may be.
    pub holds: bool,
}

/// A part of a condition: what it says itself, or one of its alternatives. A variable without a value equals
/// nothing, and what is no number is neither above nor below one.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Term {
    /// Name of the variable; none: how the walk's latest request ended.
    #[serde(default)]
    pub variable: Option<String>,
    /// Text or number that the variable is compared with.
    #[serde(default)]
    pub value: String,
    /// Whether it must be that text, have that, or the request must have ended well; else it must not.
    #[serde(default = "as_said")]
    pub equal: bool,
    /// Place on the line of numbers that it must have; none: it is compared as a text.
    #[serde(default)]
    pub order: Option<Order>,
    /// What the variable must have; none: it is compared.
    #[serde(default)]
    pub has: Option<Having>,
    /// Alternatives: one that is true will do.
    #[serde(default)]
    pub alternatives: Vec<Term>,
}

const fn as_said() -> bool {
    true
}

/// Kind of what a variable has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Having {
    /// Any value: something is in its place of the answer, and that is not null.
    Value,
    /// A value that JavaScript takes as true: no empty text, and neither false nor 0 of JSON.
    Truth,
    /// Null of JSON.
    Null,
}

/// Place of a number beside another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Greater than it.
    Above,
    /// As great, or greater.
    AtLeast,
    /// Less than it.
    Below,
    /// As great, or less.
    AtMost,
}

/// The step that gets a token, and how long the token is good.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Login {
    /// Index of the route that logs in.
    pub route: usize,
    /// Life of a token in seconds, counted from the answer; none lasts until it is refused.
    pub lasts_s: Option<f64>,
    /// Place of the life in seconds in the login's answer; comes before `lasts_s`.
    pub lasts_from: Option<Extract>,
    /// A token is renewed earlier than at its end by up to this share of its life, at random.
    #[serde(default)]
    pub jitter: f64,
    /// Statuses of service routes that mean: the token is no longer good.
    pub again_on: Vec<u16>,
}

/// The pause of a user between an answer and the next request, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Think {
    /// Always the same.
    Constant(f64),
    /// Between two times, all equally likely.
    Uniform(f64, f64),
    /// Exponential with this mean.
    Exponential(f64),
}
