"""The rig itself was the limit, not the server.

## Signature

A check on the rig says so: requests left late, its threads had no core, arrivals met its own cap.

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
from loadrig.findings.case import Case
from loadrig.findings.evidence import SLIGHT, STRONG, Hypothesis, LoadSource, Sign

TITLE = "the generator was the limit"
HARMS: frozenset[str] = frozenset()
EXPLAINS: dict[str, str] = {}
OF_THE_RIG = True
"""It may be said of a void trial too: it accuses the rig and not the server."""

NO_PROOF = "it accuses the rig; run it again with more generator threads, or from another machine"

VOID = frozenset({"G2", "G3", "G4", "G5", "G10", "G14"})
"""Checks of the rig's speed and place. The others judge the schedule, the answers or the machine."""

SUSPECT = frozenset({"G3", "G10"})
"""Of these even a first warning means that it was near what it can do; a little lag costs a little."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """One hypothesis where a check spoke, none else."""
    void = [one for one in case.remarks if one.check in VOID and one.level == "void"]
    said = void or [one for one in case.remarks if one.check in SUSPECT and one.level == "suspect"]
    if not said:
        return
    source, weight = LoadSource("validity.reasons"), STRONG if void else SLIGHT
    yield Hypothesis(
        component="generator",
        signs=tuple(Sign(True, f"{one.check}: {one.text}", source, weight) for one in said),
        effect=f"{said[0].text}; {show_share(case.load.failed_share)} of the requests failed",
        mend="give the generator a core of its own or more threads (trial: {threads: 2}), or ask for less",
        decides="the same load from more generator threads, or from another machine",
    )
