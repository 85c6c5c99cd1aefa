"""The profiles of a recording: what their events say, and what their files hold."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from loadrig.base.series import Event
from loadrig.profilers._origin import Own
from loadrig.profilers._pprof import NotPprof, decoded
from loadrig.profilers._stacks import Profile
from loadrig.profilers._summary import Summary, summary
from loadrig.recording.reader import Recording
from loadrig.recording.window import Window


@dataclass(frozen=True)
class Kept:
    """One profile of a recording. cpu_s: of the profiler's own programs, None where it has none.

    used_cores: CPU time that the component used meanwhile, over that time; None where it is not known.
    """

    component: str
    profiler: str
    load: Literal["low", "high"]
    window: Window
    cpu_s: float | None
    used_cores: float | None
    own: Own
    path: Path

    @property
    def duration_s(self) -> float:
        """How long it watched."""
        return (self.window.to_ns - self.window.from_ns) / 1e9

    @cached_property
    def profile(self) -> Profile | None:
        """Its stacks, read once; None where the file is not there or is no profile."""
        try:
            return decoded(self.path.read_bytes())
        except (OSError, NotPprof):
            return None

    @cached_property
    def summary(self) -> Summary | None:
        """Added up; None where there is no profile."""
        return summary(self.profile, self.own) if self.profile is not None else None


def kept(recording: Recording) -> tuple[Kept, ...]:
    """All profiles of a recording, in the order in which they were taken."""
    return recording.remembered(__name__, lambda: tuple(_found(recording)))


def _found(recording: Recording) -> Iterator[Kept]:
    for event in recording.events:
        if event.kind == "profile":
            yield _of(event, recording)


def _of(event: Event, recording: Recording) -> Kept:
    facts = event.facts
    length_ns = int(float(facts.get("duration_s") or 0) * 1e9)
    return Kept(
        component=event.component,
        profiler=str(facts.get("profiler") or event.subject),
        load="low" if facts.get("load") == "low" else "high",
        window=Window(event.t_ns, event.t_ns + length_ns),
        cpu_s=None if facts.get("cpu_s") is None else float(facts["cpu_s"]),
        used_cores=None if facts.get("used_cores") is None else float(facts["used_cores"]),
        own=Own.from_json(facts.get("own") or {}),
        path=recording.path / str(facts.get("path") or ""),
    )
