"""The checks G1 to G12 on the rig itself: one function each, thresholds beside their reason.

Sources: G1 Nighthawk's send-rate threshold; G2 Treadmill (client-side queueing biases the tail);
G3 AWS Graviton runbook (below 50 % is a good target); G7, G8 Lancet's self-checks.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import stats as scipy_stats

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.stats.trend import mann_kendall
from loadrig.trial.evidence import Evidence

OPEN = ("rate", "sessions", "replay")
GAPS_ENOUGH = 500
GAPS_MOST = 5_000
SECONDS_ENOUGH = 10
"""Mann-Kendall cannot reach p < 0.01 in either direction on fewer than six readings; ten leave room."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that is wrong with a trial, or that its reader must know (a note)."""

    check: str
    level: Literal["note", "suspect", "void"]
    text: str
    mend: str = ""


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """A check that could not be applied to this trial, and why."""

    check: str
    why: str


Finding = Reason | NotApplicable


def _graded(value: float, suspect: float, void: float) -> Literal["suspect", "void"] | None:
    """The level that a value above one of two limits has."""
    if value > void:
        return "void"
    return "suspect" if value > suspect else None


def g1_sent(run: Evidence) -> Iterator[Finding]:
    """Requests sent of those due: a rig that cannot keep up with its own schedule."""
    if run.model not in OPEN:
        yield NotApplicable("G1", "in a closed model nothing is due before it can be sent")
        return
    if run.due == 0:
        yield Reason("G1", "void", "no request was due in the measured window", "measure longer")
        return
    missing = 1 - run.sent / run.due
    if level := _graded(missing, 0.005, 0.01):
        text = f"{show_share(missing)} of the {run.due:,} requests due were not sent"
        yield Reason("G1", level, text, "allow more connections, or ask for a lower rate")


def g2_lag(run: Evidence) -> Iterator[Finding]:
    """How late the generator itself took requests up, against what it measures."""
    if run.lag.count == 0:
        yield NotApplicable("G2", "no request was sent in the measured window")
        return
    lag_s = run.lag.quantile_ns(0.99) / 1e9
    p99_s = run.response.quantile_ns(0.99) / 1e9 if run.response.count else 0.0
    if level := _graded(lag_s, max(100e-6, 0.05 * p99_s), max(500e-6, 0.10 * p99_s)):
        text = f"the generator was {show_duration(lag_s)} late (p99), beside a p99 of {show_duration(p99_s)}"
        yield Reason("G2", level, text, "give the generator a core of its own, or a lower rate")


def g3_busy(run: Evidence) -> Iterator[Finding]:
    """Whether a generator thread was near the end of its core."""
    if run.second_busy.size == 0:
        yield NotApplicable("G3", "no frame in the measured window")
        return
    busiest = float(run.second_busy.max())
    if level := _graded(busiest, 0.50, 0.80):
        text = f"the busiest generator thread used {show_share(busiest)} of a core in its worst second"
        yield Reason("G3", level, text, "give it more threads (trial: {threads: 2}) or a lower rate")


def g4_delayed(run: Evidence) -> Iterator[Finding]:
    """Time that generator threads waited for a core while they had work."""
    if level := _graded(run.run_delay_share, 0.01, 0.05):
        text = f"generator threads waited for a core {show_share(run.run_delay_share)} of the time"
        yield Reason(
            "G4", level, text, "stop what else runs here, or keep the target off the generator's core"
        )


def g5_capped(run: Evidence) -> Iterator[Finding]:
    """Arrivals that met the rig's own cap on connections."""
    if run.model not in OPEN:
        yield NotApplicable("G5", "each user has a connection of its own")
        return
    if run.due and run.no_connection / run.due > 0.001:
        text = f"{run.no_connection:,} of {run.due:,} arrivals were given up: no connection was free"
        yield Reason("G5", "void", text, "raise connections: {most: …} or ask for a lower rate")
    elif run.capped:
        text = f"{run.capped:,} arrivals waited because every connection was in use"
        yield Reason("G5", "suspect", text, "raise connections: {most: …}")


def g6_resources(run: Evidence) -> Iterator[Finding]:
    """Local ports and descriptors of the generator."""
    for outcome, what in (("no_ports", "local ports"), ("no_descriptors", "file descriptors")):
        if run.outcomes[outcome]:
            text = f"the generator ran out of {what} {run.outcomes[outcome]:,} times"
            yield Reason("G6", "void", text, "keep connections alive, or use more source addresses")
    for used, limit, what in (
        (run.ports_used, run.ports_range, "local ports"),
        (run.fds, run.fds_limit, "file descriptors"),
    ):
        if limit and used / limit > 0.5:
            text = f"the generator used {used:,} of {limit:,} {what}"
            yield Reason("G6", "suspect", text, "keep connections alive, or use more source addresses")


