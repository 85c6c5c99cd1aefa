//! The compiled scenarios of one shard: the door to this room.

use super::cache::{CacheRules, Caching};
use super::check::Checks;
use super::compose::{Kitchen, Recipe};
use super::cookies::Site;
use super::extract::Source;
use super::feed::Feeds;
use super::grpc::{Protos, Reply};
use super::login::Need;
use super::names::{self, Scope};
use super::passage::Passages;
use super::redirect::Origins;
use super::scenario::{Pause, Scenarios};
use super::upgrade;
use super::user::{User, VariableId, Walk};
use super::worth::Worth;
use super::{Answer, Next, RedirectError, Route, RouteId};
use crate::config::{
    AnswerPart, Arrivals, Body, EngineConfig, Refusal, RouteClass, RouteProtocol, Scheme, Server,
};
use loadrig_core::clock::{Clock as _, Monotonic};
use loadrig_core::outcome::Outcome;
use loadrig_core::schedule::Shard;
use loadrig_core::units::ns_from_s;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// The compiled scenarios of one shard (thread).
pub struct Book {
    pub(super) routes: Vec<Route>,
    pub(super) plans: Vec<RoutePlan>,
    pub(super) login: Option<LoginPlan>,
    /// The servers by their numbers, as cookies see them.
    pub(super) sites: Vec<Site>,
    origins: Origins,
    pub(super) keeps_cookies: bool,
    /// None where users have no cache.
    pub(super) cache: Option<CacheRules>,
    /// Names of the variables.
    pub(super) names: Vec<String>,
    /// Values of the plan that no detail quotes.
    pub(super) withheld: Vec<String>,
    /// Details given so far, by route and outcome.
    pub(super) told: Vec<[u8; Outcome::COUNT]>,
    /// Buffer in which bodies are inflated.
    pub(super) inflating: Vec<u8>,
    /// The latest instant that we were told; cookies end by it.
    pub(super) now_ns: u64,
    scenarios: Scenarios,
    /// Passages of each scenario.
    passages: Vec<Passages>,
    /// Scenario of each arrival by its number, where the load says it.
    dealt: Option<Arc<[u32]>>,
    feeds: Feeds,
    pause: Pause,
    seed: u64,
    filling: Vec<u8>,
}

/// Content of a [`Route`].
pub(super) struct RoutePlan {
    pub(super) recipe: Recipe,
    /// Checks of the answer of a gRPC call.
    pub(super) reply: Option<Reply>,
    pub(super) checks: Checks,
    pub(super) extractions: Vec<(VariableId, Source)>,
    pub(super) caching: Caching,
    statuses: Vec<StatusVariable>,
    pause: Option<Pause>,
}

/// Variable that holds the status of an answer, and its value where no answer came.
struct StatusVariable {
    variable: VariableId,
    default: Option<String>,
}

/// Login by which a token is got, and how long the token is good.
pub(super) struct LoginPlan {
    pub(super) route: RouteId,
    pub(super) lasts_ns: Option<u64>,
    pub(super) lasts_from: Option<Source>,
    pub(super) jitter: f64,
    pub(super) again_on: Vec<u16>,
}

