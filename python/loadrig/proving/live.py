"""Experiments while load runs: something is changed for a slot of time, changed back, and changed again.

After the warm-up the rig chooses what can be changed; then slots follow in shuffled blocks until every answer
is sure or the time is up. A change that has its answer is left out of the blocks that follow.
"""

import random
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Any

from loadrig.base.errors import VoidError
from loadrig.base.estimate import Estimate
from loadrig.base.series import Event
from loadrig.base.unavailable import Unavailable
from loadrig.interventions import Lever, Scene, Setter, Step
from loadrig.proving import outcome
from loadrig.proving.design import LOOKS_AT, block
from loadrig.proving.outcome import Measure, Tick
from loadrig.proving.results import Part, Result, blocks_of, live_standing, measured, medians
from loadrig.proving.use import Use
from loadrig.stats.elasticity import BASE, Slot
from loadrig.trial.spec import Stage

NS = 1_000_000_000
FRAME_S = 0.1
"""Length of a frame of the generator during an experiment, in seconds."""

SETTLE_S, SETTLE_RESPONSES, SETTLE_MOST_S = 0.7, 4.0, 4.0
"""Time left out after each change: at least SETTLE_S and at most SETTLE_MOST_S seconds, else
SETTLE_RESPONSES mean response times. Requests move from one queue to another that long, and what is
measured before then belongs to neither state (bench/interventions)."""

SLOT_S = (1.5, 3.0)
"""Least and greatest length of a slot, in seconds."""
ANSWERS_A_SLOT = 250
"""Answers that a slot should have: with random arrivals a rate is known to 6 % from so many. Servers at
their limit are steadier."""

FEWEST_ANSWERS = 20
"""Least number of answers before anything is changed. A server that hardly answers has no throughput that
slots of seconds could compare."""

UNANSWERED = (
    "hardly anything was answered before anything was changed, so no moments could be compared",
    "let go what is used up, or ask for less",
    "prove.unanswered",
)

FEWEST_BLOCKS = LOOKS_AT[0]
"""Least number of blocks before an experiment may end or ask about other levers."""

FIRST_SHARE = 0.6
"""Share of the time that levers which come first may take at most, while their answer is not sure."""

USEFUL_BLOCKS = LOOKS_AT[1]
"""Number of blocks that must fit into the time, or fewer levers are tried: an interval from three blocks
says little."""

OUT_OF_TIME = "prove.budget"
"""Code of a lever that was skipped for want of time."""
TIME_UP = "the time for experiments was up"
"""Reason for the end of an experiment that used up its time."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A lever that could not be pulled, and why."""

    lever: Lever
    why: str
    mend: str
    code: str


@dataclass(frozen=True, slots=True)
class Band:
    """A stretch of time in which something was changed.

    from_s, to_s: seconds since the load began. title: title of the change.
    """

    from_s: float
    to_s: float
    title: str


Chooser = Callable[[Scene, float], tuple[list[Step], list[Skipped]]]
"""Function that chooses the changes from what runs and from the mean response time in seconds. It returns
the changes, and the levers that it skipped."""


