"""Memory of every importer: a far longer file costs no more, or is refused where it is one document."""

import re
import tracemalloc
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

from loadrig.base.errors import PlanError
from loadrig.importers import _summed as summed_module
from loadrig.importers import import_files
from loadrig.recording.layout import RunFolder
from tests.importers.made import RECORDED
from tests.importers.test_gatling import binary_log
from tests.lengths import length

TIMES = length(4, 20)
"""Length of the longer file in lengths of the shorter one. What is kept of each row is seen from a sixth of
the shorter one's memory on, at full length from a thirty-eighth."""

SHORT_S = 36
"""Length of the shorter file in seconds: pieces of the spool, so that a longer one only has more of them."""

MOST_GROWTH = 1.5
"""Memory of the long file over that of the short one at most. Numbers by second grow by some kB."""


class RowFile(NamedTuple):
    """Rows of a recorded file, to be written again and again, each time later.

    head: lines at its begin that are written once. later: returns a line as of so many seconds later.
    """

    head: int
    later: Callable[[str, int], str]


def _number(pattern: str, each: int) -> Callable[[str, int], str]:
    """Return a shift of the number in the pattern's only group, which grows by so much a second."""
    form = re.compile(pattern)

    def later(line: str, seconds: int) -> str:
        match = form.search(line)
        if match is None:
            return line
        more = seconds * each
        number = f"{float(match[1]) + more:.6f}" if "." in match[1] else f"{int(match[1]) + more}"
        return f"{line[: match.start(1)]}{number}{line[match.end(1) :]}"

    return later


def _instant(pattern: str) -> Callable[[str, int], str]:
    """Return a shift of a time in words, which begins as 2026-11-22T13:26:26 does."""
    form = re.compile(pattern)

    def later(line: str, seconds: int) -> str:
        match = form.search(line)
        if match is None:
            return line
        instant = datetime.fromisoformat(match[1]) + timedelta(seconds=seconds)
        return line[: match.start(1)] + instant.isoformat(match[1][10]) + line[match.end(1) :]

    return later


def _gatling(line: str, seconds: int) -> str:
    return re.sub(r"\t(\d{13})\b", lambda stamp: f"\t{int(stamp[1]) + seconds * 1000}", line)


DAY = r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)"

ROWS = {
    "vegeta.csv": RowFile(0, _number(r"^(\d+),", 1_000_000_000)),
    "vegeta.json": RowFile(0, _instant(f'"timestamp":"{DAY}')),
    "k6.json": RowFile(0, _instant(f'"time":"{DAY}')),
    "k6-rows.csv": RowFile(1, _number(r"^\w+,(\d+),", 1)),
    "jmeter.jtl": RowFile(1, _number(r"^(\d+),", 1000)),
    "jmeter.xml": RowFile(2, _number(r' ts="(\d+)"', 1000)),
    "hey-rows.csv": RowFile(1, _number(r",([\d.]+)$", 1)),
    "oha-rows.csv": RowFile(1, _number(r"^([\d.]+),", 1)),
    "ab-rows.tsv": RowFile(1, _number(r"\t(\d{10})\t", 1)),
    "gatling.log": RowFile(2, _gatling),
    "hlog.hlog": RowFile(4, _number(r"^(?:Tag=\w+,)?([\d.]+),", 1)),
    "locust-history.csv": RowFile(2, _number(r"^(\d+),", 1)),
    "locust-stats.csv": RowFile(1, lambda line, _: line),
    "ngrinder.csv": RowFile(1, _instant(f"^{DAY}")),
    "siege.log": RowFile(1, _instant(f"^{DAY}")),
}
"""Files of rows, of which there may be any number."""

BINARY = {"gatling.bin"}
"""Files of records without lines, which their own test makes longer."""

DOCUMENTS = {
    "ab.txt", "ab-missing.txt", "artillery.json", "hey.txt", "hey-reset.txt", "k6-export.json",
    "k6-handled.json", "oha.json", "oha.txt", "oha-reset.txt", "siege-screen.json",
    "wrk.txt", "wrk-2.txt", "wrk-missing.txt",
}  # fmt: skip
"""Files that are one document of some kilobytes, whatever the load: read whole, up to a bound."""


def test_every_recorded_file_is_of_one_of_these_kinds() -> None:
    files = {path.name for path in RECORDED.iterdir() if path.suffix not in (".md", ".gob")}
    assert files == {*ROWS, *BINARY, *DOCUMENTS}


def _seconds_of(lines: list[str]) -> int:
    """Return how long a recorded file goes on, above all that any of them does."""
    return 24 if any("2013-12" in line for line in lines) else 6


def longer(name: str, seconds: int, folder: Path) -> Path:
    """Write a recorded file's rows again and again, until they last so long."""
    head, later = ROWS[name]
    lines = (RECORDED / name).read_text(encoding="utf-8").splitlines()
    begin, rows = lines[:head], [line for line in lines[head:] if line not in ("</testResults>", "")]
    each = _seconds_of(lines)
    path = folder / f"{seconds}-{name}"
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in begin)
        for start in range(0, seconds, each):
            file.writelines(f"{later(line, start)}\n" for line in rows)
        if name.endswith(".xml"):
            file.write("</testResults>\n")
    return path


def peak(file: Path, folder: Path) -> int:
    """Return the most memory that an import held at once, in bytes."""
    tracemalloc.start()
    try:
        import_files([file], RunFolder(folder))
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.timeout(180)
@pytest.mark.parametrize("name", length(sorted(ROWS)[::3], sorted(ROWS)))
def test_a_file_many_times_as_long_takes_no_more_memory(name: str, tmp_path: Path) -> None:
    peak(longer(name, 6, tmp_path), tmp_path / "first")  # what is imported only once is not the file's
    short = peak(longer(name, SHORT_S, tmp_path), tmp_path / "short")
    long = peak(longer(name, TIMES * SHORT_S, tmp_path), tmp_path / "long")
    assert long < MOST_GROWTH * short, (short, long)


def test_a_binary_log_many_times_as_long_takes_no_more_memory(tmp_path: Path) -> None:
    peak(binary_log(tmp_path / "first.log", 100), tmp_path / "first")
    short = peak(binary_log(tmp_path / "short.log", 3_000), tmp_path / "short")
    long = peak(binary_log(tmp_path / "long.log", TIMES * 3_000), tmp_path / "long")
    assert long < MOST_GROWTH * short, (short, long)


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_a_document_larger_than_any_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound = summed_module.whole_text.__defaults__
    monkeypatch.setattr(summed_module.whole_text, "__defaults__", (64_000,))
    file = tmp_path / name
    content = (RECORDED / name).read_bytes()
    file.write_bytes(content + content.splitlines(keepends=True)[-1] * 70_000)
    assert bound == (summed_module.WHOLE_MOST,)
    with pytest.raises(PlanError):
        import_files([file], RunFolder(tmp_path / "run"), tool=name.partition(".")[0].partition("-")[0])
    assert not (tmp_path / "run").exists()
