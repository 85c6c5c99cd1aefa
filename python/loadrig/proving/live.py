"""Experiments while load runs: what is changed for a slot of time, changed back, and changed again.

After the warm-up it is looked at what can be changed; then slots follow in shuffled blocks until every
answer is sure or the time is up. A change that has its answer is left out of the blocks that follow.
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

SETTLE_S, SETTLE_RESPONSES, SETTLE_MOST_S = 0.7, 4.0, 4.0
"""Left out after each change: requests move from one queue to another for some four response times, and what
is measured before is of neither state (bench/interventions)."""

SLOT_S = (1.5, 3.0)
ANSWERS_A_SLOT = 250
"""At random that many are known to 6 %; servers at their limit are steadier."""

FEWEST_ANSWERS = 20
"""Before anything is changed. What hardly answers has no throughput that slots of seconds could compare."""

UNANSWERED = (
    "hardly anything was answered before anything was changed, so no moments could be compared",
    "let go what is used up, or ask for less",
    "prove.unanswered",
)

FEWEST_BLOCKS = LOOKS_AT[0]

FIRST_SHARE = 0.6
"""Of the time, at most, for what comes first where it does not become sure."""

USEFUL_BLOCKS = LOOKS_AT[1]
"""So many must fit, or fewer things are changed: an interval of three blocks is mostly of ignorance."""

OUT_OF_TIME = "prove.budget"
TIME_UP = "the time for experiments was up"


@dataclass(frozen=True, slots=True)
class Skipped:
    """A lever that could not be pulled, and why."""

    lever: Lever
    why: str
    mend: str
    code: str


@dataclass(frozen=True, slots=True)
class Band:
    """A stretch of time in which something was changed. from_s, to_s: since the load began."""

    from_s: float
    to_s: float
    title: str


Chooser = Callable[[Scene, float], tuple[list[Step], list[Skipped]]]
"""From what runs, and the mean response time in seconds, to what is changed."""


class LiveProof:
    """An experiment of a trial, see trial.spec. Once over it has results, skipped, bands.

    choose: what to change. warm_up_s: before it looks. most_s: of slots. is_decided: whether the results are
    enough although some are not sure. comes_first: whether a lever is asked before the others, alone, until
    its answer is sure or FIRST_SHARE of the time is over: a block of two slots tells sooner than one of five.
    number: of the trial. clock: nanoseconds, as of the frames.
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
        self._looked_at = 0  # how many slots there were then
        self._now: tuple[int, int, int, int] | None = None  # change, changed at, counts from, counts until
        self._why = ""
        self._from_ns = 0
        self.results: list[Result] = []
        self.skipped: list[Skipped] = []
        self.bands: list[Band] = []

    def begin(self, stage: Stage) -> None:
        """The load has begun."""
        self._stage = stage
        self._use = Use()

    def see(self, frame: dict[str, Any]) -> None:
        """Follow the load; change what is due."""
        one = outcome.tick(frame)
        since_s = (one.end_ns - self._stage.start_ns) / NS
        if self._why or since_s <= 0:
            return
        self._ticks.append(one)
        if not self._steps:
            if since_s >= self._warm_up_s / 2:
                self._use.look(self._stage.components())
            if since_s >= self._warm_up_s:
                self._prepare()
        elif self._now is not None and one.end_ns >= self._now[3]:
            self._end_slot()
            self._next()

    @property
    def ended(self) -> int:
        """Requests that have ended, however they did."""
        return sum(one.ended for one in self._ticks)

    def why_over(self) -> str:
        """Why nothing more is to be changed."""
        return self._why

    def measured(self) -> None:
        """The trial's figures are of all of it."""

    def estimates(self) -> dict[str, Estimate]:
        """None: what it found is of several states of a server."""
        return {}

    def close(self) -> None:
        """Change everything back, and say what was found."""
        if self._now is not None:
            self._mark_end()
        self._stack.close()
        # Whoever looked since the last slot has judged; what ended for another reason is looked at once more.
        if self._looked_at < len(self._slots):
            self._judge((*self._looks, 1.0))

    # --- before the first slot -------------------------------------------------------------------

    def _prepare(self) -> None:
        half = len(self._ticks) // 2
        seen = self._ticks[half:]
        seconds = sum(one.len_ns for one in seen) / NS
        ended = sum(one.ended for one in seen)
        if ended < FEWEST_ANSWERS:
            self._why = "hardly anything was answered"
            self.skipped.append(Skipped(Lever("load"), *UNANSWERED))
            return
        response_s = sum(one.in_flight_s for one in seen) / ended
        components = tuple(self._stage.components())
        generator = sum(one.generator_ns for one in seen) / NS / seconds
        scene = Scene(components, self._use.cores(components), self._stage.cpus, generator)
        rate = sum(one.good for one in seen) / seconds
        self._settle_ns = int(max(SETTLE_S, min(SETTLE_RESPONSES * response_s, SETTLE_MOST_S)) * NS)
        self._slot_ns = int(min(max(ANSWERS_A_SLOT / max(rate, 1.0), SLOT_S[0]), SLOT_S[1]) * NS)
        steps, self.skipped = self._choose(scene, response_s)
        for step in sorted(steps, key=lambda one: not self._comes_first(one.lever)):
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
        """As many of them as some useful blocks have time for, at least one; the others are skipped."""
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
        """Change it; one that no longer can be is said, and left out from here on."""
        try:
            self._setters[change - 1](True)
        except (Unavailable, VoidError, OSError) as error:
            self.skipped.append(_failed(self._steps[change - 1].lever, error))
            self._active = [one for one in self._active if one != change]
            self._row = [one for one in self._row if one != change]
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
        inside = [one for one in self._ticks if one.end_ns - one.len_ns >= from_ns]
        value = outcome.outcome_of(self._measure, inside)
        self._mark_end()
        if value is not None:
            self._slots.append(Slot(self._block, change, value))
            start_s = (inside[0].end_ns - inside[0].len_ns - self._stage.start_ns) / NS
            length_s = sum(one.len_ns for one in inside) / NS
            part = Part(self.number, start_s, length_s, self._block, change != BASE, value)
            self._parts.append((change, part))

    def _mark_end(self) -> None:
        assert self._now is not None
        change, at_ns, _, _ = self._now
        self._now = None
        if change == BASE:
            return
        # What cannot be changed back here is, by its lease, when the context is left.
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
        """Whole blocks of the changes that are asked now."""
        return self._block + 1 - self._from_block

    def _look(self) -> None:
        is_time_for_others = bool(self._waiting) and self._over_s() >= FIRST_SHARE * self._most_s
        if self._blocks() not in LOOKS_AT and not (is_time_for_others and self._blocks() >= FEWEST_BLOCKS):
            return
        is_last = self._blocks() >= LOOKS_AT[-1] or not self._fits()
        self._looks.append(1.0 if is_last and not self._waiting else self._over_s() / self._most_s)
        self._looked_at = len(self._slots)
        self._judge(self._looks)
        sure = {one.title for one in self.results if one.standing != "unsure"}
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
        """Go on with what has waited, and with what is not sure yet."""
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
        """Whether there is time for another block."""
        row_s = (len(self._active) + 1) * (self._settle_ns + self._slot_ns) / NS
        return self._over_s() + row_s <= self._most_s

    def _judge(self, looks: Sequence[float]) -> None:
        """Work the results out. Those that had their answer keep it. looks: as of stats.elasticity."""
        ratios = {change: step.ratio for change, step in enumerate(self._steps, start=1)}
        found = measured(self._measure, self._slots, ratios, looks=looks)
        before = {one.title: one for one in self.results}
        self.results = []
        for change, step in enumerate(self._steps, start=1):
            if change not in self._active and step.title in before:
                self.results.append(before[step.title])
            elif change in found:
                elasticity, gain = found[change]
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
