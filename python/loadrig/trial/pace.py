"""Pace of a trial: when the warm-up is over and when enough has been measured, decided frame by frame.

A plan whose arrivals vary by themselves (ramps, steps, a list of times, a number of requests) runs
to its own end. A constant load runs until it is steady (MSER-5), then until throughput is known
well enough or the time is up.
"""

import importlib
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

from loadrig.base.clock import NS
from loadrig.base.later import Later
from loadrig.language.choice import texts_of
from loadrig.language.en.trial.running import TrialPaceTexts
from loadrig.plan.model import TrialRules
from loadrig.recording.frame import Frame

if TYPE_CHECKING:
    import numpy as np

    from loadrig.stats import stopping, warmup
else:
    np, stopping, warmup = Later("numpy"), Later("loadrig.stats.stopping"), Later("loadrig.stats.warmup")

TEXTS = texts_of(TrialPaceTexts)

FRAMES_TO_JUDGE = 20
"""Least number of frames for MSER-5, four batches of five: with fewer, it chooses among two or three
truncation points."""

ANSWERS_ENOUGH = 1_000
"""Least number of answers before a run is cut short, however steady its throughput: p95 of 810 independent
answers is known to about ±10 % (methods of sequential stopping; exponential tail)."""

WITHOUT_LOAD = 0.5
"""Share of a frame, 0 to 1, that may lie behind the end of the load. A frame of which more does would count
time in which nothing was due: of a trial of twenty seconds one in a hundred requests would be missing. The
last frame of a load may come late, and all that was due in it counts."""


@dataclass(frozen=True, slots=True)
class WarmUpEnd:
    """End of the warm-up. verdict: "steady", "not_steady", or "none" where there was none."""

    verdict: str
    seconds: float
    why: str


