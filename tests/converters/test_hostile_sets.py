"""The same hostile files for every converter: each is an error with place and mend, or a plan, in bounds."""

import functools
import gzip
import io
import json
import re
import resource
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from loadrig.base import members
from loadrig.base.errors import PlanError, Problem
from loadrig.converters import convert_files
from tests.lengths import dealt, length

ROOM = "loadrig.converters"
CASES = Path(__file__).parent / "cases"
GOOD = {
    "access_log": "access_log/nginx-combined.log",
    "curl": "curl/shop.sh",
    "har": "har/shop.har",
    "jmeter": "jmeter/shop.jmx",
    "k6": "k6/shop.js",
    "locust": "locust/shop.py.txt",
    "openapi": "openapi/shop.yaml",
    "postman": "postman/shop.json",
    "siege": "siege/urls.txt",
    "vegeta": "vegeta/targets.txt",
}
"""A file that each converter reads."""

CUTS = 20
MOST_GROWTH_BYTES = 1_000_000_000
"""Memory that a file may cost at most: a test of 64 MB that is held as bytes, as text and as a tree."""

SPARSE_BYTES = 2_000_000_000
LONG_LINE, MANY_LINES, BOMB = length((1_000_000, 100_000, 50_000_000), (5_000_000, 500_000, 200_000_000))
"""Bytes of what is large. A reader that goes over all of 100,000 lines for each would need hours."""

ENTITIES = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))


def _zipped() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", b"\0" * (BOMB // 4))
    return packed.getvalue()


