"""One level of load: it settles, then each goal is tested until it is sure; and the drain that may follow."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from loadrig.base.documents import Document, Says
from loadrig.base.units import ROUNDING
from loadrig.language.choice import texts_of
from loadrig.language.en.study import StudyCapacityProbeTexts
from loadrig.stats.knee import LEAST_ANSWERED, diverges
from loadrig.stats.sequential import ShareTest, odds_apart
from loadrig.study.capacity.clusters import Clusters
from loadrig.study.capacity.goals import Goals
from loadrig.study.capacity.tick import LevelWindow, Tick, added

TEXTS = texts_of(StudyCapacityProbeTexts)

Kind = Literal["ramp", "saturation", "search", "confirm_below", "confirm_above", "overload", "recovery"]
Verdict = Literal["meets", "fails", "open"]

SETTLE_S, SETTLE_RESPONSES = 3.0, 5.0
SETTLE_LEAST_S = 1.0
SAME_WITHIN = 2.0
"""Standard errors between the two halves of what is in flight, within which it has settled."""

LEAST_TICKS = 8
DIVERGED_SURE = 0.99
FEWEST = 20
MOSTLY = 0.3
CUT = 4.0
"""Factor over what makes all requests late, from which a failing probe ends at once.
No cluster that ends soon is so long."""
HELD_BACK_TICKS = 3
"""Late frames in one probe that prove the generator to be held back: a single one proves nothing."""

LEAST_S = 1.0
"""Least length of a window in seconds: a shorter one tells nothing, however sure it looks."""

DRAIN_MOST_S = 20.0
ANSWERS_IN_A_ROW = 5


class GoalAtLevel(Document, frozen=True):
    """Goal at one level."""

    text: Annotated[str, Says("the goal as written")]
    verdict: Annotated[Verdict, Says("`meets`, `fails`, or `open` where the time was up before it was sure")]
    sure: Annotated[float, Says("probability of the verdict, 0 to 1")]
    value: Annotated[float | None, Says("share of the requests that broke it; null: not told")]
    hits: Annotated[int, Says("number of requests that broke it")] = 0
    of: Annotated[int, Says("number of requests that could have broken it")] = 0
    inflation: Annotated[float, Says("number of requests that carry as much information as one")] = 1.0


@dataclass(frozen=True, slots=True)
class DoneProbe:
    """Level and what was seen of it. at_s: since the search began; settled_s: before the window.

    verdict: "open" where the time was up before it was sure, then `leans` says to which side. diverged:
    whether more came than went. why: what decided. is_cut: it ended because it failed, in the middle of a
    cluster of late answers: their count says on which side the limit is, and not how far.
    """

    kind: Kind
    level: float
    at_s: float
    settled_s: float
    window: LevelWindow
    verdict: Verdict
    leans: Verdict
    sure: float
    diverged: bool
    why: str
    goals: tuple[GoalAtLevel, ...]
    is_cut: bool = False


class Probe:
    """Level while it is offered.

    settles: whether it must settle first; then what is in flight is looked at until it does no longer change,
    from 1 s and five response times on, for at most 3 s and five response times. most_s: of the
    window. stops_early: whether it ends when it is sure; cuts: also where it is sure that it fails.
    """

    def __init__(
        self,
        kind: Kind,
        level: float,
        goals: Goals,
        clusters: Clusters,
        *,
        at_s: float,
        most_s: float,
        settles: bool = True,
        stops_early: bool = True,
        cuts: bool = True,
    ) -> None:
        self.kind, self.level, self.is_over = kind, level, False
        self._goals, self._clusters = goals, clusters
        self._tests = tuple(ShareTest(*odds_apart(goal.most)) for goal in goals.shares)
        self._at_s, self._most_s, self._stops_early = at_s, most_s, stops_early
        self._cuts, self._is_cut = cuts, False
        self._settling: list[Tick] | None = [] if settles else None
        self._settled_s = 0.0
        self.ticks: list[Tick] = []
        self._diverged = False
        self._held_back = 0

    @property
    def is_held_back(self) -> bool:
        """Return whether the generator could not offer this level."""
        return self._held_back >= HELD_BACK_TICKS

    def see(self, tick: Tick) -> None:
        """Take one frame at this level."""
        self._held_back += tick.is_held_back
        if self.is_held_back:
            self.is_over = True
        elif self._settling is not None:
            self._settle(self._settling, tick)
        else:
            self.ticks.append(tick)
            self._look()

    def _settle(self, before: list[Tick], tick: Tick) -> None:
        before.append(tick)
        self._settled_s += tick.seconds
        window = added(before)
        response_s = window.response_s or 0.0
        # Four times as long as a queue takes to forget what was before: then it has been as long as it will
        # now and then be, which takes longer than until its mean is right.
        clusters = [self._clusters.expected(place, self.level, window) for place in range(len(self._tests))]
        forgets_s = min(2 * max(clusters, default=0.0) / self.level, SETTLE_S)
        enough_s = max(SETTLE_RESPONSES * response_s, forgets_s)
        if self._settled_s >= max(SETTLE_S, enough_s) - ROUNDING:
            is_done = True
        else:
            is_done = self._settled_s >= max(SETTLE_LEAST_S, enough_s) - ROUNDING and _is_level(before)
        # A server that overflows or breaks down while it should settle need not be waited for.
        if not is_done and len(before) >= LEAST_TICKS:
            if self._overflows(tick) and _diverges(before):
                self.ticks, self._settled_s, is_done = before, 0.0, True
                self._look()
            else:
                is_done = self._breaks(before[-LEAST_TICKS // 2 :])
        if is_done:
            self._settling = None

    def _look(self) -> None:
        seconds = sum(tick.seconds for tick in self.ticks)
        if (
            len(self.ticks) >= LEAST_TICKS
            and not self._diverged
            and self._overflows(self.ticks[-1])
            and _diverges(self.ticks)
        ):
            self._diverged = True
        if (self._diverged and self._stops_early) or seconds >= self._most_s - ROUNDING:
            self.is_over = True
        elif self._stops_early and seconds >= LEAST_S - ROUNDING:
            verdict = self.done().verdict
            self._is_cut = verdict == "fails" and (self._cuts or self._overflows(self.ticks[-1], CUT))
            self.is_over = verdict == "meets" or self._is_cut

    def _breaks(self, ticks: Sequence[Tick]) -> bool:
        """Return whether most of the requests that ended broke a goal."""
        counts = added(ticks).counts
        return any(count.total >= FEWEST and count.hits > MOSTLY * count.total for count in counts)

    def _overflows(self, tick: Tick, times: float = 1.0) -> bool:
        """Return whether so much is in flight that a request due now is late for every response time goal."""
        limits = [goal.limit_s for goal in self._goals.shares if goal.limit_s is not None]
        return tick.in_flight > times * self.level * max(limits, default=0.0)

    def done(self) -> DoneProbe:
        """Return what was seen so far."""
        window = added(self.ticks)
        goals = self._shares(window)
        fails = [goal for goal in goals if goal.verdict == "fails"]
        verdict: Verdict
        leans: Verdict
        if self._diverged:
            verdict, leans, sure, why = "fails", "fails", DIVERGED_SURE, TEXTS.more_came_than
        elif fails:
            worst = max(fails, key=lambda goal: goal.sure)
            verdict, leans, sure, why = "fails", "fails", worst.sure, worst.text
        else:
            places = range(len(goals))
            loud_places = [place for place in places if not self._clusters.is_quiet(place, window)] or places
            loud = [goals[place] for place in loud_places]
            against = [goals[place] for place in loud_places if self._leans_to_fail(place, goals[place])]
            is_sure = all(goal.verdict == "meets" for goal in loud)
            verdict = "meets" if is_sure else "open"
            leans = "fails" if against else "meets"
            sure = max(goal.sure for goal in against) if against else min(goal.sure for goal in loud)
            why = max(against, key=lambda goal: goal.sure).text if against else ""
        return DoneProbe(
            self.kind, self.level, self._at_s, self._settled_s, window, verdict, leans, sure, self._diverged,
            why, tuple(goals), self._is_cut,
        )  # fmt: skip

    def _leans_to_fail(self, place: int, goal: GoalAtLevel) -> bool:
        """Return whether a goal that is not sure is more probably missed than met."""
        return (
            goal.verdict == "open" and goal.value is not None and goal.value > self._goals.shares[place].most
        )

    def _shares(self, window: LevelWindow) -> list[GoalAtLevel]:
        goals = []
        for place, (goal, test) in enumerate(zip(self._goals.shares, self._tests, strict=True)):
            if not window.counts:
                goals.append(GoalAtLevel(goal.text, "open", 0.5, None))
                continue
            count = window.counts[place]
            worth = self._clusters.expected(place, self.level, window)
            decision = test.judge(count.hits, count.total, worth)
            verdict, sure = _OF_DECISION[decision.decision], decision.sure
            value = count.hits / count.total if count.total else None
            if value is not None and count.total >= FEWEST and value > max(MOSTLY, 10 * goal.most):
                # However large clusters are: where most requests break the goal, the goal is missed.
                verdict, sure = "fails", max(sure, DIVERGED_SURE)
            goals.append(GoalAtLevel(goal.text, verdict, sure, value, count.hits, count.total, worth))
        return goals


_OF_DECISION: dict[str, Verdict] = {"small": "meets", "large": "fails", "open": "open"}


def _is_level(ticks: Sequence[Tick]) -> bool:
    """Return whether what is in flight is about the same in both halves of the ticks."""
    half = len(ticks) // 2
    if half < 2:
        return False
    first = [tick.in_flight for tick in ticks[-2 * half : -half]]
    second = [tick.in_flight for tick in ticks[-half:]]
    means = sum(first) / half, sum(second) / half
    spread = sum((x - means[0]) ** 2 for x in first) + sum((x - means[1]) ** 2 for x in second)
    # The variance is at least that of a count of so many: a few readings may be alike by chance.
    variance = max(spread / (2 * half - 2), sum(means) / 2)
    return abs(means[1] - means[0]) <= SAME_WITHIN * math.sqrt(2 * variance / half)


def _diverges(ticks: Sequence[Tick]) -> bool:
    due, done = sum(tick.due for tick in ticks), sum(tick.done for tick in ticks)
    if done >= LEAST_ANSWERED * due:
        return False  # this look costs a thousandth of the test below
    return diverges(
        [tick.in_flight for tick in ticks], [tick.due for tick in ticks], [tick.done for tick in ticks],
        [tick.seconds for tick in ticks],
    )  # fmt: skip


class Drain:
    """Phase in which next to nothing is offered until no more is in flight than such a load has.

    base: how much such a load has in flight. needs_answers: whether it also takes answers that break no
    goal, a few in a row: after requests have failed a server may still work on requests that nobody waits for
    any more, which are not in flight.
    """

    kind = "drain"

    def __init__(
        self, level: float, base: float, *, most_s: float = DRAIN_MOST_S, needs_answers: bool = False
    ) -> None:
        self.level, self.base, self.is_over, self.is_empty = level, base, False, False
        self.took_s, self._most_s = 0.0, most_s
        self._wanted = ANSWERS_IN_A_ROW if needs_answers else 0
        self._in_a_row = 0

    def see(self, tick: Tick) -> None:
        """Take one frame of the drain."""
        self.took_s += tick.seconds
        is_low = tick.in_flight <= self.base
        broken = tick.failed or any(count.hits for count in tick.counts)
        self._in_a_row = self._in_a_row + tick.good if is_low and not broken else 0
        self.is_empty = is_low and self._in_a_row >= self._wanted
        self.is_over = self.is_empty or self.took_s >= self._most_s
