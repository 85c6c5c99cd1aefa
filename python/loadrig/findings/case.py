"""What is known of one trial, in the form in which causes ask: steps, load, tiers, events."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from loadrig.account.book import Account
from loadrig.account.held import Held
from loadrig.base.claims import Claim, Weakened
from loadrig.base.component import HOST, SERVER
from loadrig.base.series import Event, Key, Series
from loadrig.findings.load import Load
from loadrig.findings.tier import Edge, Tier
from loadrig.findings.track import Track
from loadrig.profilers import Kept
from loadrig.recording.steps import NS, Bools, Edges, Floats, levels, rates


@dataclass(frozen=True, slots=True)
class Unseen:
    """Something that could have been seen and was not. what: a probe or tier; why: and how to mend it."""

    component: str
    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Remark:
    """What a check on the rig said of the trial: check "G8", level "note", "disturbed", "grave" or "void"."""

    check: str
    level: str
    text: str
    mend: str = ""


@dataclass(frozen=True, slots=True)
class GoalSeen:
    """A goal of the plan and whether it was met; None where it could not be told."""

    text: str
    measure: str
    is_met: bool | None


@dataclass(frozen=True, eq=False)
class Case:
    """One trial. edges_ns: int64[n + 1], the steps, from the start of the load to its end.

    weakened: claims that are weaker, as something disturbed the trial. components: as in the manifest's
    map. series: as recorded. cores: of the machine. held: of components that hold so many requests at a
    time at most, by the account. account: where requests spend their time; None where that is not known.
    origin_ns: the start of the load, from which sentences count seconds. Made from a recording by
    read.case_of; tests make it from arrays (loadrig.testing.cases).
    """

    edges_ns: Edges
    load: Load
    components: Sequence[Mapping[str, Any]]
    edges: tuple[Edge, ...]
    series: Mapping[Key, Series]
    events: Sequence[Event] = ()
    remarks: tuple[Remark, ...] = ()
    weakened: tuple[Weakened, ...] = ()
    goals: tuple[GoalSeen, ...] = ()
    profiles: tuple[Kept, ...] = ()
    unseen: tuple[Unseen, ...] = ()
    cores: int = 1
    generator_cpus: tuple[int, ...] = ()
    setting: Mapping[str, Any] = field(default_factory=dict)
    held: tuple[Held, ...] = ()
    account: Account | None = None
    remembered: dict[Any, Any] = field(default_factory=dict, repr=False)

    @property
    def origin_ns(self) -> int:
        """When the load began."""
        return int(self.edges_ns[0])

    @property
    def is_inside(self) -> Bools:
        """Which steps lie in the measured part."""
        return self.load.is_inside

    @property
    def seconds(self) -> Floats:
        """Lengths of the steps."""
        return self.load.seconds

    @property
    def measured_s(self) -> float:
        """Length of the measured part."""
        return float(self.seconds[self.is_inside].sum())

    @property
    def t_s(self) -> Floats:
        """Middle of each step, in seconds since the load began."""
        found: Floats = ((self.edges_ns[:-1] + self.edges_ns[1:]) / 2 - self.edges_ns[0]) / NS
        return found

    @cached_property
    def tiers(self) -> dict[str, Tier]:
        """Every component by name: those of the map, and whatever else was read."""
        found = {}
        for row in self.components:
            tier = _tier(self, row)
            found[tier.name] = tier
        for name in dict.fromkeys((HOST, SERVER, *(key.component for key in self.series))):
            if name and name not in found:
                is_host = name == HOST or name.endswith(f"/{HOST}")
                found[name] = Tier(name, HOST if is_host else "program", self)
        return found

    @property
    def server(self) -> Tier:
        """The component that was loaded."""
        return self.tiers[SERVER]

    @property
    def host(self) -> Tier:
        """This machine."""
        return self.tiers[HOST]

    @property
    def programs(self) -> list[Tier]:
        """All tiers that are programs, the server first."""
        return sorted((t for t in self.tiers.values() if not t.is_host), key=lambda tier: tier.name != SERVER)

    def of_kind(self, *kinds: str) -> list[Tier]:
        """Programs of these kinds."""
        return [tier for tier in self.programs if tier.kind in kinds]

    def track(self, component: str, name: str, subject: str = "") -> Track | None:
        """One series on the case's steps; None where it was never read."""
        return self.subjects(component, name).get(subject)

    def subjects(self, component: str, name: str) -> dict[str, Track]:
        """Every subject of one metric of one component."""
        probe, _, metric = name.partition(".")
        return {
            key.subject: self._on_steps(key) for key in self._by_metric.get((component, probe, metric), ())
        }

    def events_of(self, *kinds: str, component: str | None = None, is_measured: bool = True) -> list[Event]:
        """Events of these kinds, of the measured part unless told otherwise."""
        from_ns, to_ns = self.window_ns if is_measured else (self.origin_ns, int(self.edges_ns[-1]))
        return [
            event
            for event in self.events
            if event.kind in kinds and component in (None, event.component) and from_ns <= event.t_ns <= to_ns
        ]

    @cached_property
    def window_ns(self) -> tuple[int, int]:
        """Begin and end of the measured part; of the whole where there is none."""
        inside = np.flatnonzero(self.is_inside)
        if not inside.size:
            return self.origin_ns, int(self.edges_ns[-1])
        return int(self.edges_ns[inside[0]]), int(self.edges_ns[inside[-1] + 1])

    @cached_property
    def harms(self) -> "Mapping[str, str]":
        """What is wrong, by its name in harms.NAMES, each with a sentence."""
        from loadrig.findings import harms

        return harms.found(self)

    def weak(self, claim: Claim) -> Weakened | None:
        """What a disturbance did to a kind of claim; None where it stands."""
        return next((one for one in self.weakened if one.claim == claim), None)

    @property
    def has_load(self) -> bool:
        """Whether the generator kept to its schedule, so that the server had the load that was asked for."""
        load = self.weak("load")
        return load is None or load.effect != "lost"

    def remark(self, check: str) -> Remark | None:
        """What one check on the rig said."""
        return next((one for one in self.remarks if one.check == check), None)

    @cached_property
    def _by_metric(self) -> dict[tuple[str, str, str], list[Key]]:
        found: dict[tuple[str, str, str], list[Key]] = {}
        for key in self.series:
            found.setdefault(key[:3], []).append(key)
        return found

    def _on_steps(self, key: Key) -> Track:
        kept = self.remembered.get(key)
        if kept is None:
            series = self.series[key]
            is_counter = series.kind == "counter"
            values = (rates if is_counter else levels)(series, self.edges_ns)
            kept = Track(
                key.component, f"{key.probe}.{key.metric}", key.subject, series.unit, is_counter, values,
                self.is_inside, self.seconds,
            )  # fmt: skip
            self.remembered[key] = kept
        assert isinstance(kept, Track)
        return kept


def _tier(case: Case, row: Mapping[str, Any]) -> Tier:
    return Tier(
        name=str(row["name"]),
        kind=str(row.get("kind", "program")),
        case=case,
        runtime=str(row.get("runtime") or ""),
        version=str(row.get("version") or ""),
        program_version=str(row.get("program_version") or ""),
        pid=row.get("pid"),
        workers=int(row.get("workers") or 0),
        address=str(row.get("address") or ""),
        argv=tuple(row.get("argv") or ()),
        settings=dict(row.get("settings") or {}),
        limits=dict(row.get("limits") or {}),
        cpus=tuple(row.get("cpus") or ()),
        is_ours=bool(row.get("is_ours")),
    )
