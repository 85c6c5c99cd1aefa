"""Testimony of one generator of a fleet on itself, added up over its load: of a size that does not grow."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from loadrig._native import Histogram
from loadrig.base.clock import NS
from loadrig.fleet.clocks import ClockOffset
from loadrig.fleet.hosts import Seat, UnreachableGenerator
from loadrig.fleet.messages import GeneratorSums
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.fleet import FleetErrors
from loadrig.recording.frame_document import LiveFrameDocument

ERRORS = texts_of(FleetErrors)

TOTALS = ("due", "sent", "answered", "failed", "unsent")
SHORTAGES = ("no_ports", "no_descriptors")


class FrameSums:
    """Sums over the frames of one generator, and the most that was seen in one of them."""

    def __init__(self) -> None:
        self.totals: Counter[str] = Counter(dict.fromkeys(TOTALS, 0))
        self.missed = self.rss_bytes = 0
        self.lag = Histogram()
        self.shortages: Counter[str] = Counter()
        self.length_ns = self.delay_ns = 0
        self.cpu_ns: list[int] = []
        self.ports_share = 0.0

    def take(self, frame: LiveFrameDocument) -> None:
        """Add a frame."""
        for name in TOTALS:
            self.totals[name] += getattr(frame, name)
        self.missed += (frame.unsent_why or {}).get("missed", 0)
        self.length_ns += frame.len_ns
        threads = frame.threads
        self.cpu_ns = [
            before + thread.cpu_ns
            for before, thread in zip(self.cpu_ns or [0] * len(threads), threads, strict=True)
        ]
        self.delay_ns += sum(thread.run_delay_ns for thread in threads)
        self.ports_share = max(self.ports_share, frame.ports / max(1, frame.ports_range))
        self.rss_bytes = max(self.rss_bytes, frame.rss_bytes)
        for row in frame.routes:
            if row.outcome in SHORTAGES:
                self.shortages[row.outcome] += row.count
        if frame.lag:
            self.lag.add(Histogram.decode(frame.lag))

    def count(self, counts: Sequence[int]) -> None:
        """Add what some frames came to, see `counts_of`."""
        *totals, missed = counts
        self.totals.update(dict(zip(TOTALS, totals, strict=True)))
        self.missed += missed

    def load(self, sums: GeneratorSums) -> None:
        """Set them to what another process has added up."""
        self.totals, self.shortages = Counter(sums.totals), Counter(sums.shortages)
        self.missed, self.rss_bytes = sums.missed, sums.rss_bytes
        self.lag = Histogram.decode(sums.lag)
        self.length_ns, self.cpu_ns = sums.length_ns, list(sums.cpu_ns)
        self.delay_ns, self.ports_share = sums.delay_ns, sums.ports_share


class Testimony:
    """Follower of one generator. offset: of its host's clock, before the load. sums: over its frames."""

    __test__ = False  # pytest takes it for a test by its name

    def __init__(self, seat: Seat, offset: ClockOffset) -> None:
        self.seat, self.offset = seat, offset
        self.offset_after: ClockOffset | None = None
        self.start_late_ns = 0
        self.lost = ""
        self.passed_on, self.lost_s = "", 0.0
        self.taken_over_s: float | None = None
        self.unanswered = self._in_flight = 0
        self.last_end_ns: int | None = None
        self.sums = FrameSums()
        self._next_frame = 0

    def take(self, frame: LiveFrameDocument) -> bool:
        """Add the next frame of the generator; return False of one that has come before.

        Raises UnreachableGenerator where one before it has never come: its part goes on at the end of the
        last one, as after any loss.
        """
        if frame.n > self._next_frame:
            raise UnreachableGenerator(ERRORS.frame_missing(str(self._next_frame)))
        if frame.n < self._next_frame:
            return False
        self._next_frame += 1
        self.sums.take(frame)
        self._in_flight = frame.in_flight
        self.last_end_ns = frame.t_ns + frame.len_ns - self.offset.ns
        return True

    def begin_anew(self, offset: ClockOffset) -> None:
        """Take the frames of a fresh generator from now on, by its own clock."""
        self.offset, self._next_frame = offset, 0

    @property
    def is_second(self) -> bool:
        """Whether a generator went on with the part of a lost one."""
        return bool(self.passed_on)

    def ended_s(self, start_ns: int) -> float:
        """Return the end of its last frame, in seconds since the load began."""
        return max(0.0, ((self.last_end_ns or start_ns) - start_ns) / NS)

    def pass_on(self, seat: Seat, offset: ClockOffset, how: str, start_ns: int) -> None:
        """Note that it was lost, how, and that its part goes on in another seat, by another clock."""
        self.seat = seat
        self.begin_anew(offset)
        self.passed_on, self.lost_s = how, self.ended_s(start_ns)
        self.unanswered, self._in_flight = self._in_flight, 0

    def end(self) -> dict[str, Any]:
        """Return the end of a generator that did not tell its own."""
        return {
            "why": "broken", "t_ns": self.last_end_ns or 0, "totals": dict(self.sums.totals),
            "max_rss_bytes": self.sums.rss_bytes,
        }  # fmt: skip

    def state(self) -> GeneratorSums:
        """Return what its frames came to."""
        sums = self.sums
        return GeneratorSums(
            totals=sums.totals, missed=sums.missed, rss_bytes=sums.rss_bytes, lag=sums.lag.encode(),
            shortages=sums.shortages, length_ns=sums.length_ns, cpu_ns=tuple(sums.cpu_ns),
            delay_ns=sums.delay_ns, ports_share=sums.ports_share, in_flight=self._in_flight,
            last_end_ns=self.last_end_ns,
        )  # fmt: skip

    def load(self, sums: GeneratorSums) -> None:
        """Set what its frames came to, where another process has taken them."""
        self.sums.load(sums)
        self._in_flight, self.last_end_ns = sums.in_flight, sums.last_end_ns

    def see(self, last_end_ns: int | None, in_flight: int) -> None:
        """Note how far it is, where another process takes its frames."""
        self.last_end_ns, self._in_flight = last_end_ns, in_flight

    @property
    def in_flight(self) -> int:
        """Number of its requests that had no answer at the end of its last frame."""
        return self._in_flight

    def _lost_after_s(self, start_ns: int) -> float | None:
        if self.lost:
            return self.ended_s(start_ns)
        return self.lost_s if self.passed_on else None

    def to_json(self, start_ns: int) -> dict[str, Any]:
        """Return it as a recording keeps it, see recording.fleet_document. start_ns: start of the load."""
        length_ns = max(1, self.sums.length_ns)
        threads = max(1, len(self.sums.cpu_ns))
        after = self.offset_after
        return {
            "name": self.seat.name,
            "host": self.seat.host,
            "label": self.seat.label,
            "requests": self.sums.totals["answered"] + self.sums.totals["failed"],
            "due": self.sums.totals["due"],
            "sent": self.sums.totals["sent"],
            "lag_us": delay_of(self.sums.lag) if self.sums.lag.count else None,
            "clock_offset_us": _interval(self.offset),
            "clock_offset_after_us": _interval(after) if after else None,
            "clock_drift_ppm": self.offset.drift_ppm(after) if after else None,
            "start_late_us": self.start_late_ns / 1e3,
            "busiest_thread_share": min(1.0, max(self.sums.cpu_ns, default=0) / length_ns),
            "run_delay_share": self.sums.delay_ns / (length_ns * threads),
            "ports_share": self.sums.ports_share,
            **{name: self.sums.shortages[name] for name in SHORTAGES},
            "lost": self.lost or self.passed_on,
            "lost_after_s": self._lost_after_s(start_ns),
            "taken_over_after_s": None if self.lost else self.taken_over_s,
            "missed": self.sums.missed,
            "unanswered": self.unanswered,
        }


def counts_of(frame: LiveFrameDocument) -> list[int]:
    """Return the totals of a frame, in their order, and after them what was missed in it."""
    missed = (frame.unsent_why or {}).get("missed", 0)
    return [*(getattr(frame, name) for name in TOTALS), missed]


def delay_of(times: Histogram) -> dict[str, float]:
    """Return the quantiles of some times as a recording keeps them, in microseconds."""
    quantiles = {f"p{100 * share:.0f}": times.quantile_ns(share) / 1e3 for share in (0.5, 0.99)}
    return {**quantiles, "max": times.max_ns / 1e3}


def _interval(offset: ClockOffset) -> dict[str, float]:
    return {"low": offset.low_ns / 1e3, "high": offset.high_ns / 1e3}
