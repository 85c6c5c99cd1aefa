//! From a route to bytes. Everything that can be put together beforehand is: a route without
//! holes is one copy, and one with holes a copy for each stretch between them.

use super::cookies::Site;
use super::encode::{Place, may_stand_in_a_header, mended_target};
use super::feed::{Feeds, GroupId};
use super::grpc::{Misfit, Mould};
use super::parts::{Filler, HoleSource, Names, Part, PartList};
use super::upgrade;
use super::user::{User, Walk};
use crate::config::{self, Body, Refusal, RouteProtocol, quoted};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use prost_reflect::MessageDescriptor;
use std::io::Write as _;

/// Recipe of the requests of a route.
pub(super) struct Recipe {
    /// The whole request, if it has no holes; good as long as there are no cookies to send.
    whole: Option<Box<[u8]>>,
    /// Method and space.
    method: Box<[u8]>,
    target: Vec<Part>,
    /// From the space after the target to the end of the headers, but for Cookie and
    /// Content-Length.
    headers: Vec<Part>,
    /// The plan's own Cookie header, to which the jar's cookies are added.
    cookie: Vec<Part>,
    /// Content-Length, the empty line, the body.
    tail: Tail,
    /// Draws from the feeds that are needed.
    draws: Vec<GroupId>,
    /// Whether a redirect may have to send it again.
    leaves_trail: bool,
}

enum Tail {
    Fixed(Box<[u8]>),
    /// A body with holes; whether its length is ours to announce.
    Filled(Vec<Part>, bool),
    /// The message of a gRPC call; frames say how long it is.
    Message(Mould),
}

/// Sources that a composition may use, apart from the recipe.
pub(super) struct Kitchen<'a> {
    pub(super) feeds: &'a mut Feeds,
    /// For the body, whose length is announced before it.
    pub(super) room: &'a mut Vec<u8>,
    /// The server, as cookies see it.
    pub(super) site: &'a Site,
    pub(super) now_ns: u64,
    /// Names of the variables, if one without a value is to be shown by its name.
    pub(super) shows: Option<&'a [String]>,
}

impl Recipe {
    /// Compiles the request of the route at `place` (its JSON path).
    ///
    /// message: the type of the message, if it is a gRPC call.
    pub(super) fn compile(
        route: &config::Route,
        message: Option<&MessageDescriptor>,
        place: &str,
        names: &dyn Names,
    ) -> Result<Self, Refusal> {
        if !is_token(&route.method) {
            return Err(Refusal::new(
                "engine.header",
                format!("{} is no method", quoted(&route.method)),
                format!("{place}.method"),
                "write a method such as GET or POST",
            )
            .worded("no_method", [("method", quoted(&route.method))]));
        }
        let mut headers = PartList::default();
        headers.text(b" HTTP/1.1\r\n");
        let mut cookie = Vec::new();
        let mut content_type = String::new();
        let mut announces = true;
        for (n, (name, value)) in route.headers.iter().enumerate() {
            let place = format!("{place}.headers[{n}]");
            if !is_token(name) {
                return Err(Refusal::new(
                    "engine.header",
                    format!("{} is no name of a header", quoted(name)),
                    place,
                    "use letters, digits and - only",
                )
                .worded("no_header_name", [("name", quoted(name))]));
            }
            announces &= !is_any_of(name, &["content-length", "transfer-encoding"]);
            if name.eq_ignore_ascii_case("content-type") {
                content_type.clone_from(value);
            }
            let filled = header_value(value, &place, names)?;
            if name.eq_ignore_ascii_case("cookie") {
                cookie = filled.parts;
                continue;
            }
            headers.text(name.as_bytes());
            headers.text(b": ");
            headers.append(filled);
            headers.text(b"\r\n");
        }
        if route.protocol == RouteProtocol::WebSocket {
            headers.text(upgrade::FIELDS);
            announces = false;
        }
        let target = target(&route.target, &format!("{place}.target"), names)?;
        let body_place = format!("{place}.body");
        let tail = match message {
            Some(message) => Tail::Message(mould(route, message, &body_place, names)?),
            None => tail(route, &content_type, announces, &body_place, names)?,
        };
        let mut recipe = Self {
            whole: None,
            method: format!("{} ", route.method).into_bytes().into(),
            target: target.parts,
            headers: headers.parts,
            cookie,
            tail,
            draws: Vec::new(),
            leaves_trail: route.redirects > 0,
        };
        recipe.draws = recipe.groups();
        recipe.whole = recipe.fixed();
        Ok(recipe)
    }

