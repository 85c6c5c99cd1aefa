"""What a component does while it runs: the line `running` divided by the classes of its CPU time."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from loadrig.account import states
from loadrig.profilers import Share, classes_of, kept
from loadrig.recording.reader import Recording

if TYPE_CHECKING:
    from loadrig.account.book import Line


@dataclass(frozen=True, slots=True)
class RunningPart:
    """A part of the time that a request runs: its class, in ms of the line and as a share of it.

    interval: 95 %, from the least of both to the most of both; None where the line has none.
    """

    work: str
    words: str
    ms: float
    interval: tuple[float, float] | None
    share: float


def classes_by_component(recording: Recording) -> Mapping[str, tuple[Share, ...]]:
    """Return the classes of CPU time of every component that was profiled under high load."""
    found: dict[str, tuple[Share, ...]] = {}
    for one in kept(recording):
        if one.load == "high" and one.component not in found and (classes := classes_of(one)):
            found[one.component] = classes
    return found


def running_parts(lines: "Iterable[Line]", classes: Iterable[Share]) -> tuple[RunningPart, ...]:
    """Return the line `running` divided by classes, most time first; empty without such a line or classes.

    The classes are of the component's whole CPU time, as the line is.
    """
    line = next((one for one in lines if one.state == states.RUNNING), None)
    if line is None:
        return ()
    return tuple(
        RunningPart(
            each.work,
            each.words,
            line.ms * each.share,
            None
            if line.interval is None
            else (line.interval[0] * each.interval[0], line.interval[1] * each.interval[1]),
            each.share,
        )
        for each in classes
    )
