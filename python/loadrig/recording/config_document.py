"""Types of the generator's configuration, as a recording keeps it: without secrets and what is in files.

`engine.compile` builds it of standard dataclasses (`engine.config`), as nothing waits for msgspec before the
load has begun (decision 0030); whoever reads a recording has these types. Defaults are those of earlier
versions.
"""

from typing import Annotated, Any, Literal, TypeAlias

from loadrig.base.documents import ABSENT, Absent, Document, Says

Line = tuple[tuple[float, float], ...]
"""Course of a level: seconds since the start, and the level that is reached then."""


OrderConfig: TypeAlias = Annotated[
    Literal["above", "at_least", "below", "at_most"] | Absent,
    Says("how it must lie to that number; absent: it is compared as a text"),
]
"""Place on the line of numbers that a value must have, of a condition and of a check."""

HavingConfig: TypeAlias = Annotated[
    Literal["value", "truth", "null"] | Absent,
    Says("what it must have: any value, one that JavaScript takes as true, or null; absent: it is compared"),
]
"""Worth that a value must have, of a condition and of a check."""


class PartConfig(Document, frozen=True):
    """Part of a fleet's load that one generator makes; all else in a configuration is of the whole load."""

    index: Annotated[int, Says("number of the generator, from 0")]
    of: Annotated[int, Says("number of generators, all of which have the same configuration but for this")]


class TlsConfig(Document, frozen=True):
    """TLS of the server."""

    server_name: Annotated[str, Says("name that the certificate must be for")]
    insecure: Annotated[bool, Says("whether the certificate is not checked")]
    ca_pem: Annotated[str | None, Says("certificates that are trusted; null for those of the system")] = None


class AddressConfig(Document, frozen=True):
    """Server that is loaded."""

    scheme: Annotated[Literal["http", "https"], Says("`http` or `https`")]
    host: Annotated[str, Says("its host")]
    port: Annotated[int, Says("its port")]
    addresses: Annotated[tuple[str, ...], Says("addresses of the host, `ip:port`")] = ()
    host_header: Annotated[str, Says("value of the header Host")] = ""
    unix: Annotated[str | None, Says("path of its Unix socket, or null")] = None
    tls: Annotated[TlsConfig | None, Says("TLS of the server; null without")] = None


class ConnectionConfig(Document, frozen=True):
    """Connections of the load."""

    most: Annotated[int, Says("most of them at once")]
    keep_alive: Annotated[bool, Says("whether a connection carries several requests")]
    protocol: Annotated[Literal["http1", "http2"], Says("`http1` or `http2`")] = "http1"
    streams: Annotated[int, Says("most requests at once on a connection of HTTP/2")] = 1


class UserArrivals(Document, frozen=True):
    """Load of users, each of whom waits for an answer before the next request."""

    line: Annotated[Line, Says("course of the number of users: seconds and number, in pairs")]
    loops: Annotated[int | None, Says("scenarios that a user goes through; null without an end")] = None


class RateArrivals(Document, frozen=True):
    """Load of requests that arrive whether earlier ones were answered or not."""

    line: Annotated[Line, Says("course of the arrivals a second: seconds and number, in pairs")]
    spacing: Annotated[str, Says("how arrivals lie apart: `poisson` or `constant`")] = "poisson"
    identities: Annotated[int, Says("number of users that they are made as")] = 1


class SessionArrivals(Document, frozen=True):
    """Load of sessions that arrive whether earlier ones are over or not."""

    line: Annotated[Line, Says("course of the arrivals a second: seconds and number, in pairs")]
    spacing: Annotated[str, Says("as of requests")] = "poisson"
    loops: Annotated[int | None, Says("times that a session goes through its scenario, or null")] = None
    stay: Annotated[float | None, Says("chance that it goes through it once more, each time, or null")] = None


class ReplayArrivals(Document, frozen=True):
    """Load of requests at given times."""

    times_s: Annotated[tuple[float, ...], Says("times of the requests, in seconds since the start")]
    scenarios: Annotated[
        tuple[int, ...] | Absent, Says("place in `scenarios` of what is sent at each time; absent: by weight")
    ] = ABSENT


