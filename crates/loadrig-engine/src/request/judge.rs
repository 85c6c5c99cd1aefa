//! Result of an answer: outcome, variables, cookies, cache, token.

use super::book::{Book, LoginPlan, RoutePlan, keep_cookies};
use super::cache::Caching;
use super::check::Failure;
use super::extract::{Content, Miss};
use super::grpc::{CallFault, Misfit, Reply};
use super::headers::shown_headers;
use super::inflate::{InflateError, inflated};
use super::redirect::is_redirect;
use super::user::{User, Walk};
use super::withheld::Withheld;
use super::{Answer, Judgement, RedirectError, RouteId};
use crate::config::RouteClass;
use loadrig_core::outcome::Outcome;
use loadrig_core::units::ns_from_s;

/// Details given for each route and outcome. As many as a frame's reader is shown.
const TOLD_MOST: u8 = 3;

/// Bytes of a body shown in a detail.
const SHOWN: usize = 200;

/// Bytes of a body in which secrets are looked for before it is cut: more than the longest token that is
/// worth its name, as one that is cut in half is not found.
const LOOKED_AT: usize = SHOWN + 8_192;

/// Mistake in an answer; made into text only for the first few.
#[derive(Debug, thiserror::Error)]
enum Fault<'a> {
    #[error("status {0}")]
    Status(u16),
    #[error("status {0}: the redirect was not followed: {1}")]
    Redirect(u16, RedirectError),
    #[error("{0}")]
    Call(CallFault),
    #[error("the hole {{{0}}} had no value when the request was made")]
    Unset(&'a str),
    #[error("an empty message was sent, as this one could not be made: {0}")]
    Unmade(&'a Misfit),
    #[error("an empty message was sent, as the hole {{{0}}} had no value")]
    UnmadeUnset(&'a str),
    #[error("{0}")]
    Inflate(InflateError),
    #[error("{0}")]
    Check(Failure<'a>),
    #[error("no value for {{{0}}}: {1}")]
    Extraction(&'a str, Miss),
    #[error("no life of the token: {0}")]
    Life(Miss),
    #[error("the token's life {0:?} is no number of seconds")]
    LifeText(String),
}

impl Book {
    /// Judges an answer; keeps its cookies, variables and token, and the answer itself in a cache.
    ///
    /// Where the cache has asked and the server says that the answer before still holds (304), it is that answer
    /// again, with the values that it had; it may have come too late.
    pub fn judge(
        &mut self,
        user: &mut User,
        walk: &mut Walk,
        route: RouteId,
        answer: &Answer<'_>,
        now_ns: u64,
    ) -> Judgement {
        self.now_ns = now_ns;
        let plan = &self.plans[route.index()];
        if self.keeps_cookies {
            let target = plan.recipe.fixed_target().filter(|_| !plan.recipe.leaves_trail());
            keep_cookies(user, answer, &self.sites[walk.server], target.unwrap_or(&walk.target), now_ns);
        }
        let login = self.login.as_ref().filter(|login| login.route == route);
        let mut room = std::mem::take(&mut self.inflating);
        let stale = Self::validated(plan, walk, answer);
        let found = match &stale {
            None => verdict(plan, login, &self.names, user, walk, answer, &mut room),
            Some(stored) => {
                self.take_values(user, route, stored);
                plan.checks.delay(answer).map_or(Ok(None), |failure| Err(Fault::Check(failure)))
            }
        };
        let keeps_values = matches!(found, Ok(_) | Err(Fault::Unset(_)));
        let judgement = match found {
            Ok(lasts_ns) => Judgement {
                outcome: Outcome::Ok,
                detail: None,
                headers: Vec::new(),
                login: login.map(|login| user.gained(now_ns, lasts_ns, login.jitter)),
            },
            Err(fault) => {
                let outcome = fault.outcome();
                let told = &mut self.told[route.index()][outcome.index()];
                let is_told = *told < TOLD_MOST;
                *told += u8::from(is_told);
                let (detail, headers) = if is_told {
                    let withheld = Withheld::of(&self.withheld, user, &self.names, answer.headers);
                    let detail = detail(&fault, answer, walk, &self.names, &withheld);
                    (Some(detail), shown_headers(answer.headers, &withheld))
                } else {
                    (None, Vec::new())
                };
                Judgement { outcome, detail, headers, login: None }
            }
        };
        self.inflating = room;
        if self.routes[route.index()].class != RouteClass::Login {
            walk.has_failed = judgement.outcome != Outcome::Ok;
        }
        if !keeps_values {
            self.forget_values(user, route);
        }
        // A gRPC call has a status of its own, from 0 to 16; those of HTTP begin at 100.
        let call = self.plans[route.index()].reply.as_ref().and_then(|_| Reply::status(answer));
        let status = stale.as_ref().map_or(call.unwrap_or(answer.status), |stored| stored.status);
        self.keep_status(user, route, Some(status));
        if plan.caching != Caching::Off {
            let is_good = judgement.outcome == Outcome::Ok;
            self.keep_answer(user, walk, route, answer, (stale.as_deref(), is_good));
        }
        if judgement.outcome != Outcome::Ok {
            self.note_token(user, walk, route, status);
        }
        judgement
    }

    /// Conclusion from a bad answer about the user's token.
    fn note_token(&self, user: &mut User, walk: &Walk, route: RouteId, status: u16) {
        let Some(login) = &self.login else { return };
        if login.route == route {
            user.token.failed();
        } else if login.again_on.contains(&status) {
            user.token.refused(walk.generation);
        }
    }
}

/// The first fault of an answer, or how long the token lasts if it is that of a login.
fn verdict<'a>(
    plan: &'a RoutePlan,
    login: Option<&LoginPlan>,
    names: &'a [String],
    user: &mut User,
    walk: &'a Walk,
    answer: &Answer<'_>,
    room: &mut Vec<u8>,
) -> Result<Option<u64>, Fault<'a>> {
    let body = match &plan.reply {
        None => body(plan, walk, answer, room)?,
        Some(reply) => message(reply, names, walk, answer, room)?,
    };
    let content = Content::new(body);
    if let Some(failure) = plan.checks.failure(answer, &content) {
        return Err(Fault::Check(failure));
    }
    for (variable, source) in &plan.extractions {
        let variable_now = &mut user.variables[variable.0];
        match source.find(answer.headers, &content, &mut variable_now.value) {
            Ok(worth) => variable_now.worth = worth,
            Err(miss) => return Err(Fault::Extraction(&names[variable.0], miss)),
        }
    }
    // Last: a request that hands on what its own last answer said (a cursor) begins without.
    if let Some(unset) = walk.unset {
        return Err(Fault::Unset(&names[unset.0]));
    }
    let Some(login) = login else {
        return Ok(None);
    };
    let Some(source) = &login.lasts_from else {
        return Ok(login.lasts_ns);
    };
    let mut text = Vec::new();
    source.find(answer.headers, &content, &mut text).map_err(Fault::Life)?;
    let text = String::from_utf8_lossy(&text);
    match text.trim().parse::<f64>() {
        Ok(seconds) if seconds.is_finite() && seconds >= 0.0 => Ok(Some(ns_from_s(seconds))),
        _ => Err(Fault::LifeText(text.into_owned())),
    }
}

/// The body of an answer whose status is good, without its content coding.
fn body<'r>(
    plan: &RoutePlan,
    walk: &Walk,
    answer: &'r Answer<'_>,
    room: &'r mut Vec<u8>,
) -> Result<&'r [u8], Fault<'static>> {
    let status = answer.status;
    if !plan.checks.allows(status) {
        return Err(Fault::Status(status));
    }
    let trail = walk.trail.as_ref().filter(|_| plan.recipe.leaves_trail() && !plan.checks.names_statuses());
    if let Some(refused) = trail.and_then(|trail| trail.refused).filter(|_| is_redirect(status)) {
        return Err(Fault::Redirect(status, refused));
    }
    let coding = answer.headers.iter().find(|header| header.name.eq_ignore_ascii_case("content-encoding"));
    inflated(coding.map_or(&[], |header| header.value), answer.body, room).map_err(Fault::Inflate)
}

/// The message of an answer to a gRPC call whose status is good, as JSON.
fn message<'a, 'r>(
    reply: &Reply,
    names: &'a [String],
    walk: &'a Walk,
    answer: &Answer<'_>,
    room: &'r mut Vec<u8>,
) -> Result<&'r [u8], Fault<'a>> {
    // First: what the server makes of a message that the plan does not mean is no news.
    if let Some(misfit) = &walk.unmade {
        return Err(match walk.unset {
            Some(unset) => Fault::UnmadeUnset(&names[unset.0]),
            None => Fault::Unmade(misfit),
        });
    }
    // RFC 9110, section 15.3.1; gRPC tells its own errors with it, too.
    if answer.status != 200 {
        return Err(Fault::Status(answer.status));
    }
    reply.json(answer, room).map_err(Fault::Call)
}

impl Fault<'_> {
    fn outcome(&self) -> Outcome {
        match self {
            Self::Status(status) | Self::Redirect(status, _) => match status {
                300..=399 => Outcome::Http3xx,
                400..=499 => Outcome::Http4xx,
                500.. => Outcome::Http5xx,
                _ => Outcome::CheckFailed,
            },
            Self::Call(CallFault::Status(_)) => Outcome::GrpcError,
            _ => Outcome::CheckFailed,
        }
    }
}

/// The fault in words; for a bad status with the first bytes of the body, if there are any. Secrets are
/// taken out of both.
fn detail(
    fault: &Fault<'_>,
    answer: &Answer<'_>,
    walk: &Walk,
    names: &[String],
    withheld: &Withheld<'_>,
) -> String {
    let mut text = fault.to_string();
    let is_of_status = matches!(fault, Fault::Status(_) | Fault::Call(CallFault::Status(_)));
    if let Some(unset) = walk.unset.filter(|_| is_of_status) {
        text = format!("{text} ({})", Fault::Unset(&names[unset.0]));
    }
    text = String::from_utf8_lossy(&withheld.out_of(text.as_bytes())).into_owned();
    let is_plain = !answer.headers.iter().any(|header| header.name.eq_ignore_ascii_case("content-encoding"));
    if matches!(fault, Fault::Status(_)) && is_plain && !answer.body.is_empty() {
        let body = withheld.out_of(&answer.body[..answer.body.len().min(LOOKED_AT)]);
        let first = &body[..body.len().min(SHOWN)];
        let shown: Vec<_> = String::from_utf8_lossy(first).split_whitespace().map(str::to_owned).collect();
        text = format!("{text}: {}", shown.join(" "));
    }
    text
}