def g7_gaps(run: Evidence) -> Iterator[Finding]:
    """Whether the gaps between requests follow the process that was asked for.

    Cramér-von Mises instead of Anderson-Darling: both weigh the whole distribution, and scipy gives
    it a p-value for a fully known one, which Anderson-Darling's tables stop short of at 1 %.
    """
    if run.model != "rate" or run.spacing != "poisson" or len(run.planned_levels) != 1:
        yield NotApplicable(
            "G7", "only Poisson arrivals at a constant rate have gaps of a known distribution"
        )
        return
    rate = run.planned_levels[0]
    if run.gaps_s.size < GAPS_ENOUGH or rate <= 0:
        yield NotApplicable("G7", f"{run.gaps_s.size} gaps were sampled; {GAPS_ENOUGH} are needed")
        return
    gaps = run.gaps_s[:: max(1, run.gaps_s.size // GAPS_MOST)][:GAPS_MOST]
    p = float(scipy_stats.cramervonmises(gaps, "expon", args=(0, 1 / rate)).pvalue)
    level: Literal["suspect", "void"] | None = "void" if p < 1e-4 else "suspect" if p < 0.01 else None
    if level:
        text = f"the gaps between requests are not exponential at {show_number(rate)}/s (p = {p:.2g})"
        yield Reason("G7", level, text, "give the generator a core of its own, or a lower rate")


def g8_stationary(run: Evidence) -> Iterator[Finding]:
    """Whether the measured window was of one piece.

    Growth without end is the target's overload, not the rig's failure: the trial says something
    true (the rate is too high), but its latency depends on how long one looks. Hence suspect.
    """
    if run.second_in_flight.size < SECONDS_ENOUGH:
        yield NotApplicable("G8", f"{run.second_in_flight.size} s were measured; {SECONDS_ENOUGH} are needed")
        return
    if len(run.planned_levels) > 1:
        yield NotApplicable("G8", "the plan itself changes the load")
        return
    in_flight = mann_kendall(run.second_in_flight)
    answered_share = run.completed / run.due if run.due else 1.0
    if run.model in OPEN and in_flight.p < 0.01 and in_flight.slope > 0 and answered_share < 0.99:
        text = (
            f"requests in flight grew by {show_number(in_flight.slope)} a second to the end: the rate is"
            " above what the target can do, and latency grows with the length of the test"
        )
        yield Reason("G8", "suspect", text, "ask for a lower rate before reading the latency")
        return
    known = run.second_p50_ms[np.isfinite(run.second_p50_ms)]
    for name, values in (("requests in flight", run.second_in_flight), ("p50", known)):
        if values.size >= SECONDS_ENOUGH and (trend := mann_kendall(values)).p < 0.01:
            change = trend.slope * values.size / float(np.median(values)) if np.median(values) else 0.0
            # With enough seconds any drift is significant; below 2 % it changes no verdict.
            if abs(change) > 0.02:
                text = f"{name} drifted by {change:+.1%} while measuring (Mann-Kendall p = {trend.p:.2g})"
                yield Reason("G8", "suspect", text, "warm up longer")


def g9_little(run: Evidence) -> Iterator[Finding]:
    """Little's law as a check of our own accounting: both sides are counted independently."""
    if run.little is None:
        yield NotApplicable("G9", "some requests were never sent, so not every one has a response to sum")
        return
    integrated, summed = run.little
    if summed <= 0:
        yield NotApplicable("G9", "nothing was answered")
        return
    off = abs(integrated / summed - 1)
    if level := _graded(off, 0.01, 0.03):
        text = f"requests in flight and the sum of responses disagree by {show_share(off)}"
        yield Reason("G9", level, text, "this is a fault of loadrig: please send the run folder")


def g10_ceiling(run: Evidence) -> Iterator[Finding]:
    """The rate against what this generator can do at most on this machine."""
    if run.most_per_second is None:
        yield NotApplicable("G10", "this machine was not calibrated: loadrig doctor --calibrate")
        return
    if run.seconds <= 0:
        yield NotApplicable("G10", "nothing was measured")
        return
    share = run.completed / run.seconds / (run.most_per_second * run.threads)
    if level := _graded(share, 0.50, 0.80):
        text = f"the rate is {show_share(share)} of the most that the generator can do on this machine"
        yield Reason("G10", level, text, "give it more threads (trial: {threads: 2}) or a lower rate")


def g11_reuse(run: Evidence) -> Iterator[Finding]:
    """Connections opened a request, against the keep-alive that was asked for."""
    if run.sent < 10:
        yield NotApplicable("G11", "fewer than ten requests were sent")
        return
    per_request = run.opened / run.sent
    if run.keep_alive and per_request > 0.05:
        text = f"the server closes connections: {show_number(per_request)} opened for each request"
        yield Reason(
            "G11", "note", text, "keep-alive was asked for; see the server's worker class or settings"
        )
    if not run.keep_alive and per_request < 0.95:
        text = f"only {show_number(per_request)} connections a request were opened, though each should be new"
        yield Reason("G11", "suspect", text, "this is a fault of loadrig: please send the run folder")


def g12_checked(run: Evidence) -> Iterator[Finding]:
    """Whether answers were looked at: a fast error page is not a fast server."""
    if not run.checks_body:
        yield Reason("G12", "note", "answers were checked by status only", "add `expect:` to the requests")


ALL: tuple[Callable[[Evidence], Iterator[Finding]], ...] = (
    g1_sent,
    g2_lag,
    g3_busy,
    g4_delayed,
    g5_capped,
    g6_resources,
    g7_gaps,
    g8_stationary,
    g9_little,
    g10_ceiling,
    g11_reuse,
    g12_checked,
)
