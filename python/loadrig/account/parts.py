"""Work of a component while it runs: the line `running` divided by the classes of its CPU time."""

from collections.abc import Iterable, Mapping

from loadrig.account import states
from loadrig.account.document import LineDocument, RunningPartDocument
from loadrig.profilers import ClassTime, classes_of, profiles_of
from loadrig.recording.reader import Recording


def classes_by_component(recording: Recording) -> Mapping[str, tuple[ClassTime, ...]]:
    """Return the classes of CPU time of every component that was profiled under high load."""
    by_component: dict[str, tuple[ClassTime, ...]] = {}
    for profile in profiles_of(recording):
        if (
            profile.load == "high"
            and profile.component not in by_component
            and (classes := classes_of(profile))
        ):
            by_component[profile.component] = classes
    return by_component


def running_parts(
    lines: Iterable[LineDocument], classes: Iterable[ClassTime]
) -> tuple[RunningPartDocument, ...]:
    """Return the line `running` divided by classes, most time first; empty without such a line or classes.

    The classes are of the component's whole CPU time, as the line is. The interval of a part reaches from the
    product of the lower ends of line and share to that of the upper ends; None where the line has none.
    """
    line = next((candidate for candidate in lines if candidate.state == states.RUNNING), None)
    if line is None:
        return ()
    return tuple(
        RunningPartDocument(
            share.work,
            share.words,
            line.ms * share.share,
            None
            if line.interval is None
            else (line.interval[0] * share.interval[0], line.interval[1] * share.interval[1]),
            share.share,
        )
        for share in classes
    )
