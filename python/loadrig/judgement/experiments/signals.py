"""Events beside an experiment: those that a rival blames, counted with the change and without it.

Where the harm is gone and a rival's events go on as before, these events did not bring about the harm.
"""

from collections.abc import Iterable, Mapping

from loadrig.base.component import SERVER
from loadrig.base.units import show_share
from loadrig.judgement.declarations import cause_of
from loadrig.judgement.experiments.outcome import Measure
from loadrig.judgement.experiments.suspects import Accused
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.experiments import JudgementExperimentsSignalsTexts
from loadrig.recording.reader import Recording
from loadrig.recording.steps import NS

TEXTS = texts_of(JudgementExperimentsSignalsTexts)

OF_DIPS = "gc_pressure"
"""Cause whose events are always counted beside dips."""

UNCHANGED = 0.7
"""Share of a signal's strength without the change. A signal that keeps this share has not gone with the
harm."""

LEAST = 1e-4
"""Least strength of a signal, as growth a second: below it there is no signal."""


def blamed(keys: Iterable[Accused], measure: Measure) -> dict[Accused, tuple[str, ...]]:
    """Return the series of the events that are blamed, PROBE.METRIC, best first, by cause and component.

    keys: causes and components of the suspects; those that blame no events are left out. For dips the
    server's collections of garbage are always counted, as they are what people blame first.
    """
    series_names = {}
    for cause, component in (*keys, *([(OF_DIPS, SERVER)] if measure == "dips" else [])):
        if names := cause_of(cause).signals:
            series_names[cause, component] = names
    return series_names


def signal_text(cause: str, component: str, strengths: Mapping[bool, float]) -> str:
    """Return what became of a signal, as a clause; empty where its strength with or without is not known.

    strengths: strength with the change (True) and without (False).
    """
    if strengths.keys() != {False, True}:
        return ""
    before, after = (show_share(strengths[is_changed]) for is_changed in (False, True))
    return TEXTS.time_before(cause_of(cause).signal, component, before, after)


def strength(recording: Recording, component: str, names: Iterable[str]) -> float | None:
    """Return the growth a second of the first of some counters that was read, over the measured part.

    names: the counters, PROBE.METRIC. None where none was read.
    """
    window = recording.measured
    for name in names:
        probe, _, metric = name.partition(".")
        series_by_key = recording.series(probe=probe, metric=metric, component=component)
        grown, seconds = 0.0, 0.0
        for series in series_by_key.values():
            inside = (series.t_ns >= window.from_ns) & (series.t_ns <= window.to_ns)
            values, times = series.value[inside], series.t_ns[inside]
            if values.size >= 2:
                grown += float(values[-1] - values[0])
                seconds = max(seconds, float(times[-1] - times[0]) / NS)
        if seconds > 0:
            return grown / seconds
    return None


def goes_on(signals: Mapping[bool, float]) -> bool:
    """Return whether a signal with the change (True) is as strong as without it (False)."""
    before, after = signals.get(False, 0.0), signals.get(True, 0.0)
    return before > LEAST and after >= UNCHANGED * before
