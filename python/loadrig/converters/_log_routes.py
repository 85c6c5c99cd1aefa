"""Routes of a log: requests of the same method, words in the path and names in the query; bounded tables."""

import random
from collections import Counter
from collections.abc import Container
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import unquote, unquote_plus

from loadrig.base import masks
from loadrig.base.route_parts import ITEM, route_part

MOST_ROUTES = 100
"""Routes of a plan at most: more are no longer read by anybody."""

MOST_HELD = 2000
"""Routes that are counted apart while a log is read, at most. From there on they are merged until half
of them are left, so that the work for each line does not grow with the log."""

MANY_SIBLINGS = 30
"""Routes that differ in a single word of their path, from which that word is taken for an item's name: a shop
has thousands of products, and hardly thirty different pages in one place."""

FEWER_SIBLINGS = (15, 7, 3)
"""Different words in one place from which they are taken for names of items, where the table is still too
full: each number is tried when the one before it did not make enough room. What is merged is still asked for
as the log has it, as the values of a route are observed ones."""

BUSY_SHARE, BUSY_REQUESTS = 1 / MOST_ROUTES, 30
"""Share of all requests, and number of them, from which a word of a path is a page of its own among names of
items that other words of the path follow: a route with such a share is among those that a plan carries."""

MOST_ROWS = 1000
"""Observed values that a route keeps, at most. Of more requests a random part is kept, so that what is asked
often is kept often."""

MOST_CHARACTERS = 32_000_000
"""Characters of all values that are kept, at most. Beyond that every route keeps half as many."""

MOST_PARTS = 30
"""Parts of a path, and parameters of a query, at most: no route has more."""

LONG_SECRET = 16
"""Letters from which an item behind a word as `token` or `key` is a secret and no number of an item."""

SECRET_SHARE = 0.5
"""Share of a parameter's values that look like secrets, from which all of them are taken for secrets. Below
it only those are left out."""

RouteKey = tuple[str, tuple[str, ...], tuple[str, ...]]
"""Method, parts of the path with ITEM in the place of items, and the query's names, each with its `=`."""

RouteShape = tuple[str, int, tuple[str, ...]]
"""Method, number of parts of the path, and the query's names."""


@dataclass(frozen=True, slots=True)
class ObservedRow:
    """Observed values of a request. number: its place in the log. values: of the query; None for a secret."""

    number: int
    parts: tuple[str, ...]
    values: tuple[str | None, ...]

    @property
    def characters(self) -> int:
        """Number of characters in it."""
        return sum(map(len, self.parts)) + sum(len(value or "") for value in self.values)


@dataclass(slots=True)
class LoggedRoute:
    """Requests of one route. first_line: the line of the first of them.

    secrets: query parameters that were left out, as they are secrets.
    """

    first_line: int
    count: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    rows: list[ObservedRow] = field(default_factory=list)
    secrets: dict[str, None] = field(default_factory=dict)

    def secret_columns(self) -> set[int]:
        """Return the places of the query's parameters whose values look like secrets."""
        columns = zip(*(row.values for row in self.rows), strict=True)
        return {
            place
            for place, values in enumerate(columns)
            if sum(value is None for value in values) > SECRET_SHARE * len(values)
        }

    def table(self, without: set[int]) -> list[list[str]]:
        """Return the values of the requests that were kept, in the log's order: of the path, then the query.

        without: places of parameters that are left out. Rows with other secrets are left out as a whole.
        """
        table = []
        for row in sorted(self.rows, key=lambda row: row.number):
            values = [value for place, value in enumerate(row.values) if place not in without]
            plain = [value for value in values if value is not None]
            if len(plain) == len(values):
                table.append([*row.parts, *plain])
        return table


def route_name(key: RouteKey) -> str:
    """Return the name of a route, as the access log probe calls it: "GET /users/*/orders"."""
    method, parts, names = key
    query = "&".join(name.removesuffix("=") for name in names)
    return f"{method} /{'/'.join(parts)}{'?' if names else ''}{query}"


def is_too_long(target: str) -> bool:
    """Return whether a path or a query has more parts than those of any route."""
    path, _, query = target.partition("?")
    return path.count("/") > MOST_PARTS or query.count("&") >= MOST_PARTS


