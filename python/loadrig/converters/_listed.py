"""Requests as tools list them, with whole URLs, become the requests of a plan, which has one server."""

import base64
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote, unquote_plus, urlsplit

from loadrig.base.route_parts import route_part
from loadrig.base.units import Count
from loadrig.base.user_files import MOST_BODY_BYTES
from loadrig.converters._account import LineAccount
from loadrig.converters._address import PlanServers, joined_values
from loadrig.converters._draft import FileDraft, ScenarioDraft, StepDraft
from loadrig.converters._grouped import Feeds, TemplateKey, templated
from loadrig.converters._source import TestSource
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.room import ConvertersTexts
from loadrig.plan.holes import literal
from loadrig.plan.servers import MOST_SERVERS
from loadrig.plan.written import METHODS, WrittenRequest

TEXTS = texts_of(ConvertersTexts)

MOST_LISTED = 100_000
"""Requests of a list at most; the rest is counted. A list is held in memory."""

MOST_ROUTES = 500
"""Different requests of a plan at most: more are no longer read by anybody."""

MOST_IN_PLAN = 4_000
"""Letters of a body that stands in the plan at most: a longer one is a file beside it."""

OWN_HEADERS = frozenset(
    ("connection", "keep-alive", "proxy-connection", "content-length", "transfer-encoding")
)
"""Headers that loadrig writes itself."""

