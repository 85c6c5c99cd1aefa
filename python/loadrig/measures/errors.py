"""The share of requests that did not end well.

## What it is

Of the requests that ended in the measured window, the share whose outcome was not `ok`: refused,
reset, timed out, answered with an error or with what fails a check, or never sent because no
connection was free.

## Unit

A share, 0 to 1; shown in percent.

## How it is computed

(not ok + unsent) / (ok + not ok + unsent), class `service`. Unsent requests have no route yet: they
are in the figure of all routes and in none of a single route (a warning says so).

## Interval

95 %, Wilson's for a share of a count: right for few errors and for none. Where errors come in bursts
(a restart, a full queue) single requests are not independent and Wilson's is too narrow; from eight
frames on, the interval of the ratio by batch means is computed too, and the wider end of the two is
given.

## When it misleads

Requests still waiting when the window ends are not in it. With a time-out longer than the window, a
server that has stopped answering shows no errors; look at requests in flight.
"""

from loadrig.base.estimate import Estimate
from loadrig.language.choice import texts_of
from loadrig.language.en.measures import MeasuresErrorsTexts
from loadrig.measures._steps import WindowSteps, is_known, steps, tells_outcomes
from loadrig.recording.reader import Recording

TEXTS = texts_of(MeasuresErrorsTexts)

UNIT = "1"
BETTER = "lower"
EQUAL_WITHIN = 0.001
CLAIM = "facts"

FRAMES_FOR_BURSTS = 8
"""Fewest frames whose spread says more of bursts of errors than Wilson's formula."""


def estimate(recording: Recording, *, route: str | None = None) -> Estimate | None:
    """Estimate the share of requests that were not ok; None where no request ended."""
    if not is_known(recording, route) or not tells_outcomes(recording):
        return None
    counts = steps(recording, route)
    unsent = counts.unsent if route is None else counts.unsent * 0
    bad, ended = counts.not_ok + unsent, counts.ok + counts.not_ok + unsent
    if not ended.sum():
        return None
    low, high = _interval(counts, bad.sum(), ended.sum(), route)
    warnings: tuple[str, ...] = ()
    if route is not None and counts.unsent.sum():
        number = int(counts.unsent.sum())
        warnings = (TEXTS.requests_never_sent(f"{number:,}"),)
    share = float(bad.sum() / ended.sum())
    return Estimate(share, UNIT, low, high, n=int(ended.sum()), warnings=warnings)


def _interval(counts: WindowSteps, bad: float, ended: float, route: str | None) -> tuple[float, float]:
    from loadrig.stats.intervals import rate_interval, wilson_share

    wilson = wilson_share(int(bad), int(ended))
    unsent = counts.unsent if route is None else counts.unsent * 0
    total = counts.ok + counts.not_ok + unsent
    is_ended = total > 0
    if is_ended.sum() < FRAMES_FOR_BURSTS:
        return wilson.low, wilson.high
    bursts = rate_interval((counts.not_ok + unsent)[is_ended], total[is_ended])
    return min(wilson.low, bursts.low), min(1.0, max(wilson.high, bursts.high))
