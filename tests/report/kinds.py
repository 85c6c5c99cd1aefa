"""A page with one figure of every kind, taken from the reports of as many runs as that needs."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib.resources import files
from itertools import zip_longest
from pathlib import Path

from loadrig import report
from loadrig.base.documents import typed
from loadrig.comparing.history import history as of_runs
from loadrig.comparing.judged import compare
from loadrig.comparing.read import read_side, runs_in
from loadrig.comparing.yardsticks import asked
from loadrig.report import comparison, history
from loadrig.report.figures import capacity_curve
from loadrig.report.model import Block, Card, Figure, PerView, Report, Section, Table
from loadrig.study.capacity.document import CapacityDocument
from tests.comparing import fabricated

from .accounts import accounted, document_by_load
from .profiled import profiled
from .soaks import soak
from .tunings import tuning

SEARCH = Path(__file__).parent.parent / "study" / "capacity" / "recorded" / "rate.json"

KINDS = frozenset(
    item.name.removesuffix(".js")
    for item in (files("loadrig.report") / "assets" / "kinds").iterdir()
    if item.name.endswith(".js")
)
"""Every kind of figure that a page can draw."""


def figures_of(whole: Report) -> Iterator[tuple[Figure, Table | None]]:
    """Yield all figures of a report, each with the table beneath it."""

    def walk(blocks: Iterable[Block]) -> Iterator[tuple[Figure, Table | None]]:
        row = list(blocks)
        for block, after in zip_longest(row, row[1:]):
            if isinstance(block, Figure):
                yield block, after if isinstance(after, Table) else None
            elif isinstance(block, Card):
                yield from walk(block.figures)
            elif isinstance(block, PerView):
                for inner in block.blocks.values():
                    yield from walk(inner)

    for section in whole.sections:
        yield from walk(section.blocks)


def every_kind(folder: Path, trial: Path, study: Path, proved: Path) -> Report:
    """Return the report of a trial that shows but the first figure of each kind of any run."""
    whole = report.build(trial)
    reports = [
        whole,
        *map(report.build, (study, proved, profiled(trial, folder / "profiled"), soak(folder / "soak"))),
        report.build(accounted(folder / "accounted", document_by_load())),
        report.build(tuning(folder / "tuning")),
        *_compared(folder),
    ]
    search = typed(CapacityDocument, json.loads(SEARCH.read_text(encoding="utf-8")), SEARCH.name)
    curve = capacity_curve.draw(search, ["p99 < 80ms"])
    first: dict[str, tuple[Figure, Table | None]] = {curve.kind: (curve, None)}
    for each in reports:
        for figure, table in figures_of(each):
            first.setdefault(figure.kind, (figure, table))
    blocks: list[Block] = []
    for kind, (figure, table) in first.items():
        blocks.append(replace(figure, id=kind, view=whole.views[0].id))
        blocks += [table] if table is not None else []
    return replace(whole, sections=(Section("verdict", "Figures", tuple(blocks)),))


def _compared(folder: Path) -> list[Report]:
    for name, slow in (("a", 1.0), ("b", 1.2)):
        fabricated.recorded(folder / name / "1", slow=slow, seed=1 + (name == "b"))
    sides = read_side(str(folder / "a")), read_side(str(folder / "b"))
    fabricated.runs(folder / "nightly", [400, 402, 399, 401, 398, 400, 370, 372, 369, 371])
    over_time = of_runs(runs_in(folder / "nightly"))
    return [comparison.build(compare(*sides, asked(*sides))), history.build(over_time)]
