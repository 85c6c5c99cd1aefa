"""Promises of every exporter, whoever wrote it. Members are found, not listed."""

import io
import types
from pathlib import Path

import pytest

from loadrig.base import members
from loadrig.exporters import ExportedTrial, exported_trial
from loadrig.testing.synthetic import Route, SyntheticServer, write_recording

ROOM = "loadrig.exporters"
NAMES = members.names(ROOM)
HEADINGS = ("## What is written", "## Who reads it", "## What is missing")


def module(name: str) -> types.ModuleType:
    return members.load(ROOM, name)


def written(trial: ExportedTrial, name: str) -> bytes:
    out = io.BytesIO()
    module(name).write(trial, out)
    assert not out.closed
    return out.getvalue()


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> ExportedTrial:
    folder = tmp_path_factory.mktemp("hostile")
    routes = (
        Route('a "b", c=d|<e>&\\', share=0.5, outcomes={"http_5xx": 0.1, "timeout": 0.1}),
        Route("경로 %::\n#", share=0.5),
    )
    write_recording(folder / "trial", rates=(50.0,) * 8, routes=routes, server=SyntheticServer())
    return exported_trial(folder / "trial")


def test_the_room_has_the_formats_that_it_was_made_for() -> None:
    assert {
        "csv", "github", "gitlab", "hlog", "influx", "jplot", "jtl", "junit", "k6", "markdown", "openmetrics",
        "parquet", "vegeta",
    } <= set(NAMES)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_its_page_has_all_headings_in_order(name: str) -> None:
    doc = module(name).__doc__ or ""
    places = [doc.find(heading) for heading in HEADINGS]
    assert -1 not in places
    assert places == sorted(places)


@pytest.mark.parametrize("name", NAMES)
def test_it_says_what_it_is_in_words(name: str) -> None:
    exporter = module(name)
    assert exporter.TITLE == exporter.TITLE.strip() != ""
    assert not exporter.TITLE.endswith(".")
    assert Path(exporter.FILE).name == exporter.FILE


@pytest.mark.parametrize("name", NAMES)
def test_the_same_folder_gives_the_same_bytes(hostile: ExportedTrial, name: str) -> None:
    first = written(hostile, name)
    assert first
    assert written(exported_trial(hostile.folder.path), name) == first


@pytest.mark.parametrize("name", NAMES)
def test_a_trial_without_series_is_written_too(tmp_path: Path, name: str) -> None:
    write_recording(tmp_path / "trial", rates=(2.0,) * 6, server=None)
    assert isinstance(written(exported_trial(tmp_path / "trial"), name), bytes)
