"""Restarts of workers under load: how many were started anew, how many at a time, and why they had ended."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from loadrig.base.series import Event
from loadrig.base.units import show_duration, show_number
from loadrig.judgement.evidence import EventSource
from loadrig.judgement.facts.tier import Tier
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.facts import JudgementFactsRestartsTexts
from loadrig.recording.steps import NS

TEXTS = texts_of(JudgementFactsRestartsTexts)

TOGETHER_S = 2.5
"""Seconds between births of one group, at most: a master looks after its workers once a second."""

MATCHES = 0.35
"""Difference of the time between restarts from max_requests times workers over rate, as a share, at most."""

MOST_REQUESTS = ("--max-requests", "max_requests", "--limit-max-requests", "limit_max_requests")
"""Settings of the number of requests after which a worker is replaced."""


@dataclass(frozen=True, eq=False)
class Restarts:
    """Workers of a program that were started in the measured part. births: in the order of time."""

    tier: Tier
    births: Sequence[Event]

    @property
    def source(self) -> EventSource:
        """Events of the births."""
        return EventSource(self.tier.name, self.births[0].kind, len(self.births))

    @cached_property
    def workers(self) -> int:
        """Number of workers at a time."""
        alive = self.tier.track("gunicorn.workers")
        if alive is not None:
            return max(1, round(alive.high(0.9)))
        return self.tier.workers or int(self.tier.number("--workers", "-w", "workers") or 1)

    @cached_property
    def groups(self) -> list[list[Event]]:
        """Births in groups that lie within a few seconds of their first birth."""
        groups: list[list[Event]] = []
        for event in self.births:
            if groups and event.t_ns - groups[-1][0].t_ns <= TOGETHER_S * NS:
                groups[-1].append(event)
            else:
                groups.append([event])
        return groups

    @property
    def least_together(self) -> int:
        """Number of births from which on a group counts as in step: half of the workers, two at least."""
        return max(2, math.ceil(self.workers / 2)) if self.workers > 1 else 1

    @property
    def in_step(self) -> list[list[Event]]:
        """Groups of workers that were started together."""
        return [group for group in self.groups if len(group) >= self.least_together]

    @property
    def life_s(self) -> float:
        """Mean time that a worker lives, in seconds."""
        return self.tier.case.measured_s * self.workers / len(self.births)

    @cached_property
    def arithmetic(self) -> str:
        """Time in which workers serve their number of requests; empty where groups come otherwise."""
        most, rate = self.tier.number(*MOST_REQUESTS), self.tier.case.load.ended_rps
        if not most or rate <= 0 or len(self.groups) < 2:
            return ""
        life_s = most * self.workers / rate
        spacing_s = float(np.median(np.diff([group[0].t_ns for group in self.groups]))) / NS
        if abs(spacing_s / life_s - 1) > MATCHES:
            return ""
        numbers = (show_number(most), str(self.workers), show_number(rate))
        return TEXTS.requests_workers_s(*numbers, show_duration(round(life_s, 1)))

    @cached_property
    def deaths(self) -> Counter[str]:
        """Number of workers that ended, by reason: "recycled", "timed_out", ... or "unknown"."""
        ended = self.tier.case.events_of("worker_died", component=self.tier.name)
        return Counter(str(event.facts.get("reason") or "unknown") for event in ended)


def restarts_of(tier: Tier) -> Restarts | None:
    """Return the restarts of a program's workers; None where fewer than two were started under load."""
    births = tier.case.events_of("worker_born", component=tier.name)
    births = births or tier.case.events_of("process_born", component=tier.name)
    return Restarts(tier, births) if len(births) >= 2 else None
