"""Programs beside each other behind a proxy: how long each of them has a request."""

from dataclasses import dataclass

from loadrig.judgement.constants import MOSTLY
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import PROXIES, Tier

TIMES_SLOWER = 3.0
"""Time that a program takes for a request over that of the quickest beside it, from which on it is slow by
itself: of two that are alike one may have twice as many requests at a time."""

FEWEST_RPS = 1.0
"""Requests a second that a program has to get, from which on its time is known from looks at connections."""


@dataclass(frozen=True, slots=True)
class Sibling:
    """Program behind a proxy. waiting: requests that it has at a time; rps: those that it gets a second."""

    tier: Tier
    waiting: float
    rps: float

    @property
    def seconds(self) -> float:
        """Mean time in seconds that it has a request (Little's law)."""
        return self.waiting / self.rps


def siblings(case: Case) -> list[Sibling]:
    """Return the programs that the proxy in front passes requests to, the quickest first.

    Empty where there are fewer than two, or where connections were not looked at. A request goes to a program
    in one segment: what is longer makes its time look shorter, and that of all of them alike.
    """
    proxy = case.server
    if proxy.kind not in PROXIES:
        return []
    behind: dict[str, Sibling] = {}
    for edge in case.edges:
        tier = case.tiers.get(edge.to)
        if edge.source != proxy.name or tier is None or tier.is_store:
            continue
        sent, awaiting = (
            proxy.track(f"socket_stages.{name}", edge.role) for name in ("segments", "awaiting")
        )
        if sent is None or awaiting is None or sent.mean < FEWEST_RPS:
            continue
        before = behind.get(tier.name, Sibling(tier, 0.0, 0.0))
        behind[tier.name] = Sibling(tier, before.waiting + awaiting.mean, before.rps + sent.mean)
    if len(behind) <= 1:
        return []
    return sorted(behind.values(), key=lambda sibling: sibling.seconds)


def slow_sibling(case: Case) -> tuple[Sibling, Sibling] | None:
    """Return a program that has most requests as it is far slower than one beside it, and that one."""
    beside = siblings(case)
    if not beside:
        return None
    quickest, slowest = beside[0], beside[-1]
    if slowest.waiting < MOSTLY * sum(sibling.waiting for sibling in beside):
        return None
    return (slowest, quickest) if slowest.seconds >= TIMES_SLOWER * quickest.seconds else None
