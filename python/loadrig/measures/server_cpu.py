"""Number of cores that the server kept busy.

## What it is

CPU time of the server's process tree in the measured window, dead workers included, over its length:
1.0 is one core busy all the time.

## Unit

cores

## How it is computed

The growth of the counter `cpu_s` of the probe `process`, subject `tree`, over the frames of the
window that lie between its readings, divided by their length. There is none for a single route.

## Interval

95 %, by batch means over the frames.

## When it misleads

Only processes of the server's own tree count: not its database, not the kernel's work on interrupts
for it. Less is better only at the same throughput: see `cpu_per_request`.
"""

from loadrig.base.estimate import Estimate
from loadrig.measures._observed import cpu_by_step
from loadrig.measures._steps import no_interval, rate, steps
from loadrig.recording.reader import Recording

UNIT = "cores"
BETTER = "lower"
EQUAL_WITHIN = 0.05
CLAIM = "rates"


def estimate(recording: Recording, *, route: str | None = None) -> Estimate | None:
    """Estimate the cores in use by the server; None where CPU time was not observed, or for one route."""
    use = cpu_by_step(recording) if route is None else None
    if use is None:
        return None
    cpu_s, covered = use
    seconds = steps(recording).seconds[covered]
    value = float(cpu_s.sum() / seconds.sum())
    if seconds.size < 3:
        return Estimate(value, UNIT, n=seconds.size, of="frames", warnings=(no_interval("readings"),))
    _, low, high = rate(cpu_s, seconds)
    return Estimate(value, UNIT, low, high, n=seconds.size, of="frames")
