"""The search in order: a ramp until the server breaks, probes around the limit, an overload and recovery."""

import math
import random
from typing import Literal

from loadrig.base.estimate import Estimate
from loadrig.study.capacity.answer import (
    CONFIRMS_ABOVE,
    CONFIRMS_BELOW,
    Answer,
    Confirmed,
    Unit,
    Why,
    estimate_of,
    knee_of,
    nearest,
    sides,
    usl_of,
)
from loadrig.study.capacity.beyond import OVERLOAD_S, Overload
from loadrig.study.capacity.clusters import Clusters
from loadrig.study.capacity.goals import Goals
from loadrig.study.capacity.locate import Located, locate
from loadrig.study.capacity.probe import DoneProbe, Drain, Kind, Probe
from loadrig.study.capacity.ramp import (
    KEPT_UP_S,
    SATURATION_S,
    Ramp,
    has_collapsed,
    is_missed_without_a_queue,
    keeps_up,
    saturation_of,
)
from loadrig.study.capacity.saturation import (
    AGAIN_AT,
    AGAIN_BUDGET_S,
    AGAIN_OVERLOAD,
    FARTHER,
    MOST,
    Saturation,
)
from loadrig.study.capacity.tick import Tick
from loadrig.study.capacity.waits import line_of

FIRST = 10.0

ENOUGH_S = 60.0
"""Seconds that a search needs at least to find a capacity that is known to be somewhere."""

WIDTH = 0.03
"""Half of the interval, as a share of the capacity, below which the answer is sure."""

COARSE = 0.10
"""Half of the interval, in ln(level), above which the next level is the median: only its side is wanted."""

COARSE_S, FINE_S = 5.0, 10.0
"""Most seconds of a probe, far from the limit and near it.
The nearer to the limit, the more requests it takes to tell one side from the other."""

SHARE_ABOVE, SHARE_BELOW = 3.0, 1.5
"""Factors of the goal's odds of a late answer, at levels alternately above and below the limit.
Above it the odds are that much higher, below it that much lower: more is learned where more is late."""

NARROWEST, WIDEST = 0.004, 0.05
"""Range of the steps from the limit, in ln(level)."""

CONFIRM_S, CONFIRM_ABOVE_S = 20.0, 8.0
SETTLES_S = 2.0
OVERLOAD_NEEDS_S = OVERLOAD_S + 8.0
ROUNDS = 3
"""Most rounds of confirmation: each that fails moves the capacity."""

USUAL_FACTOR, USUAL_MORE = 3.0, 4.0
"""Factor of the usual number in flight, and requests more than it, above which a drain comes first."""

Step = Literal["ramp", "drain", "probe", "overload", "over"]


