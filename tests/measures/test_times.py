"""Quantiles, mean and maximum against known times, and what they warn of."""

import math
from collections.abc import Callable
from pathlib import Path
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from loadrig.base import members
from loadrig.base.estimate import Estimate
from loadrig.measures import _quantile, mean
from loadrig.measures import max as slowest
from loadrig.measures._quantile import enough
from loadrig.recording.frame_document import LiveFrameDocument
from loadrig.recording.reader import Recording
from loadrig.testing.engine_frames import engine_frame, histogram_of, row
from loadrig.testing.synthetic import Route, write_recording
from tests.lengths import fewest, length
from tests.measures.made import NS, recorded
from tests.strategies import histogram_of_ns

QUANTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p99.9": 0.999}

p50, p95, p99, p99_9, service_p50, failed_p95, sessions_p95 = (
    members.load("loadrig.measures", name)
    for name in ("p50", "p95", "p99", "p99.9", "service_p50", "failed_p95", "sessions_p95")
)


def in_frames(groups: list[list[float]], outcome: str = "ok") -> list[LiveFrameDocument]:
    return [
        engine_frame(n, n * NS, NS, [row(outcome, times)] if times else []) for n, times in enumerate(groups)
    ]


def present(estimate: Estimate | None) -> Estimate:
    assert estimate is not None
    return estimate


@given(
    times=st.lists(st.floats(1e-6, 100.0), min_size=1, max_size=60),
    data=st.data(),
)
def test_however_answers_fall_into_frames_the_quantiles_are_the_same(
    tmp_path_factory: pytest.TempPathFactory, times: list[float], data: st.DataObject
) -> None:
    """Merging frames in any grouping gives the same quantiles: histograms are added, never averaged."""
    where = data.draw(st.lists(st.integers(0, 7), min_size=len(times), max_size=len(times)))
    groups = [[t for t, at in zip(times, where, strict=True) if at == n] for n in range(8)]
    folder = tmp_path_factory.mktemp("run")
    apart = recorded(folder / "1", in_frames(groups))
    together = recorded(folder / "2", in_frames([times]))
    direct = histogram_of_ns([max(1, int(t * NS)) for t in times])
    for name, share in QUANTILES.items():
        measure = members.load("loadrig.measures", name)
        value = present(measure.estimate(apart)).value
        assert value == present(measure.estimate(together)).value
        assert value == direct.quantile_ns(share) / NS
    assert present(mean.estimate(apart)).value == pytest.approx(present(mean.estimate(together)).value)
    assert present(slowest.estimate(apart)).value == present(slowest.estimate(together)).value


def test_quantiles_of_frames_are_not_averaged(tmp_path: Path) -> None:
    """One slow frame of few answers: the average of the frames' p50 would be 0.55 s."""
    recording = recorded(tmp_path / "1", in_frames([[0.1] * 990, [1.0] * 10]))
    assert present(p50.estimate(recording)).value == pytest.approx(0.1, rel=2e-3)
    assert present(p99.estimate(recording)).value == pytest.approx(0.1, rel=2e-3)
    assert present(p99_9.estimate(recording)).value == pytest.approx(1.0, rel=2e-3)


def test_a_failure_never_enters_the_latency_of_success(tmp_path: Path) -> None:
    frames = [
        engine_frame(
            n, n * NS, NS, [row("ok", [0.1] * 10), row("timeout", [30.0] * 10), row("reset", [0.001])]
        )
        for n in range(10)
    ]
    recording = recorded(tmp_path / "1", frames)
    assert present(slowest.estimate(recording)).value == pytest.approx(0.1, rel=2e-3)
    assert present(mean.estimate(recording)).value == pytest.approx(0.1, rel=2e-3)
    assert present(failed_p95.estimate(recording)).value == pytest.approx(30.0, rel=2e-3)
    assert present(failed_p95.estimate(recording)).n == 110


def test_without_failures_their_time_is_not_known(tmp_path: Path) -> None:
    assert failed_p95.estimate(recorded(tmp_path / "1", in_frames([[0.1]] * 5))) is None


def test_service_time_leaves_out_what_response_time_counts(tmp_path: Path) -> None:
    waited = row("ok", [1.0] * 10)
    waited["service"] = histogram_of([0.2] * 10)
    recording = recorded(tmp_path / "1", [engine_frame(n, n * NS, NS, [waited]) for n in range(10)])
    assert present(p50.estimate(recording)).value == pytest.approx(1.0, rel=2e-3)
    assert present(service_p50.estimate(recording)).value == pytest.approx(0.2, rel=2e-3)


