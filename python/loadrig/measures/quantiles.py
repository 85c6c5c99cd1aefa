"""The time that a share of the requests keep: p50 half of the good answers, p99.9 999 in 1,000 of them.

## What it is

`p50`, `p90`, `p95`, `p99`, `p99.9`: the response time within which 50 %, 90 %, 95 %, 99 % or 99.9 % of the
good answers came, counted from when their request was due.

`service_p50`, `service_p95`, `service_p99`: the same of service times, from the first byte sent to the last
byte received. What a request waited before it could be sent is not in it.

`failed_p95`: the time within which 95 % of the requests that did not end well had ended, from when they were
due. Fast refusals and slow time-outs are different illnesses; this tells them apart.

`sessions_p95`: the time that 95 % of the sessions had taken that ended in the measured window, from the
arrival of their user to the last answer, think times included.

## Unit

s

## How it is computed

The generator's histograms of these times in the frames of the measured window are added up; the least time
that so many of them do not exceed is read from the sum, to three digits. Quantiles of parts are never
averaged. Failed requests are in `failed_p95` alone, requests that were never sent in none, logins only if
their route is named. There is no `sessions_p95` of a single route.

## Interval

95 %: between which shares of the times the true quantile lies, from resampled blocks of frames at
least twice the autocorrelation time long, never narrower than independent times would give; the
two shares are looked up in the same sum. With fewer than eight frames times count as independent,
and a warning says so.

## When it misleads

p50 says nothing of the slow half: a server that stalls for a second in every ten can keep its median.
In a closed model without think time it is the number of users over the throughput, by arithmetic.

A user who makes ten requests sees one slower than p90 in two visits of three. With a mix of fast and slow
routes p90 may lie in the gap between them, and jump when the mix shifts: name the route.

Near the server's capacity p95 measures the backlog and grows with the length of the run: compare
settings below about 0.8 of capacity, or compare their capacity.

It takes about 1,800 independent answers to know p99 to ±10 % and about 8,000 for p99.9, and answers of a
busy server are not independent: one stall puts many neighbours above the quantile. Below that number a
warning rides with it. Of fewer than 1,000 answers p99.9 is the slowest one under another name.

Service times leave out the wait for a free connection, which is the server's doing when the server is slow: a
stall holds back requests that then report only their own short time. Users feel p50, p95 and p99; the gap
between the two is the queue.

A mix of refusals (microseconds) and time-outs (seconds) has no typical value: see the outcomes beside
failed_p95.

In a window shorter than a session the short ones are over-represented in sessions_p95. Think times are the
users' own and may be most of it.
"""

from types import ModuleType
from typing import Any

from loadrig.base.estimate import Estimate
from loadrig.measures._quantile import quantile
from loadrig.recording.reader import Recording

VARIANTS = {
    "p50": {"QUANTILE": 0.5, "EQUAL_WITHIN": 0.05, "CLAIM": "times"},
    "p90": {"QUANTILE": 0.9, "EQUAL_WITHIN": 0.05, "CLAIM": "tails"},
    "p95": {"QUANTILE": 0.95, "EQUAL_WITHIN": 0.05, "CLAIM": "tails"},
    "p99": {"QUANTILE": 0.99, "EQUAL_WITHIN": 0.1, "CLAIM": "tails"},
    "p99.9": {"QUANTILE": 0.999, "EQUAL_WITHIN": 0.1, "CLAIM": "tails"},
    "service_p50": {"QUANTILE": 0.5, "EQUAL_WITHIN": 0.05, "CLAIM": "times"},
    "service_p95": {"QUANTILE": 0.95, "EQUAL_WITHIN": 0.05, "CLAIM": "tails"},
    "service_p99": {"QUANTILE": 0.99, "EQUAL_WITHIN": 0.1, "CLAIM": "tails"},
    "failed_p95": {"QUANTILE": 0.95, "EQUAL_WITHIN": 0.1, "CLAIM": "tails"},
    "sessions_p95": {"QUANTILE": 0.95, "EQUAL_WITHIN": 0.05, "CLAIM": "tails"},
}
UNIT = "s"
BETTER = "lower"

TIMES = {
    "": ("response", "ok", "answers"),
    "service": ("service", "ok", "answers"),
    "failed": ("response", "failed", "failures"),
    "sessions": ("session", "ok", "sessions"),
}
"""Kind of times, outcome, and what is counted, by what stands before the quantile in a name."""


def variant(name: str) -> ModuleType:
    """Return the measure of one quantile."""
    kind, outcome, counted = TIMES[name.rpartition("_")[0]]
    share: Any = VARIANTS[name]["QUANTILE"]

    def estimate(recording: Recording, *, route: str | None = None) -> Estimate | None:
        """Estimate the quantile, in seconds; None where nothing ended so, and of sessions for one route."""
        if kind == "session" and route is not None:
            return None
        return quantile(recording, share, name, route=route, kind=kind, outcome=outcome, counted=counted)

    measure = ModuleType(name, __doc__)
    vars(measure).update(VARIANTS[name], UNIT=UNIT, BETTER=BETTER, estimate=estimate)
    return measure
