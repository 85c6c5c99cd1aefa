"""Run the base setting once.

## What it does

One trial of every knob at its base. Nothing is compared, so nothing is recommended; goals are checked.
A void trial is not repeated: who asked for one trial, or for twenty requests, gets no second helping.

## Options

None. `blocks` does not apply.

## Example

```yaml
study: {find: one_trial}
```
"""

from dataclasses import dataclass

from loadrig.plan.model import Plan
from loadrig.study.blocks import RandomisedBlocks
from loadrig.study.space import base
from loadrig.study.strategy import Strategy


@dataclass(frozen=True, slots=True)
class Options:
    """Options of this strategy: none."""


def strategy(plan: Plan, options: Options) -> Strategy:
    """Return one trial of the base setting."""
    del options
    return RandomisedBlocks(plan, [base(plan.knobs)], blocks=1, base_runs=1, repeats_lost=False)
