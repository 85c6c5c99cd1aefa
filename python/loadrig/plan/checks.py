"""Checks of a plan against itself, this machine and its own permissions. Nothing is started."""

import math
import os
from dataclasses import is_dataclass, replace

from loadrig.base import members
from loadrig.base.errors import PlanError, Span
from loadrig.base.loopback import is_loopback
from loadrig.base.running import Address
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.engine_refusals import EngineRefusals
from loadrig.language.en.errors.plan_checks import PlanChecksErrors
from loadrig.language.labels import joined
from loadrig.plan.build import STRATEGIES
from loadrig.plan.check_expressions import check_expressions
from loadrig.plan.check_feeds import check_files
from loadrig.plan.check_protocols import check_protocols
from loadrig.plan.check_requests import check_requests
from loadrig.plan.draft import Draft
from loadrig.plan.goals import measures, unknown_measure
from loadrig.plan.node import Path as NodePath
from loadrig.plan.node import at
from loadrig.plan.requests import Think
from loadrig.plan.servers import check_servers

ERRORS, REFUSALS = texts_of(PlanChecksErrors), texts_of(EngineRefusals)

SEARCHES_USERS = ("capacity", "spike")
"""Strategies that give the load more users than the plan has."""


def check(draft: Draft) -> None:
    """Run all checks; each looks only at what was read whole."""
    _check_hosts(draft)
    check_servers(draft)
    _check_cpus(draft)
    check_requests(draft)
    check_expressions(draft)
    check_protocols(draft)
    check_files(draft)
    _check_bounds(draft)
    _check_limits(draft)
    _check_goals(draft)
    _check_study(draft)
    _check_jitter(draft)
    # Import these checks only where the plan needs them, as the imports take time.
    if draft.prove is not None:
        from loadrig.plan.check_proving import check_proving

        check_proving(draft)
    if draft.fleet is not None or draft.node("nodes") is not None:
        from loadrig.plan.check_fleet import check_fleet

        check_fleet(draft)
    if any(at(node, key) is not None for _, node in draft.requests() for key in ("when", "repeat")):
        from loadrig.plan.check_passages import check_passages

        check_passages(draft)
    if draft.node("observers") is not None:
        from loadrig.plan.check_observers import check_observers

        check_observers(draft)


def _check_hosts(draft: Draft) -> None:
    """Refuse hosts beside this machine that the plan does not allow: the target's and those of `servers`."""
    _check_target(draft)
    for name, address in draft.servers.items():
        _check_host(draft, address, draft.place("servers", name))


def _check_target(draft: Draft) -> None:
    if draft.target is None:
        return
    module = members.load("loadrig.target", draft.target.member)
    where = draft.place("target", draft.target.member)
    try:
        address = module.where(draft.target.options) if hasattr(module, "where") else None
    except PlanError as error:
        for problem in error.problems:
            draft.note(replace(problem, where=problem.where or where))
        return
    if address is not None:
        _check_host(draft, address, where)


def _check_host(draft: Draft, address: Address, where: Span) -> None:
    if address.unix or is_loopback(address.host):
        return
    if address.host.lower() in {host.lower() for host in draft.allow}:
        return
    hosts = ", ".join((*draft.allow, address.host))
    draft.reader.reject(
        ERRORS.host_not_allowed(address.host, hosts), code="plan.host-not-allowed", where=where
    )


def _check_cpus(draft: Draft) -> None:
    here = sorted(os.sched_getaffinity(0))
    asked: list[tuple[str, tuple[int, ...], NodePath]] = [
        (ERRORS.generator, draft.trial.cpus, ("trial", "cpus"))
    ]
    if draft.target is not None and is_dataclass(draft.target.options):
        member = draft.target.member
        asked.append((member, tuple(getattr(draft.target.options, "cpus", ())), ("target", member, "cpus")))
    for owner, cpus, path in asked:
        for index, cpu in enumerate(cpus):
            if cpu in here or cpu < 0:
                continue
            first, last = str(here[0]), str(here[-1])
            shown = ", ".join(map(str, here)) if len(here) < 9 else ERRORS.first_to_last(first, last)
            draft.reader.reject(
                ERRORS.no_such_core(str(cpu), owner, shown, last),
                code="plan.no-such-cpu",
                where=draft.place(*path, index),
            )


