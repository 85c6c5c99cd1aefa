"""Paths of a locustfile with drawn values in them.

requests sends a value with the signs of a path that stand in it. A plan takes what fills a hole at the
beginning as a path with a query, and escapes all others so that each stays one value.
"""

from collections.abc import Container
from dataclasses import replace
from urllib.parse import quote

from loadrig.converters._locust_requests import requoted
from loadrig.converters._locust_values import ChosenFeeds, MixedText


def begins_path(url: MixedText, feeds: ChosenFeeds) -> bool:
    """Return whether an address begins with a drawn value that is always a path."""
    if not url.parts or not url.parts[0][1]:
        return False
    values = feeds.values_of(url.parts[0][0])
    return bool(values) and all(value.startswith("/") for value in values or ())


def with_raw_values(path: MixedText, feeds: ChosenFeeds, sole: Container[str]) -> tuple[MixedText, list[str]]:
    """Return a path whose values are sent as requests sends them, and the holes of which that cannot be.

    sole: feeds that no other request needs: such a feed gets the beginning of the path into its values.
    """
    otherwise = []
    for number, (name, is_hole) in enumerate(path.parts):
        if not is_hole or _is_same(name, is_first=not number, feeds=feeds):
            continue
        before, feed = path.parts[:number], feeds.feed_of(name)
        if feed is None or not feed.values or name not in sole or any(part[1] for part in before):
            otherwise.append(name)
            continue
        begin = "".join(requoted(text) for text, _ in before)
        values = tuple(begin + requoted(value.partition("#")[0]) for value in feed.values)
        feeds.drafts[name] = replace(feeds.drafts[name], feed=replace(feed, values=values))
        path = MixedText(path.parts[number:])
        return path, otherwise + with_raw_values(path, feeds, ())[1]
    return path, otherwise


def _is_same(hole: str, *, is_first: bool, feeds: ChosenFeeds) -> bool:
    """Return whether whatever fills a hole of a path is sent as requests sends it."""
    values = feeds.values_of(hole)
    if values is None:
        return is_first
    return all(requoted(value) == (value if is_first else quote(value, safe="")) for value in values)
