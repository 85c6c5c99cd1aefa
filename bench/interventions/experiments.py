"""An experiment on a simulated server: the proof's own code changes it and reads its frames, on its clock."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from bench.interventions.events import RunningNetwork
from bench.interventions.networks import QueueNetwork, drawn, elasticity, throughput
from loadrig.base.running import Address, RunningTarget
from loadrig.interventions import Lever, Setter, Step, _capacity
from loadrig.judgement.experiments.results import Result
from loadrig.proving.live import FRAME_S, LiveProof
from loadrig.recording.frame import Frame
from loadrig.recording.steps import NS
from loadrig.stats.elasticity import BASE, Slot, elasticities
from loadrig.testing.engine_frames import engine_frame
from loadrig.trial.spec import Stage

WARM_UP_S = 3.0
MORE_SHARE = 0.25
"""Share of the tiers that are asked with more: most are asked with less, as most have no room for more."""
TICKS = 2
"""Times that the weather changes in a frame."""


@dataclass(frozen=True)
class ExperimentWeather:
    """Weather of the whole machine, for all demands alike.

    drift: of the speed in a minute, as a share. wander: standard deviation of its slow changes, each of about
    wander_s. A neighbour comes every every_s, stays for about lasts_s, and takes that share.
    """

    drift: float
    wander: float
    wander_s: float
    every_s: float
    lasts_s: float
    takes: float

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> "ExperimentWeather":
        """From a quiet machine to a bad one."""
        return cls(
            *map(float, rng.uniform([-0.1, 0.0, 3.0, 2.0, 0.05, 0.05], [0.1, 0.03, 30.0, 20.0, 0.5, 0.4]))
        )

    def speeds(self, tick_s: float, rng: np.random.Generator) -> Iterator[float]:
        """Yield the speed in each tick, for ever; about 1."""
        keep = np.exp(-tick_s / self.wander_s)
        wander = self.wander * rng.standard_normal()
        now, comes = 0.0, rng.exponential(self.every_s)
        goes = comes + rng.exponential(self.lasts_s)
        while True:
            then = now + tick_s
            here = max(0.0, min(goes, then) - max(comes, now)) / tick_s
            yield float(np.exp(self.drift * now / 60 + wander) * (1 - self.takes * here))
            if goes < then:
                comes = goes + rng.exponential(self.every_s)
                goes = comes + rng.exponential(self.lasts_s)
            wander = keep * wander + self.wander * np.sqrt(1 - keep**2) * rng.standard_normal()
            now = then


class ServerTiers:
    """A simulated server whose tiers can be changed, and which gives the generator's frames."""

    def __init__(
        self, network: QueueNetwork, ratios: tuple[float, ...], weather: ExperimentWeather, seed: int
    ) -> None:
        rng = np.random.default_rng(seed)
        self._running = RunningNetwork(network, rng)
        self._speeds = weather.speeds(FRAME_S / TICKS, rng)
        self._ratios = ratios
        self.is_changed = [False] * len(ratios)
        self.frames = 0
        self.counts: list[int] = []

    def clock(self) -> int:
        """Nanoseconds since the load began."""
        return round(self.frames * FRAME_S * NS)

    def steps(self) -> list[Step]:
        """Return what can be changed: the capacity of each tier. Their titles are the tiers' places."""
        return [
            Step(Lever("cpu", f"tier {place}"), str(place), ratio, partial(self._held, place), "")
            for place, ratio in enumerate(self._ratios)
        ]

    @contextmanager
    def _held(self, place: int) -> Iterator[Setter]:
        yield lambda is_changed: self.is_changed.__setitem__(place, is_changed)
        self.is_changed[place] = False

    def frame(self) -> Frame:
        """Return the next one."""
        run, start_ns = self._running, self.clock()
        answered, waited_s = run.answered, run.waited_s
        for tick in range(1, TICKS + 1):
            speed = next(self._speeds)
            speeds = [
                speed * (ratio if is_changed else 1.0)
                for ratio, is_changed in zip(self._ratios, self.is_changed, strict=True)
            ]
            run.advance((self.frames + tick / TICKS) * FRAME_S, speeds)
        self.frames += 1
        count = run.answered - answered
        self.counts.append(count)
        row = {"route": "r", "class": "service", "outcome": "ok", "count": count, "bytes": 0}
        length_ns = self.clock() - start_ns
        waited_s = run.waited_s - waited_s
        return Frame.live(
            engine_frame(self.frames, start_ns, length_ns, [row], in_flight_s=waited_s, threads=[])
        )


