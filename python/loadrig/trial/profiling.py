"""Profiles taken while a trial runs: when, of which components, by which profiler, and kept where."""

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, Literal, Protocol, Self

from loadrig.base import members, private, processes
from loadrig.base.component import HOST, SERVER, Component
from loadrig.base.errors import RigError
from loadrig.base.series import Event
from loadrig.base.unavailable import Unavailable
from loadrig.engine.lines import length_s, line_of
from loadrig.plan.model import Plan, ProfileRules, Replay
from loadrig.recording.files import making
from loadrig.recording.layout import TrialFolder
from loadrig.recording.writer import TrialWriter
from loadrig.trial.spec import Watcher

ROOM = "loadrig.profilers"
NS = 1_000_000_000

LOOK_S = 0.05
"""How often it is looked whether a profile is due, or the load over."""

LEAST_S = 1.0
"""A shorter profile has fewer than a hundred samples of a busy core."""

ATTACH_S = 1.0
"""Room between two profiles: a profiler attaches before, and writes what it saw after its time."""

SETTLE_S = 0.5
"""After a step of the load, before it is profiled: connections are opened, queues fill."""

KNOWN_S = 4.0
"""How long a server may be unknown: it is looked at for the first time a second after the load's start."""

UNKNOWN_S = 1.0
"""From when a load is profiled that ends at a count, so that nobody knows when."""

Load = Literal["low", "high"]

LOW_TOO = "at low and saturation"


class Paced(Protocol):
    """What is asked of trial.pace: the phase, and when measuring began."""

    @property
    def phase(self) -> str:
        """One of warm_up, measuring and draining."""

    from_ns: int | None


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the load that is profiled. from_s, to_s: from its start; to_s None where that is not known.

    is_measured: whether they count from the beginning of the measured part instead.
    """

    load: Load
    from_s: float
    to_s: float | None
    is_measured: bool = False


def parts(plan: Plan) -> list[Part]:
    """Where the load is low (if that is asked for) and where it is at its top, in the order of time.

    Of a load that varies by itself: its highest level that is held, the last of several, or the last fifth
    before its peak; and the first lower one. A constant load is at its top from a third of the shortest time
    that is measured.
    """
    rules, arrivals = plan.profile, plan.workload.arrivals
    assert rules is not None
    length = None if isinstance(arrivals, Replay) else length_s(arrivals)
    if isinstance(arrivals, Replay) or length is None:
        if isinstance(arrivals, Replay) or plan.workload.requests_limit or plan.workload.loops_per_user:
            return [Part("high", UNKNOWN_S, None, is_measured=True)]
        at_least = float(plan.trial.measure.at_least)
        return [Part("high", at_least / 3, at_least, is_measured=True)]
    levels = _held(line_of(arrivals), length)
    top = max(level for _, _, level in levels)
    high = max((from_s, to_s) for from_s, to_s, level in levels if level == top)
    low = next(((from_s, to_s) for from_s, to_s, level in levels if 0 < level < top), None)
    found = [Part("high", *high)]
    if rules.when == LOW_TOO and low is not None:
        found.append(Part("low", *low))
    return sorted(found, key=lambda part: part.from_s)


def _held(line: list[list[float]], length: float) -> list[tuple[float, float, float]]:
    """(from_s, to_s, level) of each level that is held; of a ramp its last fifth, at its higher end's."""
    found = []
    points = [*line, [length, line[-1][1]]]
    for (from_s, before), (to_s, after) in pairwise(points):
        if to_s <= from_s:
            continue
        found.append((from_s if before == after else to_s - (to_s - from_s) / 5, to_s, max(before, after)))
    return found or [(0.0, length, line[-1][1])]


def chosen(rules: ProfileRules, components: Sequence[Component]) -> tuple[list[Component], list[str]]:
    """The components to profile, in order, and the names of those that are asked for and not there."""
    if rules.components:
        known = {one.name: one for one in components}
        there = [known[name] for name in rules.components if name in known]
        return there, [name for name in rules.components if name not in known]
    server = [one for one in components if one.name == SERVER]
    others = [
        one for one in components if one.name not in (SERVER, HOST) and one.pid is not None and one.runtime
    ]
    return [*server, *others], []


def fitting(component: Component) -> list[tuple[str, ModuleType]]:
    """Profilers that fit a component by name, the best one first."""
    found = [(name, members.load(ROOM, name)) for name in members.names(ROOM)]
    return sorted(
        ((name, module) for name, module in found if module.fits(component)), key=lambda pair: pair[1].RANK
    )


