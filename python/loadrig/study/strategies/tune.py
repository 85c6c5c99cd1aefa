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

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Literal

from loadrig.base.errors import PlanError
from loadrig.base.shape import option
from loadrig.base.units import Count, Seconds
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.study import StudyStrategiesTuneErrors
from loadrig.language.en.study import StudyStrategiesTuneTexts
from loadrig.plan.model import Plan
from loadrig.study.strategies import capacity
from loadrig.study.strategy import Strategy

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


def strategy(plan: Plan, options: Options) -> Strategy:
    """Return the tuning.

    Raises PlanError `study.unknown-measure`, `study.needs-optuna`, and as a capacity does.
    """
    if options.model == "tpe" and find_spec("optuna") is None:
        raise PlanError.of(ERRORS.optuna_not_installed, code="study.needs-optuna")
    if options.objective == CAPACITY and plan.study.by is None and not plan.workload.arrivals.is_closed:
        # The plan has to be fit for a search: the search's own strategy raises if it is not.
        capacity.strategy(plan, capacity.Options())
    # Not imported at the top: with scipy that takes a second, and a plan is read without it.
    from loadrig.study.tuning.tunes import Tunes

    return Tunes(plan, options)