class ArrivalConfig(Document, frozen=True):
    """Load, in one of four forms."""

    users: Annotated[UserArrivals | Absent, Says("users who wait for their answers")] = ABSENT
    rate: Annotated[RateArrivals | Absent, Says("requests at a rate")] = ABSENT
    sessions: Annotated[SessionArrivals | Absent, Says("sessions at a rate")] = ABSENT
    replay: Annotated[ReplayArrivals | Absent, Says("requests at given times")] = ABSENT


class StopConfig(Document, frozen=True):
    """End of the load."""

    after_s: Annotated[float | None, Says("when arrivals end at the latest, in seconds since the start")] = (
        None
    )
    requests: Annotated[int | None, Says("number of requests after which it ends, or null")] = None


class CacheConfig(Document, frozen=True):
    """Cache that each user has."""

    fresh: Annotated[
        Literal["reuse", "validate"], Says("whether a fresh answer spares the request, or is asked about")
    ]
    lasts: Annotated[Literal["user", "loop"], Says("how long answers are kept")]
    entries: Annotated[int, Says("answers that it keeps at most")]


class TimeoutConfig(Document, frozen=True):
    """Times that are waited for."""

    request_s: Annotated[float, Says("longest wait for an answer, in seconds")]
    connect_s: Annotated[float, Says("longest wait for a connection, in seconds")]
    drain_s: Annotated[float, Says("longest wait for the last answers, in seconds")]


class LeftOut(Document, frozen=True):
    """Values that were left out: they were read from a file, or nobody else should read them."""

    count: Annotated[int | Absent, Says("number of values")] = ABSENT
    bytes: Annotated[int | Absent, Says("size in bytes")] = ABSENT


class FeedConfig(Document, frozen=True):
    """Source of the values of a hole."""

    name: Annotated[str, Says("its name")]
    order: Annotated[
        str, Says("`sequential`, `sequential_per_user`, `shuffled`, `unique`, `per_user` or `arrival`")
    ]
    row_of: Annotated[str | Absent, Says("feed whose row it is a column of")] = ABSENT
    per: Annotated[str | Absent, Says("`loop` where a value holds for a whole loop; else for a request")] = (
        ABSENT
    )
    values: Annotated[LeftOut | Absent, Says("how many values there are")] = ABSENT
    counter: Annotated[int | Absent, Says("first of whole numbers that follow each other")] = ABSENT
    random: Annotated[tuple[int, int] | Absent, Says("bounds of random whole numbers")] = ABSENT


class ValueConfig(Document, frozen=True):
    """Check of a value in an answer."""

    at: Annotated["ExtractConfig", Says("place of the value")]
    name: Annotated[str | Absent, Says("name that a failure is told by")] = ABSENT
    value: Annotated[str | Absent, Says("text or number that it is compared with")] = ABSENT
    equal: Annotated[bool | Absent, Says("whether it must be that text, or have that; else it must not")] = (
        ABSENT
    )
    order: OrderConfig = ABSENT
    has: HavingConfig = ABSENT
    matches: Annotated[str | Absent, Says("regular expression that the whole value must match")] = ABSENT
    alternatives: Annotated[
        tuple["ValueConfig", ...] | Absent, Says("others, of which one that is true will do")
    ] = ABSENT


class ExpectConfig(Document, frozen=True):
    """Conditions that a good answer meets."""

    status: Annotated[tuple[int, ...], Says("statuses, any of which will do; none: below 400")] = ()
    contains: Annotated[tuple[str, ...], Says("texts that the body must have")] = ()
    matches: Annotated[tuple[str, ...], Says("regular expressions that it must match")] = ()
    json: Annotated[tuple[tuple[str, Any], ...], Says("places in JSON and their values, in pairs")] = ()
    values: Annotated[
        tuple[ValueConfig, ...] | Absent, Says("checks of values, all of which must hold; absent: none")
    ] = ABSENT
    size_min: Annotated[int | None, Says("least size in bytes, or null")] = None
    size_max: Annotated[int | None, Says("greatest size in bytes, or null")] = None
    time_s: Annotated[float | None, Says("longest time in seconds, or null")] = None


