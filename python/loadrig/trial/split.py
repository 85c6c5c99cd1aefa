"""Check G13: one generator, and two that share its load, must tell the same of the same server.

A client that queues within itself adds to what it measures, and the more so the nearer it is to its limit;
two clients at half the load each add less. So where one and two agree, the client is not what was measured.
The check takes a second load, so it is made once a machine, against the built-in null server, by `loadrig
doctor --calibrate`. Source: Treadmill (Zhang et al., ISCA 2016), several clients.
"""

import math
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from loadrig._native import Histogram
from loadrig.base.clock import NS
from loadrig.base.errors import Problem, VoidError
from loadrig.engine.process import Generator
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.trial import TrialSplitErrors
from loadrig.language.en.trial.running import TrialSplitTexts

TEXTS, ERRORS = texts_of(TrialSplitTexts), texts_of(TrialSplitErrors)

PAIRS = 8
"""Number of pairs of loads, with one and with two generators in turn: six are the fewest that can decide at 5
%."""

SETTLE_S = 0.25
MEASURE_S = 1.0

DISTURBED_SHARE, GRAVE_SHARE = 0.02, 0.05
DISTURBED_S, GRAVE_S = 100e-6, 500e-6
"""Shares of rate and p99; a p99 may differ by these times whatever its share, as with check G2: against
a server that does nothing two per cent are a microsecond."""

Config = dict[str, Any]
Level = Literal["agree", "disturbed", "grave", "undecided"]


@dataclass(frozen=True, slots=True)
class GeneratedLoad:
    """Outcome of one load, over all generators that made it. p99_s: seconds from due to the last byte."""

    per_second: float
    p99_s: float


@dataclass(frozen=True, slots=True)
class GeneratorSplit:
    """Differences between one generator and two at a rate, as signed shares of the figures of two generators.

    rate, p99: median of the pairs' differences; *_low, *_high: 95 % intervals. p99_s: p99 of two generators.
    has_cores: whether each of the two had a core that neither the other nor the server used. Without, the two
    hinder each other: it still counts when one generator is slower than two, but not when it is as fast.
    """

    per_second: float
    pairs: int
    rate: float
    rate_low: float
    rate_high: float
    p99: float
    p99_low: float
    p99_high: float
    p99_s: float
    has_cores: bool

    @property
    def rate_level(self) -> Level:
        """Level of the rates alone. A rate of one generator that is higher is as wrong as a lower one."""
        least = max(self.rate_low, -self.rate_high)
        return _level(least, max(-self.rate_low, self.rate_high), DISTURBED_SHARE, GRAVE_SHARE)

    @property
    def p99_level(self) -> Level:
        """Level of the tails alone. Only a slower tail speaks against the one generator."""
        level = _level(
            self.p99_low,
            self.p99_high,
            max(DISTURBED_SHARE, DISTURBED_S / self.p99_s),
            max(GRAVE_SHARE, GRAVE_S / self.p99_s),
        )
        return "undecided" if level == "agree" and not self.has_cores else level

    @property
    def level(self) -> Level:
        """The graver of both levels."""
        order: tuple[Level, ...] = ("grave", "disturbed", "undecided", "agree")
        return next(level for level in order if level in (self.rate_level, self.p99_level))

    @property
    def why_undecided(self) -> str:
        """Changes that would let the comparison be decided."""
        if not self.has_cores:
            return TEXTS.two_generators_server
        return TEXTS.noise_hides_whether


def _level(least: float, most: float, disturbed: float, grave: float) -> Level:
    """Return the level of an amount that lies between two bounds, by its two limits."""
    if least > disturbed:
        return "grave" if least > grave else "disturbed"
    return "agree" if most <= disturbed else "undecided"


def make(
    configs: Sequence[Config],
    folder: Path,
    begun: Callable[[int], None] | None = None,
    over: Callable[[], None] | None = None,
) -> GeneratedLoad:
    """Make one load by as many generators at once as there are configs; return its outcome.

    begun: called with the process of each generator when it begins; over: called before they are let go.

    Raises VoidError where a generator fails or nothing is answered.
    """
    answered, length_ns = 0, 0
    response = Histogram()
    with ExitStack() as stack:
        generators = [stack.enter_context(Generator(folder / "engine.log")) for _ in configs]
        for generator, config in zip(generators, configs, strict=True):
            generator.prepare(config)
        start_ns = time.monotonic_ns() + NS // 20
        for generator in generators:
            generator.begin(start_ns)
            if begun:
                begun(generator.pid)
        if over:
            stack.callback(over)
        from_ns = start_ns + int(SETTLE_S * NS)
        to_ns = from_ns + int(MEASURE_S * NS)
        for generator in generators:
            while (frame := generator.next_frame()) is not None:
                if frame.t_ns < from_ns or frame.t_ns + frame.len_ns > to_ns + NS // 20:
                    continue
                answered += frame.answered
                length_ns += frame.len_ns
                for tag, encoded in frame.histograms.items():
                    if tag.kind == "response":
                        response.add(Histogram.decode(encoded))
    if not answered or not length_ns:
        raise VoidError(nothing_answered())
    return GeneratedLoad(answered / (length_ns / NS / len(configs)), response.quantile_ns(0.99) / NS)


def compare(
    config_of: Callable[[float, int, tuple[int, ...]], Config],
    per_second: float,
    cpus: Sequence[int],
    pairs: int = PAIRS,
    make: Callable[[Sequence[Config], Path], GeneratedLoad] = make,
) -> GeneratorSplit:
    """Make the same load with one generator and with two, in turn, and compare.

    config_of: rate, seed and cores to the generator's config; its load lasts SETTLE_S + MEASURE_S. cpus: the
    generators' cores; with one core both generators are on it. make: makes a load. Raises VoidError where a
    generator fails.
    """
    from loadrig.stats.compare import paired_differences

    first, second = (tuple(cpus[:1]), tuple(cpus[1:2] or cpus[:1]))
    rates: list[float] = []
    tails: list[float] = []
    fleet_tails: list[float] = []
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        for pair in range(pairs):
            seed = 3 * pair + 1
            single = [config_of(per_second, seed, first)]
            double = [config_of(per_second / 2, seed + 1, first), config_of(per_second / 2, seed + 2, second)]
            # The load that is first in one pair is second in the next, so that a drift hits both alike.
            order = (single, double) if pair % 2 == 0 else (double, single)
            done = {len(configs): make(configs, Path(folder)) for configs in order}
            rates.append(math.log(done[1].per_second / done[2].per_second))
            tails.append(math.log(done[1].p99_s / done[2].p99_s))
            fleet_tails.append(done[2].p99_s)
    rate, tail = paired_differences(rates), paired_differences(tails)
    return GeneratorSplit(
        per_second=per_second,
        pairs=pairs,
        rate=math.expm1(rate.centre),
        rate_low=math.expm1(rate.low),
        rate_high=math.expm1(rate.high),
        p99=math.expm1(tail.centre),
        p99_low=math.expm1(tail.low),
        p99_high=math.expm1(tail.high),
        p99_s=sorted(fleet_tails)[len(fleet_tails) // 2],
        has_cores=len(set(cpus)) > 1,
    )


def nothing_answered() -> Problem:
    """Return what to say when a calibration's load had no answers."""
    return Problem.of(ERRORS.nothing_answered, code="doctor.calibration")
