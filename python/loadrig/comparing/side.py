"""One side of a comparison: trials of one setting, with what each of them measured.

Made by `comparing.read` from a folder:
a trial is a result with or without a recording beside it. Without one there are no intervals of single routes
and no shift function; everything else is the same. Of a study whose trials are gone only estimates are known.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from loadrig.base import members
from loadrig.base.estimate import Estimate
from loadrig.base.setting import Setting, show_setting
from loadrig.comparing.document import SideDocument
from loadrig.recording.config_document import ConfigDocument
from loadrig.recording.manifest_document import ImportedDocument, MachineDocument
from loadrig.recording.reader import Recording
from loadrig.stats.intervals import wilson_share
from loadrig.trial.document import LoadDocument, RouteTotals, TrialDocument

MEASURES = "loadrig.measures"

CAPACITY = "capacity"
"""Name of the estimate that a search adds to those of its trial."""

OF_ROUTES = ("mean", "p50", "p90", "p95", "p99", "p99.9")
"""Latencies that a trial's result has for each route."""


@dataclass(frozen=True)
class Measured:
    """One trial of a side.

    run: number of the run that it is from, within the side; block: of that run. began_s: when, in seconds
    since 1970; 0 where it was not recorded. seconds: of wall time. verdict: valid, disturbed, void or failed
    (of the target). estimates: by measure, of all routes together. result: None where only the study's is
    known. folder: of its recording; None where there is none.
    """

    run: int
    block: int
    index: int
    began_s: float
    seconds: float
    verdict: str
    reasons: tuple[str, ...]
    estimates: Mapping[str, Estimate]
    result: TrialDocument | None = None
    folder: Path | None = None

    @property
    def is_usable(self) -> bool:
        """Return whether the trial's figures say something about what was loaded."""
        return self.verdict in ("valid", "disturbed")

    @cached_property
    def recording(self) -> Recording | None:
        """Return the trial's recording, if it is there."""
        if self.folder is None or not (self.folder / "manifest.json").is_file():
            return None
        return Recording.open(self.folder)

    @property
    def config(self) -> ConfigDocument | None:
        """Return what the generator was told; None where that is not known."""
        return None if self.recording is None else self.recording.config

    def value(self, measure: str, route: str | None = None) -> float | None:
        """Return what the trial measured, in the unit of the measure; None where it cannot tell."""
        estimate = self.estimate(measure, route)
        return None if estimate is None else estimate.value

    def estimate(self, measure: str, route: str | None = None) -> Estimate | None:
        """Return what the trial measured with its interval within this trial, where there is one.

        For a single route only counts have an interval; `with_interval` asks the recording for others.
        """
        if route is None:
            return self.estimates.get(measure)
        if self.result is None or route not in self.result.routes:
            return None
        return _route_estimate(measure, self.result.routes[route], self.result.load.seconds)

    def with_interval(self, measure: str, route: str | None = None) -> Estimate | None:
        """Return what the trial measured with its recording's interval, also for a single route."""
        estimate = self.estimate(measure, route)
        if estimate is None or estimate.low is not None or route is None or self.recording is None:
            return estimate
        if measure not in members.names(MEASURES):
            return estimate
        exact: Estimate | None = members.load(MEASURES, measure).estimate(self.recording, route=route)
        return estimate if exact is None else exact

    @property
    def counts(self) -> Mapping[str, int]:
        """Return the requests of the service that ended, by route."""
        return {} if self.result is None else {name: row.count for name, row in self.result.routes.items()}


def _route_estimate(measure: str, totals: RouteTotals, seconds: float) -> Estimate | None:
    """Return what the result says of a single route. seconds: length of the measured part."""
    ok, count = totals.ok, totals.count
    if measure == "errors":
        return share_of_failed(count - ok, count) if count else None
    if measure == "throughput":
        return Estimate(ok / seconds, "1/s", n=ok, of="answers") if seconds else None
    kind, quantile = kind_of(measure)
    times = totals.latency_ms.service if kind == "service" else totals.latency_ms.response
    if quantile not in OF_ROUTES or times is None:
        return None
    return Estimate(times.seconds(quantile), "s", n=ok, of="answers")


