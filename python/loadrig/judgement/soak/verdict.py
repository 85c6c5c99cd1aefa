"""Verdict on a soak: what grows and where it ends, what drifts and dips, which goals lapsed."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from loadrig.base.documents import finite
from loadrig.base.units import show, show_duration, show_number, show_share
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.courses import Course
from loadrig.judgement.facts.readings import within
from loadrig.judgement.facts.slopes import Slopes
from loadrig.judgement.harms import dips, leaks
from loadrig.judgement.soak import dips as soak_dips
from loadrig.judgement.soak.document import (
    Bounds,
    Counted,
    DriftDocument,
    GoalOverStretches,
    GrowthDocument,
    LimitDocument,
    ShiftedMix,
    SoakVerdict,
    Word,
)
from loadrig.judgement.soak.drift import RouteCourse, drifts
from loadrig.judgement.soak.forecast import GrowthLimit, TimeToLimit, forecast
from loadrig.judgement.soak.mix import is_changed, mix
from loadrig.stats.arrays import Floats
from loadrig.stats.slope import Slope

FILLED = 0.25
"""Share of a level's growth a request over the whole run that it may still have in the last half, to count
as full."""

MOST_SHOWN = 5
"""Greatest number of drifts that are listed one by one."""


@dataclass(frozen=True, eq=False)
class SoakCounts:
    """Counts of the histograms of a recording.

    goals: verdict on each goal that has stretches. courses: latency and tail of each route and of all.
    counts, means_s: answers and mean time of each route, in the same steps as the courses, for the mix.
    """

    goals: tuple[GoalOverStretches, ...] = ()
    courses: tuple[RouteCourse, ...] = ()
    counts: Mapping[str, Floats] | None = None
    means_s: Mapping[str, Floats] | None = None


def soak(case: Case, counted: SoakCounts, *, ended: str = "") -> SoakVerdict:
    """Return the verdict on a case and the counts of its histograms. ended: why the soak was over."""
    begin_s = (case.window_ns[0] - case.origin_ns) / 1e9
    served, inside = within(case), case.is_inside
    levels = sorted(leaks.of(case), key=lambda level: (not level.is_leak, level.kind != "memory"))
    growth = tuple(_growth(level, served.a_second, begin_s) for level in levels)
    throughput = RouteCourse("", "throughput", case.t_s[inside] - begin_s, dips.served(case)[inside])
    drift = tuple(drifts([*counted.courses, throughput]))
    load = mix(counted.counts, counted.means_s) if counted.counts and counted.means_s else None
    sentences = tuple(_dips(case))
    word = _word(levels, counted.goals, sentences, drift)
    requests = float(served.requests[-1] - served.requests[0])
    return SoakVerdict(
        verdict=word,
        headline=_headline(word, f"{show_number(requests)} requests in {show_duration(case.measured_s)}"),
        sentences=tuple(_sentences(growth, counted.goals, sentences, drift, load)),
        seconds=case.measured_s,
        requests=requests,
        ended=ended,
        growth=growth,
        drift=drift,
        mix=load,
        dips=sentences,
        goals=counted.goals,
    )


def _word(
    levels: Sequence[Course],
    goals: Sequence[GoalOverStretches],
    dips: Sequence[str],
    drift: Sequence[DriftDocument],
) -> Word:
    """Return the gravest of what was seen."""
    if any(level.is_leak for level in levels):
        return "leaks"
    if any(goal.met is False for goal in goals):
        return "lapses"
    if dips:
        return "dips"
    if any(trend.verdict != "steady" for trend in drift):
        return "drifts"
    # A soak is made to judge memory: where no memory was seen the verdict is unsure.
    of_memory = [level.slopes for level in levels if level.kind == "memory"]
    return "sound" if of_memory and all(map(_is_past, of_memory)) else "unsure"


def _is_past(figures: Slopes) -> bool:
    """Return whether a level does not grow, or hardly grows in the last half, as what it fills is full."""
    if figures.word in ("unsure", "leaks"):
        return False
    if figures.word == "level" or figures.a_request is None:
        return True
    return figures.most <= FILLED * max(0.0, figures.a_request.value)


def _headline(word: Word, over: str) -> str:
    """Return the verdict as one sentence. over: requests and time that it rests on."""
    return {
        "leaks": f"It leaks: seen over {over}.",
        "lapses": f"It did not keep its goals throughout: {over}.",
        "dips": f"It dips again and again: {over}.",
        "drifts": f"It is not the same at the end: {over}.",
        "unsure": f"Not to be told yet whether it leaks: {over}.",
        "sound": f"Nothing leaks, drifts or dips: {over}.",
    }[word]


def _sentences(
    growth: Sequence[GrowthDocument],
    goals: Sequence[GoalOverStretches],
    dips: Sequence[str],
    drift: Sequence[DriftDocument],
    load: ShiftedMix | None,
) -> Iterable[str]:
    """Yield the answer in words, the gravest first. Only memory is listed where it did not grow."""
    yield from (level.text for level in growth if level.is_leak)
    yield from map(_goal, goals)
    yield from dips
    changed = [trend for trend in drift if trend.verdict != "steady"]
    if load is not None and (changed or is_changed(load)):
        yield load.text
    yield from (trend.text for trend in changed[:MOST_SHOWN])
    if len(changed) > MOST_SHOWN:
        yield f"{len(changed) - MOST_SHOWN} more courses drifted"
    if drift and not changed:
        yield "latency and throughput were steady on every route"
    for level in growth:
        if not level.is_leak and (level.kind == "memory" or level.verdict not in ("level", "unsure")):
            yield level.text


# --- growth -------------------------------------------------------------------------------------


def _growth(course: Course, rate: float, begin_s: float) -> GrowthDocument:
    """Return the growth of one level. rate: requests a second. begin_s: of the measured part."""
    figures, coming = course.slopes, _forecast(course, rate)
    t_s, values = course.together
    ends = (coming.in_s, coming.soonest_s, coming.latest_s) if coming is not None else ()
    return GrowthDocument(
        component=course.component,
        kind=course.kind,
        what=course.short,
        unit=course.unit,
        verdict=figures.word,
        text=_growth_text(course, coming),
        a_request=_counted(figures.a_request),
        an_hour=_counted(figures.an_hour),
        follows=figures.follows or None,
        level=finite(figures.level),
        grown=finite(figures.grown),
        lives=figures.lives,
        workers=figures.workers,
        processes={name: _counted(line) for name, line in figures.by_process.items()},
        limit=LimitDocument(course.limit, course.limit_text) if math.isfinite(course.limit) else None,
        reached_in_s=Bounds(*map(finite, ends)) if ends else None,
        t_s=tuple(round(float(at) - begin_s, 3) for at in t_s),
        levels=tuple(values.tolist()),
    )


def _counted(line: Slope | None) -> Counted | None:
    if line is None:
        return None
    return Counted(finite(line.value), finite(line.low), finite(line.high), line.n)


def _forecast(course: Course, rate: float) -> TimeToLimit | None:
    """Return when a level reaches its limit; None where no limit is known or nothing grows."""
    figures = course.slopes
    if not math.isfinite(course.limit) or figures.a_request is None or figures.lives or rate <= 0:
        return None
    hourly = figures.an_hour if figures.follows == "time" else None
    a_second = hourly.times(1 / 3600) if hourly is not None else figures.a_request.times(rate)
    return forecast(GrowthLimit(course.limit, course.limit_text, course.unit), figures.level, a_second)


def _growth_text(course: Course, coming: TimeToLimit | None) -> str:
    """Return the growth of a level as one sentence."""
    figures, what = course.slopes, f"{course.short} of {course.component}"
    size, size_text, most = figures.a_request, "", ""
    if size is not None:
        size_text, most = _size_text(size, course.unit), show(max(0.0, figures.most), course.unit)
    match figures.word:
        case "leaks":
            text = f"{what} leaks {size_text} with every request"
            if figures.lives:
                again = show(figures.grown, course.unit)
                text += f"; restarts hide it, each of {figures.lives} lives climbs by {again} again"
            elif figures.follows == "time":
                hourly = figures.an_hour
                hour = "nobody knows how much" if hourly is None else show(hourly.value, course.unit)
                text = f"{what} grows with time and not with requests: {hour} an hour"
            return f"{text}; {coming.text}" if coming is not None else text
        case "fills":
            why = f" ({figures.shape.why})" if figures.shape is not None else ""
            return f"{what} fills something and bends{why}; in the last half by {most} a request at most"
        case "made":
            return f"{what} grew in few rises: something was made"
        case "little":
            return f"{what} grows by {size_text} a request: too little to matter here"
        case "unsure":
            return f"{what} was read too seldom to say how it goes"
        case _:
            bound = f": by {most} a request at most (95 %)" if size is not None else ""
            return f"{what} did not grow{bound}"


def _size_text(size: Slope, unit: str) -> str:
    value, low, high = (show(amount, unit) for amount in (size.value, size.low, size.high))
    return f"{value} (95 % {low} to {high})"


# --- dips and goals -----------------------------------------------------------------------------


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
    elif best.stream.is_load:
        yield (
            f"the load makes them: {dips.beside(best)}; in them"
            f" {show_number(-case_dips.change(case.load.ok))}/s fewer requests of the service were done"
        )
    else:
        yield dips.beside(best)


def _goal(goal: GoalOverStretches) -> str:
    longest = goal.longest
    if goal.met is None or goal.share is None:
        return f"{goal.text}: nothing was measured that could tell"
    if longest is None:
        return f"{goal.text}: kept in all of {goal.stretches:,} stretches"
    often = "once, for" if len(goal.misses) == 1 else f"{len(goal.misses)} times; longest"
    return (
        f"{goal.text}: missed in {show_share(1 - goal.share)} of the stretches, {often}"
        f" {show_duration(round(goal.longest_s))}, from {show_duration(round(longest.from_s))} on"
    )
