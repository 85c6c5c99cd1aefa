"""Case: one trial in the form in which causes ask, as steps, load, tiers and events."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import Annotated, Any, TypeVar, cast

import numpy as np

from loadrig.account.population import Held
from loadrig.account.trial_account import Account, ComponentAccount
from loadrig.base.claims import Claim, Weakened
from loadrig.base.component import HOST, SERVER
from loadrig.base.documents import Document, Says
from loadrig.base.series import Event, Key, Series
from loadrig.judgement.facts.load import Load
from loadrig.judgement.facts.tier import Edge, Tier
from loadrig.judgement.facts.timeline import Track
from loadrig.profilers import KeptProfile
from loadrig.recording.service_map import MapComponent
from loadrig.recording.steps import NS, Bools, Edges, Floats, levels, rates


class Unseen(Document, frozen=True):
    """Something that could have been seen and was not."""

    component: Annotated[str, Says("component that it is of")]
    what: Annotated[str, Says("what was not seen: a probe, or the component itself")]
    why: Annotated[str, Says("why not, and what to do about that")]


@dataclass(frozen=True, slots=True)
class Remark:
    """Verdict of one check on the rig, "G8". level: "note", "disturbed", "grave" or "void"."""

    check: str
    level: str
    text: str
    mend: str = ""


@dataclass(frozen=True, slots=True)
class GoalAnswer:
    """Goal of the plan. is_met: None where that cannot be known."""

    text: str
    is_met: bool | None


Fact = TypeVar("Fact")


def once_a_case(examine: "Callable[[Case], Fact]") -> "Callable[[Case], Fact]":
    """Make a function of a case examine each case once, and give the same result when it is asked again."""

    @wraps(examine)
    def remembered(case: Case) -> Fact:
        if remembered not in case.remembered:
            case.remembered[remembered] = examine(case)
        return cast("Fact", case.remembered[remembered])

    return remembered


@dataclass(frozen=True, eq=False)
class Case:
    """Trial as causes see it. edges_ns: int64[n + 1], the steps, from the start of the load to its end.

    weakened: claims that are weaker, as something disturbed the trial. components: as in the manifest's
    map. series: as recorded. cores: number of the machine's cores. held: most requests at a time of each
    component that has such a limit, by the account. account: where requests spend their time; None where
    that is not known. origin_ns: the start of the load, from which sentences count seconds.
    `read.case_of` makes a case from a recording; tests make cases from arrays (loadrig.testing.cases).
    """

    edges_ns: Edges
    load: Load
    components: Sequence[MapComponent]
    edges: tuple[Edge, ...]
    series: Mapping[Key, Series]
    events: Sequence[Event] = ()
    remarks: tuple[Remark, ...] = ()
    weakened: tuple[Weakened, ...] = ()
    goals: tuple[GoalAnswer, ...] = ()
    profiles: tuple[KeptProfile, ...] = ()
    unseen: tuple[Unseen, ...] = ()
    cores: int = 1
    generator_cpus: tuple[int, ...] = ()
    held: tuple[Held, ...] = ()
    account: Account | None = None
    remembered: dict[Any, Any] = field(default_factory=dict, repr=False)

    @property
    def origin_ns(self) -> int:
        """Instant at which the load began, in ns."""
        return int(self.edges_ns[0])

    @property
    def is_inside(self) -> Bools:
        """Whether each step lies in the measured part: bool[n]."""
        return self.load.is_inside

    @property
    def seconds(self) -> Floats:
        """Lengths of the steps, in seconds."""
        return self.load.seconds

    @property
    def measured_s(self) -> float:
        """Length of the measured part, in seconds."""
        return float(self.seconds[self.is_inside].sum())

    @property
    def t_s(self) -> Floats:
        """Middle of each step, in seconds since the load began."""
        middles: Floats = ((self.edges_ns[:-1] + self.edges_ns[1:]) / 2 - self.edges_ns[0]) / NS
        return middles

    @cached_property
    def tiers(self) -> dict[str, Tier]:
        """Every component by its name: the components of the map, and all others that were read."""
        tiers = {}
        for component in self.components:
            tiers[component.name] = _tier(self, component)
        for name in dict.fromkeys((HOST, SERVER, *(key.component for key in self.series))):
            if name and name not in tiers:
                is_host = name == HOST or name.endswith(f"/{HOST}")
                tiers[name] = Tier(name, HOST if is_host else "program", self)
        return tiers

    @property
    def server(self) -> Tier:
        """Component that was loaded."""
        return self.tiers[SERVER]

    @property
    def host(self) -> Tier:
        """Component of the machine that the rig runs on."""
        return self.tiers[HOST]

    @property
    def programs(self) -> list[Tier]:
        """All tiers that are programs, the server first."""
        return sorted((t for t in self.tiers.values() if not t.is_host), key=lambda tier: tier.name != SERVER)

    def of_kind(self, *kinds: str) -> list[Tier]:
        """Return the programs of these kinds, the server first."""
        return [tier for tier in self.programs if tier.kind in kinds]

    def account_of(self, component: str) -> ComponentAccount | None:
        """Return where requests spend their time in a component; None where the account does not tell."""
        return self.account.component(component) if self.account is not None else None

    def track(self, component: str, name: str, subject: str = "") -> Track | None:
        """Return one series on the case's steps; None where it was never read."""
        return self.subjects(component, name).get(subject)

    def subjects(self, component: str, name: str) -> dict[str, Track]:
        """Return one metric of one component as tracks by subject."""
        probe, _, metric = name.partition(".")
        return {
            key.subject: self._on_steps(key) for key in self._by_metric.get((component, probe, metric), ())
        }

    def events_of(self, *kinds: str, component: str | None = None, is_measured: bool = True) -> list[Event]:
        """Return the events of these kinds, by default only those of the measured part."""
        from_ns, to_ns = self.window_ns if is_measured else (self.origin_ns, int(self.edges_ns[-1]))
        return [
            event
            for event in self.events
            if event.kind in kinds and component in (None, event.component) and from_ns <= event.t_ns <= to_ns
        ]

    @cached_property
    def window_ns(self) -> tuple[int, int]:
        """Begin and end of the measured part, in ns; of the whole load where there is no measured part."""
        inside = np.flatnonzero(self.is_inside)
        if not inside.size:
            return self.origin_ns, int(self.edges_ns[-1])
        return int(self.edges_ns[inside[0]]), int(self.edges_ns[inside[-1] + 1])

    @cached_property
    def harms(self) -> "Mapping[str, str]":
        """Harms of the trial by their names in harms.table.HARMS, each as a sentence."""
        from loadrig.judgement.harms import table as harms

        return harms.harms_of(self)

    def weak(self, claim: Claim) -> Weakened | None:
        """Return what a disturbance did to a kind of claim; None where the claim stands."""
        return next((weakened for weakened in self.weakened if weakened.claim == claim), None)

    @property
    def has_load(self) -> bool:
        """Whether the generator kept to its schedule, so that the server had the load that was asked for."""
        load = self.weak("load")
        return load is None or load.effect != "lost"

    @cached_property
    def _by_metric(self) -> dict[tuple[str, str, str], list[Key]]:
        keys: dict[tuple[str, str, str], list[Key]] = {}
        for key in self.series:
            keys.setdefault(key[:3], []).append(key)
        return keys

    def _on_steps(self, key: Key) -> Track:
        track = self.remembered.get(key)
        if track is None:
            series = self.series[key]
            is_counter = series.kind == "counter"
            values = (rates if is_counter else levels)(series, self.edges_ns)
            track = self.remembered[key] = Track(
                key.component, f"{key.probe}.{key.metric}", key.subject, is_counter, values,
                self.is_inside, self.seconds,
            )  # fmt: skip
        assert isinstance(track, Track)
        return track


def _tier(case: Case, component: MapComponent) -> Tier:
    return Tier(
        name=component.name,
        kind=component.kind,
        case=case,
        runtime=component.runtime,
        pid=component.pid,
        workers=component.workers,
        address=component.address or "",
        settings=component.settings,
        limits=component.limits,
        cpus=component.cpus,
    )
