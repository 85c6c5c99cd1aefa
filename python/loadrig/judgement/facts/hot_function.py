"""Function that keeps a program's CPU busy: from a profile, or from looks at the interpreter lock."""

from loadrig.judgement.evidence import EventSource, ProfileSource, Source
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import Tier
from loadrig.recording.event_facts import HoldersFacts, facts_of

LEAST_HOT_SHARE = 0.25
"""Share of the samples in a function, 0 to 1. Below it the function is not what fills the CPU."""


def hot_function(case: Case, tier: Tier) -> tuple[str, Source] | None:
    """Return the function and its place, "burn (shop.py:8)"; None where nobody looked or none stands out."""
    for profile in case.profiles:
        if profile.component != tier.name or profile.load != "high" or profile.summary is None:
            continue
        own = profile.summary.own(1)
        # A function without a symbol is "[unknown]": nobody can make it cheaper by that name.
        if own and own[0].self_share >= LEAST_HOT_SHARE and not own[0].name.startswith("["):
            place = own[0].file.rpartition("/")[2]
            line = f":{own[0].line}" if own[0].line else ""
            named = f"{own[0].name} ({place}{line})" if place else own[0].name
            return named, ProfileSource(tier.name, f"profiles/{profile.path.name}")
    looks = case.events_of("gil_top", component=tier.name)
    frames = facts_of(looks[-1], HoldersFacts).frames if looks else ()
    if frames and frames[0].share >= LEAST_HOT_SHARE:
        return frames[0].frame, EventSource(tier.name, "gil_top", len(looks))
    return None
