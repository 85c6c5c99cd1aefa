"""Reports of runs that no test changes, each built once for all tests of a process that look at it."""

from functools import cache
from pathlib import Path

from loadrig import report
from loadrig.report.model import Report


@cache
def report_of(folder: Path) -> Report:
    """Return the report of a run's folder. To build one takes much longer than to render it."""
    return report.build(folder)
