"""The checks on the rig itself, one function each: G1 to G10, on the load that it made.

G7, on the gaps between requests, is in check_gaps; the checks on what was around the load are in
checks_around, the check on other loads in check_others, that on orders of a person in check_steered.
Thresholds stand beside their reason.
Sources: G1 Nighthawk's send-rate threshold; G2 Treadmill (client-side queueing biases the tail); G3 AWS
Graviton runbook (below 50 % is a good target); G8 Lancet's self-checks.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.trial.check_gaps import HELD_MOST, g7_gaps
from loadrig.trial.check_others import g16_others
from loadrig.trial.check_steered import g17_steered
from loadrig.trial.checks_around import (
    clock_steps,
    g11_reuse,
    g12_checked,
    g13_split,
    g14_shared_core,
    g15_core_speed,
)
from loadrig.trial.evidence import ValidityEvidence
from loadrig.trial.reasons import NotApplicable, Reason, Remark, above, graded

if TYPE_CHECKING:
    from loadrig.stats.arrays import Floats

__all__ = ["ALL", "NotApplicable", "Reason", "Remark"]

OPEN = ("rate", "sessions", "replay")
DELAYED = (0.01, 0.05)
"""Shares of the time, 0 to 1, for each cause of standing still: above the first G4 says that a trial was
disturbed, above the second gravely. Times of equal trials differ by 1 %; 5 % is the margin within which tails
count as equal."""

STILL_S, STILL_FRAMES = 0.1, 0.5
"""Delay of a frame, in seconds and in lengths of a frame, beyond both of which the generator stood still: far
above what a busy neighbour does to one frame."""

MORE_PORTS = "keep connections alive, or use more source addresses (connections: {from_addresses: […]})"
MORE_DESCRIPTORS = "raise the limit (ulimit -Hn), or use fewer connections"
DEDICATED = "use a host that is less shared, or a dedicated one"

BOOKS = (0.01, 0.03)
"""Shares by which the two sides of Little's law may differ: above the first times are doubted, above the
second nothing that the generator counted is believed. Both sides count the same requests, so only a fault of
ours parts them."""

GIVEN_UP_SHARE = 0.001
"""Share of the arrivals that found no free connection, above which the load was another one."""

KEEPS_UP = 0.99
"""Share of the requests due that were answered, below which the target may not have kept up."""

DRIFT_SHARE = 0.02
"""Drift as a share of the median up to which no verdict changes."""

SURE_P = 0.01
"""p below which requests in flight, or medians, surely rose or fell."""

SECONDS_ENOUGH = 10
"""Least number of seconds for Mann-Kendall: it cannot reach p < 0.01 in either direction on fewer than six
readings; ten leave room."""


def g1_sent(run: ValidityEvidence) -> Iterator[Remark]:
    """Check the requests sent of those due: whether the rig kept up with its own schedule."""
    if run.model not in OPEN:
        yield NotApplicable("G1", "in a closed model nothing is due before it can be sent")
        return
    if run.due == 0:
        yield Reason("G1", "void", "no request was due in the measured window", "measure longer")
        return
    missing = _left_out(run) / run.due
    if level := graded(missing, 0.005, 0.01):
        text = f"{show_share(missing)} of the {run.due:,} requests due were not sent"
        text += f" ({above(level, 0.005, 0.01)})"
        mend = "allow more connections, or ask for a lower rate"
        yield _by_the_target(run, missing) or Reason("G1", level, text, mend, missing)


def _left_out(run: ValidityEvidence) -> int:
    """Return how many requests the rig did not send.

    They were given up, or timed out while our cap on connections held them. A request whose connection the
    target did not accept in time has failed by the target, and does not count.
    """
    return run.unsent + min(max(0, run.due - run.sent - run.unsent), run.capped)


def _by_the_target(run: ValidityEvidence, missing: float) -> Reason | None:
    """Yield the note that the target held more connections than a tight cap of ours.

    The overload is then the target's own, not the rig's.
    """
    if run.open_most < HELD_MOST:
        return None
    text = (
        f"{run.unsent:,} of {run.due:,} requests were not sent: the target held {run.open_most:,} connections"
    )
    text += " (any disturbs); the rate is above what it can do"
    mend = "ask for a lower rate to see latencies that mean something"
    return Reason("G1", "disturbed", text, mend, missing)


def g2_lag(run: ValidityEvidence) -> Iterator[Remark]:
    """Check how late the generator itself took requests up, against what it measures."""
    if run.lag.count == 0:
        yield NotApplicable("G2", "no request was sent in the measured window")
        return
    lag_s = run.lag.quantile_ns(0.99) / 1e9
    p99_s = run.response.quantile_ns(0.99) / 1e9 if run.response.count else 0.0
    limits = max(100e-6, 0.05 * p99_s), max(500e-6, 0.10 * p99_s)
    if level := graded(lag_s, *limits):
        text = f"the generator was {show_duration(lag_s)} late (p99), beside a p99 of {show_duration(p99_s)}"
        text += f" ({above(level, *limits, show_duration)})"
        mend = "give the generator a core of its own, or a lower rate"
        yield Reason("G2", level, text, mend, _lag_share(run))


def _lag_share(run: ValidityEvidence) -> float:
    """Return the share of the response times that was the generator's own lag.

    It is the larger of the shares at the median and at p99.
    """
    shares = (run.lag.quantile_ns(q) / run.response.quantile_ns(q) for q in (0.5, 0.99) if run.response.count)
    return min(1.0, max(shares, default=1.0))


def g3_busy(run: ValidityEvidence) -> Iterator[Remark]:
    """Check whether a generator thread was near the end of its core."""
    if run.second_busy.size == 0:
        yield NotApplicable("G3", "no frame in the measured window")
        return
    busiest = float(run.second_busy.max())
    if level := graded(busiest, 0.50, 0.80):
        text = f"the busiest generator thread used {show_share(busiest)} of a core in its worst second"
        text += f" ({above(level, 0.50, 0.80)})"
        yield Reason("G3", level, text, "give it more threads (trial: {threads: 2}) or a lower rate")


def g4_delayed(run: ValidityEvidence) -> Iterator[Remark]:
    """Check the time that the generator had work and could not run.

    It had no core, no quota, its time was stolen, or it was stopped.
    """
    if level := graded(run.run_delay_share, *DELAYED):
        text = f"generator threads waited for a core {show_share(run.run_delay_share)} of the time"
        text += f" ({above(level, *DELAYED)})"
        mend = "stop what else runs here, or keep the target off the generator's core"
        yield Reason("G4", level, text, mend, run.run_delay_share)
    if level := graded(run.host_stolen_share, *DELAYED):
        text = f"the hypervisor took {show_share(run.host_stolen_share)} of the time of this machine's cores"
        text += f" (steal; {above(level, *DELAYED)})"
        yield Reason("G4", level, text, DEDICATED, run.host_stolen_share)
    if run.witness is None:
        return
    throttled, stolen = run.witness.throttled_share, run.witness.stolen_share
    if level := graded(throttled, *DELAYED):
        group = run.witness.throttled_group
        text = f"the CPU quota of the generator's own group held it up {show_share(throttled)} of the time"
        text += f" ({above(level, *DELAYED)}): {group}"
        yield Reason("G4", level, text, "raise that quota, or run loadrig outside of the group", throttled)
    if stolen > run.host_stolen_share and (level := graded(stolen, *DELAYED)):
        text = f"the hypervisor took the generator's core away {show_share(stolen)} of the time (steal;"
        text += f" {above(level, *DELAYED)})"
        yield Reason("G4", level, text, DEDICATED, stolen)
    yield from _stopped(run)


def _stopped(run: ValidityEvidence) -> Iterator[Remark]:
    """Check whether the generator stood still, and so measured its own absence.

    In a closed load nothing else tells of it.
    """
    assert run.witness is not None
    if stops := run.witness.stops:
        share = run.witness.stopped_share
        often = "once" if stops == 1 else f"{stops} times"
        text = f"the generator was stopped {often}, {show_share(share)} of the time (any disturbs,"
        text += f" gravely above {show_share(DELAYED[1])})"
        mend = "do not stop it (SIGSTOP, Ctrl-Z, a debugger) while it measures; run the trial again"
        yield Reason("G4", "grave" if share > DELAYED[1] else "disturbed", text, mend, share)
        return
    limit_s = max(STILL_S, STILL_FRAMES * run.frame_s)
    if run.stood_still_s > limit_s and run.witness.throttled_share <= DELAYED[0]:
        still = show_duration(run.stood_still_s)
        text = f"the generator stood still for {still}: a frame of {show_duration(run.frame_s)} came so late"
        text += f" (disturbs gravely above {show_duration(limit_s)})"
        mend = "look for what pauses it: a frozen group (docker pause), a suspended virtual machine, swapping"
        share = min(1.0, run.stood_still_s / run.seconds) if run.seconds else 1.0
        yield Reason("G4", "grave", text, mend, share)


def g5_capped(run: ValidityEvidence) -> Iterator[Remark]:
    """Check for arrivals that met the rig's own cap on connections."""
    if run.model not in OPEN:
        yield NotApplicable("G5", "each user has a connection of its own")
        return
    if run.no_connection and run.open_most >= HELD_MOST:
        return  # check G1 says it
    if run.due and run.no_connection / run.due > GIVEN_UP_SHARE:
        text = f"{run.no_connection:,} of {run.due:,} arrivals were given up: no connection was free"
        text += " (disturbs gravely above 0.1 %)"
        mend = "raise connections: {most: …} or ask for a lower rate"
        yield Reason("G5", "grave", text, mend, run.no_connection / run.due)
    elif run.capped:
        text = f"{run.capped:,} of {run.due:,} arrivals waited because every connection was in use"
        text += " (any disturbs)"
        yield Reason("G5", "disturbed", text, "raise connections: {most: …}")


