"""Requests of a test without variables of its own: to which server, in which draft.

Tests that are lists of requests (commands, recordings) have no notion of load: a plan of them is one user
who makes them in their order.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, urlsplit

from loadrig.base.units import Count, Seconds
from loadrig.converters._address import PlanServers, ServerAddress
from loadrig.converters._common_parts import with_common
from loadrig.converters._draft import FeedDraft, FileDraft, PlanDraft, ScenarioDraft, StepDraft
from loadrig.plan.arrivals import Users
from loadrig.plan.holes import holes_in, literal
from loadrig.plan.requests import Extract, Think
from loadrig.plan.written import METHODS, WrittenRequest

MOST_REQUESTS = 2_000
"""Requests of a plan at most: a person reads it, and a recording of an hour of work has some hundred."""

MOST_BODY_IN_PLAN = 20_000
"""Letters of a body that stands in the plan itself, at most; a longer one lies in a file beside it."""

OWN_HEADERS = frozenset(
    ("connection", "keep-alive", "proxy-connection", "content-length", "transfer-encoding")
)
"""Headers that loadrig writes itself, and a plan may not."""

TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", re.ASCII)
"""Name of a header or a method. Source: RFC 9110, section 5.6.2."""

_NOT_SENT = re.compile(r"[^!-~]|[\"<>]")
_DOTS = re.compile(r"/\.{1,2}(?=/|$)")


@dataclass(slots=True)
class PlainRequest:
    """A request, made of parts that are fixed, but for holes. Texts are templates.

    place, order: where it stands in the test. body: bytes where it is no text.
    beside: whether it is sent at once with the one before.
    """

    method: str
    address: ServerAddress
    target: str
    place: str
    order: int
    headers: dict[str, str] = field(default_factory=dict)
    body: str | bytes = ""
    extract: dict[str, Extract] = field(default_factory=dict)
    think_s: float | None = None
    timeout_s: float | None = None
    redirects: int = 0
    comment: str = ""
    beside: bool = False


def can_be_asked(method: str) -> bool:
    """Return whether a plan has a key for a method."""
    return method.lower() in METHODS


_NO_HOST = frozenset(" {}")
"""Signs of no host: a brace would be the begin of a hole."""


def address_of(url: str) -> tuple[ServerAddress, SplitResult] | None:
    """Return the server of an address and its parts; None where it is no address of HTTP."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not host or not host.isprintable():
        return None
    if any(sign in _NO_HOST for sign in host):
        return None
    return ServerAddress(parts.scheme, host, port or 0), parts


def target_of(parts: SplitResult, *, keeps_dots: bool = False) -> str:
    """Return path and query as they are sent, without holes. keeps_dots: its dots are not taken out."""
    path = encoded_sign(parts.path) or "/"
    path = path if keeps_dots else without_dots(path)
    return literal(path + (f"?{encoded_sign(parts.query)}" if parts.query else ""))


def without_dots(path: str) -> str:
    """Return a path without the segments `.` and `..`, as RFC 3986, section 5.2.4 has it."""
    if not _DOTS.search(path):
        return path
    segments: list[str] = []
    listed = path.split("/")[1:]
    for number, segment in enumerate(listed):
        is_last = number == len(listed) - 1
        if segment == ".." and segments:
            segments.pop()
        if segment not in (".", ".."):
            segments.append(segment)
        elif is_last:
            segments.append("")
    return "/" + "/".join(segments)


def encoded_sign(text: str) -> str:
    """Return a text with the signs encoded that cannot stand in a request line."""
    return _NOT_SENT.sub(
        lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "surrogateescape")), text
    )


def main_server(requests: Iterable[PlainRequest]) -> ServerAddress | None:
    """Return the server that most requests go to, the first of several, a fixed one before others."""
    counts = Counter(request.address for request in requests)
    if not counts:
        return None
    return max(counts, key=lambda address: (not address.is_open, counts[address]))


def plan_of(
    requests: list[PlainRequest],
    servers: PlanServers,
    *,
    cookies: bool,
    feeds: Mapping[str, FeedDraft],
    **parts: Any,
) -> PlanDraft:
    """Return the plan in which one user makes requests in their order. servers: those that they go to."""
    names: Counter[str] = Counter()
    files: list[FileDraft] = []
    steps = tuple(_step(request, servers, names, files) for request in requests)
    scenarios, _, common = with_common([ScenarioDraft("steps", steps)], None)
    return PlanDraft(
        **servers.parts(),
        arrivals=Users(count=Count(1)),
        scenarios=scenarios,
        headers=common.headers,
        timeout_s=common.timeout_s,
        cookies=cookies,
        feeds=feeds,
        files=tuple(files),
        **parts,
    )


def _step(
    request: PlainRequest, servers: PlanServers, names: Counter[str], files: list[FileDraft]
) -> StepDraft:
    url = servers.target if request.address.is_open else request.address.url
    parts: dict[str, Any] = {request.method.lower(): request.target, **servers.keys(url)}
    if isinstance(request.body, bytes) or (
        len(request.body) > MOST_BODY_IN_PLAN and not any(holes_in(request.body))
    ):
        content = request.body if isinstance(request.body, bytes) else _written(request.body).encode()
        draft = FileDraft(f"body-{len(files) + 1}.bin", content)
        files.append(draft)
        parts["body_file"] = draft.name
    elif request.body:
        parts["body"] = request.body
    if request.headers:
        parts["headers"] = request.headers
    if request.extract:
        parts["extract"] = request.extract
    if request.think_s is not None:
        parts["think"] = Think(constant=Seconds(request.think_s))
    if request.timeout_s is not None:
        parts["timeout"] = Seconds(request.timeout_s)
    if request.beside:
        parts["beside"] = True
    if request.redirects:
        parts["follow_redirects"] = Count(request.redirects)
    name = _own_name(f"{request.method} {request.target.partition('?')[0]}", names)
    return StepDraft(WrittenRequest(name=name, **parts), request.order, request.comment)


def _written(template: str) -> str:
    """Return the text of a template without holes."""
    return template.replace("{{", "{").replace("}}", "}")


def _own_name(name: str, names: Counter[str]) -> str:
    """Return a name that no step before has."""
    name = name.replace("{{", "{").replace("}}", "}")
    names[name] += 1
    number = names[name]
    while number > 1 and names[f"{name} ({number})"]:
        number += 1
    if number == 1:
        return name
    names[name] = number
    names[f"{name} ({number})"] += 1
    return f"{name} ({number})"
