"""The next trial of the search: spread over the space at first, then where most is to be gained."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from loadrig.base.setting import Setting
from loadrig.stats.arrays import Floats
from loadrig.study.space import key
from loadrig.study.trials import DoneTrial
from loadrig.study.tuning import rounds
from loadrig.study.tuning.ground import BATCH, LEAST_SEARCH, Ground
from loadrig.study.tuning.model import Model, Observation, observations_of
from loadrig.trial.spec import TrialSpec

NOTHING_LEFT = 0.002
"""Least expected gain (in logs) with which the search goes on: a tenth of what matters."""

START = 6
"""Settings that are tried before the model is asked, where nothing was screened: spread over the space."""

LOOKS = 2
"""Trials of a setting up to which it may be asked for once more: what looks good may be luck."""

WEIGHTS = (1.0, 0.5, 0.25, 0.75)
"""Weights of the first of two objectives, in turns."""


class SettingSearch:
    """Choice of the next trial, from the trials so far. trend: of the queueing model, or None.

    allowed: positions of settings that the search may ask for. running: trials that run at present on other
    nodes; each counts as tried, and as of a middling figure until its own is there (a constant liar; source:
    Ginsbourger, Le Riche & Carraro 2010, Kriging is well-suited to parallelize optimization).
    """

    def __init__(
        self,
        ground: Ground,
        trials: Sequence[DoneTrial],
        model: Model,
        trend: Floats | None,
        allowed: Sequence[int],
        running: Sequence[TrialSpec] = (),
    ) -> None:
        self._ground, self._trials, self._model, self._trend = ground, trials, model, trend
        self._allowed = allowed
        first, end = ground.first["search"], ground.first["race"]
        self._running = [spec for spec in running if first <= spec.block < end and not spec.is_base]

    def next(self) -> dict[int, list[TrialSpec]]:
        """Return the next trial of each block that is not full, the base first; none at the end."""
        ground = self._ground
        first, end = ground.first["search"], ground.first["race"]
        number = tried_in_search(ground, self._trials) + len(self._running)
        if number >= ground.sizes.search or any(trial.block >= end for trial in self._trials):
            return {}
        blocks: dict[int, list[TrialSpec]] = {}
        chosen: Setting | None = None
        for block in range(first, end):
            if self._is_full(block, end - 1):
                continue
            if self._wants_base(block):
                blocks[block] = rounds.specs(ground, self._trials, block, [ground.base])
                continue
            chosen = chosen or self._chosen(number)
            if chosen is None:
                return {}
            blocks[block] = rounds.specs(ground, self._trials, block, [chosen])
        return blocks

    def _is_full(self, block: int, last: int) -> bool:
        """Return whether a block has all its settings; the last one takes those that are over."""
        settings: list[DoneTrial | TrialSpec] = [*self._trials, *self._running]
        in_block = sum(trial.block == block and not trial.is_base for trial in settings)
        return block != last and in_block >= BATCH

    def _wants_base(self, block: int) -> bool:
        here = [trial for trial in rounds.in_block(self._trials, block) if trial.is_base]
        return not any(trial.is_usable for trial in here) and len(here) < 2

    def _chosen(self, number: int) -> Setting | None:
        ground = self._ground
        # A setting whose trial was void may be asked for again; after two void trials it is left out.
        runs = Counter(key(trial.setting) for trial in self._trials)
        good = {key(trial.setting) for trial in self._trials if trial.validity != "void"}
        tried = good | {name for name, count in runs.items() if count >= LOOKS}
        under_way = {key(spec.setting) for spec in self._running}
        tried |= under_way
        settings = ground.space.settings
        fresh = [at for at in self._allowed if key(settings[at]) not in tried]
        observations = observations_of(ground.space, ground.objective, ground.plan.goals, self._trials)
        is_starting = number < START and not ground.sizes.is_screening
        if is_starting or not any(not observation.has_failed for observation in observations):
            return settings[self._spread(fresh)] if fresh else None
        again = self._worth_repeating(observations)
        allowed = [
            at
            for at in self._allowed
            if key(settings[at]) not in tried or (at in again and key(settings[at]) not in under_way)
        ]
        if not allowed:
            return None
        point, gain = self._model.ask(self._with_running(self._scalarised(observations, number)), allowed)
        return None if number >= LEAST_SEARCH and gain < NOTHING_LEFT else settings[point]

    def _with_running(self, observations: list[Observation]) -> list[Observation]:
        """Return observations with those of running trials, which are taken for the middle of all others."""
        worked = sorted(
            (observation for observation in observations if not observation.has_failed), key=lambda row: row.y
        )
        points = [(spec, self._ground.space.number(spec.setting)) for spec in self._running]
        return observations + [
            replace(worked[len(worked) // 2], point=point, block=spec.block)
            for spec, point in points
            if point is not None and worked
        ]

    def _spread(self, fresh: Sequence[int]) -> int:
        """Return a setting far from all that were tried; at first the queueing model's favourite."""
        space = self._ground.space
        begun: list[DoneTrial | TrialSpec] = [*self._trials, *self._running]
        tried = [at for trial in begun if (at := space.number(trial.setting)) is not None]
        trend = self._trend
        if trend is not None and len({*tried}) <= 1:
            return max(fresh, key=lambda at: (round(float(trend[at]), 6), -at))
        features = space.features
        # Corners are far from everything and rarely good, so nearness to the middle counts a little too.
        middle = ((features[fresh] - features.mean(axis=0)) ** 2).sum(axis=1)
        if not tried:
            return int(fresh[int(np.argmin(middle))])
        apart = ((features[fresh][:, None, :] - features[tried][None, :, :]) ** 2).sum(axis=2).min(axis=1)
        return int(fresh[int(np.argmax(np.sqrt(apart) - 0.3 * np.sqrt(middle)))])

    def _worth_repeating(self, observations: Sequence[Observation]) -> set[int]:
        counts = Counter(observation.point for observation in observations if not observation.has_failed)
        start = self._ground.space.number(self._ground.base)
        return {at for at, count in counts.items() if count <= LOOKS and at != start}

    def _scalarised(self, observations: Sequence[Observation], number: int) -> list[Observation]:
        """Return observations with one figure out of two, by weights that change from trial to trial.

        Without a second objective they are returned unchanged.
        Source: Knowles 2006, IEEE Trans. Evol. Comput. 10, 50-66 (ParEGO).

        """
        ground = self._ground
        if ground.second is None:
            return list(observations)
        values: defaultdict[int, list[float]] = defaultdict(list)
        for observation in observations_of(ground.space, ground.second, (), self._trials):
            if not observation.has_failed:
                values[observation.point].append(observation.y)
        pairs = [
            (observation, float(np.mean(values[observation.point])))
            for observation in observations
            if values[observation.point] and not observation.has_failed
        ]
        if len(pairs) < 2:
            return list(observations)
        weight = WEIGHTS[number % len(WEIGHTS)]
        first, second = (
            _unit([observation.y for observation, _ in pairs]),
            _unit([value for _, value in pairs]),
        )
        both = weight * first + (1 - weight) * second
        joined = np.minimum(weight * first, (1 - weight) * second) + 0.05 * both
        failed = [observation for observation in observations if observation.has_failed]
        return [
            replace(observation, y=float(y)) for (observation, _), y in zip(pairs, joined, strict=True)
        ] + failed


def tried_in_search(ground: Ground, trials: Sequence[DoneTrial]) -> int:
    """Return the number of trials of the search so far, without those of the base."""
    first, end = ground.first["search"], ground.first["race"]
    return sum(first <= trial.block < end and not trial.is_base for trial in trials)


def _unit(values: Sequence[float]) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    width = float(np.ptp(array))
    return (array - array.min()) / width if width else np.zeros(array.size)
