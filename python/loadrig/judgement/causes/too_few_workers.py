"""All workers or threads of a server are taken, while the CPU has room: requests wait for a slot."""

from loadrig.base.units import show_number
from loadrig.judgement.cause import About, Law, OwnWords, Proof
from loadrig.judgement.evidence import Wording
from loadrig.judgement.facts import observed
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.slots import more_threads, queued, slots_of
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.limits.kinds import Resource
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.too_few_workers import TooFewWorkersTexts

TEXTS = texts_of(TooFewWorkersTexts)

ABOUT = About("workers", "size", full=("slots", "places"))

OWN_WORDS = (
    # They say it once, or once a while, however long it lasts; others at each request.
    OwnWords("workers", ("full",), systems=("apache", "php-fpm", "tomcat"), is_once=True),
    OwnWords("workers", ("full",)),
)

PROOFS = (
    Proof("knob", ("workers", "threads")),
    # A delay of a dependency that few requests ask moves nothing either, however short slots are.
    Proof("delay", is_needed=False, is_own=False),
)

GAIN = Law("slots", "threads")


def wording(case: Case, tier: Tier, resource: Resource) -> Wording:
    """Return its words: how many waited for how many slots, and what to type for more of them."""
    slots = slots_of(tier)
    if slots is not None and slots.kind == "loop":  # what was full are threads behind it, which nothing names
        slots = None
    slots_text = (
        slots.text if slots is not None else TEXTS.workers_or_threads(show_number(round(resource.number)))
    )
    more = slots.more if slots is not None else more_threads(tier, resource.number)
    return Wording(
        effect=TEXTS.effect(show_number(resource.waiting), slots_text, show_number(case.load.ok_rps)),
        mend=TEXTS.more_them(more) if more else "",
        decides=TEXTS.decides,
        evidence=observed.evidence(queued(tier), 1, TEXTS.connections_waited_listener("{}")),
    )
