"""The checks on what was around a load: G11 to G15, and the wall clock.

How connections were kept, whether answers were the ones asked for, whether the generator agrees with
two of its kind, whether it ran on the server's core, how even that core's speed was. Sources: G13
Treadmill's several clients; G14 arXiv 2410.11554 (where the client runs changes the trend of conclusions).
"""

from collections.abc import Iterator, Mapping

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.trial.evidence import ValidityEvidence
from loadrig.trial.reasons import NotApplicable, Reason, Remark, above, graded
from loadrig.trial.split import DISTURBED_SHARE as SPLIT_DISTURBED
from loadrig.trial.split import GRAVE_SHARE as SPLIT_GRAVE

UNFORESEEN_SHARE = 0.05
"""Share of the answers, 0 to 1. With more answers of a kind that the plan did not ask for, the figures are of
something else."""

NOT_THE_SERVERS = ("ok", "no_ports", "no_descriptors")
"""Outcomes that are good, or lack a resource of ours, which check G6 reports."""

OPENED_AGAIN = 0.05
"""Share of the requests that needed a connection of their own in spite of keep-alive, which disturbs."""

OPENED_EACH = 0.95
"""Connections to a request where each was to have its own, below which not all had."""

BEYOND_SPLIT = 1.05
"""Factor of the rate up to which one generator was compared with two, within which that comparison holds."""

READINGS_ENOUGH, UNEVEN = 8, 1.25
"""Least number of readings, and ratio of slow to fast from which on cores count as uneven: on a machine
without neighbours the same work takes the same time within some percent, second by second."""

CLOCK_STEP_S, CLOCK_DRIFT = 0.1, 0.001
"""Change of the wall clock, in seconds and as a share of the time, beyond which somebody set it: NTP slews a
clock by at most 500 ppm; twice that, and a tenth of a second, is a step."""


def g11_reuse(run: ValidityEvidence) -> Iterator[Remark]:
    """Check the connections opened per request, against the keep-alive that was asked for.

    It is judged by what happened, never by a header or a setting: headers and settings can be misspelt or
    ignored.
    """
    if run.sent < 10:
        yield NotApplicable("G11", "fewer than ten requests were sent")
        return
    if run.has_websockets or run.model == "sessions":
        yield NotApplicable("G11", "each visitor opens a connection of its own, as it should")
        return
    per_request = run.opened / run.sent
    # A connection is opened for its first request, and after a failure, which ends the connection.
    needed = run.open_most + run.completed - run.answered
    if run.keep_alive and run.opened - needed > OPENED_AGAIN * run.sent:
        text = (
            f"keep-alive was asked for, and {show_share(min(1.0, per_request))} of the requests needed a new"
        )
        text += " connection (disturbs above 5 %): the server closes them"
        mend = (
            "see the server's keep-alive or its worker class; or measure new connections: keep_alive: false"
        )
        yield Reason("G11", "disturbed", text, mend)
    if not run.keep_alive and per_request < OPENED_EACH:
        text = f"only {show_share(per_request)} of the requests had a new connection, though each was to have"
        text += " one (disturbs below 95 %)"
        yield Reason("G11", "disturbed", text, "this is a fault of loadrig: please send the run folder")


def g12_checked(run: ValidityEvidence) -> Iterator[Remark]:
    """Check whether answers were as asked for, and looked at: a fast error is not a fast server."""
    yield from wrong_answers(run.outcomes, "see the examples; the latency shown is of good answers only")
    redirects = sum(run.unforeseen.values())
    if run.answered and redirects / run.answered > UNFORESEEN_SHARE:
        seen = ", ".join(f"{n:,} x {status}" for status, n in run.unforeseen.items())
        text = (
            f"{show_share(redirects / run.answered)} of the answers were redirects ({seen}) that no `expect:`"
        )
        text += f" names (disturbs above {show_share(UNFORESEEN_SHARE)}): the page itself was not asked for"
        yield Reason(
            "G12", "disturbed", text, "follow_redirects: 1, or `expect: {status: 302}` if they are meant"
        )
    if run.empty_routes:
        text = (
            f"every answer of {', '.join(run.empty_routes)} was empty (disturbs where no check looks at it)"
        )
        mend = "say what is right: `expect: {contains: …}`, or `expect: {status: 200}` if it is to be empty"
        yield Reason("G12", "disturbed", text, mend)
    if not run.checks_body:
        yield Reason("G12", "note", "answers were checked by status only", "add `expect:` to the requests")


