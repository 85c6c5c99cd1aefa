"""The account of a trial: lines and slots of every component, for the measured part and for other windows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from loadrig.account.document import LineDocument, RunningPartDocument, UnseenDocument
from loadrig.account.load import LoadSeries, load_of
from loadrig.account.means import Draw, draw, means_of
from loadrig.account.observations import Observations
from loadrig.account.parts import classes_by_component, running_parts
from loadrig.account.read import observations_of
from loadrig.account.slots import ComponentSlots, slots_of
from loadrig.account.split import LinePart, split
from loadrig.base.component import SERVER
from loadrig.base.later import Later
from loadrig.recording.reader import Recording
from loadrig.recording.steps import Bools

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")

LOADS_APART = 1.5
"""Ratio of the high load to the low load from which on the two are compared."""

QUARTER = 0.25
"""Share of the time that the low load and the high load each take: the steps with the least and with the most
load."""

PARTLY = 0.9
"""Share of a window, 0 to 1. An account of sockets that were seen for less than that is marked
`partly_seen`."""

MS = 1e3


@dataclass(frozen=True, slots=True)
class ComponentAccount:
    """The account of one component. total_ms: what the lines and the remainder add up to.

    rest_ms: what is not accounted for, below zero where the lines are more than the total. running_parts: the
    line `running` by what the component did meanwhile, where its CPU time was profiled.
    """

    name: str
    total_ms: float
    total_interval: tuple[float, float] | None
    lines: tuple[LineDocument, ...]
    rest_ms: float
    rest_interval: tuple[float, float] | None
    slots: ComponentSlots
    flags: tuple[str, ...] = ()
    unseen: tuple[UnseenDocument, ...] = ()
    covered_share: float = 1.0
    running_parts: tuple[RunningPartDocument, ...] = ()

    @property
    def rest_share(self) -> float:
        """Time not accounted for over the total, 0 or more."""
        return abs(self.rest_ms) / self.total_ms if self.total_ms > 0 else 0.0

    @property
    def is_seen(self) -> bool:
        """Whether the component's sockets told in which state its requests are."""
        return any(line.state == "unread" for line in self.lines)

    def ms_in(self, *states: str) -> float:
        """Return the milliseconds of a request in these states."""
        return sum(line.ms for line in self.lines if line.state in states)

    @property
    def awaited_ms(self) -> dict[str, float]:
        """Milliseconds of a request in which it awaits an answer, by the dependency that owes it."""
        return {line.of: line.ms for line in self.lines if line.state == "awaiting"}


@dataclass(frozen=True, slots=True)
class Account:
    """All components of one window, the loaded server first. requests_per_s: requests that ended.

    windows: accounts of other stretches by name, such as `low_load` and `high_load`.
    """

    window_s: float
    requests_per_s: float
    components: tuple[ComponentAccount, ...]
    windows: Mapping[str, "Account"] = field(default_factory=dict)

    def component(self, name: str) -> ComponentAccount | None:
        """Return the account of one component; None where the map does not have it."""
        return next((component for component in self.components if component.name == name), None)

    @property
    def server(self) -> ComponentAccount | None:
        """The account of what was loaded."""
        return self.component(SERVER)


def account_of(recording: Recording) -> Account | None:
    """Return the account of a trial; None where no request ended, or another tool made the load."""
    return recording.remembered(__name__, lambda: _account_of(recording))


def _account_of(recording: Recording) -> Account | None:
    read = components_under_load(recording)
    if read is None:
        return None
    whole = account(*read)
    return None if whole is None else _with_parts(whole, recording)


def components_under_load(recording: Recording) -> tuple[Sequence[Observations], LoadSeries] | None:
    """Return what was seen of each component and the load, read once; None where no request ended."""

    def read() -> tuple[Sequence[Observations], LoadSeries] | None:
        load = load_of(recording)
        return None if load is None else (observations_of(recording, load), load)

    return recording.remembered(f"{__name__}.seen", read)


