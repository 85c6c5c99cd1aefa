"""Profiles taken while a trial runs: when, of which components, by which profiler, and kept where."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from loadrig.base.clock import NS
from loadrig.base.component import HOST, SERVER, Component
from loadrig.language.choice import texts_of
from loadrig.language.en.trial.running import TrialProfilingTexts
from loadrig.plan.model import Plan, ProfileRules
from loadrig.recording.layout import TrialFolder
from loadrig.recording.writer import TrialWriter
from loadrig.trial.beside import LOOK_S, Beside, LoadOver, LoadPace
from loadrig.trial.spec import Watcher
from loadrig.trial.taking import Load, Missing, Taker, broken

TEXTS = texts_of(TrialProfilingTexts)

LEAST_S = 1.0
"""Least length of a profile, in seconds: a shorter one has fewer than a hundred samples of a busy core."""

ATTACH_S = 1.0
"""Time between two profiles, in seconds: a profiler attaches before its time, and writes its profile after
it."""

SETTLE_S = 0.5
"""Time after a step of the load before it is profiled, in seconds: connections are opened, queues fill."""

KNOWN_S = 4.0
"""Longest time that a server may be unknown, in seconds: it is looked at for the first time a second after
the load's start."""

UNKNOWN_S = 1.0
"""Time after which a load is profiled that ends at a count, in seconds, as nobody knows when it ends."""

LOW_TOO = TEXTS.low_too


@dataclass(frozen=True, slots=True)
class ProfiledPart:
    """A part of the load that is profiled.

    from_s, to_s: seconds from the load's start; to_s None where not known.

    is_measured: whether the seconds count from the beginning of the measured part instead.
    """

    load: Load
    from_s: float
    to_s: float | None
    is_measured: bool = False


def parts(plan: Plan) -> list[ProfiledPart]:
    """Return where the load is low (if that is asked for) and where it is at its top, in the order of time.

    In a load that varies, the top is its highest level that is held, the last of several, or the last fifth
    before its peak; the low part is the first lower level. A constant load is at its top from a third of the
    shortest time that is measured.
    """
    rules, arrivals = plan.profile, plan.workload.arrivals
    assert rules is not None
    length = arrivals.length_s
    if length is None:
        if plan.workload.ends_itself:
            return [ProfiledPart("high", UNKNOWN_S, None, is_measured=True)]
        at_least = float(plan.trial.measure.at_least)
        return [ProfiledPart("high", at_least / 3, at_least, is_measured=True)]
    levels = _held(arrivals.line, length)
    top = max(level for _, _, level in levels)
    high = max((from_s, to_s) for from_s, to_s, level in levels if level == top)
    low = next(((from_s, to_s) for from_s, to_s, level in levels if 0 < level < top), None)
    chosen_parts = [ProfiledPart("high", *high)]
    if rules.when == LOW_TOO and low is not None:
        chosen_parts.append(ProfiledPart("low", *low))
    return sorted(chosen_parts, key=lambda part: part.from_s)


def _held(line: list[list[float]], length: float) -> list[tuple[float, float, float]]:
    """Return (from_s, to_s, level) of each level that is held.

    A ramp counts as held in its last fifth, at the level of its higher end.
    """
    stretches = []
    points = [*line, [length, line[-1][1]]]
    for (from_s, before), (to_s, after) in pairwise(points):
        if to_s <= from_s:
            continue
        stretches.append(
            (from_s if before == after else to_s - (to_s - from_s) / 5, to_s, max(before, after))
        )
    return stretches or [(0.0, length, line[-1][1])]


def chosen(rules: ProfileRules, components: Sequence[Component]) -> tuple[list[Component], list[str]]:
    """Return the components to profile, in order, and the names of those that are asked for and not there."""
    if rules.components:
        by_name = {component.name: component for component in components}
        there = [by_name[name] for name in rules.components if name in by_name]
        return there, [name for name in rules.components if name not in by_name]
    server = [component for component in components if component.name == SERVER]
    others = [
        component
        for component in components
        if component.name not in (SERVER, HOST) and component.pid is not None and component.runtime
    ]
    return [*server, *others], []