class Profiling:
    """Takes the profiles of one trial on a thread of its own; without rules it does nothing.

    Made by the trial's runner, used as a context manager around the load: entered before it, told by
    `begin` when it begins, left when it is over, which ends a profile under way. What cannot be profiled
    becomes an event, and a note to the watcher at the end. Nothing that happens here ends a trial.
    components: who is known, asked when a profile is due.
    """

    def __init__(
        self,
        plan: Plan,
        components: Callable[[], Sequence[Component]],
        writer: TrialWriter,
        folder: TrialFolder,
        watch: Watcher,
    ) -> None:
        self._plan, self._rules = plan, plan.profile
        self._components, self._writer, self._folder, self._watch = components, writer, folder, watch
        self._base = Path(plan.path).parent if plan.path else Path()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        self._notes: list[str] = []
        self._profiled: list[dict[str, Any]] = []

    def begin(self, pace: Paced, start_ns: int) -> None:
        """The load begins at start_ns; pace: told of its frames by somebody else."""
        if self._rules is not None:
            self._thread = threading.Thread(
                target=self._follow, args=(pace, start_ns), name="loadrig-profiler", daemon=True
            )
            self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()
        for note in self._notes:
            self._watch.note(note)

    # --- the thread -------------------------------------------------------------------------------

    def _follow(self, pace: Paced, start_ns: int) -> None:
        # Who cannot write the recording any more says so in the trial's own thread.
        with suppress(RigError):
            try:
                self._take_all(pace, start_ns)
            except RigError:
                raise
            except Exception as error:
                self._broke(SERVER, "profiling", error)

    def _take_all(self, pace: Paced, start_ns: int) -> None:
        over = _Over(self._over, pace)
        expected = parts(self._plan)
        for part in expected:
            self._take_part(part, pace, start_ns, over)
        assert self._rules is not None
        if self._rules.when == LOW_TOO and not any(part.load == "low" for part in expected):
            self._note(SERVER, "no profile at low load: this load has no part that is lower", "")

    def _take_part(self, part: Part, pace: Paced, start_ns: int, over: "_Over") -> None:
        from_ns, to_ns = self._wait_for(part, pace, start_ns, over)
        if from_ns is None:
            return
        self._wait_until_known(over)
        assert self._rules is not None
        components, missing = chosen(self._rules, self._components())
        for name in missing:
            self._note(name, f"{name} is not profiled: no component of this name is known", "")
        for component in components:
            now_ns = time.monotonic_ns()
            left_s = self._rules.length if to_ns is None else (to_ns - now_ns) / NS - ATTACH_S
            seconds = min(float(self._rules.length), left_s)
            if over.is_set():
                return
            if seconds < LEAST_S:
                text = f"{component.name} is not profiled at {part.load} load: that lasts no longer"
                self._note(component.name, text, "profile.too-short")
                continue
            self._take(component, part.load, seconds, over)

    def _wait_for(
        self, part: Part, pace: Paced, start_ns: int, over: "_Over"
    ) -> tuple[int | None, int | None]:
        """Wait until the part begins, and measuring. Returns its ends, (None, None) if it never does."""
        while not over.is_set():
            if pace.from_ns is not None:
                origin_ns = pace.from_ns if part.is_measured else start_ns
                from_ns = max(origin_ns + int(part.from_s * NS), pace.from_ns)
                settled_ns = from_ns + int(SETTLE_S * NS)
                if time.monotonic_ns() >= settled_ns:
                    return settled_ns, None if part.to_s is None else origin_ns + int(part.to_s * NS)
            over.wait(LOOK_S)
        return None, None

    def _wait_until_known(self, over: "_Over") -> None:
        """Wait until it is known what the server runs on, for that says by which profiler it is taken."""
        until = time.monotonic() + KNOWN_S
        while not over.is_set() and time.monotonic() < until:
            server = next((one for one in self._components() if one.name == SERVER), None)
            if server is None or server.pid is None or server.runtime:
                return
            over.wait(LOOK_S)

    def _take(self, component: Component, load: Load, seconds: float, over: "_Over") -> None:
        """Profile one component by the best profiler that can."""
        found = fitting(component)
        if not found:
            what = component.runtime or component.kind
            self._note(component.name, f"{component.name} is not profiled: no profiler fits {what}", "")
        for name, module in found:
            try:
                self._take_by(name, module, component, load, seconds, over)
                return
            except Unavailable as missing:
                text = f"{module.NAME} does not profile {component.name}: {missing.reason}; {missing.mend}"
                self._note(component.name, text, missing.code, missing.mend)
            except RigError:
                raise
            except Exception as error:
                self._broke(component.name, f"{module.NAME} on {component.name}", error)
            if over.is_set():
                return

    def _take_by(
        self, name: str, module: Any, component: Component, load: Load, seconds: float, over: "_Over"
    ) -> None:
        # What follows is imported while the load runs, and not before its first request.
        import tempfile

        from loadrig.profilers import Shot, encoded, own_of

        assert self._rules is not None
        options = next((one.options for one in self._rules.profilers if one.member == name), None)
        with tempfile.TemporaryDirectory(prefix="loadrig-profile-") as scratch:
            permits = frozenset(self._plan.permit)
            tell = self._tell_of(component)
            shot = Shot(seconds, Path(scratch), over, self._base, permits, tell)
            before, used = time.monotonic(), _used_s(component)
            taken = module.take(module.Options() if options is None else options, component, shot)
            after, used_then = time.monotonic(), _used_s(component)
        if not taken.profile.count:
            raise Unavailable(
                f"it saw no thread that ran in {seconds:.1f} s", "load the server more", "profile.empty"
            )
        path = self._folder.profile(component.name, load, module.NAME)
        data = taken.pprof or encoded(taken.profile, f"{module.NAME}, {component.name}, {load} load")
        with making(path):
            private.make_folder(path.parent)
            with open(path, "wb", opener=private.opener) as file:
                file.write(data)
        duration_s = (taken.ended_ns - taken.began_ns) / NS
        facts = {
            "profiler": module.NAME,
            "load": load,
            "duration_s": duration_s,
            "path": str(path.relative_to(self._folder.path)),
            "cpu_s": taken.cpu_s,
            "samples": taken.profile.count,
            # A profiler takes a little longer than it watches, so what was used is kept as a rate.
            "used_cores": None
            if used is None or used_then is None
            else (used_then - used) / (after - before),
            "own": own_of(component, taken.pid or 0).to_json(),
        }
        text = f"{module.NAME} profiled {component.name} for {duration_s:.1f} s at {load} load"
        self._writer.event(Event(taken.began_ns, "profile", module.NAME, text, facts, component.name))
        self._profiled.append(
            {"component": component.name, "load": load, "from_ns": taken.began_ns, "to_ns": taken.ended_ns}
        )
        self._writer.manifest_note(profiled=list(self._profiled))

    def _tell_of(self, component: Component) -> Callable[[Event], None]:
        """What takes the events of one component's profiler into the recording."""
        return lambda event: self._writer.event(replace(event, component=component.name))

    def _broke(self, component: str, what: str, error: Exception) -> None:
        """A fault of ours, or of a profiler's author; called while it is handled."""
        import traceback  # only here: nobody waits for it where nothing breaks

        text = f"{what} failed: {type(error).__name__}: {error}"
        self._note(component, text, "profile.failed", trace=traceback.format_exc(limit=-5))

    def _note(self, component: str, text: str, code: str, mend: str = "", trace: str = "") -> None:
        """Tell the recording now, and the watcher when the load is over: once each."""
        if text in self._notes:
            return
        self._notes.append(text)
        facts = {name: said for name, said in (("code", code), ("mend", mend), ("trace", trace)) if said}
        self._writer.event(Event(time.monotonic_ns(), "note", "profile", text, facts, component))


def _used_s(component: Component) -> float | None:
    """CPU seconds that a component's processes have used, their dead children's too; None if not known."""
    if component.pid is None:
        return None
    table = processes.table()
    found = [table[pid] for pid in processes.tree(component.pid, table)]
    ticks = sum(one.user + one.system + one.dead_user + one.dead_system for one in found)
    return ticks / processes.TICKS_PER_S if found else None


class _Over:
    """Set when the trial leaves, and as soon as the load is not measured any more. As threading.Event."""

    def __init__(self, left: threading.Event, pace: Paced) -> None:
        self._left, self._pace = left, pace

    def is_set(self) -> bool:
        """Whether a profile under way comes too late."""
        return self._left.is_set() or self._pace.phase == "draining"

    def wait(self, timeout: float) -> bool:
        """Wait until it is set, at most so long. Returns whether it is."""
        until = time.monotonic() + timeout
        while not self.is_set() and (left := until - time.monotonic()) > 0:
            self._left.wait(min(left, LOOK_S))
        return self.is_set()
