"""Pools of connections and of threads that report their own state."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.facts.timeline import Track
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.facts import JudgementFactsPoolsTexts

TEXTS = texts_of(JudgementFactsPoolsTexts)

METRICS: Mapping[str, tuple[tuple[str, str, str], ...]] = {
    "connections": (
        ("hikari.limit", "hikari.active", "hikari.waiting"),
        (
            "prometheus.hikaricp_connections_max",
            "prometheus.hikaricp_connections_active",
            "prometheus.hikaricp_connections_pending",
        ),
        # Go's database/sql. The time that all waited in a second is how many wait on average.
        (
            "prometheus.go_sql_max_open_connections",
            "prometheus.go_sql_in_use_connections",
            "prometheus.go_sql_wait_duration_seconds_total",
        ),
    ),
    "threads": (("tomcat.threads_limit", "tomcat.threads_busy", "tomcat.queued"),),
}
"""Metrics of the limit, of those in use and of those who wait, by what a pool is of. The first that are read
count: the others are of the same pools."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Pool that reports its state. subject: that of its series, "" for the only one.

    limit: its size; used: how many are in use; waiting: how many wait for one, None where it was not read.
    """

    subject: str
    limit: float
    used: Track
    waiting: Track | None

    @property
    def name(self) -> str:
        """Name of the pool for a reader."""
        return self.subject.rpartition(":")[2].rpartition("=")[2] or TEXTS.the_pool


def pools(tier: Tier, what: str) -> list[Pool]:
    """Return the pools of "connections" or "threads" of which a program reports the size and the use."""
    return next(filter(None, (list(_reported(tier, *names)) for names in METRICS[what])), [])


def _reported(tier: Tier, limit_name: str, used_name: str, waiting_name: str) -> Iterator[Pool]:
    whole = tier.track(used_name)
    for subject, used in ({"": whole} if whole is not None else tier.parts(used_name)).items():
        limit = tier.track(limit_name, subject) or tier.track(limit_name)
        if limit is not None and limit.median > 0:
            yield Pool(subject, limit.median, used, tier.track(waiting_name, subject))
