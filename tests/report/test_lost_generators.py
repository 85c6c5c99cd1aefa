"""A load that ended for a lost generator of its fleet does not look like a whole one in a terminal."""

import json
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig import report
from loadrig.report import text
from loadrig.report.sections.verdict import sentences

from .built import report_of
from .folders import single

LOST = "it died in the middle of the run"

REASONS = (
    {
        "check": "G18",
        "level": "disturbed",
        "text": f"generator 2 (vm) was lost after 12.0 s ({LOST}): the load was ended",
        "mend": "look at that host",
    },
    {
        "check": "G18",
        "level": "disturbed",
        "text": "generator 1 (vm) was late (limit 1 ms)",
        "mend": "",
    },
)


def generator(name: str, **more: Any) -> dict[str, Any]:
    clock = {"low": 0.0, "high": 0.0}
    return {
        "name": name, "host": "vm", "requests": 9, "due": 9, "sent": 9, "lag_us": None,
        "clock_offset_us": clock, **more,
    }  # fmt: skip


def lost_run(folder: Path, why: str, **lost: Any) -> Path:
    """Write the run of a trial that lost its second generator; return its folder. why: the load ended."""
    path = single(folder, verdict="disturbed", reasons=REASONS) / "result.json"
    result = json.loads(path.read_text(encoding="utf-8"))
    result["measured"] |= {"to_s": 12.0, "why": why}
    result["fleet"] = {"generators": [generator("1"), generator("2", lost=LOST, lost_after_s=12.0, **lost)]}
    path.write_text(json.dumps(result), encoding="utf-8")
    return folder


def test_a_load_that_ended_for_a_lost_generator_is_told_as_in_the_golden_file(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    folder = lost_run(tmp_path / "run", f"generator 2 was lost ({LOST}), so the load was ended")
    lines = text.render(report_of(folder)).replace(str(folder), "runs/shop").splitlines()
    answer, table = (
        lines[: lines.index("", 4)],
        [line for line in lines if "lost" in line or "lag p99" in line],
    )
    assert [*answer, *table] == snapshot


@pytest.mark.parametrize(
    ("why", "lost", "count"),
    [
        (f"generator 2 was lost ({LOST}), so the load was ended", {}, 2),
        ("throughput is known to within 2 %", {}, 1),
        ("throughput is known to within 2 %", {"taken_over_after_s": 12.5}, 1),
    ],
)
def test_only_a_loss_that_ended_what_was_measured_is_part_of_the_answer(
    tmp_path: Path, why: str, lost: dict[str, Any], count: int
) -> None:
    assert len(sentences(report.read(lost_run(tmp_path / "run", why, **lost)).trial)) == count
