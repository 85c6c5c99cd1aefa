"""Checks of a plan against itself, this machine and its own permissions. Nothing is started."""

import math
import os
from dataclasses import is_dataclass

from loadrig.base import members
from loadrig.base.errors import PlanError
from loadrig.base.loopback import is_loopback
from loadrig.plan.build import STRATEGIES
from loadrig.plan.check_feeds import check_files
from loadrig.plan.check_protocols import check_protocols
from loadrig.plan.check_requests import check_requests
from loadrig.plan.draft import Draft
from loadrig.plan.goals import measures, unknown_measure
from loadrig.plan.model import Think
from loadrig.plan.node import Path as NodePath


def check(draft: Draft) -> None:
    """Run all checks; each looks only at what was read whole."""
    _check_host(draft)
    _check_cpus(draft)
    check_requests(draft)
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
    if draft.node("observers") is not None:
        from loadrig.plan.check_observers import check_observers

        check_observers(draft)


def _check_host(draft: Draft) -> None:
    if draft.target is None:
        return
    module = members.load("loadrig.target", draft.target.member)
    where = draft.place("target", draft.target.member)
    try:
        address = module.where(draft.target.options) if hasattr(module, "where") else None
    except PlanError as error:
        for problem in error.problems:
            draft.reader.problem(
                what=problem.what,
                mend=problem.mend,
                code=problem.code,
                why=problem.why,
                where=problem.where or where,
            )
        return
    if address is None or address.unix or is_loopback(address.host):
        return
    if address.host.lower() in {host.lower() for host in draft.allow}:
        return
    draft.reader.problem(
        what=f"{address.host} is not this machine, and the plan does not allow it",
        where=where,
        why="traffic goes only to hosts that the plan allows by name; be sure that you may load this one",
        mend=f"add at the top: allow: [{', '.join((*draft.allow, address.host))}]",
        code="plan.host-not-allowed",
    )


def _check_cpus(draft: Draft) -> None:
    here = sorted(os.sched_getaffinity(0))
    asked: list[tuple[str, tuple[int, ...], NodePath]] = [
        ("the generator", draft.trial.cpus, ("trial", "cpus"))
    ]
    if draft.target is not None and is_dataclass(draft.target.options):
        member = draft.target.member
        asked.append((member, tuple(getattr(draft.target.options, "cpus", ())), ("target", member, "cpus")))
    for who, cpus, path in asked:
        for index, cpu in enumerate(cpus):
            if cpu in here or cpu < 0:
                continue
            shown = ", ".join(map(str, here)) if len(here) < 9 else f"{here[0]} to {here[-1]}"
            draft.reader.problem(
                what=f"there is no core {cpu} for {who}",
                where=draft.place(*path, index),
                why=f"this process may use {shown}",
                mend=f"write cpus: [{here[-1]}], or leave it out and let the rig choose",
                code="plan.no-such-cpu",
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
                draft.reader.problem(
                    what=f"no body can have at least {low:,} and at most {high:,} bytes",
                    where=draft.place(*path, "expect", "size_max"),
                    mend="write the smaller one as size_min",
                    code="plan.bounds",
                )
    for think, path in thinks:
        bounds = think.uniform if think else ()
        if bounds and (len(bounds) != 2 or bounds[0] > bounds[1]) and draft.is_clean(*path, "think"):
            shown = ", ".join(f"{bound:g}s" for bound in bounds)
            draft.reader.problem(
                what=f"uniform is [{shown}]; it takes two bounds, the lower one first",
                where=draft.place(*path, "think", "uniform"),
                mend="write two bounds such as [1s, 3s]",
                code="plan.bounds",
            )


def _check_limits(draft: Draft) -> None:
    work = draft.workload
    if work is None:
        return
    users = work.arrivals.most_identities if work.arrivals.has_users else 0
    if work.loops_per_user is not None and not work.arrivals.has_users:
        draft.reader.problem(
            what="loops counts what each user does, and only `users` has users that stay",
            where=draft.place("workload", "limit", "loops"),
            mend="use limit: {requests: N}, or sessions: {requests: N} for loops in a session",
            code="plan.not-together",
        )
    most = work.connections.most
    streams = work.connections.streams if work.visitors_share else 1
    is_clean = draft.is_clean("workload", "users") and draft.is_clean("workload", "connections")
    needed = math.ceil(users * work.connections_each / streams)
    if most is not None and most < needed and is_clean:
        why = "each user has a connection of its own"
        if streams > 1:
            why = f"at most {streams:,} users share a connection"
        elif work.connections_each > 1:
            why = "each user has a WebSocket, and a connection for its other requests"
        draft.reader.problem(
            what=f"{most:,} connections are too few for {users:,} users",
            where=draft.place("workload", "connections", "most"),
            why=why,
            mend=f"write most: {needed}, or leave it out",
            code="plan.connections-too-few",
        )


def _check_jitter(draft: Draft) -> None:
    login = draft.workload.login if draft.workload else None
    if login is None or not login.jitter or login.lasts is not None or login.lasts_from is not None:
        return
    draft.reader.problem(
        what="jitter renews a token before its end, and nothing says when that is",
        where=draft.place("workload", "login", "jitter"),
        mend="add how long a token is good: lasts: 10m, or lasts_from: $.expires_in",
        code="plan.not-together",
    )


def _check_goals(draft: Draft) -> None:
    if draft.workload is None or not draft.is_clean("workload"):
        return
    routes = [step.name for scenario in draft.workload.scenarios for step in scenario.steps]
    for goal in draft.goals:
        if goal.route is None or goal.route in routes:
            continue
        close = members.nearest(goal.route, routes)
        draft.reader.problem(
            what=f"there is no route {goal.route!r} to have the goal {goal.text}",
            where=goal.span,
            why=f"the routes are {', '.join(routes)}",
            mend=f"write {goal.measure}{{{close}}}" if close else "name one of these",
            code="plan.unknown-route",
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
        draft.reader.problem(
            what=f"the study {study.strategy} has nothing to choose from",
            where=draft.place("study"),
            why="no knob has more than one value",
            mend="add knobs with several values, such as knobs: {workers: [1, 2, 4]}",
            code="plan.study-without-knobs",
        )
    if node is None and choices:
        names = " and ".join(knob.name for knob in choices)
        draft.reader.problem(
            what=f"no study tries the several values of {names}",
            where=draft.place("knobs"),
            mend="add study: grid to try every setting, or study: one_trial to try the first",
            code="plan.knobs-without-study",
        )
