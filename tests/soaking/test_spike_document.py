"""A spike's answer out of a recording: instants from its events, steps from its frames."""

import json
from pathlib import Path

from syrupy.assertion import SnapshotAssertion

from loadrig.base.documents import plain
from loadrig.judgement.soak.document import SpikeDocument
from loadrig.recording.reader import Recording
from loadrig.soaking.spike_result import document, turns
from loadrig.testing.synthetic import SyntheticServer, write_recording
from tests.wording import numbers

BEFORE, LENGTH, AFTER, WARM_UP = 30, 10, 60, 5


def spiked(
    folder: Path,
    *,
    before: int = BEFORE,
    length: int = LENGTH,
    after: int = AFTER,
    slow_after: int = 4,
    has_events: bool = True,
) -> Recording:
    """Return a spike of four times the load; latency is fifty times as high until some seconds after it."""
    rates = [100.0] * (WARM_UP + before) + [400.0] * length + [100.0] * after
    factors = [1.0] * (WARM_UP + before) + [50.0] * (length + slow_after) + [1.0] * (after - slow_after)
    recording = write_recording(
        folder, rates, factors, warm_up_frames=WARM_UP, server=SyntheticServer(), is_sealed=False
    )
    if has_events:
        start_ns = recording.start_ns
        with (folder / "events.jsonl").open("a", encoding="utf-8") as file:
            for second, level in ((WARM_UP + before, "400"), (WARM_UP + before + length, "100")):
                row = {
                    "t_ns": start_ns + second * 1_000_000_000, "kind": "level", "subject": "load",
                    "text": level, "facts": {}, "component": "",
                }  # fmt: skip
                file.write(json.dumps(row) + "\n")
    return Recording.open(folder)


def test_what_it_was_asked_and_how_long_it_took_is_read_from_the_folder(tmp_path: Path) -> None:
    recording = spiked(tmp_path / "t")
    assert [(turn.at_s, turn.level) for turn in turns(recording)] == [(35.0, 400.0), (45.0, 100.0)]
    result = document(recording)
    json.dumps(plain(result), allow_nan=False)
    assert isinstance(result, SpikeDocument)
    assert result.verdict == "recovered"
    assert result.times == 4.0
    assert numbers(result.text)[:2] == [4, 10]
    low, high = result.back_s.low, result.back_s.high
    assert low is not None
    assert high is not None
    assert low <= 4.0 <= high + 1.0
    assert result.measures["latency"].harmed
    assert result.course.t_s[0] > WARM_UP
    assert len({len(values) for values in plain(result.course).values()}) == 1


def test_one_that_never_comes_back_is_metastable(tmp_path: Path) -> None:
    result = document(spiked(tmp_path / "t", slow_after=AFTER))
    assert isinstance(result, SpikeDocument)
    assert result.verdict == "metastable"
    assert result.back_s.value is None


def test_a_spike_of_one_step_has_its_course_and_no_verdict(tmp_path: Path) -> None:
    answer = document(spiked(tmp_path / "t", before=0, length=1, after=0))
    assert isinstance(answer, SpikeDocument)
    assert answer.verdict == "unknown"
    assert answer.course.t_s == (WARM_UP + 1.0,)
    # Steps of one second: a rate is the count.
    assert answer.rate is not None
    assert answer.course.offered == (answer.rate,)
    assert answer.rate > 300


def test_a_spike_before_all_that_was_measured_has_no_verdict(tmp_path: Path) -> None:
    recording = spiked(tmp_path / "t", before=-1, length=1, after=0)
    assert document(recording).verdict == "unknown"


def test_without_a_spike_nothing_is_said_of_one(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    result = document(spiked(tmp_path / "t", has_events=False))
    assert result.verdict == "unknown"
    assert result.text == snapshot