class Pace:
    """Follower of a run. Made by the trial's runner, given every frame, and asked after each.

    scheduled: the arrivals end by themselves and must not be cut short.
    """

    def __init__(self, rules: TrialRules, *, scheduled: bool) -> None:
        self._rules = rules
        self._scheduled = scheduled
        # Machine numbers: a soak has a reading each second, for hours.
        self._rates, self._ends_ns, self._good = array("d"), array("q"), array("q")
        self._start_ns: int | None = None
        self._looks = 0
        for library in _needed(rules, scheduled=scheduled):
            # Import now, before the load, and not when the first look is due: it takes a second of CPU time.
            importlib.import_module(library)
        self.from_ns: int | None = None
        self.to_ns: int | None = None
        self.why = ""
        self.warm_up: WarmUpEnd | None = None

    @property
    def phase(self) -> str:
        """Phase of the trial: warm_up, measuring or draining."""
        if self.to_ns is not None:
            return "draining"
        return "measuring" if self.from_ns is not None else "warm_up"

    def begin(self, start_ns: int) -> None:
        """Set the instant from which arrivals are due; frames that end before it do not count."""
        self._start_ns = start_ns
        if self._rules.warm_up.at_most <= 0 or (self._scheduled and self._rules.warm_up.at_least <= 0):
            self.from_ns = start_ns
            why = TEXTS.plan_schedule_measured if self._scheduled else TEXTS.plan_asks_none
            self.warm_up = WarmUpEnd("none", 0.0, why)

    def begin_anew(self, at_ns: int) -> None:
        """Begin the warm-up anew, as the load has another level from this instant on."""
        self._rates, self._ends_ns, self._good = array("d"), array("q"), array("q")
        self._looks = 0
        self.from_ns, self.warm_up = None, None
        self.begin(at_ns)

    def see(self, frame: Frame) -> None:
        """Add one frame and decide."""
        assert self._start_ns is not None
        end_ns = frame.end_ns
        if self.to_ns is not None or frame.len_ns <= 0 or end_ns <= self._start_ns:
            return
        good = sum(row.count for row in frame.routes if row.outcome == "ok" and row.route_class == "service")
        self._good.append(good)
        self._rates.append(good / (frame.len_ns / NS))
        self._ends_ns.append(end_ns)
        if self.from_ns is None:
            self._judge_warm_up(end_ns)
        else:
            self._judge_measuring(end_ns)

    def close(self, why: str) -> None:
        """End the run: whatever was being measured ends with the last frame seen."""
        assert self._start_ns is not None
        last_ns = self._ends_ns[-1] if self._ends_ns else self._start_ns
        if self.from_ns is None:
            self.from_ns = self._start_ns
            self.warm_up = WarmUpEnd("not_steady", 0.0, TEXTS.run_ended_within)
        if self.to_ns is None:
            self.to_ns = max(last_ns, self.from_ns)
            self.why = why

    def measure(self, from_ns: int, to_ns: int) -> None:
        """Set what was measured, once all is over: an experiment knows which window its figures are of."""
        self.from_ns, self.to_ns = from_ns, to_ns

    def _judge_warm_up(self, now_ns: int) -> None:
        assert self._start_ns is not None
        elapsed_s = (now_ns - self._start_ns) / NS
        rules = self._rules.warm_up
        if elapsed_s < rules.at_least:
            return
        if self._scheduled:
            self._start_measuring(now_ns, WarmUpEnd("none", elapsed_s, TEXTS.plan_leaves_out))
            return
        if len(self._rates) >= FRAMES_TO_JUDGE:
            cut = warmup.mser5(np.array(self._rates))
            if cut.is_steady:
                kept_ns = self._ends_ns[cut.drop - 1] if cut.drop else self._start_ns
                start_ns = max(kept_ns, self._start_ns + int(rules.at_least * NS))
                self._start_measuring(
                    start_ns, WarmUpEnd("steady", (start_ns - self._start_ns) / NS, "MSER-5")
                )
                return
        if elapsed_s >= rules.at_most:
            why = TEXTS.throughput_had_not(f"{elapsed_s:.1f}")
            self._start_measuring(now_ns, WarmUpEnd("not_steady", elapsed_s, why))

    def _start_measuring(self, from_ns: int, warm_up: WarmUpEnd) -> None:
        self.from_ns = from_ns
        self.warm_up = warm_up

    def _judge_measuring(self, now_ns: int) -> None:
        assert self.from_ns is not None
        rules = self._rules.measure
        measured_s = (now_ns - self.from_ns) / NS
        if self._scheduled or measured_s < rules.at_least:
            return
        if measured_s >= rules.at_most or now_ns >= self._load_end_ns():
            self._stop(self._last_with_load_ns(), TEXTS.time_measuring_up)
            return
        if not stopping.is_look_due(measured_s, first_s=max(rules.at_least, 1.0), looks_done=self._looks):
            return
        self._looks += 1
        first = int(np.searchsorted(self._ends_ns, self.from_ns, side="right"))
        width = stopping.relative_half_width(np.array(self._rates[first:]), look=self._looks)
        if width is not None and width <= rules.until and sum(self._good[first:]) >= ANSWERS_ENOUGH:
            self._stop(now_ns, TEXTS.throughput_within(f"{width:.1%}"))

    def _load_end_ns(self) -> int:
        """Return the instant from which the generator has nothing due, as its configuration says."""
        assert self._start_ns is not None
        return self._start_ns + int((self._rules.warm_up.at_most + self._rules.measure.at_most) * NS)

    def _last_with_load_ns(self) -> int:
        """Return the end of the last measured frame in which requests were due all the time."""
        assert self.from_ns is not None
        before_ns, now_ns = self._ends_ns[-2] if len(self._ends_ns) > 1 else self.from_ns, self._ends_ns[-1]
        is_late = now_ns - self._load_end_ns() > WITHOUT_LOAD * (now_ns - before_ns)
        return before_ns if is_late and before_ns > self.from_ns else now_ns

    def _stop(self, now_ns: int, why: str) -> None:
        self.to_ns = now_ns
        self.why = why


def _needed(rules: TrialRules, *, scheduled: bool) -> list[str]:
    """Return what following such a run needs.

    A run of a fixed length needs nothing, as `loadrig attack` makes.
    """
    if scheduled:
        return []
    needed = []
    if rules.warm_up.at_most > 0:
        needed.append(warmup.__name__)
    if rules.measure.at_least < rules.measure.at_most:
        needed.append(stopping.__name__)
    return needed
