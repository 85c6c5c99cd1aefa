"""A recording on one time axis: the columns that every chart of a trial shares.

A trial of up to a few minutes keeps its one-second frames. A longer one is merged for display:
counts are added, histograms are merged (without loss), levels keep their mean, least and greatest,
so that a dip of one second in four hours is still to be seen.
"""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from typing import Any, NamedTuple

from loadrig._native import Histogram
from loadrig.base.series import Event
from loadrig.recording.event_facts import CommonFacts, facts_of
from loadrig.recording.level_look import LOOK_KIND
from loadrig.recording.manifest_document import RecordedSpan
from loadrig.recording.reader import Frame, Recording
from loadrig.report.strips import Numbers, Observed, StripBand, observed

QUANTILES = ((0.50, 1), (0.90, 10), (0.99, 100), (0.999, 1000))
"""Quantiles that are drawn, and the number of answers that each needs.

The p99 of fewer than 100 answers would be the maximum under another name, and the maximum is drawn anyway.
"""

HEAT_ROWS_A_DECADE = 12
"""Number of rows of the heatmap from a time to ten times that."""

HEAT_COLUMNS = 300
"""Number of columns of the heatmap. Its cells are wide: finer ones would not be seen, and cost bytes."""

MOST_MARKS = 400
"""Number of marks of an axis: more make a solid bar of it. The table and events.jsonl have the rest."""

_MARKS_OF_TIERS = frozenset({"worker_died", "oom_kill", "probe_failed", "gap"})
"""Events of tiers that are marks. Others have lanes: a collection every second would hatch every chart."""

_UNMARKED = frozenset({"phase", LOOK_KIND})
"""Events of the rig that are no marks: phases have bands, and the path of a search a figure of its own."""


@dataclass(frozen=True, slots=True)
class Heat:
    """Counts by time and latency.

    columns: first and last-plus-one column of the time axis of each
    heat column; cells: (heat column, row, count); row r spans 10^(r/12) to 10^((r+1)/12) µs.
    """

    columns: tuple[tuple[int, int], ...]
    cells: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class TimeStretch:
    """Stretch of the time axis with a name: "warm-up", "measured", "draining"."""

    kind: str
    from_s: float
    to_s: float


@dataclass(frozen=True, slots=True)
class Mark:
    """Event at an instant or, for `count` > 1, several events within a column."""

    t_s: float
    kind: str
    text: str
    count: int = 1


NO_BAND = StripBand((), (), ())
"""Band of a trial without frames."""


class TimelineRates(NamedTuple):
    """Requests and connections a second, by the fields of a frame; `planned` is one already."""

    planned: StripBand = NO_BAND
    due: StripBand = NO_BAND
    answered: StripBand = NO_BAND
    failed: StripBand = NO_BAND
    unsent: StripBand = NO_BAND
    opened: StripBand = NO_BAND


class TimelineLevels(NamedTuple):
    """Numbers of users, sessions, requests on their way and open connections, by the fields of a frame."""

    users: StripBand = NO_BAND
    sessions: StripBand = NO_BAND
    in_flight: StripBand = NO_BAND
    queued: StripBand = NO_BAND
    open: StripBand = NO_BAND


class GeneratorUse(NamedTuple):
    """Shares of the generator's resources that are used, 0 to 1."""

    busiest_thread: StripBand = NO_BAND
    ports: StripBand = NO_BAND
    descriptors: StripBand = NO_BAND


class DrawnQuantiles(NamedTuple):
    """Quantiles of each column and its maximum, in seconds; None where too little was counted."""

    p50: Numbers = ()
    p90: Numbers = ()
    p99: Numbers = ()
    p999: Numbers = ()
    greatest: Numbers = ()

    @property
    def has_values(self) -> bool:
        """Whether anything was counted."""
        return any(value is not None for value in self.greatest)


class TimelineTimes(NamedTuple):
    """Response and service times of good answers, and how late requests were sent."""

    response: DrawnQuantiles = DrawnQuantiles()
    service: DrawnQuantiles = DrawnQuantiles()
    lag: DrawnQuantiles = DrawnQuantiles()


