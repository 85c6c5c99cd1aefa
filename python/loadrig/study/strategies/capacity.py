"""Find the highest load that meets the goals.

## What it does

One trial for each setting, in which the load is steered: up by doubling until the server no longer keeps up,
then around the limit by levels that tell most, each until it is sure whether it meets the goals, and at last
right below and right above what was found. Then the server is overloaded for some seconds, to see what is
answered there and whether it recovers at four fifths of its capacity. Without knobs the base setting is tried
once; with knobs every combination, in randomised blocks, compared by its capacity.

A constant load in the plan says where to begin and in which model: `rate:` is searched in requests a
second, `sessions:` in sessions a second, `users:` in users. At least one goal must be on a quantile of the
response time or on errors, which a higher load can miss and a second of it tells; a goal on anything else
(memory, a mean) is judged right below the capacity that was found.

## Options

`most`: no higher load than this is offered. `overload: false` leaves the overload on purpose out.

## Example

```yaml
workload: {rate: 20/1s, requests: [{get: /}]}
goals: ["p99 < 200ms", "errors < 0.1%"]
study: {find: capacity, budget: 2m}
```
"""

from dataclasses import dataclass, replace

from msgspec import structs

from loadrig.base.errors import PlanError
from loadrig.base.shape import option
from loadrig.base.units import Seconds, show_duration
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.study import StudyStrategiesCapacityErrors
from loadrig.language.en.study import StudyStrategiesCapacityTexts
from loadrig.plan.model import Plan, WarmUp
from loadrig.recording.reader import Recording
from loadrig.study.blocks import RandomisedBlocks
from loadrig.study.capacity.document import CapacityDocument
from loadrig.study.capacity.experiment import NAME, CapacityExperiment, replay
from loadrig.study.capacity.goals import split
from loadrig.study.capacity.result import document
from loadrig.study.capacity.search import Search
from loadrig.study.space import grid
from loadrig.study.strategy import Strategy
from loadrig.study.yardstick import Yardstick
from loadrig.trial.spec import TrialSpec

TEXTS = texts_of(StudyStrategiesCapacityTexts)
ERRORS = texts_of(StudyStrategiesCapacityErrors)

BUDGET_S = 120.0
"""Seconds of one search, where the plan does not say."""

MOST = {"1/s": 100_000.0, "users": 20_000.0}
"""Highest level by its unit: more than one generator can offer, or has connections for."""

MOST_WARM_UP_S = 5.0
"""Longest time at the first level, in seconds, before the search begins."""

SPARE_S = 5.0
"""Seconds by which a trial is longer than its search, for the last look of a search whose time is up."""

EQUAL_WITHIN = 0.03
"""Share by which two capacities may differ and still be equal: a search knows its own about as well."""

NEEDS_KNOBS = False


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a search."""

    most: float | None = option(TEXTS.no_higher_load, default=None, low=1)
    overload: bool = option(TEXTS.overload_server_end, default=True)


class Searches(RandomisedBlocks):
    """Strategy of randomised blocks whose trials are searches. Made by `strategy`."""

    name = NAME

    def __init__(self, plan: Plan, options: Options) -> None:
        self._goals = split(plan.goals)
        self._arrivals = plan.workload.arrivals
        self._options = options
        settings = grid(plan.knobs)
        alone = len(settings) == 1
        # The plan's budget is that of the search, unless several settings share it.
        self._budget_s = float(plan.study.budget) if plan.study.budget and alone else BUDGET_S
        warm_up = WarmUp(Seconds(0.0), Seconds(min(plan.trial.warm_up.at_most, MOST_WARM_UP_S)))
        super().__init__(
            plan.lasting(self._budget_s + SPARE_S, warm_up), settings,
            blocks=1 if alone else plan.study.blocks, base_runs=1 if alone else 2,
        )  # fmt: skip
        within = plan.study.equal_within
        self.by = Yardstick(NAME, self._arrivals.unit, "higher", EQUAL_WITHIN if within is None else within)

    @property
    def trial_in_words(self) -> str:
        """Return a trial in words: a search, which is as long as it may be."""
        begin = TEXTS.first_level_then(show_duration(self.warm_up_s)) if self.warm_up_s else ""
        most = show_duration(self.plan.trial.measure.at_most)
        overload = TEXTS.overload_end_included if self._options.overload else ""
        return TEXTS.search_capacity_takes(begin, most, overload)

    def specs_ahead(self, block: int) -> list[TrialSpec]:
        """Return the trials ahead in a block, with a search in each."""
        return [replace(spec, experiment=self.experiment(spec.seed)) for spec in super().specs_ahead(block)]

    def experiment(self, seed: int) -> CapacityExperiment:
        """Return a fresh search, the same for the same seed."""
        search = Search(
            self._goals,
            unit=self._arrivals.unit,
            first=self._arrivals.first_level,
            most=self._most,
            budget_s=self._budget_s,
            seed=seed,
            skip_overload=not self._options.overload,
        )
        return CapacityExperiment(search, self._goals, warm_up_s=self.warm_up_s, level_most=self._most)

    def answer(self, recording: Recording) -> CapacityDocument:
        """Return what the search of a trial came to, from its recording: as in a study's result.

        A search that was cut short says what was known by then.
        """
        again = self.experiment(recording.manifest.seed or 0)
        answer = document(recording, replay(recording, again.search, self._goals, warm_up_s=self.warm_up_s))
        beside = (TEXTS.judged_right_below(text) for text in self._goals.beside)
        return structs.replace(answer, warnings=(*answer.warnings, *beside))

    @property
    def warm_up_s(self) -> float:
        """Return the seconds at the first level, before the search begins."""
        return self.plan.trial.warm_up.at_most

    @property
    def _most(self) -> float:
        return self._options.most or MOST[self._arrivals.unit]


def strategy(plan: Plan, options: Options) -> Strategy:
    """Return the searches. Raises PlanError `study.no-level` or `study.no-goal-to-miss`."""
    if plan.workload.ends_itself or plan.workload.arrivals.is_unpaced:
        raise PlanError.of(ERRORS.no_constant_load, code="study.no-level")
    if not split(plan.goals).shares:
        raise PlanError.of(ERRORS.no_goal_to_miss, code="study.no-goal-to-miss")
    return Searches(plan, options)
