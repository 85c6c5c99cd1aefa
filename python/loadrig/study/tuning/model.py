"""Models that choose the setting to try next and say what is believed of all, from the trials so far.

Two models ask and are told: our Gaussian process, which knows noise, blocks and a queueing prior and is the
default, and Optuna's TPE (`model: tpe`). Both hold nothing between two questions: the same trials and the
same seed give the same question.
"""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from scipy import stats

from loadrig.language.choice import texts_of
from loadrig.language.en.study import StudyTuningModelTexts
from loadrig.plan.model import Goal
from loadrig.stats.arrays import Floats
from loadrig.study.trials import DoneTrial
from loadrig.study.tuning.gaussian import GaussianProcess, Posterior, evaluations_of
from loadrig.study.tuning.objective import Objective, slacks
from loadrig.study.tuning.space import SettingSpace, distributions, nearest, params_of

TEXTS = texts_of(StudyTuningModelTexts)

Name = Literal["gaussian", "tpe"]

LIKELY = 0.5
"""Least probability of keeping the goals at which a setting counts as one that does."""

DRAWS_OF_GOALS = 36
"""Draws of the hyperparameters of a goal's process.
Whether a goal is kept needs less sharpness than the best."""

FAILED_BY = 0.5
"""Amount in logs by which a setting with which the server failed counts as worse than the worst that
worked."""


@dataclass(frozen=True, slots=True)
class Observation:
    """Trial on the tuner's scales: more is better, a slack below 0 is a goal missed.

    point: the setting's position in the space. y: nan where the server failed with it.
    """

    point: int
    y: float
    variance: float
    block: int
    slacks: tuple[float, ...]

    @property
    def has_failed(self) -> bool:
        """Return whether the server did not work with this setting."""
        return math.isnan(self.y)


@dataclass(frozen=True, slots=True)
class Belief:
    """Belief in every setting. feasible: the probability that it keeps all goals.

    noise_sd: of one trial, on the scale of the figure.
    """

    mean: Floats
    sd: Floats
    feasible: Floats
    noise_sd: float

    def best(self, among: Sequence[int]) -> int | None:
        """Return the setting believed best of these, or of those that keep the goals if any does."""
        ranked = self.ranked(among)
        return ranked[0] if ranked else None

    def ranked(self, among: Sequence[int]) -> list[int]:
        """Return these settings, the one believed best first; those that hardly keep the goals come last."""
        return sorted(
            among,
            key=lambda at: (
                self.feasible[at] < LIKELY,
                -self.mean[at] if self.feasible[at] >= LIKELY else -self.feasible[at],
            ),
        )


class Model(Protocol):
    """Model that asks for settings and believes something of them."""

    def ask(self, observations: Sequence[Observation], allowed: Sequence[int]) -> tuple[int, float]:
        """Return which of the allowed settings to try next, and its expected gain (nan if not known)."""

    def belief(self, observations: Sequence[Observation]) -> Belief:
        """Return what is believed of every setting."""


def observations_of(
    space: SettingSpace, objective: Objective, goals: Sequence[Goal], trials: Sequence[DoneTrial]
) -> list[Observation]:
    """Return what trials say; void trials, and those of settings outside the space, say nothing.

    A trial that gave no figure at all counts as one in which the server failed.
    """
    rows = []
    for trial in trials:
        point = space.number(trial.setting)
        if point is None or trial.validity == "void":
            continue
        read = objective.read(trial)
        if read is not None:
            rows.append(Observation(point, *read, trial.block, slacks(goals, trial)))
        else:
            # The server did not work; or no load met the goals, and the trial found no capacity.
            rows.append(Observation(point, math.nan, 0.0, trial.block, (math.nan,) * len(goals)))
    return rows


class GaussianModel:
    """Model of expected improvement under noise, times the probability that the goals are kept.

    trend: what a queueing model foretells of every setting, or None.
    Sources: Huang, Allen, Notz & Zeng 2006, J. Glob. Optim. 34, 441-466 (augmented expected improvement);
    Gelbart, Snoek & Adams 2014, UAI 30 (constraints).
    """

    def __init__(
        self, space: SettingSpace, goals: int, *, trend: Floats | None = None, seed: int = 1
    ) -> None:
        self._goals = goals
        self._figure = GaussianProcess(space.features, space.groups, trend, seed=seed)
        self._slacks = (
            GaussianProcess(space.features, space.groups, seed=seed + 1, draws=DRAWS_OF_GOALS)
            if goals
            else None
        )
        self._beliefs: dict[tuple[Observation, ...], Belief] = {}

    def ask(self, observations: Sequence[Observation], allowed: Sequence[int]) -> tuple[int, float]:
        """Return the setting with the largest expected gain, the first of equals, and the gain."""
        posterior = self._posterior(observations)
        feasible = self._feasible(observations)
        able = [observation.point for observation in observations if not observation.has_failed]
        safe = [point for point in able if feasible[point] >= LIKELY]
        at = np.asarray(allowed, dtype=np.int64)
        gain = np.zeros(at.size)
        for weight, mean, sd in zip(posterior.weights, posterior.means, posterior.sds, strict=True):
            # Where nothing keeps the goals yet, any setting that does is a gain.
            mark = max(mean[point] for point in safe) if safe else min(mean[point] for point in able)
            z = (mean[at] - mark) / sd[at]
            expected = sd[at] * (z * stats.norm.cdf(z) + stats.norm.pdf(z))
            noise = posterior.noise_sd
            gain += weight * expected * (1 - noise / np.sqrt(noise**2 + sd[at] ** 2))
        gain *= feasible[at] if safe else feasible[at] ** 2
        chosen = int(np.argmax(gain))
        return int(at[chosen]), float(gain[chosen])

    def belief(self, observations: Sequence[Observation]) -> Belief:
        """Return mean and sd of every setting's figure, and how likely it keeps the goals."""
        observed = tuple(observations)
        if observed not in self._beliefs:
            posterior = self._posterior(observations)
            self._beliefs = {
                **dict(list(self._beliefs.items())[-3:]),
                observed: Belief(
                    posterior.mean, posterior.sd, self._feasible(observations), posterior.noise_sd
                ),
            }
        return self._beliefs[observed]

    def _posterior(self, observations: Sequence[Observation]) -> Posterior:
        worst = min(observation.y for observation in observations if not observation.has_failed) - FAILED_BY
        rows = [
            (
                observation.point,
                worst if observation.has_failed else observation.y,
                observation.variance,
                observation.block,
            )
            for observation in _once(observations)
        ]
        return self._figure.posterior(evaluations_of(rows))

    def _feasible(self, observations: Sequence[Observation]) -> Floats:
        feasible = np.ones(self._figure.size)
        for goal in range(self._goals):
            rows = [
                (observation.point, observation.slacks[goal], 0.0, observation.block)
                for observation in observations
                if math.isfinite(observation.slacks[goal])
            ]
            if not rows or self._slacks is None:
                continue
            posterior = self._slacks.posterior(evaluations_of(rows))
            feasible *= posterior.weights @ stats.norm.cdf(posterior.means / np.maximum(posterior.sds, 1e-6))
        for observation in observations:
            if observation.has_failed:
                feasible[observation.point] = 0.0
        return feasible