@dataclass(frozen=True, slots=True)
class Timeline:
    """Data of all charts of one trial. Times are seconds from the start of the load.

    t_s: start of each column; end_s: end of the last; merged: frames a column.
    failures: outcomes other than ok, per second, most first.
    """

    t_s: tuple[float, ...]
    end_s: float
    merged: int
    rates: TimelineRates
    levels: TimelineLevels
    shares: GeneratorUse
    times: TimelineTimes
    heat: Heat
    failures: Mapping[str, StripBand]
    observed: tuple[Observed, ...]
    spans: tuple[TimeStretch, ...]
    marks: tuple[Mark, ...]
    measured: tuple[float, float] | None

    def axis(self) -> dict[str, Any]:
        """Return the time axis as plain data, shared by all charts of the trial."""
        return {
            "t": [round(t, 3) for t in self.t_s],
            "end": round(self.end_s, 3),
            "merged": self.merged,
            "spans": [[span.kind, round(span.from_s, 3), round(span.to_s, 3)] for span in self.spans],
            "marks": [[round(m.t_s, 3), m.kind, m.text, m.count] for m in self.marks[:MOST_MARKS]],
        }

    @property
    def column_s(self) -> float:
        """Length of a column."""
        return (self.end_s - self.t_s[0]) / len(self.t_s) if self.t_s else 0.0

    @property
    def columns(self) -> Sequence[tuple[float, float]]:
        """Start and end of each column."""
        return tuple(pairwise((*self.t_s, self.end_s)))

    @property
    def inside(self) -> range:
        """Columns that lie in the measured part; all if there is none."""
        first, last = self.measured or (-math.inf, math.inf)
        within = [i for i, (start, end) in enumerate(self.columns) if first <= (start + end) / 2 < last]
        return range(within[0], within[-1] + 1) if within else range(len(self.t_s))

    def series(self, component: str, name: str, subject: str) -> Observed | None:
        """Return what was observed under a name (PROBE.METRIC); None where nothing was."""
        key = (component, name, subject)
        return next((series for series in self.observed if series.key == key), None)

    def measured_values(self, values: Sequence[float | None]) -> list[float]:
        """Return what is known of a line in the measured part, the least first."""
        return sorted(v for i in self.inside if i < len(values) and (v := values[i]) is not None)


def timeline(recording: Recording, most_columns: int) -> Timeline:
    """Merge a recording's frames into at most `most_columns` columns."""
    frames = list(recording.frames)
    if not frames:
        return _EMPTY
    merged = math.ceil(len(frames) / most_columns)
    groups = [frames[i : i + merged] for i in range(0, len(frames), merged)]
    origin = recording.start_ns
    starts = [group[0].t_ns for group in groups]
    ends = [group[-1].end_ns for group in groups]
    # A frame belongs to the window in which it ends, so each window reaches from one end to the next.
    edges = list(zip([frames[0].t_ns, *ends[:-1]], ends, strict=True))
    window = _window(recording.manifest.measured, origin)
    response, heat = _responses(recording, edges)
    return Timeline(
        t_s=tuple((start - origin) / 1e9 for start in starts),
        end_s=(ends[-1] - origin) / 1e9,
        merged=merged,
        rates=_rates(groups),
        levels=TimelineLevels(*(_band(groups, attrgetter(name)) for name in TimelineLevels._fields)),
        shares=_shares(groups),
        times=TimelineTimes(
            response, _quantiles(recording, "service", edges), _quantiles(recording, "lag", edges)
        ),
        heat=heat,
        failures=_failures(groups),
        observed=observed(recording, starts, ends[-1]),
        spans=_spans(recording.events, window, origin, ends[-1]),
        marks=_marks([*recording.events, *_logins(recording)], starts, origin, ends[-1]),
        measured=window,
    )


def _window(measured: RecordedSpan | None, origin: int) -> tuple[float, float] | None:
    if measured is None:
        return None
    return (measured.from_ns - origin) / 1e9, (measured.to_ns - origin) / 1e9


def _band(groups: Sequence[Sequence[Frame]], value: Callable[[Frame], float | None]) -> StripBand:
    """Return the mean weighted by the frames' lengths, the least and the greatest of each group."""
    means: list[float | None] = []
    lows: list[float | None] = []
    highs: list[float | None] = []
    for group in groups:
        weighted = [(v, frame.len_ns) for frame in group if (v := value(frame)) is not None]
        weight = sum(length for _, length in weighted)
        means.append(sum(v * length for v, length in weighted) / weight if weight else None)
        lows.append(min((v for v, _ in weighted), default=None))
        highs.append(max((v for v, _ in weighted), default=None))
    return StripBand(tuple(means), tuple(lows), tuple(highs))


def _rates(groups: Sequence[Sequence[Frame]]) -> TimelineRates:
    def per_second(name: str) -> StripBand:
        return _band(groups, lambda frame: getattr(frame, name) * 1e9 / max(1, frame.len_ns))

    planned, *counts = TimelineRates._fields
    return TimelineRates(_band(groups, attrgetter(planned)), *map(per_second, counts))


def _shares(groups: Sequence[Sequence[Frame]]) -> GeneratorUse:
    return GeneratorUse(
        busiest_thread=_band(
            groups, lambda f: max((thread.busy_share for thread in f.threads), default=None)
        ),
        ports=_band(groups, lambda f: f.ports / f.ports_range if f.ports_range else None),
        descriptors=_band(groups, lambda f: f.fds / f.fds_limit if f.fds_limit else None),
    )


