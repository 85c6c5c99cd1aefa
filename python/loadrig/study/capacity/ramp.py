"""The ramp of a search: the load doubles until the server breaks, then saturation is measured for seconds."""

import math
from dataclasses import replace

from loadrig.base.units import ROUNDING
from loadrig.language.choice import texts_of
from loadrig.language.en.study import StudyCapacityRampTexts
from loadrig.stats.intervals import Interval, rate_interval
from loadrig.study.capacity.clusters import Clusters
from loadrig.study.capacity.goals import Goals
from loadrig.study.capacity.probe import DIVERGED_SURE, DoneProbe, Probe
from loadrig.study.capacity.tick import LevelWindow, Tick, added

TEXTS = texts_of(StudyCapacityRampTexts)

STEP_S, CLOSED_STEP_S = 1.0, 2.0
"""Length of a step in seconds, of an open and of a closed load.
It only has to be seen whether the level breaks. With users also their throughput is wanted."""

FEWEST_DUE = 25
STEP_RESPONSES = 6.0
"""Length of a step in response times, at least.
While a step begins, as many requests more come than go as one response time has."""
STEP_MOST_S = 4.0

FACTOR, FACTOR_BEYOND = 2.0, 1.5

SATURATION_S = 6.0
SKIPPED_S = 1.0
OVERLOAD = 1.25
"""Load that measures saturation, as a factor of what is answered.
It is sure to be more, and is drained in a second of each four."""

COLLAPSED, COLLAPSED_S = 0.6, 1.5
"""Share that fails, after so many seconds, of a server that has collapsed: more load is only harm.
Such a server does not answer most of what it could when it is offered more."""

LIGHT = 0.35
"""Share of saturation up to which hardly anybody waits."""

KEPT_UP = 0.97
"""Share of what was due that was answered, above which it was no saturation."""
KEPT_UP_S = 2.0

ANSWERED = 0.88
"""Share of what was due that is answered, below which a step breaks."""

GAIN = 1.05
"""Factor of throughput by a step up, below which the server is saturated."""

FULL = TEXTS.full

STILL_ANSWERS = 0.9
"""Share of the most that was answered before, above which what is answered beyond the limit is saturation.
Below it the server breaks down there."""

MOST_BEYOND = 4
"""Most steps after a goal was missed, in search of the saturation throughput."""


