"""Rows in any order, across any boundary: the recording is that of the requests, and memory does not grow."""

import random
import tempfile
import tracemalloc
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from loadrig.recording.reader import Recording
from tests.importers.made import BEGAN_NS, NS, imported, origin, vegeta_file

Rows = list[tuple[int, int, int]]

rows = st.lists(
    st.tuples(
        st.integers(0, 100 * NS),
        st.one_of(st.integers(0, 3 * NS), st.integers(30 * NS, 90 * NS)),
        st.sampled_from([200, 404, 500]),
    ),
    min_size=1,
    max_size=60,
)
"""Start after the first, length and status: within a second, and over several pieces of the spool."""


def read(folder: Path, requests: Rows) -> Recording:
    return imported(
        folder / "run", vegeta_file(folder / "r.csv", [(BEGAN_NS + s, t, c) for s, t, c in requests])
    )


@given(rows, st.randoms(use_true_random=False))
def test_any_order_of_the_rows_makes_the_same_recording(requests: Rows, lot: random.Random) -> None:
    mixed = list(requests)
    lot.shuffle(mixed)
    with tempfile.TemporaryDirectory() as original, tempfile.TemporaryDirectory() as shuffled:
        folders = [read(Path(original), requests), read(Path(shuffled), mixed)]
        # Routes are numbered as they come, and there is one: frames and histograms are the same to the byte.
        first, second = (
            [(r.path / name).read_bytes() for name in ("frames.jsonl", "latency.hlog")] for r in folders
        )
        assert first == second


@given(rows)
def test_each_request_lies_in_the_second_in_which_it_ended(requests: Rows) -> None:
    with tempfile.TemporaryDirectory() as folder:
        recording = read(Path(folder), requests)
        origin = min(start for start, _, _ in requests)
        ends = [start + took - origin for start, took, _ in requests]
        for frame in recording.frames:
            is_last = frame is recording.frames[-1]
            within = [frame.t_ns <= end and (is_last or end < frame.end_ns) for end in ends]
            assert frame.answered + frame.failed == sum(within)
        assert recording.frames[-1].end_ns == max(1, max(ends))
        in_flight = sum(frame.in_flight_s for frame in recording.frames)
        assert abs(in_flight - sum(took for _, took, _ in requests) / NS) < 1e-6


def test_parts_of_several_generators_are_one_load(tmp_path: Path) -> None:
    parts = [[(BEGAN_NS + i * NS // 10 + n, 5_000_000) for i in range(100)] for n in (0, 77)]
    files = [vegeta_file(tmp_path / f"{n}.csv", part) for n, part in enumerate(parts)]
    recording = imported(tmp_path / "run", *files)
    assert [frame.answered for frame in recording.frames] == [20] * 9 + [20]
    assert [file.name for file in origin(recording).files] == ["0.csv", "1.csv"]


def peak(folder: Path, seconds: int) -> int:
    file = folder / f"{seconds}.csv"
    vegeta_file(file, ((BEGAN_NS + i * NS // 50, 4_000_000 + i % 997) for i in range(seconds * 50)))
    tracemalloc.start()
    try:
        imported(folder / f"run-{seconds}", file)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_eight_times_as_long_takes_no_more_memory(tmp_path: Path) -> None:
    peak(tmp_path, 5)  # what is imported only once is not the file's
    short, long = peak(tmp_path, 60), peak(tmp_path, 480)
    assert long < 1.5 * short
