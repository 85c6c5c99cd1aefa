"""One component of a case: what it is, what it may use, what it used."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from loadrig.base.component import HOST
from loadrig.findings.track import Track

if TYPE_CHECKING:
    from loadrig.findings.case import Case

ONE_AT_A_TIME = frozenset({"redis"})
"""Programs that run commands on one thread, however many cores there are."""

DATABASES = frozenset({"mariadb", "mysql", "postgresql"})
CACHES = frozenset({"redis", "memcached"})
PYTHON_SERVERS = frozenset({"gunicorn", "uvicorn", "hypercorn", "uwsgi", "flask", "waitress"})


@dataclass(frozen=True, slots=True)
class Edge:
    """Who opens connections to whom. role: subject of the host's sockets, "out:ADDRESS"."""

    source: str
    to: str
    address: str
    connections: int = 0

    @property
    def role(self) -> str:
        """Subject of the probe tcp_sockets for this destination."""
        return f"out:{self.address}"


@dataclass(frozen=True, eq=False)
class Tier:
    """A component and its readings. The fields are those of base.component.Component, as the map has them."""

    name: str
    kind: str
    case: "Case" = field(repr=False)
    runtime: str = ""
    version: str = ""
    program_version: str = ""
    pid: int | None = None
    workers: int = 0
    address: str = ""
    argv: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, float] = field(default_factory=dict)
    cpus: tuple[int, ...] = ()
    is_ours: bool = False

    @property
    def is_host(self) -> bool:
        """Whether it is a machine rather than a program."""
        return self.kind == HOST

    @property
    def is_database(self) -> bool:
        """Whether it is a SQL database."""
        return self.kind in DATABASES

    @property
    def host(self) -> str:
        """The host component it runs on: "host", or "web1/host" of one that an observer elsewhere sees."""
        place, found, _ = self.name.rpartition("/")
        return f"{place}/{HOST}" if found else HOST

    @property
    def port(self) -> str:
        """The port it listens on, as text; empty where it is not known."""
        return self.address.rpartition(":")[2] if ":" in self.address else ""

    def track(self, name: str, subject: str = "") -> Track | None:
        """One series by "PROBE.METRIC"; None where it was not read in the measured part."""
        found = self.case.track(self.name, name, subject)
        return found if found is not None and found.is_known else None

    def parts(self, name: str) -> dict[str, Track]:
        """All subjects of one metric, but the whole ("" and "tree")."""
        return {
            subject: track
            for subject, track in self.case.subjects(self.name, name).items()
            if subject not in ("", "tree") and track.is_known
        }

    @cached_property
    def cpu(self) -> Track | None:
        """Cores in use: CPU time a second of its process tree."""
        return self.track("process.cpu_s", "tree")

    @cached_property
    def quota(self) -> float:
        """Cores that its control group allows; infinite without a limit."""
        limit = float(self.limits.get("cores", math.inf))
        for track in self.parts("cgroup.quota_cores").values():
            limit = min(limit, track.median)
        return limit

    @cached_property
    def cores(self) -> float:
        """Cores that it may use at most: of its quota, its affinity and its machine the least."""
        return min(self.quota, float(self.places))

    @property
    def places(self) -> int:
        """Cores that it may run on, whatever its quota."""
        return len(self.cpus) or self.case.cores

    @cached_property
    def busiest(self) -> Track | None:
        """The process of its tree that used most CPU time: cores in use."""
        found = self.parts("process.cpu_s")
        return max(found.values(), key=lambda track: track.mean, default=None)

    @property
    def cpu_share(self) -> float:
        """Cores in use over those that it may use; NaN where unknown."""
        return self.cpu.mean / self.cores if self.cpu is not None and self.cores else math.nan

    @property
    def callers(self) -> "list[Tier]":
        """Those who open connections to it."""
        return [
            self.case.tiers[e.source]
            for e in self.case.edges
            if e.to == self.name and e.source in self.case.tiers
        ]

    @property
    def callees(self) -> "list[Tier]":
        """Those that it opens connections to."""
        return [
            self.case.tiers[e.to]
            for e in self.case.edges
            if e.source == self.name and e.to in self.case.tiers
        ]

    def setting(self, *names: str) -> str | None:
        """The first of these settings that it has ("--workers", "-w")."""
        return next((self.settings[name] for name in names if name in self.settings), None)

    def number(self, *names: str) -> float | None:
        """The first of these settings, as a number; None where it has none or it is no number."""
        found = self.setting(*names)
        try:
            return None if found is None else float(found)
        except ValueError:
            return None