class LiveProof:
    """An experiment of a trial, see trial.spec. Once it is over it has results, skipped and bands.

    choose: chooses what to change. warm_up_s: time before that choice, in seconds. most_s: greatest time for
    slots, in seconds. number: number of the trial. is_decided: whether the results are enough although some
    are not sure. comes_first: whether a lever is tried before the others, alone, until its answer is sure or
    FIRST_SHARE of the time is over: a block of two slots tells sooner than one of five. clock: returns the
    time in nanoseconds, as frames have it.
    """

    frame_s = FRAME_S
    level_most = None

    def __init__(
        self,
        choose: Chooser,
        measure: Measure,
        *,
        warm_up_s: float,
        most_s: float,
        seed: int,
        number: int = 1,
        is_decided: Callable[[Sequence[Result]], bool] = lambda _: False,
        comes_first: Callable[[Lever], bool] = lambda _: False,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._choose, self._measure = choose, measure
        self._warm_up_s, self._most_s = warm_up_s, most_s
        self.number, self._is_decided, self._comes_first = number, is_decided, comes_first
        self._clock = clock
        self._random = random.Random(seed)
        self._ticks: list[Tick] = []
        self._slots: list[Slot] = []
        self._parts: list[tuple[int, Part]] = []
        self._stack = ExitStack()
        self._setters: list[Setter] = []
        self._steps: list[Step] = []
        self._active: list[int] = []
        self._waiting: list[int] = []
        self._from_block = 0
        self._row: list[int] = []
        self._block = -1
        self._looks: list[float] = []
        self._looked_at = 0  # number of slots at the last look
        self._now: tuple[int, int, int, int] | None = None  # change, changed at, counts from, counts until
        self._why = ""
        self._from_ns = 0
        self.results: list[Result] = []
        self.skipped: list[Skipped] = []
        self.bands: list[Band] = []

    def begin(self, stage: Stage) -> None:
        """Note that the load has begun."""
        self._stage = stage
        self._use = Use()

    def see(self, frame: dict[str, Any]) -> None:
        """Take in a frame of the generator, and change what is due."""
        tick = outcome.tick(frame)
        since_s = (tick.end_ns - self._stage.start_ns) / NS
        if self._why or since_s <= 0:
            return
        self._ticks.append(tick)
        if not self._steps:
            if since_s >= self._warm_up_s / 2:
                self._use.look(self._stage.components())
            if since_s >= self._warm_up_s:
                self._prepare()
        elif self._now is not None and tick.end_ns >= self._now[3]:
            self._end_slot()
            self._next()

    @property
    def ended(self) -> int:
        """Return the number of requests that have ended, whatever their outcome."""
        return sum(tick.ended for tick in self._ticks)

    def why_over(self) -> str:
        """Return why nothing more is to be changed; empty while the experiment goes on."""
        return self._why

    def measured(self) -> None:
        """Do nothing: the trial's figures are those of its whole load."""

    def estimates(self) -> dict[str, Estimate]:
        """Return no estimates, as the figures of an experiment belong to several states of a server."""
        return {}

    def close(self) -> None:
        """Undo every change, and judge what was measured."""
        if self._now is not None:
            self._mark_end()
        self._stack.close()
        # Slots that ended since the last look have not been judged yet.
        if self._looked_at < len(self._slots):
            self._judge((*self._looks, 1.0))

    # --- before the first slot -------------------------------------------------------------------

    def _prepare(self) -> None:
        half = len(self._ticks) // 2
        seen = self._ticks[half:]
        seconds = sum(tick.len_ns for tick in seen) / NS
        ended = sum(tick.ended for tick in seen)
        if ended < FEWEST_ANSWERS:
            self._why = "hardly anything was answered"
            self.skipped.append(Skipped(Lever("load"), *UNANSWERED))
            return
        response_s = sum(tick.in_flight_s for tick in seen) / ended
        components = tuple(self._stage.components())
        generator = sum(tick.generator_ns for tick in seen) / NS / seconds
        scene = Scene(components, self._use.cores(components), self._stage.cpus, generator)
        rate = sum(tick.good for tick in seen) / seconds
        self._settle_ns = int(max(SETTLE_S, min(SETTLE_RESPONSES * response_s, SETTLE_MOST_S)) * NS)
        self._slot_ns = int(min(max(ANSWERS_A_SLOT / max(rate, 1.0), SLOT_S[0]), SLOT_S[1]) * NS)
        steps, self.skipped = self._choose(scene, response_s)
        for step in sorted(steps, key=lambda step: not self._comes_first(step.lever)):
            try:
                self._setters.append(self._stack.enter_context(step.held()))
            except (Unavailable, OSError) as error:
                self.skipped.append(_failed(step.lever, error))
                continue
            self._steps.append(step)
        if not self._steps:
            self._why = "nothing could be changed"
            return
        self._from_ns = self._clock()
        every = range(1, len(self._steps) + 1)
        first = [change for change in every if self._comes_first(self._steps[change - 1].lever)]
        self._waiting = [change for change in every if change not in first] if first else []
        self._active = self._limited(first or list(every))
        self._next()

    def _limited(self, changes: Sequence[int]) -> list[int]:
        """Return as many changes as some useful blocks have time for, at least one; skip the others."""
        left_ns = (self._most_s - self._over_s()) * NS
        fitting = max(int(left_ns / (USEFUL_BLOCKS * (self._settle_ns + self._slot_ns))) - 1, 1)
        self._leave_out(changes[fitting:])
        return list(changes[:fitting])

    def _leave_out(self, changes: Sequence[int]) -> None:
        for change in changes:
            why = f"{self._most_s:.0f} s were not enough for it beside what tells more"
            self.skipped.append(Skipped(self._steps[change - 1].lever, why, "raise --budget", OUT_OF_TIME))

    # --- slot by slot ----------------------------------------------------------------------------

    def _next(self) -> None:
        if not self._row:
            if self._block >= 0:
                self._look()
            if not self._why and self._blocks() >= FEWEST_BLOCKS and not self._fits():
                self._why = TIME_UP
                self._leave_out(self._waiting)
                self._waiting = []
            if self._why:
                self._now = None
                return
            self._block += 1
            self._row = block(self._active, self._random)
        change = self._row.pop()
        if change != BASE and not self._pull(change):
            self._next()
            return
        at_ns = self._clock()
        self._now = (change, at_ns, at_ns + self._settle_ns, at_ns + self._settle_ns + self._slot_ns)

    def _pull(self, change: int) -> bool:
        """Make a change, and return whether that worked; a change that failed is skipped from then on."""
        try:
            self._setters[change - 1](True)
        except (Unavailable, VoidError, OSError) as error:
            self.skipped.append(_failed(self._steps[change - 1].lever, error))
            self._active = [kept for kept in self._active if kept != change]
            self._row = [kept for kept in self._row if kept != change]
            if not self._active:
                self._why = "nothing could be changed any more"
                if self._waiting:
                    self._ask_others()
            return False
        self._event(change, is_changed=True)
        return True

    def _end_slot(self) -> None:
        assert self._now is not None
        change, _, from_ns, _ = self._now
        inside = [tick for tick in self._ticks if tick.end_ns - tick.len_ns >= from_ns]
        value = outcome.outcome_of(self._measure, inside)
        self._mark_end()
        if value is not None:
            self._slots.append(Slot(self._block, change, value))
            start_s = (inside[0].end_ns - inside[0].len_ns - self._stage.start_ns) / NS
            length_s = sum(tick.len_ns for tick in inside) / NS
            part = Part(self.number, start_s, length_s, self._block, change != BASE, value)
            self._parts.append((change, part))

    def _mark_end(self) -> None:
        assert self._now is not None
        change, at_ns, _, _ = self._now
        self._now = None
        if change == BASE:
            return
        # A change that cannot be undone here is undone by its lease when the context is left.
        with suppress(Unavailable, VoidError, OSError):
            self._setters[change - 1](False)
        self._event(change, is_changed=False)
        start_ns, title = self._stage.start_ns, self._steps[change - 1].title
        self.bands.append(Band((at_ns - start_ns) / NS, (self._clock() - start_ns) / NS, title))

    def _event(self, change: int, *, is_changed: bool) -> None:
        step = self._steps[change - 1]
        facts = {"experiment": change - 1, "is_changed": is_changed}
        self._stage.event(Event(self._clock(), "intervention", "", step.title, facts, step.lever.component))

    # --- what it comes to ------------------------------------------------------------------------

    def _blocks(self) -> int:
        """Return the number of whole blocks of the changes that are tried now."""
        return self._block + 1 - self._from_block

    def _look(self) -> None:
        is_time_for_others = bool(self._waiting) and self._over_s() >= FIRST_SHARE * self._most_s
        if self._blocks() not in LOOKS_AT and not (is_time_for_others and self._blocks() >= FEWEST_BLOCKS):
            return
        is_last = self._blocks() >= LOOKS_AT[-1] or not self._fits()
        self._looks.append(1.0 if is_last and not self._waiting else self._over_s() / self._most_s)
        self._looked_at = len(self._slots)
        self._judge(self._looks)
        sure = {result.title for result in self.results if result.standing != "unsure"}
        self._active = [change for change in self._active if self._steps[change - 1].title not in sure]
        if not self._active:
            self._why = "every answer is sure"
        elif self._is_decided(self.results):
            self._why = "what was asked is sure"
        elif self._blocks() >= LOOKS_AT[-1]:
            self._why = "more blocks would not tell more"
        elif is_last:
            self._why = TIME_UP
        if self._waiting and (self._why or is_time_for_others):
            self._ask_others()

    def _ask_others(self) -> None:
        """Go on with the levers that have waited, and with those that are not sure yet."""
        block_s = 2 * FEWEST_BLOCKS * (self._settle_ns + self._slot_ns) / NS
        if self._over_s() + block_s > self._most_s:
            self._leave_out(self._waiting)
            self._waiting = []
            return
        self._active = self._limited([*self._active, *self._waiting])
        self._waiting, self._why, self._from_block = [], "", self._block + 1

    def _over_s(self) -> float:
        return (self._clock() - self._from_ns) / NS

    def _fits(self) -> bool:
        """Return whether there is time for another block."""
        row_s = (len(self._active) + 1) * (self._settle_ns + self._slot_ns) / NS
        return self._over_s() + row_s <= self._most_s

    def _judge(self, looks: Sequence[float]) -> None:
        """Compute the results; those of changes no longer tried are kept. looks: as of stats.elasticity."""
        ratios = {change: step.ratio for change, step in enumerate(self._steps, start=1)}
        figures = measured(self._measure, self._slots, ratios, looks=looks)
        before = {result.title: result for result in self.results}
        self.results = []
        for change, step in enumerate(self._steps, start=1):
            if change not in self._active and step.title in before:
                self.results.append(before[step.title])
            elif change in figures:
                elasticity, gain = figures[change]
                assert elasticity is not None
                parts = tuple(part for whose, part in self._parts if whose in (BASE, change))
                unchanged, changed = medians(parts)
                self.results.append(
                    Result(
                        step.lever, step.title, "live", self._measure, step.ratio, elasticity, gain,
                        live_standing(elasticity), blocks_of(self._slots, change), unchanged, changed,
                        step.cost, parts, is_mend=(step.ratio or 0) > 1,
                    )
                )  # fmt: skip


def _failed(lever: Lever, error: Unavailable | VoidError | OSError) -> Skipped:
    if isinstance(error, Unavailable):
        return Skipped(lever, error.reason, error.mend, error.code)
    if isinstance(error, VoidError):
        problem = error.problems[0]
        return Skipped(lever, problem.what, problem.mend, problem.code)
    return Skipped(lever, f"it could not be changed: {error}", "run as root, or see doctor", "prove.no-right")
