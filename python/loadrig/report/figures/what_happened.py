"""What happened to each tier, as ticks: collections, workers that came and went, kills, gaps."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from loadrig.base.series import Event
from loadrig.report import numbers
from loadrig.report.figures import _time
from loadrig.report.figures.tier_strips import order
from loadrig.report.model import Cell, Column, Figure, Table
from loadrig.report.timeline import Timeline

MOST_TICKS = 600
"""Number of ticks of a lane: more would lie on each other. Neighbours are drawn as one, with their number."""

_QUIET = frozenset(
    {
        "phase",
        "target_ready",
        "login",
        "note",
        "component_found",
        "profile",
        "gil_top",
        "memory_sites",
        "go_runtime",
        "log_template",
    }
)
_BAD = frozenset({"oom_kill", "probe_failed", "gap", "worker_died", "slow_command", "server_fact"})
_LANES_MOST = 14

MOST_ROWS = 200


@dataclass(slots=True)
class _Lane:
    component: str
    kind: str
    events: list[Event] = field(default_factory=list)


def draw(view: str, time: Timeline, events: Sequence[Event], origin_ns: int) -> Figure | None:
    """Return a lane for each tier and kind; None if nothing happened. origin_ns: the start of the load."""
    end_ns = origin_ns + int(time.end_s * 1e9)
    lanes = _lanes([event for event in events if origin_ns <= event.t_ns <= end_ns])
    if not lanes:
        return None
    data = {"lanes": [_drawn(lane, origin_ns) for lane in lanes]}
    about = "Each tick is one that began at that instant; where it lasted, its height is how long. "
    about += f"There were {numbers.plural(sum(len(lane.events) for lane in lanes), 'event')}."
    return Figure(f"happened-{view}", "lanes", "What happened", about, data, _table(lanes, origin_ns))


def _lanes(events: Sequence[Event]) -> list[_Lane]:
    lanes: dict[tuple[str, str], _Lane] = {}
    for event in events:
        if event.component and event.kind not in _QUIET:
            lane = lanes.setdefault((event.component, event.kind), _Lane(event.component, event.kind))
            lane.events.append(event)
    return sorted(lanes.values(), key=lambda lane: (order(lane.component), lane.kind))[:_LANES_MOST]


def _lasted_s(event: Event) -> float:
    return float(event.facts.get("duration_s") or 0.0)


def _drawn(lane: _Lane, origin_ns: int) -> dict[str, object]:
    groups = _grouped(lane.events)
    lasted = [sum(_lasted_s(event) for event in group) for group in groups]
    total = f"{len(lane.events):,}"
    if any(lasted):
        total += f", {numbers.amount(sum(lasted), 's')} in all"
    colour: _time.Colour = "red" if lane.kind in _BAD else "purple" if any(lasted) else "blue"
    heights = [max(_lasted_s(event) for event in group) for group in groups]
    return {
        "component": lane.component,
        "name": lane.kind.replace("_", " "),
        "colour": colour,
        "total": total,
        "longest": max(heights),
        "heights": [numbers.rounded(height) for height in heights],
        "ticks": [
            [round((group[0].t_ns - origin_ns) / 1e9, 3), numbers.rounded(_lasted_s(group[-1]))]
            for group in groups
        ],
        "texts": [_text(group) for group in groups],
    }


def _grouped(events: Sequence[Event]) -> list[list[Event]]:
    """Return neighbours together, so that no more than MOST_TICKS groups are left."""
    size = -(-len(events) // MOST_TICKS)
    return [list(events[i : i + size]) for i in range(0, len(events), size)]


def _text(group: Sequence[Event]) -> str:
    return group[0].text if len(group) == 1 else f"{len(group)} times; the first: {group[0].text}"


def _table(lanes: Sequence[_Lane], origin_ns: int) -> Table:
    events = sorted((event for lane in lanes for event in lane.events), key=lambda event: event.t_ns)
    rows = [
        (
            Cell(numbers.amount((event.t_ns - origin_ns) / 1e9, "s")),
            Cell(event.component),
            Cell(event.kind.replace("_", " ")),
            Cell(numbers.amount(_lasted_s(event), "s") if _lasted_s(event) else ""),
            Cell(event.text),
        )
        for event in events[:MOST_ROWS]
    ]
    more = len(events) - len(rows)
    heads = (
        Column("at"), Column("tier", "left"), Column("what", "left"), Column("lasted"), Column("", "left"),
    )  # fmt: skip
    notes = (f"{more:,} more are in events.jsonl.",) if more > 0 else ()
    return Table(heads, tuple(rows), caption="What happened", notes=notes, folded=True)
