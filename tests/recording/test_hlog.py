"""The latency log: its lines, its tags, and that other people's tools read it."""

from pathlib import Path

import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader
from hypothesis import given
from hypothesis import strategies as st

from loadrig._native import Histogram
from loadrig.base.errors import PlanError
from loadrig.recording import hlog
from loadrig.recording.hlog import LatencyLog, Tag
from tests import strategies

WALL_NS = 1_763_700_000_123_456_789
ALL = 2**60


def write(path: Path, lines: list[tuple[Tag, int, int, Histogram]]) -> LatencyLog:
    text = "".join(hlog.line(tag, start, length, counts.encode()) for tag, start, length, counts in lines)
    path.write_bytes(hlog.header(WALL_NS) + text.encode())
    return LatencyLog.open(path, ALL)


@given(strategies.tags())
def test_a_tag_comes_back_whatever_its_route_is_called(tag: Tag) -> None:
    text = str(tag)
    assert hlog.parse_tag(text) == tag
    assert not set(text) & set(', \n"#')
    assert text.count("|") == (2 if tag.outcome else 1)


def test_a_tag_is_legible_where_it_can_be() -> None:
    assert str(Tag("GET /orders/{id}", "ok", "response")) == "GET%20/orders/{id}|ok|response"
    assert str(Tag("-", "", "lag")) == "-|lag"


@pytest.mark.parametrize("text", ["", "search", "a|b|c|d"])
def test_what_is_no_tag_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a tag"):
        hlog.parse_tag(text)


@given(start=st.integers(0, 10**17), length=st.integers(0, 10**12), counts=strategies.histograms())
def test_a_line_keeps_its_nanoseconds(
    tmp_path_factory: pytest.TempPathFactory, start: int, length: int, counts: Histogram
) -> None:
    tag = Tag("search", "ok", "response")
    log = write(tmp_path_factory.mktemp("log") / "latency.hlog", [(tag, start, length, counts)])
    assert log.merged([tag], start + length - 1, start + length) == counts
    assert log.merged([tag], start + length, ALL).count == 0
    assert log.merged([tag], -1, start + length - 1).count == 0


def test_a_text_that_is_no_histogram_is_not_written() -> None:
    with pytest.raises(ValueError, match="histogram"):
        hlog.line(Tag("-", "", "lag"), 0, 1, "HISTFnonsense")


def test_a_torn_last_line_is_left_out(tmp_path: Path) -> None:
    path, tag = tmp_path / "latency.hlog", Tag("a", "ok", "response")
    histogram = strategies.histogram_of_ns([1000, 2000])
    write(path, [(tag, 0, 10, histogram), (tag, 10, 10, histogram)])
    whole = path.read_bytes()
    start_of_last = whole.rindex(b"Tag=")
    for size in range(start_of_last, len(whole)):
        path.write_bytes(whole[:size])
        assert LatencyLog.open(path, ALL).merged([tag], -1, ALL) == histogram


def test_a_missing_and_an_empty_log_have_no_lines(tmp_path: Path) -> None:
    assert LatencyLog.open(tmp_path / "none", ALL).tags == []
    (tmp_path / "empty").touch()
    assert LatencyLog.open(tmp_path / "empty", ALL).merged([Tag("-", "", "lag")], -1, ALL).count == 0


@pytest.mark.parametrize(
    "line", [b"hello\n", b"Tag=a|ok|response,1,2\n", b"Tag=a,1,2,3,HIST\n", b"Tag=-|lag,x,2,3,H\n"]
)
def test_a_whole_line_that_is_not_ours_is_said_so(tmp_path: Path, line: bytes) -> None:
    (tmp_path / "latency.hlog").write_bytes(hlog.header(WALL_NS) + line)
    with pytest.raises(PlanError) as failed:
        LatencyLog.open(tmp_path / "latency.hlog", ALL)
    assert failed.value.problems[0].code == "recording.broken"


def test_the_histograms_of_others_reader_are_ours(tmp_path: Path) -> None:
    """The reader of PyPI's hdrhistogram finds every line: tag, times of the interval, every count."""
    path = tmp_path / "latency.hlog"
    lines = [
        (Tag("a route, | it is", "ok", "response"), 1_500_000_000, 1_000_000_000, [1_000, 41_222_333]),
        (Tag("-", "", "lag"), 2_500_000_000, 1_000_000_000, [50, 60, 3_599_000_000_000]),
        (Tag("b", "timeout", "response"), 2_500_000_000, 999_999_999, [30_000_000_000] * 7),
    ]  # fmt: skip
    write(
        path,
        [(tag, start, length, strategies.histogram_of_ns(values)) for tag, start, length, values in lines],
    )
    log = HistogramLogReader(str(path), HdrHistogram(1, 3_600_000_000_000, 3))
    for tag, start, length, values in lines:
        histogram = log.get_next_interval_histogram()
        assert hlog.parse_tag(histogram.get_tag()) == tag
        ours = strategies.histogram_of_ns(values)
        assert histogram.get_total_count() == len(values)
        for percent in (0, 10, 50, 90, 99, 100):
            assert histogram.get_value_at_percentile(percent) == ours.quantile_ns(percent / 100)
        start_ms = (WALL_NS // 1_000_000 * 1_000_000 + start) / 1e6
        assert histogram.get_start_time_stamp() == pytest.approx(start_ms, abs=0.01)
        length_ms = histogram.get_end_time_stamp() - histogram.get_start_time_stamp()
        assert length_ms == pytest.approx(length / 1e6, abs=0.01)
    assert log.get_next_interval_histogram() is None
    log.close()


def test_the_greatest_value_of_a_line_is_in_milliseconds() -> None:
    line = hlog.line(Tag("-", "", "lag"), 0, 10**9, strategies.histogram_of_ns([41_222_333]).encode())
    assert float(line.split(",")[3]) == pytest.approx(41.222, rel=1e-3)