def experiment(seed: int, most_s: float) -> dict[str, Any]:
    """Return one, on a server at random: what was found of each tier, and what is so. most_s: of slots.

    found: the proof's own interval first; "careless" has others from the same data, see `careless`.
    """
    rng = np.random.default_rng(seed)
    network, weather = drawn(rng), ExperimentWeather.drawn(rng)
    ratios = asked(network, rng)
    server = ServerTiers(network, ratios, weather, seed + 1)
    proof = LiveProof(
        lambda _scene, _response: (server.steps(), []), "throughput", warm_up_s=WARM_UP_S, most_s=most_s,
        seed=seed, clock=server.clock,
    )  # fmt: skip
    target = RunningTarget(Address("127.0.0.1", 1, "http", None))
    proof.begin(Stage(target, lambda: (), lambda _: None, (), 0, lambda _: 0))
    while not proof.why_over():
        proof.see(server.frame())
    proof.close()
    result_by_tier = {int(result.title): result for result in proof.results if result.elasticity is not None}
    others = careless(result_by_tier, dict(enumerate(ratios)), server.counts)
    per_second = throughput(network)
    return {
        "seed": seed, "tiers": len(network.tiers), "users": network.users, "per_second": per_second,
        "cycle_s": network.users / per_second, "took_s": server.frames * FRAME_S, "why": proof.why_over(),
        "found": [
            {
                "ratio": ratios[tier], "truth": elasticity(network, tier, ratios[tier]),
                "value": result.elasticity.value, "low": result.elasticity.low,
                "high": result.elasticity.high,
                "standing": result.standing, "blocks": result.blocks,
                "careless": {way: ends[tier] for way, ends in others.items() if tier in ends},
            }
            for tier, result in sorted(result_by_tier.items())
            if result.elasticity is not None
        ],
    }  # fmt: skip


def asked(network: QueueNetwork, rng: np.random.Generator) -> tuple[float, ...]:
    """Return how each tier's capacity is changed: more of some, less of others, as the members decide it."""
    per_second = throughput(network)
    return tuple(
        _capacity.MORE
        if rng.random() < MORE_SHARE
        else _capacity.ratio_of_less(per_second * tier.demand_s, float(tier.places))
        for tier in network.tiers
    )


def careless(
    result_by_tier: Mapping[int, Result], ratios: Mapping[int, float], counts: Sequence[int]
) -> dict[str, dict[int, tuple[float, float]]]:
    """95 % intervals from the same data with one precaution left out, by tier: low and high.

    "looks": as if nobody had looked before the end. "settling": with the answers of all of a slot.
    "slots": each frame by itself, as if it knew nothing of the one before. counts: answers in each frame.
    """
    parts = sorted(
        {
            (part.from_s, part.length_s, part.block, tier + 1 if part.is_changed else BASE)
            for tier, result in result_by_tier.items()
            for part in result.parts
        }
    )
    if not parts:
        return {}
    within = [
        (round(from_s / FRAME_S), round((from_s + length_s) / FRAME_S)) for from_s, length_s, *_ in parts
    ]
    # A slot begins where the one before it ends; of the first it is not known.
    whole = [within[0], *((before[1], own[1]) for before, own in pairwise(within))]
    settled, unsettled = (
        [
            Slot(block, change, max(sum(counts[begin:end]), 0.5) / (end - begin))
            for (begin, end), (_, _, block, change) in zip(spans, parts, strict=True)
        ]
        for spans in (within, whole)
    )
    by_change = {tier + 1: ratio for tier, ratio in ratios.items()}
    looks, settling = (
        {
            change - 1: (elasticity.low, elasticity.high)
            for change, elasticity in elasticities(slots, by_change).items()
        }
        for slots in (settled, unsettled)
    )
    frames: dict[int, list[int]] = {}
    for (begin, end), (*_, change) in zip(within, parts, strict=True):
        frames.setdefault(change, []).extend(counts[begin:end])
    return {
        "looks": looks, "settling": settling,
        "slots": {tier: _of_frames(frames[BASE], frames[tier + 1], ratios[tier]) for tier in result_by_tier},
    }  # fmt: skip


def _of_frames(base: Sequence[int], changed: Sequence[int], ratio: float) -> tuple[float, float]:
    """Return the interval of two means of independent values, by the delta method."""
    logs, variance = [], 0.0
    for counts in (base, changed):
        mean = max(float(np.mean(counts)), 1e-9)
        logs.append(math.log(mean))
        variance += float(np.var(counts, ddof=1)) / len(counts) / mean**2
    scale = math.log(ratio)
    value, reach = (logs[1] - logs[0]) / scale, 1.96 * math.sqrt(variance) / abs(scale)
    return value - reach, value + reach
