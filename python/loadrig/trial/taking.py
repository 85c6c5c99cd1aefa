"""Taking one profile of a component: by the best profiler that can, into the folder, reported as an event."""

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

from loadrig._native import process_tree
from loadrig.base import members, private, processes
from loadrig.base.clock import NS
from loadrig.base.component import Component
from loadrig.base.errors import RigError
from loadrig.base.series import Event
from loadrig.base.unavailable import Unavailable
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.trial import TrialTakingErrors
from loadrig.language.en.trial.running import TrialTakingTexts
from loadrig.plan.model import ChosenMember, Plan
from loadrig.recording.files import making
from loadrig.recording.layout import TrialFolder
from loadrig.recording.writer import TrialWriter

if TYPE_CHECKING:  # imported while the load runs, and not before its first request
    from loadrig.profilers import Capture, Own, Shot
    from loadrig.profilers._shot import EndSignal

TEXTS, ERRORS = texts_of(TrialTakingTexts), texts_of(TrialTakingErrors)

ROOM = "loadrig.profilers"

Load = Literal["low", "high"]


@dataclass(frozen=True, slots=True)
class Missing:
    """Reason why a profiler took no profile of a component.

    code: code of `explain`; mend: what would allow it.
    """

    component: str
    text: str
    code: str = ""
    mend: str = ""
    trace: str = ""


@dataclass(frozen=True, slots=True)
class Burst:
    """A short profile that the rig takes by itself.

    number: counts the bursts of a component from 1. why: what is nearly full, after the component's name.
    """

    number: int
    why: str


def fitting(component: Component) -> list[tuple[str, ModuleType]]:
    """Return the profilers that fit a component, by name, the best one first."""
    # A profiler that cannot fit is not imported while the load runs.
    names = [name for name in members.names(ROOM) if members.may_fit(ROOM, name, component)]
    modules = [(name, members.load(ROOM, name)) for name in names]
    return sorted(
        ((name, module) for name, module in modules if module.fits(component)), key=lambda pair: pair[1].RANK
    )


@dataclass(frozen=True, slots=True)
class _Shown:
    """Facts that are reported beside a profile. used_cores: CPU time of the component over time, if known."""

    profiler: str
    component: Component
    load: Load
    seconds: float
    burst: Burst | None
    used_cores: float | None


@dataclass(frozen=True, slots=True)
class _Unread:
    """A burst that was recorded and not yet read. opened: holds the folder of its shot."""

    shown: _Shown
    own: "Own"
    read: "Callable[[Shot], Capture]"
    shot: "Shot"
    opened: ExitStack


