"""Promises of every importer, whoever wrote it. Members are found, not listed."""

import types
from pathlib import Path

import pytest

from loadrig.base import members
from loadrig.importers import OUTCOMES, RequestSample, ResultsFile, RunFacts
from loadrig.importers._summed import LoadStretch
from tests.importers.made import RECORDED

ROOM = "loadrig.importers"
NAMES = members.names(ROOM)
HEADINGS = ("## What is read", "## Routes", "## What its times count", "## Outcomes")
FILES = sorted(path for path in RECORDED.iterdir() if path.suffix not in (".md", ".gob"))


def tool_of(file: Path) -> str:
    """Return the member of a recorded file: its name up to a hyphen."""
    return file.stem.partition("-")[0]


def is_summed(importer: types.ModuleType, file: Path) -> bool:
    if not hasattr(importer, "samples"):
        return True
    return hasattr(importer, "totals") and importer.is_summed(ResultsFile.head_of(file))


def module(name: str) -> types.ModuleType:
    return members.load(ROOM, name)


def test_the_room_has_the_tools_that_it_was_made_for() -> None:
    tools = "ab artillery gatling hey hlog jmeter k6 locust ngrinder oha siege vegeta wrk"
    assert set(tools.split()) <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_its_page_has_all_headings_in_order(name: str) -> None:
    doc = module(name).__doc__ or ""
    places = [doc.find(heading) for heading in HEADINGS]
    assert -1 not in places
    assert places == sorted(places)


@pytest.mark.parametrize("name", NAMES)
def test_it_says_what_it_is_in_words(name: str) -> None:
    importer = module(name)
    for text in (importer.TOOL, importer.FILES, importer.TIMES):
        assert text == text.strip() != ""
        assert not text.endswith(".")


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
def test_a_file_is_recognised_by_its_own_tool_alone(file: object) -> None:
    assert isinstance(file, type(RECORDED))
    head = ResultsFile.head_of(file)
    assert [name for name in NAMES if module(name).recognises(head)] == [tool_of(file)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("head", [b"", b"\n\n", b"\x00\xff\x96", b"{", b"[]", b"<html>", b"a,b,c\n1,2,3\n"])
def test_it_recognises_nothing_in_what_is_no_results(name: str, head: bytes) -> None:
    assert not module(name).recognises(head)


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
def test_its_samples_are_whole(file: object) -> None:
    assert isinstance(file, type(RECORDED))
    importer, source = module(tool_of(file)), ResultsFile(file)
    if is_summed(importer, file):
        for interval in importer.totals(source, RunFacts()):
            assert isinstance(interval, LoadStretch)
            assert interval.len_ns > 0
            assert all(row.outcome in OUTCOMES and row.requests >= 0 for row in interval.routes)
        return
    samples = list(importer.samples(source, RunFacts()))
    assert samples
    for sample in samples:
        assert isinstance(sample, RequestSample)
        assert sample.outcome in OUTCOMES
        assert sample.route
        assert sample.start_ns > 0
        assert sample.took_ns >= 0
        assert 0 <= sample.status < 1000
