"""Reasons why two sides cannot be compared. All reasons at once, each with its code and what would mend it.

Refused is what would give a number that says something else than it seems to: another load, other
requests, trials that the rig could not run. What only weakens an answer (another machine, other
versions, a load near the knee) is a warning, and stands beside it.
"""

from collections import Counter
from collections.abc import Iterator
from statistics import geometric_mean
from typing import Any

from loadrig.base.errors import PlanError, Problem, TargetError, VoidError
from loadrig.base.units import show_number, show_share
from loadrig.comparing.differences import machine_differs
from loadrig.comparing.side import CAPACITY, Side
from loadrig.language.choice import texts_of
from loadrig.language.en.comparing import ComparingRefuseTexts
from loadrig.language.en.errors.comparing import ComparingRefuseErrors
from loadrig.language.labels import joined
from loadrig.measures import core_speed
from loadrig.plan.arrivals import CLOSED

TEXTS = texts_of(ComparingRefuseTexts)
ERRORS = texts_of(ComparingRefuseErrors)

WORDS = {
    "users": TEXTS.word_users, "saturate": TEXTS.word_saturate,
    "rate": TEXTS.word_rate, "sessions": TEXTS.word_sessions, "replay": TEXTS.word_replay,
}  # fmt: skip

SAME_LEVEL = 0.02
"""Share by which two offered rates may differ and still be one and the same rate, as it came out."""

SAME_PACE = 0.1
"""Share by which rates of two loads may differ and still be one load, where nobody knows what was asked."""

MOST_LOST = 0.25
"""Share of a side's trials that may be lost; above it the rest was chosen by what went wrong."""


LEAST_UNDONE = 0.01
"""Share of the requests that were due and not done in time, above which a side was overloaded."""


def check(a: Side, b: Side) -> tuple[str, ...]:
    """Return sentences that weaken the comparison; raise where there can be none.

    VoidError `compare.all-void` where a side has no trial that may be believed, TargetError
    `compare.all-failed` where its server never answered; PlanError with one or more of `compare.same-run`,
    `compare.load-model`, `compare.load-level`, `compare.goals`, `compare.no-capacity`, `compare.routes`,
    `compare.units`.
    """
    check_trials(a, b)
    problems = [*_same(a, b), *_load(a, b), *_searches(a, b), *_routes(a, b), *_units(a, b)]
    if problems:
        raise PlanError(problems)
    return (
        *_machines(a, b),
        *_speeds(a, b),
        *(note for side in (a, b) for note in _losses(side)),
        *_tools(a, b),
        *_doubts(a, b),
        *_goals(a, b),
    )


def check_trials(a: Side, b: Side) -> None:
    """Raise `compare.all-void` or `compare.all-failed`, as `check` does, without a usable trial."""
    for side in (a, b):
        _has_trials(side)


def _has_trials(side: Side) -> None:
    if side.usable:
        return
    reason = _first_reason(side)
    if side.trials and all(trial.verdict == "failed" for trial in side.trials):
        raise TargetError.of(ERRORS.all_failed(side.name, reason), code="compare.all-failed")
    raise VoidError.of(ERRORS.all_void(side.name, len(side.trials), reason), code="compare.all-void")


def _first_reason(side: Side) -> str:
    return next((trial.reasons[0] for trial in side.trials if trial.reasons), TEXTS.no_reason_recorded)


def _same(a: Side, b: Side) -> Iterator[Problem]:
    if _places(a) & _places(b):
        yield Problem.of(ERRORS.trials_in_common(a.name, b.name), code="compare.same-run")


def _places(side: Side) -> set[tuple[str, int]]:
    """Return where a side's trials lie: each trial's folder, or its run's where only results were kept."""
    return {
        (str((trial.folder or side.runs[trial.run]).resolve()), 0 if trial.folder else trial.index)
        for trial in side.trials
    }


