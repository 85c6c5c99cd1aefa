"""Garbage collection takes the time of the requests."""

from loadrig.base.units import show_number
from loadrig.judgement.cause import OF_ANY_LIMIT, About, Law, Proof
from loadrig.judgement.evidence import STRONG, Claims, Evidence, Hypothesis, Sign, Wording
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.garbage import PAUSES, GarbageCollections, collections_of, threads_beside_code
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.gains import without
from loadrig.judgement.harms import pauses
from loadrig.judgement.limits.holders import Holder
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.gc_pressure import GcPressureTexts

TEXTS = texts_of(GcPressureTexts)

ABOUT = About("cpu", "use", harms=OF_ANY_LIMIT | {"dips"})

PROOFS = (
    Proof("knob", ("heap",)),
    # A word for another collector may make it worse.
    Proof("knob", ("gc",), "other", is_needed=False),
    # Collecting uses CPU time, too; but where its pauses are the harm, there may be CPU time to spare.
    Proof("cpu", is_needed=False, is_own=False),
)

GAIN = Law("part", "CPU")

MENDS = {"go": TEXTS.mend_go, "node": TEXTS.mend_node, "cpython": TEXTS.mend_cpython}
"""Mends by the runtime of a program; of another they depend on its heap."""

SIGNALS = PAUSES
SIGNAL = "collections"
"""Counters of what this cause blames, and their name for people: collections that go on after the harm has
gone were not its cause."""


def wording_of_holder(case: Case, holder: Holder) -> Wording:
    """Return its words: how much of the time went into collections, and whether the heap is nearly full."""
    tier = case.tiers[holder.component]
    collections = collections_of(case, tier)
    if collections is None:  # a profile saw the collector at work
        return Wording(mend=_mend(tier, collections), decides=TEXTS.decides)
    heap = [Evidence(collections.heap_text, collections.source, STRONG)] if collections.is_nearly_full else []
    return Wording(collections.text, _mend(tier, collections), TEXTS.decides, evidence=tuple(heap))


def examine(case: Case) -> Claims:
    """Yield the hypotheses of pauses that are the slow requests or the dips, whatever is full."""
    for tier in case.programs:
        collections = collections_of(case, tier)
        if collections is None:
            yield from _unseen(tier)
        elif (harm := pauses.as_harm(case, tier, collections)) is not None:
            signs, share = harm
            yield Hypothesis(
                tier.name, signs, collections.text, _mend(tier, collections),
                bound=share, bound_text=signs[0].text, gain=without(collections.share),
            )  # fmt: skip


def _unseen(tier: Tier) -> Claims:
    """Yield the hypothesis of Node without its inspector: code runs in one thread, collection in more."""
    if (running := threads_beside_code(tier)) is not None:
        signs = (
            Sign(True, TEXTS.threads_wanted_core(show_number(running.mean)), running.source),
            Sign(None, TEXTS.whether_they_collect, running.source),
        )
        effect = TEXTS.threads_work_beside(show_number(running.mean - 1))
        yield Hypothesis(tier.name, signs, effect, _mend(tier, None))


def _mend(tier: Tier, collections: GarbageCollections | None) -> str:
    is_nearly_full = collections is not None and collections.is_nearly_full
    return MENDS.get(tier.runtime, TEXTS.more_heap_xmx if is_nearly_full else TEXTS.allocate_less_profile)
