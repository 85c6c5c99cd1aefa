"""Limits of the rig itself: above them a trial is disturbed, and in part gravely.

`trial.checks` judges a trial by them once it is over, `following.lights` its last seconds while it runs.
"""

from typing import Literal

Level = Literal["disturbed", "grave"]
"""Level of a reason: which of two limits was passed. Its effect on each kind of claim is in
trial.weakening."""

Limits = tuple[float, float]
"""Two limits: a value above the first disturbs a trial, above the second gravely."""

UNSENT: Limits = (0.005, 0.01)
"""Shares of the requests due that the rig did not send, 0 to 1 (G1). Source: Nighthawk's threshold."""

LEAST_LAG_S: Limits = (100e-6, 500e-6)
LAG_OF_P99: Limits = (0.05, 0.10)
"""Lag of the generator at p99, in seconds and as shares of the response time at p99 (G2): the larger limit
counts. Source: Treadmill (queueing at the client biases the tail)."""

BUSY: Limits = (0.50, 0.80)
"""Shares of a core that the busiest thread of the generator uses, 0 to 1 (G3). Source: AWS Graviton runbook
(below 50 % is a good target)."""

DELAYED: Limits = (0.01, 0.05)
"""Shares of the time, 0 to 1, for each cause of standing still (G4). Times of equal trials differ by 1 %; 5 %
is the margin within which tails count as equal."""

GIVEN_UP_SHARE = 0.001
"""Share of the arrivals that found no free connection, above which the load was another one (G5)."""

USED_UP = 0.5
"""Share of the local ports or of the file descriptors in use, 0 to 1, above which they may run out (G6)."""

CEILING: Limits = (0.50, 0.80)
"""Shares of the most that this generator can do on this machine, 0 to 1 (G10)."""

OTHER_WORK = 0.10
"""Share of a core, 0 to 1, used by others from which on a warning is given: a tenth is as large as most
differences that a study looks for."""


def lag_limits(p99_s: float) -> Limits:
    """Return the limits of the generator's lag, in seconds, for a response time at p99."""
    return (
        max(LEAST_LAG_S[0], LAG_OF_P99[0] * p99_s),
        max(LEAST_LAG_S[1], LAG_OF_P99[1] * p99_s),
    )


def graded(value: float, disturbed: float, grave: float) -> Level | None:
    """Return the level of a value above one of two limits; None below both."""
    if value > grave:
        return "grave"
    return "disturbed" if value > disturbed else None