    /// Appends the request to `out`.
    pub(super) fn compose(&self, user: &mut User, walk: &mut Walk, kitchen: Kitchen<'_>, out: &mut Vec<u8>) {
        let Kitchen { feeds, room, site, now_ns, shows } = kitchen;
        let is_shown = shows.is_some();
        if let Some(whole) = self.whole.as_ref().filter(|_| user.jar.is_empty() && !is_shown) {
            out.extend_from_slice(whole);
            return;
        }
        for group in &self.draws {
            feeds.draw(*group, user, walk);
        }
        let mut filler = Filler { feeds, user, unset: None, shows };
        walk.target.clear();
        filler.fill(&self.target, &mut walk.target);
        out.extend_from_slice(&self.method);
        out.extend_from_slice(&walk.target);
        let headers_start = out.len();
        filler.fill(&self.headers, out);
        let headers_end = out.len();
        room.clear();
        filler.fill(&self.cookie, room);
        put_cookies(filler.user, site, &walk.target, now_ns, room, out);
        if self.leaves_trail {
            let trail = walk.trail.get_or_insert_default();
            trail.begin(&self.method, &out[headers_start..headers_end], room);
        }
        let tail_start = out.len();
        match &self.tail {
            Tail::Fixed(tail) => out.extend_from_slice(tail),
            Tail::Filled(body, announces) => {
                room.clear();
                filler.fill(body, room);
                if *announces {
                    // Writing into a Vec cannot fail.
                    let _ = write!(out, "Content-Length: {}\r\n", room.len());
                }
                out.extend_from_slice(b"\r\n");
                out.extend_from_slice(room);
            }
            Tail::Message(mould) => {
                out.extend_from_slice(b"\r\n");
                if is_shown {
                    filler.fill(mould.json(), out);
                } else {
                    walk.unmade = mould.put(&mut filler, out).err();
                }
            }
        }
        walk.unset = filler.unset;
        if let Some(trail) = walk.trail.as_mut().filter(|_| self.leaves_trail) {
            trail.keep_tail(&out[tail_start..]);
        }
    }

    /// Whether the walk knows what was sent, for redirects; then it knows the target, too.
    pub(super) fn leaves_trail(&self) -> bool {
        self.leaves_trail
    }

    /// The target, if it has no holes.
    pub(super) fn fixed_target(&self) -> Option<&[u8]> {
        match self.target.as_slice() {
            [Part::Bytes(target)] => Some(target),
            _ => None,
        }
    }

    /// Fills the message of a gRPC call with the first values of the feeds, to see whether they fit.
    pub(super) fn try_out(&self, feeds: &mut Feeds, user: &mut User) -> Result<(), Misfit> {
        let Tail::Message(mould) = &self.tail else {
            return Ok(());
        };
        for group in &self.draws {
            feeds.draw(*group, user, &mut Walk::default());
        }
        mould.try_out(feeds, user)
    }

    /// Draws what holds for the whole loop.
    pub(super) fn hold(&self, feeds: &mut Feeds, user: &mut User, walk: &mut Walk) {
        for group in &self.draws {
            if feeds.is_of_loop(*group) {
                feeds.draw(*group, user, walk);
            }
        }
    }

    fn groups(&self) -> Vec<GroupId> {
        let body: &[Part] = match &self.tail {
            Tail::Fixed(_) => &[],
            Tail::Filled(body, _) => body,
            Tail::Message(mould) => mould.json(),
        };
        let parts = self.target.iter().chain(&self.headers).chain(&self.cookie).chain(body);
        let mut groups = Vec::new();
        for part in parts {
            if let Part::Hole(HoleSource::Feed(_, group), _) = part {
                if !groups.contains(group) {
                    groups.push(*group);
                }
            }
        }
        groups
    }

    fn fixed(&self) -> Option<Box<[u8]>> {
        let target = self.fixed_target()?;
        let [Part::Bytes(headers)] = self.headers.as_slice() else {
            return None;
        };
        let of_message;
        let tail = match &self.tail {
            Tail::Fixed(tail) => tail.as_ref(),
            Tail::Message(mould) => {
                of_message = [b"\r\n".as_slice(), &mould.fixed()?].concat();
                &of_message
            }
            Tail::Filled(..) => return None,
        };
        if !self.cookie.is_empty() || self.leaves_trail {
            return None;
        }
        Some([&self.method, target, headers, tail].concat().into())
    }
}

