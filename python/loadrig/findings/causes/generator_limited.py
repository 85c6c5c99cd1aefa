"""The rig itself was the limit, not the server.

## Signature

A check on the rig says so: requests left late, its threads had no core, arrivals met its own cap.

## Data

The generator's testimony and what was seen of it from outside (checks G1 to G14).

## Deciding test

A second generator, or more cores for this one: throughput rises though the server is the same.

## Guard

A closed load with few users is not a limit of the generator: it was asked for no more.

## Fix

More generator threads or cores, a lower rate, or the server on other cores than the generator.
"""

from collections.abc import Iterator

from loadrig.base.units import show_share
from loadrig.findings.case import Case
from loadrig.findings.evidence import CLEAR, STRONG, Hypothesis, LoadSource, Sign

TITLE = "the generator was the limit"
HARMS: frozenset[str] = frozenset()
EXPLAINS: dict[str, str] = {}
OF_THE_RIG = True
"""It may be said of a void trial too: it accuses the rig and not the server."""

CHECKS = frozenset({"G2", "G3", "G4", "G5", "G10", "G14"})
"""Of the rig's speed and place. The others judge the schedule, the answers or the machine."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """One hypothesis where a check spoke, none else."""
    said = [
        remark for remark in case.remarks if remark.check in CHECKS and remark.level in ("suspect", "void")
    ]
    void = [remark for remark in said if remark.level == "void"]
    if not said:
        return
    source = LoadSource("validity.reasons")
    first = (void or said)[0]
    yield Hypothesis(
        component="generator",
        signs=tuple(
            Sign(True, f"{one.check}: {one.text}", source, STRONG if one.level == "void" else CLEAR / 2)
            for one in (void or said)
        ),
        effect=f"{first.text}; {show_share(case.load.failed_share)} of the requests failed",
        mend="give the generator a core of its own or more threads (trial: {threads: 2}), or ask for less",
        decides="the same load from more generator threads, or from another machine",
    )
