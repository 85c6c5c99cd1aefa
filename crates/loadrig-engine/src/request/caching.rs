//! What a user's cache does for requests and answers: it spares some, and asks about others.

use super::cache::{
    Cache, Caching, Fields, Hit, Instants, Stored, fresh_until_ns, joined, key_of, varies_by_all,
};
use super::user::{User, Walk};
use super::{Answer, Book, RouteId};
use crate::request::book::RoutePlan;
use std::sync::Arc;

/// RFC 9110, section 15.4.5.
const NOT_MODIFIED: u16 = 304;

/// RFC 9110, section 15.3.7: a part of an answer, which is not put together with others.
const PARTIAL: u16 = 206;

impl Book {
    /// Whether [`Book::look_up`] is to be asked before a request of this route is sent.
    #[must_use]
    pub fn is_cached(&self, route: RouteId) -> bool {
        self.plans[route.index()].caching == Caching::Reads
    }

    /// Composes the request of a route that users' caches have a part in, and looks it up. True if the user has a
    /// fresh answer: then nothing is to be sent, and the step is over, as if that answer had come again.
    pub fn look_up(&mut self, user: &mut User, walk: &mut Walk, route: RouteId, out: &mut Vec<u8>) -> bool {
        self.compose(user, walk, route, out);
        if walk.unset.is_some() {
            // The answer to a request that the plan does not mean is no answer to another one.
            walk.lookup.iter_mut().for_each(|lookup| lookup.close());
            return false;
        }
        let plan = &self.plans[route.index()];
        let target = plan.recipe.fixed_target().unwrap_or(&walk.target).to_vec();
        let is_fresh = self.find(user, walk, route, &target, out);
        walk.reused += u64::from(is_fresh);
        is_fresh
    }

    /// As [`Book::look_up`], of a request that was composed already.
    pub(super) fn find(
        &self,
        user: &mut User,
        walk: &mut Walk,
        route: RouteId,
        target: &[u8],
        request: &mut Vec<u8>,
    ) -> bool {
        let (Some(rules), Some(cache)) = (&self.cache, &mut user.cache) else { return false };
        let lookup = walk.lookup.get_or_insert_default();
        match lookup.find(cache, (walk.server, target), request, rules.reuses, self.now_ns) {
            Hit::Miss => false,
            Hit::Fresh(stored) => {
                self.take_values(user, route, &stored);
                walk.has_failed = false;
                request.clear();
                true
            }
        }
    }

    /// The answer about which a request asked, if the server says that it still holds.
    pub(super) fn validated(plan: &RoutePlan, walk: &Walk, answer: &Answer<'_>) -> Option<Arc<Stored>> {
        if plan.caching != Caching::Reads || answer.status != NOT_MODIFIED {
            return None;
        }
        walk.lookup.as_ref()?.stale.clone()
    }

    /// Gives a route's variables the values that they had from a kept answer.
    pub(super) fn take_values(&self, user: &mut User, route: RouteId, stored: &Stored) {
        for ((variable, _), (worth, value)) in
            self.plans[route.index()].extractions.iter().zip(&stored.values)
        {
            let variable = &mut user.variables[variable.0];
            variable.worth = *worth;
            variable.value.clear();
            variable.value.extend_from_slice(value);
        }
        self.keep_status(user, route, Some(stored.status));
    }

    /// Keeps what was answered, or forgets what was kept.
    ///
    /// stale: the answer that the server has said to hold still. `is_good`: whether the answer passed its checks.
    pub(super) fn keep_answer(
        &self,
        user: &mut User,
        walk: &mut Walk,
        route: RouteId,
        answer: &Answer<'_>,
        (stale, is_good): (Option<&Stored>, bool),
    ) {
        let plan = &self.plans[route.index()];
        let (Some(rules), Some(cache)) = (&self.cache, &mut user.cache) else { return };
        match plan.caching {
            Caching::Off => {}
            Caching::Changes => {
                // RFC 9111, section 4.4: not where it was refused.
                if (200..400).contains(&answer.status) {
                    let mut key = Vec::new();
                    let target = plan.recipe.fixed_target().filter(|_| !plan.recipe.leaves_trail());
                    key_of(walk.server, target.unwrap_or(&walk.target), &mut key);
                    cache.remove(&key);
                }
            }
            Caching::Reads => {
                let Some(lookup) = walk.lookup.as_mut().filter(|lookup| lookup.is_open) else { return };
                let at = Instants {
                    asked_ns: lookup.asked_ns,
                    answered_ns: self.now_ns,
                    wall_ahead_ns: rules.wall_ahead_ns,
                };
                let is_whole = (200..300).contains(&answer.status) && answer.status != PARTIAL;
                let vary = joined(answer.headers, "vary");
                if let Some(stale) = stale {
                    let values = stale.values.clone();
                    let fields = Fields::of(answer.headers).over(&stale.fields);
                    match stored(fields, answer, stale.status, values, at) {
                        Some(stored) if !vary.as_deref().is_some_and(varies_by_all) => {
                            lookup.renew(cache, vary.as_deref(), stored);
                        }
                        _ => lookup.forget(cache),
                    }
                } else if is_whole {
                    let values = plan.extractions.iter().map(|(variable, _)| {
                        let variable = &user.variables[variable.0];
                        (variable.worth, variable.value.as_slice().into())
                    });
                    let fields = Fields::of(answer.headers);
                    match stored(fields, answer, answer.status, values.collect(), at) {
                        Some(stored) if is_good && !vary.as_deref().is_some_and(varies_by_all) => {
                            lookup.keep(cache, vary.as_deref(), stored);
                        }
                        _ => lookup.forget(cache),
                    }
                }
                lookup.close();
            }
        }
    }

    /// Whether every step of the loop so far was answered from the cache.
    #[must_use]
    pub fn has_asked_nothing(&self, walk: &Walk) -> bool {
        walk.reused > 0 && walk.reused == walk.made
    }

    /// Begins a loop: with an empty cache, where it is that of a loop.
    pub(super) fn renew_cache(&self, user: &mut User) {
        if self.cache.is_some_and(|rules| rules.is_of_loop) {
            user.cache.iter_mut().for_each(|cache| cache.clear());
        }
    }

    /// The cache of a new user, where users have one.
    pub(super) fn new_cache(&self) -> Option<Box<Cache>> {
        self.cache.map(|rules| Box::new(Cache::new(rules.entries)))
    }
}

/// The answer as it is kept; none if it may not be (RFC 9111, section 3), or would be of no use.
fn stored(
    fields: Fields,
    answer: &Answer<'_>,
    status: u16,
    values: Box<[(super::worth::Worth, Box<[u8]>)]>,
    at: Instants,
) -> Option<Arc<Stored>> {
    if fields.directives().no_store {
        return None;
    }
    let fresh_until_ns = fresh_until_ns(&fields, answer.headers, at);
    if fresh_until_ns.is_none() && !fields.has_validator() {
        return None;
    }
    Some(Arc::new(Stored { fields, fresh_until_ns, status, values }))
}