class Ramp:
    """Ramp from level `first` to at most `most`.

    saturation: good answers a second where more was offered; None: never reached.
    """

    kind = "ramp"

    def __init__(
        self,
        goals: Goals,
        clusters: Clusters,
        *,
        first: float,
        most: float,
        is_closed: bool = False,
    ) -> None:
        self._goals, self._clusters, self._is_closed = goals, clusters, is_closed
        self._most = most
        self.is_over = False
        self._at_s = 0.0
        self._steps: list[DoneProbe] = []
        self._broken = 0
        self.reached_most = False
        self._best: list[Tick] = []
        self.saturation: Interval | None = None
        self._probe = self._step(min(first, most))

    @property
    def level(self) -> float:
        """Return the level to offer now."""
        return self._probe.level

    @property
    def steps(self) -> tuple[DoneProbe, ...]:
        """Return the steps that are over."""
        return tuple(self._steps)

    @property
    def is_held_back(self) -> bool:
        """Return whether the generator could not offer the level."""
        return self._probe.is_held_back

    def see(self, tick: Tick) -> None:
        """Take one frame at the level."""
        self._probe.see(tick)
        self._at_s += tick.seconds
        if self._probe.kind == "saturation" and has_collapsed(self._probe.ticks):
            self._probe.is_over = True
        if self.is_held_back:
            self.is_over = True
        elif self._probe.is_over:
            done = self._probe.done()
            self._clusters.note(done.window)
            if done.window.throughput >= max((step.window.throughput for step in self._steps), default=0.0):
                self._best = self._probe.ticks
            self._steps.append(done)
            if done.kind == "saturation":
                self._end_saturation()
            else:
                self._next(done)

    def _step(self, level: float) -> Probe:
        if self._is_closed:
            step_s = CLOSED_STEP_S
        else:
            response_s = (self._steps[-1].window.response_s or 0.0) if self._steps else 0.0
            step_s = min(max(STEP_S, FEWEST_DUE / level, STEP_RESPONSES * response_s), STEP_MOST_S)
        # A step does not settle: it only tells whether the level breaks, and by its end the level has.
        return Probe(
            "ramp", level, self._goals, self._clusters, at_s=self._at_s, most_s=step_s, settles=False,
            stops_early=False,
        )  # fmt: skip

    def _next(self, done: DoneProbe) -> None:
        if len(self._steps) == 1:
            self._clusters.base_s = done.window.response_s or 0.0
        is_full = self._is_full(done)
        if is_full and not self._is_closed:
            done = replace(done, verdict="fails", leans="fails", sure=DIVERGED_SURE, diverged=True, why=FULL)
            self._steps[-1] = done
        self._broken += is_full or done.verdict == "fails"
        if len(self._steps) == 1 and is_missed_without_a_queue(done):
            self.is_over = True
        elif is_full or self._broken > MOST_BEYOND:
            self._saturate(done)
        elif done.level >= self._most:
            self.reached_most = self.is_over = True
        else:
            self._probe = self._step(min(self._up(done.level), self._most))

    def _up(self, level: float) -> float:
        up = level * (FACTOR_BEYOND if self._broken else FACTOR)
        return math.ceil(up) if self._is_closed else up

    def _is_full(self, done: DoneProbe) -> bool:
        """Return whether throughput does no longer follow the load."""
        window = done.window
        if not self._is_closed and (done.diverged or window.done < ANSWERED * window.due):
            # Requests being served when a step ends are not piled up, and few requests vary by chance.
            return window.due - window.done > 3 * math.sqrt(window.due)
        lower = [step for step in self._steps[:-1] if step.level < done.level]
        if not lower:
            return False
        before = max(step.window.throughput for step in lower)
        is_flat = window.throughput < GAIN * before
        return is_flat and (self._is_closed or done.verdict == "fails")

    def _saturate(self, done: DoneProbe) -> None:
        if self._is_closed:
            level = done.level
        else:
            best = max(step.window.throughput for step in self._steps)
            level = min(OVERLOAD * max(best, 1e-9), self._most)
        self._probe = Probe(
            "saturation", level, self._goals, self._clusters, at_s=self._at_s, most_s=SATURATION_S,
            settles=False, stops_early=False,
        )  # fmt: skip

    def _end_saturation(self) -> None:
        window, level = self._steps[-1].window, self._probe.level
        if keeps_up(window) and not self._is_closed and level < self._most:
            # Saturation was not reached: the step before had bad luck, or the server is warmer by now.
            self._broken = 0
            self._probe = self._step(min(self._up(level), self._most))
            return
        saturation = saturation_of(self._probe.ticks)
        # A server that breaks down beyond its limit, as by retries, answers most while it still keeps up.
        best = added(self._best)
        best_rate = rate_interval([tick.good for tick in self._best], [tick.seconds for tick in self._best])
        if saturation is not None and saturation.value > STILL_ANSWERS * best_rate.value:
            self.saturation = saturation
        elif best.good < ANSWERED * best.due or self._is_closed:
            self.saturation = best_rate
        # Else it breaks down somewhere between two levels, and its saturation is not known.
        self._clusters.base_s = light_s(
            self._steps, max(best_rate.value, saturation.value if saturation else 0.0), self._is_closed
        )  # fmt: skip
        self.is_over = True


def keeps_up(window: LevelWindow) -> bool:
    """Return whether what was to be too much was answered, and well."""
    return window.due >= FEWEST_DUE and window.good > KEPT_UP * window.due


def has_collapsed(ticks: list[Tick]) -> bool:
    """Return whether most requests fail that were offered beyond saturation."""
    failed, done = sum(tick.failed for tick in ticks), sum(tick.done for tick in ticks)
    return sum(tick.seconds for tick in ticks) >= COLLAPSED_S and failed > COLLAPSED * done


def light_s(steps: list[DoneProbe], saturation: float, is_closed: bool) -> float:
    """Return the mean response time in seconds of the steps where hardly anybody waits, by Little's law."""
    light = [step.window for step in steps if step.level <= LIGHT * saturation and step.window.done]
    if is_closed or not light:
        return steps[0].window.response_s or 0.0
    return sum(window.in_flight * window.seconds for window in light) / sum(window.done for window in light)


def is_missed_without_a_queue(first: DoneProbe) -> bool:
    """Return whether goals are missed where hardly one request is there at a time: less load cannot help."""
    return first.verdict == "fails" and not first.diverged and first.window.in_flight < 1


def saturation_of(ticks: list[Tick]) -> Interval | None:
    """Estimate the good answers a second after the first of these ticks; None for too few ticks."""
    settled: list[Tick] = []
    at_s = 0.0
    for tick in ticks:
        at_s += tick.seconds
        if at_s > SKIPPED_S + ROUNDING:
            settled.append(tick)
    if len(settled) < 3:
        return None
    return rate_interval([tick.good for tick in settled], [tick.seconds for tick in settled])
