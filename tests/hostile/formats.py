"""Formats that other tools write: a good sample of each, and what becomes of a changed file of it."""

import json
import shutil
import socket
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from loadrig.base import members
from loadrig.base.errors import PlanError
from loadrig.base.printable import in_one_line
from loadrig.cli._dry import describe
from loadrig.converters import convert_files
from loadrig.importers import import_files
from loadrig.plan.load import read
from loadrig.recording.layout import RunFolder
from loadrig.recording.reader import Recording
from loadrig.trial.result import result_of

CONVERTERS, IMPORTERS = "loadrig.converters", "loadrig.importers"
TESTS = Path(__file__).parents[1]
CASES = TESTS / "converters" / "cases"
RECORDED = TESTS / "importers" / "recorded"
COMPANIONS = {
    "postman/beside/logins.csv": "postman/data.json",
    "postman/beside/logins.json": "postman/data.json",
    "postman/beside/test.postman_environment.json": "postman/sent.json",
}
"""Samples that are named after a test on the command line, by their place in CASES, with that test."""

READ_BESIDE = {
    "jmeter/beside/cities.csv": "jmeter/shop.jmx",
    "k6/beside/lib.js": "k6/every.js",
    "k6/beside/users.json": "k6/every.js",
}
"""Samples that a test names itself, and that are read where they lie beside it, with that test."""

NO_SAMPLES = (".md", ".gob")
"""Endings of files beside the samples: what they are, and a form that is refused by its name."""

MOST_SECONDS = 20.0
"""Seconds that a file of MOST_BYTES may take, on a machine that does much else: most take milliseconds."""


class Format(NamedTuple):
    """A format as one sample has it. key: room, member and sample, as `importers/hlog/hlog.hlog`."""

    key: str
    sample: Path
    take: Callable[[Path, Path], None]


def _nowhere(_host: object, port: int, **_more: Any) -> list[Any]:
    """Return an address of this machine for any name: no name of a changed file is asked for."""
    return [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", ("127.0.0.1", port))]


def _converted(member: str, test: Path | None = None) -> Callable[[Path, Path], None]:
    """Return what makes a plan of a file. test: the test that the file belongs to; None where it is one."""

    def take(file: Path, folder: Path) -> None:
        files = [test, file] if test else [file]
        conversion = convert_files(files, members.load(CONVERTERS, member), folder / "plan" / "plan.yaml")
        text = conversion.path.read_text(encoding="utf-8")
        with mock.patch.object(socket, "getaddrinfo", _nowhere):
            assert describe(read(text, str(conversion.path), sends=False))
        json.dumps(conversion.to_json(), allow_nan=False)
        assert all(line == in_one_line(line) for line in conversion.lines), conversion.lines

    return take


def _read_beside(member: str, test: Path) -> Callable[[Path, Path], None]:
    """Return what makes a plan of a test that reads a file beside it."""

    def take(file: Path, folder: Path) -> None:
        with tempfile.TemporaryDirectory(prefix="loadrig-hostile-test-") as place:
            shutil.copytree(test.parent / "beside", Path(place, "beside"))
            shutil.copy(file, Path(place, "beside", file.name))
            shutil.copy(test, place)
            _converted(member)(Path(place, test.name), folder)

    return take


def _imported(member: str) -> Callable[[Path, Path], None]:
    def take(file: Path, folder: Path) -> None:
        # Half of them by what their content looks like, half by a name that somebody typed.
        tool = member if file.stat().st_size % 2 else ""
        trial = import_files([file], RunFolder(folder / "run"), tool=tool)
        json.dumps(result_of(Recording.open(trial.path)).to_json(), allow_nan=False)

    return take


def formats() -> list[Format]:
    """Return every sample of every member of both rooms."""
    tests = [
        Format(f"converters/{name}/{file.name}", file, _converted(name))
        for name in members.names(CONVERTERS)
        for file in sorted((CASES / name).glob("*"))
        if file.is_file()
    ]
    companions = [
        Format(f"converters/{place}", CASES / place, _converted(place.partition("/")[0], CASES / test))
        for place, test in COMPANIONS.items()
    ]
    companions += [
        Format(f"converters/{place}", CASES / place, _read_beside(place.partition("/")[0], CASES / test))
        for place, test in READ_BESIDE.items()
    ]
    results = [
        Format(f"importers/{name}/{file.name}", file, _imported(name))
        for name in members.names(IMPORTERS)
        for file in sorted(RECORDED.iterdir())
        if file.suffix not in NO_SAMPLES and file.stem.partition("-")[0] == name
    ]
    return [*tests, *companions, *results]


def outcome(form: Format, content: bytes, folder: Path) -> str:
    """Return the code of the error that a changed file ends in; "import.fine" for a plan or a run.

    Raise whatever else it ends in, AssertionError where an error lacks its place or its mend, where a file
    that was refused leaves something behind, and where it took too long.
    """
    file = folder / form.sample.name
    file.write_bytes(content)
    refusal: PlanError | None = None
    began = time.process_time()
    try:
        form.take(file, folder)
    except PlanError as error:
        refusal = error
    assert time.process_time() - began < MOST_SECONDS
    if refusal is None:
        return "import.fine"
    for problem in refusal.problems:
        assert problem.code.startswith("import."), problem
        assert problem.mend, problem
        assert problem.where is not None or file.name in problem.what, problem
    leftovers = [path for path in folder.rglob("*") if path.is_file() and path != file]
    assert leftovers == [], leftovers
    return refusal.problems[0].code
