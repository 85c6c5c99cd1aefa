"""The folder of a tuning for the tests of the report: told of servers that are made up, and kept as a file.

The search is not done anew for each test: its arithmetic may differ in the last digits from machine to
machine, and with it what is tried. After a change to a study's result write the file again, read the diff:

    python -m tests.report.tunings
"""

import json
from pathlib import Path
from typing import Any

from loadrig.plan.model import Goal
from tests.study.fakes import FakeServers, cores
from tests.study.tuning.test_stages import MEMORY, document_of_run, more, ran

KEPT = Path(__file__).parent / "recorded" / "tuning.json"


def tuning(folder: Path, **changes: Any) -> Path:
    """Return the folder of a tuning of 54 settings. changes: to its result."""
    folder.mkdir(parents=True)
    document = json.loads(KEPT.read_text(encoding="utf-8")) | changes
    (folder / "result.json").write_text(json.dumps(document), encoding="utf-8")
    (folder / "plan.yaml").write_text("loadrig: 1\n", encoding="utf-8")
    return folder


def recorded_part(name: str) -> Any:
    """Return a part of its result, to be changed."""
    return json.loads(KEPT.read_text(encoding="utf-8"))[name]


def _made() -> dict[str, Any]:
    goals: tuple[Goal, ...] = (MEMORY,)
    document = document_of_run(ran(FakeServers(cores(4.0), more=more), goals=goals), goals)
    document |= {"name": "which threads?", "created": "2026-11-22T09:00:00+00:00", "diagnosis": None}
    rounded: dict[str, Any] = json.loads(
        json.dumps(document), parse_float=lambda text: float(f"{float(text):.4g}")
    )
    return rounded


if __name__ == "__main__":
    KEPT.parent.mkdir(exist_ok=True)
    KEPT.write_text(json.dumps(_made(), indent=1) + "\n", encoding="utf-8")
