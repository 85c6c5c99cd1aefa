"""An observer on another host, as the rig sees it: started, heard, put on the rig's clock, stopped.

## What it does

`VIA… PYTHON -m loadrig.probes` is started on this machine, without a shell; any command will do that
carries its standard input and output to a process there (`ssh web1`, `kubectl exec -i web-0 --`). On
that host the same probes run as here. What they read comes back as lines (see `_wire`), and stands in
the recording under the host's name: `web1/host`, `web1/server`.

Its clock is compared with the rig's by twenty exchanges at the start, a few after 1, 3 and 10 s and every
30 s, and once more at the end (see `_clocks`). How far off an instant may be stands in the manifest.

If the connection is lost the run goes on: there is a gap, and the host is tried again every 10 s.

## Cost

Of what is observed: a tick of 150 samples (the default probes of a host and one process) is 1.4 kB, 9 to
14 bytes a sample; the sums, events and clocks beside them are 0.1 kB a second. Saying a sample takes
0.8 µs of one core there, hearing it 1.1 µs here. The observer there used 1.6 % of one core at 1 Hz, of
which the probes were four fifths, and 27 MB of memory; its thread here 0.07 % of one core.
Over a network of two namespaces on one machine, through ssh, clocks agreed to ±0.06 to ±0.1 ms.
Measured on Linux 6.18, Python 3.11.
"""

import os
import shlex
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from loadrig.base.component import HOST, Component
from loadrig.base.errors import RigError
from loadrig.base.series import Event, Sample
from loadrig.base.unavailable import Unavailable
from loadrig.probes._attached import Chosen
from loadrig.probes._counting import Counters
from loadrig.probes._observer import Sink
from loadrig.probes._remote import link as _link
from loadrig.probes._remote import talk as _talk
from loadrig.probes._remote import wire as _wire

NS = 1_000_000_000

RETRY_S = 10.0

FINAL = frozenset({"probe.no-tool", "probe.no-right", "probe.refused", "probe.version", "probe.not-that"})
"""What does not mend itself: after this the host is not tried again (a host may lock out who tries often)."""


