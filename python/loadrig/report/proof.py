"""A proof as the report reads it: experiments, what was skipped, the fix.

The file is RUN/proof/proof.json (docs/reference/proof.md). What it has beyond that is ignored. A file that is
not there, torn, or of another schema is no proof.
"""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from loadrig.base.documents import plain, typed
from loadrig.base.errors import PlanError
from loadrig.judgement.document import ClearedDocument
from loadrig.judgement.experiments.outcome import IS_MORE_BETTER, Measure
from loadrig.language.choice import texts_of
from loadrig.language.en.report.proof import ReportProofTexts
from loadrig.proving import document
from loadrig.proving.document import SCHEMA, Accused, InterventionBand, ProofDocument
from loadrig.recording import documents
from loadrig.report import numbers

TEXTS = texts_of(ReportProofTexts)

UNITS = {"share": "1"}
"""Names in the report for units of the document."""

IN_PERCENT = ("cpu", "cores")
"""Changes that a reader understands as a percentage. A delay has a ratio too, of what an answer takes."""


class _Watched:
    """Properties of the outcome that was watched."""

    __slots__ = ()
    measure: Measure
    unit: str

    @property
    def is_more_better(self) -> bool:
        """Whether more of the measure is better: so of throughput alone."""
        return IS_MORE_BETTER[self.measure]

    @property
    def better(self) -> str:
        """Direction that is better, in words."""
        return TEXTS.more_better if self.is_more_better else TEXTS.less_better

    @property
    def shown_unit(self) -> str:
        """Unit of the outcome, as the report calls it."""
        return UNITS.get(self.unit, self.unit)


class ShownExperiment(document.ProvingExperiment, _Watched, frozen=True):
    """Experiment of a proof with the words for what it changed."""

    @property
    def is_live(self) -> bool:
        """Whether the change was made while load ran."""
        return self.kind == "live"

    @property
    def is_of_capacity(self) -> bool:
        """Whether the experiment is judged by its elasticity.

        A knob is judged by whether the outcome moved as much as one would turn the knob for: twice the
        workers for a tenth more are worth it, though the outcome follows them little.
        """
        return self.elasticity is not None and (self.is_live or self.lever.change == "load")

    @property
    def in_percent(self) -> str:
        """Change of the capacity: "−20 %"; "" where a percentage would say nothing."""
        if self.ratio is None or not self.is_of_capacity or self.lever.change not in IN_PERCENT:
            return ""
        return numbers.change(self.ratio)

    @property
    def what(self) -> str:
        """Changed thing: "CPU of mariadb"; the whole title where only that says by how much."""
        return self.title.partition(": ")[0] if self.in_percent else self.title

    @property
    def label(self) -> str:
        """Changed thing, and by how much: "CPU of mariadb, −20 %"."""
        return f"{self.what}, {self.in_percent}" if self.in_percent else self.what

    @property
    def detail(self) -> str:
        """Part of the title that the label leaves out: "0.5 to 0.4 cores"."""
        return self.title.partition(": ")[2] if self.in_percent else ""


class ShownMend(document.TriedMend, _Watched, frozen=True):
    """Mend that was tried for real."""


class ShownProof(ProofDocument, frozen=True, kw_only=True):
    """Proof as it was written, with the questions that the report asks of it."""

    experiments: tuple[ShownExperiment, ...]
    fix: ShownMend | None

    @property
    def is_sure(self) -> bool:
        """Whether a cause is named."""
        return any(finding.verdict == "named" for finding in self.findings)

    @property
    def every_cleared(self) -> tuple[ClearedDocument, ...]:
        """Causes that do not stand, with the sentence that cleared each."""
        return (*self.cleared, *self.diagnosis.cleared)

    def standing_for(self, result: Mapping[str, Any]) -> dict[str, Any]:
        """Return the result of a trial or a study with the findings and diagnosis of the proof in it."""
        cleared: dict[Accused, ClearedDocument] = {}
        for cause in self.every_cleared:
            cleared.setdefault(cause.accused, cause)
        diagnosis = replace(self.diagnosis, cleared=tuple(cleared.values()))
        # A failure of the server in the run itself is shown in place of one in its proof.
        failure = {} if "target_failed" in result else self.failure
        return {
            **result, **failure, "findings": plain(self.findings), "diagnosis": plain(diagnosis)
        }  # fmt: skip


def read(path: Path) -> ShownProof | None:
    """Return the proof of a file; None where no proof can be read from it."""
    try:
        written = documents.read(path)
        return typed(ShownProof, _finite(written), str(path)) if written.get("schema") == SCHEMA else None
    except (PlanError, OSError):
        # A rig that was killed may leave half a file, and a report must not fail for it.
        return None


def bands_of(proof: ShownProof, experiment: ShownExperiment) -> tuple[InterventionBand, ...]:
    """Return when an experiment's change was in force; without bands, its changed slots."""
    number = proof.experiments.index(experiment)
    bands = tuple(band for band in proof.bands if band.experiment == number)
    if bands or not experiment.is_live:
        return bands
    return tuple(
        InterventionBand(slot.trial, slot.from_s, slot.from_s + slot.length_s, experiment.title, number)
        for slot in experiment.slots
        if slot.is_changed
    )


def _finite(value: Any) -> Any:
    """Return plain data without numbers that cannot be drawn: JSON of Python may hold Infinity and NaN."""
    match value:
        case float() if not math.isfinite(value):
            return None
        case dict():
            return {name: _finite(part) for name, part in value.items()}
        case list():
            return [_finite(part) for part in value]
    return value
