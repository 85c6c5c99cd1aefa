"""Lists of requests of other tools, converted, for tests of single lines."""

from pathlib import Path
from types import ModuleType

import pytest

from loadrig.base.errors import PlanError
from loadrig.converters import Conversion, TestSource, convert_files
from loadrig.plan.written import WrittenRequest


def converted(member: ModuleType, text: str, folder: Path, name: str = "list.txt") -> Conversion:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    conversion: Conversion = member.convert(TestSource(path))
    return conversion


def requests(conversion: Conversion) -> list[WrittenRequest]:
    return [step.request for scenario in conversion.plan.scenarios for step in scenario.steps]


def lines_of(conversion: Conversion) -> dict[str, list[str]]:
    drafts = [feed.file for feed in conversion.plan.feeds.values() if feed.file is not None]
    return {file.name: file.content.decode().splitlines() for file in drafts}


def refused(member: ModuleType, content: bytes, folder: Path, name: str) -> tuple[str, int]:
    """Return the code and the line of the error that a file makes."""
    path = folder / name
    path.write_bytes(content)
    with pytest.raises(PlanError) as error:
        convert_files([path], member, folder / "out" / "plan.yaml")
    problem = error.value.problems[0]
    assert problem.mend
    assert not (folder / "out" / "plan.yaml").exists()
    return problem.code, problem.where.line if problem.where else 0


def read_or_refused(member: ModuleType, content: bytes, folder: Path, name: str) -> str:
    """Return the code of the error that a file makes, or "import.fine"."""
    path = folder / name
    path.write_bytes(content)
    try:
        convert_files([path], member, folder / "plan.yaml")
    except PlanError as error:
        return error.problems[0].code
    return "import.fine"