impl Book {
    /// Compiles a checked config for this shard.
    ///
    /// Refuses templates, expressions and feeds that make no sense, with their JSON path.
    pub fn compile(config: &EngineConfig, shard: Shard) -> Result<Self, Refusal> {
        let feeds = Feeds::compile(config, shard)?;
        let names = names::variables(config, &feeds)?;
        let scope = Scope::new(&feeds, &names);
        let protos = Protos::compile(config)?;
        let mut plans = Vec::new();
        for (n, route) in config.routes.iter().enumerate() {
            let place = format!("routes[{n}]");
            let (mut extractions, mut statuses) = (Vec::new(), Vec::new());
            for (m, extract) in route.extract.iter().enumerate() {
                if let Some(AnswerPart::Status) = extract.part {
                    let variable = scope.variable(&extract.into);
                    let default = extract.default.clone();
                    statuses.extend(variable.map(|variable| StatusVariable { variable, default }));
                    continue;
                }
                let source = Source::of(extract, &format!("{place}.extract[{m}]"))?;
                // Every name of an extraction is among the variables.
                extractions.extend(scope.variable(&extract.into).map(|variable| (variable, source)));
            }
            let call = protos.call(route, &place)?;
            let request = call.as_ref().map(|call| &call.request);
            plans.push(RoutePlan {
                recipe: Recipe::compile(route, request, &place, &scope)?,
                reply: call.map(|call| Reply::new(call.reply, &route.expect.status)),
                checks: Checks::compile(&route.expect, &format!("{place}.expect"))?,
                extractions,
                caching: if config.cache.is_some() { Caching::of(route) } else { Caching::Off },
                statuses,
                pause: route.think.map(Pause::of),
            });
        }
        try_out(config, &plans, names.len())?;
        let scenarios = config.scenarios.iter().enumerate();
        let passages =
            scenarios.map(|(n, scenario)| Passages::compile(scenario, &format!("scenarios[{n}]"), &scope));
        let passages = passages.collect::<Result<_, _>>()?;
        let login = login(config)?;
        let routes = config.routes.iter().zip(&plans).enumerate().map(|(n, (route, plan))| {
            let is_login = login.as_ref().filter(|login| login.route == RouteId::of(n));
            let life = is_login.and_then(|login| login.lasts_from.as_ref());
            let mut sources = plan.extractions.iter().map(|(_, source)| source).chain(life);
            Route {
                name: route.name.clone(),
                class: route.class,
                server: route.server,
                protocol: route.protocol,
                is_text: !matches!(route.body, Some(Body::Bytes(_))),
                timeout_ns: route.timeout_s.map(ns_from_s),
                redirects: route.redirects,
                keeps_body: plan.checks.needs_body() || sources.any(Source::needs_body),
                is_head: route.method == "HEAD",
            }
        });
        let routes: Vec<Route> = routes.collect();
        for (plan, route) in plans.iter_mut().zip(&routes) {
            plan.reply.iter_mut().for_each(|reply| reply.is_looked_at = route.keeps_body);
        }
        let now_ns = Monotonic.now_ns();
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let wall_s = i64::try_from(wall.as_secs()).unwrap_or(i64::MAX);
        let wall_ahead_ns =
            i64::try_from(wall.as_nanos()).unwrap_or(i64::MAX).saturating_sub_unsigned(now_ns);
        let site = |server: &Server| Site::new(&server.host, server.scheme == Scheme::Https, wall_s, now_ns);
        Ok(Self {
            told: vec![[0; Outcome::COUNT]; routes.len()],
            routes,
            plans,
            login,
            sites: config.servers().map(site).collect(),
            origins: Origins::new(config),
            keeps_cookies: config.cookies,
            cache: config.cache.map(|cache| CacheRules::new(cache, wall_ahead_ns)),
            names,
            withheld: config.withheld.clone(),
            inflating: Vec::new(),
            now_ns,
            scenarios: Scenarios::compile(&config.scenarios),
            passages,
            dealt: match &config.arrivals {
                Arrivals::Replay { scenarios, .. } => scenarios.clone(),
                Arrivals::Users { .. } | Arrivals::Rate { .. } | Arrivals::Sessions { .. } => None,
            },
            feeds,
            pause: Pause::of(config.think),
            seed: config.seed,
            filling: Vec::new(),
        })
    }

    /// All routes; a [`RouteId`] is an index into them.
    #[must_use]
    pub fn routes(&self) -> &[Route] {
        &self.routes
    }

    /// A new user. `index` counts over all shards: it decides which values of a `unique` feed
    /// are the user's, what it picks and how long it thinks, and fills the hole `{user}`.
    #[must_use]
    pub fn new_user(&self, index: u64) -> User {
        let mut user = User::new(self.seed, index, self.names.len());
        user.cache = self.new_cache();
        user
    }

    /// Starts the first loop of the arrival with this number through a scenario.
    pub fn begin(&mut self, user: &mut User, arrival: u64) -> Walk {
        let mut walk = Walk::default();
        self.come(user, &mut walk, arrival);
        walk
    }

    /// As [`Book::begin`], but in a walk that is there already, keeping its memory.
    pub fn come(&mut self, user: &mut User, walk: &mut Walk, arrival: u64) {
        walk.arrival = arrival;
        walk.has_failed = false;
        self.again(user, walk);
    }

    /// Starts another loop: through the scenario that the load says for the arrival, else one picked by weight.
    pub fn again(&mut self, user: &mut User, walk: &mut Walk) {
        walk.scenario = self.dealt(walk.arrival).unwrap_or_else(|| self.scenarios.pick(&mut user.picks));
        walk.position = 0;
        walk.made = 0;
        walk.reused = 0;
        walk.is_settled = false;
        walk.rounds.clear();
        walk.until = None;
        walk.held.clear();
        self.renew_cache(user);
    }

    fn dealt(&self, arrival: u64) -> Option<usize> {
        let scenario = self.dealt.as_ref()?.get(usize::try_from(arrival).ok()?)?;
        usize::try_from(*scenario).ok()
    }