class Profiling(Beside):
    """Taker of the profiles of a trial, on a thread of its own; without rules it does nothing.

    Made by the trial's runner and used as Beside says. What cannot be profiled becomes an event, and a note
    to the watcher at the end.
    components: returns the known components, called when a profile is due.
    """

    def __init__(
        self,
        plan: Plan,
        components: Callable[[], Sequence[Component]],
        writer: TrialWriter,
        folder: TrialFolder,
        watch: Watcher,
    ) -> None:
        super().__init__("loadrig-profiler", is_wanted=plan.profile is not None)
        self._plan, self._rules = plan, plan.profile
        self._components, self._watch = components, watch
        chosen = () if plan.profile is None else plan.profile.profilers
        self._taker = Taker(plan, writer, folder, chosen)
        self._notes: list[str] = []

    def __exit__(self, *raised: object) -> None:
        super().__exit__(*raised)
        for note in self._notes:
            self._watch.note(note)

    def broken(self, error: Exception) -> None:
        """Report a fault of ours; called while the fault is handled."""
        self._note(broken(SERVER, "profiling", error))

    # --- the thread -------------------------------------------------------------------------------

    def follow(self, pace: LoadPace, start_ns: int, over: LoadOver) -> None:
        """Take the profile of each part of the load when that part comes."""
        expected = parts(self._plan)
        for part in expected:
            self._take_part(part, pace, start_ns, over)
        assert self._rules is not None
        if self._rules.when == LOW_TOO and not any(part.load == "low" for part in expected):
            self._note(Missing(SERVER, TEXTS.no_profile_low))

    def _take_part(self, part: ProfiledPart, pace: LoadPace, start_ns: int, over: LoadOver) -> None:
        from_ns, to_ns = self._wait_for(part, pace, start_ns, over)
        if from_ns is None:
            return
        self._wait_until_known(over)
        assert self._rules is not None
        components, missing = chosen(self._rules, self._components())
        for name in missing:
            self._note(Missing(name, TEXTS.not_profiled_no(name)))
        for component in components:
            now_ns = time.monotonic_ns()
            left_s = self._rules.length if to_ns is None else (to_ns - now_ns) / NS - ATTACH_S
            seconds = min(float(self._rules.length), left_s)
            if over.is_set():
                return
            if seconds < LEAST_S:
                text = TEXTS.not_profiled_load(component.name, part.load)
                self._note(Missing(component.name, text, "profile.too-short"))
                continue
            self._take(component, part.load, seconds, over)

    def _wait_for(
        self, part: ProfiledPart, pace: LoadPace, start_ns: int, over: LoadOver
    ) -> tuple[int | None, int | None]:
        """Wait until the part begins, and measuring. Return its ends, (None, None) if it never begins."""
        while not over.is_set():
            if pace.from_ns is not None:
                origin_ns = pace.from_ns if part.is_measured else start_ns
                from_ns = max(origin_ns + int(part.from_s * NS), pace.from_ns)
                settled_ns = from_ns + int(SETTLE_S * NS)
                if time.monotonic_ns() >= settled_ns:
                    return settled_ns, None if part.to_s is None else origin_ns + int(part.to_s * NS)
            over.wait(LOOK_S)
        return None, None

    def _wait_until_known(self, over: LoadOver) -> None:
        """Wait until the server's runtime is known, which decides the profiler."""
        until = time.monotonic() + KNOWN_S
        while not over.is_set() and time.monotonic() < until:
            server = next((component for component in self._components() if component.name == SERVER), None)
            if server is None or server.pid is None or server.runtime:
                return
            over.wait(LOOK_S)

    def _take(self, component: Component, load: Load, seconds: float, over: LoadOver) -> None:
        """Profile one component, and note which profilers could not."""
        self._taker.take(component, load, seconds, over, self._note)

    def _note(self, missing: Missing) -> None:
        """Write a note to the recording now, and to the watcher when the load is over: once each."""
        if missing.text not in self._notes:
            self._notes.append(missing.text)
            self._taker.note(missing)
