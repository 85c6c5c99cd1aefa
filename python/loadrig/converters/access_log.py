"""Access logs of web servers and proxies.

## What is read

The common and the combined format (nginx, Apache, and all that write as they do, with whatever stands behind
or before it), Envoy's default format and Istio's, and JSON lines with the usual names of nginx, Caddy,
Traefik and Envoy.
Several files are one log, read in the order in which they are named.
Files packed by gzip are read as they are.
A log may have any length: it is read line by line, in tables of a fixed size.

## What is carried

Requests by route: a method and a path in which numbers, UUIDs, hexadecimal and other long words are items.
So are words of which some thirty or more stand in the same place of a path, also in several places of it
(`/OWNER/REPOSITORY`).
Items and the values of a query are holes where they differ, fed by files of values as they were observed
together, so that what was asked often is asked often; of a route up to 1,000 requests are kept.
Queries with other names are other routes.
The routes' shares are their weights; the 100 most frequent routes are kept.
The rate is that of the busiest 60 s.
A second plan, `NAME-replay.yaml`, sends the log's own requests one by one: in the log's order, each at its
time, at any speed, with its method, path and query.
They have the routes of the first plan there; those of rarer routes are one route for each method.
The table `NAME-replay.csv` beside it has the time, the route and the path with its query of each.
Statuses: those from 400 to 498 that at least 1 % of a route's answers had are expected, as the log has them.

## What is altered

The server: a log does not say which one may be loaded, so that of the plan is one of this machine.
Headers and cookies are not in a log.
Query parameters that are secrets by their name or form (token, password, key) are left out, never written.
Requests of the same second are spread evenly over it.

## What is dropped

Requests with a body (POST, PUT, PATCH), as it is not in the log; where the log tells that the body was empty,
they are carried.
Requests whose path is a secret, methods that a plan does not have, switches to other protocols.
Of the second plan those beyond a million or 32 million characters.
Routes that are rare, and lines that are no entry of a log; each with its count.

Source: the formats as their makers document them, see `_log_lines`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from loadrig.base.units import PerSecond
from loadrig.converters._draft import (
    Altered,
    Conversion,
    Dropped,
    FileDraft,
    PlanDraft,
    ScenarioDraft,
    StepDraft,
)
from loadrig.converters._grouped import Feeds, templated
from loadrig.converters._log_lines import LoggedRequest, logged
from loadrig.converters._log_replay import LogReplay, replayed_files
from loadrig.converters._log_routes import (
    MOST_ROUTES,
    LoggedRoute,
    RouteKey,
    RouteTable,
    is_too_long,
    route_name,
)
from loadrig.converters._log_times import BUSIEST_S, LogTimes
from loadrig.converters._read import plain_stem
from loadrig.converters._source import HEAD_BYTES, TestSource
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.access_log import ConvertersAccessLogTexts
from loadrig.language.en.converters.room import ConvertersTexts
from loadrig.plan.arrivals import Rate
from loadrig.plan.requests import Expect
from loadrig.plan.written import METHODS, WrittenRequest

TEXTS, ROOM_TEXTS = texts_of(ConvertersAccessLogTexts), texts_of(ConvertersTexts)

TOOL = TEXTS.tool
FILES = TEXTS.files

SERVER = "http://127.0.0.1:8000"
"""Server of the plan: a log's own is one that people use."""

MOST_RARE = 100
"""Routes that are left out by name, at most; the rest is counted."""

MOST_HOSTS = 1000
"""Names of servers that are counted, at most."""

EXPECTED_SHARE = 0.01
"""Share of a route's answers from which a status from 400 to 498 belongs to the route. Below it, it is an
error of the moment."""

_LOOKED_AT = 20
_WITH_BODY = ("POST", "PUT", "PATCH")
_SWITCHED = 101
_CLIENT_ERRORS = range(400, 499)  # 499 is nginx's own, for a client that went away


def recognises(head: bytes, name: str) -> bool:
    """Return whether most of the first lines are entries of an access log."""
    del name
    lines = head.decode("latin-1").split("\n")
    if len(head) >= HEAD_BYTES and len(lines) > 1:
        lines.pop()  # cut somewhere
    looked_at = [line for line in lines if line.strip()][:_LOOKED_AT]
    return 2 * sum(logged(line.rstrip("\r")) is not None for line in looked_at) > len(looked_at)


def convert(source: TestSource) -> Conversion:
    """Return the plan of a log. Raise PlanError `import.bad-test`, `import.cannot-read`."""
    log = _Log()
    for file in (source, *source.companions):
        log.read(file, several=bool(source.companions))
    if not log.entries:
        raise source.bad(TEXTS.no_entry_at_all, TEXTS.no_log)
    return log.conversion(plain_stem(source.path))


