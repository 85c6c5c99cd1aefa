"""Recordings of browsers: HAR 1.2, as "Save all as HAR" of Chrome, Edge, Firefox and Safari, and proxies.

## What is read

The entries of the file with their requests, answers and pages.

## What is carried

Requests to the server of most documents, and to the hosts that `--host` names, by one user, in the order
of their pages and then of their times: method, path, query, headers, body.
Pauses between pages, and other pauses of at least a second, as `think`: from the end of all answers before
to the begin of the next request.
Requests that a browser makes before any of them is answered are sent at once (`beside`), each on a connection
of its own; over HTTP/1.1 a browser has six, which `connections: {most: 6}` says of one user.
Tokens: a value that a former answer gave (JSON, a page, a header, a cookie), that looks like a token, and
that is sent in a header, a path, a query, a form or JSON, becomes an `extract` and a hole.
Requests that ask whether something has changed, with their conditions as they are.

## What is altered

A request that a browser makes while the answer to one before is under way, but not to all of them, or while
it reads a page, waits for those answers.
HTTP/2 and 3 become HTTP/1.1, unless you write `connections`.
`Accept-Encoding` is that of loadrig, which unpacks gzip.
A form of which the file has only the fields is written anew, also one in parts with the values of its files.
Headers of one name are joined to one.

## What is dropped

Requests to other hosts than those that `--host` names, each host with its number of requests;
WebSockets; answers of the browser's own cache, and requests without an answer.
Cookies of the recording: each user keeps those that it is given.
Headers of HTTP/2 itself, and of connections.
Forms with files of which the recording has no content.

Source: HAR 1.2; the exporters of Chrome DevTools and Firefox.
"""

import re
from collections import Counter
from collections.abc import Sequence
from urllib.parse import quote_plus, unquote_plus

from loadrig.converters._account import PartsAccount
from loadrig.converters._address import PlanServers, ServerAddress, joined_values
from loadrig.converters._curl_body import MULTIPART
from loadrig.converters._draft import Conversion
from loadrig.converters._har_reading import HarEntry, entries_of
from loadrig.converters._har_tokens import TokenFinder, without_signs
from loadrig.converters._jmx_multipart import FormField, FormFile, body_of
from loadrig.converters._plain_requests import (
    MOST_REQUESTS,
    OWN_HEADERS,
    TOKEN,
    PlainRequest,
    address_of,
    can_be_asked,
    plan_of,
    target_of,
)
from loadrig.converters._source import TestSource, encoding_of
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.har import ConvertersHarTexts
from loadrig.language.en.converters.room import ConvertersTexts
from loadrig.plan.holes import literal

TEXTS, ROOM_TEXTS = texts_of(ConvertersHarTexts), texts_of(ConvertersTexts)

TOOL = "HAR"
FILES = TEXTS.files

SHORTEST_PAUSE_S = 1.0
"""Pause within a page that is a user's, in seconds; below it, it is the browser that waits."""

LONGEST_PAUSE_S = 3_600.0
"""Pause of a user at most, in seconds: beyond it, the recording was left alone."""

_LOG = re.compile(r'"log"\s*:\s*\{')
_BREAKS = re.compile(r"[\r\n\0]+")
_DROPPED_HEADERS = OWN_HEADERS | {"upgrade", "http2-settings", "te", "trailer", "expect"}
_FORM = "application/x-www-form-urlencoded"


def recognises(head: bytes, name: str) -> bool:
    """Return whether the first bytes are those of a JSON document with a log of entries."""
    del name
    text = head.decode(encoding_of(head), "replace").lstrip("\ufeff \t\r\n")
    if not text.startswith("{") or not _LOG.search(text):
        return False
    return any(f'"{key}"' in text for key in ("entries", "creator", "pages"))


def convert(source: TestSource) -> Conversion:
    """Return the plan of a recording. Raise PlanError `import.bad-test`, `import.too-large`."""
    return _HarConversion(source).result()


