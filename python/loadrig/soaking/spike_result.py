"""Document of a spike: the verdict on its recording, with the run in steps.

The recording holds the instants at which the load was changed as events; the first is the begin of the spike,
the second its end. All times are seconds since the begin of the load.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from msgspec import structs

from loadrig.base.clock import NS
from loadrig.base.documents import finite
from loadrig.judgement.soak.document import SpikeCourse, SpikeDocument, SpikeSummary, UnfinishedSpike
from loadrig.judgement.soak.spike import FEWEST_BEFORE, SpikeSteps, spike
from loadrig.language.choice import texts_of
from loadrig.language.en.proving import SoakingSpikeResultTexts
from loadrig.recording.reader import Frame, Recording
from loadrig.stats.arrays import Floats

TEXTS = texts_of(SoakingSpikeResultTexts)

QUANTILE = 0.9
"""Quantile of the latency of a step's good answers: with few answers, higher ones are the slowest answer
alone."""

ANSWERS_A_STEP, MOST_STEP_S = 40, 1.0
"""Steps are as long as ANSWERS_A_STEP answers take at the usual load, and MOST_STEP_S seconds at most."""


@dataclass(frozen=True, slots=True)
class Turn:
    """An instant at which the load was given another level."""

    at_s: float
    level: float


def turns(recording: Recording) -> list[Turn]:
    """Return when the load was changed, and to what level."""
    start_ns = recording.start_ns
    return [
        Turn((event.t_ns - start_ns) / NS, float(event.text))
        for event in recording.events
        if event.kind == "level" and event.subject == "load"
    ]


def document(recording: Recording) -> SpikeSummary:
    """Return the answer with what its charts show; without a verdict where there was no whole spike."""
    load_turns = turns(recording)
    frames = [frame for frame in recording.frames if frame.len_ns > 0]
    if len(load_turns) < 2 or not frames:
        return UnfinishedSpike(verdict="unknown", text=TEXTS.spike_not_carried)
    begin, end = load_turns[0], load_turns[1]
    steps = steps_of(recording, frames, begin.at_s)
    if not steps.t_s.size or begin.at_s < steps.from_s:
        return UnfinishedSpike(verdict="unknown", text=TEXTS.nothing_measured_before)
    usual = end.level
    verdict = spike(steps, begin.at_s, end.at_s, begin.level / usual if usual else 0.0)
    return SpikeDocument(
        **structs.asdict(verdict),
        usual_level=usual,
        level=begin.level,
        model=str(recording.manifest.load.model),
        course=_course(steps),
    )


def steps_of(recording: Recording, frames: list[Frame], spike_s: float) -> SpikeSteps:
    """Return the run in steps, without its warm-up. frames: those that took any time."""
    start_ns = recording.start_ns
    from_ns = recording.measured.from_ns
    # The drain is left out, as no requests are due in it.
    to_ns = recording.measured.to_ns
    begin_ns = min(from_ns, start_ns + int(spike_s * NS))
    frames = [frame for frame in frames if begin_ns <= frame.t_ns and frame.end_ns <= to_ns]
    count = _frames_a_step(frames, start_ns + int(spike_s * NS))
    groups = [frames[at : at + count] for at in range(0, len(frames), count)]
    if len(groups) > 1 and len(groups[-1]) < count:
        groups.pop()
    if not groups:
        return SpikeSteps(0.0, *(np.zeros(0) for _ in range(6)))
    edges = [groups[0][0].end_ns - 1, *(group[-1].end_ns for group in groups)]
    latency = [
        histogram.quantile_ns(QUANTILE) / NS if histogram.count else math.nan
        for histogram in recording.histograms(edges, outcome="ok")
    ]
    return SpikeSteps(
        from_s=(groups[0][0].t_ns - start_ns) / NS,
        t_s=_floats([(group[-1].end_ns - start_ns) / NS for group in groups]),
        offered=_floats([sum(frame.due for frame in group) for group in groups]),
        ok=_floats([_ended(group, is_ok=True) for group in groups]),
        failed=_floats([_ended(group, is_ok=False) for group in groups]),
        in_flight=_floats([group[-1].in_flight for group in groups]),
        latency_s=_floats(latency),
    )


def _frames_a_step(frames: list[Frame], spike_ns: int) -> int:
    """Return the number of frames with which a step has enough answers, and the base line enough steps."""
    before = [frame for frame in frames if frame.end_ns <= spike_ns]
    if not before:
        return 1
    seconds = sum(frame.len_ns for frame in before) / NS
    rate = _ended(before, is_ok=True) / seconds
    wanted_s = min(MOST_STEP_S, ANSWERS_A_STEP / rate if rate else MOST_STEP_S)
    count = max(1, math.ceil(wanted_s * len(before) / seconds - 1e-9))
    return max(1, min(count, len(before) // (2 * FEWEST_BEFORE)))


def _ended(group: list[Frame], *, is_ok: bool) -> int:
    return sum(
        row.count
        for frame in group
        for row in frame.routes
        if row.route_class == "service" and (row.outcome == "ok") == is_ok
    )


def _floats(values: list[Any]) -> Floats:
    return np.array(values, dtype=np.float64)


def _course(steps: SpikeSteps) -> SpikeCourse:
    seconds = steps.lengths_s
    return SpikeCourse(
        t_s=tuple(round(float(at), 3) for at in steps.t_s),
        offered=_rates(steps.offered, seconds),
        ok=_rates(steps.ok, seconds),
        failed=_rates(steps.failed, seconds),
        in_flight=tuple(float(value) for value in steps.in_flight),
        latency_s=tuple(finite(value) for value in steps.latency_s),
    )


def _rates(counts: Floats, seconds: Floats) -> tuple[float, ...]:
    return tuple(round(float(value), 3) for value in counts / seconds)
