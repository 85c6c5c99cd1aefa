"""Dependency that a request waits for longest, by the account of where its time goes."""

from dataclasses import dataclass

from loadrig.account.book import ComponentAccount
from loadrig.judgement.facts.behind import PROXIES
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import Tier

TAKES_MOST = 0.5
"""Share of a request's time, 0 to 1, from which on it is mostly waiting for one dependency."""


@dataclass(frozen=True, slots=True)
class Awaited:
    """Dependency that takes most of a request: awaited_s of its total_s, in seconds."""

    tier: Tier
    awaited_s: float
    total_s: float


def longest_awaited(case: Case) -> Awaited | None:
    """Return the dependency that takes most of a request, of a chain its last; None where none does."""
    server = case.account.server if case.account is not None else None
    if case.account is None or server is None or server.total_ms <= 0 or case.load.ended_rps <= 0:
        return None
    component: ComponentAccount | None = server
    passed, longest = {server.name}, None
    while component is not None:
        awaited_ms = {
            line.of: line.ms
            for line in component.lines
            if line.state == "awaiting" and line.of in case.tiers and line.of not in passed
        }
        name = max(awaited_ms, key=lambda of: awaited_ms[of], default="")
        if not name or awaited_ms[name] < TAKES_MOST * server.total_ms:
            break
        # A proxy waits for the program that it stands before: that is no dependency.
        if case.tiers[component.name].kind not in PROXIES:
            longest = Awaited(case.tiers[name], awaited_ms[name] / 1e3, server.total_ms / 1e3)
        passed.add(name)
        component = case.account.component(name)
    return longest
