"""Restarts of workers under load: how many were started anew, how many at a time, and why they had ended."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from loadrig.base.series import Event
from loadrig.base.units import show_duration, show_number
from loadrig.judgement.evidence import EventSource
from loadrig.judgement.facts.observed import around
from loadrig.judgement.facts.tier import Tier
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.facts import JudgementFactsRestartsTexts
from loadrig.recording.event_facts import DeathFacts, facts_of
from loadrig.recording.steps import NS, Bools

TEXTS = texts_of(JudgementFactsRestartsTexts)

TOGETHER_S = 2.5
"""Seconds between births of one group, at most: a master looks after its workers once a second."""

MATCHES = 0.35
"""Difference of the time between restarts from max_requests times workers over rate, as a share, at most."""

MOST_REQUESTS = ("--max-requests", "max_requests", "--limit-max-requests", "limit_max_requests")
"""Settings of the number of requests after which a worker is replaced."""

FEWEST_GROUPS = 2
"""Restarts together, from which on they are no chance: two workers may meet once."""

IN_STEP_SHARE = 0.6
"""Share of the restarts that must come in such groups, 0 to 1; and share of the stated reasons of ends that
must be recycling."""

NEAR_STEPS = 2
"""Steps around a restart in which a harm counts as its consequence."""

SHORT_LIFE_S = 10.0
"""Life of a recycled worker in seconds, up to which it hardly gets warm. What recycling costs then shows all
the time, not only at restarts."""


@dataclass(frozen=True, eq=False)
class Restarts:
    """Workers of a program that were started in the measured part. births: in the order of time.

    workers: their number at a time. groups: births that lie within a few seconds of the first of them.
    ended: workers that ended; reasons: those that the server stated, with the number of workers.
    """

    tier: Tier
    births: Sequence[Event]
    workers: int
    groups: Sequence[Sequence[Event]]
    ended: int
    reasons: Counter[str]

    @property
    def least_together(self) -> int:
        """Number of births from which on a group counts as in step: half of the workers, two at least."""
        return max(2, math.ceil(self.workers / 2)) if self.workers > 1 else 1

    @property
    def in_step(self) -> list[Sequence[Event]]:
        """Groups of workers that were started together."""
        return [group for group in self.groups if len(group) >= self.least_together]

    @property
    def in_step_share(self) -> float:
        """Share of the workers that were started together with others, 0 to 1."""
        return sum(map(len, self.in_step)) / len(self.births)

    @property
    def are_in_step(self) -> bool:
        """Whether most workers were started together, and that no chance."""
        return self.in_step_share >= IN_STEP_SHARE and len(self.in_step) >= FEWEST_GROUPS

    @property
    def source(self) -> EventSource:
        """Events of the births."""
        return EventSource(self.tier.name, self.births[0].kind, len(self.births))

    @property
    def source_of_ends(self) -> EventSource:
        """Events of the workers that ended."""
        return EventSource(self.tier.name, "worker_died", self.ended)

    @property
    def are_recycled(self) -> bool:
        """Whether most workers ended as they had served their number of requests, of those that say why."""
        return bool(self.reasons) and self.reasons["recycled"] >= IN_STEP_SHARE * self.reasons.total()

    @property
    def life_s(self) -> float:
        """Mean time that a worker lives, in seconds."""
        return self.tier.case.measured_s * self.workers / len(self.births)

    @property
    def near_s(self) -> float:
        """Time around a restart in which a harm counts as its consequence, in seconds."""
        return NEAR_STEPS * float(np.median(self.tier.case.seconds))

    @property
    def near(self) -> Bools:
        """Whether each step of the case lies near a restart: bool[n]."""
        return around(self.tier.case, self.births, self.near_s, self.near_s)

    @property
    def arithmetic(self) -> str:
        """Arithmetic of how long workers take for their requests; empty where groups come otherwise."""
        most, rate = self.tier.number(*MOST_REQUESTS), self.tier.case.load.ended_rps
        if not most or rate <= 0 or len(self.groups) < 2:
            return ""
        life_s = most * self.workers / rate
        spacing_s = float(np.median(np.diff([group[0].t_ns for group in self.groups]))) / NS
        if abs(spacing_s / life_s - 1) > MATCHES:
            return ""
        numbers = (show_number(most), str(self.workers), show_number(rate))
        return TEXTS.requests_workers_s(*numbers, show_duration(round(life_s, 1)))


def restarts_of(tier: Tier) -> Restarts | None:
    """Return the restarts of a program's workers; None where fewer than two were started under load."""
    births = tier.case.events_of("worker_born", component=tier.name)
    births = births or tier.case.events_of("process_born", component=tier.name)
    if len(births) < 2:
        return None
    alive = tier.track("gunicorn.workers")
    if alive is not None:
        workers = max(1, round(alive.high(0.9)))
    else:
        workers = tier.workers or int(tier.number("--workers", "-w", "workers") or 1)
    groups: list[list[Event]] = []
    for event in births:
        if groups and event.t_ns - groups[-1][0].t_ns <= TOGETHER_S * NS:
            groups[-1].append(event)
        else:
            groups.append([event])
    ended = tier.case.events_of("worker_died", component=tier.name)
    reasons = (facts_of(event, DeathFacts).reason for event in ended)
    stated = Counter(why for why in reasons if why and why not in ("unknown", "exited"))
    return Restarts(tier, births, workers, groups, len(ended), stated)