def test_sessions_are_told_of_as_a_whole_only(tmp_path: Path) -> None:
    long = histogram_of_ns([2 * NS] * 50)
    frames = [engine_frame(n, n * NS, NS, [row("ok", [0.1])], session=long) for n in range(10)]
    recording = recorded(tmp_path / "1", frames)
    estimate = present(sessions_p95.estimate(recording))
    assert estimate.value == pytest.approx(2.0, rel=2e-3)
    assert (estimate.n, estimate.of) == (500, "sessions")
    assert sessions_p95.estimate(recording, route="search") is None


@pytest.mark.parametrize(("share", "answers"), [(0.5, 800), (0.95, 814), (0.99, 1_794), (0.999, 8_043)])
def test_how_many_answers_are_enough(share: float, answers: int) -> None:
    """For ±10 % at 95 % and an exponential tail: about 800, 810, 1,800 and 8,000."""
    assert enough(share) == answers


def answered(n: int) -> list[LiveFrameDocument]:
    """So many answers in ten frames, no two equal."""
    return in_frames([[0.001 * (1 + (i * 10 + k) / n) for i in range(n // 10)] for k in range(10)])


def test_a_quantile_that_rests_on_few_answers_says_on_how_many(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    warnings = present(p99_9.estimate(recorded(tmp_path / "1", answered(6_000)))).warnings
    assert warnings == snapshot
    assert present(p99.estimate(recorded(tmp_path / "2", answered(6_000)))).warnings == ()


def test_a_quantile_beyond_all_answers_says_that_it_is_the_slowest(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    estimate = present(p99_9.estimate(recorded(tmp_path / "1", answered(200))))
    assert estimate.warnings == snapshot


def test_few_frames_are_said_to_be_few(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    few = present(p50.estimate(recorded(tmp_path / "1", in_frames([[0.1] * 500] * 4))))
    assert few.warnings == snapshot
    assert present(p50.estimate(recorded(tmp_path / "2", in_frames([[0.1] * 500] * 8)))).warnings == ()


def test_a_mean_from_two_frames_has_no_interval(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    estimate = present(mean.estimate(recorded(tmp_path / "1", in_frames([[0.1], [0.3]]))))
    assert (estimate.low, estimate.high) == (None, None)
    assert estimate.value == pytest.approx(0.2, rel=2e-3)
    assert estimate.warnings == snapshot


def test_a_stalled_server_widens_the_interval_of_the_tail(tmp_path: Path) -> None:
    """The same times, once scattered and once in a stall: the second is one event, not two hundred."""
    calm, slow = [0.01] * 95, [1.0] * 5
    scattered = recorded(tmp_path / "1", in_frames([calm + slow] * 40))
    stall = recorded(tmp_path / "2", in_frames([calm + [0.01] * 5] * 38 + [[1.0] * 100] * 2))
    spread = [present(p95.estimate(recording)) for recording in (scattered, stall)]
    assert present(mean.estimate(scattered)).value == pytest.approx(
        present(mean.estimate(stall)).value, rel=1e-6
    )
    means = [present(mean.estimate(recording)) for recording in (scattered, stall)]
    widths = [((each.high or 0.0) - (each.low or 0.0)) / 2 / each.value for each in means]
    assert widths[0] < 1e-6 < 0.3 < widths[1]
    assert spread[1].high == pytest.approx(1.0, rel=2e-3)


def test_a_long_window_is_cut_into_steps_that_keep_every_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = in_frames([[0.1, 0.2 + n / 100] for n in range(23)])
    whole = present(p95.estimate(recorded(tmp_path / "1", answers)))
    monkeypatch.setattr(_quantile, "MOST_STEPS", 10)
    joined = recorded(tmp_path / "2", answers)
    times = _quantile.times(joined, "response", "ok", None)
    assert times.counts.tolist() == [6.0] * 7 + [4.0]
    assert (present(p95.estimate(joined)).value, present(p95.estimate(joined)).n) == (whole.value, whole.n)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("estimate", "share"), [(p50.estimate, 0.5), (p95.estimate, 0.95)], ids=["p50", "p95"]
)
def test_intervals_cover_the_true_quantile(
    tmp_path: Path, estimate: Callable[[Recording], Estimate | None], share: float
) -> None:
    """Log-normal times whose quantiles are known: intervals of 95 % hold them about as often.

    No upper bound: with independent answers the interval is wider than need be, by design.
    """
    truth = 0.010 * math.exp(0.5 * NormalDist().inv_cdf(share))
    hits, draws = 0, length(25, 100)
    for seed in range(draws):
        folder = tmp_path / str(seed)
        recording = write_recording(
            folder, (60.0,) * 20, routes=(Route(),), warm_up_frames=0, server=None, seed=seed
        )
        interval = present(estimate(recording))
        assert interval.low is not None
        assert interval.high is not None
        hits += interval.low <= truth <= interval.high
    assert hits >= fewest(draws, 0.95)
