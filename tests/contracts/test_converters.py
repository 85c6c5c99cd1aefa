"""Promises of every converter, whoever wrote it. Members are found, not listed.

The cases of a member lie in tests/converters/cases/NAME/: each file there is a test of that tool's, whose
plan is made, checked and rendered. Files below a folder `beside` are what tests name.
"""

import types
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from loadrig.base import members
from loadrig.cli._dry import describe
from loadrig.converters import Altered, Conversion, ConvertedPlan, Dropped, TestSource, convert_files
from loadrig.converters._read import ROOM
from loadrig.plan.load import read

NAMES = members.names(ROOM)
HEADINGS = ("## What is read", "## What is carried", "## What is altered", "## What is dropped")
CASES = Path(__file__).parents[1] / "converters" / "cases"
FILES = sorted(path for name in NAMES for path in (CASES / name).glob("*") if path.is_file())


def module(name: str) -> types.ModuleType:
    return members.load(ROOM, name)


@pytest.fixture(scope="module")
def made_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], ConvertedPlan]:
    """Return the plan that is made of a file, made once for all tests that look at it."""

    @cache
    def convert(file: Path) -> ConvertedPlan:
        folder = tmp_path_factory.mktemp("made")
        return convert_files([file], module(file.parent.name), folder / "plan.yaml")

    return convert


@pytest.mark.parametrize("name", NAMES)
def test_its_page_has_all_headings_in_order(name: str) -> None:
    doc = module(name).__doc__ or ""
    places = [doc.find(heading) for heading in HEADINGS]
    assert -1 not in places
    assert places == sorted(places)


@pytest.mark.parametrize("name", NAMES)
def test_it_says_what_it_is_in_words(name: str) -> None:
    for text in (module(name).TOOL, module(name).FILES):
        assert text == text.strip() != ""
        assert not text.endswith(".")


@pytest.mark.parametrize("name", NAMES)
def test_it_has_cases(name: str) -> None:
    assert any(path.parent.name == name for path in FILES)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("head", [b"", b"\n\n", b"\x00\xff\x96", b"{", b"[]", b"<html>", b"a,b,c\n1,2,3\n"])
def test_it_recognises_nothing_in_what_is_no_test(name: str, head: bytes) -> None:
    assert not module(name).recognises(head, "file")


@pytest.mark.parametrize("file", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_test_is_recognised_by_its_own_tool_alone(file: Path) -> None:
    head = TestSource(file).head()
    assert [name for name in NAMES if module(name).recognises(head, file.name)] == [file.parent.name]


@pytest.mark.parametrize("file", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_its_plan_is_read_and_rendered_and_all_that_is_left_out_has_a_place(
    file: Path, made_of: Callable[[Path], ConvertedPlan]
) -> None:
    conversion = made_of(file)
    # Secrets that a person has to set are not there.
    assert describe(read(conversion.path.read_text(encoding="utf-8"), str(conversion.path), sends=False))
    assert isinstance(conversion.conversion, Conversion)
    text = conversion.path.read_text(encoding="utf-8")
    for part in (*conversion.conversion.dropped, *conversion.conversion.altered):
        assert isinstance(part, Altered | Dropped)
        assert part.place
        assert part.what
        assert f"{part.place}: {part.what}" in text


@pytest.mark.parametrize("file", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_same_test_makes_the_same_plan(
    file: Path, made_of: Callable[[Path], ConvertedPlan], tmp_path: Path
) -> None:
    again = convert_files([file], module(file.parent.name), tmp_path / "plan.yaml")
    assert again.path.read_bytes() == made_of(file).path.read_bytes()
