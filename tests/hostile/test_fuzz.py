"""Changed files of every format: each ends in a plan, a run, or an error with place and mend, in time."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings

from loadrig.base import members
from tests.hostile.formats import CONVERTERS, IMPORTERS, READ_BESIDE, Format, formats, outcome
from tests.hostile.mutations import CHANGES, KINDS, VALUES, FileChange, changed
from tests.lengths import length

FORMATS = formats()
GIVEN_BY_NAME = [form for form in FORMATS if form.key.partition("/")[2] not in READ_BESIDE]
"""Samples that stand on the command line: a test may do without what it reads beside it."""

EXAMPLES = length(3, 200)
"""Changed files of each sample: there are some seventy samples, and a long run tries thousands of each."""


def test_every_member_of_both_rooms_has_a_sample_that_is_changed() -> None:
    sampled = {tuple(form.key.split("/")[:2]) for form in FORMATS}
    rooms = {"converters": CONVERTERS, "importers": IMPORTERS}
    assert sampled == {(short, name) for short, room in rooms.items() for name in members.names(room)}


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.key)
def test_a_sample_itself_is_taken(form: Format, tmp_path: Path) -> None:
    assert outcome(form, form.sample.read_bytes(), tmp_path) == "import.fine"


@pytest.mark.timeout(120)
@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.key)
def test_a_changed_file_is_taken_or_refused_with_its_place(form: Format) -> None:
    content = form.sample.read_bytes()

    @settings(max_examples=EXAMPLES)
    @given(CHANGES)
    def is_taken_or_refused(changes: Sequence[FileChange]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            assert outcome(form, changed(content, changes), Path(folder)).startswith("import.")

    is_taken_or_refused()


@pytest.mark.timeout(120)
@pytest.mark.parametrize("form", GIVEN_BY_NAME, ids=lambda form: form.key)
def test_an_empty_file_is_refused_also_under_its_tools_name(form: Format, tmp_path: Path) -> None:
    assert outcome(form, b"", tmp_path) != "import.fine"
    (tmp_path / "again").mkdir()
    assert outcome(form, b"\n", tmp_path / "again") != "import.fine"


@pytest.mark.parametrize("kind", range(len(KINDS)))
@pytest.mark.parametrize("value", [0, 1, len(VALUES) - 1, 1_000_000])
def test_a_change_has_an_end_for_any_file(kind: int, value: int) -> None:
    for content in (b"", b"a", b"\n\n", b'{"a": 1}\n'):
        for place in (0.0, 0.999999):
            assert changed(content, [FileChange(kind, place, 1 - place - 1e-7, value)]) is not None
