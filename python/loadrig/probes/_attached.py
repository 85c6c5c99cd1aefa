"""The probes at work: attached to the components that they fit, asked, and let go."""

import dataclasses
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from loadrig.base import members
from loadrig.base.component import Component
from loadrig.base.errors import Problem
from loadrig.base.series import Event, Metric, Sample
from loadrig.probes._purse import Purse
from loadrig.probes._session import Lost, Place, Session, Unavailable

ROOM = "loadrig.probes"

NOT_OFFERED = frozenset({"probe.not-that", "probe.no-mbeans"})
"""The server does not offer what the probe reads (a page of figures, an access log): no news to who has not
asked for that probe. It stands in the recording."""


SAME_FROM_ALL = frozenset({"probe.no-process", "probe.not-permitted"})
"""The process cannot be seen, or may not be entered: news once, and the same from every other probe."""


class Chosen(Protocol):
    """A probe to use: its name, and its options, None for those that it has by itself."""

    @property
    def member(self) -> str: ...

    @property
    def options(self) -> Any: ...


@dataclass(slots=True, eq=False)
class Attached:
    """One probe at work on one component, and what it has cost so far."""

    name: str
    component: Component
    session: Session
    is_asked: bool = False
    cpu_s: float = 0.0
    lost_ns: int | None = None


