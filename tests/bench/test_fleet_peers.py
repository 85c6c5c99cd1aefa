"""Points of k6, as the bench of fleets reads them."""

import json
from pathlib import Path

from bench.fleet_peers import durations


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