class ExtractConfig(Document, frozen=True):
    """Place in an answer that a value is taken from: one of six."""

    into: Annotated[str | Absent, Says("hole that it is for")] = ABSENT
    json: Annotated[str | Absent, Says("JSON pointer or JSONPath")] = ABSENT
    regex: Annotated[str | Absent, Says("regular expression")] = ABSENT
    header: Annotated[str | Absent, Says("name of a header")] = ABSENT
    cookie: Annotated[str | Absent, Says("name of a cookie")] = ABSENT
    css: Annotated[str | Absent, Says("CSS selector of an element of HTML")] = ABSENT
    part: Annotated[Literal["status"] | Absent, Says("part that every answer has")] = ABSENT
    attribute: Annotated[str | Absent, Says("attribute of that element; absent: its text")] = ABSENT
    match: Annotated[int | Absent, Says("number of the match that is taken, from 1; absent: the first")] = (
        ABSENT
    )
    default: Annotated[str | Absent, Says("value where nothing is there to be taken")] = ABSENT
    optional: Annotated[
        bool | Absent, Says("whether it is no failure where nothing is there; absent: it is one")
    ] = ABSENT


class ThinkConfig(Document, frozen=True):
    """Pause between an answer and the next request, in one of three forms, in seconds."""

    constant: Annotated[float | Absent, Says("always this long")] = ABSENT
    uniform: Annotated[tuple[float, float] | Absent, Says("between two times")] = ABSENT
    exponential: Annotated[float | Absent, Says("exponential with this mean")] = ABSENT


class RouteConfig(Document, frozen=True, rename={"route_class": "class"}):
    """Request that is made again and again."""

    name: Annotated[str, Says("its name")]
    route_class: Annotated[Literal["service", "login"], Says("`service` or `login`")]
    method: Annotated[str, Says("its method")]
    target: Annotated[str, Says("its path, with holes")]
    server: Annotated[int, Says("server that it goes to: 0, or its place among the further ones, from 1")] = 0
    protocol: Annotated[Literal["http", "websocket", "grpc"], Says("`http`, `websocket` or `grpc`")] = "http"
    messages: Annotated[tuple[str, str] | None, Says("messages of gRPC that it takes and gives, or null")] = (
        None
    )
    timeout_s: Annotated[float | None, Says("its own longest wait, in seconds, or null")] = None
    headers: Annotated[tuple[tuple[str, str], ...], Says("names and values, in pairs, with holes")] = ()
    body: Annotated[str | LeftOut | None, Says("its body with holes; of a file its size; or null")] = None
    expect: Annotated[ExpectConfig, Says("what makes an answer a good one")] = ExpectConfig()
    extract: Annotated[tuple[ExtractConfig, ...], Says("values that are taken from an answer")] = ()
    think: Annotated[ThinkConfig | None, Says("pause of its own after it, or null")] = None
    redirects: Annotated[int, Says("number of redirects that are followed")] = 0

    @property
    def checks_body(self) -> bool:
        """Whether something is asked of the body of an answer."""
        expect = self.expect
        is_sized = expect.size_min is not None or expect.size_max is not None
        return bool(
            expect.contains or expect.matches or expect.json or expect.values or is_sized or self.extract
        )


class TermConfig(Document, frozen=True):
    """Comparison of a variable with a text or a number, what it has, or how the latest request ended."""

    variable: Annotated[
        str | Absent, Says("name of the variable; absent: how the user's latest request ended")
    ] = ABSENT
    value: Annotated[str | Absent, Says("text or number that it is compared with")] = ABSENT
    equal: Annotated[
        bool | Absent,
        Says("whether it must be that text, have that, or the request have ended well; else it must not"),
    ] = ABSENT
    order: OrderConfig = ABSENT
    has: HavingConfig = ABSENT
    alternatives: Annotated[
        tuple["TermConfig", ...] | Absent, Says("others, of which one that is true will do")
    ] = ABSENT


