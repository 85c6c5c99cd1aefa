"""Requests of a plan: what is sent, what is expected of the answer and taken from it, and in which order.

These classes are also the declaration of what may be written (see base.shape).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from loadrig.base.errors import Span
from loadrig.base.shape import Forms, option
from loadrig.base.units import Bytes, Count, Seconds, Share
from loadrig.plan.passages import Repeat, When
from loadrig.plan.value_checks import PLACES, ValueCheck, ValuePlace


@dataclass(frozen=True, slots=True)
class Think:
    """The pause of a user between an answer and the next request."""

    SHORT = "constant"
    FORMS: ClassVar[Forms] = {"length": (("constant",), ("uniform",), ("exponential",))}
    constant: Seconds | None = option("Always this long.", default=None, example="1s")
    uniform: tuple[Seconds, ...] = option(
        "Between two times, all equally likely.", default=(), example="[1s, 3s]"
    )
    exponential: Seconds | None = option("Exponential with this mean.", default=None)


@dataclass(frozen=True, slots=True)
class Expect:
    """Checks on an answer; a failed one makes the outcome `check_failed`."""

    SHORT = "status"
    status: tuple[int, ...] = option(
        "Allowed status codes; without it 200 to 399 are good. Of a `grpc` request gRPC status codes, "
        "0 to 16; without it only 0 (OK) is good.",
        default=(),
        example="[200, 201]",
    )
    contains: tuple[str, ...] = option("Texts that the body must contain.", default=(), example='"in stock"')
    matches: tuple[str, ...] = option(
        "Regular expressions that the body must match somewhere.", default=(), example="'id=[0-9]+'"
    )
    json: Mapping[str, Any] = option(
        "JSON path or pointer to the value it must have.", factory=dict, example='{"$.ok": true}'
    )
    values: tuple[ValueCheck, ...] = option(
        "Values in the answer, by the comparisons of conditions; all must hold.",
        default=(),
        example="{json: $.token, is_set: true}",
    )
    size_min: Bytes | None = option("Least body size.", default=None)
    size_max: Bytes | None = option("Greatest body size.", default=None)
    time: Seconds | None = option("Longest response time.", default=None)


@dataclass(frozen=True, slots=True)
class Extract(ValuePlace):
    """Place of a variable's value in an answer, of exactly one kind."""

    SHORT = "json"
    FORMS: ClassVar[Forms] = {"source": (*PLACES, ("part",))}
    part: Literal["status"] | None = option(
        "Part of every answer, also of one that fails: its status.", default=None, example="status"
    )
    default: str | None = option(
        "Value where there is none, which is no failure then.", default=None, example='""'
    )
    optional: bool = option(
        "Let it be no failure where there is none, nor a `default`: the variable has no value then.",
        default=False,
        example="true",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestParts:
    """Parts of a request beside its method and path."""

    weight: float = option("Share of this request among its siblings.", default=1.0, low=0.0)
    server: str | None = option(
        "Server that it goes to, one of those under `servers`; by default the target.",
        default=None,
        example="auth",
    )
    headers: Mapping[str, str] = option(
        "Headers of this request, with holes.", factory=dict, example='{Accept: "text/html"}'
    )
    body: str | None = option("Body as a text with holes.", default=None, example='"hello {word}"')
    json: Any = option(
        "Body as JSON, with holes in its texts; the message of a `grpc` request.",
        default=None,
        example='{item: "{item}", count: 1}',
    )
    form: Mapping[str, str] = option(
        "Body as an HTML form, with holes.", factory=dict, example='{user: "{user}"}'
    )
    body_file: str | None = option(
        "File whose bytes are the body, as they are.", default=None, example="order.json"
    )
    expect: Expect = option(
        "Checks on the answer; a bare number is the status.", factory=Expect, example="{status: 200}"
    )
    extract: Mapping[str, Extract] = option(
        "Variables taken from the answer; a bare text is a JSON pointer or path.",
        factory=dict,
        example='{id: "$.id"}',
    )
    think: Think | None = option(
        "Pause after this request instead of the general one.", default=None, example="2s"
    )
    timeout: Seconds | None = option("Time-out of this request.", default=None, low=0.001)
    follow_redirects: Count = option("How many redirects to follow.", default=Count(0), low=0, example="3")
    beside: bool = option(
        "Send this step at once with the one before it; the next one waits for all of them.",
        default=False,
        example="true",
    )
    when: When | None = option("Condition on an answer, without which the step is left out.", default=None)
    repeat: Repeat | None = option("Make the step again until an answer says so.", default=None)


Protocol = Literal["http", "websocket", "grpc"]
"""Protocol of a route: a request over HTTP, a message over a WebSocket, a unary call of gRPC."""


@dataclass(frozen=True, slots=True)
class Request(RequestParts):
    """Route: a template of a request, its weight, and what is expected of the answer.

    In a plan the method is the key: `get: /path`. Holes are written {name}; {{ is a brace.
    path: of a websocket that of its upgrade, of a grpc route its method, `package.Service/Method`.
    """

    name: str
    method: str
    path: str
    protocol: Protocol = "http"
    span: Span | None = field(default=None, compare=False)

    @property
    def address(self) -> str:
        """Method and path, as a plan says them: `GET /search`, `websocket /chat`, `grpc shop.Shop/Find`.

        The server follows where it is not the target: `POST /token @auth`.
        """
        there = f" @{self.server}" if self.server else ""
        return f"{self.method if self.protocol == 'http' else self.protocol} {self.path}{there}"


@dataclass(frozen=True, slots=True)
class Login:
    """The step that gets a token: a route class of its own, left out of the service's figures.

    lasts, lasts_from: how long a token is good, or where the answer says it in seconds; with
    neither, until an answer has a status of `again_on`. jitter: by up to which share of its life a
    token is renewed earlier than at its end.
    """

    request: Request
    lasts: Seconds | None = None
    lasts_from: Extract | None = None
    again_on: tuple[int, ...] = (401,)
    jitter: Share = Share(0.0)


@dataclass(frozen=True, slots=True)
class Scenario:
    """Steps that a user makes in order; a plan's `requests:` are scenarios of one step each."""

    name: str
    weight: float
    steps: tuple[Request, ...]

    @property
    def beside(self) -> tuple[int, ...]:
        """Places of the steps that are sent at once with the one before."""
        return tuple(place for place, step in enumerate(self.steps) if step.beside)

    @property
    def most_at_once(self) -> int:
        """Largest number of steps that are sent at once."""
        most = width = 1
        for step in self.steps:
            width = width + 1 if step.beside else 1
            most = max(most, width)
        return most
