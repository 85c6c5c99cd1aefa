"""Whether two recordings hold the same requests: in their order, or by the shares of their routes."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

MOST_APART = 0.15
"""Difference of two shares of a route that chance may make, of 300 requests each."""

LEAST_SEEN = 0.03
"""Share of requests from which a request is no rare chance: the other has it, too."""

TOKENS = re.compile(r"(\w+)")
MADE = re.compile(r"\d+|\b[0-9a-f]{8,}\b")
"""Values that differ from request to request: numbers, and words of hexadecimal digits."""

Request = dict[str, Any]


def difference_in_order(
    theirs: Sequence[Request],
    again: Sequence[Request],
    sequences: Sequence[Sequence[Request]],
    *,
    is_at_once: bool = False,
) -> str:
    """Return how a plan's sequences of requests differ from the tool's, in words; empty where they do not.

    again: the tool's requests in a second run, empty where it was run once. What differs between these two is
    made anew in each run; of that the form is compared alone.
    sequences: of the plan, each from a run of its own; the tool may have run several at once.
    is_at_once: whether the tool makes requests of a user at the same time, so that it has no order.
    """
    ours = [request for sequence in sequences for request in sequence]
    if len(theirs) != len(ours):
        counts = _counted(theirs), _counted(ours)
        more, fewer = counts[1] - counts[0], counts[0] - counts[1]
        return f"{len(ours)} requests, the tool {len(theirs)}; more: {dict(more)}; missing: {dict(fewer)}"
    masked = _masks(theirs, again)
    if is_at_once or len(sequences) > 1:
        return _difference_of_bags(theirs, ours)
    for number, (request, other) in enumerate(zip(theirs, ours, strict=True)):
        if _text(request) != _text(other) and not _same_but_made(request, other, masked.get(number)):
            return f"request {number + 1}: {_first_difference(request, other)}"
    return ""


def difference_of_shares(theirs: Sequence[Request], ours: Sequence[Request]) -> str:
    """Return how the shares of requests differ, in words; empty where they are the same but for chance."""
    if not theirs or not ours:
        return f"{len(ours)} requests, the tool {len(theirs)}"
    for is_masked in (False, True):
        shares = [_shares(requests, is_masked=is_masked) for requests in (theirs, ours)]
        apart = {
            text: (shares[0].get(text, 0.0), shares[1].get(text, 0.0)) for text in {*shares[0], *shares[1]}
        }
        wrong = {
            text: pair
            for text, pair in apart.items()
            if abs(pair[0] - pair[1]) > MOST_APART or (min(pair) == 0 and max(pair) > LEAST_SEEN)
        }
        if not wrong:
            return ""
    text, pair = max(sorted(wrong.items()), key=lambda item: abs(item[1][0] - item[1][1]))
    return f"{len(wrong)} of {len(apart)} shares, such as {text[:300]}: {pair[1]:.2f}, the tool {pair[0]:.2f}"


def _difference_of_bags(theirs: Sequence[Request], ours: Sequence[Request]) -> str:
    """Return how two bags of requests differ: of several sequences at once no order is known."""
    bags = [Counter(map(_text, requests)) for requests in (theirs, ours)]
    fewer, more = bags[0] - bags[1], bags[1] - bags[0]
    if not fewer:
        return ""
    return f"missing: {next(iter(fewer))[:300]}; instead: {next(iter(more), '')[:300]}"


def _masks(requests: Sequence[Request], again: Sequence[Request]) -> dict[int, set[int]]:
    """Return by a request's number the tokens that differ between two runs of the tool."""
    masks = {}
    if len(requests) == len(again):
        for number, pair in enumerate(zip(requests, again, strict=True)):
            first, second = (TOKENS.split(_text(request)) for request in pair)
            if len(first) == len(second):
                masks[number] = {
                    place for place, (a, b) in enumerate(zip(first, second, strict=True)) if a != b
                }
    return masks


def _same_but_made(request: Request, other: Request, mask: set[int] | None) -> bool:
    if not mask:
        return False
    first, second = TOKENS.split(_text(request)), TOKENS.split(_text(other))
    return len(first) == len(second) and all(
        place in mask or a == b for place, (a, b) in enumerate(zip(first, second, strict=True))
    )


def _shares(requests: Sequence[Request], *, is_masked: bool) -> dict[str, float]:
    texts = [MADE.sub("#", _text(request)) if is_masked else _text(request) for request in requests]
    return {text: count / len(texts) for text, count in Counter(texts).items()}


def _text(request: Request) -> str:
    return json.dumps(request, ensure_ascii=False, sort_keys=True)


def _counted(requests: Sequence[Request]) -> Counter[str]:
    return Counter(f"{request['method']} {request['host']}{request['path']}"[:120] for request in requests)


def _first_difference(request: Request, other: Request) -> str:
    key = next(key for key in request if request[key] != other[key])
    if key == "headers":
        names = sorted(
            name for name in {*request[key], *other[key]} if request[key].get(name) != other[key].get(name)
        )
        pairs = [(name, other[key].get(name), request[key].get(name)) for name in names]
        return "; ".join(f"header {name} {ours!r}, the tool {theirs!r}" for name, ours, theirs in pairs)[:600]
    return f"{key} {str(other[key])[:250]!r}, the tool {str(request[key])[:250]!r}"