    /// The walk's next request. A login comes first when the user has no good token.
    pub fn next(&mut self, user: &mut User, walk: &mut Walk, now_ns: u64) -> Next {
        self.now_ns = now_ns;
        self.settle(user, walk);
        let Some(route) = self.steps(walk).get(walk.position) else {
            return Next::Done;
        };
        if let Some(login) = &self.login {
            match user.token.need(now_ns) {
                Need::Nothing => {}
                Need::Patience => return Next::Wait,
                Need::Login => {
                    user.token.ask();
                    return Next::Request(login.route);
                }
            }
        }
        let route = *route;
        walk.position += 1;
        walk.made += 1;
        walk.is_settled = false;
        Next::Request(route)
    }

    /// Whether the walk has no further request: then [`Book::next`] would say [`Next::Done`]. What it makes next
    /// is decided here, by the answers so far.
    #[must_use]
    pub fn is_through(&self, user: &User, walk: &mut Walk) -> bool {
        self.settle(user, walk);
        walk.position >= self.steps(walk).len()
    }

    fn settle(&self, user: &User, walk: &mut Walk) {
        if !walk.is_settled && walk.until.is_none() {
            self.passages[walk.scenario].settle(user, walk);
            walk.is_settled = true;
        }
    }

    /// A walk of its own for the step that is sent at once with the walk's latest, which is then behind the
    /// walk; none where the next step waits for the answer. Both have the same values of the loop.
    pub fn beside(&mut self, user: &mut User, walk: &mut Walk) -> Option<Walk> {
        let (scenario, position) = (walk.scenario, walk.position);
        if walk.until.is_some() || !self.scenarios.is_beside(scenario, position) {
            return None;
        }
        for route in &self.scenarios.steps(scenario)[position.saturating_sub(1)..=position] {
            self.plans[route.index()].recipe.hold(&mut self.feeds, user, walk);
        }
        walk.position += 1;
        let held = walk.held.clone();
        let arrival = walk.arrival;
        Some(Walk { arrival, scenario, position, until: Some(position + 1), held, ..Walk::default() })
    }

    /// The latest step of a walk.
    #[must_use]
    pub fn latest(&self, walk: &Walk) -> Option<RouteId> {
        self.steps(walk).get(walk.position.checked_sub(1)?).copied()
    }

    fn steps(&self, walk: &Walk) -> &[RouteId] {
        let steps = self.scenarios.steps(walk.scenario);
        &steps[..walk.until.unwrap_or(steps.len())]
    }

    /// Appends the whole request to `out`.
    ///
    /// A hole whose variable has no value yet stays empty, and the answer will be judged
    /// `check_failed`: what was sent is not what the plan means. The same for a gRPC message that
    /// cannot be made of the values: an empty one is sent.
    pub fn compose(&mut self, user: &mut User, walk: &mut Walk, route: RouteId, out: &mut Vec<u8>) {
        walk.generation = user.token.generation;
        walk.unset = None;
        walk.unmade = None;
        walk.server = self.routes[route.index()].server;
        let kitchen = Kitchen {
            feeds: &mut self.feeds,
            room: &mut self.filling,
            site: &self.sites[walk.server],
            now_ns: self.now_ns,
            shows: None,
        };
        self.plans[route.index()].recipe.compose(user, walk, kitchen, out);
    }

    /// Appends the request that follows a redirect, having kept the answer's cookies; an error
    /// says that it is not to be followed, and then nothing is appended. The method becomes GET
    /// after 303, and after 301 and 302 to a POST (RFC 9110, section 15.4). True if the user's cache has a fresh
    /// answer to it: then nothing is appended, and the request has come to a good end.
    pub fn redirect(
        &mut self,
        user: &mut User,
        walk: &mut Walk,
        route: RouteId,
        answer: &Answer<'_>,
        out: &mut Vec<u8>,
    ) -> Result<bool, RedirectError> {
        let trail = walk.trail.as_mut().ok_or(RedirectError::NotOne)?;
        let most = self.routes[route.index()].redirects;
        let (server, target) = match trail.follow(answer, &self.origins, (walk.server, &walk.target), most) {
            Ok(next) => next,
            Err(refused) => {
                trail.refused = Some(refused);
                return Err(refused);
            }
        };
        if self.keeps_cookies {
            keep_cookies(user, answer, &self.sites[walk.server], &walk.target, self.now_ns);
        }
        walk.server = server;
        walk.target = target.into_bytes();
        trail.compose(user, &self.sites[server], &walk.target, self.now_ns, out);
        if self.plans[route.index()].caching != Caching::Reads {
            return Ok(false);
        }
        let target = walk.target.clone();
        Ok(self.find(user, walk, route, &target, out))
    }

