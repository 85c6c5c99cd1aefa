"""Requests of remote write, read and checked by Grafana Mimir's own messages and histograms."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from loadrig.publishers import remote_write
from tests.go_programs import built_by_go
from tests.publishers.test_pushed import TIMES_MS, pushed_news, receiving

# To build the reader takes both cores for a minute, which tests beside it need.
pytestmark = [pytest.mark.integration, pytest.mark.nightly]

SOURCE = Path(__file__).with_name("mimir")
"""Source of a program that reads requests by packages of Mimir, for Go."""

NEEDED = "no reader of Mimir's is here, and"
READ_S = 30
"""Time that reading may take, in seconds: it is done in a part of one."""


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> str:
    return built_by_go(SOURCE, tmp_path_factory.mktemp("mimir"), NEEDED)


def read_by_mimir(program: str, *bodies: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program, *map(str, bodies)], capture_output=True, text=True, timeout=READ_S, check=False
    )


def pushed(folder: Path, times: int = 2) -> list[Path]:
    """Return files with the bodies of the requests that tell some news."""
    with receiving(204) as (url, posted), remote_write.begin(f"{url}/api/v1/push", "shop") as receiver:
        for _ in range(times):
            receiver.take(pushed_news())
    files = [folder / f"body{number}" for number in range(len(posted))]
    for file, (_, _, content) in zip(files, posted, strict=True):
        file.write_bytes(content)
    return files


def test_mimir_reads_every_series_and_its_histograms_are_whole(reader: str, tmp_path: Path) -> None:
    files = pushed(tmp_path)
    done = read_by_mimir(reader, *files)
    assert done.returncode == 0, done.stderr
    rows: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(row["is_in_order"] for row in rows)
    assert all(row["labels"]["plan"] == "shop" for row in rows)
    by_name: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_name.setdefault(row["labels"]["__name__"], []).append(row)
    assert [row["values"] for row in by_name["loadrig_requests_total"]] == [[9]] * len(files)
    times = by_name["loadrig_request_duration_seconds"]
    assert times[0]["counts"] == [len(TIMES_MS)]
    assert times[0]["sums"][0] == pytest.approx(sum(TIMES_MS) / 1000, rel=0.003)
    assert (times[0]["labels"]["route"], times[0]["times_ms"]) == ("/cart", [1_500])


def test_what_is_cut_off_is_no_request_to_it(reader: str, tmp_path: Path) -> None:
    (file,) = pushed(tmp_path, times=1)
    file.write_bytes(file.read_bytes()[:-9])
    assert read_by_mimir(reader, file).returncode != 0