def _with_parts(whole: Account, recording: Recording) -> Account:
    """Return the account with its lines `running` divided by class of CPU time.

    Only the whole window is divided: bursts of profiles are not taken for other windows.
    """
    classes = classes_by_component(recording)
    # A profile covers all threads, but the line `running` only those that answer requests: with background
    # threads the two do not match.
    components = tuple(
        replace(component, running_parts=running_parts(component.lines, classes.get(component.name, ())))
        if not any(state.state == "background" for state in component.slots.states)
        else component
        for component in whole.components
    )
    return replace(whole, components=components)


def account(tiers: Sequence[Observations], load: LoadSeries) -> Account | None:
    """Return the account of components that were seen; None where no request ended in the measured part."""
    whole = window(tiers, load, load.is_measured)
    if whole is None:
        return None
    others = {
        name: part_account
        for name, is_in in _loads(load).items()
        if (part_account := window(tiers, load, is_in)) is not None
    }
    return Account(whole.window_s, whole.requests_per_s, whole.components, others)


def window(
    tiers: Sequence[Observations], load: LoadSeries, is_in: Bools, block_s: float = 0.0
) -> Account | None:
    """Return the account of the steps in a window; None where no request ended in them.

    block_s: time of a block at least, in seconds, for intervals; 0 where steps are as long as readings.
    """
    drawn = draw(load, is_in, block_s)
    if drawn is None:
        return None
    ordered = sorted(tiers, key=lambda component: (not component.is_loaded, component.name))
    components = tuple(_component(component, load, is_in, drawn, block_s) for component in ordered)
    return Account(float(load.seconds[is_in].sum()), float(drawn.rate[0]), components)


def _component(
    tier: Observations, load: LoadSeries, is_in: Bools, whole: Draw, block_s: float
) -> ComponentAccount:
    """Return a component's account of the part of the window in which its sockets were seen.

    It is the account of the whole window where they were never seen.
    """
    drawn, covered = part_with_sockets(tier, load, is_in, whole, block_s)
    parts = split(means_of(tier, load, drawn))
    times = MS / drawn.rate
    lines = tuple(_line(part, drawn) for part in parts.parts)
    flags = (*parts.flags, *(["partly_seen"] if 0 < covered < PARTLY else []))
    return ComponentAccount(
        tier.name,
        float(parts.total[0] * times[0]),
        drawn.interval(parts.total * times),
        lines,
        float(parts.rest[0] * times[0]),
        drawn.interval(parts.rest * times),
        slots_of(tier, drawn),
        flags,
        tier.unseen,
        covered,
    )


def part_with_sockets(
    tier: Observations, load: LoadSeries, is_in: Bools, whole: Draw, block_s: float = 0.0
) -> tuple[Draw, float]:
    """Return the part of a window in which a component's sockets were seen, and its share of the window."""
    if tier.unread is None:
        return whole, 1.0
    part = is_in & np.isfinite(tier.unread)
    covered = float(load.seconds[part].sum() / load.seconds[is_in].sum())
    of_part = draw(load, part, block_s) if 0 < covered < 1 else None
    return (whole if of_part is None else of_part), covered


def _line(part: LinePart, drawn: Draw) -> LineDocument:
    times = MS / drawn.rate
    interval = drawn.interval(part.number * times, part.open_by * float(times[0]))
    if interval is not None:
        interval = max(0.0, interval[0]), interval[1]
    return LineDocument(part.state, part.of, float(part.number[0] * times[0]), interval, part.source)


def _loads(load: LoadSeries) -> dict[str, Bools]:
    """Return the steps with the least and with the most load, where the plan's levels differ enough."""
    asked = load.planned > 0
    if not asked.any():
        return {}
    levels = load.planned[asked]
    low, high = np.quantile(levels, [QUARTER, 1 - QUARTER])
    if low <= 0 or high < LOADS_APART * low:
        return {}
    return {"low_load": asked & (load.planned <= low), "high_load": asked & (load.planned >= high)}