    /// The request got no answer (time-out, reset, never sent).
    pub fn lost(&mut self, user: &mut User, walk: &mut Walk, route: RouteId) {
        self.forget_values(user, route);
        self.keep_status(user, route, None);
        if self.login.as_ref().is_some_and(|login| login.route == route) {
            user.token.failed();
        } else {
            walk.has_failed = true;
        }
        walk.lookup.iter_mut().for_each(|lookup| lookup.close());
    }

    /// The pause after a request of this route, in ns. None after a login that worked, unless
    /// the login itself names one.
    pub fn think_ns(&mut self, user: &mut User, route: RouteId) -> u64 {
        let is_login = self.routes[route.index()].class == RouteClass::Login;
        match self.plans[route.index()].pause {
            Some(pause) => pause.length_ns(&mut user.thinks),
            None if is_login && user.token.is_good() => 0,
            None => self.pause.length_ns(&mut user.thinks),
        }
    }

    /// The first request of each route, to be shown; a hole that only an answer can fill shows
    /// the variable's name in its braces. The message of a gRPC call is shown as JSON.
    pub fn sample(&mut self) -> Vec<(String, Vec<u8>)> {
        let mut user = self.new_user(0);
        let mut walk = Walk::default();
        let mut requests = Vec::new();
        for (plan, route) in self.plans.iter().zip(&self.routes) {
            let mut bytes = Vec::new();
            let kitchen = Kitchen {
                feeds: &mut self.feeds,
                room: &mut self.filling,
                site: &self.sites[route.server],
                now_ns: self.now_ns,
                shows: Some(&self.names),
            };
            plan.recipe.compose(&mut user, &mut walk, kitchen, &mut bytes);
            if route.protocol == RouteProtocol::WebSocket {
                let (head, message) = upgrade::parted(&bytes);
                let mut shown = Vec::new();
                upgrade::put_head(head, "{a new one for each connection}", &mut shown);
                shown.extend_from_slice(message);
                bytes = shown;
            }
            requests.push((route.name.clone(), bytes));
        }
        requests
    }

    /// A request came to nothing: its variables have no value now.
    pub(super) fn forget_values(&self, user: &mut User, route: RouteId) {
        for (variable, _) in &self.plans[route.index()].extractions {
            user.unset(*variable);
        }
    }

    /// Gives the variables of a request's status their value, whatever its answer is worth.
    pub(super) fn keep_status(&self, user: &mut User, route: RouteId, status: Option<u16>) {
        for StatusVariable { variable, default } in &self.plans[route.index()].statuses {
            let text = status.map(|status| status.to_string());
            let Some(text) = text.as_ref().or(default.as_ref()) else {
                user.unset(*variable);
                continue;
            };
            let variable = &mut user.variables[variable.0];
            variable.value.clear();
            variable.value.extend_from_slice(text.as_bytes());
            variable.worth = Worth::of_json(text);
        }
    }
}

/// Keeps the cookies of an answer to a request with this target.
pub(super) fn keep_cookies(user: &mut User, answer: &Answer<'_>, site: &Site, target: &[u8], now_ns: u64) {
    for header in answer.headers {
        if header.name.eq_ignore_ascii_case("set-cookie") {
            user.jar.keep(header.value, site, target, now_ns);
        }
    }
}

/// Refuses a gRPC message whose first values do not fit.
fn try_out(config: &EngineConfig, plans: &[RoutePlan], variables: usize) -> Result<(), Refusal> {
    // Of its own, so that nothing is drawn from those of the run.
    let mut feeds = Feeds::compile(config, Shard::whole())?;
    let mut user = User::new(config.seed, 0, variables);
    for (n, plan) in plans.iter().enumerate() {
        plan.recipe.try_out(&mut feeds, &mut user).map_err(|misfit| {
            Refusal::new(
                "engine.grpc-message",
                format!("the message does not fit with the first values of its holes: {misfit}"),
                format!("routes[{n}].body"),
                "give the feed values of the field's type",
            )
            .worded("first_values_do_not_fit", [("reason", misfit.to_string())])
        })?;
    }
    Ok(())
}

fn login(config: &EngineConfig) -> Result<Option<LoginPlan>, Refusal> {
    let Some(login) = &config.login else {
        return Ok(None);
    };
    let lasts_from = login.lasts_from.as_ref();
    Ok(Some(LoginPlan {
        route: RouteId::of(login.route),
        lasts_ns: login.lasts_s.map(ns_from_s),
        lasts_from: lasts_from.map(|source| Source::of(source, "login.lasts_from")).transpose()?,
        jitter: login.jitter,
        again_on: login.again_on.clone(),
    }))
}
