"""Frames of the generator, added up to whole seconds."""

from collections import Counter

from loadrig._native import Histogram
from loadrig.following.document import SecondDocument
from loadrig.recording.frame import Frame

NS = 1_000_000_000

WHOLE_NS = int(0.95 * NS)
"""Length from which on frames are a second: frames end a little early or late."""

SERVICE = "service"
"""Class of the requests that are counted; logins are not."""


class Seconds:
    """Adder of frames. wall_ns: wall time of the zero of the frames' clock, in ns since 1970.

    outcomes: requests by outcome. by_route: response times by route and outcome, where asked for; both
    since the beginning and until `to_s`, in seconds since 1970. times: response times of good answers, and
    lags, of the last whole second.
    """

    def __init__(self, wall_ns: int, *, is_by_route: bool = False) -> None:
        self._wall_ns, self._is_by_route = wall_ns, is_by_route
        self.by_route: dict[tuple[str, str], Histogram] = {}
        self.outcomes: Counter[str] = Counter()
        self.times = Histogram(), Histogram()
        self.to_s = 0.0
        self._begin()

    def _begin(self) -> None:
        self._len_ns = self._due = self._ok = self._failed = 0
        self._busy_share = 0.0
        self._responses, self._lag = Histogram(), Histogram()

    def add(self, frame: Frame) -> SecondDocument | None:
        """Add a frame's counters and histograms; return the second that ends with it, if one does."""
        self.to_s = round((self._wall_ns + frame.end_ns) / NS, 3)
        self._len_ns += frame.len_ns
        self._due += frame.due
        served = {row.route for row in frame.routes if row.route_class == SERVICE}
        for row in frame.routes:
            if row.route_class != SERVICE:
                continue
            self.outcomes[row.outcome] += row.count
            if row.outcome == "ok":
                self._ok += row.count
            else:
                self._failed += row.count
        for tag, encoded in frame.histograms.items():
            if tag.kind == "response" and tag.outcome == "ok" and tag.route in served:
                self._responses.add(Histogram.decode(encoded))
            elif tag.kind == "lag":
                self._lag.add(Histogram.decode(encoded))
            if self._is_by_route and tag.kind == "response" and tag.route in served:
                total = self.by_route.setdefault((tag.route, tag.outcome), Histogram())
                total.add(Histogram.decode(encoded))
        self._busy_share = max(self._busy_share, *(thread.busy_share for thread in frame.threads), 0.0)
        if self._len_ns < WHOLE_NS:
            return None
        second = self._second(frame)
        self.times = self._responses, self._lag
        self._begin()
        return second

    def _second(self, frame: Frame) -> SecondDocument:
        length_s = self._len_ns / NS
        return SecondDocument(
            t_s=self.to_s,
            planned=frame.planned,
            due=self._due / length_s,
            ok=self._ok / length_s,
            failed=self._failed / length_s,
            p50_s=_quantile_s(self._responses, 0.5),
            p95_s=_quantile_s(self._responses, 0.95),
            p99_s=_quantile_s(self._responses, 0.99),
            in_flight=frame.in_flight,
            users=frame.users,
            lag_s=_quantile_s(self._lag, 0.99),
            busy_share=self._busy_share,
        )


def _quantile_s(histogram: Histogram, share: float) -> float | None:
    return histogram.quantile_ns(share) / NS if histogram.count else None
