//! Checks that the config's shape cannot make: ranges, indices, choices of exactly one.

use super::{
    Arrivals, Body, EngineConfig, Extract, Feed, Point, Protocol, Refusal, Route, RouteClass, RouteProtocol,
    Scheme, Server, Think, VERSION, ValueCheck,
};

type Checked = Result<(), Refusal>;

/// All checks, in the order of the config.
pub(super) fn check(config: &EngineConfig) -> Checked {
    if config.version != VERSION {
        let what = format!("the config has version {}, this engine reads {VERSION}", config.version);
        return Err(Refusal::config(what, "version"));
    }
    let part = config.part;
    holds(part.index < part.of, "part", &format!("there is no part {} of {}", part.index, part.of))?;
    holds(config.threads >= 1, "threads", "there must be at least 1 thread")?;
    server(&config.server, "server")?;
    for (n, further) in config.further_servers.iter().enumerate() {
        server(further, &format!("further_servers[{n}]"))?;
    }
    holds(config.connections.most >= 1, "connections.most", "there must be at least 1 connection")?;
    enough_for_all(config)?;
    holds(config.connections.streams >= 1, "connections.streams", "there must be at least 1 stream")?;
    holds(
        config.connections.streams == 1 || config.connections.protocol == Protocol::Http2,
        "connections.streams",
        "only HTTP/2 has more than one stream on a connection",
    )?;
    arrivals(config)?;
    resume(config)?;
    not_negative(config.level_most.unwrap_or(0.0), "level_most")?;
    positive(config.stop.after_s, "stop.after_s")?;
    positive(config.timeouts.request_s, "timeouts.request_s")?;
    positive(config.timeouts.connect_s, "timeouts.connect_s")?;
    not_negative(config.timeouts.drain_s, "timeouts.drain_s")?;
    positive(config.frame_s, "frame_s")?;
    holds(
        config.cache.is_none_or(|cache| cache.entries >= 1),
        "cache.entries",
        "a cache without entries keeps nothing: leave it out",
    )?;
    feeds(config)?;
    routes(config)?;
    scenarios(config)?;
    login(config)?;
    think(config.think, "think")
}

fn holds(claim: bool, place: &str, what: &str) -> Checked {
    if claim { Ok(()) } else { Err(Refusal::config(what, place)) }
}

/// Refuses a load with fewer connections than generators: one of them could send nothing.
fn enough_for_all(config: &EngineConfig) -> Checked {
    let (most, of) = (config.connections.most, config.part.of);
    if most >= of {
        return Ok(());
    }
    Err(Refusal::new(
        "engine.fleet-too-large",
        format!("the load has {most} connections, but there are {of} generators"),
        "connections.most",
        "give it a connection for each generator, or have fewer generators",
    )
    .worded("fleet_too_large", [("connections", most.to_string()), ("generators", of.to_string())]))
}

/// Refuses to take over a load whose due times depend on what was answered, or whose end on what was sent.
fn resume(config: &EngineConfig) -> Checked {
    let Some(resume_s) = config.resume_s else { return Ok(()) };
    not_negative(resume_s, "resume_s")?;
    let is_open = matches!(config.arrivals, Arrivals::Rate { .. } | Arrivals::Replay { .. });
    holds(is_open, "resume_s", "only an open load can be taken over")?;
    holds(config.stop.requests.is_none(), "resume_s", "a load with a limit of requests cannot be taken over")
}

fn positive(value: f64, place: &str) -> Checked {
    holds(value.is_finite() && value > 0.0, place, &format!("{value} is not above 0"))
}

fn not_negative(value: f64, place: &str) -> Checked {
    holds(value.is_finite() && value >= 0.0, place, &format!("{value} is below 0"))
}

fn server(server: &Server, place: &str) -> Checked {
    holds(
        server.unix.is_some() || !server.addresses.is_empty(),
        &format!("{place}.addresses"),
        "there is neither an address nor a Unix socket",
    )?;
    holds(
        server.tls.is_some() == (server.scheme == Scheme::Https),
        &format!("{place}.tls"),
        "tls must be given for https, and only for https",
    )
}

