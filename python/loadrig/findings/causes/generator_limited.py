"""The rig itself was the limit, not the server.

## Signature

A check on the rig says so: it did not send what was due, arrivals met its own cap, or its core was full. That
it was late or had no core for a while disturbs a trial, and makes it no limit.

## Data

The generator's testimony and what was seen of it from outside (checks G1 to G14).

## Deciding test

A second generator, or more cores for this one: throughput rises though the server is the same. It accuses
the rig, so `--prove` has nothing to change about the server.

## Guard

A closed load with few users is not a limit of the generator: it was asked for no more.

## Fix

More generator threads or cores, a lower rate, or the server on other cores than the generator.
"""

from collections.abc import Iterator

from loadrig.base.units import show_share
from loadrig.findings.about import About
from loadrig.findings.case import Case
from loadrig.findings.evidence import SLIGHT, STRONG, Hypothesis, LoadSource, Sign

TITLE = "the generator was the limit"
HARMS: frozenset[str] = frozenset()
ABOUT = About("rig", "signs")
OF_THE_RIG = True
"""It may be said of a void trial too: it accuses the rig and not the server."""

NO_PROOF = "it accuses the rig; run it again with more generator threads, or from another machine"

LIMITS = frozenset({"G1", "G3", "G5", "G7", "G10"})
"""Checks that say, where their second limit is passed, that the generator fell short or could do no more."""

NEAR = frozenset({"G3", "G10"})
"""Checks of which even the first limit means that it was near what it can do."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """One hypothesis where a check spoke, none else."""
    limits = [one for one in case.remarks if one.check in LIMITS and one.level == "grave"]
    said = limits or [one for one in case.remarks if one.check in NEAR and one.level == "disturbed"]
    if not said:
        return
    source, weight = LoadSource("validity.reasons"), STRONG if limits else SLIGHT
    yield Hypothesis(
        component="generator",
        signs=tuple(Sign(True, f"{one.check}: {one.text}", source, weight) for one in said),
        effect=f"{said[0].text}; {show_share(case.load.failed_share)} of the requests failed",
        mend="give the generator a core of its own or more threads (trial: {threads: 2}), or ask for less",
        decides="the same load from more generator threads, or from another machine",
    )