class _Log:
    """Work on one log."""

    def __init__(self) -> None:
        self.entries = 0
        self._table = RouteTable()
        self._rejected = RouteTable()
        self._times = LogTimes()
        self._replay = LogReplay()
        self._hosts: Counter[str] = Counter()
        self._unread = 0
        self._first_unread = ""

    def read(self, source: TestSource, *, several: bool) -> None:
        """Read a file of the log."""
        for line in source.lines():
            if not line.strip():
                continue
            request = logged(line)
            if request is None:
                at_line = ROOM_TEXTS.at_line(source.line)
                place = f"{source.name}, {at_line}" if several else at_line
                self._unread += 1
                self._first_unread = self._first_unread or place
                continue
            self.entries += 1
            self._add(request, source.line)

    def _add(self, request: LoggedRequest, line: int) -> None:
        if not _is_sent(request):
            self._rejected.add(request.method or "?", _short(request.target), request.status, line)
            return
        self._table.add(request.method, request.target, request.status, line)
        if request.time_s is not None:
            self._times.add(request.time_s)
            self._replay.add(request.method, request.target, request.status, request.time_s)
        if request.host and (request.host in self._hosts or len(self._hosts) < MOST_HOSTS):
            self._hosts[request.host] += 1

    # --- the plan ---------------------------------------------------------------------------------

    def conversion(self, stem: str) -> Conversion:
        """Return the plan and the account of it. stem: the beginning of the names of its files."""
        self._table.merge()
        ranked = sorted(
            self._table.routes.items(), key=lambda item: (-item[1].count, item[1].first_line, item[0])
        )
        dropped = self._dropped()
        altered = []
        carried = []
        for key, route in ranked:
            if route.table(route.secret_columns()):
                carried.append((key, route))
            else:
                dropped.append(_dropped_route(key, route, TEXTS.secret_path))
        dropped += _rare(carried[MOST_ROUTES:])
        carried = carried[:MOST_ROUTES]
        feeds = Feeds(stem)
        total = sum(route.count for _, route in carried)
        scenarios = []
        by_route: dict[RouteKey, WrittenRequest] = {}
        for key, route in carried:
            request = by_route[key] = _request_of(key, route, feeds)
            comment = _comment(route, total)
            step = StepDraft(request, comment=comment)
            scenarios.append(ScenarioDraft("", (step,), weight=float(route.count)))
            altered += [
                Altered(
                    ROOM_TEXTS.at_line(route.first_line),
                    f"{TEXTS.secret_parameter(name)} ({route_name(key)})",
                    TEXTS.secret_left_out(name),
                )
                for name in (*route.secrets, *_secret_names(key, route))
            ]
        files: tuple[FileDraft, ...] = ()
        comments: tuple[str, ...] = ()
        secrets = {key[2][place] for key, route in ranked for place in route.secret_columns()}
        if (replay := self._replayed(stem, by_route, secrets)) is not None:
            files = replayed_files(replay, f"{stem}-replay.yaml", f"{TOOL}: {stem}")
            comments = (TEXTS.in_order(f"{stem}-replay.yaml"),)
            dropped += self._replay.dropped()
        plan = PlanDraft(
            server=SERVER,
            arrivals=Rate(per_second=PerSecond(self._rate())),
            scenarios=tuple(scenarios),
            feeds=feeds.drafts,
            files=files,
            cookies=False,
            arrivals_comment=comments,
        )
        counts = {TEXTS.requests: total, TEXTS.routes: len(carried)}
        return Conversion(plan, tuple(dropped), (*self._altered(), *altered), counts)

    def _replayed(
        self, stem: str, by_route: Mapping[RouteKey, WrittenRequest], secrets: set[str]
    ) -> Conversion | None:
        def route_of(method: str, target: str) -> WrittenRequest | None:
            key = self._table.key_of(method, target)
            return by_route.get(key) if key is not None else None

        expected = _expected(self._replay.statuses, self._replay.statuses.total())
        return self._replay.conversion(stem, SERVER, route_of, expected, secrets)

    def _rate(self) -> float:
        return max(round(self._times.busiest()[0], 3), 0.001) if self._times.count else 1.0

    def _altered(self) -> list[Altered]:
        place = ROOM_TEXTS.at_line(1)
        hosts = ", ".join(host for host, _ in self._hosts.most_common(3))
        altered = [
            Altered(place, TEXTS.server, TEXTS.server_to_write(SERVER, hosts)),
            Altered(place, TEXTS.headers, TEXTS.no_headers),
        ]
        if not self._times.count:
            altered.append(Altered(place, TEXTS.rate, TEXTS.no_times))
        elif self._times.length_s > BUSIEST_S:
            begin = datetime.fromtimestamp(self._times.busiest()[1], UTC).isoformat(timespec="seconds")
            how = TEXTS.busiest_rate(BUSIEST_S, begin, f"{self._times.mean_per_s:.3g}")
            altered.append(Altered(place, TEXTS.rate, how))
        else:
            altered.append(Altered(place, TEXTS.rate, TEXTS.mean_rate(round(self._times.length_s))))
        return altered

    def _dropped(self) -> list[Dropped]:
        """Return what cannot be sent: lines as a whole, requests by their routes."""
        dropped = []
        if self._unread:
            dropped.append(Dropped(self._first_unread, TEXTS.lines(self._unread), TEXTS.no_request))
        self._rejected.merge()
        by_route = sorted(
            self._rejected.routes.items(), key=lambda item: (-item[1].count, item[1].first_line)
        )
        for key, route in by_route[:MOST_RARE]:
            dropped.append(_dropped_route(key, route, _reason(key, route)))
        rest = by_route[MOST_RARE:]
        count = sum(route.count for _, route in rest) + self._rejected.uncounted
        if count:
            place = ROOM_TEXTS.at_line(min((route.first_line for _, route in rest), default=1))
            dropped.append(Dropped(place, TEXTS.further_routes(len(rest), count), TEXTS.no_body))
        if self._table.uncounted:
            what = TEXTS.requests_of("…", self._table.uncounted)
            dropped.append(Dropped(ROOM_TEXTS.further, what, TEXTS.too_many_routes))
        return dropped


