"""Files that are cut, changed or of another encoding: refused with what and how to mend, or imported."""

import random
import re
from pathlib import Path

import pytest

from loadrig.base.errors import PlanError
from tests.importers.made import RECORDED, imported

FILES = sorted(path.name for path in RECORDED.iterdir() if path.suffix not in (".md", ".gob"))
CUTS = 6
CHANGES = 6
VALUES = (b"-1", b"1e300", b"9" * 40, b"NaN", b"", b"\xff\xfe", b'"')
"""Values that are put in a number's place."""


def attempted(folder: Path, name: str, content: bytes) -> None:
    """Import a file; where it is refused, hold that place and mend are told and nothing is left behind."""
    file = folder / name
    file.write_bytes(content)
    refusal = None
    try:
        imported(folder / "run", file)
    except PlanError as error:
        refusal = error
    if refusal is not None:
        assert all(problem.what and problem.mend for problem in refusal.problems)
        assert not (folder / "run").exists()


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("part", range(CUTS))
def test_a_file_cut_anywhere(tmp_path: Path, name: str, part: int) -> None:
    content = (RECORDED / name).read_bytes()
    attempted(tmp_path, name, content[: len(content) * part // CUTS + part])


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("lot", range(CHANGES))
def test_a_number_that_is_none(tmp_path: Path, name: str, lot: int) -> None:
    content = (RECORDED / name).read_bytes()
    chance = random.Random(f"{name} {lot}")
    number = chance.choice(list(re.finditer(rb"\d+(\.\d+)?", content)))
    attempted(tmp_path, name, content[: number.start()] + chance.choice(VALUES) + content[number.end() :])


@pytest.mark.parametrize("name", FILES)
def test_a_file_in_another_encoding(tmp_path: Path, name: str) -> None:
    text = (RECORDED / name).read_bytes().decode("latin-1")
    attempted(tmp_path, name, text.encode("utf-16"))


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".bin")])
@pytest.mark.parametrize("lot", range(3 * CHANGES))
def test_a_binary_file_with_other_bytes(tmp_path: Path, name: str, lot: int) -> None:
    content = bytearray((RECORDED / name).read_bytes())
    chance = random.Random(lot)
    for _ in range(3):
        content[chance.randrange(len(content))] = chance.randrange(256)
    attempted(tmp_path, name, bytes(content))
