"""A soak's document: the answer, and the courses that its charts show, on one axis."""

import json
from pathlib import Path

import jsonschema
import pytest

from loadrig.base.documents import plain, schema_of, typed
from loadrig.judgement.facts.courses import MOST_POINTS
from loadrig.judgement.soak.document import SoakDocument, SpikeDocument
from loadrig.recording.reader import Recording
from loadrig.soaking.result import COLUMNS, document
from loadrig.testing.synthetic import Route, SyntheticServer, write_recording

SECONDS, WARM_UP = 600, 20
ROUTES = (Route("search"), Route("order", 0.2))


def a_soak(folder: Path, *, grows_to: float = 300e6) -> Recording:
    server = SyntheticServer(pss_bytes=100e6, grows_to_bytes=grows_to, pids=(11, 12))
    components = [{"name": "server", "kind": "gunicorn", "limits": {"memory_bytes": 5e8}}]
    goal = {
        "text": "p95 < 500ms for 30s", "measure": "p95", "below": True, "limit": 0.5, "unit": "s",
        "route": None, "over_s": 30.0,
    }  # fmt: skip
    return write_recording(
        folder, [60.0] * SECONDS, routes=ROUTES, server=server, warm_up_frames=WARM_UP,
        facts={"map": {"components": components, "edges": []}, "goals": [goal]},
    )  # fmt: skip


def test_the_answer_stands_beside_its_courses_on_one_axis(tmp_path: Path) -> None:
    recording = a_soak(tmp_path / "t")
    result = document(recording)
    assert isinstance(result, SoakDocument)
    json.dumps(plain(result), allow_nan=False)
    assert result.verdict == "leaks"
    assert recording.manifest.measured is not None
    assert result.ended == recording.manifest.measured.why
    (memory,) = [row for row in result.growth if row.kind == "memory"]
    # 200 MB over 36,000 requests, with a limit that is 200 MB away at the end.
    assert memory.a_request is not None
    assert 5_000 < (memory.a_request.value or 0) < 6_100
    assert memory.reached_in_s is not None
    assert 400 < (memory.reached_in_s.value or 0) < 800
    assert len(memory.t_s) == len(memory.levels) <= MOST_POINTS
    assert memory.levels[-1] > memory.levels[0]
    lasted = SECONDS - WARM_UP
    for t_s in (memory.t_s, result.throughput.t_s, *(course.t_s for course in result.courses)):
        assert 0 <= t_s[0] <= lasted / 20
        assert 0.9 * lasted <= t_s[-1] <= lasted + 1
    assert len(result.throughput.mean) <= COLUMNS
    assert {course.route for course in result.courses} == {None}
    (goal,) = result.goals
    assert goal.met is True


def test_the_same_folder_says_the_same(tmp_path: Path) -> None:
    recording = a_soak(tmp_path / "t", grows_to=100e6)
    assert document(recording) == document(Recording.open(recording.path))


@pytest.mark.parametrize(("name", "kind"), [("soak", SoakDocument), ("spike", SpikeDocument)])
def test_recorded_answers_are_read_and_written_byte_for_byte(
    name: str, kind: type[SoakDocument | SpikeDocument]
) -> None:
    text = (Path(__file__).parent / "recorded" / f"{name}.json").read_text(encoding="utf-8")
    assert json.dumps(plain(typed(kind, json.loads(text), name))) + "\n" == text
    jsonschema.validate(json.loads(text), schema_of(kind))


def test_a_soak_without_the_fields_that_came_later_is_read() -> None:
    written = json.loads((Path(__file__).parent / "recorded" / "soak.json").read_text(encoding="utf-8"))
    for name in ("setting_id", "trial", "ended"):
        del written[name]
    for name in ("a_request", "an_hour", "follows", "limit", "reached_in_s"):
        del written["growth"][0][name]
    assert typed(SoakDocument, written, "result.json").growth[0].a_request is None