fn arrivals(config: &EngineConfig) -> Checked {
    match &config.arrivals {
        Arrivals::Users { line: points, loops } => {
            line(points, "arrivals.users.line")?;
            holds(*loops != Some(0), "arrivals.users.loops", "0 loops would send nothing")
        }
        Arrivals::Rate { line: points, identities, .. } => {
            line(points, "arrivals.rate.line")?;
            holds(*identities >= 1, "arrivals.rate.identities", "there must be at least 1 identity")
        }
        Arrivals::Sessions { line: points, loops, stay, .. } => {
            line(points, "arrivals.sessions.line")?;
            holds(
                loops.is_some() != stay.is_some(),
                "arrivals.sessions",
                "exactly one of loops and stay must be given",
            )?;
            holds(*loops != Some(0), "arrivals.sessions.loops", "0 loops would send nothing")?;
            holds(
                stay.is_none_or(|stay| (0.0..1.0).contains(&stay)),
                "arrivals.sessions.stay",
                "stay must be at least 0 and below 1, else a session never ends",
            )
        }
        Arrivals::Replay { times_s, scenarios } => {
            for (n, pair) in times_s.windows(2).enumerate() {
                let place = format!("arrivals.replay.times_s[{}]", n + 1);
                holds(pair[0] <= pair[1], &place, "a time lies before the one ahead of it")?;
            }
            for (n, time) in times_s.iter().enumerate() {
                not_negative(*time, &format!("arrivals.replay.times_s[{n}]"))?;
            }
            dealt(scenarios.as_deref(), times_s.len(), config.scenarios.len())
        }
    }
}

/// Refuses scenarios of a replay that are not one for each time, or that there are not.
fn dealt(scenarios: Option<&[u32]>, times: usize, count: usize) -> Checked {
    let Some(scenarios) = scenarios else { return Ok(()) };
    let place = "arrivals.replay.scenarios";
    holds(scenarios.len() == times, place, "there must be a scenario for each time")?;
    for (n, scenario) in scenarios.iter().enumerate() {
        let is_there = usize::try_from(*scenario).is_ok_and(|scenario| scenario < count);
        holds(is_there, &format!("{place}[{n}]"), &format!("there is no scenario {scenario}"))?;
    }
    Ok(())
}

fn line(points: &[Point], place: &str) -> Checked {
    holds(!points.is_empty(), place, "a line needs at least one point")?;
    for (n, point) in points.iter().enumerate() {
        let place = format!("{place}[{n}]");
        not_negative(point.t_s, &place)?;
        not_negative(point.level, &place)?;
        holds(n == 0 || points[n - 1].t_s <= point.t_s, &place, "a time lies before the one ahead of it")?;
    }
    Ok(())
}

fn feeds(config: &EngineConfig) -> Checked {
    for (n, feed) in config.feeds.iter().enumerate() {
        let place = format!("feeds[{n}]");
        let given = [feed.values.is_some(), feed.counter.is_some(), feed.random.is_some()];
        holds(
            given.iter().filter(|given| **given).count() == 1,
            &place,
            "a feed has exactly one of values, counter and random",
        )?;
        if let Some((low, high)) = feed.random {
            holds(low <= high, &place, &format!("random from {low} to {high} has no number in it"))?;
        }
        holds(
            config.feeds[..n].iter().all(|other| other.name != feed.name),
            &place,
            &format!("there are two feeds {:?}", feed.name),
        )?;
        for other in &config.feeds[..n] {
            if feed.row_of.is_none() || other.row_of != feed.row_of {
                continue;
            }
            let rows = |feed: &Feed| feed.values.as_ref().map(|values| values.len());
            holds(
                rows(other).is_some() && rows(other) == rows(feed),
                &place,
                &format!("{:?} and {:?} are not columns of one table", other.name, feed.name),
            )?;
            holds(
                (other.order, other.per) == (feed.order, feed.per),
                &place,
                &format!("{:?} and {:?} are columns of one table in two orders", other.name, feed.name),
            )?;
        }
    }
    Ok(())
}

