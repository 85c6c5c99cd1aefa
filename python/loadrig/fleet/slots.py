"""Sums of frames that end in one slot: what a merger holds until all its generators have come to it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter

from loadrig._native import Histogram
from loadrig.fleet.messages import BundledRoute, BundledSlot
from loadrig.recording.frame import FailedRequest
from loadrig.recording.frame_document import LiveFrameDocument

SUMS = (
    "due", "sent", "answered", "failed", "unsent", "bytes_in", "bytes_out", "opened", "reused", "backoffs",
    "capped", "stream_resets", "goaways", "process_cpu_ns", "logins", "logins_again", "from_cache",
)  # fmt: skip
"""Counters of an interval, in a generator's frame."""

STANDS = ("in_flight", "queued", "users", "sessions", "open", "rss_bytes", "fds", "fds_limit", "ports")
"""States at the end of an interval, which all generators have together."""

_sums_of, _stands_of = attrgetter(*SUMS), attrgetter(*STANDS)


@dataclass(slots=True)
class TimesSum:
    """Histograms that are one in the end; the first stays as it came, as most have no second."""

    text: str
    histogram: Histogram | None = None

    def add(self, text: str) -> None:
        """Add an encoded histogram."""
        if self.histogram is None:
            self.histogram = Histogram.decode(self.text)
        self.histogram.add(Histogram.decode(text))

    def encoded(self) -> str:
        """Return all of them as one encoded histogram."""
        return self.text if self.histogram is None else self.histogram.encode()


@dataclass(slots=True)
class SlotRoute:
    """Requests of one route that came to one outcome."""

    count: int = 0
    bytes: int = 0
    times: dict[str, TimesSum] = field(default_factory=dict)


@dataclass(slots=True)
class SlotSum:
    """Sum of the frames that end in one slot."""

    until_ns: int = 0
    planned: float = 0.0
    sums: Counter[str] = field(default_factory=Counter)
    in_flight_s: float = 0.0
    unsent_why: Counter[str] = field(default_factory=Counter)
    status: Counter[str] = field(default_factory=Counter)
    routes: dict[tuple[str, str, str], SlotRoute] = field(default_factory=dict)
    own: dict[str, TimesSum] = field(default_factory=dict)
    stands: dict[int, tuple[int, ...]] = field(default_factory=dict)
    ranges: dict[int, int] = field(default_factory=dict)
    threads: dict[int, list[list[int]]] = field(default_factory=dict)
    gaps_ns: Sequence[int] = ()
    examples: list[FailedRequest] = field(default_factory=list)

    def take(self, index: int, frame: LiveFrameDocument, offset_ns: int) -> None:
        """Add a frame of a generator, whose clock is ahead of ours by offset_ns."""
        end_ns = frame.t_ns + frame.len_ns - offset_ns
        if end_ns >= self.until_ns:
            self.until_ns, self.planned = end_ns, frame.planned
        for name, number in zip(SUMS, _sums_of(frame), strict=True):
            self.sums[name] += number
        self.in_flight_s += frame.in_flight_s
        self.unsent_why.update(frame.unsent_why or {})
        self.status.update(frame.status)
        for row in frame.routes:
            route = self.routes.setdefault((row.route, row.route_class, row.outcome), SlotRoute())
            route.count += row.count
            route.bytes += row.bytes
            _add(route.times, row.times)
        _add(self.own, frame.own_times)
        self.stands[index] = _stands_of(frame)
        self.ranges[index] = frame.ports_range
        rows = [[thread.cpu_ns, thread.run_delay_ns] for thread in frame.threads]
        before = self.threads.get(index)
        self.threads[index] = rows if before is None else _added(before, rows)
        self.examples += (replace(example, t_ns=example.t_ns - offset_ns) for example in frame.examples)

    def document(self) -> BundledSlot:
        """Return all of it, as a bundle carries it."""
        return BundledSlot(
            until_ns=self.until_ns,
            planned=self.planned,
            sums=self.sums,
            in_flight_s=self.in_flight_s,
            unsent_why=self.unsent_why,
            status=self.status,
            routes=tuple(
                BundledRoute(*key, row.count, row.bytes, _encoded(row.times))
                for key, row in self.routes.items()
            ),
            own=_encoded(self.own),
            stands=tuple(self.stands.items()),
            ranges=tuple(self.ranges.items()),
            threads=tuple(self.threads.items()),
            gaps_ns=self.gaps_ns,
            examples=tuple(self.examples),
        )

    @classmethod
    def of_document(cls, document: BundledSlot) -> "SlotSum":
        """Return what `document` has written."""
        return cls(
            until_ns=document.until_ns,
            planned=document.planned,
            sums=Counter(document.sums),
            in_flight_s=document.in_flight_s,
            unsent_why=Counter(document.unsent_why),
            status=Counter(document.status),
            routes={
                (row.route, row.route_class, row.outcome): SlotRoute(
                    row.requests, row.bytes, _sums(row.times)
                )
                for row in document.routes
            },
            own=_sums(document.own),
            stands=dict(document.stands),
            ranges=dict(document.ranges),
            threads=dict(document.threads),
            gaps_ns=document.gaps_ns,
            examples=list(document.examples),
        )

    def join(self, later: "SlotSum") -> None:
        """Add a later slot to this one, or that of other generators."""
        if later.until_ns >= self.until_ns:
            self.until_ns, self.planned = later.until_ns, later.planned
        self.sums.update(later.sums)
        self.in_flight_s += later.in_flight_s
        self.unsent_why.update(later.unsent_why)
        self.status.update(later.status)
        for key, row in later.routes.items():
            route = self.routes.setdefault(key, SlotRoute())
            route.count += row.count
            route.bytes += row.bytes
            _add(route.times, _encoded(row.times))
        _add(self.own, _encoded(later.own))
        self.stands.update(later.stands)
        self.ranges.update(later.ranges)
        for index, rows in later.threads.items():
            before = self.threads.get(index)
            self.threads[index] = rows if before is None else _added(before, rows)
        self.gaps_ns = [*self.gaps_ns, *later.gaps_ns]
        self.examples += later.examples


def _add(times: dict[str, TimesSum], texts: Mapping[str, str]) -> None:
    """Add histograms by their kinds."""
    for kind, text in texts.items():
        if kind in times:
            times[kind].add(text)
        else:
            times[kind] = TimesSum(text)


def _encoded(times: Mapping[str, TimesSum]) -> dict[str, str]:
    return {kind: each.encoded() for kind, each in times.items()}


def _sums(texts: Mapping[str, str]) -> dict[str, TimesSum]:
    return {kind: TimesSum(text) for kind, text in texts.items()}


def _added(first: list[list[int]], second: list[list[int]]) -> list[list[int]]:
    return [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(first, second, strict=True)]
