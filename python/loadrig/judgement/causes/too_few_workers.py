"""All workers or threads of a server are taken, while the CPU has room: requests wait for a slot.

## Signature

More requests are in flight than the server has slots (workers × threads), the rest wait at its listener or
in its queue; CPU stands idle; each request takes as long as it takes alone, once it has a slot.

## Data

Settings (`--workers`, `--threads`, Tomcat's threads), busy threads, connections that wait to be accepted,
requests in flight, throughput × the time of a request alone (what is really worked on at once), CPU time.

## Deciding test

`--prove` starts more workers or threads, in turns, where these are knobs: throughput rises by nearly as much.
A delay in front of what it asks lowers throughput where slots are short, and hardly where the CPU is.

## Guard

Busy workers that wait for something that is used up (a database, a pool, a lock) are a symptom: they take
longer under load than alone, and more of them would only wait together. A process that is full of CPU with
several threads is the interpreter lock. Sync workers that mostly wait, and are already as many as gunicorn
advises (2 × cores + 1, 4 at least), call for another worker class rather than for more of them.

## Fix

More workers or threads, up to what CPU and memory bear.
"""

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

OWN_WORDS = (OwnWords("workers", ("full",), is_once=True),)

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
