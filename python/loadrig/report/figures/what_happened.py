"""Lanes of what happened to each tier, as ticks: collections, workers that came and went, kills, gaps."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from loadrig.base.series import Event
from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.what_happened import WhatHappenedTexts
from loadrig.recording.event_facts import CommonFacts, facts_of
from loadrig.report import numbers
from loadrig.report.figures import _time
from loadrig.report.figures.tier_strips import order
from loadrig.report.model import Figure, Table
from loadrig.report.tables import left, right, table_of
from loadrig.report.timeline import Timeline

TEXTS = texts_of(WhatHappenedTexts)

MOST_TICKS = 600
"""Number of ticks of a lane: more would lie on each other. Neighbours are drawn as one, with their number."""

_QUIET = frozenset({
    "phase", "target_ready", "login", "note", "component_found", "profile", "gil_top", "memory_sites",
    "go_runtime", "log_template",
})  # fmt: skip
_BY_HAND = frozenset({"mark", "steered"})
"""Kinds of what a person did while the load ran, which concerns no tier alone."""

BY_HAND = TEXTS.by_hand
_BAD = frozenset({"oom_kill", "probe_failed", "gap", "worker_died", "slow_command", "server_fact"})
_LANES_MOST = 14

MOST_ROWS = 200


_Lanes: TypeAlias = Mapping[tuple[str, str], Sequence[Event]]
"""Events by component and kind."""


def draw(view: str, time: Timeline, events: Sequence[Event], origin_ns: int) -> Figure | None:
    """Return a lane for each tier and kind; None if nothing happened. origin_ns: the start of the load."""
    end_ns = origin_ns + int(time.end_s * 1e9)
    lanes = _lanes([event for event in events if origin_ns <= event.t_ns <= end_ns])
    if not lanes:
        return None
    data = {"lanes": [_drawn(*key, inside, origin_ns) for key, inside in lanes.items()]}
    about = f"{TEXTS.about} {TEXTS.events(sum(map(len, lanes.values())))}"
    return Figure(f"happened-{view}", "lanes", TEXTS.title, about, data, _table(lanes, origin_ns))


def _lanes(events: Sequence[Event]) -> _Lanes:
    lanes: dict[tuple[str, str], list[Event]] = {}
    for event in events:
        if event.kind in _BY_HAND:
            lanes.setdefault((BY_HAND, event.kind), []).append(event)
        elif event.component and event.kind not in _QUIET:
            lanes.setdefault((event.component, event.kind), []).append(event)
    return dict(sorted(lanes.items(), key=lambda lane: (order(lane[0][0]), lane[0][1]))[:_LANES_MOST])


def _lasted_s(event: Event) -> float:
    return facts_of(event, CommonFacts).duration_s or 0.0


def _drawn(component: str, kind: str, events: Sequence[Event], origin_ns: int) -> dict[str, object]:
    groups = _grouped(events)
    lasted = [sum(_lasted_s(event) for event in group) for group in groups]
    total = f"{len(events):,}"
    if any(lasted):
        total += TEXTS.in_all(numbers.amount(sum(lasted), "s"))
    colour: _time.Colour = "red" if kind in _BAD else "purple" if any(lasted) else "blue"
    heights = [max(_lasted_s(event) for event in group) for group in groups]
    ticks = [((group[0].t_ns - origin_ns) / 1e9, _lasted_s(group[-1])) for group in groups]
    texts = [_text(group) for group in groups]
    return ticked(component, kind.replace("_", " "), colour, total, ticks, heights, texts)


def ticked(
    component: str,
    name: str,
    colour: _time.Colour,
    total: str,
    ticks: Sequence[tuple[float, float]],
    heights: Sequence[float],
    texts: Sequence[str],
) -> dict[str, object]:
    """Return a lane of ticks. ticks: when each began, and how long it lasted, in seconds."""
    return {
        "component": component,
        "name": name,
        "colour": colour,
        "total": total,
        "longest": max(heights, default=0.0),
        "heights": [numbers.rounded(height) for height in heights],
        "ticks": [[round(at, 3), numbers.rounded(lasted)] for at, lasted in ticks],
        "texts": list(texts),
    }


def _grouped(events: Sequence[Event]) -> list[list[Event]]:
    """Return neighbours together, so that no more than MOST_TICKS groups are left."""
    size = -(-len(events) // MOST_TICKS)
    return [list(events[i : i + size]) for i in range(0, len(events), size)]


def _text(group: Sequence[Event]) -> str:
    return group[0].text if len(group) == 1 else TEXTS.several(len(group), group[0].text)


def _table(lanes: _Lanes, origin_ns: int) -> Table:
    events = sorted((event for lane in lanes.values() for event in lane), key=lambda event: event.t_ns)
    more = len(events) - MOST_ROWS
    return table_of(
        events[:MOST_ROWS],
        right(TEXTS.at, lambda event: numbers.amount((event.t_ns - origin_ns) / 1e9, "s")),
        left(TEXTS.tier, lambda event: event.component or BY_HAND),
        left(TEXTS.what, lambda event: event.kind.replace("_", " ")),
        right(TEXTS.lasted, lambda event: numbers.amount(_lasted_s(event), "s") if _lasted_s(event) else ""),
        left("", lambda event: event.text),
        caption=TEXTS.title,
        notes=(TEXTS.more_rows(f"{more:,}"),) if more > 0 else (),
        folded=True,
    )