_TOKENS = frozenset("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_IN_A_TARGET = "%/:?@!$&'()*+,;=[]~"


@dataclass(frozen=True, slots=True)
class ListedRequest:
    """A request of a list. name: its route's name where the list has one."""

    line: int
    method: str
    url: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    name: str = ""


@dataclass(frozen=True, slots=True)
class PlacedRequest:
    """A request, with its server as a plan has it, its path with the query, and its headers."""

    listed: ListedRequest
    server: str
    target: str
    headers: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class ListedParts:
    """Parts of a plan that a list makes."""

    servers: PlanServers = field(default_factory=lambda: PlanServers("http://127.0.0.1"))
    scenarios: tuple[ScenarioDraft, ...] = ()
    feeds: Feeds = field(default_factory=lambda: Feeds("values"))
    files: tuple[FileDraft, ...] = ()


def server_and_target(url: str) -> tuple[str, str, str] | None:
    """Return the server of a URL as a plan's target has it, the path with its query, and the login in it.

    None for what is no URL of HTTP with a host.
    """
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        return None
    scheme, host = parts.scheme.lower(), parts.hostname or ""
    if scheme not in ("http", "https") or not host or not all(_is_plain(letter) for letter in host):
        return None
    shown = f"[{host}]" if ":" in host else host
    usual = {"http": 80, "https": 443}[scheme]
    server = f"{scheme}://{shown}" + ("" if port in (None, usual) else f":{port}")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    login = parts.netloc.rpartition("@")[0]
    return server, quote(target, safe=_IN_A_TARGET).replace("://", "%3A//"), login


def _is_plain(letter: str) -> bool:
    return letter.isascii() and (letter.isalnum() or letter in "-._:%")


def body_beside(source: TestSource, name: str) -> bytes | None:
    """Return the content of a file that a list names as a body; None where none may be read."""
    path = source.beside(name)
    try:
        return path.read_bytes() if path is not None and path.stat().st_size <= MOST_BODY_BYTES else None
    except OSError:
        return None


def weighted(
    requests: Iterable[ListedRequest], account: LineAccount, stem: str, redirects: int
) -> ListedParts:
    """Return requests picked by their shares, those that differ in values alone as one request with holes."""
    placed, parts = _placed(requests, account, stem)
    groups: dict[tuple[str, TemplateKey, tuple[tuple[str, str], ...], bytes], list[PlacedRequest]] = {}
    for request in placed:
        group = (request.server, _template(request), request.headers, request.listed.body)
        groups.setdefault(group, []).append(request)
    names = RouteNames()
    scenarios, files = [], dict[bytes, FileDraft]()
    for number, ((server, key, headers, body), members) in enumerate(groups.items()):
        if number >= MOST_ROUTES:
            account.drop(members[0].listed.line, _shown(members[0].listed), TEXTS.too_many(MOST_ROUTES))
            continue
        more: dict[str, Any] = {"headers": _literals(headers), "follow_redirects": Count(redirects)}
        more |= _body(body, stem, files) | parts.servers.keys(server)
        rows = [_row(member) for member in members]
        request_ = templated(key, rows, parts.feeds, name=names.unique(_title(key)), **more)
        step = StepDraft(request_, members[0].listed.line)
        scenarios.append(ScenarioDraft("", (step,), weight=float(len(members))))
        account.carry(TEXTS.requests, len(members))
    parts.scenarios, parts.files = tuple(scenarios), tuple(files.values())
    return parts


def in_order(
    requests: Iterable[ListedRequest], account: LineAccount, stem: str, redirects: int
) -> ListedParts:
    """Return requests as the steps of one scenario."""
    placed, parts = _placed(requests, account, stem)
    names = RouteNames()
    steps, files = [], dict[bytes, FileDraft]()
    for member in placed:
        listed = member.listed
        asked: dict[str, Any] = {
            listed.method.lower(): literal(member.target),
            "headers": _literals(member.headers),
            "follow_redirects": Count(redirects),
            **parts.servers.keys(member.server),
        }
        asked |= _body(listed.body, stem, files)
        account.carry(TEXTS.requests)
        name = names.unique(listed.name or f"{listed.method} {member.target.partition('?')[0]}")
        steps.append(StepDraft(WrittenRequest(name=name, **asked), listed.line))
    parts.scenarios = (ScenarioDraft("", tuple(steps)),) if steps else ()
    parts.files = tuple(files.values())
    return parts


def _placed(
    requests: Iterable[ListedRequest], account: LineAccount, stem: str
) -> tuple[list[PlacedRequest], ListedParts]:
    """Return the requests that a plan can have; the server that most go to is its target. Note the others."""
    valid = []
    for listed in requests:
        where = server_and_target(listed.url)
        if listed.method.lower() not in METHODS:
            account.drop(listed.line, _shown(listed), TEXTS.no_such_method)
        elif where is None or "\ufffd" in unquote(where[1]):
            account.drop(listed.line, _shown(listed), TEXTS.no_http_url)
        else:
            server, target, login = where
            valid.append(PlacedRequest(listed, server, target, _headers(listed, login, account)))
    counts = Counter(request.server for request in valid)
    if not counts:
        return [], ListedParts(feeds=Feeds(stem))
    servers = PlanServers(counts.most_common(1)[0][0])
    served = []
    for request in valid:
        if servers.take(request.server):
            served.append(request)
        else:
            account.drop(request.listed.line, _shown(request.listed), TEXTS.too_many_servers(MOST_SERVERS))
    return served, ListedParts(servers, feeds=Feeds(stem))


def _shown(listed: ListedRequest) -> str:
    return f"{listed.method[:20]} {listed.url.partition('?')[0].rpartition('@')[2][:200]}"


def _headers(listed: ListedRequest, login: str, account: LineAccount) -> tuple[tuple[str, str], ...]:
    headers: dict[str, str] = {}
    for name, value in listed.headers:
        same = next((other for other in headers if other.lower() == name.lower()), "")
        if name.lower() in OWN_HEADERS:
            account.drop(listed.line, TEXTS.header(name), TEXTS.own_header)
        elif not name or not set(name) <= _TOKENS or not all(sign.isprintable() for sign in value):
            account.drop(listed.line, TEXTS.header(name[:40]), TEXTS.no_header)
        elif same:
            headers[same] = joined_values(name, headers[same], value)
            account.alter(listed.line, TEXTS.header(name), TEXTS.headers_joined)
        else:
            headers[name] = value
    if login and not any(name.lower() == "authorization" for name in headers):
        user, _, password = login.partition(":")
        pair = f"{unquote(user)}:{unquote(password)}".encode()
        headers["Authorization"] = f"Basic {base64.b64encode(pair).decode()}"
    return tuple(headers.items())


def _literals(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    return {name: literal(value) for name, value in headers}


def _is_text(body: bytes) -> bool:
    """Return whether a body can stand in a plan."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return False
    return all(letter.isprintable() or letter in "\n\t" for letter in text)


def _body(body: bytes, stem: str, files: dict[bytes, FileDraft]) -> dict[str, str]:
    """Return the keys that say a body: in the plan, or as a file beside it."""
    if not body:
        return {}
    if _is_text(body) and len(body) <= MOST_IN_PLAN:
        return {"body": literal(body.decode())}
    return {"body_file": _body_file(body, stem, files).name}


def _body_file(body: bytes, stem: str, files: dict[bytes, FileDraft]) -> FileDraft:
    if body not in files:
        files[body] = FileDraft(f"{stem}-body-{len(files) + 1}", body)
    return files[body]


def _template(request: PlacedRequest) -> TemplateKey:
    path, _, query = request.target.partition("?")
    parts = tuple(route_part(part) for part in path[1:].split("/"))
    return request.listed.method, parts, tuple(name for name, _ in _split(query))


def _split(query: str) -> list[tuple[str, str]]:
    """Return the parameters of a query: the name with its `=`, and the value."""
    pairs = []
    for text in query.split("&") if query else ():
        name, sign, value = text.partition("=")
        pairs.append((f"{name}=", value) if sign else ("", name))
    return pairs


def _row(request: PlacedRequest) -> list[str]:
    path, _, query = request.target.partition("?")
    values = [unquote_plus(value) for _, value in _split(query)]
    return [*(unquote(part) for part in path[1:].split("/")), *values]


def _title(key: TemplateKey) -> str:
    method, parts, names = key
    query = "&".join(name.partition("=")[0] for name in names)
    return f"{method} /{'/'.join(parts)}{'?' if names else ''}{query}"


class RouteNames:
    """Names of routes, each given once."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def unique(self, name: str) -> str:
        """Return a name, with a number where it was given before."""
        number, shown = 1, name
        while shown in self._names:
            number += 1
            shown = f"{name} ({number})"
        self._names.add(shown)
        return shown


def bounded(requests: Iterable[ListedRequest], account: LineAccount) -> Sequence[ListedRequest]:
    """Return the first MOST_LISTED requests; count the rest."""
    listed: list[ListedRequest] = []
    left_out, line = 0, 0
    for request in requests:
        if len(listed) < MOST_LISTED:
            listed.append(request)
        else:
            left_out, line = left_out + 1, line or request.line
    if left_out:
        account.drop(line, TEXTS.parts(left_out), TEXTS.list_too_long(MOST_LISTED))
    return listed
