"""Points of k6, as the bench of fleets reads them, and the table of what fleets reported."""

import json
from pathlib import Path
from typing import Any

from bench.modes.fleet_peers import durations, tables


def test_only_times_of_requests_are_read_and_a_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "points.json"
    lines = [
        {"type": "Metric", "metric": "http_req_duration", "data": {"type": "trend"}},
        {"type": "Point", "metric": "http_req_duration", "data": {"value": 1.5}},
        {"type": "Point", "metric": "http_reqs", "data": {"value": 1}},
    ]
    whole = "\n".join(map(json.dumps, lines))
    file.write_text(whole + '\n{"type": "Point", "metric": "http_req_dur', encoding="utf-8")
    assert durations(file) == [1.5]
    assert durations(tmp_path / "none") == []


def row(block: int, sent: int, p99_ms: float | None, says: str = "exit 0", **more: Any) -> dict[str, Any]:
    figures = {"sent": sent, "p99_ms": p99_ms, "mean_ms": None, "says": says}
    return {"tool": "loadrig", "block": block, "is_killed": block == 2, **figures, **more}


def test_a_fleet_has_a_line_with_its_runs_and_the_one_in_which_it_lost_a_generator() -> None:
    section = {"rate": 500, "connections": 150, "seconds": 6}
    rows = [row(0, 3_000, 183.6), row(1, 3_000, 190.2), row(2, 2_986, None, "exit 0; 2 lost")]
    truth, table = tables({**section, "rows": rows})
    assert truth.startswith("3,000 requests")
    cells = [cell.strip(" *") for cell in table.splitlines()[-1].split("|")[1:-1]]
    assert cells == ["loadrig", "3,000", "187 (184 – 190)", "–", "2,986", "–", "exit 0; 2 lost"]
