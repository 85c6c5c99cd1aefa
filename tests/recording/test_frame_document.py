"""Lines of frames.jsonl as types: what is no frame is refused by its number."""

import json
from pathlib import Path

import pytest

from loadrig.base.errors import PlanError
from loadrig.recording import frame_document
from loadrig.recording.frame import Frame, split
from loadrig.testing.engine_frames import engine_frame, row

NS = 1_000_000_000
FRAME = engine_frame(0, 0, NS, [row("ok", [0.1, 0.2])], gaps_ns=[1, 2])


def counters(**more: object) -> dict[str, object]:
    return {**split(FRAME)[0], **more}


@pytest.mark.parametrize(
    "broken",
    [
        {"t_ns": "0"}, {"n": None}, {"routes": [{"route": "a"}]}, {"routes": {}}, {"status": []},
        {"gaps_ns": [1 << 63]}, {"gaps_ns": [-1]}, {"threads": [{"cpu_ns": 1}]}, {"in_flight_s": "much"},
    ],
)  # fmt: skip
def test_a_line_that_is_no_frame_is_refused_by_its_number(broken: dict[str, object], tmp_path: Path) -> None:
    path = tmp_path / "frames.jsonl"
    path.write_text(f"{json.dumps(counters())}\n{json.dumps(counters(**broken))}\n", encoding="utf-8")
    frames = frame_document.each(path)
    assert next(frames).n == 0
    with pytest.raises(PlanError) as refused:
        next(frames)
    assert refused.value.problems[0].code == "recording.broken"


def test_a_frame_as_it_comes_has_the_counters_of_its_line_and_the_histograms_beside_it() -> None:
    as_comes = Frame.live(FRAME)
    line = Frame.of(frame_document.decoded(json.dumps(counters()).encode()))
    assert as_comes.histograms == dict(split(FRAME)[1])
    assert line == Frame.of(frame_document.live(FRAME))
    assert as_comes != line
