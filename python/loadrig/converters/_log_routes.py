"""Routes of a log: requests of the same method, words in the path and names in the query; bounded tables."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import unquote, unquote_plus

from loadrig.base import masks
from loadrig.base.route_parts import ITEM, route_part

MOST_HELD = 2000
"""Routes that are counted apart while a log is read, at most; what comes later is counted as a whole."""

MANY_SIBLINGS = 30
"""Routes that differ in a single word of their path, from which that word is taken for an item's name: a shop
has thousands of products, and hardly thirty different pages in one place."""

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
    """Routes of a log, in constant memory for logs of any length."""

    def __init__(self) -> None:
        self.routes: dict[RouteKey, LoggedRoute] = {}
        self.uncounted = 0
        self._open: set[RouteKey] = set()
        self._most_rows = MOST_ROWS
        self._characters = 0
        self._seen = 0
        # The same log makes the same plan.
        self._random = random.Random(0)

    def add(self, method: str, target: str, status: int, line: int) -> None:
        """Count a request. target: its path with its query."""
        self._seen += 1
        path, _, query = target.partition("?")
        parts = path[1:].split("/")
        shown = tuple([ITEM if part.isdecimal() else route_part(part) for part in parts])
        pairs = [_pair(text) for text in query.split("&")] if query else []
        open_pairs = [(name, value) for name, value in pairs if not is_secret_parameter(name)]
        route = self._route((method, shown, tuple([name for name, _ in open_pairs])), line)
        if route is None:
            self.uncounted += 1
            return
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
            self._keep(route, place, ObservedRow(self._seen, items, values))

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

    def _route(self, key: RouteKey, line: int) -> LoggedRoute | None:
        route = self.routes.get(key)
        if route is not None:
            return route
        for wider in _wider(key):
            if wider in self._open:
                return self.routes[wider]
        if len(self.routes) >= MOST_HELD:
            self.merge()
            if len(self.routes) >= MOST_HELD:
                return None
            return self._route(key, line)
        route = self.routes[key] = LoggedRoute(line)
        return route

    def merge(self) -> None:
        """Make one route of many that differ in a single word."""
        for place in range(MOST_PARTS):
            siblings: dict[RouteKey, list[RouteKey]] = {}
            for method, parts, names in self.routes:
                if place < len(parts) and parts[place]:
                    wider = (*parts[:place], ITEM, *parts[place + 1 :])
                    siblings.setdefault((method, wider, names), []).append((method, parts, names))
            for key, narrower in siblings.items():
                if len(narrower) >= MANY_SIBLINGS:
                    self._join(key, narrower)

    def _join(self, key: RouteKey, narrower: list[RouteKey]) -> None:
        routes = [self.routes.pop(name) for name in narrower]
        whole = LoggedRoute(min(route.first_line for route in routes))
        whole.count = sum(route.count for route in routes)
        for route in routes:
            whole.statuses.update(route.statuses)
            whole.secrets.update(route.secrets)
            # Each has so many of the rows as it has of the requests, and the smallest have one.
            share = max(1, round(self._most_rows * route.count / whole.count))
            whole.rows += self._some(route.rows, share)
        whole.rows = self._some(whole.rows, self._most_rows)
        self.routes[key] = whole
        self._open.add(key)


def _wider(key: RouteKey) -> Iterator[RouteKey]:
    method, parts, names = key
    for place, part in enumerate(parts):
        if part and part != ITEM:
            yield method, (*parts[:place], ITEM, *parts[place + 1 :]), names


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
