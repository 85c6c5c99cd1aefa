"""The plan as the rest of the house sees it: frozen, checked, every default filled in.

These classes are also the declaration of what may be written (see base.shape): the reader, the
JSON Schema and the reference page are made from them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

from loadrig.base.effects import Permit
from loadrig.base.errors import Span
from loadrig.base.running import Address
from loadrig.base.setting import Setting, Value
from loadrig.base.shape import Forms, option
from loadrig.base.units import Count, Seconds, Share
from loadrig.plan.arrivals import Arrivals
from loadrig.plan.fleet_rules import FleetRules
from loadrig.plan.node_rules import NodeRules
from loadrig.plan.proving_rules import ProveParts as ProveParts
from loadrig.plan.proving_rules import ProveRules as ProveRules
from loadrig.plan.requests import Login, Request, Scenario, Think
from loadrig.plan.watching import ChosenMember as ChosenMember
from loadrig.plan.watching import ObservedHost as ObservedHost
from loadrig.plan.watching import ProfileRules as ProfileRules

MOST_CONNECTIONS = 10_000_000
"""Connections at most: ten times the files that Linux lets a process open unless it is told otherwise."""

MOST_THREADS = 1024
"""Threads at most, one a core: a set of cores names so many. Source: sched_setaffinity(2), cpu_set_t."""

FeedOrder = Literal["sequential", "sequential_per_user", "shuffled", "unique", "per_user", "arrival"]
"""Order in which the values of a feed are given out."""

FeedSpan = Literal["request", "loop"]
"""Part of a user's way for which a drawn value holds."""


@dataclass(frozen=True, slots=True)
class Feed:
    """Source of a hole's values. Exactly one of csv, lines, counter, random, values."""

    SHORT = "lines"
    FORMS: ClassVar[Forms] = {
        "source": (("csv",), ("csv", "column"), ("lines",), ("values",), ("counter",), ("random",)),
    }
    csv: str | None = option("CSV file with a header line.", default=None, example="items.csv")
    column: str | None = option(
        "Column of the CSV file; without it each column is NAME.column.", default=None, example="id"
    )
    lines: str | None = option(
        "File with one value a line; blank lines are left out.", default=None, example="words.txt"
    )
    values: tuple[str, ...] = option("The values themselves.", default=(), example="[red, green]")
    counter: int | None = option("Whole numbers from this one on.", default=None, example="1")
    random: tuple[int, ...] = option(
        "Random whole numbers between two bounds, both included.", default=(), example="[1, 100]"
    )
    order: FeedOrder = option(
        "In order for all users together; in order for each user from the first value on; in a random order; "
        "each user its own value for good; each user for good a value that chance draws, which others may "
        "have, too; or each arrival of a rate or a replay the value of its own number.",
        default="sequential",
    )
    per: FeedSpan = option(
        "How long a value holds: for one request, or for all requests of a user's loop through its steps.",
        default="request",
        example="loop",
    )


