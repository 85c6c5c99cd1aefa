"""Try every combination of the knobs' values.

## What it does

Every combination that the knobs' conditions allow, in randomised blocks: each block runs each setting
once, in an order of its own, and the base setting twice. With 9 settings and 3 blocks that is 30 trials.
Use it for a few knobs with a few values; effects of knobs on each other are seen.

## Options

`most`: a larger grid is refused before anything starts.

## Example

```yaml
knobs:
  worker_class: [sync, gthread]
  workers: [1, 2, 4]
  threads: {values: [1, 4], when: worker_class == gthread}
study: {find: grid, blocks: 3}
```
"""

from dataclasses import dataclass

from loadrig.base.errors import PlanError
from loadrig.base.shape import option
from loadrig.base.units import Count
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.study import StudyStrategiesGridErrors
from loadrig.language.en.study import StudyStrategiesGridTexts
from loadrig.plan.model import Plan
from loadrig.study.blocks import RandomisedBlocks
from loadrig.study.space import grid
from loadrig.study.strategy import Strategy

TEXTS = texts_of(StudyStrategiesGridTexts)
ERRORS = texts_of(StudyStrategiesGridErrors)


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a grid."""

    most: Count = option(TEXTS.most_settings_larger, default=Count(200), low=1)


def strategy(plan: Plan, options: Options) -> Strategy:
    """Return every combination, in blocks. Raises PlanError `study.grid-too-large`."""
    settings = grid(plan.knobs)
    if len(settings) > options.most:
        wording = ERRORS.too_many_settings(len(settings), plan.study.blocks, options.most)
        raise PlanError.of(wording, code="study.grid-too-large", where=plan.knobs[0].span)
    return RandomisedBlocks(plan, settings, blocks=plan.study.blocks)
