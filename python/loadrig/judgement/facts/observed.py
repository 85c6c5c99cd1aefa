"""Shapes of observations that causes share: figures of series that may not be read, and steps near events."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import numpy as np

from loadrig.base.series import Event
from loadrig.base.units import show_number
from loadrig.judgement.constants import TAIL_SHARE
from loadrig.judgement.evidence import CLEAR, EventSource, Evidence, FormulaSource, Sign
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.facts.timeline import Track
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.facts import JudgementFactsObservedTexts
from loadrig.recording.steps import NS, Bools

TEXTS = texts_of(JudgementFactsObservedTexts)

Statistic = Literal["mean", "median", "peak", "grew"]
"""Statistic of a series over the measured part."""

NEAR_LIMIT = 0.80
"""Share of a limit that was reached, 0 to 1. Below it the limit is not suspected."""

SAME_TIME_S = 2.0
"""Seconds between a kill and what is seen of it, at most: a death of the same process is seen at the next
look, a second later, and its clients fail at once."""

FAR_MORE, FAR_MORE_RPS = 2.0, 0.5
"""Rate over the usual one, and how much above that in 1/s, from which on something happens far more often."""


def is_far_more(rate_rps: float, usual_rps: float) -> bool:
    """Return whether something happens far more often than usual, and not by a chance of one or two."""
    return rate_rps > FAR_MORE * usual_rps + FAR_MORE_RPS


def figure(track: Track | None, statistic: Statistic = "mean") -> float:
    """Return a statistic of a series; NaN where the series was not read."""
    return math.nan if track is None else float(getattr(track, statistic))


def evidence(
    track: Track | None,
    least: float,
    text: str,
    weight: float = CLEAR,
    *,
    statistic: Statistic = "mean",
    show: Callable[[float], str] = show_number,
) -> tuple[Evidence, ...]:
    """Return evidence where a statistic of a series is at least a value, else nothing.

    text: the sentence, with {} in the place of the figure.
    """
    value = figure(track, statistic)
    if track is None or not value >= least:
        return ()
    return (Evidence(text.replace("{}", show(value)), track.source, weight),)


def outcomes(case: Case, names: Iterable[str], text: str, weight: float = CLEAR) -> tuple[Evidence, ...]:
    """Return evidence where requests ended with one of some outcomes, else nothing; {}: their number."""
    count = case.load.count(*names)
    source = case.load.source("load.outcomes")
    return (Evidence(text.replace("{}", f"{count:,}"), source, weight),) if count else ()


def events(case: Case, kind: str, component: str, text: str, weight: float = CLEAR) -> tuple[Evidence, ...]:
    """Return evidence where events of a kind befell a component, else nothing; {}: their number."""
    count = len(case.events_of(kind, component=component))
    source = EventSource(component, kind, count)
    return (Evidence(text.replace("{}", str(count)), source, weight),) if count else ()


def sign(track: Track | None, holds: bool | None, text: str, unread: str, weight: float = CLEAR) -> Sign:
    """Return the sign that a series shows; not known where it was not read. unread: what would show it."""
    if track is None:
        return Sign(None, unread, FormulaSource(TEXTS.series_not_read))
    return Sign(holds, text, track.source, weight)


def signs(track: Track | None, holds: bool, text: str, weight: float = CLEAR) -> tuple[Sign, ...]:
    """Return the sign that a series shows; nothing where it was not read."""
    return () if track is None else (Sign(holds, text, track.source, weight),)


def machine(tier: Tier) -> Tier:
    """Return the host that a program runs on, where that is watched; else the rig's own."""
    return tier.case.tiers.get(tier.host, tier.case.host)


def around(case: Case, events: Sequence[Event], before_s: float, after_s: float) -> Bools:
    """Return which steps overlap with the time around any of some events: bool[n]."""
    starts, ends = case.edges_ns[:-1], case.edges_ns[1:]
    near = np.zeros(starts.size, dtype=np.bool_)
    for event in events:
        near |= (ends > event.t_ns - before_s * NS) & (starts < event.t_ns + after_s * NS)
    return near


def explained(case: Case, share: float) -> float:
    """Return the share of what is wrong that trouble of a share of the requests brings about at most, 0 to 1.

    Slow tails and missed goals are made by few of the requests.
    """
    return min(1.0, share / TAIL_SHARE if {"tail", "missed"} & set(case.harms) else share)


def failures_in(case: Case, steps: Bools) -> float:
    """Return the share of the failed requests of the measured part that fell in some steps; 0 without any."""
    failed = case.load.failed * case.seconds * case.is_inside
    total = float(failed.sum())
    return float(failed[steps].sum()) / total if total else 0.0
