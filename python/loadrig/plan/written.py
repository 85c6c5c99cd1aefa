"""The plan as it is written: its keys, from the top down to where plan.model takes over.

Where a plan says a thing as it is kept, the class of plan.model is used as it is. Here stand the things that
are written otherwise than kept: the method of a request as a key, one of four arrival models, a knob's little
notations. plan.build turns one into the other.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from loadrig.base.effects import Permit
from loadrig.base.shape import Forms, option
from loadrig.base.units import Count, Seconds, Share
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.plan_nouns import PlanWrittenTexts
from loadrig.plan.arrivals import Rate, Replay, Sessions, Users
from loadrig.plan.fleet_rules import FleetRules
from loadrig.plan.kinds import Member, Notation
from loadrig.plan.model import (
    Cache,
    ChosenMember,
    ConnectionParts,
    Feed,
    ObservedHost,
    ProfileRules,
    ProveParts,
    Tls,
    TrialRules,
)
from loadrig.plan.node import Node
from loadrig.plan.node_rules import NodeRules
from loadrig.plan.requests import Extract, RequestParts, Think

TEXTS = texts_of(PlanWrittenTexts)

METHODS = ("get", "post", "put", "patch", "delete", "head", "options")
WITH_A_PATH = (*METHODS, "websocket")
"""Keys of a request whose value is a path."""

ASKED = (*WITH_A_PATH, "grpc")
"""Keys of a request that name its method or protocol; each request has exactly one."""

_ONE_METHOD = tuple((key,) for key in ASKED)
_ONE_BODY = ((), ("body",), ("json",), ("form",), ("body_file",))


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenRequest(RequestParts):
    """A request: its method is a key, and the key's value is the path, with holes {name} in it.

    `websocket` and `grpc` stand where a method does: one request is then one message sent and one
    awaited, or one unary call.
    """

    FORMS: ClassVar[Forms] = {"method": _ONE_METHOD, "body": _ONE_BODY}
    name: str | None = option(
        "Name of the route in reports; by default method and path.", default=None, example="search"
    )
    get: str | None = option("Path of a GET.", default=None, example='"/search?q={word}"')
    post: str | None = option("Path of a POST.", default=None, example="/orders")
    put: str | None = option("Path of a PUT.", default=None, example='"/orders/{id}"')
    patch: str | None = option("Path of a PATCH.", default=None, example='"/orders/{id}"')
    delete: str | None = option("Path of a DELETE.", default=None, example='"/orders/{id}"')
    head: str | None = option("Path of a HEAD.", default=None, example="/")
    options: str | None = option("Path of an OPTIONS.", default=None, example="/")
    websocket: str | None = option(
        "Path of a WebSocket, on which `body` or `json` is sent as a text message and one message awaited.",
        default=None,
        example="/chat",
    )
    grpc: str | None = option(
        "Method of a unary gRPC call; its message is written as `json`, its metadata as `headers`.",
        default=None,
        example="shop.Shop/Find",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenLogin(WrittenRequest):
    """A request that gets a token, made before a user's first one and again when it is no longer good."""

    lasts: Seconds | None = option(
        "How long a token is good; without it until a status of `again_on`.", default=None, example="10m"
    )
    lasts_from: Extract | None = option(
        "Where the answer says how long, in seconds.", default=None, example='"$.expires_in"'
    )
    again_on: tuple[int, ...] = option(
        "HTTP statuses that mean the token is no longer good.",
        default=(401,),
        low=100,
        high=599,
        example="[401]",
    )
    jitter: Share = option(
        "Renew a token earlier than at its end by up to this share of its life, at random, so that users "
        "do not log in together.",
        default=Share(0.0), low=0, high=1, example="50%",
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenScenario:
    """A user's way through the service, step by step."""

    name: str = option("Name of the scenario in reports.", example="buy")
    steps: tuple[WrittenRequest, ...] = option(
        "Requests in order; each waits for the one before.", example="[{get: /}, {get: /cart}]"
    )
    weight: float = option("Share of this scenario among its siblings.", default=1.0, low=0.0)


HttpText = Annotated[Node, Notation(TEXTS.http_version, "2", "http")]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenConnections(ConnectionParts):
    """Use of connections, and the protocol on them."""

    http: HttpText | None = option(
        "Version of HTTP: 1.1 or 2; by default 1.1, or 2 where all requests are `grpc`.",
        default=None,
        example="2",
    )
    streams: Count | None = option(
        "With HTTP/2: most requests at once on one connection, if the server allows as many; by default 100.",
        default=None,
        low=1,
        example="8",
    )


@dataclass(frozen=True, slots=True)
class EarlyEnd:
    """An end that comes before the time is up."""

    requests: Count | None = option("Stop after so many requests.", default=None, low=1, example="10k")
    loops: Count | None = option(
        "Each user leaves after so many times through a scenario (only with `users`).", default=None, low=1
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenWorkload:
    """Load on the server: what is asked, by whom and when."""

    FORMS: ClassVar[Forms] = {
        "arrivals": (("users",), ("rate",), ("sessions",), ("replay",)),
        "requests": (("requests",), ("steps",), ("scenarios",)),
    }
    users: Users | None = option(
        "Closed model: so many users, each of whom waits for the answer.", default=None, example="50"
    )
    rate: Rate | None = option(
        "Open model: requests due at a rate, answered or not.", default=None, example="1000/1s"
    )
    sessions: Sessions | None = option(
        "Partly open model: users arrive at a rate and make several requests each.",
        default=None,
        example="{rate: 10/1s, requests: 5}",
    )
    replay: Replay | None = option(
        "Open model: requests due at the times of a list.", default=None, example="times.txt"
    )
    requests: tuple[WrittenRequest, ...] = option(
        "Requests picked by weight, each on its own.", default=(), example="[{get: /}]"
    )
    steps: tuple[WrittenRequest, ...] = option(
        "One sequence of requests that everyone makes.", default=(), example="[{get: /}, {get: /cart}]"
    )
    scenarios: tuple[WrittenScenario, ...] = option(
        "Several sequences picked by weight.", default=(), example="[{name: buy, steps: [{get: /}]}]"
    )
    think: Think = option("Pause between an answer and the next request.", factory=Think, example="1s")
    login: WrittenLogin | None = option(
        "The request that gets a token; a route class of its own.",
        default=None,
        example='{post: /login, extract: {token: "$.token"}, lasts: 10m}',
    )
    feeds: Mapping[str, Feed] = option(
        "Where the values of holes come from; a bare text is a file of lines, or a CSV file by its ending.",
        factory=dict,
        example="{word: words.txt}",
    )
    headers: Mapping[str, str] = option(
        "Headers of every request, with holes.", factory=dict, example='{Authorization: "Bearer {token}"}'
    )
    cookies: bool = option("Each user keeps the cookies that it is given.", default=True, example="false")
    cache: Cache | None = option(
        "Each user has a cache as a browser has it: it does not ask again for what is fresh, and asks about "
        "what may have changed by ETag and Last-Modified. By default every request is made.",
        default=None,
        example="reuse",
    )
    timeout: Seconds = option(
        "Longest wait for an answer, from when the request was due.", default=Seconds(30.0), low=0.001
    )
    connect_timeout: Seconds = option(
        "Longest wait for a connection.", default=Seconds(5.0), low=0.001, example="5s"
    )
    connections: WrittenConnections = option(
        "How connections are used, and what is spoken on them.",
        factory=WrittenConnections,
        example="{http: 2}",
    )
    tls: Tls = option("How the server's certificate is checked.", factory=Tls, example="{insecure: true}")
    protos: tuple[str, ...] = option(
        "Files that declare the services of `grpc` requests; what they import is looked for beside them.",
        default=(),
        example="shop.proto",
    )
    limit: EarlyEnd = option(
        "An end that comes before the time is up.", factory=EarlyEnd, example="{requests: 10k}"
    )


ValuesText = Annotated[Node, Notation(TEXTS.values, "[10, 20]", "values")]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenProve(ProveParts):
    """Proof of what limits the server: by experiments that move it."""

    SHORT = "after_run"
    knobs: Mapping[str, ValuesText] = option(
        "Values of knobs to try beside the setting's own, whether the knobs stand under `knobs` or not.",
        factory=dict,
        example="{workers: 4, threads: [2, 8]}",
    )


KnobText = Annotated[Node, Notation(TEXTS.knob, "[1, 2, 4]", "knob")]
GoalText = Annotated[Node, Notation(TEXTS.goal, "p95 < 500ms", "goal")]
StudyText = Annotated[Node, Notation(TEXTS.study, "grid", "study")]
VersionText = Annotated[Node, Notation("1", "1", "version")]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenPlan:
    """The keys at the top of a plan."""

    loadrig: VersionText = option("Version of the plan's format.", example="1")
    target: Annotated[ChosenMember, Member("loadrig.target")] = option(
        "The server: how it is started, or where it runs.", example="{external: http://127.0.0.1:8000}"
    )
    workload: WrittenWorkload = option(
        "What is asked of it, by whom and when.", example="{users: 10, requests: [{get: /}]}"
    )
    servers: Mapping[str, str] = option(
        "Servers beside the target, that requests go to by `server: NAME`; they are loaded and not watched.",
        factory=dict,
        example='{auth: "http://127.0.0.1:9001"}',
    )
    name: str | None = option(
        "What the run is called in reports; by default the file's name.",
        default=None,
        example="which workers?",
    )
    knobs: Mapping[str, KnobText] = option(
        "What is set on the target; several values are a question for the study.",
        factory=dict,
        example="{workers: [1, 2, 4]}",
    )
    goals: tuple[GoalText, ...] = option(
        "What must hold; a setting that misses one is not recommended.",
        default=(),
        example="[p95 < 500ms, errors < 0.1%]",
    )
    trial: TrialRules = option("How one trial is run.", factory=TrialRules, example="{measure: 30s}")
    study: StudyText | None = option(
        "Which settings are tried, how often, and what decides.", default=None, example="grid"
    )
    probes: tuple[Annotated[ChosenMember, Member("loadrig.probes")], ...] | None = option(
        "Probes with options of their own. All others are used too, as far as they work here.",
        default=None,
        example="[{process: {threads: 500}}]",
    )
    unwatched: tuple[str, ...] = option(
        "Probes that are not used, or `all`.", default=(), example="[tcp_sockets]"
    )
    observers: tuple[ObservedHost, ...] = option(
        "Other hosts that are observed, each from there.",
        default=(),
        example='[{name: web1, via: "ssh web1", port: 8000}]',
    )
    profile: ProfileRules | None = option(
        "Where CPU time goes, by a profiler that fits the server. By default two short bursts of a program "
        "that is nearly full, in a trial by itself, a search for capacity, a soak and a spike; else nothing.",
        default=None,
        example="at saturation",
    )
    fleet: FleetRules | None = option(
        "Several generators that make the load together, here or on other hosts; by default one makes it.",
        default=None,
        example="{generators: 4}",
    )
    nodes: NodeRules | None = option(
        "Nodes that run trials of a study at the same time; by default one trial runs after the other.",
        default=None,
        example="2",
    )
    prove: WrittenProve | None = option(
        "Whether what limits the server is proved by experiments, and what may be touched for it.",
        default=None,
        example="true",
    )
    allow: tuple[str, ...] = option(
        "Hosts that traffic may go to beside this machine, by name.", default=(), example="[staging.example]"
    )
    secrets: tuple[str, ...] = option(
        "Headers, JSON fields, form fields and query parameters whose values are never written, beside "
        "those that speak of a secret by themselves (Authorization, password, token).",
        default=(),
        example="[X-Tenant, pin]",
    )
    permit: tuple[Permit, ...] = option(
        "What watching may do to servers beside reading: open the inspector of Node and evaluate a few lines "
        "there; attach to a JVM, which opens a port of loopback, and switch a log on; load async-profiler "
        "into a JVM. By default none of it is done.",
        default=(),
        example="[node-inspector]",
    )


@dataclass(frozen=True, slots=True)
class WrittenKnob:
    """The long form of a knob."""

    values: Annotated[Node, Notation(TEXTS.list_or_range, "1..16", "values")] = option(
        "The values to try, in order: a list, or a range of whole numbers with both ends.", example="1..16"
    )
    when: Annotated[Node, Notation(TEXTS.condition, "worker_class == gthread", "when")] | None = option(
        "Only where an earlier knob has one of these values; else the knob is not set.",
        default=None,
        example="worker_class == gthread",
    )
    base: Any = option("The value of the base setting; by default the first.", default=None, example="4")
