"""The trial that is exported: its recording, opened, and its result, read when it is asked for."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from loadrig._native import Histogram
from loadrig.base.errors import PlanError, Span
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.exporters import ExportersTrialErrors
from loadrig.recording import hlog
from loadrig.recording.layout import RunFolder, TrialFolder
from loadrig.recording.reader import Recording
from loadrig.recording.thinning import WHOLE

if TYPE_CHECKING:
    from loadrig.trial.document import TrialDocument

ERRORS = texts_of(ExportersTrialErrors)

STEPS_A_DECADE = 1000
"""Steps of values for each factor of ten: 0.23 % each, about the width of the histograms' own buckets."""


class CountedRequests(NamedTuple):
    """Requests of a route and outcome that ended in one interval and took equally long, to a step.

    from_ns, len_ns: the interval, its beginning in nanoseconds since 1970.
    """

    route: str
    outcome: str
    took_ns: int
    requests: int
    from_ns: int
    len_ns: int

    def starts_ns(self) -> Iterator[int]:
        """Yield an instant of sending for each, so that their ends are evenly apart over the interval."""
        for number in range(self.requests):
            yield self.from_ns + self.len_ns * (2 * number + 1) // (2 * self.requests) - self.took_ns


class LatencyInterval(NamedTuple):
    """Histogram of a route and outcome over one interval, whose beginning is in nanoseconds since 1970."""

    tag: hlog.Tag
    from_ns: int
    len_ns: int
    histogram: Histogram


@dataclass(frozen=True)
class ExportedTrial:
    """Trial that is exported."""

    folder: TrialFolder

    @cached_property
    def recording(self) -> Recording:
        """Its recording. Raises PlanError where the folder holds none."""
        return Recording.open(self.folder.path)

    @cached_property
    def document(self) -> "TrialDocument":
        """Its result. Raises PlanError where the recording cannot be judged."""
        from loadrig.report.run import read

        return read(self.folder.path).trial

    @cached_property
    def name(self) -> str:
        """Name of its plan."""
        return self.recording.manifest.plan_name

    def since_1970(self, t_ns: int) -> int:
        """Return an instant of the recording's clock as nanoseconds since 1970."""
        manifest = self.recording.manifest
        return manifest.wall_ns + t_ns - manifest.monotonic_ns

    def latency(self) -> Iterator[LatencyInterval]:
        """Yield the histograms of the recording in the order of the file.

        Those of the kind of times that the recording is judged by, of every route and outcome, and of a long
        recording also those of all routes together, whose route is "".
        """
        manifest = self.recording.manifest
        for tag, start, length, text in hlog.histograms(self.folder.latency):
            if tag.outcome and tag.kind == self.recording.times_kind:
                yield LatencyInterval(tag, manifest.wall_ns + start, length, Histogram.decode(text))

    def counted(self) -> Iterator[CountedRequests]:
        """Return all requests that ended in the measured part, as counts by how long they took.

        Raise PlanError where another tool told only how many there were.
        """
        self.need_times()
        return self._counted()

    def need_times(self) -> None:
        """Raise PlanError where another tool told only how many requests there were, and no times of them."""
        if self.recording.imported is not None and next(iter(self.latency()), None) is None:
            wording = ERRORS.no_times(str(self.folder.path), self.recording.imported.tool)
            raise PlanError.of(wording, code="cli.wrong-argument", where=Span("--to"))

    def _counted(self) -> Iterator[CountedRequests]:
        measured = self.recording.measured
        from_ns, to_ns = self.since_1970(measured.from_ns), self.since_1970(measured.to_ns)
        for tag, start_ns, len_ns, histogram in self.latency():
            if tag.route == WHOLE or not from_ns < start_ns + len_ns <= to_ns:
                continue
            least, most = histogram.min_ns, histogram.max_ns
            for low, high, count in histogram.buckets(STEPS_A_DECADE):
                took_ns = min(max(int((low + high) / 2), least), most)
                yield CountedRequests(tag.route, tag.outcome, took_ns, count, start_ns, len_ns)


def exported_trial(path: Path) -> ExportedTrial:
    """Return the trial of a folder: of a run with one trial, or a trial's own.

    Raises PlanError where a run has several trials, or the folder is no run's.
    """
    folder = TrialFolder(path)
    if folder.manifest.is_file():
        return ExportedTrial(folder)
    trials = RunFolder(path).trial_folders()
    if len(trials) > 1:
        names = f"{trials[0].path}", f"{trials[-1].path}"
        wording = ERRORS.several_trials(str(path), len(trials), *names)
        raise PlanError.of(wording, code="cli.wrong-argument", where=Span(str(path)))
    exported = ExportedTrial(trials[0] if trials else folder)
    exported.recording  # noqa: B018  a folder that holds no recording is refused before anything is written
    return exported