/// Appends the Cookie header, if there is anything to send: the plan's own cookies, then the jar's.
pub(super) fn put_cookies(
    user: &User,
    site: &Site,
    target: &[u8],
    now_ns: u64,
    own: &[u8],
    out: &mut Vec<u8>,
) {
    let start = out.len();
    out.extend_from_slice(b"Cookie: ");
    out.extend_from_slice(own);
    if !own.is_empty() && !user.jar.is_empty() {
        out.extend_from_slice(b"; ");
    }
    if user.jar.put(site, target, now_ns, out) {
        out.extend_from_slice(b"\r\n");
    } else if own.is_empty() {
        out.truncate(start);
    } else {
        out.truncate(start + b"Cookie: ".len() + own.len());
        out.extend_from_slice(b"\r\n");
    }
}

fn target(template: &str, place: &str, names: &dyn Names) -> Result<PartList, Refusal> {
    let mut list = PartList::of(template, Place::Target, place, names)?;
    let wrong = |mend: String| {
        let what = format!("{} is no target of a request", quoted(template));
        Refusal::new("engine.target", what, place, mend)
    };
    match list.parts.first_mut() {
        Some(Part::Hole(_, hole_place)) => *hole_place = Place::TargetStart,
        Some(Part::Bytes(text)) if text.starts_with(b"/") || **text == *b"*" => {}
        _ => {
            return Err(wrong("begin it with a slash".to_owned())
                .worded("target_without_slash", [("target", quoted(template))]));
        }
    }
    for part in &list.parts {
        let Part::Bytes(text) = part else { continue };
        let text = String::from_utf8_lossy(text);
        let mended = mended_target(&text);
        if mended != text {
            return Err(wrong(format!("write {} instead of {}", quoted(&mended), quoted(&text))).worded(
                "wrong_target",
                [("target", quoted(template)), ("mended", quoted(&mended)), ("part", quoted(&text))],
            ));
        }
    }
    Ok(list)
}

fn header_value(template: &str, place: &str, names: &dyn Names) -> Result<PartList, Refusal> {
    if !template.bytes().all(may_stand_in_a_header) {
        return Err(Refusal::new(
            "engine.header",
            format!("{} has a control character", quoted(template)),
            place,
            "take line breaks out of the header",
        )
        .worded("control_in_header", [("text", quoted(template))]));
    }
    PartList::of(template, Place::Header, place, names)
}

fn tail(
    route: &config::Route,
    content_type: &str,
    announces: bool,
    place: &str,
    names: &dyn Names,
) -> Result<Tail, Refusal> {
    let body = match &route.body {
        // RFC 9110, section 8.6: a method that has a use for a body announces that there is none.
        None if is_any_of(&route.method, &["POST", "PUT", "PATCH"]) => PartList::default(),
        None => return Ok(Tail::Fixed(b"\r\n".as_slice().into())),
        Some(Body::Text(template)) => PartList::of(template, body_place(content_type), place, names)?,
        Some(Body::Bytes(bytes)) => {
            let bytes = BASE64.decode(&bytes.base64).map_err(|error| {
                Refusal::config(format!("the body is not base64: {error}"), format!("{place}.base64"))
            })?;
            let mut list = PartList::default();
            list.text(&bytes);
            list
        }
    };
    let fixed = match body.parts.as_slice() {
        [] => &[],
        [Part::Bytes(body)] => body.as_ref(),
        _ => return Ok(Tail::Filled(body.parts, announces)),
    };
    let mut tail = Vec::new();
    if announces {
        tail.extend_from_slice(format!("Content-Length: {}\r\n", fixed.len()).as_bytes());
    }
    tail.extend_from_slice(b"\r\n");
    tail.extend_from_slice(fixed);
    Ok(Tail::Fixed(tail.into()))
}

fn mould(
    route: &config::Route,
    message: &MessageDescriptor,
    place: &str,
    names: &dyn Names,
) -> Result<Mould, Refusal> {
    match &route.body {
        Some(Body::Text(template)) => Mould::compile(template, message, place, names),
        // No body is a message without fields; a checked config has no bytes here.
        _ => Mould::compile("{{}}", message, place, names),
    }
}

/// Encoding of values by a body's type.
fn body_place(content_type: &str) -> Place {
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if essence == "application/x-www-form-urlencoded" {
        Place::Form
    } else if essence.ends_with("/json") || essence.ends_with("+json") {
        Place::Json
    } else {
        Place::Plain
    }
}

/// RFC 9110, section 5.6.2.
fn is_token(text: &str) -> bool {
    let is_tchar = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_tchar)
}

fn is_any_of(name: &str, names: &[&str]) -> bool {
    names.iter().any(|other| name.eq_ignore_ascii_case(other))
}
