"""Throughput, offered load and errors against figures that can be counted by hand."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from loadrig.measures import errors, offered, throughput
from loadrig.measures._steps import steps
from loadrig.recording.frame_document import LiveFrameDocument
from loadrig.testing.engine_frames import engine_frame, row
from loadrig.testing.synthetic import write_recording
from tests import strategies
from tests.lengths import fewest, length, most
from tests.measures.made import NS, frames_of, recorded


def test_throughput_is_good_answers_over_the_windows_length(tmp_path: Path) -> None:
    recording = recorded(tmp_path / "1", frames_of([1000, 10, 12, 8, 1000]), (NS, 4 * NS))
    estimate = throughput.estimate(recording)
    assert estimate is not None
    assert (estimate.value, estimate.unit, estimate.n) == (10.0, "1/s", 30)
    assert estimate.low is not None
    assert estimate.high is not None
    assert estimate.low < 10 < estimate.high


def test_failed_answers_are_no_throughput(tmp_path: Path) -> None:
    rows = [row("ok", [0.1] * 5), row("http_5xx", [0.001] * 500), row("connect_refused", [0.0001] * 500)]
    recording = recorded(tmp_path / "1", [engine_frame(n, n * NS, NS, rows) for n in range(4)])
    estimate = throughput.estimate(recording)
    assert estimate is not None
    assert estimate.value == 5.0


def test_a_server_that_answers_nothing_well_has_a_throughput_of_zero(tmp_path: Path) -> None:
    recording = recorded(
        tmp_path / "1", [engine_frame(n, n * NS, NS, [row("http_5xx", [0.1])]) for n in range(5)]
    )
    estimate = throughput.estimate(recording)
    assert estimate is not None
    assert (estimate.value, estimate.low) == (0.0, 0.0)


def test_frames_of_unequal_length_count_by_their_length(tmp_path: Path) -> None:
    frames = [
        engine_frame(0, 0, NS, [row("ok", [0.01] * 100)]),
        engine_frame(1, NS, NS, [row("ok", [0.01] * 100)]),
        engine_frame(2, 2 * NS, NS, [row("ok", [0.01] * 100)]),
        engine_frame(3, 3 * NS, NS // 100, [row("ok", [0.01])]),
    ]
    estimate = throughput.estimate(recorded(tmp_path / "1", frames))
    assert estimate is not None
    assert estimate.value == pytest.approx(100.0)
    assert (estimate.high or 0.0) - (estimate.low or 0.0) < 1e-4


@pytest.mark.parametrize("place", [0, 1, 3])
def test_a_frame_of_no_length_loses_no_answer(tmp_path: Path, place: int) -> None:
    frames = frames_of([10, 10, 10])
    at = min(place, 3) * NS
    frames.insert(place, engine_frame(9, at, 0, [row("ok", [0.01] * 3)]))
    recording = recorded(tmp_path / "1", frames)
    assert float(steps(recording).ok.sum()) == 33
    estimate = throughput.estimate(recording)
    assert estimate is not None
    assert estimate.value == pytest.approx(11.0)


def test_a_short_window_says_what_its_interval_supposes(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    estimate = throughput.estimate(recorded(tmp_path / "1", frames_of([50, 50])))
    assert estimate is not None
    assert estimate.low is not None
    assert estimate.low < 50
    assert estimate.warnings == snapshot


def test_one_route_is_told_apart_and_a_login_only_by_name(tmp_path: Path) -> None:
    rows = [
        row("ok", [0.1] * 5),
        row("ok", [0.1] * 7, route="order"),
        row("ok", [0.1] * 2, route="token", route_class="login"),
    ]
    recording = recorded(tmp_path / "1", [engine_frame(n, n * NS, NS, rows) for n in range(4)])
    values = [
        estimate.value if (estimate := throughput.estimate(recording, route=route)) else None
        for route in (None, "search", "order", "token", "none")
    ]
    assert values == [12.0, 5.0, 7.0, 2.0, None]


def test_offered_counts_what_was_never_sent_too(tmp_path: Path) -> None:
    recording = recorded(tmp_path / "1", frames_of([10, 10, 10, 10], unsent=5))
    estimate = offered.estimate(recording)
    assert estimate is not None
    assert (estimate.value, estimate.n) == (15.0, 60)
    assert offered.estimate(recording, route="search") is None


def test_errors_are_the_share_of_all_that_ended(tmp_path: Path) -> None:
    rows = [row("ok", [0.1] * 96), row("timeout", [30.0]), row("http_4xx", [0.1]), row("check_failed", [0.1])]
    login = row("http_4xx", [0.1] * 50, route="token", route_class="login")
    frame = engine_frame(0, 0, NS, [*rows, login], unsent=1)
    estimate = errors.estimate(recorded(tmp_path / "1", [frame]))
    assert estimate is not None
    assert (estimate.value, estimate.n, estimate.unit) == (0.04, 100, "1")
    # Wilson 1927 for 4 of 100.
    assert estimate.low == pytest.approx(0.015663, abs=1e-5)
    assert estimate.high == pytest.approx(0.098372, abs=1e-5)


def test_no_error_in_a_hundred_is_not_known_to_be_none(tmp_path: Path) -> None:
    estimate = errors.estimate(recorded(tmp_path / "1", frames_of([10] * 10)))
    assert estimate is not None
    assert (estimate.value, estimate.low) == (0.0, 0.0)
    assert estimate.high == pytest.approx(0.036995, abs=1e-5)


def test_errors_in_bursts_are_known_less_well_than_scattered_ones(tmp_path: Path) -> None:
    def share(failures: list[int], name: str) -> tuple[float, float]:
        frames = [
            engine_frame(
                n, n * NS, NS, [row("ok", [0.01] * (200 - k)), *([row("reset", [0.01] * k)] if k else [])]
            )
            for n, k in enumerate(failures)
        ]
        estimate = errors.estimate(recorded(tmp_path / name, frames))
        assert estimate is not None
        assert estimate.value == pytest.approx(0.01)
        assert estimate.low is not None
        assert estimate.high is not None
        return estimate.low, estimate.high

    scattered, burst = share([2] * 20, "1"), share([0] * 10 + [40] + [0] * 9, "2")
    assert burst[0] < scattered[0]
    assert burst[1] > 1.5 * scattered[1]


def test_of_one_routes_errors_unsent_requests_are_not_known(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    recording = recorded(tmp_path / "1", frames_of([10, 10], unsent=5))
    estimate = errors.estimate(recording, route="search")
    assert estimate is not None
    assert estimate.value == 0.0
    assert estimate.warnings == snapshot


@given(frames=strategies.frame_runs())
def test_steps_keep_every_request_and_every_nanosecond(
    tmp_path_factory: pytest.TempPathFactory, frames: list[LiveFrameDocument]
) -> None:
    recording = recorded(tmp_path_factory.mktemp("run") / "1", frames)
    cut = steps(recording)
    ended = sum(row.count for frame in frames for row in frame.routes)
    assert float((cut.ok + cut.not_ok).sum()) == ended
    assert float(cut.answered.sum()) == sum(frame.answered for frame in frames)
    assert float(cut.seconds.sum()) == pytest.approx(sum(frame.len_ns for frame in frames) / 1e9)
    assert len(cut.edges_ns) == cut.n + 1


@given(order=st.permutations([3, 17, 41, 8, 22, 30]))
def test_throughput_does_not_depend_on_the_order_of_frames(
    tmp_path_factory: pytest.TempPathFactory, order: list[int]
) -> None:
    estimate = throughput.estimate(recorded(tmp_path_factory.mktemp("run") / "1", frames_of(order)))
    assert estimate is not None
    assert estimate.value == pytest.approx(121 / 6)


@pytest.mark.slow
def test_ninety_five_percent_intervals_cover_the_rate(tmp_path: Path) -> None:
    """Poisson arrivals at 60/s, 25 frames: about 95 of 100 intervals hold the true rate."""
    hits, draws = 0, length(25, 100)
    for seed in range(draws):
        recording = write_recording(
            tmp_path / str(seed), (60.0,) * 25, warm_up_frames=0, server=None, seed=seed
        )
        estimate = throughput.estimate(recording)
        assert estimate is not None
        assert estimate.low is not None
        assert estimate.high is not None
        hits += estimate.low <= 60.0 <= estimate.high
    assert fewest(draws, 0.95) <= hits <= most(draws, 0.95)
