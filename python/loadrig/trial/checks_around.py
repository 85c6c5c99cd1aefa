"""The checks on what was around a load: G11 to G15, and the wall clock.

How connections were kept, whether answers were the ones asked for, whether the generator agrees with
two of its kind, whether it ran on the server's core, how even that core's speed was. Sources: G13
Treadmill's several clients; G14 arXiv 2410.11554 (where the client runs changes the trend of conclusions).
"""

from collections.abc import Iterator, Mapping

from loadrig.base.rig_limits import graded
from loadrig.base.units import show_duration, show_number, show_share
from loadrig.language.choice import texts_of
from loadrig.language.en.trial.checks import TrialChecksAroundTexts
from loadrig.trial.evidence import ValidityEvidence
from loadrig.trial.reasons import NotApplicable, Reason, Remark, above
from loadrig.trial.split import DISTURBED_SHARE as SPLIT_DISTURBED
from loadrig.trial.split import GRAVE_SHARE as SPLIT_GRAVE

TEXTS = texts_of(TrialChecksAroundTexts)

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
        yield NotApplicable("G11", TEXTS.fewer_than_ten)
        return
    if run.has_websockets or run.model == "sessions":
        yield NotApplicable("G11", TEXTS.each_visitor_opens)
        return
    per_request = run.opened / run.sent
    # A connection is opened for its first request, and after a failure, which ends the connection.
    needed = run.open_most + run.completed - run.answered
    if run.keep_alive and run.opened - needed > OPENED_AGAIN * run.sent:
        text = TEXTS.keep_alive_asked(show_share(min(1.0, per_request)))
        text += TEXTS.connection_disturbs_above
        yield Reason("G11", "disturbed", text, TEXTS.see_server_keep)
    if not run.keep_alive and per_request < OPENED_EACH:
        text = TEXTS.only_requests_had(show_share(per_request))
        text += TEXTS.disturbs_below
        yield Reason("G11", "disturbed", text, TEXTS.fault_loadrig_please)


def g12_checked(run: ValidityEvidence) -> Iterator[Remark]:
    """Check whether answers were as asked for, and looked at: a fast error is not a fast server."""
    yield from wrong_answers(run.outcomes, TEXTS.see_examples_latency)
    redirects = sum(run.unforeseen.values())
    if run.answered and redirects / run.answered > UNFORESEEN_SHARE:
        statuses = ", ".join(f"{n:,} x {status}" for status, n in run.unforeseen.items())
        text = TEXTS.answers_redirects_no(show_share(redirects / run.answered), statuses)
        text += TEXTS.names_disturbs_above(show_share(UNFORESEEN_SHARE))
        yield Reason("G12", "disturbed", text, TEXTS.follow_redirects_or)
    if run.empty_routes:
        text = TEXTS.every_answer_empty(", ".join(run.empty_routes))
        yield Reason("G12", "disturbed", text, TEXTS.say_what_right)
    if not run.checks_body:
        yield Reason("G12", "note", TEXTS.answers_checked_status, TEXTS.add_expect_requests)


def wrong_answers(outcomes: Mapping[str, int], mend: str) -> Iterator[Reason]:
    """Check whether more requests failed than may fail: requests of all classes by outcome."""
    ended = sum(outcomes.values())
    bad = {outcome: n for outcome, n in outcomes.items() if n and outcome not in NOT_THE_SERVERS}
    wrong = sum(bad.values()) / ended if ended else 0.0
    if wrong > UNFORESEEN_SHARE:
        worst = max(bad, key=lambda outcome: bad[outcome])
        text = TEXTS.requests_did_not(show_share(wrong), worst)
        text += TEXTS.disturbs_above_fast(show_share(UNFORESEEN_SHARE))
        yield Reason("G12", "disturbed", text, mend)


def g13_split(run: ValidityEvidence) -> Iterator[Remark]:
    """Check whether one generator and two that share its load measure the same; see trial.split."""
    if run.split is None:
        yield NotApplicable("G13", TEXTS.not_compared_machine)
        return
    split, rate = run.split, run.completed / run.seconds if run.seconds > 0 else 0.0
    if split.level == "undecided":
        yield NotApplicable("G13", split.why_undecided)
    elif split.level != "agree":
        what = TEXTS.its_rate if split.rate_level == split.level else TEXTS.its_p99
        apart = split.rate if split.rate_level == split.level else split.p99
        text = TEXTS.machine_generator_differs(what, f"{apart:+.1%}")
        text += TEXTS.at_s(above(split.level, SPLIT_DISTURBED, SPLIT_GRAVE), show_number(split.per_second))
        yield Reason("G13", split.level, text, TEXTS.find_what_hinders, min(1.0, abs(apart)))
    elif not run.is_plain or run.threads != 1:
        yield NotApplicable("G13", TEXTS.only_thread_plain)
    elif rate > BEYOND_SPLIT * split.per_second:
        compared, own_rate_text = show_number(split.per_second), show_number(rate)
        yield NotApplicable("G13", TEXTS.compared_machine_up(compared, own_rate_text))


def g14_shared_core(run: ValidityEvidence) -> Iterator[Remark]:
    """Check how much the generator used of the core where the server's busiest thread ran."""
    core = run.witness.shared_core if run.witness else None
    if core is None:
        yield NotApplicable("G14", TEXTS.nobody_watched_where)
        return
    if core.unknown:
        yield NotApplicable("G14", core.unknown)
        return
    if level := graded(core.share, 0.02, 0.10):
        text = TEXTS.generator_used_core(show_share(core.share), str(core.core))
        text += TEXTS.busiest_thread_ran(core.thread, str(core.pid), above(level, 0.02, 0.10))
        text += ")" if core.how == "held" else TEXTS.seen_looks(str(core.looks))
        yield Reason("G14", level, text, TEXTS.hold_them_cores, core.share)


def g15_core_speed(run: ValidityEvidence) -> Iterator[Remark]:
    """Check whether the server's cores were equally fast all the time.

    It gives a note: a neighbour is nobody's fault.
    """
    work_s = run.core_work_s
    if work_s.size < READINGS_ENOUGH:
        yield NotApplicable("G15", TEXTS.speed_cores_read(str(work_s.size), str(READINGS_ENOUGH)))
        return
    import numpy as np

    # The mean of three readings in a row: a single reading may have met an interrupt.
    smooth = np.convolve(work_s, np.full(3, 1 / 3), mode="valid")
    fast, slow = (float(quantile) for quantile in np.quantile(smooth, (0.1, 0.9)))
    if slow >= UNEVEN * fast:
        text = TEXTS.server_cores_not(show_duration(fast), show_duration(slow), f"{UNEVEN:g}")
        yield Reason("G15", "note", text, TEXTS.compare_only_what)


def clock_steps(run: ValidityEvidence) -> Iterator[Remark]:
    """Check whether somebody set the wall clock. No figure of the rig uses it; the server may use it."""
    if run.witness is None:
        return
    step_s, limit_s = run.witness.clock_step_s, CLOCK_STEP_S + CLOCK_DRIFT * run.witness.watched_s
    if abs(step_s) > limit_s:
        text = TEXTS.wall_clock_set(step_s > 0, show_duration(abs(step_s)))
        text += TEXTS.during_load_disturbs(show_duration(limit_s))
        text += TEXTS.caches_logs_server
        yield Reason("clock", "disturbed", text, TEXTS.stop_what_sets)