fn routes(config: &EngineConfig) -> Checked {
    holds(!config.routes.is_empty(), "routes", "there is no route")?;
    holds(u16::try_from(config.routes.len()).is_ok(), "routes", "there are more than 65,535 routes")?;
    for (n, route) in config.routes.iter().enumerate() {
        let place = format!("routes[{n}]");
        holds(
            config.routes[..n].iter().all(|other| other.name != route.name),
            &format!("{place}.name"),
            &format!("there are two routes {:?}", route.name),
        )?;
        let has_server = route.server <= config.further_servers.len();
        holds(has_server, &format!("{place}.server"), &format!("there is no server {}", route.server))?;
        protocol(config, route, &place)?;
        if let Some(timeout) = route.timeout_s {
            positive(timeout, &format!("{place}.timeout_s"))?;
        }
        if let Some(time) = route.expect.time_s {
            positive(time, &format!("{place}.expect.time_s"))?;
        }
        values(route, &place)?;
        for (m, extract) in route.extract.iter().enumerate() {
            let place = format!("{place}.extract[{m}]");
            holds(!extract.into.is_empty(), &format!("{place}.into"), "a variable must be named")?;
            one_source(extract, &place)?;
        }
        if let Some(pause) = route.think {
            think(pause, &format!("{place}.think"))?;
        }
    }
    Ok(())
}

fn values(route: &Route, place: &str) -> Checked {
    for (n, check) in route.expect.values.iter().enumerate() {
        let place = format!("{place}.expect.values[{n}]");
        value(check, &place)?;
        for (m, other) in check.alternatives.iter().enumerate() {
            let place = format!("{place}.alternatives[{m}]");
            value(other, &place)?;
            holds(other.alternatives.is_empty(), &place, "an alternative has no others of its own")?;
        }
    }
    Ok(())
}

fn value(check: &ValueCheck, place: &str) -> Checked {
    let place = format!("{place}.at");
    one_source(&check.at, &place)?;
    holds(check.at.part.is_none(), &place, "the status is checked by itself")
}

fn protocol(config: &EngineConfig, route: &Route, place: &str) -> Checked {
    let method = match route.protocol {
        RouteProtocol::Http => None,
        RouteProtocol::WebSocket => Some("GET"),
        RouteProtocol::Grpc => Some("POST"),
    };
    if let Some(method) = method {
        let what = format!("this protocol asks by {method}, not by {}", route.method);
        holds(route.method == method, &format!("{place}.method"), &what)?;
        let what = "this protocol knows no redirects";
        holds(route.redirects == 0, &format!("{place}.redirects"), what)?;
    }
    let is_websocket = route.protocol == RouteProtocol::WebSocket;
    holds(
        !is_websocket || route.expect.status.is_empty(),
        &format!("{place}.expect.status"),
        "a message over a WebSocket has no status",
    )?;
    holds(
        !is_websocket || route.extract.iter().all(|extract| extract.part.is_none()),
        &format!("{place}.extract"),
        "a message over a WebSocket has no status to be taken",
    )?;
    let is_grpc = route.protocol == RouteProtocol::Grpc;
    holds(
        route.messages.is_some() == is_grpc,
        &format!("{place}.messages"),
        "messages must be given for grpc, and only for grpc",
    )?;
    holds(
        !is_grpc || config.connections.protocol == Protocol::Http2,
        "connections.protocol",
        "a grpc route is asked over HTTP/2",
    )?;
    holds(config.protos.is_some() || !is_grpc, "protos", "a grpc route needs the types of its messages")?;
    holds(
        !(is_grpc && matches!(route.body, Some(Body::Bytes(_)))),
        &format!("{place}.body"),
        "the message of a grpc route is a JSON text",
    )
}

fn one_source(extract: &Extract, place: &str) -> Checked {
    holds(
        extract.places().iter().filter(|source| source.is_some()).count()
            + usize::from(extract.part.is_some())
            == 1,
        place,
        "exactly one of json, regex, header, cookie, css and part must be given",
    )?;
    holds(
        extract.attribute.is_none() || extract.css.is_some(),
        &format!("{place}.attribute"),
        "only an element that css selects has attributes",
    )?;
    holds(
        extract.nth.is_none() || extract.css.is_some() || extract.regex.is_some(),
        &format!("{place}.match"),
        "only regex and css have several matches",
    )
}

