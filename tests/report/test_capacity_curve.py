"""The curve of a capacity: which goal is drawn over its levels."""

import json
from pathlib import Path
from typing import Any

import pytest

from loadrig.base.documents import typed
from loadrig.report.figures import capacity_curve
from loadrig.study.capacity.document import CapacityDocument

RECORDED = Path(__file__).parent.parent / "study" / "capacity" / "recorded" / "rate.json"


def goal_of(text: str) -> Any:
    search = typed(CapacityDocument, json.loads(RECORDED.read_text(encoding="utf-8")), "rate.json")
    return capacity_curve.draw(search, [text]).data["goal"]


@pytest.mark.parametrize(
    ("limit", "seconds"),
    [("250us", 250e-6), ("80ms", 0.08), (".5s", 0.5), ("1m30s", 90.0), ("1.5h", 5_400.0), ("1h5m", 3_900.0)],
)
def test_the_line_of_a_goal_is_drawn_for_every_duration_of_a_plan(limit: str, seconds: float) -> None:
    assert goal_of(f"p99 < {limit}")["y"] == pytest.approx(seconds)


def test_a_goal_without_a_duration_has_no_line() -> None:
    assert goal_of("errors < 1%") is None
    assert goal_of("p99 < soon") is None
