"""The plan as kept, built from the plan as written: names of routes, scenarios, feeds, study rules."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from loadrig.base import members
from loadrig.base.errors import Problem, Span
from loadrig.base.setting import Knob
from loadrig.base.units import Seconds
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.plan_build import PlanBuildErrors
from loadrig.plan.arrivals import MOST_STEPS, Arrivals
from loadrig.plan.knobs import read_values
from loadrig.plan.model import (
    ChosenMember,
    Feed,
    Measuring,
    ProveParts,
    ProveRules,
    StudyRules,
    TrialRules,
    WarmUp,
    Workload,
)
from loadrig.plan.node import Entries, Items, Node, Scalar, at, listed, place
from loadrig.plan.protocols import build_connections
from loadrig.plan.reader import Reader
from loadrig.plan.requests import Login, Protocol, Request, RequestParts, Scenario
from loadrig.plan.written import (
    ASKED,
    WrittenLogin,
    WrittenPlan,
    WrittenProve,
    WrittenRequest,
    WrittenWorkload,
)

ERRORS = texts_of(PlanBuildErrors)

STRATEGIES = "loadrig.study.strategies"
PROBES = "loadrig.probes"

ALL = "all"
"""Word that stands for every probe in `unwatched`."""


def build_workload(reader: Reader, written: WrittenWorkload, root: Node) -> Workload | None:
    """Return the workload with its routes named and grouped; None if nothing in it can be run."""
    arrivals: Arrivals | None = written.users or written.rate or written.sessions or written.replay
    scenarios = _scenarios(reader, written, root)
    if arrivals is None or not scenarios:
        return None
    if arrivals.step_count > MOST_STEPS:
        key = "users" if written.users else "rate"
        wording = ERRORS.too_many_steps(f"{arrivals.step_count:,.0f}", f"{MOST_STEPS:,}")
        where = place(root, "workload", key, "add")
        reader.reject(wording, code="plan.out-of-range", where=where)
        return None
    login = _login(written.login, root) if written.login else None
    requests = [step for scenario in scenarios for step in scenario.steps]
    return Workload(
        arrivals=arrivals,
        scenarios=scenarios,
        think=written.think,
        login=login,
        feeds={
            name: _feed(feed, at(root, "workload", "feeds", name)) for name, feed in written.feeds.items()
        },
        headers=written.headers,
        cookies=written.cookies,
        cache=written.cache,
        timeout=written.timeout,
        connect_timeout=written.connect_timeout,
        connections=build_connections(
            reader, written.connections, [*requests, *([login.request] if login else [])]
        ),
        tls=written.tls,
        requests_limit=written.limit.requests,
        loops_per_user=written.limit.loops,
        protos=written.protos,
    )


def _scenarios(reader: Reader, written: WrittenWorkload, root: Node) -> tuple[Scenario, ...]:
    names = _Names(reader)
    for key in ("requests", "steps", "scenarios"):
        node = at(root, "workload", key)
        if isinstance(node, Items) and not node.items:
            reader.note(_empty(key, node))
    single = [
        Scenario(request.name, request.weight, (request,))
        for request in _requests(names, written.requests, root, ("workload", "requests"))
    ]
    if single:
        return tuple(single)
    if written.steps:
        return (Scenario("steps", 1.0, tuple(_requests(names, written.steps, root, ("workload", "steps")))),)
    scenarios = []
    for index, scenario in enumerate(written.scenarios):
        path = ("workload", "scenarios", index, "steps")
        scenarios.append(
            Scenario(scenario.name, scenario.weight, tuple(_requests(names, scenario.steps, root, path)))
        )
    return tuple(scenarios)


class _Names:
    """Names of routes: names that the plan gives must differ; names that are made up are made to differ.

    The same page may be asked for twice in one scenario; its steps are then "GET /" and "GET / (2)".
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._names: set[str] = set()

    def of(self, written: WrittenRequest, default: str, node: Node | None) -> str:
        """Return the name of a request."""
        name = written.name or default
        if name in self._names and written.name:
            where = place(node, "name") if node else None
            self._reader.reject(ERRORS.two_requests_same_name(name), code="plan.same-name", where=where)
        number = 2
        while name in self._names:
            name, number = f"{written.name or default} ({number})", number + 1
        self._names.add(name)
        return name


_ASKED_BY: Mapping[str, tuple[str, Protocol]] = {"websocket": ("GET", "websocket"), "grpc": ("POST", "grpc")}
"""Method and protocol of keys that are no HTTP method. RFC 6455, section 4.1; gRPC over HTTP/2."""


def _requests(
    names: _Names, written: tuple[WrittenRequest, ...], root: Node, path: tuple[str | int, ...]
) -> Iterator[Request]:
    nodes = listed(at(root, *path))
    for index, request in enumerate(written):
        # An item that could not be read is left out of `written`; then names lose their places.
        node = nodes[index] if len(nodes) == len(written) else None
        yield _request(request, node, names)


