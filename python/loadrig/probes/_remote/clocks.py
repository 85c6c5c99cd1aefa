"""Two clocks as one: what is dated on another host is put on the clock of the rig.

An exchange is four readings: asked (here), heard (there), answered (there), heard (here). If the way there
took as long as the way back, the offset of the clock there is known exactly; if not, it is wrong by half
of the difference, which is at most half of the round trip. Queues only ever add time to one way or the
other, so of many exchanges the one with the shortest round trip is the best, and only those are used.
Source: Mills 1991, IEEE Trans. Commun. 39, 1482-1493; RFC 5905, section 8.
"""

from collections.abc import Sequence
from dataclasses import dataclass

USUAL_DRIFT = 50e-6
"""Difference to be expected between the rates of two clocks: crystals are good to 50 parts in a million.
A fit over a few seconds cannot tell a drift from jitter, and must not make one up."""

WITHIN_NS = 600_000_000_000
"""Time that a fit looks back on: the rate of a clock is constant over ten minutes, not over a day."""

PATIENCE_NS = 120_000_000_000
"""Time for which bursts that stood in queues are ignored: three or four of them."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question and its answer.

    t0_ns, t3_ns: asked, and the answer heard, by the clock here; t1_ns, t2_ns: heard and answered there.
    """

    t0_ns: int
    t1_ns: int
    t2_ns: int
    t3_ns: int

    @property
    def round_trip_ns(self) -> int:
        """Time on the way, there and back."""
        return (self.t3_ns - self.t0_ns) - (self.t2_ns - self.t1_ns)

    @property
    def at_ns(self) -> int:
        """Middle of the exchange, by the clock here."""
        return (self.t0_ns + self.t3_ns) // 2

    @property
    def offset_ns(self) -> int:
        """Lead of the clock there over the clock here, if both ways took the same time."""
        return ((self.t1_ns - self.t0_ns) + (self.t2_ns - self.t3_ns)) // 2


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock on another host, as seen from here.

    offset_ns: its lead over the clock here, when the clock here shows at_ns.
    drift: seconds that it gains in a second of the clock here.
    """

    at_ns: int
    offset_ns: int
    drift: float = 0.0

    def here(self, there_ns: int) -> int:
        """Return the instant on the clock here at which the clock there shows `there_ns`."""
        elapsed = there_ns - self.offset_ns - self.at_ns
        # Only the drift's share goes through a float, so that nanoseconds since boot stay exact.
        return self.at_ns + elapsed - round(elapsed * self.drift / (1.0 + self.drift))

    def misses_by(self, exchange: Exchange) -> float:
        """Return by how many nanoseconds the fit differs from the offset of an exchange."""
        elapsed = exchange.at_ns - self.at_ns
        return abs(exchange.offset_ns - self.offset_ns - elapsed * self.drift)


def best(burst: Sequence[Exchange]) -> Exchange:
    """Return the exchange of a burst that queues have delayed least."""
    return min(burst, key=lambda exchange: exchange.round_trip_ns)


def fit(exchanges: Sequence[Exchange]) -> Clock:
    """Return the clock there, fitted to one or more exchanges, the best of each burst.

    A straight line by least squares, each exchange weighted by how far it can be off (half its round
    trip), with USUAL_DRIFT as the prior of the slope.
    Raises ValueError without an exchange.
    """
    if not exchanges:
        raise ValueError("no exchange: nothing is known of the clock")
    first = exchanges[0]
    # Doubles hold differences only: a host that is up for a year counts more nanoseconds than they can.
    t = [float(exchange.at_ns - first.at_ns) for exchange in exchanges]
    y = [float(exchange.offset_ns - first.offset_ns) for exchange in exchanges]
    w = [1.0 / max(exchange.round_trip_ns / 2.0, 1_000.0) ** 2 for exchange in exchanges]
    total = sum(w)
    mean_t = sum(wi * ti for wi, ti in zip(w, t, strict=True)) / total
    mean_y = sum(wi * yi for wi, yi in zip(w, y, strict=True)) / total
    spread = sum(wi * (ti - mean_t) ** 2 for wi, ti in zip(w, t, strict=True))
    slope = sum(wi * (ti - mean_t) * (yi - mean_y) for wi, ti, yi in zip(w, t, y, strict=True))
    drift = slope / (spread + 1.0 / USUAL_DRIFT**2)
    return Clock(first.at_ns + round(mean_t), first.offset_ns + round(mean_y), drift)


class Alignment:
    """Clock of another host while a run goes on: fitted anew after every burst of exchanges.

    Instants that an earlier fit has dated keep their dates. So it does not matter how well the last fit
    agrees with its own exchanges, but how far each fit was off when the next burst came. Of instants after
    the last burst no exchange can tell: two clocks may go apart until then as fast as they usually do.

    A burst that stood in queues from its first exchange to its last tells little, and is ignored: the
    next good one judges the fit that was used meanwhile. If none is good for long, the way has changed.
    """

    def __init__(self) -> None:
        self.clock: Clock | None = None
        self.n = 0
        self._worst_ns = 0.0
        self._latest_ns = 0
        self._best: list[Exchange] = []
        self._shortest_ns = 0

    @property
    def residual_ns(self) -> float:
        """Largest error that a dated instant may have, in nanoseconds."""
        if self.clock is None:
            return 0.0
        last = self._best[-1]
        unjudged_ns = max(0, self._latest_ns - last.at_ns)
        apart_ns = unjudged_ns * (abs(self.clock.drift) + USUAL_DRIFT)
        return max(self._worst_ns, self._bound_ns(self.clock, last) + apart_ns)

    def dated(self, there_ns: int) -> int:
        """Return the instant on the clock here at which the clock there shows `there_ns`.

        Raises ValueError if no exchange was added yet.
        """
        if self.clock is None:
            raise ValueError("it is said before the clocks were compared")
        here_ns = self.clock.here(there_ns)
        self._latest_ns = max(self._latest_ns, here_ns)
        return here_ns

    def add(self, burst: Sequence[Exchange]) -> None:
        """Add a burst, and fit anew. An empty burst changes nothing."""
        if not burst:
            return
        self.n += len(burst)
        chosen = best(burst)
        if self._best and not self._is_good(chosen):
            return
        trip_ns = chosen.round_trip_ns
        self._shortest_ns = min(self._shortest_ns, trip_ns) if self._best else trip_ns
        self._judge(chosen)
        self._best = [exchange for exchange in self._best if chosen.at_ns - exchange.at_ns <= WITHIN_NS] + [
            chosen
        ]
        self.clock = fit(self._best)
        self._judge(chosen)

    def _is_good(self, exchange: Exchange) -> bool:
        is_short = exchange.round_trip_ns <= 2 * self._shortest_ns + 100_000
        return is_short or exchange.at_ns - self._best[-1].at_ns > PATIENCE_NS

    def _judge(self, exchange: Exchange) -> None:
        """Note how far off the clock is at an exchange, if it was never further off."""
        if self.clock is not None:
            self._worst_ns = max(self._worst_ns, self._bound_ns(self.clock, exchange))

    @staticmethod
    def _bound_ns(clock: Clock, exchange: Exchange) -> float:
        """Return how far off a clock may be at an exchange.

        The fit differs from the exchange by its miss; and the exchange itself is off by at most
        half of its round trip, which is all that the ways there and back can differ by.
        """
        return clock.misses_by(exchange) + max(0, exchange.round_trip_ns) / 2.0