class Taker:
    """Taker of profiles of a trial, one at a time, which keeps each in its folder and reports it.

    chosen: profilers with options of the plan.
    """

    def __init__(
        self, plan: Plan, writer: TrialWriter, folder: TrialFolder, chosen: Sequence[ChosenMember] = ()
    ) -> None:
        self._plan, self._writer, self._folder, self._chosen = plan, writer, folder, chosen
        self._base = Path(plan.path).parent if plan.path else Path()
        self._profiled: list[dict[str, Any]] = []
        self._unread: list[_Unread] = []

    def take(
        self,
        component: Component,
        load: Load,
        seconds: float,
        over: "EndSignal",
        missing: Callable[[Missing], None],
        burst: Burst | None = None,
    ) -> bool:
        """Profile a component by the best profiler that can. Return whether there is a profile now.

        A burst may be recorded only, and is read by `read_bursts`. missing: called for each profiler that
        could not, with the reason. Raises RigError where the recording cannot be written.
        """
        profilers = fitting(component)
        if not profilers:
            what = component.runtime or component.kind
            missing(Missing(component.name, TEXTS.not_profiled_no(component.name, what)))
        for name, module in profilers:
            try:
                self._take_by(name, module, component, load, seconds, over, burst)
                return True
            except Unavailable as lack:
                text = TEXTS.does_not_profile(module.NAME, component.name, lack.reason, lack.mend)
                missing(Missing(component.name, text, lack.code, lack.mend))
            except RigError:
                raise
            except Exception as error:
                missing(broken(component.name, TEXTS.on(module.NAME, component.name), error))
            if over.is_set():
                break
        return False

    def _take_by(
        self,
        name: str,
        module: Any,
        component: Component,
        load: Load,
        seconds: float,
        over: "EndSignal",
        burst: Burst | None,
    ) -> None:
        # What follows is imported while the load runs, and not before its first request.
        from loadrig.base import passing
        from loadrig.profilers import Shot, own_of

        # The files are in the trial's own folder, as a disk has room for them where it has room for a run.
        with ExitStack() as opened:
            scratch = opened.enter_context(passing.folder("profile", self._folder.path))
            permits = frozenset(self._plan.permit)
            shot = Shot(seconds, scratch, over, self._base, permits, self._tell_of(component))
            record = getattr(module, "record", None) if burst else None
            before, used = time.monotonic(), _used_s(component)
            outcome = (record or module.take)(self._options(name, module, burst), component, shot)
            after, used_then = time.monotonic(), _used_s(component)
            # A profiler takes a little longer than it watches, so what was used is kept as a rate.
            used_cores = None if used is None or used_then is None else (used_then - used) / (after - before)
            shown = _Shown(module.NAME, component, load, seconds, burst, used_cores)
            if record:
                own = own_of(component, component.pid or 0)
                self._unread.append(_Unread(shown, own, outcome, shot, opened.pop_all()))
                return
        self._keep(shown, outcome, own_of(component, outcome.pid or 0))

    def read_bursts(self, missing: Callable[[Missing], None]) -> None:
        """Turn the bursts that were only recorded into profiles; called once the load is over.

        missing: called for each burst that cannot be read, with the reason. Raises RigError where the
        recording cannot be written.
        """
        unread, self._unread = self._unread, []
        for burst in unread:
            name, component = burst.shown.profiler, burst.shown.component.name
            with burst.opened:
                try:
                    # The event that ends a profile before its time belongs to the load, which is over.
                    self._keep(
                        burst.shown, burst.read(replace(burst.shot, stop=threading.Event())), burst.own
                    )
                except Unavailable as lack:
                    text = TEXTS.does_not_profile(name, component, lack.reason, lack.mend)
                    missing(Missing(component, text, lack.code, lack.mend))
                except RigError:
                    raise
                except Exception as error:
                    missing(broken(component, TEXTS.on(name, component), error))

    def _keep(self, shown: "_Shown", raw: "Capture", own: "Own") -> None:
        """Write a profile and report it. Raises Unavailable where it is empty."""
        from loadrig.profilers import encoded

        component, load, burst = shown.component, shown.load, shown.burst
        if not raw.profile.count:
            raise Unavailable.of(ERRORS.empty_profile(f"{shown.seconds:.1f}"), code="profile.empty")
        path = self._folder.profile(component.name, load, shown.profiler, burst.number if burst else 0)
        data = raw.pprof or encoded(raw.profile, TEXTS.load(shown.profiler, component.name, load))
        with making(path):
            private.make_folder(path.parent)
            with open(path, "wb", opener=private.opener) as file:
                file.write(data)
        duration_s = (raw.ended_ns - raw.began_ns) / NS
        facts = {
            "profiler": shown.profiler,
            "load": load,
            "duration_s": duration_s,
            "path": str(path.relative_to(self._folder.path)),
            "cpu_s": raw.cpu_s,
            "samples": raw.profile.count,
            "used_cores": shown.used_cores,
            "own": own.to_json(),
            "sees_all": raw.sees_all,
            **({"burst": burst.number, "why": burst.why} if burst else {}),
        }
        text = TEXTS.profiled_s_load(shown.profiler, component.name, f"{duration_s:.1f}", load)
        if burst:
            text += f": {burst.why}"
        self._writer.event(Event(raw.began_ns, "profile", shown.profiler, text, facts, component.name))
        self._profiled.append(
            {"component": component.name, "load": load, "from_ns": raw.began_ns, "to_ns": raw.ended_ns}
        )
        self._writer.manifest_note(profiled=list(self._profiled))

    def _options(self, name: str, module: Any, burst: Burst | None) -> Any:
        """Return options of the plan, else a burst's where the profiler has any, else the profiler's own."""
        asked = next((chosen.options for chosen in self._chosen if chosen.member == name), None)
        if asked is not None:
            return asked
        return getattr(module, "BURST", None) or module.Options() if burst else module.Options()

    def _tell_of(self, component: Component) -> Callable[[Event], None]:
        """Return a function that takes the events of one component's profiler into the recording."""
        return lambda event: self._writer.event(replace(event, component=component.name))

    def note(self, missing: Missing, subject: str = "profile") -> None:
        """Write to the recording what is missing. Raises RigError where it cannot be written."""
        fields = (("code", missing.code), ("mend", missing.mend), ("trace", missing.trace))
        facts = {name: value for name, value in fields if value}
        self._writer.event(
            Event(time.monotonic_ns(), "note", subject, missing.text, facts, missing.component)
        )


def broken(component: str, what: str, error: Exception) -> Missing:
    """Return a fault of ours, or of a profiler's author, as what is missing; called while it is handled."""
    import traceback  # only here: nobody waits for it where nothing breaks

    text = TEXTS.failed(what, type(error).__name__, str(error))
    return Missing(component, text, "profile.failed", trace=traceback.format_exc(limit=-5))


def _used_s(component: Component) -> float | None:
    """Return the CPU seconds that a component's processes have used; None if not known.

    The CPU time of their dead children is included.
    """
    if component.pid is None:
        return None
    pids = process_tree(component.pid, (), processes.PROC)
    stats = [stat for pid in pids if (stat := processes.stat(pid)) is not None]
    ticks = sum(stat.user + stat.system + stat.dead_user + stat.dead_system for stat in stats)
    return ticks / processes.TICKS_PER_S if stats else None
