"""One tuning on a surface: what it recommends, how far that is from the best, and the trial time it took."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bench.tune.surface import Surface, is_met
from bench.tune.weather import TuningWeather
from loadrig.plan.model import Plan
from loadrig.plan.quick import quick_plan, read_quick
from loadrig.study.trials import DoneTrial, GoalRow
from loadrig.study.tuning.ground import Ground, Sizes, sizes_for
from loadrig.study.tuning.model import Name
from loadrig.study.tuning.objective import Objective
from loadrig.study.tuning.space import space_of
from loadrig.study.tuning.stages import Tuning
from loadrig.trial.spec import TrialSpec

AROUND_S = 10.0
"""Seconds of a trial beside what is measured: stop, start, settle."""

FULL_S = 60.0
"""Measured in a trial of the grid."""

SHORT_S, LONG_S = 20.0, 30.0
MARGIN = 0.0296
"""ln(1.03): differences within 3 % do not matter."""


@dataclass(frozen=True)
class TuningOutcome:
    """Outcome of one replay. chosen: position on the surface, None where nothing was recommended.

    regret: as a share of the best; infinite where the chosen misses a goal. grid_share: trial seconds over
    those of one grid. inert: knobs called inert. stages: seconds by stage.
    """

    chosen: int | None
    regret: float
    seconds: float
    grid_share: float
    trials: int
    inert: tuple[str, ...] = ()
    stages: tuple[tuple[str, float], ...] = ()
    believed: int | None = None


def grid_seconds(surface: Surface) -> float:
    """Trial time of one grid: every setting once, a minute each."""
    return len(surface.settings) * (AROUND_S + FULL_S)


def outcome(
    surface: Surface, chosen: int | None, seconds: float, trials: int, **more: object
) -> TuningOutcome:
    """With the regret of what was chosen."""
    regret = float("inf") if chosen is None else surface.regret(chosen)
    return TuningOutcome(chosen, regret, seconds, seconds / grid_seconds(surface), trials, **more)  # type: ignore[arg-type]


def done(surface: Surface, weather: TuningWeather, spec: TrialSpec, measured_s: float) -> DoneTrial:
    """Run a trial on the surface."""
    number = surface.number(spec.setting)
    takes_s = measured_s + AROUND_S
    measures = weather.trial(surface, number, measured_s, takes_s)
    goals: Sequence[GoalRow] = ()
    if measures is not None:
        goals = [
            GoalRow(
                goal.text,
                is_met(goal, measures[goal.measure].value) if goal.measure in measures else None,
                measures[goal.measure].value if goal.measure in measures else None,
            )
            for goal in surface.goals
        ]
    return DoneTrial(
        index=spec.index, block=spec.block, repeat=spec.repeat, setting=spec.setting, is_base=spec.is_base,
        seed=spec.seed, validity="failed" if measures is None else "valid", reasons=(),
        measures=measures or {}, goals=tuple(goals), folder="", seconds=takes_s,
    )  # fmt: skip


def tuned(
    surface: Surface,
    level: float,
    seed: int,
    *,
    model: Name = "gaussian",
    with_prior: bool = True,
    sizes: Sizes | None = None,
) -> TuningOutcome:
    """Our tuner on a surface. with_prior: whether it is told how many cores there are."""
    strategy = tuning(surface, seed, model=model, with_prior=with_prior, sizes=sizes)
    weather = TuningWeather(level, seed)
    seconds: dict[str, float] = {}
    count = 0
    while asked := strategy.ask():
        spec = asked[0]
        stage = str(strategy.stage)
        trial = done(surface, weather, spec, float(spec.plan.trial.measure.at_most))
        strategy.tell(trial)
        seconds[stage] = seconds.get(stage, 0.0) + trial.seconds
        count += 1
    answer = strategy.answer()
    chosen = None if answer.setting is None else surface.number(answer.setting)
    return outcome(
        surface, chosen, sum(seconds.values()), count,
        inert=tuple(knob_effect.knob for knob_effect in answer.inert), stages=tuple(seconds.items()),
    )  # fmt: skip


def tuning(
    surface: Surface,
    seed: int,
    *,
    model: Name = "gaussian",
    with_prior: bool = True,
    sizes: Sizes | None = None,
) -> Tuning:
    """Return the strategy for a surface, as `study: {find: tune}` would make it."""
    space = space_of(surface.knobs, surface.catalogue, seed=seed)
    ground = Ground(
        plan_of(surface, seed),
        space,
        Objective(surface.by, "higher"),
        sizes or sizes_for(space, short_s=SHORT_S, long_s=LONG_S),
        margin=MARGIN,
        target_knobs=surface.catalogue,
        cores=surface.cores if with_prior else None,
        model=model,
    )
    return Tuning(ground)


def plan_of(surface: Surface, seed: int) -> Plan:
    """Return a plan with the surface's knobs and goals; what it loads does not matter here."""
    quick = read_quick(quick_plan("http://127.0.0.1:1/"))
    return replace(quick, knobs=surface.knobs, goals=surface.goals, trial=replace(quick.trial, seed=seed))