def _request(written: WrittenRequest, node: Node | None, names: _Names | None) -> Request:
    key = next((asked_key for asked_key in ASKED if getattr(written, asked_key) is not None), "get")
    path: str = getattr(written, key) or "/"
    method, protocol = _ASKED_BY.get(key, (key.upper(), "http"))
    parts: dict[str, Any] = {part.name: getattr(written, part.name) for part in fields(RequestParts)}
    request = Request("", method, path, protocol, place(node, key) if node else None, **parts)
    name = names.of(written, request.address, node) if names else written.name or request.address
    return replace(request, name=name)


def _login(written: WrittenLogin, root: Node) -> Login:
    request = _request(written, at(root, "workload", "login"), None)
    if written.name is None:
        request = replace(request, name="login")
    return Login(request, written.lasts, written.lasts_from, written.again_on, written.jitter)


def _feed(feed: Feed, node: Node | None) -> Feed:
    """Return a feed; the short form of a CSV file, known by its ending, has all its columns."""
    if isinstance(node, Scalar) and feed.lines is not None and feed.lines.lower().endswith(".csv"):
        return Feed(csv=feed.lines)
    return feed


def _empty(key: str, node: Node) -> Problem:
    return Problem.of(ERRORS.nothing_listed(key), code="plan.empty-list", where=node.span)


# --- trial and study ------------------------------------------------------------------------------


def build_trial(reader: Reader, rules: TrialRules, root: Node) -> TrialRules:
    """Return the rules of a trial; a maximum time below the usual minimum lowers the minimum too.

    `measure: 5s` measures for five seconds, though usually it is never less than ten.
    """
    warm, measure = rules.warm_up, rules.measure
    warm_is_set = _is_written(root, "warm_up", "at_least")
    measure_is_set = _is_written(root, "measure", "at_least")
    for key, span, is_set in (("warm_up", warm, warm_is_set), ("measure", measure, measure_is_set)):
        node = at(root, "trial", key)
        if is_set and span.at_least > span.at_most and reader.is_clean(node):
            reader.reject(
                ERRORS.least_above_most(key, f"{span.at_least:g}s", f"{span.at_most:g}s"),
                code="plan.bounds",
                where=place(root, "trial", key, "at_least"),
            )
    return replace(
        rules,
        warm_up=WarmUp(_lower(warm.at_least, warm.at_most), warm.at_most),
        measure=Measuring(_lower(measure.at_least, measure.at_most), measure.at_most, measure.until),
    )


def _is_written(root: Node, *path: str) -> bool:
    return at(root, "trial", *path) is not None


def _lower(at_least: Seconds, at_most: Seconds) -> Seconds:
    return min(at_least, at_most)


def build_study(reader: Reader, node: Node | None) -> StudyRules:
    """Return the rules of the study with its strategy's own options, which are written beside them."""
    if node is None:
        node = Entries(Span(""), {})
    find = at(node, "find") if isinstance(node, Entries) else node
    name = find.text if isinstance(find, Scalar) and find.value is not None else "one_trial"
    names = members.names(STRATEGIES)
    if name not in names:
        reader.reject(
            ERRORS.unknown_strategy(name, names, members.nearest(name, names)),
            code="plan.unknown-member",
            where=find.span if find is not None else node.span,
            node=node,
        )
        return StudyRules()
    rules, options = reader.shapes((StudyRules, members.load(STRATEGIES, name).Options), node, "study")
    return replace(rules, options=options) if isinstance(rules, StudyRules) else StudyRules()


def build_prove(
    reader: Reader,
    written: WrittenProve | None,
    root: Node,
    catalogue: Mapping[str, Knob] | None,
    target: str,
) -> ProveRules | None:
    """Return the rules of proving, its knobs checked against the target's catalogue.

    None where the plan has none.
    """
    if written is None:
        return None
    parts: dict[str, Any] = {part.name: getattr(written, part.name) for part in fields(ProveParts)}
    knobs = read_values(reader, at(root, "prove", "knobs"), catalogue, target)
    return ProveRules(**parts, knobs=knobs)


def check_unwatched(reader: Reader, root: Node) -> None:
    """Note which names under `unwatched` are no probe's; also of a plan that is wrong elsewhere."""
    names = members.names(PROBES)
    for node in listed(at(root, "unwatched")):
        name = node.text if isinstance(node, Scalar) else None
        if name is not None and name not in (*names, ALL):
            reader.reject(
                ERRORS.unknown_probe(name, ", ".join(names), members.nearest(name, [*names, ALL])),
                code="plan.unknown-member",
                where=node.span,
                node=node,
            )


def build_probes(written: WrittenPlan) -> tuple[ChosenMember, ...]:
    """Return the probes with options in the plan, then all others of the room but the unwatched.

    The others have no options here (None): a probe is imported only where it has something to observe.
    """
    names = members.names(PROBES)
    asked = written.probes or ()
    off = set(names) if ALL in written.unwatched else set(written.unwatched)
    mentioned = {probe.member for probe in asked} | off
    return (
        *(probe for probe in asked if probe.member not in off),
        *(ChosenMember(name, None, is_asked=False) for name in names if name not in mentioned),
    )
