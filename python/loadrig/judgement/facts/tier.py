"""Components of a case: what a component is, what it may use, what it used."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from loadrig.base.component import HOST
from loadrig.judgement.facts.timeline import Track

if TYPE_CHECKING:
    from loadrig.judgement.facts.case import Case

ONE_AT_A_TIME = frozenset({"redis"})
"""Programs that run commands on one thread, however many cores there are."""

DATABASES = frozenset({"mariadb", "mysql", "postgresql"})
OTHER_DATABASES = frozenset({"mongodb", "cassandra", "clickhouse", "elasticsearch", "sqlserver", "oracle"})
"""Databases that no probe asks. They hand no request on, and what is full in them is theirs all the same."""

OVER_HTTP = frozenset({"clickhouse", "elasticsearch"})
"""Databases that are mostly asked by HTTP."""

CACHES = frozenset({"redis", "memcached"})

HAVE_WORKERS = frozenset({"gunicorn", "uvicorn"})
"""Programs that are told the number of their processes by `--workers`."""

PROXIES = frozenset({"nginx", "haproxy", "envoy", "caddy", "traefik", "apache", "varnish", "lighttpd"})
"""Programs that hand requests on; the requests in flight at them are in flight behind them."""


@dataclass(frozen=True, slots=True)
class Edge:
    """Connections from one component to another. role: subject of the host's sockets, "out:ADDRESS"."""

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
    """Component with its readings. The fields are of base.component.Component, as the map has them."""

    name: str
    kind: str
    case: "Case" = field(repr=False)
    runtime: str = ""
    pid: int | None = None
    workers: int = 0
    address: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, float] = field(default_factory=dict)
    cpus: tuple[int, ...] = ()

    @property
    def is_host(self) -> bool:
        """Whether the component is a machine rather than a program."""
        return self.kind == HOST

    @property
    def is_database(self) -> bool:
        """Whether the component is a SQL database."""
        return self.kind in DATABASES

    @property
    def keeps_data(self) -> bool:
        """Whether the component is a database of any kind, whether or not a probe can ask it."""
        return self.is_database or self.kind in OTHER_DATABASES

    @property
    def is_store(self) -> bool:
        """Whether the component is a database or a cache: it answers look-ups by its own protocol."""
        return self.is_database or self.kind in CACHES

    @property
    def ends_requests(self) -> bool:
        """Whether the component is a database of any kind or a cache: it hands no request on."""
        return self.keeps_data or self.kind in CACHES

    @property
    def is_application(self) -> bool:
        """Whether the component does work of its own for requests: it is no database, cache or proxy."""
        return not self.is_store and self.kind not in PROXIES

    @property
    def host(self) -> str:
        """Name of the host that it runs on: "host", or "web1/host" where an observer elsewhere sees it."""
        place, separator, _ = self.name.rpartition("/")
        return f"{place}/{HOST}" if separator else HOST

    @property
    def port(self) -> str:
        """Port that the component listens on, as text; empty where it is not known."""
        return self.address.rpartition(":")[2] if ":" in self.address else ""

    def track(self, name: str, subject: str = "") -> Track | None:
        """Return one series by "PROBE.METRIC"; None where it was not read in the measured part."""
        track = self.case.track(self.name, name, subject)
        return track if track is not None and track.is_known else None

    def parts(self, name: str) -> dict[str, Track]:
        """Return the tracks of one metric by subject, without the whole ("" and "tree")."""
        return {
            subject: track
            for subject, track in self.case.subjects(self.name, name).items()
            if subject not in ("", "tree") and track.is_known
        }

    @cached_property
    def cpu(self) -> Track | None:
        """Cores in use: CPU time a second of the process tree; None where it was not read."""
        return self.track("process.cpu_s", "tree")

    @cached_property
    def quota(self) -> float:
        """Cores that the control group allows; infinite without a limit."""
        limit = float(self.limits.get("cores", math.inf))
        for track in self.parts("cgroup.quota_cores").values():
            limit = min(limit, track.median)
        return limit

    @cached_property
    def cores(self) -> float:
        """Most cores that the component may use: the least of quota, affinity and machine."""
        return min(self.quota, float(self.places))

    @property
    def places(self) -> int:
        """Number of cores that the component may run on, whatever its quota."""
        return len(self.cpus) or self.case.cores

    def may_run_on(self, cores: Collection[int]) -> bool:
        """Return whether the component may run on any of some cores; where it is bound to none, it may."""
        return not self.cpus or not cores or not set(self.cpus).isdisjoint(cores)

    @cached_property
    def busiest(self) -> Track | None:
        """Process of the tree that used most CPU time, in cores; None where that was not read."""
        processes = self.parts("process.cpu_s")
        return max(processes.values(), key=lambda track: track.mean, default=None)

    @property
    def cpu_share(self) -> float:
        """Cores in use over the cores that the component may use, 0 to 1; NaN where unknown."""
        return min(1.0, self.cpu.mean / self.cores) if self.cpu is not None and self.cores else math.nan

    @property
    def callers(self) -> "list[Tier]":
        """Components that open connections to this one."""
        return [
            self.case.tiers[e.source]
            for e in self.case.edges
            if e.to == self.name and e.source in self.case.tiers
        ]

    @property
    def callees(self) -> "list[Tier]":
        """Components that this one opens connections to."""
        return [
            self.case.tiers[e.to]
            for e in self.case.edges
            if e.source == self.name and e.to in self.case.tiers
        ]

    def setting(self, *names: str) -> str | None:
        """Return the first of these settings ("--workers", "-w") that is set; None where none is."""
        return next((self.settings[name] for name in names if name in self.settings), None)

    def number(self, *names: str) -> float | None:
        """Return the first of these settings as a number; None where there is none or it is no number."""
        text = self.setting(*names)
        try:
            return None if text is None else float(text)
        except ValueError:
            return None
