"""The examples of docs/reference/recording.md do what the page says."""

import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from loadrig.recording.reader import Recording
from loadrig.testing.synthetic import write_recording

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "recording.md"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Recording:
    recording = write_recording(tmp_path / "trials" / "0001", (100.0,) * 6)
    monkeypatch.chdir(tmp_path)
    return recording


def example(heading: str) -> str:
    """Return the Python example under a bold heading."""
    part = PAGE.read_text(encoding="utf-8").split(f"**{heading}", 1)[1]
    return part.split("```python\n", 1)[1].split("```", 1)[0]


@pytest.mark.parametrize("heading", ["HdrHistogram, Python", "loadrig itself"])
# The example leaves its log to the end of its process.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_examples_print_the_p99_of_the_recording(
    run: Recording, heading: str, capsys: pytest.CaptureFixture[str]
) -> None:
    exec(compile(example(heading), str(PAGE), "exec"), {})
    printed = float(capsys.readouterr().out.split()[0])
    ours = run.histogram(route="search", outcome="ok")
    # Others round the rank of a percentile, we take the next whole one: one answer more or less.
    answer_share = 1.01 / ours.count
    assert (
        ours.quantile_ns(0.99 - answer_share) / 1e6 <= printed <= ours.quantile_ns(0.99 + answer_share) / 1e6
    )


def test_the_page_names_every_file_that_a_trial_leaves(run: Recording) -> None:
    text = PAGE.read_text(encoding="utf-8")
    for path in run.path.iterdir():
        assert path.name in text


def test_the_page_explains_every_key_of_a_frame(run: Recording) -> None:
    text = PAGE.read_text(encoding="utf-8")
    line = run.folder.frames.read_text().splitlines()[0]
    for key in re.findall(r'"(\w+)":', line):
        assert key.isdecimal() or f"`{key}`" in text, key


def test_the_page_explains_every_column_of_the_series(run: Recording) -> None:
    for name in pq.read_schema(run.folder.series).names:
        assert f"`{name}`" in PAGE.read_text(encoding="utf-8")
