"""Series are compacted and read by a process of its own, and say the same as without it."""

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from loadrig.base.series import Sample
from loadrig.recording import series_apart
from loadrig.recording.series_store import SeriesStream

IN_A_PROCESS_WITHOUT_ARROW = """
import json, pickle, sys
from pathlib import Path
from loadrig.recording import series_apart, series_store
folder = Path(sys.argv[1])
series_apart.MOST_TIMES, series_apart.LARGEST_BYTES = map(int, sys.argv[2:])
try:
    if not (folder / "p").exists():
        series_store.compact(folder / "s", folder / "p")
    found = series_store.read(folder / "s", folder / "p", {})
    again = series_store.read(folder / "s", folder / "p", {})
    code = ""
except Exception as error:
    found, again, code = {}, {}, getattr(error, "code", "") or error.problems[0].code
said = {"code": code, "arrow": "pyarrow" in sys.modules, "times": series_apart._times}
pickle.dump((said, {tuple(key): (one.t_ns, one.value) for key, one in found.items()}, len(again)),
            sys.stdout.buffer)
"""


def stream(folder: Path, rows: int = 300) -> dict[tuple[str, ...], tuple[list[int], list[float]]]:
    """Write a stream of two series; returns what is in it."""
    written = SeriesStream(folder / "s")
    for at in range(rows):
        written.add([Sample(at, "p", "m", "", at / 2), Sample(at, "p", "n", "cpu0", -at)], "server")
    written.close()
    return {
        ("server", "p", "m", ""): (list(range(rows)), [at / 2 for at in range(rows)]),
        ("server", "p", "n", "cpu0"): (list(range(rows)), [float(-at) for at in range(rows)]),
    }


def apart(
    folder: Path, times: int, largest: int = series_apart.LARGEST_BYTES
) -> tuple[dict[str, object], dict[tuple[str, ...], object]]:
    """What a process without the Arrow library reads, if it may ask another that often."""
    done = subprocess.run(
        [sys.executable, "-c", IN_A_PROCESS_WITHOUT_ARROW, str(folder), str(times), str(largest)],
        stdout=subprocess.PIPE,
        timeout=60,
        check=True,
    )
    said, found, again = pickle.loads(done.stdout)
    assert again == len(found)
    return said, {key: (t_ns.tolist(), value.tolist()) for key, (t_ns, value) in found.items()}


@pytest.mark.parametrize(
    ("times", "has_arrow", "asked"),
    [(1, False, 1), (0, True, 0)],
    ids=["apart", "here"],
)
def test_series_are_the_same_wherever_they_are_read(
    tmp_path: Path, times: int, has_arrow: bool, asked: int
) -> None:
    expected = stream(tmp_path)
    said, found = apart(tmp_path, times)
    assert found == expected
    assert said == {"code": "", "arrow": has_arrow, "times": asked}
    assert [path.name for path in tmp_path.iterdir()] == ["p"]


def test_a_recording_that_was_written_before_is_read_apart_once(tmp_path: Path) -> None:
    expected = stream(tmp_path)
    apart(tmp_path, 0)
    said, found = apart(tmp_path, 2)
    assert found == expected
    assert said == {"code": "", "arrow": False, "times": 1}


def test_what_cannot_be_written_is_told_as_ever(tmp_path: Path) -> None:
    stream(tmp_path)
    (tmp_path / "p.draft").symlink_to("/dev/full")
    said, _ = apart(tmp_path, 2)
    assert said == {"code": "recording.disk-full", "arrow": False, "times": 1}
    assert (tmp_path / "s").exists()


def test_a_large_file_is_read_by_the_process_itself(tmp_path: Path) -> None:
    expected = stream(tmp_path)
    said, found = apart(tmp_path, 2, largest=10)
    assert found == expected
    assert said == {"code": "", "arrow": True, "times": 0}