def g6_resources(run: ValidityEvidence) -> Iterator[Remark]:
    """Check the local ports and descriptors of the generator."""
    out = ran_out(run.outcomes)
    yield from out.values()
    for used, limit, what, mend in (
        (run.ports_used, run.ports_range, "local ports", MORE_PORTS),
        (run.fds, run.fds_limit, "file descriptors", MORE_DESCRIPTORS),
    ):
        if limit and used / limit > 0.5 and what not in out:
            text = f"the generator used {used:,} of {limit:,} {what} (disturbs above half)"
            yield Reason("G6", "disturbed", text, mend)


def ran_out(outcomes: Mapping[str, int]) -> dict[str, Reason]:
    """Return which resources the generator had no more of, by how its requests ended."""
    return {
        what: Reason(
            "G6",
            "grave",
            f"the generator ran out of {what} {outcomes[outcome]:,} times (any disturbs gravely)",
            mend,
        )
        for outcome, what, mend in (
            ("no_ports", "local ports", MORE_PORTS),
            ("no_descriptors", "file descriptors", MORE_DESCRIPTORS),
        )
        if outcomes.get(outcome)
    }


def g8_stationary(run: ValidityEvidence) -> Iterator[Remark]:
    """Check whether the measured window was stationary.

    Growth without end is the target's overload, not the rig's failure: the trial says something
    true (the rate is too high), but its latency depends on how long one looks: times and tails weaken.
    """
    if run.second_in_flight.size < SECONDS_ENOUGH:
        yield NotApplicable("G8", f"{run.second_in_flight.size} s were measured; {SECONDS_ENOUGH} are needed")
        return
    if len(run.planned_levels) > 1:
        yield NotApplicable("G8", "the plan itself changes the load")
        return
    import numpy as np

    from loadrig.stats.trend import mann_kendall, may_rise_or_fall, sen_slope

    answered_share = run.completed / run.due if run.due else 1.0
    if run.model in OPEN and answered_share < KEEPS_UP and _grew(run.second_in_flight):
        slope = sen_slope(run.second_in_flight)
        text = (
            f"requests in flight grew by {show_number(slope)} a second to the end: the rate is"
            " above what the target can do, and latency grows with the length of the test"
        )
        yield Reason("G8", "disturbed", text, "ask for a lower rate before reading the latency")
        return
    medians = run.second_p50_ms[np.isfinite(run.second_p50_ms)]
    for name, values in (("requests in flight", run.second_in_flight), ("p50", medians)):
        if values.size < SECONDS_ENOUGH or not np.median(values):
            continue
        change = sen_slope(values) * values.size / float(np.median(values))
        # With enough seconds any drift is significant; below 2 % it changes no verdict. The test is left out
        # where it could find nothing, as scipy.stats takes 70 MB and half a second.
        if abs(change) <= DRIFT_SHARE or not may_rise_or_fall(values):
            continue
        if (trend := mann_kendall(values)).p < SURE_P:
            text = f"{name} drifted by {change:+.1%} while measuring (Mann-Kendall p = {trend.p:.2g};"
            text += " disturbs above 2 % with p below 0.01)"
            yield Reason("G8", "disturbed", text, "warm up longer")


