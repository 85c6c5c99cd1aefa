"""Who carries the load, and which dependency of a program is used up."""

from collections.abc import Iterator

from loadrig.base.component import SERVER
from loadrig.base.units import show_number, show_share
from loadrig.findings.case import Case
from loadrig.findings.causes._dependencies import fullness, lock_waits
from loadrig.findings.evidence import Evidence, SeriesSource
from loadrig.findings.tier import CACHES, ONE_AT_A_TIME, Tier
from loadrig.findings.track import Track

PROXIES = frozenset({"nginx", "haproxy", "envoy", "caddy", "traefik", "apache"})
"""Programs that hand requests on; what is in flight at them is in flight behind them."""

FULL_SHARE = 0.85
"""Of a dependency's cores, or of the one core of a program that does one thing at a time."""

LOCK_WAITERS = 1.0
"""Sessions of a database that wait for a lock, on average: one is enough to hold up who waits for it."""


def carries_load(case: Case, tier: Tier) -> bool:
    """Whether the requests that the generator has in flight are in flight at this component."""
    if tier.name == SERVER:
        return case.server.kind not in PROXIES or not _behind_a_proxy(case)
    return case.server.kind in PROXIES and _behind_a_proxy(case) == [tier]


def _behind_a_proxy(case: Case) -> list[Tier]:
    return [one for one in case.server.callees if not (one.is_database or one.kind in CACHES)]


def full_dependency(case: Case, tier: Tier) -> Evidence | None:
    """The first thing behind a program that is used up: who works on a request queues there."""
    for subject, waiting in _pools(tier):
        if waiting.mean >= 1:
            text = f"{show_number(waiting.mean)} of its threads wait for a connection of {subject}"
            return Evidence(text, waiting.source)
    for behind in tier.callees:
        busiest = behind.busiest
        if behind.kind in ONE_AT_A_TIME and busiest is not None and busiest.mean >= FULL_SHARE:
            text = f"{behind.name} behind it is full: {show_number(busiest.mean)} of the one core it can use"
            return Evidence(text, busiest.source)
        if behind.cpu is not None and fullness(case, behind) >= FULL_SHARE:
            text = f"{behind.name} behind it is full: {show_share(fullness(case, behind))} of its CPU"
            return Evidence(text, behind.cpu.source)
        locked = lock_waits(behind)
        if locked >= LOCK_WAITERS:
            text = f"{show_number(locked)} sessions of {behind.name} behind it wait for a lock"
            return Evidence(text, SeriesSource(behind.name, f"{behind.kind}.lock_waiters"))
    return None


def _pools(tier: Tier) -> Iterator[tuple[str, Track]]:
    for subject, track in tier.parts("hikari.waiting").items():
        yield f"pool {subject.partition(':')[2] or subject}", track
    whole = tier.track("hikari.waiting")
    if whole is not None:
        yield "its pool", whole
