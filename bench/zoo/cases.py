"""Cases as data: a fault at five severities, the stack that has it, its load, and what the right answer is.

A fault turns dials of a stack. Its twin has the same stack and load without the fault. Whether the right
answer is the fault or "healthy" is not said here: harm decides it, see `harm`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from typing import Any

SEVERITIES = ("invisible", "slight", "mild", "strong", "severe")
ANY = "*"
"""A part: wherever it is laid."""

Change = Mapping[str, Any]

CLOSED: Change = {"users": 32}
OPEN_SHARES, RAMP = (0.4, 0.6, 0.8, 1.0, 1.2), (0.1, 1.2)
SECONDS = 15.0


@dataclass(frozen=True)
class ZooFault:
    """A fault of a stack.

    causes: names of causes; the first is what it is, others say the same in other words. parts: roles of the
    processes at which it may be laid. dial: the dial that is turned, with a value for each severity; or None,
    where `turns` has the changes themselves. sick: what else the fault has at every severity; base: what the
    twin has, too. load: of the case; twin_load: of the twin where it differs. sysctl, shape: of the network.
    """

    name: str
    stack: str
    causes: tuple[str, ...]
    parts: tuple[str, ...]
    dial: str | None
    values: tuple[Any, ...]
    load: Change = field(default_factory=lambda: CLOSED)
    base: Change = field(default_factory=dict)
    sick: Change = field(default_factory=dict)
    decoys: tuple[str, ...] = ()
    sysctl: Change = field(default_factory=dict)
    shape: str = ""
    twin_load: Change | None = None
    seconds: float = SECONDS


@dataclass(frozen=True)
class ZooCase:
    """A case to record and to judge.

    causes: empty for a healthy one. pair: of two faults at once the causes of each; mended: what is still
    sick where the first is mended, and where the second is.
    """

    name: str
    stack: str
    causes: tuple[str, ...]
    parts: tuple[str, ...]
    healthy: Change
    sick: Change
    load: Change
    twin_load: Change
    decoys: tuple[str, ...] = ()
    sysctl: Change = field(default_factory=dict)
    shape: str = ""
    seconds: float = SECONDS
    pair: tuple[tuple[str, ...], ...] = ()
    mended: tuple[Change, ...] = ()

    @property
    def is_pressed(self) -> bool:
        """Whether its load keeps the server at its limit: users who do not think, or as much as it can do."""
        if "users" in self.load:
            return "think" not in self.load
        return any(share >= 1.0 for share in (self.load.get("share", 0.0), *self.load.get("ramp", ())))

    def spec(self) -> dict[str, Any]:
        """Return what whoever runs the case is told: no label, and no name."""
        return {
            "stack": self.stack, "healthy": dict(self.healthy), "sick": dict(self.sick),
            "load": dict(self.load), "twin_load": dict(self.twin_load), "decoys": list(self.decoys),
            "sysctl": dict(self.sysctl), "shape": self.shape, "seconds": self.seconds,
            "mended": [dict(sick) for sick in self.mended],
        }  # fmt: skip


LOADS: Mapping[str, Change] = {
    "": {},
    **{f"open{share:.0%}".removesuffix("%"): {"share": share} for share in OPEN_SHARES},
    "ramp": {"ramp": RAMP, "over_s": SECONDS},
}
"""Loads that every fault may have instead of its own, by the ending of a case's name."""


def of_fault(fault: ZooFault, severity: str, ending: str = "", decoys: Sequence[str] = ()) -> ZooCase:
    """Return the case of a fault at a severity. ending: of `LOADS`; decoys: beside those of the fault."""
    value = fault.values[SEVERITIES.index(severity)]
    turned: dict[str, Any] = dict(value) if fault.dial is None else {fault.dial: value}
    sysctl = {**fault.sysctl, **turned.pop("sysctl", {})}
    shape = turned.pop("shape", fault.shape)
    load, twin_load = fault.load, fault.load if fault.twin_load is None else fault.twin_load
    load = {**load, **turned.pop("load", {})}
    if ending:
        arrival = LOADS[ending]
        load, twin_load = (
            {**{name: old[name] for name in old if name not in ("users", "share", "think")}, **arrival}
            for old in (load, twin_load)
        )  # fmt: skip
    name = "-".join(filter(None, (fault.stack, fault.name, severity, ending, *decoys)))
    return ZooCase(
        name, fault.stack, fault.causes, fault.parts, fault.base, {**fault.sick, **turned}, load, twin_load,
        (*fault.decoys, *decoys), sysctl, shape, fault.seconds,
    )  # fmt: skip


def of_pair(first: ZooFault, second: ZooFault, severity: str) -> ZooCase:
    """Return the case of two faults of a stack at once, under the load of the first.

    Both turn dials alone. What both have as their base is as the first wants it.
    """
    cases = [of_fault(fault, severity) for fault in (first, second)]
    return ZooCase(
        f"{first.stack}-{first.name}+{second.name}-{severity}", first.stack,
        first.causes + second.causes, first.parts + second.parts,
        {**second.base, **first.base}, {**cases[0].sick, **cases[1].sick}, first.load, first.load,
        pair=(first.causes, second.causes), mended=(cases[1].sick, cases[0].sick),
    )  # fmt: skip


@dataclass(frozen=True)
class Well:
    """A stack without a fault, with a load and what looks like an illness and is none."""

    name: str
    stack: str
    load: Change
    dials: Change = field(default_factory=dict)
    decoys: tuple[str, ...] = ()

    def case(self) -> ZooCase:
        """Return the case of it: its twin has the same dials and no decoy."""
        load = {name: value for name, value in self.load.items() if name != "slow_clients"}
        return ZooCase(
            f"{self.stack}-well-{self.name}", self.stack, (), (), self.dials, {}, self.load, load, self.decoys
        )


def every(only: str = "*") -> list[ZooCase]:
    """Return the cases whose name fits a pattern between commas: strong ones first, then healthy ones."""
    from bench.zoo.faults import FAULTS, HEALTHY, PAIRS  # it needs what is defined here

    order = ("strong", "severe", "mild", "slight", "invisible")
    cases = [of_fault(fault, severity) for severity in order[:1] for fault in FAULTS]
    cases += [well.case() for well in HEALTHY]
    cases += [of_pair(*pair, severity) for severity in order for pair in PAIRS]
    cases += [of_fault(fault, severity) for severity in order[1:] for fault in FAULTS]
    cases += [
        of_fault(fault, severity, ending)
        for ending in LOADS
        for severity in order
        for fault in FAULTS
        if ending
    ]
    cases += [
        of_fault(fault, severity, ending, (decoy,))
        for decoy in DECOYS
        for ending in LOADS
        for severity in order
        for fault in FAULTS
        if decoy not in fault.decoys
    ]
    return [case for case in cases if any(fnmatch(case.name, word) for word in only.split(","))]


DECOYS = ("time_wait", "busy_core", "idle_crowd")