class _HarConversion:
    """Work on one file."""

    def __init__(self, source: TestSource) -> None:
        self._name, self._hosts = source.name, source.hosts
        self._entries = entries_of(source)
        self._account = PartsAccount()
        self._tokens = TokenFinder()
        self._dropped_headers: Counter[str] = Counter()
        self._encodings = 0
        self._orders = {entry.number: 2 * place for place, entry in enumerate(self._entries, start=1)}

    def result(self) -> Conversion:
        """Return the plan and the account of it."""
        sent = [entry for entry in self._entries if self._is_sent(entry)]
        servers = PlanServers(_main_server(sent).url)
        here = self._of_servers(sent, servers)
        requests = [self._request(entry) for entry in here]
        self._give_pauses(requests, here)
        self._give_extracts(requests, here)
        self._tell_headers()
        if requests:
            self._account.carry(TEXTS.requests, len(requests))
        if pauses := sum(request.think_s is not None for request in requests):
            self._account.carry(TEXTS.pauses, pauses)
        if self._tokens.holes:
            self._account.carry(TEXTS.tokens, len(self._tokens.holes))
        if any(entry.version.startswith(("h2", "h3", "http/2", "http/3")) for entry in here):
            self._account.alter(self._name, "HTTP/2", TEXTS.other_version, 0)
        self._put_together(requests, here)
        plan = plan_of(requests, servers, cookies=True, feeds={})
        return Conversion(plan, self._account.dropped, self._account.altered, self._account.carried)

    # --- entries ----------------------------------------------------------------------------------

    def _is_sent(self, entry: HarEntry) -> bool:
        """Return whether an entry is a request that went to a server; note one that did not."""
        scheme = entry.url.partition(":")[0].lower()
        if scheme in ("ws", "wss") or entry.status == 101:
            self._drop(entry, TEXTS.no_websocket)
        elif scheme not in ("http", "https"):
            self._drop(entry, TEXTS.other_address, scheme[:20])
        elif address_of(entry.url) is None:
            self._drop(entry, TEXTS.other_address)
        elif entry.is_cached:
            self._drop(entry, TEXTS.from_cache)
        elif entry.status == 0:
            self._drop(entry, TEXTS.no_answer)
        elif not can_be_asked(entry.method):
            self._drop(entry, TEXTS.other_method(entry.method[:20]))
        else:
            return True
        return False

    def _of_servers(self, entries: Sequence[HarEntry], servers: PlanServers) -> list[HarEntry]:
        """Return the entries of the target and of hosts that were asked for; note the others."""
        others: Counter[ServerAddress] = Counter()
        here = []
        for entry in entries:
            addressed = address_of(entry.url)
            assert addressed is not None
            address = addressed[0]
            is_asked_for = address.url == servers.target or address.host in self._hosts
            if is_asked_for and servers.take(address.url):
                here.append(entry)
            else:
                others[address] += 1
        for address, count in others.most_common():
            self._account.drop(self._name, address.url, TEXTS.other_server(count, address.host), 0)
        if len(here) > MOST_REQUESTS:
            why = TEXTS.too_many(MOST_REQUESTS)
            self._account.drop(self._name, TEXTS.further(len(here) - MOST_REQUESTS), why, 0)
        return here[:MOST_REQUESTS]

    def _request(self, entry: HarEntry) -> PlainRequest:
        addressed = address_of(entry.url)
        assert addressed is not None
        server, parts = addressed
        parts = parts._replace(
            path=self._tokens.in_path(parts.path), query=self._tokens.in_pairs(parts.query)
        )
        target = self._target(target_of(parts))
        # What is said of an entry stands in the plan above its request.
        order = self._orders[entry.number] + 1
        request = PlainRequest(entry.method, server, target, TEXTS.at_entry(entry.number), order)
        self._give_headers(request, entry, server)
        if entry.method != "HEAD":
            self._give_body(request, entry)
        self._tokens.remember(entry)
        return request

    def _give_headers(self, request: PlainRequest, entry: HarEntry, server: ServerAddress) -> None:
        fields: dict[str, tuple[str, str]] = {}
        for name, value in entry.request.headers:
            low = name.lower()
            if low.startswith(":") or low in _DROPPED_HEADERS or low == "cookie" or not TOKEN.fullmatch(name):
                self._dropped_headers[low if low.startswith(":") or TOKEN.fullmatch(low) else "?"] += 1
            elif low == "accept-encoding":
                self._encodings += 1
            elif low == "host" and value == server.url.partition("://")[2]:
                continue
            elif low in fields:
                place = TEXTS.at_entry(entry.number)
                self._account.alter(
                    place, ROOM_TEXTS.header(name), ROOM_TEXTS.headers_joined, request.order - 1
                )
                fields[low] = (fields[low][0], joined_values(name, fields[low][1], self._header(name, value)))
            else:
                fields[low] = (name, self._header(name, value))
        request.headers = dict(fields.values())

    def _header(self, name: str, value: str) -> str:
        return self._template(self._tokens.in_header(name, _BREAKS.sub(" ", value).strip()))

    def _give_body(self, request: PlainRequest, entry: HarEntry) -> None:
        content, kind = entry.request.content, entry.request.kind.lower()
        if content is None and entry.params and not entry.has_files and "multipart" not in kind:
            content = "&".join(
                f"{_encoded(field.name)}={_encoded(field.value or '')}" for field in entry.params
            )
            kind = kind or _FORM
        elif content is None and "multipart" in kind and (text := _multipart(entry)) is not None:
            request.body = text
            headers = {
                name: value for name, value in request.headers.items() if name.lower() != "content-type"
            }
            request.headers = {**headers, "Content-Type": MULTIPART}
            if entry.has_files:
                self._tell_files(request, entry)
            return
        if content is None:
            if entry.expects_body or entry.params:
                why = TEXTS.no_files if entry.has_files or "multipart" in kind else TEXTS.no_body
                self._drop(entry, why, TEXTS.body)
            return
        if "multipart" in kind and (entry.has_files or "filename=" in str(content)):
            self._tell_files(request, entry)
        if isinstance(content, bytes):
            request.body = content
        elif "json" in kind:
            request.body = self._template(self._tokens.in_json(content))
        elif _FORM in kind:
            request.body = self._template(self._tokens.in_pairs(content))
        else:
            request.body = literal(without_signs(content))
        if entry.request.kind and not any(name.lower() == "content-type" for name in request.headers):
            request.headers["Content-Type"] = literal(_BREAKS.sub(" ", entry.request.kind))

    def _tell_files(self, request: PlainRequest, entry: HarEntry) -> None:
        what = f"{entry.method} ({TEXTS.body})"
        self._account.alter(TEXTS.at_entry(entry.number), what, TEXTS.files_as_recorded, request.order - 1)

    # --- pauses and tokens ------------------------------------------------------------------------

    def _give_pauses(self, requests: Sequence[PlainRequest], entries: Sequence[HarEntry]) -> None:
        """Give each request before a pause its length."""
        end_s: float | None = None
        for place, entry in enumerate(entries):
            if entry.start_s is None:
                continue
            if end_s is not None and place:
                pause_s = entry.start_s - end_s
                is_next_page = entry.page != entries[place - 1].page
                if pause_s >= SHORTEST_PAUSE_S or (is_next_page and pause_s > 0):
                    length_s = round(min(pause_s, LONGEST_PAUSE_S), 3)
                    requests[place - 1].think_s = length_s or None
            entry_end_s = entry.start_s + entry.length_s
            end_s = entry_end_s if end_s is None else max(end_s, entry_end_s)

    def _give_extracts(self, requests: Sequence[PlainRequest], entries: Sequence[HarEntry]) -> None:
        by_number = {entry.number: request for entry, request in zip(entries, requests, strict=True)}
        for hole in self._tokens.holes.values():
            by_number[hole.number].extract[hole.name] = hole.extract

    # --- texts ------------------------------------------------------------------------------------

    def _template(self, text: str) -> str:
        """Return a text as a template: its braces doubled, its signs holes."""
        doubled = literal(text)
        if doubled.isascii():
            return doubled
        holes = self._tokens.holes
        return "".join(f"{{{holes[sign].name}}}" if sign in holes else sign for sign in doubled)

    def _target(self, target: str) -> str:
        """Return a target with its holes: their signs were encoded with it."""
        for sign, hole in self._tokens.holes.items():
            encoded = "".join(f"%{byte:02X}" for byte in sign.encode())
            target = target.replace(encoded, f"{{{hole.name}}}")
        return target

    def _tell_headers(self) -> None:
        if self._encodings:
            what = TEXTS.header("accept-encoding", self._encodings)
            self._account.alter(self._name, what, TEXTS.own_encoding, 0)
        for name, count in self._dropped_headers.most_common():
            why = TEXTS.own_cookies if name == "cookie" else TEXTS.own_header
            self._account.drop(self._name, TEXTS.header(name[:60], count), why, 0)

    def _put_together(self, requests: Sequence[PlainRequest], entries: Sequence[HarEntry]) -> None:
        """Let those go out at once that the browser asked for before it had an answer to any of them.

        A page is answered alone: what is asked for while it is read comes of it.
        """
        group: list[HarEntry] = []
        beside = overlapping = 0
        for request, entry in zip(requests, entries, strict=True):
            if entry.start_s is None:
                group = []
                continue
            ends = [other.start_s + other.length_s for other in group if other.start_s is not None]
            has_page = any("html" in other.answer.kind.lower() for other in group)
            if ends and entry.start_s < min(ends) and not has_page and not self._needs(request, group):
                request.beside = True
                beside += 1
                group.append(entry)
            else:
                overlapping += bool(ends) and entry.start_s < max(ends)
                group = [entry]
        if beside:
            self._account.carry(TEXTS.at_once, beside)
        if overlapping:
            self._account.alter(self._name, TEXTS.several_requests(overlapping), TEXTS.in_sequence, 0)
        if len(entries) > 1 and any(entry.start_s is None for entry in entries):
            self._account.alter(self._name, TEXTS.requests, TEXTS.no_times, 0)

    def _needs(self, request: PlainRequest, group: Sequence[HarEntry]) -> bool:
        """Return whether a request has a hole that an answer to one of the group fills."""
        numbers = {entry.number for entry in group}
        names = [hole.name for hole in self._tokens.holes.values() if hole.number in numbers]
        return bool(names) and any(f"{{{name}}}" in repr(request) for name in names)

    def _drop(self, entry: HarEntry, why: str, part: str = "") -> None:
        method = entry.method[:20]
        what = f"{method} ({part})" if part else method
        self._account.drop(TEXTS.at_entry(entry.number), what, why, self._orders[entry.number])


