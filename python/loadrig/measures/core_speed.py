"""Speed of the cores of the server, told by a fixed piece of work.

## What it is

How often the same small piece of work (2,048 numbers sorted) could be done in a second of CPU time, on the
cores that the server may run on, in the measured window.

## Unit

1/s

## How it is computed

The number of readings of the probe `cpu_clock`, metric `work_s`, in the window, over their sum; all cores
together. There is none for a single route.

## Interval

95 %, by batch means over the readings.

## When it misleads

It says how fast the machine was, and nothing of the server. What the server does may suffer more: beside a
neighbour, throughput of a Python server went with the 1.3th power of it. Two figures are comparable on the
same kind of processor only.
"""

from typing import TYPE_CHECKING

from loadrig.base.component import HOST
from loadrig.base.estimate import Estimate
from loadrig.base.later import Later
from loadrig.measures._observed import in_window
from loadrig.measures._steps import Floats, no_interval, rate
from loadrig.recording.reader import Recording

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")

UNIT = "1/s"
BETTER = "higher"
EQUAL_WITHIN = 0.1
CLAIM = "facts"


def estimate(recording: Recording, *, route: str | None = None) -> Estimate | None:
    """Estimate the pieces of work a second; None where the work was not done, or for one route."""
    if route is not None:
        return None
    works = works_of(recording)
    if not works.size:
        return None
    if works.size < 3:
        value = float(works.size / works.sum())
        return Estimate(value, UNIT, n=works.size, of="readings", warnings=(no_interval("readings"),))
    value, low, high = rate(np.ones(works.size), works)
    return Estimate(value, UNIT, low, high, n=works.size, of="readings")


def works_of(recording: Recording) -> Floats:
    """Return the CPU seconds of the work at each reading in the window, in order of time, of all cores."""
    return in_window(recording, "cpu_clock", "work_s", None, HOST)
