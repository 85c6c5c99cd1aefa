"""What goes on beside an experiment: the events that a rival blames, counted with the change and without.

Where what is wrong is gone and a rival's events go on as before, they were not what made it.
"""

from collections.abc import Iterable, Mapping

from loadrig.base import members
from loadrig.base.component import SERVER
from loadrig.base.units import show_share
from loadrig.findings.proofs import ROOM
from loadrig.proving.outcome import Measure
from loadrig.recording.reader import Recording

NS = 1_000_000_000

OF_DIPS = "gc_pressure"

UNCHANGED = 0.7
"""Of what it was: a signal that is still so strong, or stronger, has not gone with what was wrong."""

LEAST = 1e-4
"""A second: less of a signal is none."""


def blamed(keys: Iterable[tuple[str, str]], measure: Measure) -> dict[tuple[str, str], tuple[str, ...]]:
    """The series of the events that are blamed, PROBE.METRIC, best first, by cause and component.

    keys: of the suspects; left out are those that blame no events. Of dips the collections of the server are
    always asked: they are the first that people blame for them.
    """
    found = {}
    for cause, component in (*keys, *([(OF_DIPS, SERVER)] if measure == "dips" else [])):
        if names := tuple(getattr(members.load(ROOM, cause), "SIGNALS", ())):
            found[cause, component] = names
    return found


def said(cause: str, component: str, found: Mapping[bool, float]) -> str:
    """What became of a signal, as a clause; empty where it is not known both ways."""
    if found.keys() != {False, True}:
        return ""
    before, after = (show_share(found[is_changed]) for is_changed in (False, True))
    return f"{members.load(ROOM, cause).SIGNAL} of {component} {before} of the time before, {after} with it"


def strength(recording: Recording, component: str, names: Iterable[str]) -> float | None:
    """Growth a second of the first of these counters that was read; None where none was.

    Of the measured part.
    """
    window = recording.measured
    for name in names:
        probe, _, metric = name.partition(".")
        found = recording.series(probe=probe, metric=metric, component=component)
        grown, seconds = 0.0, 0.0
        for series in found.values():
            inside = (series.t_ns >= window.from_ns) & (series.t_ns <= window.to_ns)
            values, times = series.value[inside], series.t_ns[inside]
            if values.size >= 2:
                grown += float(values[-1] - values[0])
                seconds = max(seconds, float(times[-1] - times[0]) / NS)
        if seconds > 0:
            return grown / seconds
    return None


def goes_on(signals: Mapping[bool, float]) -> bool:
    """Whether a signal with the change (True) is as strong as without (False)."""
    before, after = signals.get(False, 0.0), signals.get(True, 0.0)
    return before > LEAST and after >= UNCHANGED * before
