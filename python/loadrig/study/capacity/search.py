"""The search in order: a ramp until the server breaks, probes around the limit, an overload and recovery."""

import math

from loadrig.base.estimate import Estimate
from loadrig.base.units import ROUNDING
from loadrig.language.choice import texts_of
from loadrig.language.en.study import StudyCapacitySearchTexts
from loadrig.study.capacity.agenda import CONFIRM_S, Agenda
from loadrig.study.capacity.answer import Answer, Unit, Why, estimate_of, knee_of, nearest, sides, usl_of
from loadrig.study.capacity.beyond import Overload
from loadrig.study.capacity.goals import Goals
from loadrig.study.capacity.knowledge import Knowledge
from loadrig.study.capacity.probe import DoneProbe, Drain, Probe
from loadrig.study.capacity.ramp import (
    KEPT_UP_S,
    Ramp,
    has_collapsed,
    is_missed_without_a_queue,
    keeps_up,
    saturation_of,
)
from loadrig.study.capacity.saturation import FARTHER, MOST
from loadrig.study.capacity.tick import Tick

TEXTS = texts_of(StudyCapacitySearchTexts)

FIRST = 10.0

ENOUGH_S = 60.0
"""Seconds that a search needs at least to find a capacity that is known to be somewhere."""

WIDTH = 0.03
"""Half of the interval, as a share of the capacity, below which the answer is sure."""

AS_LOW_AS = 1.0001
"""Factor of the least level up to which a level counts as the least: levels are products of floats."""

FEWEST_TICKS = 4
"""Frames of a probe, a second of it, below which it tells nothing."""


