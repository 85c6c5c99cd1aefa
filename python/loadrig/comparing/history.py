"""The runs of one plan in the order of time: which level each measure had, and where it changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from loadrig.base.errors import PlanError, Problem
from loadrig.comparing.differences import differences, machine_differs
from loadrig.comparing.document import Difference, Word
from loadrig.comparing.noise import mean_of
from loadrig.comparing.read import FoundTrials, side_of
from loadrig.comparing.refuse import level
from loadrig.comparing.side import CAPACITY, Side
from loadrig.comparing.yardsticks import asked
from loadrig.stats.changes import LevelChange, change_points
from loadrig.stats.limits import LEAST_SIDE
from loadrig.stats.verdict import bound_of
from loadrig.study.yardstick import Yardstick

NEWEST = 10
"""Runs within which a change counts as news: an older change was seen, and lived with or mended."""

StepWord = Literal["better", "worse", "trivial"]


@dataclass(frozen=True)
class LevelStep:
    """A change of level. run: the first run of the new level.

    word: trivial where the change is within the margin. differences: what was not the same in this run and
    the one before. on_other_machine: the machine changed with it, so nothing follows for what was loaded.
    """

    run: int
    change: LevelChange
    word: StepWord
    differences: tuple[Difference, ...]
    on_other_machine: str = ""


@dataclass(frozen=True)
class MeasureCourse:
    """One measure over the runs.

    values: of each run, in its unit; None where it has none. decides: as in a comparison. word: what the
    newest runs say; undecided where there are too few to tell.
    """

    by: Yardstick
    values: tuple[float | None, ...]
    steps: tuple[LevelStep, ...]
    decides: bool
    word: Word


@dataclass(frozen=True)
class History:
    """Runs of one plan. left_out: runs of the same plan that are no part of it, by reason and count."""

    plan_name: str
    runs: tuple[Side, ...]
    courses: tuple[MeasureCourse, ...]
    word: Word
    newest: int
    left_out: Mapping[str, int]


def history(
    runs: Sequence[FoundTrials],
    *,
    plan: str = "",
    names: Sequence[str] = (),
    within: Mapping[str, float] | None = None,
    newest: int = NEWEST,
) -> History:
    """Return what became of each measure, run by run. runs: any, in any order.

    plan: the name of the plan; by default that of the newest run. Runs of another setting or load than its
    newest one are left out, void ones too. names, within: as for yardsticks.asked.
    Raises PlanError `compare.no-history` where no run of the plan can be used.
    """
    ordered = sorted(runs, key=lambda run: run.trials[0].began_s)
    own = [run for run in ordered if not plan or run.plan_name == plan]
    usable = [side for run in own if (side := side_of(run.folder.name, [run])).usable]
    if not usable:
        raise _none(plan, ordered)
    last = usable[-1]
    kept, left_out = _alike(own, last)
    # The newest search may have found no capacity; earlier searches tell that the capacity is asked for.
    known = next((side for side in reversed(kept) if not side.searched or side.unit(CAPACITY)), last)
    by_measure = asked(known, known, names, within)
    courses = tuple(
        _course(kept, by, newest, decides=decides)
        for group, decides in ((by_measure.deciding, True), (by_measure.beside, False))
        for by in group
    )
    return History(last.plan_name, tuple(kept), courses, _word(courses), newest, left_out)


def _alike(runs: Sequence[FoundTrials], last: Side) -> tuple[list[Side], dict[str, int]]:
    """Return the runs that asked the same as the newest one, and how many others there are by reason."""
    kept: list[Side] = []
    left_out: dict[str, int] = {}
    for run in runs:
        side = side_of(run.folder.name, [run])
        why = _unlike(side, last)
        if why:
            left_out[why] = left_out.get(why, 0) + 1
        else:
            kept.append(side)
    return kept, left_out


def _unlike(side: Side, last: Side) -> str:
    if side.plan_name != last.plan_name:
        return "of another plan"
    if not side.usable:
        return "void or failed"
    if dict(side.setting) != dict(last.setting):
        return "of another setting"
    if side.model != last.model or bool(side.searched) != bool(last.searched):
        return "under another load"
    if last.searched:
        return "" if side.goals == last.goals else "under other goals"
    return "" if level(side) == level(last) else "under another load"


def _course(runs: Sequence[Side], by: Yardstick, newest: int, *, decides: bool) -> MeasureCourse:
    scaled = [mean_of(side.trials, by.name, None, by.scale) for side in runs]
    places = [number for number, y in enumerate(scaled) if y is not None]
    changes = change_points([y for y in scaled if y is not None])
    steps = tuple(_step(runs, by, places[change.index], change) for change in changes)
    values = tuple(mean_of(side.trials, by.name, None, "difference") for side in runs)
    return MeasureCourse(by, values, steps, decides, _course_word(steps, len(places), len(runs), newest))


def _step(runs: Sequence[Side], by: Yardstick, run: int, change: LevelChange) -> LevelStep:
    word: StepWord = "trivial"
    if abs(change.difference) > bound_of(by.equal_within, by.scale):
        word = "better" if (change.difference > 0) == (by.better == "higher") else "worse"
    before, after = runs[run - 1], runs[run]
    on_other_machine = (
        machine_differs(before.machine, after.machine) if before.machine and after.machine else ""
    )
    return LevelStep(run, change, word, differences(before, after), on_other_machine)


def _course_word(steps: Sequence[LevelStep], known: int, runs: int, newest: int) -> Word:
    if known < 2 * LEAST_SIDE:
        return "undecided"
    news = [step for step in steps if step.run >= runs - newest and not step.on_other_machine]
    for step in reversed(news):
        if step.word != "trivial":
            return step.word
    return "equal"


def _word(courses: Sequence[MeasureCourse]) -> Word:
    """Return the verdict of a history: worse anywhere is worse, and only what decides leaves it undecided."""
    deciding = [course.word for course in courses if course.decides]
    if any(course.word == "worse" for course in courses):
        return "worse"
    if not deciding or "undecided" in deciding:
        return "undecided"
    return "better" if "better" in deciding else "equal"


def _none(plan: str, runs: Sequence[FoundTrials]) -> PlanError:
    names = ", ".join(dict.fromkeys(run.plan_name for run in runs))
    return PlanError(
        Problem(
            what=f"there is no run of {plan} that can be used"
            if plan
            else "there is no run that can be used",
            why=f"there are runs of {names}" if names else "no folder holds a run",
            mend="name folders of runs, or the plan by its name with --plan",
            code="compare.no-history",
        )
    )