class Search:
    """Search for a capacity: it takes each frame by `see`, and says by `level` what to offer from now on.

    Its `answer` is there when `is_over`.

    unit: "1/s" of an open load, "users" of a closed one. first: level to begin with, far below the limit.
    least, most: levels that may be offered. budget_s: of all, the overload included. width: half of the
    interval over the capacity that is good enough. cores: that the server may use, where ticks have its CPU
    time. seed: of what is random. skip_overload: where a server must not be overloaded on purpose once more;
    it still is where what it answers at most has become doubtful.
    """

    def __init__(
        self,
        goals: Goals,
        *,
        unit: Unit = "1/s",
        first: float = FIRST,
        least: float = 1.0,
        most: float = math.inf,
        budget_s: float = 120.0,
        width: float = WIDTH,
        cores: float | None = None,
        seed: int = 1,
        skip_overload: bool = False,
    ) -> None:
        if not (goals.shares or goals.readings):
            raise ValueError("a search needs a goal that a level can miss")
        if not 0 < least <= most or first <= 0 or budget_s <= 0:
            raise ValueError("levels and the budget are above 0, and least is at most most")
        self._goals, self._unit, self._width = goals, unit, width
        self._least, self._most, self._budget_s = least, most, budget_s
        self._first = min(max(first, least), most)
        self._is_closed = unit == "users"
        self._seed, self._random = seed, random.Random(seed)
        self._skips_overload = skip_overload
        self._clusters = Clusters(goals.shares, is_closed=self._is_closed)
        self._ramp = Ramp(
            goals, self._clusters, first=self._first, most=most, is_closed=self._is_closed, cores=cores
        )
        self._now: Ramp | Probe | Drain | Overload = self._ramp
        self._step: Step = "ramp"
        self._at_s = 0.0
        self._probes: list[DoneProbe] = []
        self._located: Located | None = None
        self._saturation = Saturation()
        self._below: list[DoneProbe] = []
        self._above: list[DoneProbe] = []
        self._overload: Overload | None = None
        self._turn = 0
        self._after_drain: Probe | Overload | None = None
        self._why: Why | None = None
        self._needed: float | None = None
        self._warnings: list[str] = []

    @property
    def level(self) -> float:
        """Return the level to offer from now on."""
        return self._now.level

    @property
    def is_over(self) -> bool:
        """Return whether enough is known, or the time is up."""
        return self._step == "over"

    @property
    def doing(self) -> str:
        """Return what the search does now, as a word: ramp, drain, the kind of a probe, overload, over."""
        return self._now.kind if isinstance(self._now, Probe) and self._step == "probe" else self._step

    @property
    def probes(self) -> tuple[DoneProbe, ...]:
        """Return the probes that are over, in order."""
        return tuple(self._probes)

    def see(self, tick: Tick) -> float:
        """Take one frame at the level that was to be offered, and return the level for what follows."""
        if self.is_over:
            return self.level
        self._at_s += tick.seconds
        self._now.see(tick)
        if self._step == "ramp":
            self._see_ramp()
        elif self._step == "drain":
            self._see_drain()
        elif self._step == "probe":
            self._see_probe(tick)
        else:
            self._see_overload()
        if not self.is_over and self._at_s >= self._budget_s - 1e-9:
            self._keep_unfinished()
            self._end("budget")
        return self.level

    def stop(self) -> None:
        """End the search because the load has ended: what is known by now is all."""
        if not self.is_over:
            self._keep_unfinished()
            self._end("budget")

    # --- one phase after the other -------------------------------------------------------------------

    def _see_ramp(self) -> None:
        if not self._ramp.is_over:
            return
        ramped = self._ramp.result()
        self._probes.extend(ramped.steps)
        if ramped.saturation is not None:
            self._saturation.add(ramped.saturation, self._at_s)
        if ramped.is_held_back:
            self._limited_by_generator(self._ramp.level)
        elif is_missed_without_a_queue(ramped.steps[0]):
            self._end("no_level_meets")
        elif ramped.reached_most and ramped.steps[-1].verdict != "fails":
            self._begin(self._new_probe("search", self._most, CONFIRM_S))
        else:
            self._drain_then(None)

    def _see_drain(self) -> None:
        assert isinstance(self._now, Drain)
        if not self._now.is_over:
            return
        if not self._now.is_empty:
            self._warn(
                f"what had piled up was not worked off within {self._now.took_s:.0f} s of hardly any load"
            )
        waiting, self._after_drain = self._after_drain, None
        if waiting is None:
            self._choose()
        else:
            self._begin(waiting)

    def _see_probe(self, tick: Tick) -> None:
        assert isinstance(self._now, Probe)
        probe = self._now
        if probe.kind == "saturation" and len(probe.ticks) >= 4:
            window = probe.done().window
            if has_collapsed(probe.ticks) or (window.seconds >= KEPT_UP_S and keeps_up(window)):
                probe.is_over = True
        if not probe.is_over:
            return
        if probe.is_held_back:
            self._limited_by_generator(probe.level)
            return
        if probe.kind == "saturation":
            self._saturate_again(probe)
            return
        self._keep(probe)
        done = self._probes[-1]
        if done.level >= self._most and done.leans == "meets":
            self._end("all_levels_meet")
        elif done.level <= self._least * 1.0001 and done.verdict == "fails":
            self._end("no_level_meets")
        elif tick.in_flight > self._most_usual():
            self._drain_then(None)
        else:
            self._choose()

    def _see_overload(self) -> None:
        assert isinstance(self._now, Overload)
        if self._now.is_held_back:
            self._warn(f"the generator could not offer the {self._now.level:.0f} of an overload")
        elif not self._now.is_over:
            return
        self._probes.extend(self._now.steps)
        # Where no saturation was known, the server broke down in the ramp, and has broken down now.
        if self._now.saturation is not None and self._saturation.value is not None:
            self._saturation.add(self._now.saturation, self._at_s, throughput=self._met())
        self._locate()
        self._end("sure" if self._is_known() else "budget")

    def _saturate_again(self, probe: Probe) -> None:
        done = probe.done()
        self._probes.append(done)
        measured = saturation_of(probe.ticks)
        if keeps_up(done.window) and self._saturation.measured < MOST and probe.level < self._most:
            # The server can answer still more.
            if measured is not None:
                self._saturation.add(measured, done.at_s)
            self._begin(self._saturation_probe(FARTHER * probe.level))
            return
        if measured is not None and self._saturation.add(measured, done.at_s, throughput=self._met()):
            self._clusters.forget()
        self._locate()
        self._drain_then(None)

    def _saturation_probe(self, level: float) -> Probe:
        level = min(level, self._most)
        return Probe(
            "saturation", level, self._goals, self._clusters, at_s=self._at_s, most_s=SATURATION_S,
            settles=False, stops_early=False,
        )  # fmt: skip

    def _is_to_saturate(self, left_s: float) -> bool:
        """Return whether saturation is to be measured once more: it is in doubt, or it is time for it."""
        if self._is_closed or self._saturation.value is None or left_s < 3 * SATURATION_S:
            return False
        if self._saturation.is_doubtful(self._probes, self._clusters):
            return True
        return (
            not self._skips_overload
            and self._saturation.measured == 1
            and self._budget_s >= AGAIN_BUDGET_S
            and self._at_s >= AGAIN_AT * self._budget_s
        )

    def _begin(self, what: Probe | Overload) -> None:
        self._now, self._step = what, ("probe" if isinstance(what, Probe) else "overload")

    def _drain_then(self, what: Probe | Overload | None) -> None:
        base = next((probe.window.in_flight for probe in self._probes if probe.window.done), 1.0)
        self._after_drain = what
        failed = bool(self._probes) and self._probes[-1].window.failed > 0
        self._now, self._step = Drain(self._first, max(2.0, 2 * base), is_told=failed), "drain"

    def _keep(self, probe: Probe) -> None:
        window = probe.done().window
        self._clusters.note(window)
        self._clusters.learn(probe.level, probe.ticks, window)
        done = probe.done()
        self._probes.append(done)
        if done.kind == "confirm_below":
            self._below.append(done)
        elif done.kind == "confirm_above":
            self._above.append(done)
        self._locate()

    def _keep_unfinished(self) -> None:
        """Keep what a probe or an overload has seen when the time is up."""
        if isinstance(self._now, Probe) and self._step == "probe" and len(self._now.ticks) >= 4:
            self._keep(self._now)
        elif isinstance(self._now, Overload):
            self._probes.extend(self._now.steps)
        elif isinstance(self._now, Ramp):
            self._probes.extend(self._now.steps)
            self._locate()

    # --- which level is next ---------------------------------------------------------------------------

    def _choose(self) -> None:
        self._locate()
        assert self._located is not None
        left_s = self._budget_s - self._at_s
        full = self._saturation.value
        if full is not None and self._is_to_saturate(left_s):
            self._begin(self._saturation_probe(AGAIN_OVERLOAD * full))
            return
        wanted_s = 0.0 if self._skips_overload or self._overload is not None else OVERLOAD_NEEDS_S
        is_confirmed = self._confirms() == (True, True) or len(self._below) >= ROUNDS
        confirm_s = 0.0
        if not self._below:
            confirm_s += CONFIRM_S + SETTLES_S
        if not self._above:
            confirm_s += CONFIRM_ABOVE_S + SETTLES_S
        is_time_to_confirm = (
            self._located.half_width <= self._width or left_s <= wanted_s + confirm_s + FINE_S
        )
        if is_time_to_confirm and not is_confirmed and left_s > wanted_s + SETTLES_S:
            kind = self._to_confirm()
            if kind is not None:
                level, most_s = (
                    (CONFIRMS_BELOW, CONFIRM_S)
                    if kind == "confirm_below"
                    else (CONFIRMS_ABOVE, CONFIRM_ABOVE_S)
                )
                self._begin(
                    self._new_probe(
                        kind, level * self._located.median, min(most_s, left_s - wanted_s - SETTLES_S)
                    )
                )
                return
        if not self._is_known() and left_s > wanted_s + SETTLES_S + 2:
            self._begin(self._search_probe(left_s - wanted_s - SETTLES_S))
        elif wanted_s and left_s > OVERLOAD_S + 3:
            self._begin_overload()
        else:
            self._end("sure" if self._is_known() else "budget")

    def _to_confirm(self) -> Kind | None:
        below, above = self._confirms()
        if below is None and len(self._below) < ROUNDS:
            return "confirm_below"
        if above is None and len(self._above) < ROUNDS:
            return "confirm_above"
        return None

    def _confirms(self) -> tuple[bool | None, bool | None]:
        """Return whether what was confirmed still stands at the present capacity; None: not asked yet."""
        assert self._located is not None
        middle = self._located.median

        def leans_as_wanted(done: list[DoneProbe], share: float, wanted: str) -> bool | None:
            # Only probes count that are within a percent of where they would be made now.
            near = [probe for probe in done if abs(math.log(probe.level / middle / share)) <= 0.01]
            return (near[-1].leans == wanted) if near else None

        below = leans_as_wanted(self._below, CONFIRMS_BELOW, "meets")
        return below, leans_as_wanted(self._above, CONFIRMS_ABOVE, "fails")

    def _search_probe(self, most_s: float) -> Probe:
        assert self._located is not None
        middle, half = self._located.median, self._located.half_width
        self._turn += 1
        if half > COARSE:
            return self._new_probe("search", middle, min(COARSE_S, most_s))
        steep = self._located.steepness
        step = math.log(SHARE_ABOVE if self._turn % 2 else SHARE_BELOW) / steep
        step = min(max(step * self._random.uniform(0.7, 1.3), NARROWEST), WIDEST)
        level = middle * math.exp(step if self._turn % 2 else -step)
        full = self._saturation.value
        if self._turn % 2 and full is not None and not self._is_closed:
            # Above saturation nothing is learned but that it is above.
            level = min(level, max(middle, middle + 0.5 * (full - middle)))
        return self._new_probe("search", level, min(FINE_S, most_s))

    def _new_probe(self, kind: Kind, level: float, most_s: float) -> Probe:
        level = min(max(level, self._least), self._most)
        if self._is_closed:
            level = max(float(round(level)), 1.0)
        return Probe(
            kind, level, self._goals, self._clusters, at_s=self._at_s, most_s=max(most_s, 1.0),
            cuts=kind == "confirm_above" or most_s <= COARSE_S,
        )  # fmt: skip

    def _begin_overload(self) -> None:
        assert self._located is not None
        full = self._saturation.value
        saturation = full if full is not None and not self._is_closed else self._located.median
        self._overload = Overload(
            self._goals, self._clusters, capacity=self._located.median, saturation=saturation,
            most=self._most, at_s=self._at_s, is_closed=self._is_closed,
        )  # fmt: skip
        self._begin(self._overload)

    # --- what is known -----------------------------------------------------------------------------------

    def _locate(self) -> None:
        # Probes of a cold server are left out, but for levels that it met even then.
        probes = [
            probe
            for probe in self._probes
            if probe.at_s >= self._saturation.since_s or probe.leans == "meets"
        ]
        if not any(probe.goals for probe in probes):
            return
        full, line, ceiling = None, None, math.inf
        if self._saturation.value is not None and not self._is_closed:
            # A server that was saturated while it was cold may answer more by now.
            full = max(self._saturation.value, 1.02 * self._met())
            ceiling = max(self._saturation.ceiling, 1.02 * self._met())
            self._clusters.saturation = full
            line = line_of(probes, self._saturation.kept, self._clusters.base_s)
        self._located = locate(probes, self._goals, full, line, ceiling, self._is_closed)

    def _met(self) -> float:
        """Return the highest throughput at a level that met every goal; 0 for none."""
        return max(
            (probe.window.throughput for probe in self._probes if probe.verdict == "meets"), default=0.0
        )

    def _is_known(self) -> bool:
        return self._located is not None and self._located.half_width <= self._width

    def _most_usual(self) -> float:
        """Return how many may be in flight without a drain before the next level."""
        met = [probe.window.in_flight for probe in self._probes if probe.verdict == "meets"]
        return USUAL_FACTOR * max(met, default=1.0) + USUAL_MORE

    def _limited_by_generator(self, level: float) -> None:
        self._needed = max(level, self._located.quantile(0.975) if self._located else level)
        self._locate()
        self._end("generator_limited")

    def _warn(self, text: str) -> None:
        if text not in self._warnings:
            self._warnings.append(text)

    def _end(self, why: Why) -> None:
        self._why, self._step = why, "over"

    def answer(self) -> Answer:
        """Return what is known, at the end of the search. Raises ValueError as long as it is not over."""
        if self._why is None:
            raise ValueError("the search goes on")
        located = self._located
        at_least, at_most = sides(self._probes)
        has_capacity = located is not None and self._why in ("sure", "budget") and at_most is not None
        capacity = None
        warnings = list(self._warnings)
        if has_capacity and located is not None:
            low, high = located.interval()
            capacity = Estimate(located.median, self._unit, low, high, len(self._probes), "probes")
            if self._why == "budget" and located.half_width > self._width:
                warnings.append(
                    f"the time was up before the capacity was known to {self._width:.0%}: it is to"
                    f" {math.expm1(located.half_width):.0%}"
                )
        elif self._why == "budget":
            warnings.append(
                f"the time was up before any level was seen to break a goal: {self._at_s:.0f} s are too"
                f" short, {ENOUGH_S:.0f} s and more are needed"
            )
        below, above = self._confirms() if located is not None else (None, None)
        is_short = (
            self._goals.throughput is not None
            and capacity is not None
            and (capacity.value < self._goals.throughput and not self._is_closed)
        )
        why: Why = "no_level_meets" if is_short else self._why
        return Answer(
            why, self._unit, capacity, at_least, at_most, located.binding if located else "", Confirmed(below,
            above), estimate_of(self._saturation.mean, "1/s"), knee_of(self._probes),
            usl_of(self._probes, self._seed) if self._is_closed else None,
            self._overload.result() if self._overload else None,
            nearest(self._probes, self._goals) if why == "no_level_meets" else None,
            self._needed, self.probes, self._at_s, tuple(warnings),
        )  # fmt: skip
