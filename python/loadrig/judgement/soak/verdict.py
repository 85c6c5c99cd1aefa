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
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.soak import JudgementSoakVerdictTexts
from loadrig.stats.arrays import Floats
from loadrig.stats.slope import Slope

TEXTS = texts_of(JudgementSoakVerdictTexts)

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
        headline=_headline(word, TEXTS.requests_in(show_number(requests), show_duration(case.measured_s))),
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
        "leaks": TEXTS.leaks_seen_over(over),
        "lapses": TEXTS.did_not_keep(over),
        "dips": TEXTS.dips_again_again(over),
        "drifts": TEXTS.not_same_end(over),
        "unsure": TEXTS.not_yet_whether(over),
        "sound": TEXTS.nothing_leaks_drifts(over),
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
        yield TEXTS.more_courses_drifted(str(len(changed) - MOST_SHOWN))
    if drift and not changed:
        yield TEXTS.latency_throughput_steady
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
    figures, what = course.slopes, TEXTS.short_of(course.short, course.component)
    size, size_text, most = figures.a_request, "", ""
    if size is not None:
        size_text, most = _size_text(size, course.unit), show(max(0.0, figures.most), course.unit)
    match figures.word:
        case "leaks":
            text = TEXTS.leaks_every_request(what, size_text)
            if figures.lives:
                again = show(figures.grown, course.unit)
                text += TEXTS.restarts_hide_each(str(figures.lives), again)
            elif figures.follows == "time":
                hourly = figures.an_hour
                hour = TEXTS.nobody_knows_how if hourly is None else show(hourly.value, course.unit)
                text = TEXTS.grows_time_not(what, hour)
            return f"{text}; {coming.text}" if coming is not None else text
        case "fills":
            why = f" ({figures.shape.why})" if figures.shape is not None else ""
            return TEXTS.fills_something_bends(what, why, most)
        case "made":
            return TEXTS.grew_few_rises(what)
        case "little":
            return TEXTS.grows_request_too(what, size_text)
        case "unsure":
            return TEXTS.read_too_seldom(what)
        case _:
            bound = TEXTS.request_most(most) if size is not None else ""
            return TEXTS.did_not_grow(what, bound)


def _size_text(size: Slope, unit: str) -> str:
    value, low, high = (show(amount, unit) for amount in (size.value, size.low, size.high))
    return TEXTS.to(value, low, high)


# --- dips and goals -----------------------------------------------------------------------------


def _dips(case: Case) -> Iterable[str]:
    """Yield sentences on dips of throughput: what the load did in them, then what else happened."""
    case_dips = soak_dips.reported(case)
    if case_dips is None:
        return
    yield TEXTS.throughput_dipped(case_dips.lasted, show_share(case_dips.depth))
    best = soak_dips.beside(case_dips)
    if best is None:
        whose = f": {case_dips.timer}" if case_dips.timer else ""
        yield TEXTS.nothing_watched_comes(whose)
    elif best.stream.is_load:
        yield (TEXTS.load_makes_them(dips.beside(best), show_number(-case_dips.change(case.load.ok))))
    else:
        yield dips.beside(best)


def _goal(goal: GoalOverStretches) -> str:
    longest = goal.longest
    if goal.met is None or goal.share is None:
        return TEXTS.nothing_measured_could(goal.text)
    if longest is None:
        return TEXTS.all_stretches(goal.text, f"{goal.stretches:,}")
    often = TEXTS.once_for if len(goal.misses) == 1 else TEXTS.times_longest(str(len(goal.misses)))
    return TEXTS.missed_stretches_from(
        goal.text,
        show_share(1 - goal.share),
        often,
        show_duration(round(goal.longest_s)),
        show_duration(round(longest.from_s)),
    )
