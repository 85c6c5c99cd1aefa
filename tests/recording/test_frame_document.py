"""Lines of frames.jsonl as types: what is no frame is refused by its number."""

import json
from pathlib import Path

import pytest

from loadrig.base.errors import PlanError
from loadrig.recording import frame_document
from loadrig.recording.frame import OWN_KINDS, Frame
from loadrig.testing.engine_frames import engine_frame, frame_message, row

NS = 1_000_000_000
FRAME = engine_frame(0, 0, NS, [row("ok", [0.1, 0.2])], gaps_ns=[1, 2])


def counters(**more: object) -> dict[str, object]:
    return {**frame_document.counters(FRAME), **more}


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
    assert as_comes.histograms == FRAME.histograms != {}
    assert line == Frame.of(FRAME)
    assert as_comes != line


def test_a_line_has_every_counter_that_the_generator_sent_and_none_of_its_histograms() -> None:
    sent = frame_message(0, 0, NS, [row("ok", [0.1, 0.2])], gaps_ns=[1, 2])
    assert counters().keys() == sent.keys() - set(OWN_KINDS)
    assert frame_document.decoded(json.dumps(counters()).encode()).routes[0].bytes == 200


def test_what_another_tool_does_not_tell_is_left_out_of_its_line() -> None:
    sent = frame_message(0, 0, NS, [row("ok", [0.1])])
    reported = {
        "n",
        "t_ns",
        "len_ns",
        "sent",
        "answered",
        "failed",
        "in_flight",
        "in_flight_s",
        "routes",
        "status",
    }
    bare = {key: value for key, value in sent.items() if key in reported}
    assert frame_document.counters(frame_document.imported(bare)).keys() == reported
