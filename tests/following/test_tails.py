"""Files that grow: whatever pieces they grow by, all of it is read, once and in order."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base.series import Sample
from loadrig.following import tails
from loadrig.following.tails import LineTail, SampleTail
from loadrig.recording.series_store import SeriesStream


@given(content=st.binary(max_size=200), cuts=st.lists(st.integers(0, 200), max_size=6))
def test_lines_come_once_and_whole_however_they_are_written(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, cuts: list[int]
) -> None:
    path = tmp_path_factory.mktemp("tail") / "lines"
    tail, lines = LineTail(path), []
    assert tail.more() == []
    edges = sorted({0, len(content), *(min(cut, len(content)) for cut in cuts)})
    for start, end in pairwise(edges):
        with path.open("ab") as file:
            file.write(content[start:end])
        lines += tail.more()
    tail.close()
    assert lines == [line for line in content.split(b"\n")[:-1] if line]


def test_a_line_that_is_too_long_is_passed_over_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tails, "LONGEST_LINE", 10)
    path = tmp_path / "lines"
    tail = LineTail(path)
    lines = []
    for piece in (b"first\nxxxxxxxxxxxx", b"xxxx", b"xx\nsecond\n"):
        with path.open("ab") as file:
            file.write(piece)
        lines += tail.more()
    tail.close()
    assert lines == [b"first", b"second"]


def samples(number: int) -> list[Sample]:
    return [Sample(number, "process", "cpu_s", f"pid:{n}", float(number * 10 + n)) for n in range(3)]


def test_samples_come_once_while_their_stream_is_written(tmp_path: Path) -> None:
    path = tmp_path / "series.arrow"
    tail = SampleTail(path)
    assert list(tail.more()) == []
    stream = SeriesStream(path)
    for number in range(5):
        stream.add(samples(number), f"tier{number}")
        assert list(tail.more()) == []
        stream.flush()
        assert list(tail.more()) == [(f"tier{number}", sample) for sample in samples(number)]
    stream.close()
    assert list(tail.more()) == []


def test_a_batch_that_is_half_written_comes_when_it_is_whole(tmp_path: Path) -> None:
    whole, path = tmp_path / "whole.arrow", tmp_path / "series.arrow"
    stream = SeriesStream(whole)
    for number in range(3):
        stream.add(samples(number), "server")
        stream.flush()
    stream.close()
    content, tail, read = whole.read_bytes(), SampleTail(path), []
    step = 97
    for start in range(0, len(content), step):
        with path.open("ab") as file:
            file.write(content[start : start + step])
        read += [sample for _, sample in tail.more()]
    assert read == [sample for number in range(3) for sample in samples(number)]


def test_a_damaged_stream_is_read_up_to_the_damage(tmp_path: Path) -> None:
    path = tmp_path / "series.arrow"
    stream = SeriesStream(path)
    stream.add(samples(1), "server")
    stream.flush()
    with path.open("ab") as file:
        file.write(b"\xff" * 400)
    tail = SampleTail(path)
    assert [sample for _, sample in tail.more()] == samples(1)
    assert list(tail.more()) == []
    stream.abandon()
