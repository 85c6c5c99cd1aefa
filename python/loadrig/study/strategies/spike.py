"""Load a server with several times its usual load for some seconds, and see how long it takes to recover.

## What it does

One trial of every knob at its base: the plan's load as it is, then a multiple of it, then the plan's load
again. It is said how fast requests piled up, how many failed by it, and when latency, requests in flight and
failures were back in the band that they had before; a server that stays out of it although the load is what
it was is called metastable. Where requests still wait at the end it is watched up to three times as long.

## Options

`times`: the multiple; `for`: the length of the spike; `before` and `after`: of the usual load around it.

## Example

```yaml
workload: {rate: 50/1s, requests: [{get: /}]}
study: {find: spike, times: 5, for: 10s}
```
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from loadrig.base.errors import PlanError
from loadrig.base.shape import option
from loadrig.base.units import Seconds, show_duration, show_number
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.study import StudyStrategiesSpikeErrors
from loadrig.language.en.study import StudyStrategiesSpikeTexts
from loadrig.plan.explain import warming
from loadrig.plan.model import Plan, WarmUp
from loadrig.recording.reader import Recording
from loadrig.study.blocks import RandomisedBlocks
from loadrig.study.space import base
from loadrig.study.spike.experiment import LONGER, SpikeExperiment
from loadrig.study.strategy import Strategy
from loadrig.trial.spec import TrialSpec

if TYPE_CHECKING:
    from loadrig.judgement.soak.document import SpikeSummary

TEXTS = texts_of(StudyStrategiesSpikeTexts)
ERRORS = texts_of(StudyStrategiesSpikeErrors)

NEEDS_KNOBS = False

MOST_WARM_UP_S = 10.0
"""Longest warm-up in seconds: the load is held before the spike anyhow."""

SPARE_S = 5.0
"""Seconds by which the load is longer than what is watched, so that it does not end before the last look."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a spike: how much, how long, and how long it is watched."""

    times: float = option(TEXTS.times_usual_load, default=5.0, low=1.1, high=1000.0)
    length: Seconds = option(TEXTS.how_long_spike, default=Seconds(10.0), key="for", low=1.0)
    before: Seconds = option(TEXTS.usual_load_before, default=Seconds(30.0), low=5.0)
    after: Seconds = option(TEXTS.usual_load_after, default=Seconds(60.0), low=5.0)


class SpikeStudy(RandomisedBlocks):
    """Strategy of one trial with a spike. Made by `strategy`."""

    name = "spike"

    def __init__(self, plan: Plan, options: Options) -> None:
        warm_up = Seconds(min(plan.trial.warm_up.at_most, MOST_WARM_UP_S))
        most_s = options.before + options.length + LONGER * options.after + SPARE_S
        plan = plan.lasting(most_s, WarmUp(warm_up, warm_up))
        super().__init__(plan, [base(plan.knobs)], blocks=1, base_runs=1, repeats_lost=False)
        self._options = options

    @property
    def trial_in_words(self) -> str:
        """Return the trial in words: the spike, and the usual load around it."""
        options = self._options
        long, before, after = map(show_duration, (options.length, options.before, options.after))
        return TEXTS.usual_load_times(
            warming(self.plan.trial.warm_up),
            before,
            long,
            show_number(options.times),
            after,
            show_duration(LONGER * options.after),
        )

    def specs_ahead(self, block: int) -> list[TrialSpec]:
        """Return the trials ahead in a block, with a spike in each."""
        return [replace(spec, experiment=self._experiment()) for spec in super().specs_ahead(block)]

    def _experiment(self) -> SpikeExperiment:
        options = self._options
        return SpikeExperiment(
            self.plan.workload.arrivals.first_level,
            options.times,
            warm_up_s=self.plan.trial.warm_up.at_most,
            before_s=options.before,
            length_s=options.length,
            after_s=options.after,
        )

    def answer(self, recording: Recording) -> "SpikeSummary":
        """Return the answer as in a study's result, schema loadrig.spike/1."""
        from loadrig.soaking.spike_result import document

        return document(recording)


def strategy(plan: Plan, options: Options) -> Strategy:
    """Return one spike at the base setting. Raises PlanError `study.no-constant-load`."""
    if plan.workload.ends_itself or plan.workload.arrivals.is_unpaced:
        raise PlanError.of(ERRORS.load_ends_itself, code="study.no-constant-load")
    return SpikeStudy(plan, options)
