"""Rivals of ours at equal trial seconds: random settings, Optuna as it comes, a grid that fits.

Each measures a minute a trial, as the grid of the cases does, and recommends the best reading that kept the
goals. So the seconds are the same, and so is the surface with its noise.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from bench.tune.replay import AROUND_S, FULL_S, TuningOutcome, outcome
from bench.tune.surface import Surface, is_met
from bench.tune.weather import TuningWeather
from loadrig.base.estimate import Estimate
from loadrig.study.space import completed
from loadrig.study.tuning.objective import slack

TRIAL_S = AROUND_S + FULL_S
Reading = Mapping[str, Estimate] | None


def random_search(surface: Surface, level: float, seed: int, seconds: float) -> TuningOutcome:
    """Settings drawn without repeats."""
    order = np.random.default_rng([seed, 5]).permutation(len(surface.settings))
    return _of(surface, level, seed, [int(at) for at in order[: _fits(seconds)]])


def thin_grid(surface: Surface, level: float, seed: int, seconds: float) -> TuningOutcome:
    """As many settings as fit, evenly spaced over the grid in its own order; where it begins is drawn."""
    count = min(_fits(seconds), len(surface.settings))
    step = len(surface.settings) / count
    begin = float(np.random.default_rng([seed, 6]).uniform(0, step))
    return _of(surface, level, seed, [int(begin + step * n) for n in range(count)])


def whole_grid(surface: Surface, level: float, seed: int, seconds: float) -> TuningOutcome:
    """Every setting once, whatever it takes: what the budget is a share of."""
    del seconds
    return _of(surface, level, seed, list(range(len(surface.settings))))


def optuna_default(surface: Surface, level: float, seed: int, seconds: float) -> TuningOutcome:
    """Optuna's default sampler, with its own constraints for the goals."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
    weather, readings, tried = TuningWeather(level, seed), list[Reading](), list[int]()
    for _ in range(_fits(seconds)):
        trial = study.ask()
        chosen: dict[str, str | int | float | bool] = {}
        for knob in surface.knobs:
            if not knob.applies(chosen):
                continue
            numbers = [value for value in knob.values if isinstance(value, int)]
            is_range = len(numbers) == len(knob.values) and numbers == list(
                range(min(numbers), max(numbers) + 1)
            )
            drawn = (
                trial.suggest_int(knob.name, min(numbers), max(numbers)) if is_range
                else trial.suggest_categorical(knob.name, knob.values)
            )  # fmt: skip
            assert drawn is not None
            chosen[knob.name] = drawn
        number = surface.number(completed(surface.knobs, chosen))
        reading = weather.trial(surface, number, FULL_S, TRIAL_S)
        tried.append(number)
        readings.append(reading)
        if reading is None:
            study.tell(trial, state=optuna.trial.TrialState.FAIL)
            continue
        for goal in surface.goals:
            trial.set_constraint(goal.text, -slack(goal, reading[goal.measure].value))
        study.tell(trial, reading[surface.by].value)
    return _best(surface, tried, readings)


RIVALS: Mapping[str, Callable[[Surface, float, int, float], TuningOutcome]] = {
    "random search": random_search,
    "Optuna's default": optuna_default,
    "a grid that fits": thin_grid,
    "the whole grid": whole_grid,
}


def _fits(seconds: float) -> int:
    return max(1, int(seconds // TRIAL_S))


def _of(surface: Surface, level: float, seed: int, numbers: Sequence[int]) -> TuningOutcome:
    weather = TuningWeather(level, seed)
    # A grid runs in an order drawn by lot, as a study of loadrig would.
    order = [numbers[int(at)] for at in np.random.default_rng([seed, 7]).permutation(len(numbers))]
    readings = [weather.trial(surface, number, FULL_S, TRIAL_S) for number in order]
    return _best(surface, order, readings)


def _best(surface: Surface, tried: Sequence[int], readings: Sequence[Reading]) -> TuningOutcome:
    """Return the setting of the best reading of those that kept the goals."""
    best: tuple[float, int] | None = None
    for number, reading in zip(tried, readings, strict=True):
        if reading is None or not all(is_met(goal, reading[goal.measure].value) for goal in surface.goals):
            continue
        value = reading[surface.by].value
        if best is None or value > best[0]:
            best = (value, number)
    return outcome(surface, None if best is None else best[1], TRIAL_S * len(tried), len(tried))