def _failures(groups: Sequence[Sequence[Frame]]) -> dict[str, StripBand]:
    totals: Counter[str] = Counter()
    for group in groups:
        for frame in group:
            for outcome, number in _outcomes(frame).items():
                totals[outcome] += number

    def per_second(outcome: str) -> StripBand:
        return _band(groups, lambda f: _outcomes(f)[outcome] * 1e9 / max(1, f.len_ns))

    return {name: per_second(name) for name, number in totals.most_common() if name != "ok" and number}


def _outcomes(frame: Frame) -> Counter[str]:
    """Return the number of the service's requests by outcome; unsent ones are an outcome too."""
    counts: Counter[str] = Counter({"unsent": frame.unsent})
    for route in frame.routes:
        if route.route_class == "service":
            counts[route.outcome] += route.count
    return counts


def _quantiles(recording: Recording, kind: str, edges: Sequence[tuple[int, int]]) -> DrawnQuantiles:
    """Return quantiles of each column, in seconds."""
    outcome = "ok" if kind == "service" else None
    return _by_quantile(
        _quantiles_of(recording.histogram(outcome=outcome, kind=kind, from_ns=start, to_ns=end))
        for start, end in edges
    )


def _responses(recording: Recording, edges: Sequence[tuple[int, int]]) -> tuple[DrawnQuantiles, Heat]:
    """Return quantiles and heat of the response times; each histogram is decoded once."""
    width = math.ceil(len(edges) / HEAT_COLUMNS)
    quantiles, cells = [], []
    rows: Counter[int] = Counter()
    for number, (start, end) in enumerate(edges):
        histogram = recording.histogram(outcome="ok", kind=recording.times_kind, from_ns=start, to_ns=end)
        # An imported run has service times only: they make the heat, and there are no response times.
        quantiles.append(_quantiles_of(Histogram() if recording.imported else histogram))
        for low, high, count in histogram.buckets(HEAT_ROWS_A_DECADE):
            middle_us = math.sqrt(max(low, 1.0) * max(high, 1.0)) / 1e3
            rows[math.floor(math.log10(middle_us) * HEAT_ROWS_A_DECADE)] += count
        if number % width == width - 1 or number == len(edges) - 1:
            cells += [(number // width, row, count) for row, count in sorted(rows.items())]
            rows.clear()
    columns = tuple((i, min(i + width, len(edges))) for i in range(0, len(edges), width))
    return _by_quantile(quantiles), Heat(columns, tuple(cells))


def _quantiles_of(histogram: Histogram) -> Numbers:
    """Return the quantiles of a column in seconds, in the order of QUANTILES, and its maximum."""
    shares = (
        histogram.quantile_ns(share) / 1e9 if histogram.count >= least else None for share, least in QUANTILES
    )
    return (*shares, histogram.max_ns / 1e9 if histogram.count else None)


def _by_quantile(columns: Iterable[Numbers]) -> DrawnQuantiles:
    return DrawnQuantiles(*zip(*columns, strict=True))


def _spans(
    events: Sequence[Event], window: tuple[float, float] | None, origin: int, end_ns: int
) -> tuple[TimeStretch, ...]:
    """Return the parts of the trial: warm-up before the measured window, draining after it."""
    if window is None:
        return ()
    end_s = (end_ns - origin) / 1e9
    drain = [(e.t_ns - origin) / 1e9 for e in events if e.kind == "phase" and e.subject == "draining"]
    parts = [TimeStretch("warm-up", 0.0, window[0]), TimeStretch("measured", *window)]
    parts.append(TimeStretch("draining", max(window[1], drain[-1] if drain else window[1]), end_s))
    return tuple(part for part in parts if part.to_s - part.from_s > 1e-3)


def _logins(recording: Recording) -> list[Event]:
    """Return logins by the generator's own count: one event a frame that had any."""
    return [
        Event(frame.t_ns, "login", "login", "", {"count": frame.logins})
        for frame in recording.frames
        if frame.logins
    ]


def _marks(events: Iterable[Event], starts: Sequence[int], origin: int, end_ns: int) -> tuple[Mark, ...]:
    """Return what happened to the rig, and what ended processes of a tier; many in a column are one."""
    by_column: dict[tuple[int, str], Mark] = {}
    for event in events:
        is_marked = event.kind in _MARKS_OF_TIERS if event.component else event.kind not in _UNMARKED
        if not is_marked or not origin <= event.t_ns <= end_ns:
            continue
        column = max(0, bisect_right(starts, event.t_ns) - 1)
        before = by_column.get((column, event.kind))
        by_column[column, event.kind] = Mark(
            t_s=before.t_s if before else (event.t_ns - origin) / 1e9,
            kind=event.kind,
            text=before.text if before else event.text,
            count=(facts_of(event, CommonFacts).count or 1) + (before.count if before else 0),
        )
    return tuple(sorted(by_column.values(), key=lambda mark: (mark.t_s, mark.kind)))


_EMPTY = Timeline(
    (), 0.0, 1, TimelineRates(), TimelineLevels(), GeneratorUse(), TimelineTimes(), Heat((), ()), {}, (), (),
    (), None,
)  # fmt: skip
