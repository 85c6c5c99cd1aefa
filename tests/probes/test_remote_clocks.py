"""Two clocks as one: fitted on clocks that are known, over ways whose delays are known."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.probes._remote.clocks import Alignment, Clock, Exchange, best, fit

MS = 1_000_000
S = 1_000_000_000
UPTIME_NS = 40 * 86_400 * S


class RemoteClock:
    """A clock there that is ahead by `offset_ns`, and gains `drift` seconds in a second of the one here."""

    def __init__(self, offset_ns: int, drift: float) -> None:
        self.offset_ns, self.drift = offset_ns, drift

    def there(self, here_ns: int) -> int:
        return here_ns + self.offset_ns + round((here_ns - UPTIME_NS) * self.drift)


class FakeWay:
    """Each way takes a fixed time and a random one on top (exponential), of a mean of its own."""

    def __init__(self, chance: random.Random, *, fixed_ms: float, out_ms: float, back_ms: float) -> None:
        self._chance, self._fixed_ms, self._means = chance, fixed_ms, (out_ms, back_ms)

    def exchange(self, clock: RemoteClock, at_ns: int) -> Exchange:
        out, back = (
            round((self._fixed_ms + (self._chance.expovariate(1 / mean) if mean else 0.0)) * MS)
            for mean in self._means
        )
        heard = at_ns + out
        answered = heard + self._chance.randrange(5_000, 50_000)
        return Exchange(at_ns, clock.there(heard), clock.there(answered), answered + back)


def run(
    way: FakeWay, clock: RemoteClock, minutes: float, first: int = 20, later: int = 8
) -> tuple[Alignment, float]:
    """Make a run as the rig does, and return the greatest error of what was dated too, in nanoseconds."""
    alignment, error = Alignment(), 0.0
    bursts = [0.0, 1.0, 3.0, 10.0, *(30.0 * n for n in range(1, int(minutes * 2) + 1))]
    for number, began_s in enumerate(bursts):
        now_ns = UPTIME_NS + round(began_s * S)
        burst = []
        for _ in range(later if number else first):
            burst.append(way.exchange(clock, now_ns))
            now_ns = burst[-1].t3_ns + 10_000
        alignment.add(burst)
        until_s = bursts[number + 1] if number + 1 < len(bursts) else began_s
        for happened in (now_ns, UPTIME_NS + round(until_s * S)):
            error = max(error, abs(alignment.dated(clock.there(happened)) - happened))
    return alignment, error


@pytest.mark.parametrize("drift", [0.0, 3e-6, -80e-6, 200e-6])
@pytest.mark.parametrize(("out_ms", "back_ms"), [(0.0, 0.0), (0.3, 0.3), (2.0, 0.0), (0.0, 2.0)])
def test_what_is_dated_there_lands_here_within_the_stated_residual(
    drift: float, out_ms: float, back_ms: float
) -> None:
    for seed in range(20):
        way = FakeWay(random.Random(seed), fixed_ms=0.2, out_ms=out_ms, back_ms=back_ms)
        alignment, error = run(way, RemoteClock(7_000 * S, drift), minutes=5)
        assert error <= alignment.residual_ns + 1
        assert alignment.n == 20 + 13 * 8


def test_over_a_quiet_way_the_residual_is_about_half_of_the_round_trip() -> None:
    way = FakeWay(random.Random(1), fixed_ms=0.2, out_ms=0.05, back_ms=0.05)
    alignment, _ = run(way, RemoteClock(-S, 5e-6), minutes=5)
    assert 0.2 * MS <= alignment.residual_ns <= 0.3 * MS


def test_the_drift_is_found() -> None:
    way = FakeWay(random.Random(2), fixed_ms=0.2, out_ms=0.1, back_ms=0.1)
    alignment, _ = run(way, RemoteClock(S, 40e-6), minutes=5)
    assert alignment.clock is not None
    assert alignment.clock.drift == pytest.approx(40e-6, abs=2e-6)


def test_a_way_that_is_congested_for_a_while_does_not_widen_the_residual() -> None:
    quiet = FakeWay(random.Random(3), fixed_ms=0.2, out_ms=0.05, back_ms=0.05)
    full = FakeWay(random.Random(4), fixed_ms=0.2, out_ms=40.0, back_ms=0.05)
    clock, alignment = RemoteClock(S, 5e-6), Alignment()
    for n in range(10):
        way = full if n == 5 else quiet
        alignment.add([way.exchange(clock, UPTIME_NS + n * 30 * S + k * MS) for k in range(8)])
    assert alignment.residual_ns < 0.5 * MS


@pytest.mark.parametrize("drift", [-40e-6, 40e-6])
@pytest.mark.parametrize("queued_ms", [0.0, 40.0])
def test_what_is_dated_after_the_last_good_burst_lands_within_the_residual_too(
    drift: float, queued_ms: float
) -> None:
    clock = RemoteClock(S, drift)
    for seed in range(20):
        chance, alignment = random.Random(seed), Alignment()
        quiet = FakeWay(chance, fixed_ms=0.02, out_ms=0.01, back_ms=0.0)
        alignment.add([quiet.exchange(clock, UPTIME_NS + k * MS) for k in range(20)])
        closing = FakeWay(chance, fixed_ms=0.02, out_ms=0.01, back_ms=queued_ms)
        alignment.add([closing.exchange(clock, UPTIME_NS + S + k * MS) for k in range(8)])
        happened = UPTIME_NS + 5 * S
        error = abs(alignment.dated(clock.there(happened)) - happened)
        assert error <= alignment.residual_ns + 1
        assert alignment.residual_ns < MS


def test_a_clock_that_jumps_widens_the_residual_by_as_much() -> None:
    way, alignment = FakeWay(random.Random(5), fixed_ms=0.2, out_ms=0.0, back_ms=0.0), Alignment()
    for n, offset in enumerate((0, 0, 30 * MS)):
        clock = RemoteClock(offset, 0.0)
        alignment.add([way.exchange(clock, UPTIME_NS + n * 30 * S + k * MS) for k in range(8)])
    assert alignment.residual_ns == pytest.approx(30.2 * MS, abs=0.1 * MS)


def test_the_exchange_that_was_delayed_least_is_taken() -> None:
    slow, quick = Exchange(0, 500, 510, 900), Exchange(1_000, 1_320, 1_330, 1_650)
    assert best([slow, quick, slow]) is quick
    assert (quick.round_trip_ns, quick.offset_ns, quick.at_ns) == (640, 0, 1_325)


def test_from_a_few_seconds_no_drift_is_made_up() -> None:
    exchanges = [Exchange(0, 150_000, 150_000, 200_000), Exchange(S, S + 50_000, S + 50_000, S + 200_000)]
    assert abs(fit(exchanges).drift) < 15e-6


def test_without_an_exchange_nothing_is_known() -> None:
    alignment = Alignment()
    alignment.add([])
    assert alignment.clock is None
    assert alignment.residual_ns == 0.0
    with pytest.raises(ValueError, match="known"):
        fit([])


@given(st.integers(0, 10**17), st.integers(-(10**17), 10**17), st.floats(-1e-3, 1e-3), st.integers(0, 10**13))
def test_a_clock_takes_instants_back_to_the_nanosecond(
    at_ns: int, offset_ns: int, drift: float, later_ns: int
) -> None:
    there = at_ns + later_ns + offset_ns + round(later_ns * drift)
    assert abs(Clock(at_ns, offset_ns, drift).here(there) - (at_ns + later_ns)) <= 2
