"""Load a server for hours and say what becomes of it.

## What it does

One trial of every knob at its base, as long as is asked; with `matrix`, one of every combination of the
knobs' values, each with an answer of its own. When it is over it is said what grows with every
request and when that reaches its limit, what drifted, which dips there were, and which goals lapsed. It ends
before its time when the answer is sure: a leak whose size is known to 10 %, or none that would matter within
a week. Where a goal is to hold for stretches of time (`p95 < 500ms for 30s`) only a leak ends it early.

## Options

`for`: the length. `early: false` keeps it running to its end whatever is known. `matrix: true` soaks every
combination of the knobs' values once, in trials that `nodes` run side by side. They are not compared with
each other: nobody soaks a setting so often that the noise between soaks is known.

## Example

```yaml
workload: {rate: 100/1s, requests: [{get: /}]}
goals: ["p95 < 500ms for 30s"]
study: {find: soak, for: 4h}
```
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from loadrig.base.errors import PlanError
from loadrig.base.shape import option
from loadrig.base.units import Seconds, show_duration
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.study import StudyStrategiesSoakErrors
from loadrig.language.en.study import StudyStrategiesSoakTexts
from loadrig.plan.explain import warming
from loadrig.plan.model import Plan
from loadrig.recording.reader import Recording
from loadrig.study.blocks import RandomisedBlocks
from loadrig.study.space import base, grid
from loadrig.study.strategy import Strategy
from loadrig.trial.spec import TrialSpec

if TYPE_CHECKING:
    from loadrig.judgement.soak.document import SoakSummary

TEXTS = texts_of(StudyStrategiesSoakTexts)
ERRORS = texts_of(StudyStrategiesSoakErrors)

NEEDS_KNOBS = False

SHORTEST_S = 10.0


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a soak: how long, whether it may be shorter, and of which settings."""

    length: Seconds = option(
        TEXTS.how_long_measured, default=Seconds(3600.0), key="for", low=SHORTEST_S, example="4h"
    )
    early: bool = option(TEXTS.end_before_when, default=True)
    matrix: bool = option(TEXTS.every_combination, default=False)


class SoakStudy(RandomisedBlocks):
    """Strategy of trials that are a soak each, of one setting or of several. Made by `strategy`.

    Each is a block of its own, as no soak waits for another one.
    """

    name, each = "soak", "soaks"

    def __init__(self, plan: Plan, options: Options) -> None:
        settings = grid(plan.knobs) if options.matrix else [base(plan.knobs)]
        super().__init__(
            plan.lasting(options.length), settings, blocks=len(settings), base_runs=1, repeats_lost=False
        )
        self._options = options

    def order(self, block: int) -> list[int]:
        """Return the position of the setting that a block soaks."""
        return [block]

    @property
    def trial_in_words(self) -> str:
        """Return the trial in words: as long as is asked."""
        ends = TEXTS.or_less_once if self._options.early else ""
        return TEXTS.measured(warming(self.plan.trial.warm_up), show_duration(self._options.length), ends)

    def specs_ahead(self, block: int) -> list[TrialSpec]:
        """Return the trials ahead in a block, with a soak in each."""
        # Not imported at the top: what follows a soak imports scipy, and reading a plan needs none.
        from loadrig.soaking.stop import Stopping
        from loadrig.study.soak.experiment import SoakExperiment

        return [
            replace(
                spec,
                seed=self.plan.seed,  # all settings meet the same arrivals
                experiment=SoakExperiment(
                    Stopping(length_s=self._options.length),
                    warm_up_s=self.plan.trial.warm_up.at_most,
                    ends_early=self._options.early,
                    needs_all=any(goal.over is not None for goal in self.plan.goals),
                ),
            )
            for spec in super().specs_ahead(block)
        ]

    def answer(self, recording: Recording) -> "SoakSummary":
        """Return the answer as in a study's result, schema loadrig.soak/1."""
        from loadrig.soaking.result import document

        return document(recording)


def strategy(plan: Plan, options: Options) -> Strategy:
    """Return one soak of the base setting, or of each setting. Raises PlanError `study.no-constant-load`."""
    if plan.workload.ends_itself:
        raise PlanError.of(ERRORS.load_ends_itself, code="study.no-constant-load")
    return SoakStudy(plan, options)
