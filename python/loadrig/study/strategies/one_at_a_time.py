"""Change one knob at a time from the base.

## What it does

The base setting, and for each knob each of its other values with all else at the base, in randomised
blocks: each block runs each setting once, in an order of its own, and the base setting twice. A knob
that does not apply at the base is tried beside the first value that allows it. Use it to learn which
of many knobs matter at all; effects of knobs on each other are not seen.

## Options

None.

## Example

```yaml
knobs:
  workers: {values: [1, 2, 4], base: 2}
  keepalive: [0, 2]
study: {find: one_at_a_time, blocks: 6}
```
"""

from dataclasses import dataclass

from loadrig.plan.model import Plan
from loadrig.study.blocks import RandomisedBlocks
from loadrig.study.space import one_at_a_time
from loadrig.study.strategy import Strategy


@dataclass(frozen=True, slots=True)
class Options:
    """Options of this strategy: none."""


def strategy(plan: Plan, options: Options) -> Strategy:
    """Return one knob at a time, in blocks."""
    del options
    return RandomisedBlocks(plan, one_at_a_time(plan.knobs), blocks=plan.study.blocks)
