"""Groups of JMeter's threads as sequences of requests, each with the pause before it and what answers decide.

How the groups of a test become one plan stands in `jmeter`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from loadrig.converters._address import ServerAddress
from loadrig.converters._draft import FileDraft
from loadrig.converters._jmx_bodies import SamplerBodies
from loadrig.converters._jmx_caches import ManagedCaches
from loadrig.converters._jmx_checks import Checks
from loadrig.converters._jmx_cookies import FixedCookies, note_cleared
from loadrig.converters._jmx_decisions import ControllerDecision, DecidedSteps, DecisionMark
from loadrig.converters._jmx_flow import Flow, Item, LoopVariant, SamplerStep, Scope, is_modifier
from loadrig.converters._jmx_groups import AROUND, GROUPS, GroupLoad, load_of
from loadrig.converters._jmx_headers import SamplerHeaders
from loadrig.converters._jmx_left_out import note_left_out
from loadrig.converters._jmx_report import JmxReport
from loadrig.converters._jmx_requests import Samplers
from loadrig.converters._jmx_text import Variables
from loadrig.converters._jmx_timers import RATES, TIMERS, TimerPace, TimerPause, pace_in, pause_of
from loadrig.converters._jmx_tree import TreeElement
from loadrig.converters._pieces import Hole, Piece
from loadrig.converters._source import TestSource
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.jmeter import ConvertersJmeterTexts
from loadrig.plan.arrivals import Users
from loadrig.plan.passages import Repeat

TEXTS = texts_of(ConvertersJmeterTexts)

LoginHole = Callable[[Sequence[Piece], Sequence[Piece]], Hole | None]
"""Function that gives the hole of a user and a password; see SamplerHeaders."""


@dataclass(slots=True)
class PausedRequest:
    """A request that was made of a sampler: keys of the plan, its server, and the pause before it.

    round: loop of the thread within a loop of the plan.
    """

    sampler: TreeElement
    parts: dict[str, Any]
    address: ServerAddress
    before: TimerPause
    files: tuple[FileDraft, ...] = ()
    round: int = 0


@dataclass(slots=True)
class RequestSequence:
    """Requests of a loop in their order. share: how often a loop is this one. pauses: behind each of them."""

    share: float
    steps: list[PausedRequest] = field(default_factory=list)
    decided: list[DecidedSteps] = field(default_factory=list)
    pauses: list[TimerPause] = field(default_factory=list)


@dataclass(slots=True)
class LoadedGroup:
    """Group with its load. rounds: loops of a thread in a loop of the plan. pace: rate that a timer sets."""

    element: TreeElement
    load: GroupLoad
    sequences: list[RequestSequence]
    rounds: int
    pace: TimerPace | None


class SampledGroups:
    """Reader of groups. keeps_alive, has_cookies, caches, connect_timeouts_s: what any request so far has.

    once: requests that are made once and not in each loop.
    """

    def __init__(
        self,
        top: TreeElement,
        variables: Variables,
        report: JmxReport,
        source: TestSource,
        login_hole: Callable[[Sequence[Piece], Sequence[Piece]], Hole | None],
    ) -> None:
        self._top, self._variables, self._report = top, variables, report
        headers = SamplerHeaders(variables, report, login_hole)
        self._samplers = Samplers(variables, report, headers, SamplerBodies(variables, report, source))
        self.keeps_alive: set[bool] = set()
        self.has_cookies: set[bool] = set()
        self.caches = ManagedCaches(variables, report)
        self.connect_timeouts_s: set[float] = set()
        self.once: list[PausedRequest] = []

    def read(self, element: TreeElement, scope: Scope) -> LoadedGroup | None:
        """Return a group with its requests; None of what is none, or makes no load."""
        if is_modifier(element) or element.kind == "TestFragmentController":
            return None
        flow = Flow(self._top, self._variables, self._report)
        if not element.is_enabled:
            flow.drop(element, TEXTS.switched_off)
            return None
        if element.kind not in GROUPS:
            flow.drop(element, TEXTS.no_around if element.kind in AROUND else TEXTS.no_sampler)
            return None
        load = load_of(element, self._variables, self._report)
        if load is None:
            return None
        self.caches.group = element
        flow.loops = load.loops
        flow.users = load.users if isinstance(load.arrivals, Users) else None
        for inner in element.all_below():
            note_left_out(inner.children if inner.is_enabled else (), self._report)
        variants, rounds = flow.loop_variants(element.children, scope)
        if load.loops is not None:
            load = replace(load, loops=load.loops // rounds)
        sequences = [self._sequence(variant) for variant in variants]
        self.once += [request for sample in flow.once if (request := self._request(sample)) is not None]
        items = [item for variant in variants for item in variant.items]
        scopes = [item.scope.of(*RATES) for item in items if isinstance(item, SamplerStep)]
        if flow.users is not None and load.loops != 1:
            for manager in _cookie_managers(items):
                note_cleared(manager, element, self._report)
        once = [sample.scope.of(*RATES) for sample in flow.once]
        pace = pace_in(scopes, once, load.users, self._variables, self._report)
        return LoadedGroup(element, load, sequences, rounds, pace)

    def _sequence(self, variant: LoopVariant) -> RequestSequence:
        """Return the requests of a variant, each with the pause before it."""
        sequence = RequestSequence(variant.share)
        waiting = TimerPause()
        begun: list[tuple[int, ControllerDecision]] = []
        for item in variant.items:
            if isinstance(item, TimerPause):
                waiting += item
            elif isinstance(item, DecisionMark):
                if item.decision is not None:
                    begun.append((len(sequence.steps), item.decision))
                    continue
                first, decision = begun.pop()
                if (last := len(sequence.steps) - 1) >= first:
                    sequence.decided.append(DecidedSteps(first, last, decision, waiting))
            elif (request := self._request(item)) is not None:
                request.before += waiting
                waiting = TimerPause()
                sequence.steps.append(request)
        sequence.pauses = [step.before for step in sequence.steps[1:]]
        if sequence.steps:
            sequence.pauses.append(waiting + sequence.steps[0].before)
        for part in sequence.decided:
            # The pause between two rounds also stands behind the last one.
            between = part.waiting + sequence.steps[part.first].before
            if isinstance(part.decision.rule, Repeat) and between.high_s > 0:
                sequence.pauses[part.last] = between
        return sequence

    def _request(self, sample: SamplerStep) -> PausedRequest | None:
        sampler, scope = sample.sampler, sample.scope
        defaults = [element for element in scope.of("ConfigTestElement") if element.gui == "HttpDefaultsGui"]
        cookies = scope.of("CookieManager")
        request = self._samplers.request(
            sampler, defaults, scope.of("HeaderManager"), scope.of("AuthManager")
        )
        if request is None:
            return None
        for element in (*defaults, *cookies):
            self._report.carry(element)
        self.has_cookies.add(bool(cookies))
        self.caches.note(scope.of("CacheManager"))
        self.keeps_alive.add(request.keeps_alive)
        self.connect_timeouts_s.add(request.connect_timeout_s)
        headers = dict(request.headers)
        if not any(name.lower() == "cookie" for name in headers):
            fixed = FixedCookies(self._variables, self._report)
            if cookie := fixed.header(cookies, request.address, request.path):
                headers["Cookie"] = cookie
        checks = Checks(self._variables, self._report)
        for element in scope.elements:
            self._check(checks, element)
        parts: dict[str, Any] = {**request.parts, "headers": headers, "expect": checks.expect()}
        parts["extract"] = checks.extracts
        pause = TimerPause()
        for timer in scope.of(*TIMERS):
            if timer.kind not in RATES:
                pause += pause_of(timer, self._variables, self._report)
        self._report.carry(sampler)
        return PausedRequest(sampler, parts, request.address, pause, request.files, sample.round)

    def _check(self, checks: Checks, element: TreeElement) -> None:
        match element.kind:
            case "ResponseAssertion":
                checks.response(element)
            case "DurationAssertion":
                checks.duration(element)
            case "SizeAssertion":
                checks.size(element)
            case "JSONPathAssertion":
                checks.json_value(element)
            case _:
                checks.extract(element)


def _cookie_managers(items: Sequence[Item]) -> list[TreeElement]:
    samples = [item for item in items if isinstance(item, SamplerStep)]
    return [manager for sample in samples for manager in sample.scope.of("CookieManager")]
