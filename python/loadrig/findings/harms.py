"""What is wrong with a trial, if anything, before anybody asks why.

A cause is only accused of a harm that is there: a counter that ticks while the server does all that is
asked of it accuses nobody.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from loadrig.base.units import show_duration, show_number, show_share

if TYPE_CHECKING:
    from loadrig.findings.case import Case

NAMES: Mapping[str, str] = {
    "short": "fewer requests were answered than were due",
    "failing": "requests failed",
    "queueing": "requests piled up",
    "saturated": "the users waited for the server most of their time",
    "tail": "some requests took far longer than most",
    "missed": "a goal was missed",
    "dips": "throughput dipped again and again",
    "growth": "something grew with every request",
    "drift": "the same requests became slower or dearer",
}

SHORT_SHARE = 0.97
"""Good answers over requests due, below which a server does not keep up: noise of a count of 1,000 is 3 %."""

FAILING_SHARE = 0.005
FEWEST_FAILED = 3
WAITING_SHARE = 0.5
"""Of users: below it they spend more time thinking than waiting, and the load is what they ask for."""

FULL_SHARE = 0.95
"""Of the cores that a program may use."""

TAIL_RATIO, TAIL_S = 8.0, 0.1
"""p99 over p50, and p99: service times of a healthy mix of routes spread by two or three."""


def found(case: "Case") -> dict[str, str]:
    """The harms of a case by name, each as a sentence with its figures; empty where nothing is wrong."""
    from loadrig.findings import dips, drift, leaks  # they read the case, which asks here

    load, said = case.load, dict[str, str]()
    ended = load.total(load.ok) + load.total(load.failed)
    unsent = sum(load.unsent.values())
    if load.is_open and load.offered_rps and load.ok_rps < SHORT_SHARE * load.offered_rps:
        said["short"] = (
            f"{show_number(load.ok_rps)}/s were answered well of"
            f" {show_number(load.offered_rps)}/s that were due"
        )
    if load.failed_share > FAILING_SHARE and load.total(load.failed) >= FEWEST_FAILED:
        said["failing"] = f"{show_share(load.failed_share)} of {ended:,.0f} requests failed"
    if unsent > FAILING_SHARE * max(1.0, load.total(load.offered)):
        why = ", ".join(name.replace("_", " ") for name, count in load.unsent.items() if count)
        said["short"] = f"{unsent:,} requests were never sent: {why}"
    if load.is_open and (text := _piling_up(case)):
        said["queueing"] = text
    users = load.mean(load.users)
    if not load.is_open and (load.model == "saturate" or (users and load.waiting > WAITING_SHARE * users)):
        said["saturated"] = (
            f"{show_number(load.waiting)} of {show_number(users or load.waiting)} users were waiting"
            f" for an answer at any time; {show_number(load.ok_rps)}/s were answered"
        )
    full = next((tier for tier in case.programs if tier.cpu_share >= FULL_SHARE), None)
    if not load.is_open and full is not None and "saturated" not in said:
        # Users who think much wait little, however full the server is.
        said["saturated"] = (
            f"{full.name} used {show_share(min(1.0, full.cpu_share))} of the CPU that it may use"
        )
    p50, p99 = load.latency(0.5), load.latency(0.99)
    if p99 > TAIL_S and p99 > TAIL_RATIO * p50:
        said["tail"] = (
            f"p99 was {show_duration(p99)}, {p99 / p50:.0f} times the median of {show_duration(p50)}"
        )
    missed = [goal.text for goal in case.goals if goal.is_met is False]
    if missed:
        said["missed"] = f"missed: {'; '.join(missed)}"
    for name, text_of in (("dips", dips.harm), ("growth", leaks.harm), ("drift", drift.harm)):
        if (told := text_of(case)) is not None:
            said[name] = told
    return said


def _piling_up(case: "Case") -> str:
    """Requests in flight at the end of the measured part against its begin, where they doubled."""
    waiting = case.load.in_flight[case.is_inside]
    if waiting.size < 6:
        return ""
    third = waiting.size // 3
    first, last = float(np.median(waiting[:third])), float(np.median(waiting[-third:]))
    if last < 2 * first + 5:
        return ""
    return f"requests in flight grew from {show_number(first)} to {show_number(last)}"