def _load(a: Side, b: Side) -> Iterator[Problem]:
    first, second = a.model, b.model
    if first is None or second is None:  # only results of trials know the model of a load
        return
    if first != second:
        is_mixed = (first in CLOSED) != (second in CLOSED)
        wording = ERRORS.other_load_model(WORDS.get(first, first), WORDS.get(second, second), is_mixed)
        yield Problem.of(wording, code="compare.load-model")
    elif bool(a.searched) != bool(b.searched):
        names = ("A", "B") if a.searched else ("B", "A")
        yield Problem.of(ERRORS.search_on_one_side(*names), code="compare.load-level")
    # A search loads by levels that follow from what the server can do.
    elif not a.searched and not _nearly(level(a), level(b)):
        shown = [_shown(level(side), first) for side in (a, b)]
        yield Problem.of(ERRORS.other_load_level(*shown), code="compare.load-level")


NO_CAPACITY = {
    "no_level_meets": TEXTS.no_capacity_no_level_meets,
    "all_levels_meet": TEXTS.no_capacity_all_levels_meet,
    "generator_limited": TEXTS.no_capacity_generator_limited,
    "budget": TEXTS.no_capacity_budget,
}
"""Reasons for which no capacity is known, by why the search ended."""


def _searches(a: Side, b: Side) -> Iterator[Problem]:
    """Yield problems of two searches for a capacity: other goals, or none found."""
    if not a.searched or not b.searched:
        return
    if a.goals != b.goals:
        shown = [", ".join(sorted(side.goals)) or ERRORS.no_goal for side in (a, b)]
        yield Problem.of(ERRORS.other_goals(*shown), code="compare.goals")
    for name, side in (("A", a), ("B", b)):
        if side.unit(CAPACITY) is None:
            reason = NO_CAPACITY.get(side.searched, ERRORS.search_without_result)
            yield Problem.of(ERRORS.no_capacity(name, reason), code="compare.no-capacity")


def level(side: Side) -> Any:
    """Return how much load there was: what the generator was told, else what came of it."""
    trial = side.usable[0]
    arrivals = trial.config.arrivals if trial.config else None
    if arrivals and (asked := arrivals.users or arrivals.rate or arrivals.sessions):
        return asked.line[0][1] if len({point[1] for point in asked.line}) == 1 else asked.line
    load = side.load
    if load is None:
        return 0.0
    return float((load.users if load.model in CLOSED else load.offered_rps) or 0)


def _nearly(first: Any, second: Any) -> bool:
    if not isinstance(first, int | float) or not isinstance(second, int | float):
        return bool(first == second)
    return abs(first - second) <= SAME_LEVEL * max(first, second)


def _shown(load: Any, model: str) -> str:
    if not isinstance(load, int | float):
        return ERRORS.course(", ".join(show_number(float(point[1])) for point in load[:5]))
    number = show_number(float(load))
    if model in CLOSED:
        return ERRORS.users(number)
    return ERRORS.sessions_second(number) if model == "sessions" else ERRORS.requests_second(number)


def _routes(a: Side, b: Side) -> Iterator[Problem]:
    if a.routes and b.routes and not set(a.routes) & set(b.routes):
        first, second = (", ".join(side.routes[:4]) for side in (a, b))
        wording = ERRORS.no_common_route(first, second, is_imported=bool(a.tool or b.tool))
        yield Problem.of(wording, code="compare.routes")


def _units(a: Side, b: Side) -> Iterator[Problem]:
    for name in sorted({name for side in (a, b) for trial in side.usable for name in trial.estimates}):
        first, second = a.unit(name), b.unit(name)
        if first and second and first != second:
            yield Problem.of(ERRORS.other_unit(name, first, second), code="compare.units")


# --- warnings -----------------------------------------------------------------------------------


def _machines(a: Side, b: Side) -> list[str]:
    warnings = []
    for name, side in (("A", a), ("B", b)):
        recorded = [
            trial.recording.manifest.machine
            for trial in side.usable
            if trial.recording and trial.recording.manifest.machine
        ]
        if any(machine_differs(recorded[0], machine) for machine in recorded[1:]):
            warnings.append(TEXTS.trials_ran_several(name))
    if what := machine_differs(a.machine, b.machine):
        warnings.append(TEXTS.b_ran_different(what))
    return warnings