def wrong_answers(outcomes: Mapping[str, int], mend: str) -> Iterator[Reason]:
    """Check whether more requests failed than may fail: requests of all classes by outcome."""
    ended = sum(outcomes.values())
    bad = {outcome: n for outcome, n in outcomes.items() if n and outcome not in NOT_THE_SERVERS}
    wrong = sum(bad.values()) / ended if ended else 0.0
    if wrong > UNFORESEEN_SHARE:
        worst = max(bad, key=lambda outcome: bad[outcome])
        text = f"{show_share(wrong)} of the requests did not get the answer asked for, most of them {worst}"
        text += f" (disturbs above {show_share(UNFORESEEN_SHARE)}): a fast error is not a fast server"
        yield Reason("G12", "disturbed", text, mend)


def g13_split(run: ValidityEvidence) -> Iterator[Remark]:
    """Check whether one generator and two that share its load measure the same; see trial.split."""
    if run.split is None:
        yield NotApplicable("G13", "not compared on this machine: loadrig doctor --calibrate")
        return
    split, rate = run.split, run.completed / run.seconds if run.seconds > 0 else 0.0
    if split.level == "undecided":
        yield NotApplicable("G13", split.why_undecided)
    elif split.level != "agree":
        what = "its rate" if split.rate_level == split.level else "its p99"
        apart = split.rate if split.rate_level == split.level else split.p99
        text = f"on this machine one generator differs from two that share its load: {what} by {apart:+.1%}"
        text += f" ({above(split.level, SPLIT_DISTURBED, SPLIT_GRAVE)}), at {show_number(split.per_second)}/s"
        mend = "find what hinders it (loadrig doctor), calibrate again, or use two machines"
        yield Reason("G13", split.level, text, mend, min(1.0, abs(apart)))
    elif not run.is_plain or run.threads != 1:
        yield NotApplicable("G13", "only one thread with plain HTTP/1.1 was compared on this machine")
    elif rate > BEYOND_SPLIT * split.per_second:
        compared, had = show_number(split.per_second), show_number(rate)
        yield NotApplicable("G13", f"compared on this machine up to {compared}/s; this trial made {had}/s")


def g14_shared_core(run: ValidityEvidence) -> Iterator[Remark]:
    """Check how much the generator used of the core where the server's busiest thread ran."""
    seen = run.witness.shared_core if run.witness else None
    if seen is None:
        yield NotApplicable("G14", "nobody watched where the generator and the server ran")
        return
    if seen.unknown:
        yield NotApplicable("G14", seen.unknown)
        return
    if level := graded(seen.share, 0.02, 0.10):
        text = f"the generator used {show_share(seen.share)} of core {seen.core}, where the server's"
        text += f" busiest thread ran ({seen.thread}, process {seen.pid}; {above(level, 0.02, 0.10)}"
        text += ")" if seen.how == "held" else f"; seen in {seen.looks} looks)"
        mend = "hold them on cores of their own: trial: {cpus: [0]}, and the server on the others (taskset)"
        yield Reason("G14", level, text, mend, seen.share)


def g15_core_speed(run: ValidityEvidence) -> Iterator[Remark]:
    """Check whether the server's cores were equally fast all the time.

    It gives a note: a neighbour is nobody's fault.
    """
    work_s = run.core_work_s
    if work_s.size < READINGS_ENOUGH:
        yield NotApplicable(
            "G15", f"the speed of the cores was read {work_s.size} times; {READINGS_ENOUGH} are needed"
        )
        return
    import numpy as np

    # The mean of three readings in a row: a single reading may have met an interrupt.
    smooth = np.convolve(work_s, np.full(3, 1 / 3), mode="valid")
    fast, slow = (float(quantile) for quantile in np.quantile(smooth, (0.1, 0.9)))
    if slow >= UNEVEN * fast:
        text = (
            f"the server's cores were not equally fast: the same piece of work took {show_duration(fast)} to"
            f" {show_duration(slow)} of CPU time (noted from {UNEVEN:g} times on); a neighbour on their"
            " physical cores or heat does that, and rates and latencies moved with it"
        )
        mend = "compare only what ran in turns with this (A B A B ...), or use a host whose cores are its own"
        yield Reason("G15", "note", text, mend)


def clock_steps(run: ValidityEvidence) -> Iterator[Remark]:
    """Check whether somebody set the wall clock. No figure of the rig uses it; the server may use it."""
    if run.witness is None:
        return
    step_s, limit_s = run.witness.clock_step_s, CLOCK_STEP_S + CLOCK_DRIFT * run.witness.watched_s
    if abs(step_s) > limit_s:
        text = f"the wall clock was set {'forward' if step_s > 0 else 'back'} by {show_duration(abs(step_s))}"
        text += (
            f" during the load (disturbs above {show_duration(limit_s)}); no figure here uses it, but tokens,"
        )
        text += " caches and logs of the server do"
        yield Reason("clock", "disturbed", text, "stop what sets the clock (NTP at boot), then run it again")
