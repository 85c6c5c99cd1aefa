"""Bursts: short profiles that the rig takes by itself of a program that has no CPU time to spare."""

import time
from collections.abc import Callable, Mapping, Sequence

from loadrig.account.fullness import Fullness, FullResource
from loadrig.base.clock import NS
from loadrig.base.component import HOST, SERVER, Component
from loadrig.language.choice import texts_of
from loadrig.language.en.trial.running import TrialBurstsTexts
from loadrig.plan.model import Plan
from loadrig.recording.layout import TrialFolder
from loadrig.recording.writer import TrialWriter
from loadrig.trial.beside import LOOK_S, Beside, LoadOver, LoadPace
from loadrig.trial.profiling import ATTACH_S, LEAST_S
from loadrig.trial.taking import Burst, Missing, Taker, broken

TEXTS = texts_of(TrialBurstsTexts)

FULL: Mapping[FullResource, str] = {
    "thread": TEXTS.full_thread, "process": TEXTS.full_process, "quota": TEXTS.full_quota,
    "cores": TEXTS.full_cores, "waiting": TEXTS.full_waiting,
}  # fmt: skip
"""Texts of what is full, to follow a component's name."""

BURST_S = 2.0
"""Length of a burst, in seconds: two bursts have some 200 samples of a busy core, of which a half is known to
± 7 %."""

BURSTS = 2
"""Number of bursts of each component: the difference between the two tells how much chance matters at one
moment."""

APART_S = 10.0
"""Seconds from the end of a component's burst to its next where the window is long: a garbage collection or a
batch that runs every few seconds is then hardly in both."""

LEAST_APART_S = 1.0
"""Least number of seconds from the end of a component's burst to its next, in a short window."""

MOST_COMPONENTS = 3
"""Largest number of programs with bursts, the loaded server first: more would fill a short run with
profiles."""

SUBJECT = "burst"
"""Subject of the notes that say why no burst was taken."""


UNREAD = Missing(
    SERVER,
    TEXTS.server_not_profiled,
    mend=TEXTS.mend,
)
"""Note for a plan that leaves the probes out that bursts need, or for probes that cannot read."""


class Bursts(Beside):
    """Watcher of programs that are nearly full in the measured part, which takes bursts of them.

    Made by the trial's runner and used as Beside says. What cannot be profiled becomes a note of the
    recording, as nobody has asked for it.
    components: returns the known components, called at every look.
    """

    def __init__(
        self,
        plan: Plan,
        components: Callable[[], Sequence[Component]],
        writer: TrialWriter,
        folder: TrialFolder,
    ) -> None:
        assert plan.profile is not None
        super().__init__("loadrig-profiler")
        self._plan, self._components = plan, components
        self._taker = Taker(plan, writer, folder, plan.profile.profilers)
        self._asked = plan.profile.components
        self._seconds = min(BURST_S, float(plan.profile.length))
        self._fullness = Fullness()
        self._counts: dict[str, int] = {}
        self._due_ns: dict[str, int] = {}
        self._given_up: set[str] = set()
        writer.listen(self._fullness.hear)

    def broken(self, error: Exception) -> None:
        """Report a fault of ours; called while the fault is handled."""
        self._taker.note(broken(SERVER, "a burst", error), SUBJECT)

    # --- the thread -------------------------------------------------------------------------------

    def follow(self, pace: LoadPace, start_ns: int, over: LoadOver) -> None:
        """Take a burst of each component that is nearly full, when it is due; read the bursts at the end."""
        try:
            while not over.is_set():
                ready = self._ready(time.monotonic_ns()) if pace.from_ns is not None else None
                if ready is None:
                    over.wait(LOOK_S)
                else:
                    self._take(*ready, self._ends_ns(pace, start_ns), over)
        finally:
            self._taker.read_bursts(lambda missing: self._taker.note(missing, SUBJECT))
        server = next((component for component in self._candidates() if component.name == SERVER), None)
        if server is not None and not self._fullness.has_heard(SERVER):
            self._taker.note(UNREAD, SUBJECT)

    def _ready(self, t_ns: int) -> tuple[Component, str] | None:
        """Return the first component that is nearly full and has a burst due, with what is full.

        None where there is no such component.
        """
        for component in self._candidates():
            count = self._counts.get(component.name, 0)
            is_new = component.name not in self._counts
            if (
                count >= BURSTS
                or component.name in self._given_up
                or (is_new and len(self._counts) >= MOST_COMPONENTS)
                or t_ns < self._due_ns.get(component.name, 0)
            ):
                continue
            full = self._fullness.full(component, t_ns)
            # The component's runtime, which decides the profiler, is known a moment after the load's start.
            if full is not None and component.runtime:
                return component, FULL[full]
        return None

    def _candidates(self) -> list[Component]:
        """Return the programs of this machine, the loaded server first, or those that the plan names."""
        programs = [
            component
            for component in self._components()
            if component.name != HOST and component.pid is not None
        ]
        if self._asked:
            programs = [component for component in programs if component.name in self._asked]
        return sorted(programs, key=lambda component: component.name != SERVER)

    def _take(self, component: Component, why: str, ends_ns: int | None, over: LoadOver) -> None:
        name = component.name
        left_s = float("inf") if ends_ns is None else (ends_ns - time.monotonic_ns()) / NS
        seconds = min(self._seconds, left_s - ATTACH_S)
        if seconds < LEAST_S:
            self._given_up.add(name)
            if name not in self._counts:
                self._taker.note(_too_short(name, why), SUBJECT)
            return
        failures: list[Missing] = []
        number = self._counts.get(name, 0) + 1
        if self._taker.take(component, "high", seconds, over, failures.append, Burst(number, why)):
            self._counts[name] = number
            now_ns = time.monotonic_ns()
            self._due_ns[name] = now_ns + int(_pause_s(now_ns, ends_ns, self._seconds) * NS)
            return
        self._given_up.add(name)
        if number == 1:
            # The profiler that fits best says best what is missing; those after it are only substitutes for
            # it.
            first = failures[0] if failures else _too_short(name, why)
            self._taker.note(_too_short(name, why) if over.is_set() else first, SUBJECT)

    def _ends_ns(self, pace: LoadPace, start_ns: int) -> int | None:
        """Return until when the load is sure to be measured, on the rig's clock; None where nobody knows.

        A part that ends when enough is known is sure to last as long as it must.
        """
        plan, work = self._plan, self._plan.workload
        assert pace.from_ns is not None
        length = work.arrivals.length_s
        if work.requests_limit or work.loops_per_user or (work.ends_itself and length is None):
            return None
        if length is not None:
            return start_ns + int(length * NS)
        at_least, at_most = plan.trial.measure.at_least, plan.trial.measure.at_most
        sure_ns = pace.from_ns + int(float(at_least) * NS)
        if at_least == at_most:
            return sure_ns
        return sure_ns if sure_ns > time.monotonic_ns() + int((self._seconds + ATTACH_S) * NS) else None


def _pause_s(now_ns: int, ends_ns: int | None, seconds: float) -> float:
    """Return how long to wait before the next burst: half of the rest of the window, within bounds."""
    if ends_ns is None:
        return APART_S
    spare_s = (ends_ns - now_ns) / NS - seconds - ATTACH_S
    return min(APART_S, max(LEAST_APART_S, spare_s / 2))


def _too_short(component: str, why: str) -> Missing:
    return Missing(
        component,
        TEXTS.not_profiled_measured(component, why),
        "profile.too-short",
        TEXTS.load_longer_such,
    )