class Fleet:
    """All probes of a run. It takes components in as they are found, and says what becomes of each probe."""

    def __init__(
        self, chosen: Iterable[Chosen], place: Place, tell: Callable[[Event], None], clock: Callable[[], int]
    ) -> None:
        """tell: takes the events."""
        self._chosen = tuple(chosen)
        self._place = dataclasses.replace(place, components=self.components)
        self._tell = tell
        self._clock = clock
        self._components: dict[str, Component] = {}
        self._refused: set[tuple[str, str]] = set()
        self._unseen: set[tuple[str, str]] = set()
        self._notes: list[str] = []
        self._gone: list[Attached] = []
        self._told_metrics = 0
        self._told_peers: set[tuple[str, str, int]] = set()
        self.attached: list[Attached] = []
        self.metrics: dict[str, Metric] = {}

    @property
    def purse(self) -> Purse:
        """The CPU time that the sensors share."""
        return self._place.purse

    def components(self) -> tuple[Component, ...]:
        """All that are known now."""
        return tuple(self._components.values())

    def new_notes(self) -> list[str]:
        """Notes since the last call."""
        notes, self._notes = self._notes, []
        return notes

    def has_new_metrics(self) -> bool:
        """Whether metrics have been added since the last call."""
        before, self._told_metrics = self._told_metrics, len(self.metrics)
        return before != self._told_metrics

    def take_in(self, component: Component, t_ns: int) -> None:
        """A component is new, or more is known of it: attach the probes that fit and are not yet there.

        One that has become another process (it was started anew) is left by its probes first.
        """
        before = self._components.get(component.name)
        self._components[component.name] = component
        if before is None:
            facts = {"kind": component.kind, "pid": component.pid}
            self._tell(
                Event(t_ns, "component_found", component.kind, _told(component), facts, component.name)
            )
        elif before.pid is not None and (before.pid, before.start) != (component.pid, component.start):
            self._leave(component.name)
        at_work = {(one.name, one.component.name) for one in self.attached}
        for chosen in self._chosen:
            if (chosen.member, component.name) not in at_work:
                self._attach(chosen, component, t_ns)

    def _attach(self, chosen: Chosen, component: Component, t_ns: int) -> None:
        before = time.thread_time()
        try:
            # One that cannot fit is not imported while the load runs.
            if not members.may_fit(ROOM, chosen.member, component):
                return
            module = members.load(ROOM, chosen.member)
            if not module.fits(component):
                return
            options = module.Options() if chosen.options is None else chosen.options
            session = module.attach(options, component, self._place)
        except Unavailable as missing:
            self._refuse(chosen, component.name, missing, t_ns)
            return
        except Exception as error:
            self.failed(chosen.member, component.name, t_ns, error)
            return
        self.metrics.update({f"{chosen.member}.{name}": metric for name, metric in module.METRICS.items()})
        cpu_s = time.thread_time() - before
        is_asked = chosen.options is not None
        self.attached.append(Attached(chosen.member, component, session, is_asked, cpu_s))

    def new_peers(self) -> list[tuple[str, str, int]]:
        """Components, and host and port to which each was seen to hold a connection; each once."""
        seen = {
            (one.component.name, host, port)
            for one in self.attached
            for host, port in getattr(one.session, "peers", ())
        }
        new = sorted(seen - self._told_peers)
        self._told_peers |= seen
        return new

    def _refuse(self, chosen: Chosen, component: str, missing: Unavailable, t_ns: int) -> None:
        probe = chosen.member
        if (probe, component) in self._refused:
            return
        self._refused.add((probe, component))
        text = f"probe {probe} is off: {missing.reason}; {missing.mend}"
        is_news = missing.code not in NOT_OFFERED and (component, missing.code) not in self._unseen
        if missing.code in SAME_FROM_ALL:
            self._unseen.add((component, missing.code))
        if chosen.options is not None or is_news:
            self._notes.append(text)
        facts = {"code": missing.code, "mend": missing.mend}
        self._tell(Event(t_ns, "note", probe, text, facts, component))

    def sample(self, one: Attached, t_ns: int) -> list[Sample]:
        """Let one probe read, and tell what happened to it."""
        before = time.thread_time()
        samples: list[Sample] = []
        try:
            samples = one.session.sample(t_ns)
            if one.lost_ns is not None and samples:
                self._found_again(one, t_ns)
            self._hear(one)
            for name, metric in _own_metrics(one.session).items():
                self.metrics[f"{one.name}.{name}"] = metric
        except Lost as lost:
            self._hear(one)
            self._lose(one, lost, t_ns)
            # A session that has given up raises the same one each time. It would keep all frames that it went
            # through, with what was read in them: some 70 MB in an hour.
            lost.__traceback__ = None
        except Exception as error:
            self._drop(one)
            self.failed(one.name, one.component.name, t_ns, error)
        finally:
            one.cpu_s += time.thread_time() - before
        return samples

    def _hear(self, one: Attached) -> None:
        for event in one.session.events():
            self._tell(dataclasses.replace(event, component=one.component.name))

    def _lose(self, one: Attached, lost: Lost, t_ns: int) -> None:
        if one.lost_ns is not None:
            return
        one.lost_ns = t_ns
        text = f"probe {one.name} sees nothing of {one.component.name}: {lost.reason}; {lost.mend}"
        facts = {"code": lost.code, "mend": lost.mend}
        self._tell(Event(t_ns, "gap", one.name, text, facts, one.component.name))
        is_news = lost.code not in NOT_OFFERED and (one.component.name, lost.code) not in self._unseen
        if lost.code == "probe.not-permitted":
            self._unseen.add((one.component.name, lost.code))
        if one.is_asked or is_news:
            self._notes.append(text)

    def _found_again(self, one: Attached, t_ns: int) -> None:
        assert one.lost_ns is not None
        seconds = (t_ns - one.lost_ns) / 1e9
        text = f"probe {one.name} sees {one.component.name} again, after {seconds:.0f} s"
        self._tell(Event(t_ns, "gap_over", one.name, text, {"gap_s": seconds}, one.component.name))
        one.lost_ns = None

    def failed(self, probe: str, component: str, t_ns: int, error: Exception) -> None:
        """A fault of ours: said with its trace, and the probe is no longer used."""
        import traceback  # nobody waits for it where no probe fails

        problem = Problem(
            what=f"probe {probe} failed and was detached: {type(error).__name__}: {error}",
            mend="switch it off in the plan by `unwatched`; please report it with the trace in events.jsonl",
            code="probe.failed",
        )
        trace = "".join(traceback.format_exception(error, limit=-5))
        facts = {"code": problem.code, "mend": problem.mend, "trace": trace}
        self._tell(Event(t_ns, "probe_failed", probe, problem.what, facts, component))

    def _leave(self, component: str) -> None:
        for one in [one for one in self.attached if one.component.name == component]:
            self._drop(one)

    def _drop(self, one: Attached) -> None:
        self.attached.remove(one)
        self._gone.append(one)
        _detach(one.session)
        self._hear(one)  # of what it has closed again

    def detach(self) -> None:
        """Let go of all that is attached."""
        while self.attached:
            self._drop(self.attached[-1])

    def cost(self) -> dict[str, float]:
        """CPU seconds by probe: in the observer's thread and beside it."""
        found: dict[str, float] = {}
        for one in (*self._gone, *self.attached):
            found[one.name] = found.get(one.name, 0.0) + one.cpu_s + _aside_s(one)
        return found

    def cpu_aside_s(self) -> float:
        """CPU seconds of all probes in threads and programs of their own."""
        return sum(_aside_s(one) for one in (*self._gone, *self.attached))


def _aside_s(one: Attached) -> float:
    return float(getattr(one.session, "cpu_s", 0.0))


def _own_metrics(session: Session) -> Mapping[str, Metric]:
    """Metrics that a session has found by itself, as a page of figures may hold any."""
    found: Mapping[str, Metric] = getattr(session, "metrics", {})
    return found


def _told(component: Component) -> str:
    what = component.kind if component.kind == component.name else f"{component.name} is {component.kind}"
    version = f" {component.version}" if component.version else ""
    return f"{what}{version}" + (f", process {component.pid}" if component.pid else "")


def _detach(session: Session) -> None:
    try:
        session.detach()
    except Exception:
        import traceback

        # It is given up in any case; what it could not give back ends with this process.
        traceback.print_exc()
