"""The checks on the rig itself, one function each: G1 to G10, on the load that it made.

G7, on the gaps between requests, is in check_gaps; the checks on what was around the load are in
checks_around, the check on other loads in check_others, that on orders of a person in check_steered,
that on each generator of a fleet in check_fleet.
Thresholds stand beside their reason; those that a live view shares are in base.rig_limits.
Source: G8 Lancet's self-checks.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from loadrig.base.rig_limits import (
    BUSY,
    CEILING,
    DELAYED,
    GIVEN_UP_SHARE,
    UNSENT,
    USED_UP,
    graded,
    lag_limits,
)
from loadrig.base.units import show_duration, show_number, show_share
from loadrig.language.choice import texts_of
from loadrig.language.en.trial.checks import TrialChecksTexts
from loadrig.trial.check_fleet import g18_fleet
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
from loadrig.trial.reasons import NotApplicable, Reason, Remark, above

if TYPE_CHECKING:
    from loadrig.stats.arrays import Floats

TEXTS = texts_of(TrialChecksTexts)

__all__ = ["ALL", "NotApplicable", "Reason", "Remark"]

OPEN = ("rate", "sessions", "replay")
STILL_S, STILL_FRAMES = 0.1, 0.5
"""Delay of a frame, in seconds and in lengths of a frame, beyond both of which the generator stood still: far
above what a busy neighbour does to one frame."""

MORE_PORTS = TEXTS.more_ports
MORE_DESCRIPTORS = TEXTS.more_descriptors
DEDICATED = TEXTS.dedicated

BOOKS = (0.01, 0.03)
"""Shares by which the two sides of Little's law may differ: above the first times are doubted, above the
second nothing that the generator counted is believed. Both sides count the same requests, so only a fault of
ours parts them."""

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
        yield NotApplicable("G1", TEXTS.closed_model_nothing)
        return
    if run.due == 0:
        yield Reason("G1", "void", TEXTS.no_request_due, TEXTS.measure_longer)
        return
    missing = _left_out(run) / run.due
    if level := graded(missing, *UNSENT):
        text = TEXTS.requests_due_not(show_share(missing), f"{run.due:,}")
        text += f" ({above(level, *UNSENT)})"
        mend = TEXTS.allow_more_connections
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
    text = TEXTS.requests_not_sent(f"{run.unsent:,}", f"{run.due:,}", f"{run.open_most:,}")
    text += TEXTS.any_disturbs_rate
    return Reason("G1", "disturbed", text, TEXTS.ask_lower_rate, missing)


def g2_lag(run: ValidityEvidence) -> Iterator[Remark]:
    """Check how late the generator itself took requests up, against what it measures."""
    if run.lag.count == 0:
        yield NotApplicable("G2", TEXTS.no_request_sent)
        return
    lag_s = run.lag.quantile_ns(0.99) / 1e9
    p99_s = run.response.quantile_ns(0.99) / 1e9 if run.response.count else 0.0
    limits = lag_limits(p99_s)
    if level := graded(lag_s, *limits):
        text = TEXTS.generator_late_p99(show_duration(lag_s), show_duration(p99_s))
        text += f" ({above(level, *limits, show_duration)})"
        yield Reason("G2", level, text, TEXTS.give_generator_core, _lag_share(run))


def _lag_share(run: ValidityEvidence) -> float:
    """Return the share of the response times that was the generator's own lag.

    It is the larger of the shares at the median and at p99.
    """
    shares = (run.lag.quantile_ns(q) / run.response.quantile_ns(q) for q in (0.5, 0.99) if run.response.count)
    return min(1.0, max(shares, default=1.0))


def g3_busy(run: ValidityEvidence) -> Iterator[Remark]:
    """Check whether a generator thread was near the end of its core."""
    if run.second_busy.size == 0:
        yield NotApplicable("G3", TEXTS.no_frame_measured)
        return
    busiest = float(run.second_busy.max())
    if level := graded(busiest, *BUSY):
        text = TEXTS.busiest_generator_thread(show_share(busiest))
        text += f" ({above(level, *BUSY)})"
        yield Reason("G3", level, text, TEXTS.give_more_threads)


def g4_delayed(run: ValidityEvidence) -> Iterator[Remark]:
    """Check the time that the generator had work and could not run.

    It had no core, no quota, its time was stolen, or it was stopped.
    """
    if level := graded(run.run_delay_share, *DELAYED):
        text = TEXTS.generator_threads_waited(show_share(run.run_delay_share))
        text += f" ({above(level, *DELAYED)})"
        yield Reason("G4", level, text, TEXTS.stop_what_else, run.run_delay_share)
    if level := graded(run.host_stolen_share, *DELAYED):
        text = TEXTS.hypervisor_took_time(show_share(run.host_stolen_share))
        text += f" (steal; {above(level, *DELAYED)})"
        yield Reason("G4", level, text, DEDICATED, run.host_stolen_share)
    if run.witness is None:
        return
    throttled, stolen = run.witness.throttled_share, run.witness.stolen_share
    if level := graded(throttled, *DELAYED):
        group = run.witness.throttled_group
        text = TEXTS.cpu_quota_generator(show_share(throttled))
        text += f" ({above(level, *DELAYED)}): {group}"
        yield Reason("G4", level, text, TEXTS.raise_quota_or, throttled)
    if stolen > run.host_stolen_share and (level := graded(stolen, *DELAYED)):
        text = TEXTS.hypervisor_took_generator(show_share(stolen))
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
        often = "once" if stops == 1 else TEXTS.times(str(stops))
        text = TEXTS.generator_stopped_time(often, show_share(share))
        text += TEXTS.gravely_above(show_share(DELAYED[1]))
        mend = TEXTS.do_not_stop
        yield Reason("G4", "grave" if share > DELAYED[1] else "disturbed", text, mend, share)
        return
    limit_s = max(STILL_S, STILL_FRAMES * run.frame_s)
    if run.stood_still_s > limit_s and run.witness.throttled_share <= DELAYED[0]:
        still = show_duration(run.stood_still_s)
        text = TEXTS.generator_stood_still(still, show_duration(run.frame_s))
        text += TEXTS.disturbs_gravely_above(show_duration(limit_s))
        mend = TEXTS.look_what_pauses
        share = min(1.0, run.stood_still_s / run.seconds) if run.seconds else 1.0
        yield Reason("G4", "grave", text, mend, share)


def g5_capped(run: ValidityEvidence) -> Iterator[Remark]:
    """Check for arrivals that met the rig's own cap on connections."""
    if run.model not in OPEN:
        yield NotApplicable("G5", TEXTS.each_user_has)
        return
    if run.no_connection and run.open_most >= HELD_MOST:
        return  # check G1 says it
    if run.due and run.no_connection / run.due > GIVEN_UP_SHARE:
        text = TEXTS.arrivals_given_up(f"{run.no_connection:,}", f"{run.due:,}")
        text += TEXTS.disturbs_gravely_above_share
        yield Reason("G5", "grave", text, TEXTS.raise_connections_most, run.no_connection / run.due)
    elif run.capped:
        text = TEXTS.arrivals_waited_because(f"{run.capped:,}", f"{run.due:,}")
        text += TEXTS.any_disturbs
        yield Reason("G5", "disturbed", text, TEXTS.raise_connections)


