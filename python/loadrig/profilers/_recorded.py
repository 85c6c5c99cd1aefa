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
class KeptProfile:
    """A profile of a recording. cpu_s: of the profiler's own programs, None where it has none.

    used_cores: cores that the component used meanwhile on average; None where that is not known.
    sees_all: whether the profiler sees all CPU time, see Taken. why: what was nearly full where the rig took
    it. later: further bursts of the component by the same profiler; all count as one profile, and cpu_s and
    used_cores are those of all bursts together.
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
    later: tuple["KeptProfile", ...] = ()

    @property
    def bursts(self) -> tuple["KeptProfile", ...]:
        """The first burst and the later ones, in the order in which they were taken."""
        return (self, *self.later)

    @property
    def duration_s(self) -> float:
        """Time that the profiler watched, all bursts together, in seconds."""
        return sum(burst.window.to_ns - burst.window.from_ns for burst in self.bursts) / 1e9

    @cached_property
    def own_profile(self) -> Profile | None:
        """Stacks of this burst's file, read once; None where the file is missing, too long, or no profile."""
        try:
            return decoded(user_files.read_bytes(self.path, MOST_BYTES))
        except (OSError, NotPprof):
            return None

    @cached_property
    def profile(self) -> Profile | None:
        """Stacks of all bursts together; None where no file can be read."""
        profiles = [burst.own_profile for burst in self.bursts if burst.own_profile is not None]
        if len(profiles) < 2:
            return profiles[0] if profiles else None
        first = profiles[0]
        whole = Profile(
            first.kind, first.period_ns, first.began_ns, sum(burst.duration_ns for burst in profiles)
        )
        return whole.take_in(profiles)

    @cached_property
    def folded(self) -> Folded | None:
        """Time by class of work; None where there is no profile."""
        return fold(self.profile, self.own) if self.profile is not None else None

    @cached_property
    def summary(self) -> Summary | None:
        """Figures of the profile by function and class; None where there is no profile."""
        return summary(self.profile, self.own) if self.profile is not None else None


def profiles_of(recording: Recording) -> tuple[KeptProfile, ...]:
    """Return the profiles of a recording, in the order in which they were taken."""
    return recording.remembered(__name__, lambda: tuple(_read_all(recording)))


def _read_all(recording: Recording) -> Iterator[KeptProfile]:
    bursts: dict[tuple[str, str], list[KeptProfile]] = {}
    for event in recording.events:
        if event.kind != "profile":
            continue
        profile = _read(event, recording)
        if event.facts.get("burst"):
            bursts.setdefault((profile.component, profile.profiler), []).append(profile)
        else:
            yield profile
    for parts in bursts.values():
        yield _joined(parts)


def _joined(parts: Sequence[KeptProfile]) -> KeptProfile:
    """Return the bursts of a component as a single profile."""
    first, *later = parts
    used = [(burst.used_cores, burst.duration_s) for burst in parts if burst.used_cores is not None]
    seconds = sum(duration_s for _, duration_s in used)
    costs = [burst.cpu_s for burst in parts if burst.cpu_s is not None]
    return replace(
        first,
        cpu_s=sum(costs) if costs else None,
        used_cores=sum(cores * duration_s for cores, duration_s in used) / seconds if seconds else None,
        later=tuple(later),
    )


def _read(event: Event, recording: Recording) -> KeptProfile:
    facts = event.facts
    # The recording may come from elsewhere: a path that leads out of its folder was not written by the rig.
    path = str(facts.get("path") or "")
    length_ns = int(float(facts.get("duration_s") or 0) * 1e9)
    return KeptProfile(
        component=event.component,
        profiler=str(facts.get("profiler") or event.subject),
        load="low" if facts.get("load") == "low" else "high",
        window=Window(event.t_ns, event.t_ns + length_ns),
        cpu_s=None if facts.get("cpu_s") is None else float(facts["cpu_s"]),
        used_cores=None if facts.get("used_cores") is None else float(facts["used_cores"]),
        own=Own.from_json(facts.get("own") or {}),
        # Older recordings lack this fact: py-spy then looked at the holder of the lock alone.
        sees_all=bool(facts.get("sees_all", facts.get("profiler") != "py-spy")),
        why=str(facts.get("why") or ""),
        path=recording.path / (path if below.is_inside(path) else "profiles"),
    )