class TpeModel:
    """Model of Optuna: a tree-structured Parzen estimator, multivariate and by group, with constraints.

    It has no model of the figures, so what it believes of a setting is the mean of what was seen there.
    Source: Bergstra, Bardenet, Bengio & Kegl 2011, NIPS 24; Watanabe 2023, arXiv 2304.11127.
    """

    def __init__(self, space: SettingSpace, goals: int, *, seed: int = 1) -> None:
        self._space, self._goals, self._seed = space, goals, seed

    def ask(self, observations: Sequence[Observation], allowed: Sequence[int]) -> tuple[int, float]:
        """Return the setting that Optuna asks for, or the allowed setting that is nearest to it."""
        import optuna

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        with warnings.catch_warnings():
            # Optuna warns that `group` may change; the lock file says which version is used.
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            sampler = optuna.samplers.TPESampler(
                multivariate=True, group=True, n_startup_trials=8, seed=self._seed + len(observations)
            )
        study = optuna.create_study(direction="maximize", sampler=sampler)
        by_knob = distributions(self._space)
        worst = (
            min((observation.y for observation in observations if not observation.has_failed), default=0.0)
            - FAILED_BY
        )
        for observation in observations:
            params = params_of(self._space, self._space.settings[observation.point])
            bounds = {
                TEXTS.goal(str(at)): -slack
                for at, slack in enumerate(observation.slacks)
                if math.isfinite(slack)
            }
            study.add_trial(
                optuna.trial.create_trial(
                    params=params,
                    distributions={name: by_knob[name] for name in params},
                    value=worst if observation.has_failed else observation.y,
                    constraints=bounds or None,
                )
            )
        drawn = study.ask()
        setting: dict[str, object] = {}
        for axis in self._space.axes:
            name = axis.knob.name
            if not axis.knob.applies(setting):  # type: ignore[arg-type]
                continue
            if not axis.is_free:
                setting[name] = axis.knob.base
            elif axis.is_ordered:
                low, high = min(axis.places.values()), max(axis.places.values())
                setting[name] = nearest(axis, drawn.suggest_float(name, low, high))
            else:
                words = tuple(dict.fromkeys((*axis.knob.values, axis.knob.base)))
                setting[name] = drawn.suggest_categorical(name, words)
        wanted = self._space.number(setting)  # type: ignore[arg-type]
        if wanted is None or wanted not in allowed:
            wanted = self._near(wanted, allowed, len(observations))
        return wanted, math.nan

    def _near(self, wanted: int | None, allowed: Sequence[int], asked: int) -> int:
        at = np.asarray(allowed)
        if wanted is None:
            return int(np.random.default_rng([self._seed, asked]).choice(at))
        apart = ((self._space.features[at] - self._space.features[wanted]) ** 2).sum(axis=1)
        return int(at[np.argmin(apart)])

    def belief(self, observations: Sequence[Observation]) -> Belief:
        """Return means of what was seen; settings that were not tried are believed worse than all others."""
        size = len(self._space.settings)
        mean, sd, feasible = np.full(size, -np.inf), np.full(size, np.inf), np.zeros(size)
        for point in {observation.point for observation in observations}:
            here = [observation for observation in observations if observation.point == point]
            if any(observation.has_failed for observation in here):
                continue
            mean[point] = np.mean([observation.y for observation in here])
            keeps_all = [all(not slack < 0 for slack in observation.slacks) for observation in here]
            feasible[point] = float(np.mean(keeps_all))
        return Belief(mean, sd, feasible, math.nan)


def _once(observations: Sequence[Observation]) -> list[Observation]:
    """Return observations with failures once a setting: each further failure of it says nothing new."""
    distinct, failed = [], set()
    for observation in observations:
        if observation.has_failed and observation.point in failed:
            continue
        if observation.has_failed:
            failed.add(observation.point)
        distinct.append(observation)
    return distinct
