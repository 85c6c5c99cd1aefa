"""Answers as they should be, per second.

## What it is

Requests of the service that ended well (outcome `ok`) in the measured window, over its length.
Failed ones are not in it: a server that refuses quickly is not fast.

## Unit

1/s

## How it is computed

The count of `ok` outcomes of the class `service` in the frames of the measured window, divided by
their length. For one route: the same with its outcomes only, be it a login or not.

## Interval

95 %, by batch means over the frames (20 batches of at least five autocorrelation times where the
window is long enough, else with the effective number of frames), for frames of unequal length by
the ratio estimator. With one or two frames the exact interval of a Poisson count.

## When it misleads

In an open model it says what was offered as long as the server keeps up: look at `p95` then, or
raise the rate. In a closed model it is tied to the response time by N/(R + Z); both tell one story.
"""

from loadrig.base.estimate import Estimate
from loadrig.measures._steps import few, is_known, rate, steps
from loadrig.recording.reader import Recording

UNIT = "1/s"
BETTER = "higher"
EQUAL_WITHIN = 0.03
CLAIM = "rates"


def estimate(recording: Recording, *, route: str | None = None) -> Estimate | None:
    """Estimate the good answers per second; 0 where none was good, None where nothing was measured."""
    counts = steps(recording, route)
    if not counts.n or not is_known(recording, route):
        return None
    answers = int(counts.ok.sum())
    if not answers and not counts.not_ok.sum() and not counts.due.sum():
        return None
    value, low, high = rate(counts.ok, counts.seconds)
    return Estimate(value, UNIT, low, high, n=answers, of="answers", warnings=few(counts.n))
