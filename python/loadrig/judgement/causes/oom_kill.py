"""The kernel killed a process for lack of memory."""

import numpy as np

from loadrig.base.series import Event
from loadrig.base.units import show_share, show_size
from loadrig.judgement.cause import About
from loadrig.judgement.evidence import STRONG, Claims, EventSource, Hypothesis, Sign
from loadrig.judgement.facts import observed
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import Tier
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.oom_kill import OomKillTexts
from loadrig.recording.event_facts import DeathFacts, facts_of
from loadrig.recording.steps import NS, Bools

TEXTS = texts_of(OomKillTexts)

ABOUT = About("memory", "fact", harms=frozenset())

AFTER_OOM_KILL_S = 5.0
"""Seconds within which a worker is back. Where none comes back failures go on, and the last kill explains
them, too."""


def examine(case: Case) -> Claims:
    """Yield one hypothesis for each program of which a process may have been killed; none without a kill."""
    kills = case.events_of("oom_kill", is_measured=False)
    if not kills:
        return
    deaths = {tier.name: _deaths(case, tier, kills) for tier in case.programs}
    accused = [tier for tier in case.programs if deaths[tier.name]] or [case.server]
    for tier in accused:
        yield _hypothesis(case, tier, kills, deaths[tier.name])


def _hypothesis(case: Case, tier: Tier, kills: list[Event], deaths: list[Event]) -> Hypothesis:
    own = [kill for kill in kills if kill.component == tier.name] or kills
    count = len(deaths)
    ended = TEXTS.ended_then(count, tier.name) if deaths else TEXTS.none_ended_then(tier.name)
    died = EventSource(tier.name, deaths[0].kind if deaths else "process_died", count)
    killed = EventSource(own[0].component, "oom_kill", len(own))
    share = observed.failures_in(case, _steps_after(case, deaths))
    limit = tier.limits.get("memory_bytes")
    had = max((facts_of(event, DeathFacts).memory_bytes or 0.0 for event in deaths), default=0.0)
    is_killed = Sign(True, TEXTS.kernel_killed(len(own)), killed, STRONG)
    effect = TEXTS.were_killed(count) + (TEXTS.largest_had(show_size(had)) if had else "")
    effect += TEXTS.under_limit(show_size(limit)) if limit else ""
    return Hypothesis(
        tier.name, (is_killed, Sign(bool(deaths), ended, died, STRONG)), effect,
        bound=share if "failing" in case.harms else None,
        bound_text=TEXTS.failed_after_kills(show_share(share)),
    )  # fmt: skip


def _deaths(case: Case, tier: Tier, kills: list[Event]) -> list[Event]:
    """Return a program's processes that ended at a kill; a master's report goes before readings."""
    workers = case.events_of("worker_died", component=tier.name, is_measured=False)
    workers = [event for event in workers if facts_of(event, DeathFacts).reason == "out_of_memory"]
    # A kill that the program's own group counted is of this program; one that only the machine counted may
    # not be.
    own = [kill for kill in kills if kill.component in (tier.name, tier.host)]
    return workers or [
        event
        for event in case.events_of("process_died", "gap", component=tier.name, is_measured=False)
        if any(abs(event.t_ns - kill.t_ns) <= observed.SAME_TIME_S * NS for kill in own)
        and (event.kind == "process_died" or event.subject == "process")
    ]


def _steps_after(case: Case, deaths: list[Event]) -> Bools:
    """Return which steps lie soon after a death, or after the last one before good answers came again."""
    near = observed.around(case, deaths, observed.SAME_TIME_S, AFTER_OOM_KILL_S)
    is_later = case.edges_ns[:-1] > max((event.t_ns for event in deaths), default=0) + AFTER_OOM_KILL_S * NS
    if not (case.load.ok[is_later] > 0).any():
        near |= observed.around(case, deaths[-1:], observed.SAME_TIME_S, np.inf)
    return near
