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
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_attached import ProbesAttachedErrors
from loadrig.language.events import SENTENCES, event_words
from loadrig.probes._purse import Purse
from loadrig.probes._session import Lost, Place, Session, Unavailable

ERRORS = texts_of(ProbesAttachedErrors)

ROOM = "loadrig.probes"

NOT_OFFERED = frozenset({"probe.not-that", "probe.no-mbeans"})
"""Codes of errors for what the server does not offer (a page of figures, an access log).

They stand in the recording, and are news only to a user who has asked for that probe.
"""


SAME_FROM_ALL = frozenset({"probe.no-process", "probe.not-permitted"})
"""Codes of errors for a process that cannot be seen or entered: news once, as all probes meet them."""


class ChosenProbe(Protocol):
    """A probe to use: its name, and its options; None for the probe's defaults."""

    @property
    def member(self) -> str: ...

    @property
    def options(self) -> Any: ...


@dataclass(slots=True, eq=False)
class Attached:
    """A probe at work on a component, and what it has cost so far."""

    name: str
    component: Component
    session: Session
    is_asked: bool = False
    cpu_s: float = 0.0
    lost_ns: int | None = None


class Fleet:
    """All probes of a run.

    It attaches probes to components as these are found, and reports what becomes of them.
    """

    def __init__(self, chosen: Iterable[ChosenProbe], place: Place, tell: Callable[[Event], None]) -> None:
        """Begin without components. tell: takes the events of all probes."""
        self._chosen = tuple(chosen)
        self._place = dataclasses.replace(place, components=self.components)
        self._tell = tell
        self._components: dict[str, Component] = {}
        self._refused: set[tuple[str, str]] = set()
        self._unseen: set[tuple[str, str]] = set()
        self._notes: list[str] = []
        self._detached: list[Attached] = []
        self._told_metrics = 0
        self._told_peers: set[tuple[str, str, int]] = set()
        self.attached: list[Attached] = []
        self.metrics: dict[str, Metric] = {}

    @property
    def purse(self) -> Purse:
        """Budget of CPU time that the sensors share."""
        return self._place.purse

    def components(self) -> tuple[Component, ...]:
        """Return the components that are known now."""
        return tuple(self._components.values())

    def new_notes(self) -> list[str]:
        """Return the notes since the last call."""
        notes, self._notes = self._notes, []
        return notes

    def has_new_metrics(self) -> bool:
        """Return whether metrics were added since the last call."""
        before, self._told_metrics = self._told_metrics, len(self.metrics)
        return before != self._told_metrics

    def take_in(self, component: Component, t_ns: int) -> None:
        """Take a new or changed component, and attach the probes that fit and are not yet at work on it.

        Probes of a component that was started again are detached from the old process first.
        """
        before = self._components.get(component.name)
        self._components[component.name] = component
        if before is None:
            facts = {"kind": component.kind, "pid": component.pid}
            text = event_words(
                SENTENCES.component_found, component.name, component.kind, component.version or "",
                str(component.pid or ""),
            )  # fmt: skip
            self._tell(Event.of(t_ns, "component_found", component.kind, text, facts, component.name))
        elif before.pid is not None and (before.pid, before.start) != (component.pid, component.start):
            self._leave(component.name)
        at_work = {(probe.name, probe.component.name) for probe in self.attached}
        for chosen in self._chosen:
            if (chosen.member, component.name) not in at_work:
                self._attach(chosen, component, t_ns)

    def _attach(self, chosen: ChosenProbe, component: Component, t_ns: int) -> None:
        before = time.thread_time()
        try:
            # A probe that cannot fit is not imported while the load runs.
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
        """Return the connections of components that are new: component, remote host and port, each once."""
        connections = {
            (probe.component.name, host, port)
            for probe in self.attached
            for host, port in getattr(probe.session, "peers", ())
        }
        unknown = sorted(connections - self._told_peers)
        self._told_peers |= connections
        return unknown

    def _refuse(self, chosen: ChosenProbe, component: str, missing: Unavailable, t_ns: int) -> None:
        probe = chosen.member
        if (probe, component) in self._refused:
            return
        self._refused.add((probe, component))
        text = ERRORS.probe_off(probe, missing.reason, missing.mend)
        is_news = missing.code not in NOT_OFFERED and (component, missing.code) not in self._unseen
        if missing.code in SAME_FROM_ALL:
            self._unseen.add((component, missing.code))
        if chosen.options is not None or is_news:
            self._notes.append(text)
        facts = {"code": missing.code, "mend": missing.mend}
        self._tell(Event(t_ns, "note", probe, text, facts, component))

    def sample(self, probe: Attached, t_ns: int) -> list[Sample]:
        """Let a probe read, and report what happened to it."""
        before = time.thread_time()
        samples: list[Sample] = []
        try:
            samples = probe.session.sample(t_ns)
            if probe.lost_ns is not None and samples:
                self._end_gap(probe, t_ns)
            self._hear(probe)
            for name, metric in _own_metrics(probe.session).items():
                self.metrics[f"{probe.name}.{name}"] = metric
        except Lost as lost:
            self._hear(probe)
            self._lose(probe, lost, t_ns)
            # A session that has given up raises the same error each time, which would keep all frames that it
            # went through, with what was read in them: some 70 MB in an hour.
            lost.__traceback__ = None
        except Exception as error:
            self._drop(probe)
            self.failed(probe.name, probe.component.name, t_ns, error)
        finally:
            probe.cpu_s += time.thread_time() - before
        return samples

    def _hear(self, probe: Attached) -> None:
        for event in probe.session.events():
            self._tell(dataclasses.replace(event, component=probe.component.name))

    def _lose(self, probe: Attached, lost: Lost, t_ns: int) -> None:
        if probe.lost_ns is not None:
            return
        probe.lost_ns = t_ns
        text = ERRORS.nothing_seen(probe.name, probe.component.name, lost.reason, lost.mend)
        facts = {"code": lost.code, "mend": lost.mend}
        self._tell(Event(t_ns, "gap", probe.name, text, facts, probe.component.name))
        is_news = lost.code not in NOT_OFFERED and (probe.component.name, lost.code) not in self._unseen
        if lost.code == "probe.not-permitted":
            self._unseen.add((probe.component.name, lost.code))
        if probe.is_asked or is_news:
            self._notes.append(text)

    def _end_gap(self, probe: Attached, t_ns: int) -> None:
        assert probe.lost_ns is not None
        seconds = (t_ns - probe.lost_ns) / 1e9
        text = ERRORS.seen_again(probe.name, probe.component.name, f"{seconds:.0f}")
        self._tell(Event(t_ns, "gap_over", probe.name, text, {"gap_s": seconds}, probe.component.name))
        probe.lost_ns = None

    def failed(self, probe: str, component: str, t_ns: int, error: Exception) -> None:
        """Report a fault of a probe with its trace; the probe is no longer used."""
        import traceback  # nobody waits for it where no probe fails

        problem = Problem.of(
            ERRORS.probe_failed(probe, type(error).__name__, str(error)), code="probe.failed"
        )
        trace = "".join(traceback.format_exception(error, limit=-5))
        facts = {"code": problem.code, "mend": problem.mend, "trace": trace}
        self._tell(Event(t_ns, "probe_failed", probe, problem.what, facts, component))

    def _leave(self, component: str) -> None:
        for probe in [probe for probe in self.attached if probe.component.name == component]:
            self._drop(probe)

    def _drop(self, probe: Attached) -> None:
        self.attached.remove(probe)
        self._detached.append(probe)
        _detach(probe.session)
        self._hear(probe)  # the events of what detaching has closed

    def detach(self) -> None:
        """Detach all probes."""
        while self.attached:
            self._drop(self.attached[-1])

    def cost(self) -> dict[str, float]:
        """Return CPU seconds by probe, in the observer's thread and beside it."""
        cpu_s: dict[str, float] = {}
        for probe in (*self._detached, *self.attached):
            cpu_s[probe.name] = cpu_s.get(probe.name, 0.0) + probe.cpu_s + _aside_s(probe)
        return cpu_s

    def cpu_aside_s(self) -> float:
        """Return the CPU seconds of all probes in threads and programs of their own."""
        return sum(_aside_s(probe) for probe in (*self._detached, *self.attached))


def _aside_s(probe: Attached) -> float:
    return float(getattr(probe.session, "cpu_s", 0.0))


def _own_metrics(session: Session) -> Mapping[str, Metric]:
    """Return the metrics that a session has found by itself, as on a page of figures."""
    metrics: Mapping[str, Metric] = getattr(session, "metrics", {})
    return metrics


def _detach(session: Session) -> None:
    try:
        session.detach()
    except Exception:
        import traceback

        # The session is given up in any case; what it could not close ends with this process.
        traceback.print_exc()
