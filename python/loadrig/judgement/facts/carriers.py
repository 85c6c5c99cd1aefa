"""Tests of which component carries the load, and which dependency of a program is used up."""

from loadrig.base.component import SERVER
from loadrig.base.units import show_number, show_share
from loadrig.judgement.constants import FULL_SHARE
from loadrig.judgement.evidence import Evidence, SeriesSource
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.dependencies import fullness, lock_waits
from loadrig.judgement.facts.pools import pools
from loadrig.judgement.facts.tier import ONE_AT_A_TIME, PROXIES, Tier
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.facts import JudgementFactsCarriersTexts

TEXTS = texts_of(JudgementFactsCarriersTexts)

LOCK_WAITERS = 1.0
"""Mean number of a database's sessions that wait for a lock, from which on the lock holds requests up."""


def carries_load(case: Case, tier: Tier) -> bool:
    """Return whether the requests that the generator has in flight are in flight at this component."""
    if tier.name == SERVER:
        return case.server.kind not in PROXIES or not _behind_a_proxy(case)
    return case.server.kind in PROXIES and _behind_a_proxy(case) == [tier]


def _behind_a_proxy(case: Case) -> list[Tier]:
    return [tier for tier in case.server.callees if not tier.ends_requests]


def full_dependency(case: Case, tier: Tier) -> Evidence | None:
    """Return evidence of the first resource behind a program that is used up; None without one."""
    for pool in pools(tier, "connections"):
        if pool.waiting is not None and pool.waiting.mean >= 1:
            text = TEXTS.threads_wait_connection(show_number(pool.waiting.mean), pool.name)
            return Evidence(text, pool.waiting.source)
    for behind in tier.callees:
        busiest = behind.busiest
        if behind.kind in ONE_AT_A_TIME and busiest is not None and busiest.mean >= FULL_SHARE:
            return Evidence(TEXTS.behind_full_core(behind.name, show_number(busiest.mean)), busiest.source)
        if behind.cpu is not None and fullness(case, behind) >= FULL_SHARE:
            text = TEXTS.behind_full_cpu(behind.name, show_share(fullness(case, behind)))
            return Evidence(text, behind.cpu.source)
        waiters = lock_waits(behind)
        if waiters >= LOCK_WAITERS:
            text = TEXTS.sessions_behind_wait(show_number(waiters), behind.name)
            return Evidence(text, SeriesSource(behind.name, f"{behind.kind}.lock_waiters"))
    return None