def _short(target: str) -> str:
    return "/…" if is_too_long(target) else target or "/"


def _is_sent(request: LoggedRequest) -> bool:
    """Return whether a plan can say a request, and the log holds all of it."""
    is_whole = request.method not in _WITH_BODY or request.has_body is False
    is_asked = request.method.lower() in METHODS and request.status != _SWITCHED
    is_asked = is_asked and request.target != "" and not is_too_long(request.target)
    return is_asked and is_whole


def _reason(key: RouteKey, route: LoggedRoute) -> str:
    """Return why the requests of a route cannot be sent."""
    method = key[0]
    if method.lower() not in METHODS:
        return TEXTS.no_such_method
    if method in _WITH_BODY:
        return TEXTS.no_body
    return TEXTS.upgraded if route.statuses[_SWITCHED] else TEXTS.no_path


def _dropped_route(key: RouteKey, route: LoggedRoute, why: str) -> Dropped:
    what = TEXTS.requests_of(route_name(key), route.count)
    return Dropped(ROOM_TEXTS.at_line(route.first_line), what, why)


def _rare(routes: Sequence[tuple[RouteKey, LoggedRoute]]) -> list[Dropped]:
    dropped = [_dropped_route(key, route, TEXTS.is_rare(MOST_ROUTES)) for key, route in routes[:MOST_RARE]]
    rest = [route for _, route in routes[MOST_RARE:]]
    if rest:
        place = ROOM_TEXTS.at_line(min(route.first_line for route in rest))
        what = TEXTS.further_routes(len(rest), sum(route.count for route in rest))
        dropped.append(Dropped(place, what, TEXTS.is_rare(MOST_ROUTES)))
    return dropped


def _secret_names(key: RouteKey, route: LoggedRoute) -> list[str]:
    return [key[2][place].removesuffix("=") for place in sorted(route.secret_columns())]


def _request_of(key: RouteKey, route: LoggedRoute, feeds: Feeds) -> WrittenRequest:
    """Return the request of a route; what differs among its rows is a hole."""
    method, parts, names = key
    secret = route.secret_columns()
    names = tuple(name for place, name in enumerate(names) if place not in secret)
    shown = route_name((method, parts, names))
    return templated(
        (method, parts, names),
        route.table(secret),
        feeds,
        name=shown,
        expect=_expected(route.statuses, route.count),
    )


def _expected(statuses: Counter[int], count: int) -> Expect:
    """Return the check of the statuses that a log has: none where the plan's own says the same."""
    failed = [
        status
        for status, number in sorted(statuses.items())
        if status in _CLIENT_ERRORS and number >= EXPECTED_SHARE * count
    ]
    if not failed:
        return Expect()
    good = {200, *(status for status in statuses if 200 <= status < 400)}
    return Expect(status=(*sorted(good), *failed))


def _comment(route: LoggedRoute, total: int) -> str:
    statuses = ", ".join(f"{status}: {count:,}" for status, count in route.statuses.most_common(8))
    return TEXTS.route_comment(route.count, f"{100 * route.count / total:.3g}", statuses)
