"""The profiles of a recording: what their events say, and what their files hold."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from loadrig.base import user_files
from loadrig.base.series import Event
from loadrig.profilers._classes import Folded, fold
from loadrig.profilers._origin import Own
from loadrig.profilers._pprof import MOST_BYTES, NotPprof, decoded
from loadrig.profilers._stacks import Profile
from loadrig.profilers._summary import Summary, summary
from loadrig.recording import below
from loadrig.recording.reader import Recording
from loadrig.recording.window import Window


@dataclass(frozen=True)
class Kept:
    """One profile of a recording. cpu_s: of the profiler's own programs, None where it has none.

    used_cores: CPU time that the component used meanwhile, over that time; None where it is not known.
    sees_all: whether it sees all CPU time, see Taken. why: what was nearly full where the rig took it itself.
    later: further bursts of the component by the same profiler; they count as one profile, and cpu_s and
    used_cores are of all.
    """

    component: str
    profiler: str
    load: Literal["low", "high"]
    window: Window
    cpu_s: float | None
    used_cores: float | None
    own: Own
    path: Path
    sees_all: bool = True
    why: str = ""
    later: tuple["Kept", ...] = ()

    @property
    def bursts(self) -> tuple["Kept", ...]:
        """Itself and the later bursts, in the order in which they were taken."""
        return (self, *self.later)

    @property
    def duration_s(self) -> float:
        """How long it watched, all bursts together."""
        return sum(one.window.to_ns - one.window.from_ns for one in self.bursts) / 1e9

    @cached_property
    def own_profile(self) -> Profile | None:
        """The stacks of its own file, read once; None where that is not there, too long, or no profile."""
        try:
            return decoded(user_files.read_bytes(self.path, MOST_BYTES))
        except (OSError, NotPprof):
            return None

    @cached_property
    def profile(self) -> Profile | None:
        """Its stacks with those of the later bursts; None where no file can be read."""
        found = [one.own_profile for one in self.bursts if one.own_profile is not None]
        if len(found) < 2:
            return found[0] if found else None
        first = found[0]
        whole = Profile(first.kind, first.period_ns, first.began_ns, sum(one.duration_ns for one in found))
        return whole.take_in(found)

    @cached_property
    def folded(self) -> Folded | None:
        """Its time by class; None where there is no profile."""
        return fold(self.profile, self.own) if self.profile is not None else None

    @cached_property
    def summary(self) -> Summary | None:
        """Added up; None where there is no profile."""
        return summary(self.profile, self.own) if self.profile is not None else None


def kept(recording: Recording) -> tuple[Kept, ...]:
    """All profiles of a recording, in the order in which they were taken."""
    return recording.remembered(__name__, lambda: tuple(_found(recording)))


def _found(recording: Recording) -> Iterator[Kept]:
    bursts: dict[tuple[str, str], list[Kept]] = {}
    for event in recording.events:
        if event.kind != "profile":
            continue
        one = _of(event, recording)
        if event.facts.get("burst"):
            bursts.setdefault((one.component, one.profiler), []).append(one)
        else:
            yield one
    for parts in bursts.values():
        yield _together(parts)


def _together(parts: Sequence[Kept]) -> Kept:
    """The bursts of a component as one profile."""
    first, *later = parts
    used = [(one.used_cores, one.duration_s) for one in parts if one.used_cores is not None]
    seconds = sum(duration_s for _, duration_s in used)
    costs = [one.cpu_s for one in parts if one.cpu_s is not None]
    return replace(
        first,
        cpu_s=sum(costs) if costs else None,
        used_cores=sum(cores * duration_s for cores, duration_s in used) / seconds if seconds else None,
        later=tuple(later),
    )


def _of(event: Event, recording: Recording) -> Kept:
    facts = event.facts
    # A folder is passed on: a path that leads out of it is none of the rig's, and no file is in its place.
    path = str(facts.get("path") or "")
    length_ns = int(float(facts.get("duration_s") or 0) * 1e9)
    return Kept(
        component=event.component,
        profiler=str(facts.get("profiler") or event.subject),
        load="low" if facts.get("load") == "low" else "high",
        window=Window(event.t_ns, event.t_ns + length_ns),
        cpu_s=None if facts.get("cpu_s") is None else float(facts["cpu_s"]),
        used_cores=None if facts.get("used_cores") is None else float(facts["used_cores"]),
        own=Own.from_json(facts.get("own") or {}),
        # Recordings from before say nothing of it: py-spy then looked at the holder of the lock alone.
        sees_all=bool(facts.get("sees_all", facts.get("profiler") != "py-spy")),
        why=str(facts.get("why") or ""),
        path=recording.path / (path if below.is_inside(path) else "profiles"),
    )
