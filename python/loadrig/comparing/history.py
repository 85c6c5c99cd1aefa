"""The runs of one plan in the order of time: which level each measure had, and where it changed."""

from collections import Counter
from collections.abc import Mapping, Sequence

from loadrig import __version__
from loadrig.base.documents import finite
from loadrig.base.errors import PlanError
from loadrig.comparing.differences import differences, machine_differs
from loadrig.comparing.document import CourseDocument, HistoryDocument, RunDocument, StepDocument, Word
from loadrig.comparing.noise import mean_of, off_scale
from loadrig.comparing.refuse import level
from loadrig.comparing.side import CAPACITY, Side
from loadrig.comparing.yardsticks import asked
from loadrig.language.choice import texts_of
from loadrig.language.en.comparing import ComparingHistoryTexts
from loadrig.language.en.errors.comparing import ComparingHistoryErrors
from loadrig.stats.changes import LevelChange, change_points
from loadrig.stats.limits import LEAST_SIDE
from loadrig.stats.verdict import bound_of
from loadrig.study.yardstick import Yardstick

TEXTS = texts_of(ComparingHistoryTexts)
ERRORS = texts_of(ComparingHistoryErrors)

NEWEST = 10
"""Runs within which a change counts as news: an older change was seen, and lived with or mended."""


def history(
    runs: Sequence[Side],
    *,
    plan: str = "",
    names: Sequence[str] = (),
    within: Mapping[str, float] | None = None,
    newest: int = NEWEST,
) -> HistoryDocument:
    """Return what became of each measure, run by run. runs: any, in any order.

    plan: the name of the plan; by default that of the newest run. Runs of another setting or load than its
    newest one are left out, void ones too. names, within: as for yardsticks.asked.
    Raises PlanError `compare.no-history` where no run of the plan can be used.
    """
    ordered = sorted(runs, key=lambda run: run.began_s)
    own = [run for run in ordered if not plan or run.plan_name == plan]
    usable = [run for run in own if run.usable]
    if not usable:
        raise _none(plan, ordered)
    last = usable[-1]
    alike, left_out = _alike(own, last)
    # The newest search may have found no capacity; earlier searches tell that the capacity is asked for.
    telling = next((side for side in reversed(alike) if not side.searched or side.unit(CAPACITY)), last)
    by_measure = asked(telling, telling, names, within)
    courses = tuple(
        _course(alike, by, newest, decides=decides)
        for group, decides in ((by_measure.deciding, True), (by_measure.beside, False))
        for by in group
    )
    return HistoryDocument(
        loadrig=__version__,
        verdict=_word(courses),
        plan=last.plan_name,
        newest=newest,
        runs=tuple(map(_run, alike)),
        courses=courses,
        left_out=left_out,
    )


def _run(side: Side) -> RunDocument:
    return RunDocument(
        name=side.name,
        folder=str(side.runs[0]),
        created=side.created or None,
        loadrig=side.loadrig or None,
        trials=len(side.usable),
        machine=side.machine,
    )


def _alike(runs: Sequence[Side], last: Side) -> tuple[list[Side], dict[str, int]]:
    """Return the runs that asked the same as the newest one, and how many others there are by reason."""
    reasons = [_unlike(run, last) for run in runs]
    alike = [run for run, why in zip(runs, reasons, strict=True) if not why]
    return alike, dict(Counter(filter(None, reasons)))


def _unlike(side: Side, last: Side) -> str:
    if side.plan_name != last.plan_name:
        return TEXTS.another_plan
    if not side.usable:
        return TEXTS.void_or_failed
    if dict(side.setting) != dict(last.setting):
        return TEXTS.another_setting
    if side.model != last.model or bool(side.searched) != bool(last.searched):
        return TEXTS.under_another_load
    if last.searched:
        return "" if side.goals == last.goals else TEXTS.under_other_goals
    return "" if level(side) == level(last) else TEXTS.under_another_load


def _course(runs: Sequence[Side], by: Yardstick, newest: int, *, decides: bool) -> CourseDocument:
    scaled = [mean_of(side.trials, by.name, None, by.scale) for side in runs]
    places = [number for number, y in enumerate(scaled) if y is not None]
    changes = change_points([y for y in scaled if y is not None])
    steps = tuple(_step(runs, by, places[change.index], change) for change in changes)
    return CourseDocument(
        measure=by.name,
        decides=decides,
        unit=by.unit,
        better=by.better,
        equal_within=by.equal_within,
        scale=by.scale,
        verdict=_course_word(steps, len(places), len(runs), newest),
        values=tuple(finite(mean_of(side.trials, by.name, None, "difference")) for side in runs),
        changes=steps,
    )


def _step(runs: Sequence[Side], by: Yardstick, run: int, change: LevelChange) -> StepDocument:
    is_better = (change.difference > 0) == (by.better == "higher")
    is_trivial = abs(change.difference) <= bound_of(by.equal_within, by.scale)
    before, after = runs[run - 1], runs[run]
    low, high = (finite(off_scale(y, by.scale)) for y in (change.low, change.high))
    return StepDocument(
        run=run,
        before=off_scale(change.before, by.scale),
        after=off_scale(change.after, by.scale),
        effect=off_scale(change.difference, by.scale),
        interval=(low, high),
        p=change.p,
        verdict="trivial" if is_trivial else "better" if is_better else "worse",
        machine_changed=machine_differs(before.machine, after.machine) or None,
        differences=differences(before, after),
    )


def _course_word(steps: Sequence[StepDocument], measured: int, runs: int, newest: int) -> Word:
    """Return what the newest runs say. measured: number of the runs that have a value."""
    if measured < 2 * LEAST_SIDE:
        return "undecided"
    news = [step for step in steps if step.run >= runs - newest and not step.machine_changed]
    return next((step.verdict for step in reversed(news) if step.verdict != "trivial"), "equal")


def _word(courses: Sequence[CourseDocument]) -> Word:
    """Return the verdict of a history: worse anywhere is worse, and only what decides leaves it undecided."""
    deciding = [course.verdict for course in courses if course.decides]
    if any(course.verdict == "worse" for course in courses):
        return "worse"
    if not deciding or "undecided" in deciding:
        return "undecided"
    return "better" if "better" in deciding else "equal"


def _none(plan: str, runs: Sequence[Side]) -> PlanError:
    names = ", ".join(dict.fromkeys(run.plan_name for run in runs))
    return PlanError.of(ERRORS.no_usable_run(plan, names), code="compare.no-history")