def _speeds(a: Side, b: Side) -> list[str]:
    """Return a warning where the same machine was slower on one side, as beside a neighbour or in heat."""
    if machine_differs(a.machine, b.machine):
        return []
    speeds = [[speed for trial in side.usable if (speed := trial.value("core_speed"))] for side in (a, b)]
    if not all(speeds):
        return []
    ratio = geometric_mean(speeds[1]) / geometric_mean(speeds[0])
    if max(ratio, 1 / ratio) - 1 < core_speed.EQUAL_WITHIN:
        return []
    slower, faster = ("B", "A") if ratio < 1 else ("A", "B")
    by = show_share(1 - min(ratio, 1 / ratio))
    return [TEXTS.cores_worked_slower(by, slower, faster)]


def _losses(side: Side) -> Iterator[str]:
    """Yield warnings of trials that are left out, and of trials that were disturbed."""
    lost = [trial for trial in side.trials if not trial.is_usable]
    if lost:
        counts = Counter(trial.verdict for trial in lost)
        shown = {"void": TEXTS.void_trials, "failed": TEXTS.failed_trials}
        words = ", ".join(show(str(counts[word])) for word, show in shown.items() if counts[word])
        reason = next((trial.reasons[0] for trial in lost if trial.reasons), "")
        text = TEXTS.trials_out(side.name, str(len(lost)), str(len(side.trials)), words)
        text += f": {reason}" if reason else ""
        if len(lost) > MOST_LOST * len(side.trials):
            text += TEXTS.chosen_what_went
        yield text
    disturbed = [trial for trial in side.usable if trial.verdict == "disturbed"]
    if disturbed:
        reason = disturbed[0].reasons[0] if disturbed[0].reasons else TEXTS.no_reason_recorded
        number, total = len(disturbed), len(side.trials)
        yield TEXTS.disturbed_and(side.name, str(number), str(total), number == 1, reason)


def _tools(a: Side, b: Side) -> Iterator[str]:
    """Yield warnings of what another tool does not know of the load that it made."""
    if not a.tool and not b.tool:
        return
    if a.tool != b.tool:
        makers = joined(
            TEXTS.load_was_by(name, side.tool or "loadrig") for name, side in (("A", a), ("B", b))
        )
        yield TEXTS.service_times_compared(makers)
    rates = [side.load.achieved_rps if side.load is not None else 0.0 for side in (a, b)]
    if abs(rates[0] - rates[1]) > SAME_PACE * max(rates):
        sides = joined(name for name, side in (("A", a), ("B", b)) if side.tool)
        yield (TEXTS.had_requests_second(show_number(rates[0]), show_number(rates[1]), sides))


def _doubts(a: Side, b: Side) -> Iterator[str]:
    """Yield warnings of routes of one side alone, and of what the kind of load does to figures."""
    only = [TEXTS.only_asks(name) for name in a.routes if b.routes and name not in b.routes]
    only += [TEXTS.only_b_asks(name) for name in b.routes if a.routes and name not in a.routes]
    if only:
        yield TEXTS.figures_all_routes("; ".join(only[:4]))
    if a.searched:  # a search's figures are of a load right below the capacity
        return
    worst = max(_left_undone(a), _left_undone(b))
    if a.model in CLOSED:
        yield (TEXTS.users_wait_their)
    elif worst > LEAST_UNDONE:
        yield (TEXTS.what_due_not(show_share(worst)))


def _left_undone(side: Side) -> float:
    load = side.load
    if load is None or not load.offered_rps:
        return 0.0
    return max(0.0, 1 - load.achieved_rps / load.offered_rps)


def _goals(a: Side, b: Side) -> list[str]:
    """Return a warning where goals differ: they change what figures are held against, not the figures."""
    if a.goals == b.goals:
        return []
    return [TEXTS.b_have_different]
