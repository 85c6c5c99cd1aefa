"""File of a replay: a time a line, or a table in CSV with the time of each arrival and its scenario."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from loadrig.base.user_files import MOST_LIST_BYTES, open_text
from loadrig.plan.arrivals import Replay
from loadrig.plan.requests import Scenario

TIME, SCENARIO = "time", "scenario"
"""Columns of a table. Others may stand beside them, for feeds."""


class MissingColumn(ValueError):
    """Table that has no column of this name."""

    def __init__(self, column: str) -> None:
        super().__init__(column)
        self.column = column


@dataclass(frozen=True, slots=True)
class WrittenArrival:
    """Arrival as it is written. line: its number, from 1. scenario: None where only times are written."""

    line: int
    time: str
    scenario: str | None


@dataclass(frozen=True, slots=True)
class ReplayedList:
    """Arrivals that are replayed.

    times_s: seconds from the first, at the plan's speed. scenarios: their names; empty where weights decide.
    """

    times_s: Sequence[float]
    scenarios: Sequence[str]


def written_arrivals(path: Path, *, is_table: bool) -> Iterator[WrittenArrival]:
    """Yield the arrivals of a file. Blank lines are left out.

    Raises OSError, UnicodeDecodeError, csv.Error, and MissingColumn of a table.
    """
    with open_text(path, MOST_LIST_BYTES, "utf-8-sig", newline="" if is_table else "\n") as file:
        if not is_table:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield WrittenArrival(number, line.strip(), None)
            return
        rows = csv.DictReader(file, restval="")
        for column in (TIME, SCENARIO):
            if column not in (rows.fieldnames or ()):
                raise MissingColumn(column)
        for row in rows:
            yield WrittenArrival(rows.line_num, row[TIME], row[SCENARIO])


def scenario_places(scenarios: Sequence[Scenario]) -> dict[str, int]:
    """Return the places of scenarios by the names that a list may use: their own, that of an only step."""
    alone = {
        scenario.steps[0].name: place for place, scenario in enumerate(scenarios) if len(scenario.steps) == 1
    }
    return alone | {scenario.name: place for place, scenario in enumerate(scenarios)}


def read_replay(replay: Replay, folder: Path) -> ReplayedList:
    """Return the arrivals of a replay. folder: that its path counts from.

    The plan's checks have read the file; OSError and ValueError mean that it has changed since.
    """
    times: list[float] = []
    scenarios: list[str] = []
    for arrival in written_arrivals(folder / replay.times, is_table=replay.is_table):
        times.append(float(arrival.time))
        if arrival.scenario is not None:
            scenarios.append(arrival.scenario)
    return ReplayedList([(time - times[0]) / replay.speed for time in times], scenarios)
