"""Every series of a trial as rows: what the probes read, and what the generator counted and timed."""

import sys
from array import array
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from loadrig.exporters._trial import ExportedTrial
from loadrig.recording import series_store
from loadrig.recording.frame import Frame

COMPONENT, PROBE = "generator", "load"
"""Component and probe of the rows that the generator's own frames give."""

QUANTILES = {"p50_s": 0.5, "p90_s": 0.9, "p99_s": 0.99, "max_s": 1.0}
"""Quantiles of the times of an interval that are written, by the name of their metric."""


class SeriesRow(NamedTuple):
    """Reading of a series. t_ns: nanoseconds since 1970. kind: gauge, or counter, which only grows."""

    t_ns: int
    component: str
    probe: str
    metric: str
    subject: str
    value: float
    unit: str
    kind: str


def series_rows(trial: ExportedTrial) -> Iterator[SeriesRow]:
    """Yield the rows, a part of a file in memory at a time: frames, then times, then probes."""
    return chain(_of_frames(trial), _of_times(trial), _of_probes(trial))


def _of_frames(trial: ExportedTrial) -> Iterator[SeriesRow]:
    is_own = trial.recording.imported is None
    for frame in trial.recording.each_frame():
        end_ns = trial.since_1970(frame.end_ns)
        for metric, value, unit in _figures(frame, is_own=is_own):
            yield SeriesRow(end_ns, COMPONENT, PROBE, metric, "", value, unit, "gauge")
        for row in frame.routes:
            subject = f"{row.route}|{row.outcome}"
            yield SeriesRow(end_ns, COMPONENT, PROBE, "ended", subject, row.count, "1", "gauge")


def _figures(frame: Frame, *, is_own: bool) -> Iterator[tuple[str, float, str]]:
    yield "interval_s", frame.len_ns / 1e9, "s"
    yield "sent", frame.sent, "1"
    yield "answered", frame.answered, "1"
    yield "failed", frame.failed, "1"
    yield "in_flight", frame.in_flight, "1"
    if is_own:  # another tool does not tell these
        yield "due", frame.due, "1"
        yield "unsent", frame.unsent, "1"
        yield "users", frame.users, "1"
        yield "bytes_in", frame.bytes_in, "B"
        yield "bytes_out", frame.bytes_out, "B"
        yield "opened", frame.opened, "1"


def _of_times(trial: ExportedTrial) -> Iterator[SeriesRow]:
    kind = trial.recording.times_kind
    for tag, from_ns, len_ns, histogram in trial.latency():
        subject = f"{tag.route}|{tag.outcome}"
        for name, share in QUANTILES.items():
            value = histogram.quantile_ns(share) / 1e9
            yield SeriesRow(
                from_ns + len_ns, COMPONENT, PROBE, f"{kind}_{name}", subject, value, "s", "gauge"
            )


def _of_probes(trial: ExportedTrial) -> Iterator[SeriesRow]:
    recording, folder = trial.recording, trial.folder
    shift = trial.since_1970(0)
    metrics = recording.manifest.metrics
    for part in series_store.parts(folder.series_stream, folder.series):
        t_ns, values = array("q", part.t_ns), array("d", part.value)
        words, places = part.words, [array("i", column) for column in part.places]
        for number in range(len(t_ns)):
            component, probe, metric, subject = (
                sys.intern(words[column][places[column][number]]) for column in range(4)
            )
            about = metrics.get(f"{probe}.{metric}")
            yield SeriesRow(
                t_ns[number] + shift, component, probe, metric, subject, values[number],
                about.unit if about else "", about.kind if about else "gauge",
            )  # fmt: skip
