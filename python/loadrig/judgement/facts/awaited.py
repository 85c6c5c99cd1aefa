"""Waits of a request by the account of where its time goes: for a dependency, or inside a component."""

from dataclasses import dataclass

from loadrig.account.book import ComponentAccount
from loadrig.base.units import show_duration, show_number
from loadrig.judgement.constants import FEW_INSIDE, LET_THROUGH, MOSTLY_INSIDE
from loadrig.judgement.evidence import STRONG, FormulaSource, Sign
from loadrig.judgement.facts.alone import alone
from loadrig.judgement.facts.behind import PROXIES
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import Tier
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.facts import JudgementFactsAwaitedTexts

TEXTS = texts_of(JudgementFactsAwaitedTexts)

TAKES_MOST = 0.5
"""Share of a request's time, 0 to 1, from which on it is mostly waiting for one dependency."""


@dataclass(frozen=True, slots=True)
class Awaited:
    """Dependency that takes most of a request: awaited_s of its total_s, in seconds."""

    tier: Tier
    awaited_s: float
    total_s: float


def few_let_through(case: Case, tier: Tier) -> Sign | None:
    """Return the sign that requests wait inside a component, and far fewer than wait are let through.

    None where the account does not tell. A request that is slow by itself stands inside as well, though as
    many as come do so at once.
    """
    component = case.account.component(tier.name) if case.account is not None else None
    through = alone(case)
    if case.account is None or component is None or through is None:
        return None
    inside_ms = sum(line.ms for line in component.lines if line.state == "inside")
    inside, rps = show_duration(inside_ms / 1e3), case.account.requests_per_s
    waiting = inside_ms / 1e3 * rps
    source = FormulaSource(TEXTS.ms_s(f"{inside_ms:.3g}", f"{rps:.3g}", f"{waiting:.3g}"))
    if waiting < FEW_INSIDE:
        return Sign(False, TEXTS.request_passed_no(inside), source)
    if inside_ms < MOSTLY_INSIDE * component.total_ms:
        return None
    whole, at_once = show_duration(component.total_ms / 1e3), show_number(through.at_once)
    text = TEXTS.request_passed_no_core(whole, inside, show_number(waiting), at_once)
    return Sign(through.at_once <= LET_THROUGH * waiting, text, source, STRONG)


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
