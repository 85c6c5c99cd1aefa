"""Answer of a soak and its text: what grows and where it ends, what drifts and dips, which goals lapsed."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from loadrig.base.units import show, show_duration, show_number, show_share
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.courses import Course
from loadrig.judgement.facts.readings import within
from loadrig.judgement.facts.slopes import Slopes
from loadrig.judgement.harms import dips, leaks
from loadrig.soaking import dips as soak_dips
from loadrig.soaking.document import Word
from loadrig.soaking.drift import RouteCourse, RouteDrift, drifts
from loadrig.soaking.forecast import HORIZON_S, GrowthLimit, TimeToLimit, forecast
from loadrig.soaking.mix import MixChange, mix
from loadrig.soaking.read import Read
from loadrig.soaking.windows import GoalKept
from loadrig.stats.slope import Slope

FILLED = 0.25
"""Share of a level's growth a request over the whole run that it may still have in the last half, to count
as full."""

MOST_SHOWN = 5
"""Greatest number of misses of a goal, and of drifts, that are listed one by one."""


@dataclass(frozen=True, eq=False)
class Growing:
    """Growth of one level. forecast: None where no limit is known or nothing grows."""

    course: Course
    forecast: TimeToLimit | None

    @property
    def text(self) -> str:
        """Return the growth as one sentence."""
        figures, what = self.course.slopes, f"{self.course.short} of {self.course.component}"
        size = figures.a_request
        match figures.word:
            case "leaks":
                assert size is not None
                size_text = self._size_text(size)
                text = f"{what} leaks {size_text} with every request"
                if figures.lives:
                    text += (
                        f"; restarts hide it, each of {figures.lives} lives climbs by"
                        f" {show(figures.grown, self.course.unit)} again"
                    )
                elif figures.follows == "time":
                    text = f"{what} grows with time and not with requests: {self._hourly()} an hour"
                if self.forecast is not None:
                    text += f"; {self.forecast.text}"
                return text
            case "fills":
                why = f" ({figures.shape.why})" if figures.shape is not None else ""
                most = show(max(0.0, figures.most), self.course.unit)
                return f"{what} fills something and bends{why}; in the last half by {most} a request at most"
            case "made":
                return f"{what} grew in few rises: something was made"
            case "little":
                assert size is not None
                return f"{what} grows by {self._size_text(size)} a request: too little to matter here"
            case "unsure":
                return f"{what} was read too seldom to say how it goes"
            case _:
                if size is None:
                    return f"{what} did not grow"
                most = show(max(0.0, figures.most), self.course.unit)
                return f"{what} did not grow: by {most} a request at most (95 %)"

    def _size_text(self, size: Slope) -> str:
        value, low, high = (show(amount, self.course.unit) for amount in (size.value, size.low, size.high))
        return f"{value} (95 % {low} to {high})"

    def _hourly(self) -> str:
        hourly = self.course.slopes.an_hour
        return show(hourly.value, self.course.unit) if hourly is not None else "nobody knows how much"


@dataclass(frozen=True, eq=False)
class SoakAnswer:
    """Answer of a soak.

    ended: why the soak was over. dips: sentences, of which the first says that there are dips.
    """

    seconds: float
    requests: float
    growing: tuple[Growing, ...]
    drifts: tuple[RouteDrift, ...]
    mix: MixChange | None
    dips: tuple[str, ...]
    kept: Mapping[str, GoalKept]
    ended: str = ""

    @property
    def word(self) -> Word:
        """Return the verdict on the soak."""
        if any(growth.course.is_leak for growth in self.growing):
            return "leaks"
        if any(kept.is_met is False for kept in self.kept.values()):
            return "lapses"
        if self.dips:
            return "dips"
        if any(trend.word != "steady" for trend in self.drifts):
            return "drifts"
        # A soak is made to judge memory: where no memory was seen the verdict is unsure.
        of_memory = [growth.course.slopes for growth in self.growing if growth.course.kind == "memory"]
        return "sound" if of_memory and all(map(_is_past, of_memory)) else "unsure"

    @property
    def sentences(self) -> list[str]:
        """Return the answer in words, the gravest first. Only memory is listed where it did not grow."""
        sentences = [growth.text for growth in self.growing if growth.course.is_leak]
        sentences += [sentence for text, kept in self.kept.items() for sentence in _goal(text, kept)]
        sentences += self.dips
        changed = [trend for trend in self.drifts if trend.word != "steady"]
        if self.mix is not None and (self.mix.is_changed or changed):
            sentences.append(self.mix.text)
        sentences += [trend.text for trend in changed[:MOST_SHOWN]]
        if len(changed) > MOST_SHOWN:
            sentences.append(f"{len(changed) - MOST_SHOWN} more courses drifted")
        if not changed and self.drifts:
            sentences.append("latency and throughput were steady on every route")
        sentences += [
            growth.text
            for growth in self.growing
            if not growth.course.is_leak
            and (growth.course.kind == "memory" or growth.course.slopes.word not in ("level", "unsure"))
        ]
        return sentences

    @property
    def headline(self) -> str:
        """Return the verdict as one sentence."""
        over = f"{show_number(self.requests)} requests in {show_duration(self.seconds)}"
        return {
            "leaks": f"It leaks: seen over {over}.",
            "lapses": f"It did not keep its goals throughout: {over}.",
            "dips": f"It dips again and again: {over}.",
            "drifts": f"It is not the same at the end: {over}.",
            "unsure": f"Not to be told yet whether it leaks: {over}.",
            "sound": f"Nothing leaks, drifts or dips: {over}.",
        }[self.word]


def soak(case: Case, reading: Read, *, horizon_s: float = HORIZON_S, ended: str = "") -> SoakAnswer:
    """Return the answer from a case and from what was counted of its histograms."""
    served = within(case)
    growing = [Growing(course, _forecast(course, served.a_second, horizon_s)) for course in leaks.of(case)]
    t_s = case.t_s[case.is_inside] - (case.window_ns[0] - case.origin_ns) / 1e9
    courses = [*reading.courses, RouteCourse("", "throughput", t_s, dips.served(case)[case.is_inside])]
    return SoakAnswer(
        seconds=case.measured_s,
        requests=float(served.requests[-1] - served.requests[0]),
        growing=tuple(
            sorted(growing, key=lambda growth: (not growth.course.is_leak, growth.course.kind != "memory"))
        ),
        drifts=tuple(drifts(courses)),
        mix=mix(reading.counts, reading.means_s) if reading.counts else None,
        dips=tuple(_dips(case)),
        kept=reading.kept,
        ended=ended,
    )


def _is_past(figures: Slopes) -> bool:
    """Return whether a level does not grow, or hardly grows in the last half, as what it fills is full."""
    if figures.word in ("unsure", "leaks"):
        return False
    if figures.word == "level" or figures.a_request is None:
        return True
    return figures.most <= FILLED * max(0.0, figures.a_request.value)


def _forecast(course: Course, rate: float, horizon_s: float) -> TimeToLimit | None:
    figures = course.slopes
    if not math.isfinite(course.limit) or figures.a_request is None or figures.lives or rate <= 0:
        return None
    hourly = figures.an_hour if figures.follows == "time" else None
    a_second = hourly.times(1 / 3600) if hourly is not None else figures.a_request.times(rate)
    limit = GrowthLimit(course.limit, course.limit_text, course.unit)
    return forecast(limit, figures.level, a_second, horizon_s)


def _dips(case: Case) -> Iterable[str]:
    """Yield sentences on dips of throughput: what the load did in them, then what else happened."""
    case_dips = soak_dips.reported(case)
    if case_dips is None:
        return
    yield f"throughput dipped {case_dips.lasted}, by {show_share(case_dips.depth)}"
    best = soak_dips.beside(case_dips)
    if best is None:
        whose = f": {case_dips.timer}" if case_dips.timer else ""
        yield f"nothing that was watched comes with the dips{whose}"
        return
    parts = case_dips.composition
    if best.stream.is_load:
        yield (
            f"the load makes them: {dips.told(best)}; in them {show_number(-parts.change)}/s fewer requests"
            " of the service were done"
        )
    else:
        yield dips.told(best)


def _goal(text: str, kept: GoalKept) -> Iterable[str]:
    if kept.is_met is None:
        yield f"{text}: nothing was measured that could tell"
        return
    if kept.is_met:
        yield f"{text}: kept in all of {kept.stretches:,} stretches"
        return
    longest = kept.longest
    assert longest is not None
    often = "once, for" if len(kept.misses) == 1 else f"{len(kept.misses)} times; longest"
    yield (
        f"{text}: missed in {show_share(1 - kept.share)} of the stretches, {often}"
        f" {show_duration(round(longest.length_s))}, from {show_duration(round(longest.from_s))} on"
    )