def _check_bounds(draft: Draft) -> None:
    work = draft.workload
    if work is None:
        return
    thinks: list[tuple[Think | None, tuple[str | int, ...]]] = [(work.think, ("workload",))]
    requests = [step for scenario in work.scenarios for step in scenario.steps]
    requests += [work.login.request] if work.login else []
    paths = [path for path, _ in draft.requests()]
    if len(paths) == len(requests):
        thinks += [(request.think, path) for request, path in zip(requests, paths, strict=True)]
        for request, path in zip(requests, paths, strict=True):
            low, high = request.expect.size_min, request.expect.size_max
            if low is not None and high is not None and low > high:
                draft.reader.reject(
                    ERRORS.size_bounds_reversed(low, high),
                    code="plan.bounds",
                    where=draft.place(*path, "expect", "size_max"),
                )
    for think, path in thinks:
        bounds = think.uniform if think else ()
        if bounds and (len(bounds) != 2 or bounds[0] > bounds[1]) and draft.is_clean(*path, "think"):
            shown = ", ".join(f"{bound:g}s" for bound in bounds)
            draft.reader.reject(
                ERRORS.not_two_bounds(shown),
                code="plan.bounds",
                where=draft.place(*path, "think", "uniform"),
            )


def _check_limits(draft: Draft) -> None:
    work = draft.workload
    if work is None:
        return
    if work.arrivals.stages and not work.arrivals.length_s:
        kind = work.arrivals.model
        draft.reader.reject(
            ERRORS.stages_without_length, code="plan.bounds", where=draft.place("workload", kind, "stages")
        )
    users = work.arrivals.most_identities if work.arrivals.has_users else 0
    if work.loops_per_user is not None and not work.arrivals.has_users:
        draft.reader.reject(
            ERRORS.loops_without_users,
            code="plan.not-together",
            where=draft.place("workload", "limit", "loops"),
        )
    most = work.connections.most
    streams = work.connections.streams if work.visitors_share else 1
    is_clean = draft.is_clean("workload", "users") and draft.is_clean("workload", "connections")
    needed = math.ceil(users * work.connections_each / streams)
    if most is not None and most < needed and is_clean:
        draft.reader.reject(
            ERRORS.too_few_connections(most, users, needed, streams, work.connections_each > 1),
            code="plan.connections-too-few",
            where=draft.place("workload", "connections", "most"),
        )
    elif draft.fleet is not None and is_clean:
        _check_shares(draft, draft.fleet.generators, most, users)


def _check_shares(draft: Draft, generators: int, connections: int | None, users: float) -> None:
    """Refuse a load in which a generator would have no connection or no user."""
    if connections is not None and connections < generators:
        # The generators would say it too, but only once they run.
        draft.reader.reject(
            REFUSALS.fleet_too_large(f"{connections:,}", f"{generators:,}"),
            code="engine.fleet-too-large",
            where=draft.place("workload", "connections", "most"),
        )
    elif 0 < users < generators and draft.study.strategy not in SEARCHES_USERS:
        draft.reader.reject(
            ERRORS.fewer_users_than_generators(f"{users:,}", f"{generators:,}"),
            code="engine.fleet-too-large",
            where=draft.place("workload", "users"),
        )


def _check_jitter(draft: Draft) -> None:
    login = draft.workload.login if draft.workload else None
    if login is None or not login.jitter or login.lasts is not None or login.lasts_from is not None:
        return
    draft.reader.reject(
        ERRORS.jitter_without_end,
        code="plan.not-together",
        where=draft.place("workload", "login", "jitter"),
    )


def _check_goals(draft: Draft) -> None:
    if draft.workload is None or not draft.is_clean("workload"):
        return
    routes = [step.name for scenario in draft.workload.scenarios for step in scenario.steps]
    for goal in draft.goals:
        if goal.route is None or goal.route in routes:
            continue
        close = members.nearest(goal.route, routes)
        meant = f"{goal.measure}{{{close}}}" if close else ""
        draft.reader.reject(
            ERRORS.unknown_route(repr(goal.route), goal.text, ", ".join(routes), meant),
            code="plan.unknown-route",
            where=goal.span,
        )


def _check_study(draft: Draft) -> None:
    study, node = draft.study, draft.node("study")
    if not draft.reader.is_clean(node):
        return
    if study.by is not None and study.by not in (units := measures()):
        draft.note(unknown_measure(study.by, draft.place("study", "by"), units))
    choices = [knob for knob in draft.knobs if len(knob.values) > 1]
    written = draft.node("knobs")
    if not draft.reader.is_clean(written):
        return
    module = members.load(STRATEGIES, study.strategy)
    if getattr(module, "NEEDS_KNOBS", study.strategy != "one_trial") and not choices:
        draft.reader.reject(
            ERRORS.study_without_knobs(study.strategy),
            code="plan.study-without-knobs",
            where=draft.place("study"),
        )
    if node is None and choices:
        draft.reader.reject(
            ERRORS.knobs_without_study(joined(knob.name for knob in choices)),
            code="plan.knobs-without-study",
            where=draft.place("knobs"),
        )
