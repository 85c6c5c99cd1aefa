"""Requests that differ in values alone become one request with holes, and the values its feeds."""

import csv
import io
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from loadrig.base.route_parts import ITEM
from loadrig.converters._draft import FeedDraft, FileDraft
from loadrig.plan.holes import literal
from loadrig.plan.model import Feed
from loadrig.plan.written import WrittenRequest

TemplateKey = tuple[str, tuple[str, ...], tuple[str, ...]]
"""Method, parts of the path with ITEM in the place of items, and the query's names, each with its `=`."""

_IN_A_PART = ":@!$'()*,;~"


class Feeds:
    """Feeds of a plan's holes, each with a name of its own."""

    def __init__(self, stem: str) -> None:
        self.drafts: dict[str, FeedDraft] = {}
        self._stem = stem

    def add(self, words: Sequence[str], columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
        """Return the holes of a new feed, one for each column. words: those of its route, for its name."""
        name = self._name(words)
        if len(columns) == 1 and all(_is_line(row[0]) for row in rows):
            file = FileDraft(f"{self._stem}-{name}.txt", "".join(f"{row[0]}\n" for row in rows).encode())
            self.drafts[name] = FeedDraft(Feed(lines=file.name), file)
            return [f"{{{name}}}"]
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([columns, *rows])
        file = FileDraft(f"{self._stem}-{name}.csv", text.getvalue().encode())
        self.drafts[name] = FeedDraft(Feed(csv=file.name), file)
        return [f"{{{name}.{column}}}" for column in columns]

    def _name(self, words: Sequence[str]) -> str:
        whole = "_".join(words[-2:]).lower() or "item"
        plain = re.sub(r"[^a-z0-9]+", "_", whole).strip("_") or "item"
        base = name = plain if plain[0].isalpha() else f"item_{plain}"
        number = 1
        while name in self.drafts or name == "replay":  # the name of the table of a log's requests
            number += 1
            name = f"{base}_{number}"
        return name


def _is_line(text: str) -> bool:
    """Return whether a value can stand as a line of a file of lines."""
    return text != "" and text == text.strip() and text.isprintable()


def templated(
    key: TemplateKey,
    rows: Sequence[Sequence[str]],
    feeds: Feeds,
    *,
    name: str,
    **more: Any,
) -> WrittenRequest:
    """Return the request of some rows; what differs among them is a hole, fed by them in their order.

    rows: values of the path's parts and the query, without escapes. more: other keys of the request.
    """
    method, parts, names = key
    columns = list(zip(*rows, strict=True))
    differing = [place for place, column in enumerate(columns) if len(set(column)) > 1]
    texts = [literal(quote(column[0], safe=_IN_A_PART)) for column in columns]
    if differing:
        titles = _titles(differing, len(parts), names)
        words = [part for part in parts if part and not part.startswith(ITEM)]
        values = [[row[place] for place in differing] for row in rows]
        for place, hole in zip(differing, feeds.add(words, titles, values), strict=True):
            texts[place] = hole
    # A plan's reader takes a path with "://" for a whole address.
    path = ("/" + "/".join(texts[: len(parts)])).replace("://", "%3A//")
    pairs = (f"{literal(name)}{text}" for name, text in zip(names, texts[len(parts) :], strict=True))
    asked = {method.lower(): "?".join(filter(None, (path, "&".join(pairs)))), **more}
    return WrittenRequest(name=name, **asked)


def _titles(places: Sequence[int], parts: int, names: Sequence[str]) -> list[str]:
    """Return names of columns: of the path's items id, id2 …, of the query's the parameters'."""
    titles: list[str] = []
    for place in places:
        name = "id" if place < parts else names[place - parts]
        title = base = re.sub(r"[^A-Za-z0-9_]", "_", name.removesuffix("=")) or "value"
        number = 1
        while title in titles:
            number += 1
            title = f"{base}{number}"
        titles.append(title)
    return titles