HttpVersion = Literal["1.1", "2"]
"""Version of HTTP that is spoken to the server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionParts:
    """Use of connections, whatever is spoken on them."""

    keep_alive: bool = option("Keep connections open; false sends `Connection: close`.", default=True)
    most: Count | None = option(
        "Most connections to each server at once; by default one a user, or 1,000 in the open model.",
        default=None, low=1, high=MOST_CONNECTIONS,
    )  # fmt: skip
    from_addresses: tuple[str, ...] = option(
        "Local addresses to open connections from, in turn.", default=(), example="[127.0.0.2, 127.0.0.3]"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Connections(ConnectionParts):
    """Use of connections, and the protocol on them.

    streams: requests at once on one connection; over HTTP/1.1 it is 1.
    """

    http: HttpVersion = "1.1"
    streams: int = 1


DEFAULT_ENTRIES = 5_000
"""Answers that the cache of a user keeps at most, where a plan names no number. JMeter has as many."""

MOST_ENTRIES = 1_000_000
"""Largest number of answers in the cache of a user: so many take some hundred megabytes."""


@dataclass(frozen=True, slots=True)
class Cache:
    """Cache that each user has, as a browser has it: private, by RFC 9111. It keeps no bodies."""

    SHORT = "fresh"
    fresh: Literal["reuse", "validate"] = option(
        "Where the answer before is fresh: `reuse` makes no request, `validate` asks whether it still holds, "
        "as is always asked of an answer that is stale.",
        default="reuse",
    )
    lasts: Literal["user", "loop"] = option(
        "How long answers are kept: as long as the user is there, or for a loop through the steps.",
        default="user",
        example="loop",
    )
    entries: Count = option(
        "Most answers that a user keeps; of more, those go that were not used lately.",
        default=Count(DEFAULT_ENTRIES), low=1, high=MOST_ENTRIES, example="100",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tls:
    """Check of a server's certificate."""

    insecure: bool = option("Accept any certificate.", default=False)
    ca: str | None = option(
        "PEM file of the authorities to trust instead of the system's.", default=None, example="ca.pem"
    )
    server_name: str | None = option(
        "Name to ask for (SNI) instead of the host.", default=None, example="shop.example"
    )


@dataclass(frozen=True, slots=True)
class Workload:
    """Load on the server: what is asked, by whom and when."""

    arrivals: Arrivals
    scenarios: tuple[Scenario, ...]
    think: Think
    login: Login | None
    feeds: Mapping[str, Feed]
    headers: Mapping[str, str]
    cookies: bool
    timeout: Seconds
    connect_timeout: Seconds
    connections: Connections
    tls: Tls
    requests_limit: Count | None
    loops_per_user: Count | None
    protos: tuple[str, ...] = ()
    cache: Cache | None = None

    @property
    def requests(self) -> tuple[Request, ...]:
        """Requests of the plan, the login last."""
        steps = [step for scenario in self.scenarios for step in scenario.steps]
        return (*steps, *([self.login.request] if self.login else []))

    @property
    def connections_at_once(self) -> int:
        """Number of connections that one visitor wants: more than one where steps are sent at once."""
        return self.connections_each * max((scenario.most_at_once for scenario in self.scenarios), default=1)

    @property
    def ends_itself(self) -> bool:
        """Whether the load is over at some time: its schedule, its list, or a limit ends it."""
        is_limited = self.requests_limit is not None or self.loops_per_user is not None
        return is_limited or self.arrivals.ends_itself

    @property
    def visitors_share(self) -> bool:
        """Whether a connection serves several users or arrivals, as far as the model allows it.

        With WebSockets it does not: each visitor has its own WebSocket, and one connection for all else.
        """
        return all(request.protocol != "websocket" for request in self.requests)

    @property
    def connections_each(self) -> int:
        """Number of connections that one visitor needs at once: 2 beside a WebSocket, else 1."""
        protocols = {request.protocol for request in self.requests}
        return 2 if "websocket" in protocols and len(protocols) > 1 else 1


# --- judging ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Goal:
    """Goal: `p95 < 500ms`, `errors < 0.1%`, `throughput > 100/s`; `p95{search} < 1s` for a route.

    measure: as named in the room of measures. limit: in the measure's unit. below: True for `<`.
    over: `p95 < 500ms for 30s`: it holds in every stretch of that length; None: in the whole measured part.
    """

    text: str
    measure: str
    below: bool
    limit: float
    unit: str
    route: str | None = None
    span: Span | None = field(default=None, compare=False)
    over: Seconds | None = None


# --- trial and study ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WarmUp:
    """Length of the load before measuring; the warm-up ends when the server is steady (MSER-5)."""

    SHORT = "at_most"
    at_least: Seconds = option("Never shorter than this.", default=Seconds(0.0))
    at_most: Seconds = option("Never longer than this.", default=Seconds(30.0))


@dataclass(frozen=True, slots=True)
class Measuring:
    """Length of the measured part; it ends when the interval is narrow enough or the time is up."""

    SHORT = "at_most"
    at_least: Seconds = option("Never shorter than this.", default=Seconds(10.0))
    at_most: Seconds = option("Never longer than this.", default=Seconds(60.0))
    until: Share = option("Enough when throughput is known to within this share.", default=Share(0.02))