def _multipart(entry: HarEntry) -> str | bytes | None:
    """Return a form in parts that only its fields tell; None where the recording lacks the value of one."""
    if not entry.params or any(field.value is None for field in entry.params):
        return None
    fields = [field for field in entry.params if field.file_name is None]
    files = [field for field in entry.params if field.file_name is not None]
    return body_of(
        [
            FormField([field.name], [without_signs(field.value or "")], field.kind, is_bare=True)
            for field in fields
        ],
        [
            FormFile(
                field.name, field.file_name or "", field.kind, (field.value or "").encode(), is_bare=True
            )
            for field in files
        ],
    )


def _encoded(text: str) -> str:
    """Return a part of a form as it is sent; tools write fields decoded or as they were sent."""
    is_encoded = text != (plain := unquote_plus(text)) and quote_plus(plain).lower() == text.lower()
    return text if is_encoded else quote_plus(text)


def _main_server(entries: Sequence[HarEntry]) -> ServerAddress:
    """Return the server of most documents; of most requests where there are no documents."""
    documents: Counter[ServerAddress] = Counter()
    requests: Counter[ServerAddress] = Counter()
    for entry in entries:
        addressed = address_of(entry.url)
        assert addressed is not None
        requests[addressed[0]] += 1
        documents[addressed[0]] += "html" in entry.answer.kind.lower()
    if not requests:
        return ServerAddress("http", "127.0.0.1", 0)
    return max(requests, key=lambda address: (documents[address], requests[address]))