class Search:
    """Search for a capacity: it takes each frame by `see`, and says by `level` what to offer from now on.

    Its `answer` is there when `is_over`.

    unit: "1/s" of an open load, "users" of a closed one. first: level to begin with, far below the limit.
    least, most: levels that may be offered. budget_s: of all, the overload included. width: half of the
    interval over the capacity that is good enough. seed: of what is random. skip_overload: where a server
    must not be overloaded on purpose once more; it still is where what it answers at most is in doubt.
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
        seed: int = 1,
        skip_overload: bool = False,
    ) -> None:
        if not goals.shares:
            raise ValueError("a search needs a goal that a level can miss")
        if not 0 < least <= most or first <= 0 or budget_s <= 0:
            raise ValueError("levels and the budget are above 0, and least is at most most")
        self._unit, self._width, self._seed = unit, width, seed
        self._least, self._most, self._budget_s = least, most, budget_s
        self._first = min(max(first, least), most)
        self._knowledge = Knowledge(goals, is_closed=unit == "users")
        self._agenda = Agenda(
            self._knowledge, least=least, most=most, budget_s=budget_s, width=width, seed=seed,
            skip_overload=skip_overload,
        )  # fmt: skip
        self._now: Ramp | Probe | Drain | Overload = Ramp(
            goals, self._knowledge.clusters, first=self._first, most=most,
            is_closed=self._knowledge.is_closed,
        )  # fmt: skip
        self._at_s = 0.0
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
        return self._why is not None

    @property
    def doing(self) -> str:
        """Return what the search does now, as a word: ramp, drain, the kind of a probe, overload, over."""
        return "over" if self.is_over else self._now.kind

    @property
    def probes(self) -> tuple[DoneProbe, ...]:
        """Return the probes that are over, in order."""
        return tuple(self._knowledge.probes)

    @property
    def looks(self) -> tuple[DoneProbe, ...]:
        """Return the probes that are over, with those of a ramp or an overload that goes on."""
        under_way = self._now.steps if isinstance(self._now, Ramp | Overload) and not self.is_over else ()
        return (*self.probes, *under_way)

    def see(self, tick: Tick) -> float:
        """Take one frame at the level that was to be offered, and return the level for what follows."""
        if self.is_over:
            return self.level
        self._at_s += tick.seconds
        self._now.see(tick)
        match self._now:
            case Ramp() as ramp:
                self._see_ramp(ramp)
            case Drain() as drain:
                self._see_drain(drain)
            case Probe() as probe:
                self._see_probe(probe, tick)
            case Overload() as overload:
                self._see_overload(overload)
        if self._at_s >= self._budget_s - ROUNDING:
            self.stop()
        return self.level

    def stop(self) -> None:
        """End the search because the load or the time is over: what is known by now is all."""
        if self.is_over:
            return
        match self._now:
            case Probe() as probe if len(probe.ticks) >= FEWEST_TICKS:
                self._knowledge.keep(probe)
            case Overload() as overload:
                self._knowledge.probes.extend(overload.steps)
            case Ramp() as ramp:
                self._knowledge.probes.extend(ramp.steps)
                self._knowledge.locate()
        self._why = "budget"

    # --- one phase after the other -------------------------------------------------------------------

    def _see_ramp(self, ramp: Ramp) -> None:
        if not ramp.is_over:
            return
        self._knowledge.probes.extend(ramp.steps)
        if ramp.saturation is not None:
            self._knowledge.saturation.add(ramp.saturation, self._at_s)
        if ramp.is_held_back:
            self._limited_by_generator(ramp.level)
        elif is_missed_without_a_queue(ramp.steps[0]):
            self._why = "no_level_meets"
        elif ramp.reached_most and ramp.steps[-1].verdict != "fails":
            self._now = self._agenda.probe("search", self._most, self._at_s, CONFIRM_S)
        else:
            self._drain()

    def _see_drain(self, drain: Drain) -> None:
        if not drain.is_over:
            return
        if not drain.is_empty:
            self._warn(TEXTS.what_had_piled(f"{drain.took_s:.0f}"))
        self._choose()

    def _see_probe(self, probe: Probe, tick: Tick) -> None:
        if probe.kind == "saturation" and len(probe.ticks) >= FEWEST_TICKS:
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
        done = self._knowledge.keep(probe)
        if done.level >= self._most and done.leans == "meets":
            self._why = "all_levels_meet"
        elif done.level <= self._least * AS_LOW_AS and done.verdict == "fails":
            self._why = "no_level_meets"
        elif tick.in_flight > self._knowledge.most_usual():
            self._drain()
        else:
            self._choose()

    def _see_overload(self, overload: Overload) -> None:
        if overload.is_held_back:
            self._warn(TEXTS.generator_could_not(f"{overload.level:.0f}"))
        elif not overload.is_over:
            return
        knowledge = self._knowledge
        knowledge.probes.extend(overload.steps)
        # Where no saturation was known, the server broke down in the ramp, and has broken down now.
        if overload.saturation is not None and knowledge.saturation.value is not None:
            knowledge.saturation.add(overload.saturation, self._at_s, throughput=knowledge.met())
        knowledge.locate()
        self._end()

    def _saturate_again(self, probe: Probe) -> None:
        knowledge, done = self._knowledge, probe.done()
        knowledge.probes.append(done)
        measured = saturation_of(probe.ticks)
        if keeps_up(done.window) and knowledge.saturation.measured < MOST and probe.level < self._most:
            # The server can answer still more.
            if measured is not None:
                knowledge.saturation.add(measured, done.at_s)
            self._now = self._agenda.saturation_probe(FARTHER * probe.level, self._at_s)
            return
        if measured is not None and knowledge.saturation.add(measured, done.at_s, throughput=knowledge.met()):
            knowledge.clusters.forget()
        knowledge.locate()
        self._drain()

    def _drain(self) -> None:
        probes = self._knowledge.probes
        base = next((probe.window.in_flight for probe in probes if probe.window.done), 1.0)
        failed = bool(probes) and probes[-1].window.failed > 0
        self._now = Drain(self._first, max(2.0, 2 * base), needs_answers=failed)

    def _choose(self) -> None:
        self._knowledge.locate()
        chosen = self._agenda.next(self._at_s)
        if chosen is None:
            self._end()
        else:
            self._now = chosen

    # --- the end -----------------------------------------------------------------------------------------

    def _limited_by_generator(self, level: float) -> None:
        located = self._knowledge.located
        self._needed = max(level, located.quantile(0.975) if located else level)
        self._knowledge.locate()
        self._why = "generator_limited"

    def _warn(self, text: str) -> None:
        if text not in self._warnings:
            self._warnings.append(text)

    def _end(self) -> None:
        self._why = "sure" if self._knowledge.is_within(self._width) else "budget"

    def answer(self) -> Answer:
        """Return what is known, at the end of the search. Raises ValueError as long as it is not over."""
        if self._why is None:
            raise ValueError("the search goes on")
        knowledge, located = self._knowledge, self._knowledge.located
        at_least, at_most = sides(knowledge.probes)
        has_capacity = located is not None and self._why in ("sure", "budget") and at_most is not None
        capacity = None
        warnings = list(self._warnings)
        if has_capacity and located is not None:
            low, high = located.interval()
            capacity = Estimate(located.median, self._unit, low, high, len(knowledge.probes), "probes")
            if self._why == "budget" and located.half_width > self._width:
                warnings.append(
                    TEXTS.time_up_before(f"{self._width:.0%}", f"{math.expm1(located.half_width):.0%}")
                )
        elif self._why == "budget":
            warnings.append(TEXTS.time_up_before_any(f"{self._at_s:.0f}", f"{ENOUGH_S:.0f}"))
        wanted = knowledge.goals.throughput
        is_short = (
            wanted is not None
            and capacity is not None
            and (capacity.value < wanted and not knowledge.is_closed)
        )
        why: Why = "no_level_meets" if is_short else self._why
        overload = self._agenda.overload
        return Answer(
            why, self._unit, capacity, at_least, at_most, located.binding if located else "",
            knowledge.confirmed(), estimate_of(knowledge.saturation.mean, "1/s"), knee_of(knowledge.probes),
            usl_of(knowledge.probes, self._seed) if knowledge.is_closed else None,
            overload.result() if overload else None,
            nearest(knowledge.probes, knowledge.goals) if why == "no_level_meets" else None,
            self._needed, self.probes, self._at_s, tuple(warnings),
        )  # fmt: skip
