"""The profiles of a recording: what their events say, and what their files hold."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from loadrig.base import user_files
from loadrig.base.documents import Says
from loadrig.base.series import Event
from loadrig.profilers._classes import Folded, fold
from loadrig.profilers._origin import Own
from loadrig.profilers._pprof import MOST_BYTES, NotPprof, decoded
from loadrig.profilers._stacks import Profile
from loadrig.profilers._summary import Summary, summary
from loadrig.recording import below
from loadrig.recording.event_facts import CommonFacts, facts_of
from loadrig.recording.reader import Recording
from loadrig.recording.window import Window


class ProfileFacts(CommonFacts, frozen=True, kw_only=True):
    """Facts of a profile that was taken (`profile`)."""

    path: Annotated[str, Says("its file, below the trial's folder")] = ""
    profiler: Annotated[str, Says("the profiler; empty: the subject of the event")] = ""
    load: Annotated[Literal["low", "high"], Says("level of the load at which it was taken")] = "high"
    cpu_s: Annotated[float | None, Says("CPU time of the profiler's own programs in seconds, or null")] = None
    used_cores: Annotated[float | None, Says("cores that the component used meanwhile, or null")] = None
    own: Annotated[Own, Says("names that tell the program's own code")] = Own()
    sees_all: Annotated[bool | None, Says("whether it sees all CPU time; null: by the profiler")] = None
    burst: Annotated[int | None, Says("number of the burst; null where the plan asked for it")] = None
    why: Annotated[str, Says("what was nearly full where the rig took it, or empty")] = ""


@dataclass(frozen=True)
class KeptProfile:
    """A profile of a recording. cpu_s: of the profiler's own programs, None where it has none.

    used_cores: cores that the component used meanwhile on average; None where that is not known.
    sees_all: whether the profiler sees all CPU time, see Capture. why: what was nearly full where the rig
    took it. later: further bursts of the component by the same profiler; all count as one profile, and cpu_s
    and used_cores are those of all bursts together.
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
        facts = facts_of(event, ProfileFacts)
        profile = _read(event, facts, recording)
        if facts.burst:
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


def _read(event: Event, facts: ProfileFacts, recording: Recording) -> KeptProfile:
    # The recording may come from elsewhere: a path that leads out of its folder was not written by the rig.
    path = facts.path if below.is_inside(facts.path) else "profiles"
    profiler = facts.profiler or event.subject
    return KeptProfile(
        component=event.component,
        profiler=profiler,
        load=facts.load,
        window=Window(event.t_ns, event.t_ns + int((facts.duration_s or 0.0) * 1e9)),
        cpu_s=facts.cpu_s,
        used_cores=facts.used_cores,
        own=facts.own,
        # Older recordings lack this fact: py-spy then looked at the holder of the lock alone.
        sees_all=profiler != "py-spy" if facts.sees_all is None else facts.sees_all,
        why=facts.why,
        path=recording.path / path,
    )
