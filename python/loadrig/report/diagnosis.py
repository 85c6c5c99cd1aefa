"""The diagnosis alone: what `loadrig diagnose` prints."""

from collections.abc import Mapping
from typing import Any

from loadrig.report.kicker import facts, kicker
from loadrig.report.model import Report
from loadrig.report.run import Run
from loadrig.report.sections import findings


def build(run: Run, *, everything: bool = False) -> Report:
    """A report of one section. everything: with all causes that were cleared."""
    section = findings.build(run, everything=everything)
    return Report(run.name, kicker(run), (section,) if section else (), facts=facts(run))


def as_json(run: Run) -> Mapping[str, Any]:
    """Findings and diagnosis as they stand in the result."""
    return {name: run.result.get(name) for name in ("schema", "name", "findings", "diagnosis")}
