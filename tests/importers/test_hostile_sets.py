"""The same hostile files for every importer: each is an error with place and mend, or a run, in bounds."""

import gzip
import resource
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from loadrig.base import members
from loadrig.base.errors import PlanError, Problem
from loadrig.importers import import_files
from loadrig.recording.layout import RunFolder
from tests.converters.test_hostile_sets import (
    CUTS,
    HOSTILE,
    INSIDE,
    PLACES,
    SPARSE_BYTES,
    hostile_bytes,
    with_inside,
)
from tests.hostile.formats import IMPORTERS, Format, formats, outcome
from tests.lengths import dealt, length

SAMPLES = [form for form in formats() if form.key.startswith("importers/")]
BY_TOOL = {form.key.split("/")[1]: form for form in SAMPLES}
"""A sample of each importer, the last of those that there are."""

FORMS = length(list(BY_TOOL.values()), SAMPLES)
FORM_BY_KEY = {form.key: form for form in FORMS}

MOST_GROWTH_BYTES = 500_000_000
"""Memory that a file may cost at most, whatever its size."""

ZEROS, MANY_LINES, LONG_LINE = length((10_000_000, 200_000, 3_000_000), (30_000_000, 1_000_000, 10_000_000))
"""Bytes after a good file. Of 200,000 lines a reader that goes over all lines for each would need hours."""

AFTER: dict[str, Callable[[bytes], bytes]] = {
    "zeros-packed": lambda good: gzip.compress(good + b"\0" * ZEROS, 1),
    "blank-lines": lambda good: good + b"\n" * MANY_LINES,
    "spaces": lambda good: good + b" " * MANY_LINES,
    "line-without-end": lambda good: good + b"1" * LONG_LINE,
    "nested": lambda good: good + b"[" * MANY_LINES,
    "cut-in-the-pack": lambda good: gzip.compress(good * 3)[:-9],
}
"""Changes of a good file, most of which put something after it, by their names."""


def look_at(form: Format, content: bytes, folder: Path) -> None:
    """Look whether a file ends in a code, in the memory that it may take."""
    before = _peak_bytes()
    assert outcome(form, content, folder).startswith("import.")
    assert _peak_bytes() - before < MOST_GROWTH_BYTES + len(content)


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def named(form: Format) -> Format:
    """Return a format whose importer is named, so that it meets whatever a file begins with."""
    tool = form.key.split("/")[1]

    def take(file: Path, folder: Path) -> None:
        import_files([file], RunFolder(folder / "run"), tool=tool)

    return form._replace(take=take)


def test_every_importer_has_a_sample() -> None:
    assert set(BY_TOOL) == set(members.names(IMPORTERS))


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("tool", "hostile"), dealt(BY_TOOL, HOSTILE))
def test_a_hostile_file_is_refused_or_read_by_every_importer(tool: str, hostile: str, tmp_path: Path) -> None:
    look_at(BY_TOOL[tool], hostile_bytes(hostile), tmp_path)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("tool", "hostile"), dealt(BY_TOOL, HOSTILE))
def test_a_hostile_file_is_refused_or_read_by_an_importer_that_is_named(
    tool: str, hostile: str, tmp_path: Path
) -> None:
    look_at(named(BY_TOOL[tool]), hostile_bytes(hostile), tmp_path)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("key", "inside", "place"), dealt(FORM_BY_KEY, INSIDE, PLACES))
def test_a_good_file_with_hostile_bytes_inside_is_read_or_refused(
    key: str, inside: str, place: str, tmp_path: Path
) -> None:
    form = FORM_BY_KEY[key]
    look_at(named(form), with_inside(form.sample.read_bytes(), inside, place), tmp_path)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.key)
def test_a_file_that_is_cut_anywhere_is_read_or_refused(form: Format, tmp_path: Path) -> None:
    content = form.sample.read_bytes()
    for cut in range(CUTS):
        folder = tmp_path / str(cut)
        folder.mkdir()
        look_at(named(form), content[: len(content) * cut // CUTS], folder)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp500"])
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.key)
def test_a_file_in_any_encoding_is_read_or_refused(form: Format, encoding: str, tmp_path: Path) -> None:
    content = form.sample.read_bytes().decode("latin-1").encode(encoding, "replace")
    look_at(named(form), content, tmp_path)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("after", AFTER)
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.key)
def test_whatever_comes_after_a_good_file_has_an_end(form: Format, after: str, tmp_path: Path) -> None:
    look_at(form, AFTER[after](form.sample.read_bytes()), tmp_path)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.key)
def test_a_file_of_two_gigabytes_is_read_in_bounded_memory(form: Format, tmp_path: Path) -> None:
    file = tmp_path / form.sample.name
    with file.open("wb") as out:
        out.write(form.sample.read_bytes())
        out.truncate(SPARSE_BYTES)
    before = _peak_bytes()
    problems: Sequence[Problem] = ()
    try:
        form.take(file, tmp_path)
    except PlanError as error:
        problems = error.problems
    assert all(problem.mend for problem in problems)
    assert _peak_bytes() - before < MOST_GROWTH_BYTES


def test_the_name_of_a_time_that_is_no_text_is_written_as_one(tmp_path: Path) -> None:
    form = next(form for form in SAMPLES if form.sample.name == "oha.json")
    content = form.sample.read_bytes()
    assert b'"p50"' in content
    assert outcome(form, content.replace(b'"p50"', b'"\\ud800"'), tmp_path) == "import.fine"
