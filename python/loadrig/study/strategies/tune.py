"""Find the best setting of the knobs under the goals, in far fewer trials than a grid.

## What it does

Four stages, in shuffled blocks with the base setting in each:

1. Screening, where at least five knobs may turn out not to matter: two values of each, all at once (a
   Plackett-Burman design and its mirror image). A knob that is shown to change nothing that matters is
   frozen at its base, and reported as inert.
2. Search: a model of all settings says which to try next. It knows noise, goals and conditions, and
   begins with what a queueing model foretells.
3. Race: the nine that may be best run again, then three of them longer, then two are left.
4. Confirmation: winner, runner-up and base side by side in at least six blocks, the server started anew
   in each trial. Only these trials decide. A cheaper finalist that is equivalent to the best is preferred.

What is a best setting: `objective`. `capacity` is the default: under a load of a constant rate each trial
searches the highest rate that meets the goals; where users wait for answers it is their throughput. Any
measure can be one (`throughput`, `p95`: at the plan's rate, `memory`), and `cost_per_request`.

Goals bound the search: a setting that misses one is never recommended. Where none meets them all, the
nearest is named, with what it misses.

A study that is stopped goes on where it was: what is next follows from the trials in the ledger.

## Options

`front: memory` searches along the trade-off of the objective and a second measure, and lists the settings
that no other beats in both. `short` and `long` are the seconds measured in a trial of the earlier stages, and
of the last ones. `model: tpe` asks Optuna instead of our own model. `search` sets how many settings are
searched. `cores` is for the queueing model; 0 leaves it out. `blocks` below 6 count as 6.

## Example

```yaml
target: {gunicorn: {app: "shop:app", cpus: [1]}}
workload: {users: 40, requests: [{get: /}]}
goals: ["errors < 0.5%", "memory < 200MB"]
knobs:
  worker_class: [sync, gthread]
  workers: 1..9
  threads: {values: 1..16, when: worker_class == gthread}
study: {find: tune, budget: 40m}
```
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

from loadrig.base.errors import PlanError
from loadrig.base.members import nearest
from loadrig.base.setting import Setting
from loadrig.base.shape import option
from loadrig.base.units import Count, Seconds, show_duration
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.study import StudyStrategiesTuneErrors
from loadrig.language.en.study import StudyStrategiesTuneTexts
from loadrig.plan.explain import warming
from loadrig.plan.knobs import catalogue_of
from loadrig.plan.model import Plan
from loadrig.study.strategies import capacity
from loadrig.study.strategy import Strategy
from loadrig.study.trials import DoneTrial
from loadrig.study.yardstick import Yardstick, deciding
from loadrig.trial.spec import TrialSpec

if TYPE_CHECKING:
    from loadrig.study.document import StudyDocument

TEXTS = texts_of(StudyStrategiesTuneTexts)
ERRORS = texts_of(StudyStrategiesTuneErrors)

CAPACITY, COST = "capacity", "cost_per_request"
COST_UNIT = "core·s"

LEAST_BLOCKS = 6
"""Fewest confirming blocks: with fewer pairs the exact test cannot decide anything."""

SHORT_S, LONG_S = 20.0, 30.0
SEARCH_SHORT_S, SEARCH_LONG_S = 40.0, 60.0
"""Seconds of a short and of a long trial that is a search for the capacity.
Such a trial first goes up, and then looks around the limit."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a tuning."""

    objective: str = option(TEXTS.what_make_good, default=CAPACITY)
    front: str | None = option(TEXTS.second_measure_trade, default=None)
    model: Literal["gaussian", "tpe"] = option(TEXTS.what_says_setting, default="gaussian")
    search: Count | None = option(TEXTS.settings_search_tries, default=None, low=1)
    screen: bool | None = option(TEXTS.whether_screen_default, default=None)
    short: Seconds | None = option(TEXTS.measured_trial_screening, default=None)
    long: Seconds | None = option(
        TEXTS.measured_trial_final,
        default=None,
    )
    cores: float | None = option(
        TEXTS.cores_server_may,
        default=None, low=0,
    )  # fmt: skip
    core_price: float = option(TEXTS.core_second_cost, default=1.0, low=0)
    gib_price: float = option(TEXTS.gib_memory_second, default=0.1, low=0)


