"""Tests of what is drawn over time, and what merging for display keeps."""

from pathlib import Path

import pytest

from loadrig.recording.reader import Recording
from loadrig.report.timeline import Timeline, timeline

from .folders import METRICS


@pytest.fixture(scope="module")
def recording(trial_run: Path) -> Recording:
    return Recording.open(trial_run / "trials" / "0001")


@pytest.fixture(scope="module", params=[900, 40, 7, 1])
def time(request: pytest.FixtureRequest, recording: Recording) -> Timeline:
    return timeline(recording, request.param)


def test_the_heatmap_counts_every_good_answer_once(time: Timeline, recording: Recording) -> None:
    assert sum(count for _, _, count in time.heat.cells) == recording.histogram(outcome="ok").count


def test_merged_rates_still_make_the_whole_count(time: Timeline, recording: Recording) -> None:
    ends = (*time.t_s[1:], time.end_s)
    mean = time.rates.due.mean
    count = sum(
        (end - start) * value for start, end, value in zip(time.t_s, ends, mean, strict=True) if value
    )
    assert count == pytest.approx(sum(frame.due for frame in recording.frames))


def test_merging_keeps_the_least_and_the_greatest(time: Timeline, recording: Recording) -> None:
    answered = [frame.answered for frame in recording.frames]
    assert min(low for low in time.rates.answered.low if low is not None) == min(answered)
    assert max(high for high in time.rates.answered.high if high is not None) == max(answered)


def test_the_greatest_latency_is_never_merged_away(time: Timeline, recording: Recording) -> None:
    greatest = max(value for value in time.times.response.greatest if value is not None)
    assert greatest == recording.histogram(outcome="ok").max_ns / 1e9


def test_there_are_never_more_columns_than_asked_for(recording: Recording) -> None:
    assert [len(timeline(recording, most).t_s) for most in (900, 150, 149, 10)] == [150, 150, 75, 10]


def test_a_counter_is_drawn_as_its_rate(recording: Recording) -> None:
    by_metric = {(o.metric, o.subject): o for o in timeline(recording, 900).observed}
    cpu = by_metric["cpu_s", "tree"]
    assert cpu.unit == "cores"
    assert all(0.7 < value < 1.1 for value in cpu.band.mean[2:] if value is not None)


def test_a_count_is_not_taken_for_a_share(recording: Recording) -> None:
    observed = timeline(recording, 900).observed
    assert METRICS["tcp_sockets.established"][0] == "1"
    assert next(o for o in observed if o.metric == "established").unit == ""


def test_warm_up_measured_part_and_drain_share_out_the_axis(recording: Recording) -> None:
    spans = timeline(recording, 900).spans
    assert [span.kind for span in spans] == ["warm-up", "measured", "draining"]
    assert [span.to_s for span in spans] == [8.0, 149.0, 150.0]
    assert [span.from_s for span in spans] == [0.0, 8.0, 149.0]


def test_marks_are_events_during_the_load(recording: Recording) -> None:
    marks = timeline(recording, 900).marks
    assert [(mark.kind, mark.count) for mark in marks] == [
        ("login", 3), ("login", 3), ("login", 3), ("login", 3), ("worker_died", 1), ("login", 3),
    ]  # fmt: skip