fn scenarios(config: &EngineConfig) -> Checked {
    for (n, scenario) in config.scenarios.iter().enumerate() {
        let place = format!("scenarios[{n}]");
        not_negative(scenario.weight, &format!("{place}.weight"))?;
        holds(!scenario.steps.is_empty(), &format!("{place}.steps"), "a scenario needs a step")?;
        for (m, step) in scenario.steps.iter().enumerate() {
            let place = format!("{place}.steps[{m}]");
            let route = config.routes.get(*step);
            holds(route.is_some(), &place, &format!("there is no route {step}"))?;
            holds(
                route.is_none_or(|route| route.class == RouteClass::Service),
                &place,
                "a login route cannot be a step: it comes by itself when a token is needed",
            )?;
        }
    }
    beside(config)?;
    passages(config)?;
    let weights: f64 = config.scenarios.iter().map(|scenario| scenario.weight).sum();
    holds(weights > 0.0 && weights.is_finite(), "scenarios", "the weights add up to nothing")
}

/// Refuses a step that is to be sent at once with none before it, or while there is a `WebSocket`, which is
/// one visitor's.
fn beside(config: &EngineConfig) -> Checked {
    let has_sockets = config.routes.iter().any(|route| route.protocol == RouteProtocol::WebSocket);
    for (n, scenario) in config.scenarios.iter().enumerate() {
        for (m, step) in scenario.beside.iter().enumerate() {
            let place = format!("scenarios[{n}].beside[{m}]");
            let is_later = m == 0 || scenario.beside[m - 1] < *step;
            let fits = (1..scenario.steps.len()).contains(step) && is_later && !has_sockets;
            holds(fits, &place, &format!("step {step} cannot be sent at once with one before it"))?;
        }
    }
    Ok(())
}

/// Refuses passages that are in each other by half, that part steps which are sent at once, or that may leave
/// nothing of a scenario.
fn passages(config: &EngineConfig) -> Checked {
    for (n, scenario) in config.scenarios.iter().enumerate() {
        for (m, passage) in scenario.passages.iter().enumerate() {
            let place = format!("scenarios[{n}].passages[{m}]");
            let is_there = passage.first <= passage.last && passage.last < scenario.steps.len();
            holds(is_there, &place, "there are no such steps")?;
            let is_apart =
                [passage.first, passage.last + 1].iter().all(|step| !scenario.beside.contains(step));
            holds(is_apart, &place, "it parts steps that are sent at once")?;
            let crosses = scenario.passages[..m].iter().any(|other| {
                let (first, second) =
                    if other.first <= passage.first { (other, passage) } else { (passage, other) };
                let begins_within = first.first < second.first && second.first <= first.last;
                begins_within && second.last > first.last
            });
            holds(!crosses, &place, "it is in another passage by half")?;
            let again = passage.again.as_ref();
            holds(
                again.is_none_or(|again| again.most >= 1),
                &format!("{place}.again.most"),
                "0 rounds at most",
            )?;
        }
        let is_sure = (0..scenario.steps.len()).any(|step| {
            let passages = scenario.passages.iter().filter(|passage| passage.enter.is_some());
            !passages.into_iter().any(|passage| (passage.first..=passage.last).contains(&step))
        });
        holds(is_sure, &format!("scenarios[{n}].passages"), "a scenario needs a step that is always made")?;
    }
    Ok(())
}

fn login(config: &EngineConfig) -> Checked {
    let Some(login) = &config.login else {
        return Ok(());
    };
    let route = config.routes.get(login.route);
    holds(
        route.is_some_and(|route| route.class == RouteClass::Login),
        "login.route",
        &format!("route {} is not of the class login", login.route),
    )?;
    if let Some(lasts) = login.lasts_s {
        positive(lasts, "login.lasts_s")?;
    }
    holds(
        (0.0..=1.0).contains(&login.jitter),
        "login.jitter",
        &format!("{} is no share of a life, 0 to 1", login.jitter),
    )?;
    match &login.lasts_from {
        Some(from) => one_source(from, "login.lasts_from"),
        None => Ok(()),
    }
}

fn think(think: Think, place: &str) -> Checked {
    match think {
        Think::Constant(seconds) | Think::Exponential(seconds) => not_negative(seconds, place),
        Think::Uniform(low, high) => {
            not_negative(low, place)?;
            not_negative(high, place)?;
            holds(low <= high, place, "the shorter time comes first")
        }
    }
}