class Tunes:
    """Strategy of a tuning, with what a study asks of it beside.

    Made by `strategy`; see study.tuning.stages.
    """

    def __init__(self, plan: Plan, options: Options) -> None:
        # Not imported at the top: with scipy that takes a second, and a plan is read without it.
        from loadrig.study.tuning.ground import Ground, cores_of, sizes_for
        from loadrig.study.tuning.objective import Prices
        from loadrig.study.tuning.space import space_of
        from loadrig.study.tuning.stages import Tuning

        self._plan = plan
        name = plan.study.by or options.objective
        self._is_searching = name == CAPACITY and not plan.workload.arrivals.is_closed
        self.by = _yardstick(plan, name)
        self._prices = Prices(options.core_price, options.gib_price)
        second = None if options.front is None else _measured(_yardstick(plan, options.front), self._prices)
        target_knobs = catalogue_of(plan.target)
        from loadrig.study import fidelity

        space = space_of(plan.knobs, target_knobs, fidelity.catalogue_entries(plan), seed=plan.seed)
        sizes = sizes_for(
            space,
            short_s=float(options.short or (SEARCH_SHORT_S if self._is_searching else SHORT_S)),
            long_s=float(options.long or (SEARCH_LONG_S if self._is_searching else LONG_S)),
            screening=options.screen,
            search=options.search,
            confirm_blocks=max(LEAST_BLOCKS, plan.study.blocks),
        )
        self.window_s = sizes.long_s
        self._tuning = Tuning(
            Ground(
                plan,
                space,
                _measured(self.by, self._prices),
                sizes,
                margin=margin(self.by),
                target_knobs=target_knobs,
                cores=cores_of(plan) if options.cores is None else options.cores or None,
                model=options.model,
                second=second,
            ),
            prepare=self._searching if self._is_searching else lambda spec: spec,
            budget_s=None if plan.study.budget is None else float(plan.study.budget),
            around_s=float(plan.trial.warm_up.at_most) + 5.0,
        )
        self._second = options.front

    def _searching(self, spec: TrialSpec) -> TrialSpec:
        from loadrig.study.tuning.load import searching

        arrivals = self._plan.workload.arrivals
        return searching(spec, unit="1/s", first=arrivals.first_level, most=capacity.MOST[arrivals.unit])

    @property
    def settings(self) -> Sequence[Setting]:
        """Return all settings that the tuning may ask for."""
        return self._tuning.ground.space.settings

    @property
    def tried(self) -> Sequence[Setting]:
        """Return the base, and the settings that were asked for so far."""
        return self._tuning.tried

    @property
    def total(self) -> int:
        """Return the number of trials of all stages."""
        return self._tuning.total

    @property
    def seconds(self) -> float:
        """Return the seconds of load measured at the most, in all stages together."""
        return self._tuning.ground.seconds

    @property
    def trial_told(self) -> str:
        """Return a trial in words: as long as its stage wants; the last stages, which decide, are longer."""
        sizes, warm_up = self._tuning.ground.sizes, self._plan.trial.warm_up
        short, long = sizes.short_s, sizes.long_s
        if self._is_searching:
            from loadrig.study.tuning.load import AFTER_SEARCH_S, SEARCH_WARM_UP_S

            warm_s = min(float(warm_up.at_most), SEARCH_WARM_UP_S)
            begin = TEXTS.first_level_then(show_duration(warm_s)) if warm_s else ""
            most, last = (TEXTS.at_most(show_duration(seconds + AFTER_SEARCH_S)) for seconds in (short, long))
            text = TEXTS.search_capacity_takes(begin, most)
        else:
            most, last = show_duration(short), show_duration(long)
            text = TEXTS.measured(warming(warm_up), most)
        return text if most == last else TEXTS.final_race_confirmation(text, last)

    def ask(self) -> list[TrialSpec]:
        """Return the next trials of the stages."""
        return self._tuning.ask()

    def ahead(self, running: Sequence[TrialSpec]) -> Mapping[int, list[TrialSpec]]:
        """Return the next trials of every block that may run now, by block."""
        return self._tuning.ahead(running)

    def tell(self, trial: DoneTrial) -> None:
        """Pass a trial that is over on to the stages."""
        self._tuning.tell(trial)

    def with_figures(self, trial: DoneTrial) -> DoneTrial:
        """Return the trial with its cost by request, where that is what is asked for and it can be told."""
        if COST not in (self.by.name, self._second):
            return trial
        from loadrig.study.tuning.objective import cost_per_request

        cost = cost_per_request(trial.measures, self._prices)
        return trial if cost is None else replace(trial, measures={**trial.measures, COST: cost})

    def laid_over(self, document: "StudyDocument") -> "StudyDocument":
        """Return a study's result with what the tuning found; its recommendation replaces the judge's."""
        from loadrig.study.tuning.result import laid_over

        return laid_over(document, self._tuning, second=self._second)


def strategy(plan: Plan, options: Options) -> Strategy:
    """Return the tuning.

    Raises PlanError `study.unknown-measure`, `study.needs-optuna`, and as a capacity does.
    """
    if options.model == "tpe" and find_spec("optuna") is None:
        raise PlanError.of(ERRORS.optuna_not_installed, code="study.needs-optuna")
    if options.objective == CAPACITY and plan.study.by is None and not plan.workload.arrivals.is_closed:
        # The plan has to be fit for a search: the search's own strategy raises if it is not.
        capacity.strategy(plan, capacity.Options())
    return Tunes(plan, options)


def margin(by: Yardstick) -> float:
    """Return within which differences do not matter, on a tuning's scale: logs, or roots."""
    return math.sqrt(by.equal_within) if by.scale == "difference" else math.log1p(by.equal_within)


def _yardstick(plan: Plan, name: str) -> Yardstick:
    within = plan.study.equal_within
    if name == CAPACITY and plan.workload.arrivals.is_closed:
        name = "throughput"
    if name == CAPACITY:
        unit = plan.workload.arrivals.unit
        return Yardstick(name, unit, "higher", capacity.EQUAL_WITHIN if within is None else within)
    if name == COST:
        return Yardstick(name, COST_UNIT, "lower", capacity.EQUAL_WITHIN if within is None else within)
    try:
        return deciding(replace(plan, study=replace(plan.study, by=name)))
    except PlanError:
        close = nearest(name, [CAPACITY, COST])
        if close is None:
            raise
        raise PlanError.of(ERRORS.unknown_objective(name, close), code="study.unknown-measure") from None


def _measured(by: Yardstick, prices: Any) -> Any:
    from loadrig.study.tuning.objective import Objective

    return Objective(by.name, by.better, is_share=by.scale == "difference", prices=prices)