@dataclass(frozen=True, slots=True)
class TrialRules:
    """Rules of one trial."""

    warm_up: WarmUp = option("Load before measuring.", factory=WarmUp)
    measure: Measuring = option("Load that is measured.", factory=Measuring)
    drain: Seconds | None = option("Wait for answers at the end; by default the time-out.", default=None)
    cpus: tuple[int, ...] = option(
        "Cores of the generator; by default apart from the target's.", default=(), low=0, example="[0]"
    )
    threads: Count = option("Threads of the generator.", default=Count(1), low=1, high=MOST_THREADS)
    seed: int | None = option("Seed of everything random; by default a new one a run.", default=None, low=0)
    probe_every: Seconds = option("Time between two samples of the probes.", default=Seconds(1.0), low=0.05)


@dataclass(frozen=True, slots=True)
class PlannedKnob:
    """A knob of the study: the values to try and the one to start from."""

    name: str
    values: tuple[Value, ...]
    base: Value
    when: Mapping[str, tuple[Value, ...]]
    span: Span | None = field(default=None, compare=False)

    def applies(self, setting: Setting) -> bool:
        """Return whether the knob has a meaning beside these other values."""
        return all(setting.get(name) in allowed for name, allowed in self.when.items())


@dataclass(frozen=True, slots=True)
class StudyRules:
    """Rules of a study: which settings are tried, how often, and what decides.

    options: the strategy's own, written beside these keys.
    """

    SHORT = "strategy"

    strategy: str = option(
        "How settings are chosen: a strategy by its name.", default="one_trial", key="find", example="grid"
    )
    blocks: Count = option(
        "Blocks; each tries every setting once and the base setting twice.", default=Count(6), low=1
    )
    by: str | None = option(
        "Measure that decides; by default throughput in a closed and p95 in an open model.", default=None
    )
    equal_within: Share | None = option(
        "Differences smaller than this do not matter; by default what the measure says.", default=None
    )
    budget: Seconds | None = option(
        "Start no trial that would end after this much time.", default=None, example="40m"
    )
    options: Any = field(default=None)


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole plan. `text`, `path`: what it was read from, or would be; `literals`: see plan.literals."""

    name: str
    target: ChosenMember
    workload: Workload
    goals: tuple[Goal, ...]
    knobs: tuple[PlannedKnob, ...]
    trial: TrialRules
    study: StudyRules
    probes: tuple[ChosenMember, ...]
    unwatched: tuple[str, ...]
    allow: tuple[str, ...]
    path: str
    text: str
    profile: ProfileRules | None = None
    observers: tuple[ObservedHost, ...] = ()
    prove: ProveRules | None = None
    permit: tuple[Permit, ...] = ()
    fleet: FleetRules | None = None
    nodes: NodeRules | None = None
    servers: Mapping[str, Address] = field(default_factory=dict)
    literals: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def seed(self) -> int:
        """Seed of everything random; 1, that of the first version, where neither plan nor run has one."""
        return 1 if self.trial.seed is None else self.trial.seed

    @property
    def generators(self) -> int:
        """Number of generators that make the load together."""
        return self.fleet.generators if self.fleet else 1

    def lasting(self, measure_s: float, warm_up: WarmUp | None = None) -> "Plan":
        """Return the plan whose trials measure for exactly so many seconds. warm_up: None: as it is."""
        rules, length = self.trial, Seconds(measure_s)
        measure = Measuring(length, length, rules.measure.until)
        return replace(self, trial=replace(rules, warm_up=warm_up or rules.warm_up, measure=measure))

    @property
    def base_setting(self) -> Setting:
        """The setting to start from: every knob at its base, conditions kept."""
        setting: dict[str, Value] = {}
        for knob in self.knobs:
            if knob.applies(setting):
                setting[knob.name] = knob.base
        return setting