class ConditionConfig(Document, frozen=True):
    """Condition on variables that answers gave."""

    terms: Annotated[tuple[TermConfig, ...], Says("its parts")]
    holds: Annotated[bool, Says("whether all parts must be true; else not all of them may be")]


class AgainConfig(Document, frozen=True):
    """Rounds beyond the first."""

    when: Annotated[ConditionConfig, Says("what another one is made by")]
    most: Annotated[int, Says("rounds at most, the first included")]


class PassageConfig(Document, frozen=True):
    """Steps that are made, or made again, as answers say."""

    first: Annotated[int, Says("place of its first step in `steps`")]
    last: Annotated[int, Says("place of its last step")]
    enter: Annotated[ConditionConfig | Absent, Says("what its first round is made by; absent: always")] = (
        ABSENT
    )
    again: Annotated[AgainConfig | Absent, Says("what makes it once more; absent: never")] = ABSENT


class ScenarioConfig(Document, frozen=True):
    """Requests that a user makes in order."""

    name: Annotated[str, Says("its name")]
    weight: Annotated[float, Says("share among all scenarios")]
    steps: Annotated[tuple[int, ...], Says("places of its requests in `routes`")]
    beside: Annotated[
        tuple[int, ...] | Absent, Says("places in `steps` of those that are sent at once with the one before")
    ] = ABSENT
    passages: Annotated[
        tuple[PassageConfig, ...] | Absent, Says("steps that are made, or made again, as answers say")
    ] = ABSENT


class LoginConfig(Document, frozen=True):
    """Step that gets a token."""

    route: Annotated[int, Says("place of its request in `routes`")]
    lasts_s: Annotated[float | None, Says("how long a token is good, in seconds, or null")] = None
    lasts_from: Annotated[ExtractConfig | None, Says("where the answer says that, or null")] = None
    again_on: Annotated[tuple[int, ...], Says("statuses after which it is made again")] = ()
    jitter: Annotated[float, Says("share of its life by which a token is renewed earlier at most")] = 0.0


class ConfigDocument(Document, frozen=True, kw_only=True):
    """Configuration of the generator."""

    version: Annotated[int, Says("1")] = 1
    seed: Annotated[int, Says("seed of its random numbers")]
    part: Annotated[PartConfig | Absent, Says("its part of a fleet's load; absent: the whole load")] = ABSENT
    threads: Annotated[int, Says("number of its threads")]
    cpus: Annotated[tuple[int, ...], Says("cores that it runs on")]
    server: Annotated[AddressConfig, Says("server that is loaded")]
    further_servers: Annotated[
        tuple[AddressConfig, ...], Says("servers beside it that routes go to, in the order of the plan")
    ] = ()
    source_addresses: Annotated[tuple[str, ...], Says("addresses that it connects from; none: any")] = ()
    connections: Annotated[ConnectionConfig, Says("connections of the load")]
    arrivals: Annotated[ArrivalConfig, Says("the load")]
    level_most: Annotated[
        float | None, Says("highest level that it may be set to while it runs, or null")
    ] = None
    stop: Annotated[StopConfig, Says("when the load ends")]
    timeouts: Annotated[TimeoutConfig, Says("times that are waited for")]
    frame_s: Annotated[float, Says("length of a frame, in seconds")]
    gap_sample: Annotated[int, Says("gaps between sends that a frame tells of")]
    cookies: Annotated[bool, Says("whether a user keeps cookies")]
    cache: Annotated[CacheConfig | Absent, Says("cache of each user; absent where users have none")] = ABSENT
    feeds: Annotated[tuple[FeedConfig, ...], Says("sources of the values of holes")] = ()
    routes: Annotated[tuple[RouteConfig, ...], Says("requests, the login's last")]
    scenarios: Annotated[tuple[ScenarioConfig, ...], Says("orders of requests")]
    login: Annotated[LoginConfig | None, Says("step that gets a token, or null")] = None
    think: Annotated[ThinkConfig, Says("pause between an answer and the next request")]
    protos: Annotated[str | None, Says("descriptors of gRPC in base64, or null")] = None