@dataclass(frozen=True)
class Side:
    """One side of a comparison. name: as the user named it. setting: of its trials. trials: all, by time.

    runs: folders that they are from. plan_text: as written, "" where it is not known. machine, loadrig: of
    the first trial. repeats: differences between two runs of one setting within a block of the study that
    this side is from (A/A pairs), by measure, of logs or of shares. searched: why the search for the
    capacity ended, of runs that steered their load to find it; "" of all others. notes: what a reader must
    know of how this side came to be.
    """

    name: str
    setting: Setting
    trials: tuple[Measured, ...]
    runs: tuple[Path, ...]
    plan_name: str = ""
    plan_text: str = ""
    machine: MachineDocument = field(default_factory=MachineDocument)
    loadrig: str = ""
    created: str = ""
    repeats: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    searched: str = ""
    notes: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        """Return the folder of the first run."""
        return self.runs[0]

    @property
    def began_s(self) -> float:
        """Return when the first trial began, in seconds since 1970; 0 where it was not recorded."""
        return self.trials[0].began_s

    @cached_property
    def usable(self) -> tuple[Measured, ...]:
        """Return the trials that count: neither void nor failed."""
        return tuple(trial for trial in self.trials if trial.is_usable)

    @property
    def label(self) -> str:
        """Return the setting on one line."""
        return show_setting(self.setting)

    @cached_property
    def routes(self) -> tuple[str, ...]:
        """Return the routes of the service that were asked for, in the order of their first answer."""
        return tuple(dict.fromkeys(name for trial in self.usable for name in trial.counts))

    @cached_property
    def blocks(self) -> tuple[tuple[Measured, ...], ...]:
        """Return the usable trials of each block together, in order of time: the units of inference."""
        trials_by_block: dict[tuple[int, int], list[Measured]] = {}
        for trial in self.usable:
            trials_by_block.setdefault((trial.run, trial.block), []).append(trial)
        return tuple(tuple(block) for block in trials_by_block.values())

    @property
    def result(self) -> TrialDocument | None:
        """Return the result of the first trial; None where only its study's is known."""
        return (self.usable or self.trials)[0].result

    @property
    def load(self) -> LoadDocument | None:
        """Return what the first trial says of its load; None where only its study's result is known."""
        return None if self.result is None else self.result.load

    @property
    def model(self) -> str | None:
        """Return the model of the first trial's load; None where it is not known."""
        return None if self.load is None else self.load.model

    @property
    def imported(self) -> ImportedDocument | None:
        """Return the origin of the first trial's results; None where loadrig made them."""
        return None if self.result is None else self.result.imported or None

    @property
    def tool(self) -> str:
        """Return the tool that made the load; "" where it was loadrig."""
        return "" if self.imported is None else self.imported.tool

    @property
    def goals(self) -> frozenset[str]:
        """Return what the first trial was held against, as written."""
        return frozenset(() if self.result is None else (goal.text for goal in self.result.goals))

    @property
    def seconds(self) -> float:
        """Return the wall time of a block: that of the longest."""
        return max((sum(trial.seconds for trial in block) for block in self.blocks), default=0.0)

    @property
    def document(self) -> SideDocument:
        """Return the side as a comparison's document has it."""
        verdicts = Counter(trial.verdict for trial in self.trials)
        words = ("valid", "disturbed", "void", "failed")
        return SideDocument(
            name=self.name,
            plan=self.plan_name,
            setting=dict(self.setting),
            label=self.label,
            created=self.created or None,
            loadrig=self.loadrig or None,
            runs=tuple(str(run) for run in self.runs),
            blocks=len(self.blocks),
            trials={word: verdicts[word] for word in words if verdicts[word]},
            seconds=sum(trial.seconds for trial in self.trials),
            machine=self.machine,
        )

    def unit(self, measure: str) -> str | None:
        """Return the unit of a measure on this side; None where no trial has the measure."""
        estimates = (trial.estimate(measure) for trial in self.usable)
        return next((estimate.unit for estimate in estimates if estimate is not None), None)


def kind_of(measure: str) -> tuple[str, str]:
    """Return the kind of times of a latency, and its name without it: "service_p95" is ("service", "p95")."""
    kind, _, quantile = (
        measure.rpartition("_") if measure.startswith("service_") else ("response", "", measure)
    )
    return kind, quantile


def share_of_failed(failed: int, count: int) -> Estimate:
    """Estimate a share of requests with Wilson's interval."""
    share = wilson_share(failed, count)
    return Estimate(share.value, "1", share.low, share.high, n=count)