def g6_resources(run: ValidityEvidence) -> Iterator[Remark]:
    """Check the local ports and descriptors of the generator."""
    out = ran_out(run.outcomes)
    yield from out.values()
    for used, limit, what, mend in (
        (run.ports_used, run.ports_range, TEXTS.local_ports, MORE_PORTS),
        (run.fds, run.fds_limit, TEXTS.file_descriptors, MORE_DESCRIPTORS),
    ):
        if limit and used / limit > USED_UP and what not in out:
            text = TEXTS.generator_used_disturbs(f"{used:,}", f"{limit:,}", what)
            yield Reason("G6", "disturbed", text, mend)


def ran_out(outcomes: Mapping[str, int]) -> dict[str, Reason]:
    """Return which resources the generator had no more of, by how its requests ended."""
    return {
        what: Reason(
            "G6",
            "grave",
            TEXTS.generator_ran_out(what, f"{outcomes[outcome]:,}"),
            mend,
        )
        for outcome, what, mend in (
            ("no_ports", TEXTS.local_ports, MORE_PORTS),
            ("no_descriptors", TEXTS.file_descriptors, MORE_DESCRIPTORS),
        )
        if outcomes.get(outcome)
    }


def g8_stationary(run: ValidityEvidence) -> Iterator[Remark]:
    """Check whether the measured window was stationary.

    Growth without end is the target's overload, not the rig's failure: the trial says something
    true (the rate is too high), but its latency depends on how long one looks: times and tails weaken.
    """
    if run.second_in_flight.size < SECONDS_ENOUGH:
        yield NotApplicable(
            "G8", TEXTS.s_measured_needed(str(run.second_in_flight.size), str(SECONDS_ENOUGH))
        )
        return
    if len(run.planned_levels) > 1:
        yield NotApplicable("G8", TEXTS.plan_itself_changes)
        return
    import numpy as np

    from loadrig.stats.trend import mann_kendall, may_rise_or_fall, sen_slope

    answered_share = run.completed / run.due if run.due else 1.0
    if run.model in OPEN and answered_share < KEEPS_UP and _grew(run.second_in_flight):
        slope = sen_slope(run.second_in_flight)
        text = TEXTS.requests_flight_grew(show_number(slope))
        yield Reason("G8", "disturbed", text, TEXTS.ask_lower_rate_before)
        return
    medians = run.second_p50_ms[np.isfinite(run.second_p50_ms)]
    for name, values in ((TEXTS.requests_flight, run.second_in_flight), ("p50", medians)):
        if values.size < SECONDS_ENOUGH or not np.median(values):
            continue
        change = sen_slope(values) * values.size / float(np.median(values))
        # With enough seconds any drift is significant; below 2 % it changes no verdict. The test is left out
        # where it could find nothing, as scipy.stats takes 70 MB and half a second.
        if abs(change) <= DRIFT_SHARE or not may_rise_or_fall(values):
            continue
        if (trend := mann_kendall(values)).p < SURE_P:
            text = TEXTS.drifted_while_measuring(name, f"{change:+.1%}", f"{trend.p:.2g}")
            text += TEXTS.disturbs_above_p
            yield Reason("G8", "disturbed", text, TEXTS.warm_up_longer)


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
        yield NotApplicable("G9", TEXTS.some_requests_never)
        return
    integrated, summed = run.little
    if summed <= 0:
        yield NotApplicable("G9", TEXTS.nothing_answered)
        return
    off = abs(integrated / summed - 1)
    if level := graded(off, *BOOKS):
        text = TEXTS.requests_flight_sum(show_share(off))
        is_void = level == "grave"
        text += TEXTS.void_above(show_share(BOOKS[1])) if is_void else f" ({above(level, *BOOKS)})"
        yield Reason("G9", "void" if is_void else level, text, TEXTS.fault_loadrig_please, off)


def g10_ceiling(run: ValidityEvidence) -> Iterator[Remark]:
    """Check the rate against the most that this generator can do on this machine."""
    if run.most_per_second is None:
        yield NotApplicable("G10", TEXTS.machine_not_calibrated)
        return
    if run.seconds <= 0:
        yield NotApplicable("G10", TEXTS.nothing_measured)
        return
    most = run.most_per_second * run.threads
    share = run.completed / run.seconds / most
    if level := graded(share, *CEILING):
        text = TEXTS.rate_s_generator(show_share(share), show_number(most))
        text += TEXTS.at_most(above(level, *CEILING))
        yield Reason("G10", level, text, TEXTS.give_more_threads)


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
    g18_fleet,
    clock_steps,
)