def _grew(in_flight: "Floats") -> bool:
    """Return whether requests in flight grew to the end, by more than chance makes them grow."""
    from loadrig.stats.trend import climbs, mann_kendall

    if climbs(in_flight) < SURE_P:
        return True
    trend = mann_kendall(in_flight)
    return trend.p < SURE_P and trend.slope > 0


def g9_little(run: ValidityEvidence) -> Iterator[Remark]:
    """Check our own accounting by Little's law: both sides are counted independently."""
    if run.little is None:
        yield NotApplicable("G9", "some requests were never sent, so not every one has a response to sum")
        return
    integrated, summed = run.little
    if summed <= 0:
        yield NotApplicable("G9", "nothing was answered")
        return
    off = abs(integrated / summed - 1)
    if level := graded(off, *BOOKS):
        text = f"requests in flight and the sum of responses disagree by {show_share(off)}"
        is_void = level == "grave"
        text += f" (void above {show_share(BOOKS[1])})" if is_void else f" ({above(level, *BOOKS)})"
        mend = "this is a fault of loadrig: please send the run folder"
        yield Reason("G9", "void" if is_void else level, text, mend, off)


def g10_ceiling(run: ValidityEvidence) -> Iterator[Remark]:
    """Check the rate against the most that this generator can do on this machine."""
    if run.most_per_second is None:
        yield NotApplicable("G10", "this machine was not calibrated: loadrig doctor --calibrate")
        return
    if run.seconds <= 0:
        yield NotApplicable("G10", "nothing was measured")
        return
    most = run.most_per_second * run.threads
    share = run.completed / run.seconds / most
    if level := graded(share, 0.50, 0.80):
        text = (
            f"the rate is {show_share(share)} of the {show_number(most)}/s that the generator can make here"
        )
        text += f" at most ({above(level, 0.50, 0.80)})"
        yield Reason("G10", level, text, "give it more threads (trial: {threads: 2}) or a lower rate")


ALL: tuple[Callable[[ValidityEvidence], Iterator[Remark]], ...] = (
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
    g13_split,
    g14_shared_core,
    g15_core_speed,
    g16_others,
    g17_steered,
    clock_steps,
)