class RouteTable:
    """Routes of a log, in constant memory for logs of any length.

    uncounted: requests of the rarest routes, which were left out when there was no room for others.
    """

    def __init__(self) -> None:
        self.routes: dict[RouteKey, LoggedRoute] = {}
        self.uncounted = 0
        # Routes that hold names of items, each with the places of its path in which these stand.
        self._open: dict[RouteKey, tuple[int, ...]] = {}
        self._open_places: dict[RouteShape, list[tuple[int, ...]]] = {}
        self._most_rows = MOST_ROWS
        self._characters = 0
        self._requests = 0
        # The same log makes the same plan.
        self._random = random.Random(0)

    def add(self, method: str, target: str, status: int, line: int) -> None:
        """Count a request. target: its path with its query."""
        self._requests += 1
        parts, pairs = _split(target)
        open_pairs = [(name, value) for name, value in pairs if not is_secret_parameter(name)]
        route = self._route(_route_key(method, parts, open_pairs), line)
        route.count += 1
        route.statuses[status] += 1
        if len(pairs) > len(open_pairs):
            names = [name.removesuffix("=") for name, _ in pairs if is_secret_parameter(name)]
            route.secrets.update(dict.fromkeys(names))
        place = len(route.rows)
        if place >= self._most_rows:
            place = self._random.randrange(route.count)
        if place < self._most_rows and (items := plain_parts(parts)) is not None:
            values = tuple([_unless_secret(value) for _, value in open_pairs])
            self._keep(route, place, ObservedRow(self._requests, items, values))

    def key_of(self, method: str, target: str) -> RouteKey | None:
        """Return the route that a request belongs to as things stand; None where it was left out."""
        parts, pairs = _split(target)
        open_pairs = [(name, value) for name, value in pairs if not is_secret_parameter(name)]
        return self._present(_route_key(method, parts, open_pairs))

    def _keep(self, route: LoggedRoute, place: int, row: ObservedRow) -> None:
        if place < len(route.rows):
            self._characters -= route.rows[place].characters
            route.rows[place] = row
        else:
            route.rows.append(row)
        self._characters += row.characters
        while self._characters > MOST_CHARACTERS and self._most_rows > 1:
            self._most_rows //= 2
            for other in self.routes.values():
                other.rows = self._some(other.rows, self._most_rows)
            self._characters = sum(row.characters for other in self.routes.values() for row in other.rows)

    def _some(self, rows: list[ObservedRow], most: int) -> list[ObservedRow]:
        return self._random.sample(rows, most) if len(rows) > most else rows

    def _route(self, key: RouteKey, line: int) -> LoggedRoute:
        present = self._present(key)
        if present is None and len(self.routes) >= MOST_HELD:
            self._make_room()
            present = self._present(key)
        if present is not None:
            return self.routes[present]
        route = self.routes[key] = LoggedRoute(line)
        return route

    def _present(self, key: RouteKey) -> RouteKey | None:
        """Return the route of a request, or the merged one that covers it; None if neither is held."""
        if key in self.routes:
            return key
        if not self._open:
            return None
        widened = (_opened(key, places) for places in self._open_places.get(_shape(key), ()))
        return next((wider for wider in widened if wider in self._open), None)

    def _make_room(self) -> None:
        """Merge routes until half of them are left; leave the rarest out where that is not enough."""
        room = MOST_HELD // 2
        self.merge(room)
        for least in FEWER_SIBLINGS:
            if len(self.routes) <= room:
                break
            self._widen(least)
        by_count = sorted(self.routes, key=lambda key: self.routes[key].count, reverse=True)
        for key in by_count[room:]:
            route = self.routes.pop(key)
            self._open.pop(key, None)
            self.uncounted += route.count
            self._characters -= sum(row.characters for row in route.rows)
        self._note_open()

    def merge(self, most: int = MOST_ROUTES) -> None:
        """Make one route of many that differ in a single word, and in several words where many are left.

        most: routes above which those that differ in several words are merged, too.
        """
        for place in range(self._longest()):
            siblings: dict[RouteKey, list[RouteKey]] = {}
            for key in self.routes:
                if _has_word(key, place):
                    siblings.setdefault(_opened(key, (place,)), []).append(key)
            for wider, narrower in siblings.items():
                if len(narrower) >= MANY_SIBLINGS:
                    self._join(wider, narrower, place)
        if len(self.routes) > most:
            self._widen(MANY_SIBLINGS)
        self._note_open()

    def _longest(self) -> int:
        return max((len(parts) for _, parts, _ in self.routes), default=0)

    def _widen(self, least: int) -> None:
        """Take words that follow the same beginning of a path for names of items, whatever comes behind them.

        least: different words from which they are. The beginning is that of paths of the same length.
        """
        busy = max(BUSY_REQUESTS, BUSY_SHARE * self._requests)
        for place in range(self._longest()):
            by_beginning: dict[RouteKey, dict[str, list[RouteKey]]] = {}
            for key in self.routes:
                if _has_word(key, place):
                    words = by_beginning.setdefault(_beginning(key, place), {})
                    words.setdefault(key[1][place], []).append(key)
            for words in by_beginning.values():
                names = [
                    keys for keys in words.values() if sum(self.routes[key].count for key in keys) < busy
                ]
                if len(names) >= least:
                    self._open_place([key for keys in names for key in keys], place)

    def _open_place(self, keys: list[RouteKey], place: int) -> None:
        by_wider: dict[RouteKey, list[RouteKey]] = {}
        for key in keys:
            by_wider.setdefault(_opened(key, (place,)), []).append(key)
        for wider, narrower in by_wider.items():
            self._join(wider, narrower, place)

    def _note_open(self) -> None:
        """Note for each shape of a path which of its places are open, those with the fewest first."""
        places: dict[RouteShape, dict[tuple[int, ...], None]] = {}
        for key, opened in self._open.items():
            places.setdefault(_shape(key), {})[opened] = None
        self._open_places = {shape: sorted(opened, key=len) for shape, opened in places.items()}

    def _join(self, wider: RouteKey, narrower: list[RouteKey], place: int) -> None:
        """Make one route of some that differ in a place of their paths, and of the one that has it open."""
        opened = {place}.union(*(self._open.get(key, ()) for key in (*narrower, wider)))
        routes = [self.routes.pop(key) for key in dict.fromkeys((*narrower, wider)) if key in self.routes]
        whole = LoggedRoute(min(route.first_line for route in routes))
        whole.count = sum(route.count for route in routes)
        for route in routes:
            whole.statuses.update(route.statuses)
            whole.secrets.update(route.secrets)
            # Each has so many of the rows as it has of the requests, and the smallest have one.
            share = max(1, round(self._most_rows * route.count / whole.count))
            whole.rows += self._some(route.rows, share)
        whole.rows = self._some(whole.rows, self._most_rows)
        self._characters -= sum(row.characters for route in routes for row in route.rows)
        self._characters += sum(row.characters for row in whole.rows)
        for key in narrower:
            self._open.pop(key, None)
        self.routes[wider] = whole
        self._open[wider] = tuple(sorted(opened))


