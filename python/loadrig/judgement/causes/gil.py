"""One process of CPython runs Python code on one core at a time: its interpreter lock (GIL) is used up.

## Signature

A process with several threads uses one core and no more, while other cores are free; whenever one looks a
thread holds the lock, and others wait for it. More threads change nothing.

## Data

CPU time of each process; of the probe `python` how often the lock was held and how many threads waited for
it; threads and context switches (each waiting thread wakes every 5 ms to ask for the lock).

## Deciding test

`--prove` starts more processes, in turns, where their number is a knob: throughput rises in proportion. More
threads move nothing; a fifth less of the one core that it uses does, as with all that computes.

## Guard

A server that may use only one core is short of CPU, not of the lock. A process with one thread (a sync
worker, an event loop) waits for nobody: it needs more processes too, but for another reason. Extensions that
let the lock go use more than one core.

## Fix

More processes (`--workers` of gunicorn, uvicorn), work in C code that releases the lock, or an interpreter
that was built without the lock.
"""

import math

from loadrig.base.units import show_number
from loadrig.judgement.cause import About, Law, Proof
from loadrig.judgement.evidence import SLIGHT, Evidence, Wording
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.hot_function import hot_function
from loadrig.judgement.facts.tier import HAVE_WORKERS, Tier
from loadrig.judgement.limits.kinds import Resource
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.gil import GilTexts

TEXTS = texts_of(GilTexts)

ABOUT = About("cpu", "size", full=("interpreter",))

PROOFS = (Proof("knob", ("workers",)), Proof("cpu", is_needed=False, is_own=False))

GAIN = Law("slots", "CPU")


def wording(case: Case, tier: Tier, resource: Resource) -> Wording:
    """Return its words: who waited, which function held the lock, and how many processes there could be."""
    top = hot_function(case, tier)
    held = [] if top is None else [Evidence(TEXTS.held_by(top[0]), top[1], SLIGHT)]
    effect = TEXTS.waited(show_number(resource.waiting), show_number(case.load.ok_rps))
    mend = TEXTS.mend(_processes(tier)) + ("" if top is None else TEXTS.or_cheaper(top[0]))
    return Wording(effect, mend, TEXTS.decides, evidence=tuple(held))


def _processes(tier: Tier) -> str:
    wanted = max(2, math.ceil(tier.cores))
    return f"--workers={wanted}" if tier.kind in HAVE_WORKERS else TEXTS.behind_an_address(str(wanted))