NONSENSE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What comes of a line that no observer has written."""


class Asked(Protocol):
    """An observer of a plan. python: the interpreter there, with words before it if need be (sudo)."""

    @property
    def name(self) -> str: ...

    @property
    def via(self) -> str: ...

    @property
    def python(self) -> str: ...

    @property
    def port(self) -> int | None: ...

    @property
    def pid(self) -> int | None: ...

    @property
    def probes(self) -> Sequence[Chosen]: ...

    @property
    def unwatched(self) -> Sequence[str]: ...


class RemoteObserver:
    """Starts the observer on a host, and puts what it says into the recording, on a thread of its own.

    Nothing that happens there ends the run. May be asked from any thread what it knows, as an Observer.

    base: the plan's folder. permits: effects that the plan allows on servers there.
    changed: called after components or metrics have been added.
    """

    def __init__(
        self,
        asked: Asked,
        every_s: float,
        sink: Sink,
        *,
        base: Path = Path(),
        permits: Collection[str] = (),
        changed: Callable[[], None] = lambda: None,
        retry_s: float = RETRY_S,
    ) -> None:
        self.name = asked.name
        self._asked = asked
        self._every_s = every_s
        self._sink = sink
        self._base, self._permits = base, sorted(permits)
        self._changed = changed
        self._retry_s = retry_s
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._link: _link.Link | None = None
        self._notes: deque[str] = deque()
        self._components: tuple[Component, ...] = ()
        self._metrics: dict[str, dict[str, str]] = {}
        self._map: _wire.Message | None = None
        self._counters: Counters[tuple[str, str, str, str]] = Counters()
        self._talks: list[_talk.Talk] = []
        self._unpacker = _wire.Unpacker()
        self._costs: dict[str, Any] = {}
        self._heard_bytes = 0
        self._lost_ns: int | None = None
        self._was_ready = False
        self._told: set[str] = set()
        self._cpu_s = 0.0

    # --- what is known, from any thread -----------------------------------------------------------------

    @property
    def components(self) -> tuple[Component, ...]:
        """What is observed there, by the names that it has here."""
        return self._components

    @property
    def far_pid(self) -> int | None:
        """Process id of the observer there, None before it has answered."""
        return self._hello().get("pid")

    def metrics(self) -> dict[str, dict[str, str]]:
        """Return what the samples mean, for the manifest, as Observer.metrics says it."""
        return self._metrics

    def map(self) -> dict[str, Any] | None:
        """Who talks to whom there, as discovery.to_json says it; None where no server is known there."""
        return self._map

    def new_notes(self) -> list[str]:
        """Return what a person should know, said once."""
        found = []
        with suppress(IndexError):
            while True:
                found.append(self._notes.popleft())
        return found

    def cost(self) -> dict[str, Any]:
        """What watching cost there, as Observer.cost says it; under `here` what hearing it cost the rig."""
        link = self._link
        heard_bytes = self._heard_bytes + (link.heard_bytes if link else 0)
        return {**self._costs, "here": {"cpu_s": self._cpu_s, "bytes": heard_bytes}}

    def facts(self) -> dict[str, Any]:
        """Return what the manifest says of it: who answered, and how far its clock can be trusted.

        offset_ms: what its clock shows more than the rig's; residual_ms: how far off an instant may be;
        drift_ppm: microseconds that it gains in a second; n: exchanges. The first three are None where the
        host never answered.
        """
        aligned = [talk.align for talk in self._talks if talk.align.clock is not None]
        clock = aligned[-1].clock if aligned else None
        hello = self._hello()
        return {
            "name": self.name,
            "via": self._asked.via,
            "offset_ms": clock.offset_ns / 1e6 if clock else None,
            "residual_ms": max(align.residual_ns for align in aligned) / 1e6 if aligned else None,
            "drift_ppm": clock.drift * 1e6 if clock else None,
            "n": sum(align.n for align in aligned),
            "host": hello.get("host"),
            "loadrig": hello.get("loadrig"),
            "python": hello.get("python"),
        }

    def _hello(self) -> _wire.Message:
        """Return what the observer there last said of itself; empty before it has answered."""
        return next((talk.hello for talk in reversed(self._talks) if talk.hello), {})

    # --- its life ---------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to connect, and return at once."""
        self._thread = threading.Thread(target=self._follow, name=f"loadrig-{self.name}", daemon=True)
        self._thread.start()

    def leave(self) -> None:
        """Begin to stop, without waiting for it."""
        self._stopping.set()
        link = self._link
        if link is not None:
            link.wake()

    def stop(self) -> None:
        """Take the last samples from there, end the command and the thread. May be called twice."""
        self.leave()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _follow(self) -> None:
        # A sink that fails says so to whoever else writes to it too, as in Observer.
        with suppress(RigError):
            while not self._stopping.is_set():
                missing, said = self._connect()
                if missing is None:
                    break
                self._lose(missing, said)
                if missing.code in FINAL:
                    break
                self._stopping.wait(self._retry_s)
        self._cpu_s = time.thread_time()

    def _connect(self) -> tuple[Unavailable | None, list[str]]:
        """One connection, from its start to its end: why it ended, unless told to, and its last words."""
        command = [*shlex.split(self._asked.via), *shlex.split(self._asked.python), "-m", "loadrig.probes"]
        try:
            link = _link.Link(command)
        except OSError as error:
            return _link.why_not_started(command, error), []
        self._link = link
        try:
            self._converse(link)
        except _link.Ended as ended:
            if self._stopping.is_set():
                return None, []
            asked, has_answered = self._asked, bool(self._talks[-1].hello)
            why = _link.why_ended(ended.code, link.said, asked.via, asked.python, has_answered=has_answered)
            return why, list(link.said)
        except Unavailable as missing:
            return missing, list(link.said)
        except NONSENSE as error:
            nonsense = Unavailable(
                f"what it says makes no sense ({type(error).__name__}: {error})",
                f"see that nothing else writes to that pipe: {self._asked.via}",
                code="probe.not-that",
            )
            return nonsense, list(link.said)
        finally:
            self._link = None
            self._heard_bytes += link.heard_bytes
            self._cpu_s = time.thread_time()
            link.close()
        return None, []

    def _converse(self, link: _link.Link) -> None:
        # A host that was lost may have been started anew since: its clock is another then.
        self._unpacker = _wire.Unpacker()
        asked = self._asked
        talk = _talk.Talk(link, asked.via, asked.python, self._every_s, self._take, self._stopping)
        self._talks = [one for one in self._talks if one.align.clock is not None] + [talk]
        if talk.greet():
            talk.observe(self._config())

    def _config(self) -> _wire.Message:
        asked = self._asked
        handed = _wire.hand_over([(one.member, one.options) for one in asked.probes], os.environ, self._base)
        return {
            "protocol": _wire.PROTOCOL,
            "every_s": self._every_s,
            "port": asked.port,
            "pid": asked.pid,
            "options": handed.options,
            "unwatched": list(asked.unwatched),
            "secrets": handed.secrets,
            "permits": self._permits,
        }

    # --- what it says -----------------------------------------------------------------------------------

    def _take(self, message: _wire.Message) -> None:
        """Put one message where it belongs."""
        match message:
            case {"samples": said}:
                self._keep_samples(said)
            case {"new": new}:
                self._unpacker.add(new)
            case {"event": said}:
                event = _wire.unpacked_event(said)
                where = f"{self.name}/{event.component or HOST}"
                self._sink.event(replace(event, t_ns=self._dated(event.t_ns), component=where))
            case {"known": said}:
                self._metrics = said["metrics"]
                self._components = tuple(
                    _wire.unpacked_component(one, self.name) for one in said["components"]
                )
                self._changed()
            case {"map": said}:
                self._map = _wire.placed_map(said, self.name) if said else None
            case {"notes": notes}:
                self._notes += [f"{self.name}: {note}" for note in notes]
            case {"cost": said}:
                self._costs = said
                self._cpu_s = time.thread_time()
            case {"ready": _}:
                self._be_ready()
            case {"refused": said}:
                raise Unavailable(said["reason"], said["mend"], said["code"])

    def _dated(self, there_ns: int) -> int:
        clock = self._talks[-1].align.clock
        if clock is None:
            raise ValueError("it is said before the clocks were compared")
        return clock.here(there_ns)

    def _keep_samples(self, said: Mapping[str, Any]) -> None:
        component, samples = self._unpacker.samples(said, self._dated)
        where = f"{self.name}/{component}"
        self._sink.samples([self._gone_on(where, one) for one in samples], where)

    def _gone_on(self, component: str, sample: Sample) -> Sample:
        """Return a counter goes on where it was when the connection was lost."""
        if self._metrics.get(f"{sample.probe}.{sample.metric}", {}).get("kind") != "counter":
            return sample
        key = (component, sample.probe, sample.metric, sample.subject)
        value = self._counters.go_on(key, sample.value)
        return sample if value == sample.value else replace(sample, value=value)

    def _be_ready(self) -> None:
        now_ns = time.monotonic_ns()
        if self._lost_ns is not None:
            seconds = (now_ns - self._lost_ns) / NS
            text = f"{self.name} is observed again, after {seconds:.0f} s"
            facts = {"gap_s": seconds}
            self._sink.event(Event(now_ns, "gap_over", self.name, text, facts, f"{self.name}/{HOST}"))
            self._lost_ns = None
        elif not self._was_ready:
            self._notes.append(clock_text(self.facts()))
        self._was_ready = True

    def _lose(self, missing: Unavailable, said: list[str]) -> None:
        """Say that the host is not observed (any more), once for each reason. said: the last words."""
        facts = {"code": missing.code, "mend": missing.mend, "said": said}
        last = f" ({said[-1]})" if said else ""
        where = f"{self.name}/{HOST}"
        if self._was_ready and self._lost_ns is None:
            self._lost_ns = self._talks[-1].heard_ns
            text = f"{self.name} is no longer observed: {missing.reason}{last}; {missing.mend}"
            self._sink.event(Event(self._lost_ns, "gap", self.name, text, facts, where))
        elif missing.code not in self._told:
            text = f"{self.name} is not observed: {missing.reason}{last}; {missing.mend}"
            self._sink.event(Event(time.monotonic_ns(), "note", self.name, text, facts, where))
        else:
            return
        self._told.add(missing.code)
        self._notes.append(text)


def clock_text(facts: Mapping[str, Any]) -> str:
    """One line on the clock of an observer of the manifest: "web1: one clock to ±0.2 ms"."""
    residual_ms = facts.get("residual_ms")
    if residual_ms is None:
        return f"{facts['name']}: it never answered, so nothing is known of its clock"
    return f"{facts['name']}: one clock to ±{residual_ms:.2g} ms"
