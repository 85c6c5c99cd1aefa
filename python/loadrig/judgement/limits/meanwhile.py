"""Doings of the threads that have what others wait for: a lock, a worker, a place in an executor.

That something inside a program is taken says not yet why it is taken for so long. Its threads were seen in
their system calls: they write into a pipe that nobody empties, wait for an answer, for a file, or sleep.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from loadrig.base.units import show_number
from loadrig.judgement.constants import MOSTLY
from loadrig.judgement.evidence import Evidence, SeriesSource
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.locks import asleep
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.limits.kinds import Kind, Resource
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.judgement import JudgementMeanwhileTexts

TEXTS = texts_of(JudgementMeanwhileTexts)

TAKEN_INSIDE: tuple[Kind, ...] = ("lock", "slots", "places")
"""Resources that a thread of the program has, so that its system call tells what the holder does."""


OF_ANOTHER = ("reading out:", "reading udp:")
"""Beginnings of reads that wait for the answer of another program; whoever reads a pipe may only wait to be
woken."""


@dataclass(frozen=True, slots=True)
class HoldersDoing:
    """Evidence of what most threads did that hold a resource. mend: of that; empty where their cause's is."""

    evidence: Evidence
    mend: str = ""


def doing_of_holders(case: Case, resource: Resource) -> HoldersDoing | None:
    """Return what most of those who hold a resource were seen to do; None where that was not seen."""
    tier = case.tiers.get(resource.component)
    if tier is None or resource.kind not in TAKEN_INSIDE or resource.of or resource.is_turn_at_disk:
        return None
    doings = list(_doings(tier))
    number, text, source = max(doings, key=lambda doing: doing[0], default=(0.0, "", None))
    if source is None or number < MOSTLY * resource.number:
        return None
    state, _, peer = source.subject.partition(" ")
    mend = TEXTS.mend_writing(peer) if state == "writing" else ""
    return HoldersDoing(Evidence(text, source, 0.0), mend)


def _doings(tier: Tier) -> Iterator[tuple[float, str, SeriesSource]]:
    """Yield how many threads did each thing that takes long, what that is in words, and where it was seen."""
    sleeping = asleep(tier)
    if sleeping is not None:
        yield sleeping.mean, TEXTS.slept(show_number(sleeping.mean)), sleeping.source
    for subject, track in tier.parts("thread_states.waits").items():
        state, _, peer = subject.partition(" ")
        if peer.startswith("in:"):
            continue  # a client that sends or reads slowly, of which the account of the workers tells
        number, peer = show_number(track.mean), peer.removeprefix("out:")
        match state:
            case "writing":
                text = TEXTS.wrote(number, peer)
            case "connecting":
                text = TEXTS.connected(number, peer)
            case "disk":
                text = TEXTS.waited_for_a_file(number)
            case "reading" if subject.startswith(OF_ANOTHER):
                text = TEXTS.awaited(number, peer)
            case _:
                continue
        yield track.mean, text, track.source