HOSTILE: dict[str, Callable[[], bytes]] = {
    "nothing": lambda: b"",
    "nul": lambda: b"\0" * 1000,
    "nested-json": lambda: b"[" * 100_000,
    "nested-objects": lambda: b'{"a":' * 30_000 + b"1" + b"}" * 30_000,
    "nested-yaml": lambda: b"a: " + b"{a: " * 20_000,
    "nested-xml": lambda: b"<jmeterTestPlan>" + b"<hashTree>" * 100_000,
    "entities": lambda: (
        f'<!DOCTYPE a [<!ENTITY a0 "a">{ENTITIES}]><jmeterTestPlan>&a11;</jmeterTestPlan>'.encode()
    ),
    "external": lambda: (
        b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><jmeterTestPlan>&x;</jmeterTestPlan>'
    ),
    "aliases": lambda: (
        "openapi: 3.0.0\na0: &a0 [x]\n"
        + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 30))
    ).encode(),
    "gzip-bomb": lambda: gzip.compress(b"\0" * BOMB, 1),
    "gzip-of-gzip": lambda: gzip.compress(gzip.compress(b"\0" * (BOMB // 4), 1)),
    "gzip-cut": lambda: gzip.compress(b"GET http://127.0.0.1/\n" * 1000)[:-20],
    "zip-bomb": _zipped,
    "no-utf-8": lambda: b'{"a": "\xff\xfe\xfa"}',
    "lone-surrogate": lambda: json.dumps(
        {"openapi": "3.0.0", "log": "\ud800", "paths": {"/\udfff": {}}}
    ).encode(),
    "utf-16-cut": lambda: "\ufeff{}".encode("utf-16-le")[:-1],
    "long-line": lambda: b"GET http://127.0.0.1/" + b"a" * LONG_LINE,
    "many-lines": lambda: b"\n" * MANY_LINES,
    "huge-number": lambda: b'{"openapi": ' + b"9" * 100_000 + b"}",
}


INSIDE: dict[str, Callable[[], bytes]] = {
    "nested-json": lambda: b'{"a":' * 50_000,
    "nested-xml": lambda: b"<sample>" * 50_000,
    "document-type": lambda: f'<!DOCTYPE a [<!ENTITY a0 "a">{ENTITIES}]>&a11;'.encode(),
    "external": lambda: b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>&x;',
    "long-line": lambda: b"9" * LONG_LINE,
    "quote-without-end": lambda: b'"' + b"a\n" * MANY_LINES,
    "brackets": lambda: b"({[" * 50_000,
    "no-utf-8": lambda: b"\xff\xfe\xfa\xc3",
    "nul": lambda: b"\0" * 100_000,
    "lone-surrogate": lambda: b"\\ud800",
}
"""Bytes in the middle of a good file, so that the reader that knows the file meets them: by their names."""


PLACES = ("line", "number")
"""Places in the middle of a good file: behind a line, or in a number."""


def with_inside(good: bytes, name: str, place: str) -> bytes:
    """Return a good file with hostile bytes at a place in its middle."""
    middle = len(good) // 2
    at = good.rfind(b"\n", 0, middle) + 1
    if place == "number":
        at = next((match.end() for match in re.finditer(rb"\d+", good) if match.end() > middle), middle)
    return good[:at] + INSIDE[name]() + good[at:]


@functools.cache
def hostile_bytes(name: str) -> bytes:
    """Return the bytes of a hostile file: to pack a bomb once for every converter takes half of the time."""
    return HOSTILE[name]()


def outcome(tool: str, path: Path, folder: Path) -> str:
    """Return the code of the error that a file makes, with its mend looked at; "import.fine" for a plan."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    problems: Sequence[Problem] = ()
    try:
        convert_files([path], members.load(ROOM, tool), folder / "out" / "plan.yaml")
    except PlanError as error:
        problems = error.problems
    assert all(problem.mend for problem in problems)
    assert all(problem.where is not None or str(path) in problem.what for problem in problems)
    assert (folder / "out" / "plan.yaml").exists() == (not problems)
    growth = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    assert growth < MOST_GROWTH_BYTES
    return problems[0].code if problems else "import.fine"


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("tool", "hostile"), dealt(members.names(ROOM), HOSTILE))
def test_a_hostile_file_is_refused_or_read_by_every_converter(
    tool: str, hostile: str, tmp_path: Path
) -> None:
    path = tmp_path / "test.txt"
    path.write_bytes(hostile_bytes(hostile))
    assert outcome(tool, path, tmp_path).startswith("import.")


@pytest.mark.timeout(60)
@pytest.mark.parametrize("tool", members.names(ROOM))
def test_a_file_of_two_gigabytes_is_refused_in_bounded_memory(tool: str, tmp_path: Path) -> None:
    path = tmp_path / "test.txt"
    with path.open("wb") as file:
        file.truncate(SPARSE_BYTES)
    assert outcome(tool, path, tmp_path) in ("import.too-large", "import.bad-test")


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("tool", "inside", "place"), dealt(GOOD, INSIDE, PLACES))
def test_a_good_file_with_hostile_bytes_inside_is_read_or_refused(
    tool: str, inside: str, place: str, tmp_path: Path
) -> None:
    good = CASES / GOOD[tool]
    path = tmp_path / good.name
    path.write_bytes(with_inside(good.read_bytes(), inside, place))
    assert outcome(tool, path, tmp_path).startswith("import.")


def test_every_converter_has_a_good_file() -> None:
    assert set(GOOD) == set(members.names(ROOM))


@pytest.mark.timeout(60)
@pytest.mark.parametrize("tool", GOOD)
def test_a_file_that_is_cut_anywhere_is_read_or_refused(tool: str, tmp_path: Path) -> None:
    good = CASES / GOOD[tool]
    content = good.read_bytes()
    for cut in range(CUTS):
        folder = tmp_path / str(cut)
        folder.mkdir()
        path = folder / good.name
        path.write_bytes(content[: len(content) * cut // CUTS])
        assert outcome(tool, path, folder).startswith("import.")


@pytest.mark.timeout(60)
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp500"])
@pytest.mark.parametrize("tool", GOOD)
def test_a_file_in_any_encoding_is_read_or_refused(tool: str, encoding: str, tmp_path: Path) -> None:
    good = CASES / GOOD[tool]
    path = tmp_path / good.name
    path.write_bytes(good.read_text(encoding="utf-8").encode(encoding, "replace"))
    assert outcome(tool, path, tmp_path).startswith("import.")
