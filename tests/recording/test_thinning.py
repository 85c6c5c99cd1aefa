"""A long recording is thinned when it is sealed: small, and every figure of its measured part as before."""

import gzip
from itertools import pairwise
from pathlib import Path

import pytest

from loadrig.base import members
from loadrig.recording import thinning
from loadrig.recording.reader import Recording
from loadrig.soaking.read import goal_in_stretches
from loadrig.testing.synthetic import Route, SyntheticServer, write_recording

ROUTES = (
    Route("search", outcomes={"http_5xx": 0.02}),
    Route("order", 0.3, median_s=0.05),
    Route("login", 0.05, route_class="login"),
)
FRAMES, WARM_UP = 200, 13
GOAL = {
    "text": "p95 < 100ms for 30s", "measure": "p95", "below": True, "limit": 0.1, "unit": "s", "route": None,
    "over_s": 30.0,
}  # fmt: skip

GOAL_OF_ORDER = {**GOAL, "text": "p95{order} < 100ms for 30s", "route": "order"}


def written(folder: Path) -> Recording:
    factors = [1.0 + 4.0 * (70 <= step < 110) for step in range(FRAMES)]
    return write_recording(
        folder, [80.0] * FRAMES, factors, routes=ROUTES, server=SyntheticServer(), warm_up_frames=WARM_UP,
        seed=3, facts={"goals": [GOAL, GOAL_OF_ORDER]},
    )  # fmt: skip


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Recording, Recording]:
    """Return the same recording as it was written, and thinned to eight frames a stretch for each route.

    Both are sealed: no test changes them.
    """
    folder = tmp_path_factory.mktemp("both")
    whole = written(folder / "whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(thinning, "LONG", 100)
        patch.setattr(thinning, "MOST_ROUTE_STEPS", 24)
        patch.setattr(thinning, "MOST_STEPS", 48)
        patch.setattr(thinning, "MOST_GAPS", 1_000)
        return whole, written(folder / "thinned")


def test_a_short_one_is_left_as_it_is(tmp_path: Path) -> None:
    recording = written(tmp_path / "t")
    assert recording.folder.frames.is_file()
    assert not recording.folder.packed_frames.exists()


def test_a_long_one_is_smaller_and_has_the_same_frames(both: tuple[Recording, Recording]) -> None:
    whole, thinned = both
    assert thinned.is_sealed
    assert not thinned.folder.frames.exists()
    assert gzip.decompress(thinned.folder.packed_frames.read_bytes()).count(b"\n") == FRAMES + 1
    assert [frame.routes for frame in thinned.frames] == [frame.routes for frame in whole.frames]
    assert thinned.folder.latency.stat().st_size < 0.8 * whole.folder.latency.stat().st_size


def test_gaps_are_kept_of_frames_evenly_apart(both: tuple[Recording, Recording]) -> None:
    whole, thinned = both
    assert sum(len(frame.gaps_ns) for frame in whole.frames) == 20 * FRAMES
    places = [place for place, frame in enumerate(thinned.frames) if frame.gaps_ns]
    assert places == list(range(0, FRAMES, 4))
    assert all(thinned.frames[place].gaps_ns == whole.frames[place].gaps_ns for place in places)


def test_every_measure_says_what_it_said(both: tuple[Recording, Recording]) -> None:
    whole, thinned = both
    for name in members.names("loadrig.measures"):
        measure = members.load("loadrig.measures", name)
        before, after = measure.estimate(whole), measure.estimate(thinned)
        assert (before is None) == (after is None)
        if before is not None:
            assert after.value == before.value, name


def _same(whole: Recording, thinned: Recording, **asked: object) -> None:
    window = whole.measured
    shift = thinned.measured.from_ns - window.from_ns
    original = whole.histogram(from_ns=window.from_ns, to_ns=window.to_ns, **asked)  # type: ignore[arg-type]
    two = thinned.histogram(
        from_ns=window.from_ns + shift, to_ns=window.to_ns + shift, **asked  # type: ignore[arg-type]
    )  # fmt: skip
    assert original.count == two.count
    assert original.encode() == two.encode()


def test_every_histogram_of_the_measured_part_is_the_same(both: tuple[Recording, Recording]) -> None:
    whole, thinned = both
    for kind in ("response", "service", "lag", "wait"):
        _same(whole, thinned, kind=kind)
    for outcome in ("ok", "failed", "http_5xx"):
        _same(whole, thinned, outcome=outcome)
        for route in ("search", "order", "login"):
            _same(whole, thinned, outcome=outcome, route=route, classes=("service", "login"))
    _same(whole, thinned, classes=("login",))
    _same(whole, thinned, classes=("service", "login"))


def test_the_whole_is_kept_frame_by_frame(both: tuple[Recording, Recording]) -> None:
    whole, thinned = both

    def steps(recording: Recording) -> list[str]:
        frames = recording.frames
        edges = [frames[0].end_ns - 1, *(frame.end_ns for frame in frames)]
        assert len(list(pairwise(edges))) == FRAMES + 1
        return [histogram.encode() for histogram in recording.histograms(edges, outcome="ok")]

    assert steps(thinned) == steps(whole)
    for goal in whole.manifest.goals:
        before, after = goal_in_stretches(whole, goal), goal_in_stretches(thinned, goal)
        assert before == after
        assert before.met is False


def test_what_lies_outside_of_the_measured_part_is_kept_as_it_was(both: tuple[Recording, Recording]) -> None:
    whole, thinned = both
    for recording in both:
        frames = recording.frames[:WARM_UP]
        edges = [frames[0].end_ns - 1, *(frame.end_ns for frame in frames)]
        counts = [histogram.count for histogram in recording.histograms(edges, "order", "ok")]
        assert sum(count > 0 for count in counts) == WARM_UP
    assert whole.histogram("order").count == thinned.histogram("order").count
    assert whole.histogram(kind="lag").count == thinned.histogram(kind="lag").count


def test_one_that_was_cut_short_is_not_thinned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thinning, "LONG", 10)
    recording = write_recording(tmp_path / "t", [20.0] * 30, facts={"measured": None})
    assert recording.folder.frames.is_file()
    assert recording.measured.of(recording.frames)
