"""Cases made of arrays, to test causes with: the content of a recording, without a trial.

    case = ACase(seconds=30, users=40, ok=200.0, latency_s=0.2)
    case.tier("server", kind="gunicorn", runtime="cpython", cpus=(1,), workers=4)
    case.counter("server", "process.cpu_s", "tree", 0.99)
    hypotheses = list(cause.examine(case.build()))

Numbers stand for a constant, arrays of one value a second for a course.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from loadrig.base.claims import Claim, Effect, Weakened
from loadrig.base.series import Event, Key, Series
from loadrig.judgement.facts.case import Case, GoalAnswer, Remark, Unseen
from loadrig.judgement.facts.load import Load
from loadrig.judgement.facts.tier import Edge
from loadrig.recording.service_map import MapComponent
from loadrig.recording.steps import NS, Floats

ORIGIN_NS = 1_000 * NS


class ACase:
    """A case in the making. seconds: its length, one step each; its first `warm_up` steps are not measured.

    rate: requests due a second, in an open load; users: number of users, in a closed load. ok, failed:
    requests a second. latency_s: median response time; p99_s: p99 of good answers, three times the median if
    not given.
    """

    def __init__(
        self,
        *,
        seconds: int = 30,
        warm_up: int = 0,
        rate: ArrayLike | None = None,
        users: float = 0.0,
        ok: ArrayLike = 100.0,
        failed: Mapping[str, ArrayLike] | None = None,
        latency_s: float = 0.02,
        p99_s: float | None = None,
        in_flight: ArrayLike | None = None,
        routes: Mapping[str, ArrayLike] | None = None,
        logins: ArrayLike = 0.0,
        opened: ArrayLike = 0.0,
        sent: ArrayLike | None = None,
        unsent: Mapping[str, int] | None = None,
        cores: int = 2,
        keep_alive: bool = True,
    ) -> None:
        self.n = seconds
        self._cores = cores
        self._components: list[MapComponent] = []
        self._edges: list[Edge] = []
        self._series: dict[Key, Series] = {}
        self._events: list[Event] = []
        self._remarks: list[Remark] = []
        self._weakened: list[Weakened] = []
        self._goals: list[GoalAnswer] = []
        self._unseen: list[Unseen] = []
        good = self._by_second(ok)
        bad = {name: self._by_second(value) for name, value in (failed or {}).items()}
        inside = np.arange(seconds) >= warm_up
        offered = self._by_second(rate) if rate is not None else good + sum(bad.values(), np.zeros(seconds))
        p99 = p99_s if p99_s is not None else 3 * latency_s
        self.load = Load(
            model="rate" if rate is not None else "users",
            is_inside=inside,
            seconds=np.ones(seconds),
            offered=offered,
            ok=good,
            failed=sum(bad.values(), np.zeros(seconds)),
            logins=self._by_second(logins),
            in_flight=self._by_second(in_flight) if in_flight is not None else good * latency_s,
            users=self._by_second(users),
            opened=self._by_second(opened),
            sent=offered.copy() if sent is None else self._by_second(sent),
            bytes=good * 1000,
            routes={name: self._by_second(value) for name, value in (routes or {"all": good}).items()},
            login_routes={"login": self._by_second(logins)} if np.any(self._by_second(logins)) else {},
            outcomes={"ok": good, **bad},
            unsent=dict(unsent or {}),
            keep_alive=keep_alive,
            quantiles={
                0.5: latency_s,
                0.9: (latency_s + p99) / 2,
                0.95: p99 * 0.8,
                0.99: p99,
                0.999: p99 * 1.2,
            },
            latency_by_step=lambda q: np.full(seconds, latency_s if q <= 0.5 else p99),
            latency_of_route=lambda _, q: latency_s if q <= 0.5 else p99,
        )

    def tier(self, name: str, **facts: Any) -> "ACase":
        """Add a component, with fields as in the manifest's map (kind, runtime, settings, cpus, ...)."""
        facts = {"kind": "program", "pid": 100 + len(self._components), **facts}
        self._components.append(MapComponent(name, **facts))
        return self

    def edge(self, source: str, to: str, address: str, connections: int = 1) -> "ACase":
        """Add an edge: a component that opens connections to another."""
        self._edges.append(Edge(source, to, address, connections))
        return self

    def counter(
        self, component: str, name: str, subject: str, per_second: ArrayLike, unit: str = "s"
    ) -> "ACase":
        """Add a counter that grows evenly."""
        grown = np.concatenate(([0.0], np.cumsum(self._by_second(per_second))))
        return self._add(component, name, subject, np.arange(self.n + 1), grown, unit, "counter")

    def gauge(self, component: str, name: str, subject: str, values: ArrayLike, unit: str = "1") -> "ACase":
        """Add a level, read in the middle of each second."""
        return self._add(
            component, name, subject, np.arange(self.n) + 0.5, self._by_second(values), unit, "gauge"
        )

    def event(self, at_s: float, kind: str, component: str, text: str = "", /, **facts: Any) -> "ACase":
        """Add something that happened. facts: subject is what it happened to."""
        subject = str(facts.pop("subject", ""))
        self._events.append(Event(ORIGIN_NS + int(at_s * NS), kind, subject, text or kind, facts, component))
        return self

    def remark(self, check: str, level: str, text: str, mend: str = "") -> "ACase":
        """Add a remark of a check on the rig."""
        self._remarks.append(Remark(check, level, text, mend))
        return self

    def weaken(self, claim: Claim, effect: Effect, by: float | None = None) -> "ACase":
        """Add what a disturbance did to a kind of claim."""
        self._weakened.append(Weakened(claim, effect, by, ("G4",), "a core was taken away"))
        return self

    def goal(self, text: str, *, is_met: bool) -> "ACase":
        """Add a goal of the plan."""
        self._goals.append(GoalAnswer(text, is_met))
        return self

    def not_seen(self, component: str, what: str, why: str) -> "ACase":
        """Add a probe that had no right, or a gap."""
        self._unseen.append(Unseen(component, what, why))
        return self

    def host_cpu(self, per_core: Sequence[float], steal: float = 0.0) -> "ACase":
        """Set the cores of the machine in use, each 0 to 1."""
        for core, used in enumerate(per_core):
            self.counter("host", "system_cpu.user_s", f"cpu{core}", used)
            self.counter("host", "system_cpu.idle_s", f"cpu{core}", max(0.0, 1 - used - steal))
            self.counter("host", "system_cpu.steal_s", f"cpu{core}", steal)
        return self

    def build(self) -> Case:
        """Return the case."""
        return Case(
            edges_ns=ORIGIN_NS + np.arange(self.n + 1, dtype=np.int64) * NS,
            load=self.load,
            components=tuple(self._components),
            edges=tuple(self._edges),
            series=dict(self._series),
            events=tuple(sorted(self._events, key=lambda event: event.t_ns)),
            remarks=tuple(self._remarks),
            weakened=tuple(self._weakened),
            goals=tuple(self._goals),
            unseen=tuple(self._unseen),
            cores=self._cores,
        )

    def _by_second(self, value: ArrayLike) -> Floats:
        return np.broadcast_to(np.asarray(value, dtype=np.float64), self.n).copy()

    def _add(
        self,
        component: str,
        name: str,
        subject: str,
        at_s: Iterable[float],
        values: Floats,
        unit: str,
        kind: str,
    ) -> "ACase":
        probe, _, metric = name.partition(".")
        t_ns = (ORIGIN_NS + np.asarray(list(at_s)) * NS).astype(np.int64)
        self._series[Key(component, probe, metric, subject)] = Series(t_ns, values, unit, kind)
        return self
