"""Memory is short: programs wait until the kernel has found or read back some of it."""

from collections.abc import Iterator

from loadrig.base.units import show_share
from loadrig.judgement.cause import OF_ANY_LIMIT, About, OwnWords, Proof
from loadrig.judgement.evidence import SLIGHT, STRONG, Claims, Evidence, Hypothesis, Sign, by_arithmetic
from loadrig.judgement.facts import observed
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.memory import (
    faults_each,
    memory_room,
    pages_read_back,
    read_back_share,
    reads_back,
)
from loadrig.judgement.facts.tier import Tier
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.memory_pressure import MemoryPressureTexts

TEXTS = texts_of(MemoryPressureTexts)

ABOUT = About("memory", "signs", harms=OF_ANY_LIMIT | {"stopped", "dips", "drift"})

OWN_WORDS = (OwnWords("memory", ("refused", "full", "exhausted")),)

PROOFS = (Proof("knob", ("workers", "heap", "cache"), "less", is_needed=False),)
"""Experiments. They are not needed: fewer workers may lose as much as the memory that they free gains."""

MEMORY_STALLED_SHARE = 0.10
"""Share of the time in which at least one task waited for memory, 0 to 1. Below it nothing visible is
lost."""

FAULTS_EACH = 0.1
"""Pages read back for a request, from which on memory is short: one in ten requests waits for the disk to
read back memory."""

TRACE_STALLED = 0.01
"""Share of the time in which tasks waited for memory, 0 to 1. Below it memory is not suspected."""


def examine(case: Case) -> Claims:
    """Yield one hypothesis for the program that is shortest of memory, where one waits or is at a limit."""
    tiers = [tier for tier in case.programs if tier.cpu is not None]
    if not tiers:
        return
    tier = max(tiers, key=lambda program: (faults_each(program), memory_room(program).share))
    room, host = memory_room(tier), observed.machine(tier)
    stalled, on_disk = host.track("memory.stalled_some_s"), host.track("disks.stalled_some_s")
    faults = faults_each(tier)
    waits, waited = observed.figure(stalled), TEXTS.waited_for_memory
    if not room.is_short and not waits >= TRACE_STALLED and faults < FAULTS_EACH:
        return
    if reads_back(tier) and stalled is not None and on_disk is not None:
        waits, waited = max(waits, on_disk.mean), TEXTS.waited_for_memory_or_disk
    text, is_read = waited(show_share(waits)), stalled is not None
    cost = read_back_share(case, tier)
    waiting = observed.sign(stalled, waits >= MEMORY_STALLED_SHARE, text, TEXTS.stalls_unread, STRONG)
    if cost is not None and not cost < waits:
        # Stalls tell of the waits alone; making room for pages and finding them takes CPU time besides.
        text, waits, is_read = TEXTS.reads_take(show_share(cost)), cost, True
        waiting = by_arithmetic(waits >= MEMORY_STALLED_SHARE, text, STRONG)
    yield Hypothesis(
        component=tier.name,
        signs=(Sign(room.is_short, room.text, room.source), waiting),
        more=tuple(_more(host, tier, case.load.ended_rps)),
        effect=f"{room.text}; {text if is_read else TEXTS.stalls_unread}",
        bound=min(1.0, waits) if is_read else None,
        bound_text=text if is_read else "",
    )


def _more(host: Tier, tier: Tier, requests_per_s: float) -> Iterator[Evidence]:
    # A page of a map that is read back counts for its process and for its group.
    pages = max(pages_read_back(tier), key=lambda track: track.mean, default=None)
    yield from observed.evidence(pages, max(FAULTS_EACH * requests_per_s, 1e-9), TEXTS.read_back("{}"))
    yield from observed.evidence(host.track("memory.swapped_in_pages"), 1, TEXTS.swapped_in("{}"))
    for group, hits in tier.parts("cgroup.memory_limit_hits").items():
        yield from observed.evidence(hits, 1, TEXTS.ran_into_limit(group, "{}"), SLIGHT)