def _shape(key: RouteKey) -> RouteShape:
    method, parts, names = key
    return method, len(parts), names


def _has_word(key: RouteKey, place: int) -> bool:
    """Return whether there is a word in a place of a route's path: neither nothing nor an item."""
    parts = key[1]
    return place < len(parts) and parts[place] not in ("", ITEM)


def _opened(key: RouteKey, places: tuple[int, ...]) -> RouteKey:
    """Return a route with items in some places of its path, where there is anything."""
    method, parts, names = key
    wider = list(parts)
    for place in places:
        wider[place] = wider[place] and ITEM
    return method, tuple(wider), names


def _beginning(key: RouteKey, place: int) -> RouteKey:
    """Return what routes have in common that may differ from a place of their path on."""
    method, parts, names = key
    return method, (*parts[:place], str(len(parts))), names


def _split(target: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the parts of a path, and the parameters of its query with their values."""
    path, _, query = target.partition("?")
    return path[1:].split("/"), [_pair(text) for text in query.split("&")] if query else []


def _route_key(method: str, parts: list[str], open_pairs: list[tuple[str, str]]) -> RouteKey:
    shown = tuple([ITEM if part.isdecimal() else route_part(part) for part in parts])
    return method, shown, tuple([name for name, _ in open_pairs])


def _pair(text: str) -> tuple[str, str]:
    """Return a parameter's name with its `=`, and its value; a text without `=` is a value."""
    name, sign, value = text.partition("=")
    return (f"{name}=", value) if sign else ("", name)


@lru_cache(maxsize=4096)
def is_secret_parameter(name: str) -> bool:
    """Return whether a parameter is a secret by its name, as it stands in a query."""
    return masks.is_secret_name(unquote_plus(name.removesuffix("=")))


def _unless_secret(value: str) -> str | None:
    text = unquote_plus(value)
    return text if "\ufffd" not in text and masks.masked_text(text) == text else None


def replayable(target: str, secrets: Container[str]) -> str | None:
    """Return a path with its query without the secrets in it; None for a path that is one, or no text.

    secrets: names of parameters whose values elsewhere in the log are secrets, each with its `=`.
    """
    path, _, query = target.partition("?")
    if plain_parts(path[1:].split("/")) is None:
        return None
    pairs = [(text, *_pair(text)) for text in query.split("&")] if query else []
    shown = [
        text
        for text, name, value in pairs
        if name not in secrets and not is_secret_parameter(name) and _unless_secret(value) is not None
    ]
    return f"{path}?{'&'.join(shown)}" if shown else path


def plain_parts(parts: list[str]) -> tuple[str, ...] | None:
    """Return the parts of a path without escapes; None where it is no text, or a part of it is a secret.

    A secret has the form of one, or it is long and stands behind a name that speaks of one.
    """
    texts: list[str] = []
    for part in parts:
        text = unquote(part)
        if "\ufffd" in text or masks.masked_address_text(text) != text:
            return None
        is_item = route_part(part).startswith(ITEM)
        if is_item and len(part) >= LONG_SECRET and texts and masks.is_secret_name(texts[-1]):
            return None
        texts.append(text)
    return tuple(texts)
