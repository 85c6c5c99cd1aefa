"""Load on the ways between components: who waits for whom, from the looks of `socket_stages`."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from loadrig.base.component import SERVER
from loadrig.base.series import Sample
from loadrig.following.document import LinkDocument, SecondDocument, UsedDocument
from loadrig.recording.service_map import MapDocument

NS = 1_000_000_000

GENERATOR = "generator"
"""Name of the rig's own end of the load."""

AWAITED = ("connecting", "awaiting", "answer_unread")
"""Stages of a component's own connections in which it waits for the other end."""

Way = tuple[str, str]
"""A component, and the address at which it asks another one."""


@dataclass(slots=True)
class Traffic:
    """Traffic on a way. looks: the look that is being read, by stage; segments: at the look before."""

    t_ns: int = 0
    looks: dict[str, float] = field(default_factory=dict)
    segments: tuple[int, float] | None = None
    per_s: float | None = None
    awaited: float | None = None

    def end_look(self) -> None:
        """Take in the look that was read."""
        looks = self.looks
        # A Unix socket bears no times: nothing tells whether an answer is awaited.
        is_timeless = looks.get("unclear", 0.0) > 0 and not looks.keys() & {"awaiting", "idle"}
        self.awaited = None if is_timeless else sum(looks.get(stage, 0.0) for stage in AWAITED)
        if (count := looks.get("segments")) is not None:
            if self.segments is not None and self.t_ns > self.segments[0]:
                grown = max(0.0, count - self.segments[1])
                self.per_s = grown / (self.t_ns - self.segments[0]) * NS
            self.segments = self.t_ns, count


class Links:
    """Reader of samples, which tells the load on every way. wall_ns: wall time of the zero of their clock."""

    def __init__(self, wall_ns: int) -> None:
        self._wall_ns = wall_ns
        self._ways: dict[Way, Traffic] = {}
        self._ended: list[tuple[Way, int, float]] = []
        self._latest: dict[Way, float] = {}

    def hear(self, component: str, sample: Sample) -> None:
        """Add a sample of a component, of any probe."""
        if sample.probe != "socket_stages" or not sample.subject.startswith("out:"):
            return
        way = (component, sample.subject.removeprefix("out:"))
        traffic = self._ways.setdefault(way, Traffic(sample.t_ns))
        if sample.t_ns != traffic.t_ns:  # all samples of a look have one instant
            traffic.end_look()
            if traffic.awaited is not None:
                self._ended.append((way, traffic.t_ns, traffic.awaited))
            traffic.t_ns, traffic.looks = sample.t_ns, {}
        traffic.looks[sample.metric] = sample.value

    def take_awaited(self, service_map: MapDocument | None) -> tuple[UsedDocument, ...]:
        """Return the answers that were awaited from each component since the last call, in order of time."""
        names, used = _names(service_map), []
        for way, t_ns, awaited in self._ended:
            self._latest[way] = awaited
            if (to := names.get(way)) is not None:
                total = sum(number for each, number in self._latest.items() if names.get(each) == to)
                t_s = round((self._wall_ns + t_ns) / NS, 3)
                used.append(UsedDocument(name=to, t_s=t_s, awaited=round(total, 4)))
        self._ended = []
        return tuple(used)

    def now(self, service_map: MapDocument | None, second: SecondDocument | None) -> tuple[LinkDocument, ...]:
        """Return every way of the map, that of the load first. second: the last one of the load."""
        loaded = (second.ok + second.failed, float(second.in_flight)) if second else (None, None)
        ways: dict[tuple[str, str], tuple[float | None, float | None]] = {(GENERATOR, SERVER): loaded}
        for (source, address), to in _names(service_map).items():
            traffic = self._ways.get((source, address))
            per_s, awaited = ways.get((source, to), (None, None))
            if traffic is not None:
                per_s, awaited = _sum(per_s, traffic.per_s), _sum(awaited, traffic.awaited)
            ways[source, to] = per_s, awaited
        return tuple(
            LinkDocument(source=source, to=to, per_s=per_s, awaited=awaited)
            for (source, to), (per_s, awaited) in ways.items()
        )


def _names(service_map: MapDocument | None) -> Mapping[Way, str]:
    """Return the component at the end of each way."""
    return {(edge.source, edge.address): edge.to for edge in service_map.edges} if service_map else {}


def _sum(first: float | None, second: float | None) -> float | None:
    return second if first is None else first if second is None else first + second
