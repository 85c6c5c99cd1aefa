"""A process has as many files and connections open as it may have: it cannot accept or open another one."""

import math

import numpy as np

from loadrig.base.units import show_number, show_share
from loadrig.judgement.cause import OF_ANY_LIMIT, About, OwnWords
from loadrig.judgement.constants import AT_LIMIT, MOSTLY, OFTEN
from loadrig.judgement.evidence import SLIGHT, STRONG, Claims, Hypothesis
from loadrig.judgement.facts import observed
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.facts.timeline import Track
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.descriptor_limit import DescriptorLimitTexts

TEXTS = texts_of(DescriptorLimitTexts)

ABOUT = About("descriptors", "fact", harms=OF_ANY_LIMIT | {"dips"})

OWN_WORDS = (
    OwnWords("descriptors", ("exhausted",)),
    # A worker of nginx has two connections for each request that it passes on, and may have so many.
    OwnWords("connections", ("full",), systems=("nginx",), is_once=True),
)

FEWEST_RISING = 4
"""Readings, each no lower than the one before, from which on descriptors rise steadily to their limit."""

NOT_CONNECTED = ("connect_timeout", "connect_refused", "connect_reset", "connect_failed", "reset", "closed")


def examine(case: Case) -> Claims:
    """Yield one hypothesis for each program with a process near its limit."""
    for tier in case.programs:
        share, limit = tier.track("process.fds_share", "tree"), tier.limits.get("descriptors", math.nan)
        established = case.host.track("tcp_sockets.established", f"in:{tier.port}") if tier.port else None
        connections = established.high() if established is not None else 0.0
        if (share.peak if share is not None else connections / limit) >= observed.NEAR_LIMIT:
            yield _hypothesis(case, tier, share, limit, connections)


def _hypothesis(case: Case, tier: Tier, share: Track | None, limit: float, connections: float) -> Hypothesis:
    at = share.share_above(AT_LIMIT) if share is not None else 0.0
    queue = case.host.track("tcp_sockets.accept_queue", f"in:{tier.port}")
    used = show_share(observed.figure(share, "peak"))
    waiting, queued = case.load.waiting, observed.figure(queue)
    is_queued = waiting > 0 and queued >= 1
    is_limited = math.isfinite(limit)
    wanted = max(65536, 4 * int(limit)) if is_limited else 65536
    had = TEXTS.process_had_descriptors(used, show_share(at))
    unread = TEXTS.descriptors_could_not(show_number(connections), show_number(limit))
    more = (
        *observed.evidence(queue, 1, TEXTS.connections_waited_accepted, statistic="median"),
        *observed.outcomes(case, NOT_CONNECTED, TEXTS.requests_got_no, SLIGHT),
    )
    of_limit = TEXTS.limit_of(show_number(limit)) if is_limited else ""
    text = TEXTS.requests_waited_accepted(show_number(queued), show_number(waiting)) if is_queued else ""
    effect = TEXTS.effect(of_limit, show_number(connections))
    mend = TEXTS.raise_limit(str(wanted), str(tier.pid or "PID"))
    if (each := _not_closed(case, tier, connections)) > 0:
        effect, mend = effect + TEXTS.not_closed(show_number(each)), TEXTS.close_them
    return Hypothesis(
        tier.name, (observed.sign(share, at >= OFTEN, had, unread, STRONG),),
        effect=effect, more=more, mend=mend,
        bound=case.load.share_waiting(queued) if is_queued and not case.load.failed_share else None,
        bound_text=text,
    )  # fmt: skip


def _not_closed(case: Case, tier: Tier, connections: float) -> float:
    """Return the descriptors that each request leaves open; 0 where they did not rise steadily to the limit.

    connections: of its clients, which may be what is open.
    """
    share, open_files = tier.track("process.fds_share", "tree"), tier.track("process.fds", "tree")
    if share is None or open_files is None:
        return 0.0
    steps = np.flatnonzero(case.load.is_inside & np.isfinite(open_files.values))
    full = np.flatnonzero(share.values[steps] >= AT_LIMIT)
    rising = steps[: int(full[0]) + 1 if full.size else 0]
    levels = open_files.values[rising]
    if levels.size < FEWEST_RISING or (np.diff(levels) < 0).any():
        return 0.0
    ended = np.nan_to_num(case.load.ok) + np.nan_to_num(case.load.failed)
    grown, asked = float(levels[-1] - levels[0]), float((ended * case.load.seconds)[rising[1:]].sum())
    is_leak = grown >= MOSTLY * levels[-1] and connections < MOSTLY * levels[-1]
    return grown / asked if is_leak and asked > 0 else 0.0
